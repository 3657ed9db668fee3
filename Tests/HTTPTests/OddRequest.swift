/// A request that no page of ours sends, and what it must be told.
struct OddRequest: Sendable {
  let name: String
  let bytes: [UInt8]
  /// The first 12 bytes of the answer; empty: closed without a word.
  let answer: String
  var endsSpeech = false

  private init(_ name: String, _ text: String, _ status: Int?, endsSpeech: Bool = false) {
    self.init(name, Array(text.utf8), status, endsSpeech: endsSpeech)
  }

  private init(_ name: String, _ bytes: [UInt8], _ status: Int?, endsSpeech: Bool = false) {
    self.name = name
    self.bytes = bytes
    answer = status.map { "HTTP/1.1 \($0)" } ?? ""
    self.endsSpeech = endsSpeech
  }

  static func all(port: UInt16) -> [OddRequest] {
    let host = "Host: 127.0.0.1:\(port)\r\n"
    let own = "\(host)Origin: http://127.0.0.1:\(port)\r\nContent-Type: application/json\r\n"
    let post = "POST /display/ack HTTP/1.1\r\n"
    let get = "GET / HTTP/1.1\r\n"
    let mebibyte = String(repeating: "a", count: 1 << 20)
    return [
      .init("a header of 1 MiB", "\(get)\(host)X: \(mebibyte)\r\n\r\n", 431),
      .init("a target of 1 MiB", "GET /\(mebibyte) HTTP/1.1\r\n\(host)\r\n", 431),
      .init("1 MiB without a line", mebibyte, 431),
      .init("sixty-five headers", get + host + (0..<64).map { "X\($0): a\r\n" }.joined() + "\r\n", 431),
      .init(
        "a name of bytes that are no UTF-8", Array(get.utf8) + [0xFF, 0xC0, 0x80] + Array(": a\r\n\r\n".utf8), 400),
      .init("a target that is no UTF-8", Array("GET /".utf8) + [0xC3, 0x28] + Array(" HTTP/1.1\r\n\r\n".utf8), 400),
      .init(
        "a Host that is no UTF-8", Array("\(get)Host: ".utf8) + [0xED, 0xA0, 0x80] + Array("\r\n\r\n".utf8), 421),
      .init("a NUL", "GET /\0 HTTP/1.1\r\n\(host)\r\n", 400),
      .init("a chunked body", "\(post)\(own)Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 501),
      .init(
        "chunked and counted", "\(post)\(own)Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 501),
      .init("a body of 10^17 bytes", "\(post)\(own)Content-Length: 100000000000000000\r\n\r\n", 413),
      .init("a body of 10^30 bytes", "\(post)\(own)Content-Length: 1\(String(repeating: "0", count: 30))\r\n\r\n", 400),
      .init("a body of -1 bytes", "\(post)\(own)Content-Length: -1\r\n\r\n", 400),
      .init("a body one byte too large", "\(post)\(own)Content-Length: 16385\r\n\r\n\(mebibyte)", 413),
      .init("two lengths", "\(post)\(own)Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400),
      .init("a foreign Host", "\(get)Host: evil.example:\(port)\r\n\r\n", 421),
      .init("a Host that only begins like ours", "\(get)Host: 127.0.0.1:\(port).evil.example\r\n\r\n", 421),
      .init("another server's target", "GET http://evil.example/ HTTP/1.1\r\n\(host)\r\n", 421),
      .init("no Host", "\(get)\r\n", 400),
      .init(
        "a foreign Origin",
        "\(post)\(host)Origin: http://evil.example\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
        403),
      .init("a page elsewhere", "\(get)\(host)Sec-Fetch-Site: cross-site\r\n\r\n", 403),
      .init("a preflight", "OPTIONS / HTTP/1.1\r\n\(host)Origin: http://evil.example\r\n\r\n", 405),
      .init("a TLS greeting", [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xFC, 0x03, 0x03], 400),
      .init("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
      .init("a half-closed request", "\(get)\(host)Connection: close\r\n\r\n", 200, endsSpeech: true),
      .init("a half-closed half of a request", "\(get)Host: 127", nil, endsSpeech: true),
      .init("a half-closed half of a body", "\(post)\(own)Content-Length: 9\r\n\r\n{", nil, endsSpeech: true),
      .init("a half-closed stream", "GET /events HTTP/1.1\r\n\(host)\r\n", 200, endsSpeech: true),
      .init("nothing", "", nil, endsSpeech: true),
    ]
  }
}
