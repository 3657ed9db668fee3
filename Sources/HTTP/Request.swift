/// One request, checked and taken apart.
package struct Request: Equatable, Sendable {
  package var method: String
  /// Without the query.
  package var path: String
  package var query: String
  /// Names in lower case; each at most once.
  package var headers: [String: String]
  package var body: [UInt8]
}

/// What an endpoint says.
package struct Response: Equatable, Sendable {
  package var status: Int
  package var type: String
  package var body: [UInt8]
  /// False for what is named by its own hash and never changes.
  package var isVolatile: Bool

  package init(
    status: Int = 200, type: String = "text/plain; charset=utf-8", body: [UInt8] = [], isVolatile: Bool = true
  ) {
    self.status = status
    self.type = type
    self.body = body
    self.isVolatile = isVolatile
  }

  package static func json(_ text: String, status: Int = 200) -> Response {
    Response(status: status, type: "application/json", body: Array(text.utf8))
  }
}

/// Takes a request out of the bytes of a connection (RFC 9112). Pure, strict and bounded: what is doubtful is refused,
/// since two readings of one request are how servers are tricked.
enum RequestParser {
  enum Result: Equatable {
    /// More bytes are needed; `headDone` once the head is complete.
    case incomplete(headDone: Bool)
    case request(Request, length: Int)
    /// The status to refuse with; the connection is closed after it.
    case refuse(Int)
  }

  static let headLimit = 8192
  static let lineLimit = 64
  static let bodyLimit = 16384

  static func parse(_ bytes: [UInt8]) -> Result {
    guard let end = headEnd(bytes) else {
      return bytes.count >= headLimit ? .refuse(431) : .incomplete(headDone: false)
    }
    guard end <= headLimit else { return .refuse(431) }
    guard let lines = lines(bytes[..<(end - 2)]) else { return .refuse(400) }
    guard lines.count <= lineLimit else { return .refuse(431) }
    guard let requestLine = lines.first.flatMap(parseRequestLine) else { return .refuse(400) }
    guard requestLine.version == "HTTP/1.1" || requestLine.version == "HTTP/1.0" else { return .refuse(505) }
    guard let headers = parseHeaders(lines.dropFirst()) else { return .refuse(400) }
    guard headers["transfer-encoding"] == nil else { return .refuse(501) }
    guard headers["expect"] == nil else { return .refuse(417) }
    guard let length = bodyLength(headers) else { return .refuse(400) }
    guard length <= bodyLimit else { return .refuse(413) }
    guard bytes.count >= end + length else { return .incomplete(headDone: true) }
    guard requestLine.target.first == UInt8(ascii: "/") else { return .refuse(400) }
    let target = String(decoding: requestLine.target, as: UTF8.self)
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    return .request(
      Request(
        method: requestLine.method, path: String(parts[0]), query: parts.count > 1 ? String(parts[1]) : "",
        headers: headers, body: Array(bytes[end..<(end + length)])), length: end + length)
  }

  /// The index after the empty line.
  private static func headEnd(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    for index in 3..<min(bytes.count, headLimit + 4)
    where bytes[index] == 0x0A && bytes[index - 1] == 0x0D && bytes[index - 2] == 0x0A && bytes[index - 3] == 0x0D {
      return index + 1
    }
    return nil
  }

  /// The lines of a head that ends with CR LF; nil when a CR or LF stands alone or a byte is no text.
  private static func lines(_ head: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
    var lines: [ArraySlice<UInt8>] = []
    var start = head.startIndex
    var index = start
    while index < head.endIndex {
      switch head[index] {
      case 0x0D:
        guard index + 1 < head.endIndex, head[index + 1] == 0x0A else { return nil }
        lines.append(head[start..<index])
        index += 2
        start = index
      case 0x09, 0x20...0x7E, 0x80...0xFF: index += 1
      default: return nil
      }
    }
    return start == head.endIndex ? lines : nil
  }

  private static func parseRequestLine(_ line: ArraySlice<UInt8>)
    -> (method: String, target: ArraySlice<UInt8>, version: String)?
  {
    let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
    guard words.count == 3, !words[0].isEmpty, words[0].count <= 16, !words[1].isEmpty,
      words[0].allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }),
      words[1].allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    return (String(decoding: words[0], as: UTF8.self), words[1], String(decoding: words[2], as: UTF8.self))
  }

  private static func parseHeaders(_ lines: ArraySlice<ArraySlice<UInt8>>) -> [String: String]? {
    var headers: [String: String] = [:]
    for line in lines {
      // A name is a token directly before the colon; a line that starts with a blank would continue the one before it.
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
        line[..<colon].allSatisfy(isTokenByte)
      else { return nil }
      let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
      let value = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
      let trimmed = value.prefix(
        (value.lastIndex { $0 != 0x20 && $0 != 0x09 }.map { $0 + 1 } ?? value.startIndex) - value.startIndex)
      guard headers.updateValue(String(decoding: trimmed, as: UTF8.self), forKey: name) == nil else {
        // Twice is doubtful where it decides something, and browsers send nothing twice.
        return nil
      }
    }
    return headers
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  private static func bodyLength(_ headers: [String: String]) -> Int? {
    guard let text = headers["content-length"] else { return 0 }
    guard !text.isEmpty, text.count <= 9, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }
}
