/// Makes damaged requests, the same ones for the same seed.
struct RequestMutator {
  private var random: Xorshift
  private let seeds: [[UInt8]]
  private let pieces: [[UInt8]]

  init(seed: UInt64, port: UInt16) {
    // Xorshift stays at zero for ever.
    random = Xorshift(state: max(seed, 1))
    let host = "Host: 127.0.0.1:\(port)\r\n"
    let own = "\(host)Origin: http://127.0.0.1:\(port)\r\nContent-Type: application/json\r\n"
    seeds = [
      "GET / HTTP/1.1\r\n\(host)\r\n",
      "GET /wall?live=0 HTTP/1.1\r\n\(host)Sec-Fetch-Site: none\r\nAccept: text/html\r\nConnection: close\r\n\r\n",
      "GET /events HTTP/1.1\r\n\(host)Last-Event-ID: b1.1\r\nSec-Fetch-Site: same-origin\r\n\r\n",
      "HEAD /wall HTTP/1.1\r\n\(host)\r\nGET / HTTP/1.0\r\n\(host)\r\n",
      "POST /display/ack HTTP/1.1\r\n\(own)Content-Length: 13\r\n\r\n{\"v\":1,\"w\":2}GET / HTTP/1.1\r\n\(host)\r\n",
      "GET http://127.0.0.1:\(port)/a?b=c HTTP/1.1\r\n\(host)\r\n",
    ].map { Array($0.utf8) }
    pieces =
      [
        "\r\n", "\r", "\n", "\r\n\r\n", ":", " ", "\t", "\0", "%00", "?", "#", "/..", "GET ", "POST ", "HEAD ",
        "OPTIONS ",
        "BREW ", "HTTP/1.1", "HTTP/1.0", "HTTP/2", "Content-Length: 0\r\n", "Content-Length: 99\r\n",
        "Content-Length: 99999999999999\r\n", "Content-Length: -1\r\n", "Transfer-Encoding: chunked\r\n",
        "Expect: x\r\n",
        "Host: evil.example\r\n", "Origin: http://evil.example\r\n", "Sec-Fetch-Site: cross-site\r\n",
        "Connection: close\r\n", "\u{FEFF}", "é", "\u{1F600}", String(repeating: "A: ", count: 3000),
        String(repeating: "\r\nB: c", count: 70),
      ].map { Array($0.utf8) } + [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x7F]]
  }

  mutating func below(_ bound: Int) -> Int { random.below(bound) }

  mutating func next() -> [UInt8] {
    var bytes = seeds[below(seeds.count)]
    for _ in 0..<below(5) {
      let at = below(bytes.count + 1)
      switch below(7) {
      case 0, 1: bytes.insert(contentsOf: pieces[below(pieces.count)], at: at)
      case 2: bytes.insert(UInt8(below(256)), at: at)
      case 3: bytes.removeSubrange(at..<min(bytes.count, at + below(8)))
      case 4: bytes.insert(contentsOf: seeds[below(seeds.count)], at: at)
      case 5: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + below(40))], at: below(bytes.count + 1))
      default: if at < bytes.count { bytes[at] ^= UInt8(1 << below(8)) }
      }
    }
    return bytes
  }
}
