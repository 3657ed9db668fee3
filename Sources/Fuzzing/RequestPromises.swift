internal import HTTP

/// What the reader of requests and the gate promise.
enum RequestPromises {
  /// Every status that the reader refuses with.
  private static let refusals: Set<Int> = [400, 411, 413, 417, 421, 431, 501, 505]

  static func check(_ bytes: [UInt8]) throws(BrokenPromise) {
    let whole = outcomes([bytes[...]])
    for outcome in whole {
      switch outcome {
      case .request(let request): try check(request)
      case .refuse(let status): try expect(refusals.contains(status), "refused with \(status)")
      case .idle, .needsHead, .needsBody: break
      }
    }
    // However the network cuts the bytes, they are the same requests.
    try expect(outcomes(pieces(bytes)) == whole, "in small pieces they are other requests")
    let cut = bytes.isEmpty ? 0 : Int(bytes[bytes.count / 2]) % bytes.count
    try expect(outcomes([bytes[..<cut], bytes[cut...]]) == whole, "cut at \(cut) they are other requests")
  }

  /// Byte by byte; what is beyond 2 KiB in larger pieces, for speed.
  private static func pieces(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    let start = bytes.prefix(2048)
    let rest = stride(from: start.endIndex, to: bytes.count, by: 97).map { bytes[$0..<min($0 + 97, bytes.count)] }
    return start.indices.map { bytes[$0...$0] } + rest
  }

  /// What the reader says in the end: every request, then what is missing for the next or the refusal.
  private static func outcomes(_ parts: [ArraySlice<UInt8>]) -> [RequestReader.Outcome] {
    var reader = RequestReader()
    var requests: [RequestReader.Outcome] = []
    var last = reader.next()
    for part in parts {
      reader.append(part)
      last = reader.next()
      while case .request = last {
        requests.append(last)
        last = reader.next()
      }
      if case .refuse = last { break }
    }
    return requests + [last]
  }

  private static func check(_ request: Request) throws(BrokenPromise) {
    let method = request.method.utf8
    try expect((1...16).contains(method.count) && method.allSatisfy { (0x41...0x5A).contains($0) }, "a bad method")
    try expect(request.path.hasPrefix("/") && !request.path.contains("?"), "a path that is none")
    try expect((request.path + request.query).utf8.allSatisfy { (0x21...0x7E).contains($0) }, "an odd byte in a path")
    try expect(request.body.count <= RequestHead.bodyLimit, "a body of \(request.body.count) bytes")
    for (name, value) in request.headers {
      try expect(!name.isEmpty && name == name.lowercased() && !name.contains(" "), "a bad name of a header")
      let isOneLine = value.utf8.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }
      try expect(isOneLine, "a header of two lines or with a control byte")
    }
    try expect(request.headers["host"] != nil, "a request without Host")
    guard Gate(port: 8437).refusal(request) == nil else { return }
    let host = request.headers["host"]?.lowercased() ?? ""
    try expect(["127.0.0.1:8437", "localhost:8437", "[::1]:8437"].contains(host), "a foreign Host is let in")
    switch request.method {
    case "GET", "HEAD": break
    case "POST":
      try expect(request.headers["origin"]?.lowercased() == "http://\(host)", "a foreign Origin may write")
    default: throw BrokenPromise("\(request.method) is let in")
    }
  }
}
