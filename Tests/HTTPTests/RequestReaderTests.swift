import Testing

@testable import HTTP

private func read(_ text: String) -> RequestReader.Outcome {
  var reader = RequestReader()
  reader.append(Array(text.utf8))
  return reader.next()
}

private let host = "Host: 127.0.0.1:8437\r\n"

struct RequestReaderTests {
  @Test func `a browser's request is taken apart`() {
    let outcome = read("GET /events?live=0&a=b HTTP/1.1\r\n\(host)Accept:  text/event-stream \t\r\nX-Empty:\r\n\r\n")
    guard case .request(let request) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(request.method == "GET")
    #expect(request.path == "/events")
    #expect(request.query == "live=0&a=b")
    #expect(request.headers == ["host": "127.0.0.1:8437", "accept": "text/event-stream", "x-empty": ""])
    #expect(request.body.isEmpty)
    #expect(request.keepsAlive)
  }

  @Test(arguments: [
    ("keep-alive", true), ("close", false), ("CLOSE", false), ("keep-alive, close", false), ("closer", true),
  ])
  func `a connection closes when the client says so`(connection: String, keeps: Bool) {
    guard case .request(let request) = read("GET / HTTP/1.1\r\n\(host)Connection: \(connection)\r\n\r\n") else {
      Issue.record("no request")
      return
    }
    #expect(request.keepsAlive == keeps)
  }

  @Test func `HTTP 1_0 is answered and closed`() {
    guard case .request(let request) = read("GET / HTTP/1.0\r\n\(host)\r\n") else {
      Issue.record("no request")
      return
    }
    #expect(!request.keepsAlive)
  }

  @Test(arguments: [
    // The request line.
    ("GET /\r\n\r\n", 400),
    ("GET  / HTTP/1.1\r\n\(host)\r\n", 400),
    ("get / HTTP/1.1\r\n\(host)\r\n", 400),
    ("G\u{1}T / HTTP/1.1\r\n\(host)\r\n", 400),
    ("ABCDEFGHIJKLMNOPQ / HTTP/1.1\r\n\(host)\r\n", 400),
    (" GET / HTTP/1.1\r\n\(host)\r\n", 400),
    ("\r\nGET / HTTP/1.1\r\n\(host)\r\n", 400),
    ("GET / HTTP/1.1 \r\n\(host)\r\n", 400),
    ("GET / FTP/1.1\r\n\(host)\r\n", 400),
    ("GET / HTTP/2.0\r\n\(host)\r\n", 505),
    ("GET / HTTP/1.10\r\n\(host)\r\n", 505),
    ("GET index.html HTTP/1.1\r\n\(host)\r\n", 400),
    ("GET /#a HTTP/1.1\r\n\(host)\r\n", 400),
    ("GET /é HTTP/1.1\r\n\(host)\r\n", 400),
    ("OPTIONS * HTTP/1.1\r\n\(host)\r\n", 400),
    ("CONNECT 127.0.0.1:8437 HTTP/1.1\r\n\(host)\r\n", 400),
    ("GET http://evil.example/ HTTP/1.1\r\n\(host)\r\n", 421),
    ("GET http://127.0.0.1:8437@evil.example/ HTTP/1.1\r\n\(host)\r\n", 421),
    ("GET https://127.0.0.1:8437/ HTTP/1.1\r\n\(host)\r\n", 400),
    // Line breaks and bytes.
    ("GET / HTTP/1.1\n\(host)\r\n", 400),
    ("GET / HTTP/1.1\r\n\(host)\n", 400),
    ("GET / HTTP/1.1\r\(host)\r\n", 400),
    ("GET / HTTP/1.1\r\n\(host)\r\r\n", 400),
    ("GET / HTTP/1.1\r\n\(host)A: b\u{0}c\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\n\(host)A: b\u{7F}\r\n\r\n", 400),
    // Fields.
    ("GET / HTTP/1.1\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\n\(host)\(host)\r\n", 400),
    ("GET / HTTP/1.1\r\n\(host)HOST: other\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\n\(host) folded\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\n\(host)\tfolded\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\n\(host)Name : value\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\n\(host): value\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\n\(host)no colon\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\n\(host)N(me: value\r\n\r\n", 400),
    // Bodies.
    ("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501),
    ("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: identity\r\nContent-Length: 1\r\n\r\n1", 501),
    ("POST / HTTP/1.1\r\n\(host)Content-Length: 1\r\nContent-Length: 1\r\n\r\n1", 400),
    ("POST / HTTP/1.1\r\n\(host)Content-Length: 1, 1\r\n\r\n1", 400),
    ("POST / HTTP/1.1\r\n\(host)Content-Length: +1\r\n\r\n1", 400),
    ("POST / HTTP/1.1\r\n\(host)Content-Length: -1\r\n\r\n1", 400),
    ("POST / HTTP/1.1\r\n\(host)Content-Length: 0x1\r\n\r\n1", 400),
    ("POST / HTTP/1.1\r\n\(host)Content-Length: \r\n\r\n1", 400),
    ("POST / HTTP/1.1\r\n\(host)Content-Length: ١\r\n\r\n1", 400),
    ("POST / HTTP/1.1\r\n\(host)Content-Length: 99999999999999999999\r\n\r\n1", 400),
    ("POST / HTTP/1.1\r\n\(host)Content-Length: 16385\r\n\r\n", 413),
    ("POST / HTTP/1.1\r\n\(host)\r\n", 411),
    ("POST / HTTP/1.1\r\n\(host)Content-Length: 1\r\nExpect: 100-continue\r\n\r\n1", 417),
  ])
  func `what is doubtful is refused`(text: String, status: Int) {
    #expect(read(text) == .refuse(status))
  }

  @Test func `a target that names our own server is its path`() {
    for (target, path) in [
      ("http://127.0.0.1:8437/a?b", "/a"), ("HTTP://127.0.0.1:8437/a", "/a"), ("http://127.0.0.1:8437", "/"),
    ] {
      guard case .request(let request) = read("GET \(target) HTTP/1.1\r\n\(host)\r\n") else {
        Issue.record("refused: \(target)")
        continue
      }
      #expect(request.path == path)
    }
  }

  @Test func `a head of 8 KiB and 64 lines is the largest`() {
    let start = "GET / HTTP/1.1\r\n\(host)"
    func filled(to size: Int) -> String {
      start + "A: " + String(repeating: "a", count: size - start.utf8.count - 7) + "\r\n\r\n"
    }
    guard case .request = read(filled(to: 8192)) else {
      Issue.record("8192 bytes refused")
      return
    }
    #expect(read(filled(to: 8193)) == .refuse(431))
    #expect(read(String(repeating: "A", count: 8193)) == .refuse(431))
    func lined(_ count: Int) -> String { start + (2..<count).map { "A\($0): 1\r\n" }.joined() + "\r\n" }
    guard case .request = read(lined(64)) else {
      Issue.record("64 lines refused")
      return
    }
    #expect(read(lined(65)) == .refuse(431))
  }

  @Test func `a request cut anywhere is the same request, and a doubtful byte is refused as soon as it is there`() {
    let text = Array(
      "POST /display/ack HTTP/1.1\r\n\(host)Content-Length: 7\r\n\r\n{\"v\":1}GET / HTTP/1.1\r\n\(host)\r\n".utf8)
    for cut in 0...text.count {
      var reader = RequestReader()
      var got: [Request] = []
      for part in [text[..<cut], text[cut...]] {
        reader.append(part)
        while case .request(let request) = reader.next() { got.append(request) }
      }
      #expect(got.map(\.path) == ["/display/ack", "/"], "cut at \(cut)")
      #expect(got.first?.body == Array("{\"v\":1}".utf8))
      #expect(reader.next() == .idle)
    }
    #expect(read("GET / HTTP/1.1\n") == .refuse(400))
    #expect(read("GET /\u{0}") == .refuse(400))
  }

  @Test func `what is missing is known`() {
    #expect(read("") == .idle)
    #expect(read("GET / HTTP/1.1\r\n") == .needsHead)
    #expect(read("POST / HTTP/1.1\r\n\(host)Content-Length: 2\r\n\r\n{") == .needsBody)
  }

  @Test func `twenty thousand damaged requests never trap and never hold more than they may`() {
    var random = Xorshift(state: 0x5EED)
    let seeds = [
      "GET / HTTP/1.1\r\n\(host)\r\n",
      "POST /display/ack HTTP/1.1\r\n\(host)Content-Length: 12\r\n\r\n{\"v\":1,\"w\":2",
      "GET http://127.0.0.1:8437/a?b=c HTTP/1.0\r\n\(host)Connection: close\r\nA: b\r\n\r\n",
    ].map { Array($0.utf8) }
    let pieces = ["\r\n", "\r", "\n", "\r\n\r\n", ":", " ", "\0", "Content-Length: 99\r\n", "é", "HTTP/1.1"].map {
      Array($0.utf8)
    }
    var outcomes = [0, 0, 0]
    for _ in 0..<20_000 {
      var bytes = seeds[random.below(seeds.count)]
      for _ in 0..<(1 + random.below(4)) {
        let at = random.below(bytes.count + 1)
        switch random.below(4) {
        case 0: bytes.insert(contentsOf: pieces[random.below(pieces.count)], at: at)
        case 1: bytes.insert(UInt8(random.below(256)), at: at)
        case 2: bytes.removeSubrange(at..<min(bytes.count, at + random.below(8)))
        default: if at < bytes.count { bytes[at] ^= UInt8(1 << random.below(8)) }
        }
      }
      var reader = RequestReader()
      let cut = random.below(bytes.count + 1)
      outer: for part in [bytes[..<cut], bytes[cut...]] {
        reader.append(part)
        while true {
          switch reader.next() {
          case .request(let request):
            outcomes[0] += 1
            #expect(request.path.hasPrefix("/") && request.body.count <= RequestHead.bodyLimit)
            continue
          case .refuse(let status):
            outcomes[1] += 1
            #expect([400, 411, 413, 417, 421, 431, 501, 505].contains(status))
            break outer
          case .idle, .needsHead, .needsBody: outcomes[2] += 1
          }
          break
        }
      }
    }
    #expect(outcomes.allSatisfy { $0 > 500 }, "the damage reaches every outcome: \(outcomes)")
  }
}

/// Numbers that look random and are the same in every run.
struct Xorshift {
  var state: UInt64

  mutating func below(_ bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(bound))
  }
}
