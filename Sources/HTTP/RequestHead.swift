/// The head of a request, checked: what is doubtful is refused, since two readings of one request are how servers are
/// tricked.
package struct RequestHead {
  struct Refusal: Error {
    let status: Int
  }

  /// Bytes of a head, its empty line included (display 3.6).
  static let limit = 8192
  /// Lines of a head, the request line included.
  static let lineLimit = 64
  /// Bytes of a body.
  package static let bodyLimit = 16384

  private(set) var request: Request
  let bodyLength: Int

  /// - Parameter bytes: up to and with the empty line; every line ends in CR LF.
  init(_ bytes: ArraySlice<UInt8>) throws(Refusal) {
    let lines = bytes.dropLast(4).split(separator: 0x0D, omittingEmptySubsequences: false).enumerated()
      .map { $0.offset == 0 ? $0.element : $0.element.dropFirst() }
    let words = lines[0].split(separator: 0x20, omittingEmptySubsequences: false)
    guard words.count == 3, Self.isMethod(words[0]), Self.isTarget(words[1]) else { throw Refusal(status: 400) }
    let version = String(decoding: words[2], as: UTF8.self)
    guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
      throw Refusal(status: version.hasPrefix("HTTP/") ? 505 : 400)
    }
    let headers = try Self.headers(lines.dropFirst())
    guard let host = headers["host"] else { throw Refusal(status: 400) }
    guard headers["transfer-encoding"] == nil else { throw Refusal(status: 501) }
    guard headers["expect"] == nil else { throw Refusal(status: 417) }
    let method = String(decoding: words[0], as: UTF8.self)
    bodyLength = try Self.bodyLength(headers["content-length"], method)
    let target = try Self.originForm(String(decoding: words[1], as: UTF8.self), host)
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    request = Request(
      method: method, path: String(parts[0]), query: parts.count > 1 ? String(parts[1]) : "", headers: headers)
    request.isOld = version == "HTTP/1.0"
  }

  private static func isMethod(_ word: ArraySlice<UInt8>) -> Bool {
    (1...16).contains(word.count) && word.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
  }

  /// Visible ASCII without `#`, which no client sends.
  private static func isTarget(_ word: ArraySlice<UInt8>) -> Bool {
    !word.isEmpty && word.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }
  }

  /// A target that names a server as well (RFC 9112 3.2.2) must name the one of the Host line.
  private static func originForm(_ target: String, _ host: String) throws(Refusal) -> String {
    if target.hasPrefix("/") { return target }
    guard target.lowercased().hasPrefix("http://") else { throw Refusal(status: 400) }
    let rest = target.dropFirst(7)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    guard authority.lowercased() == host.lowercased() else { throw Refusal(status: 421) }
    let path = rest.dropFirst(authority.count)
    return path.hasPrefix("/") ? String(path) : "/" + path
  }

  private static func headers(_ lines: ArraySlice<ArraySlice<UInt8>>) throws(Refusal) -> [String: String] {
    var headers: [String: String] = [:]
    for line in lines {
      // A name is a token directly before the colon; a line that starts with a blank would continue the one before it.
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
        line[..<colon].allSatisfy(isTokenByte)
      else { throw Refusal(status: 400) }
      let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
      // Twice is doubtful where it decides something, and browsers say nothing twice.
      guard headers.updateValue(trimmed(line[(colon + 1)...]), forKey: name) == nil else { throw Refusal(status: 400) }
    }
    return headers
  }

  private static func trimmed(_ value: ArraySlice<UInt8>) -> String {
    let start = value.drop { $0 == 0x20 || $0 == 0x09 }
    let end = start.lastIndex { $0 != 0x20 && $0 != 0x09 } ?? start.startIndex
    return start.isEmpty ? "" : String(decoding: start[...end], as: UTF8.self)
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  private static func bodyLength(_ text: String?, _ method: String) throws(Refusal) -> Int {
    guard let text else {
      if method == "POST" { throw Refusal(status: 411) }
      return 0
    }
    guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let length = Int(text)
    else { throw Refusal(status: 400) }
    guard length <= bodyLimit else { throw Refusal(status: 413) }
    return length
  }
}
