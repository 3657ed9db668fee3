import Linux
import TestSupport
import Testing

@testable import HTTP

extension SocketTests {
  @Suite struct ServerTests {
    @Test func `every answer carries the security headers and none of CORS`() throws {
      let server = try TestServer()
      for (path, status) in [("/", 200), ("/nothing", 404)] {
        let answer = try server.probe.get(path)
        #expect(answer.status == status)
        #expect(answer.headers["content-security-policy"]?.hasPrefix("default-src 'none'; script-src 'self'") == true)
        #expect(answer.headers["x-content-type-options"] == "nosniff")
        #expect(answer.headers["referrer-policy"] == "no-referrer")
        #expect(answer.headers["cross-origin-resource-policy"] == "same-origin")
        #expect(answer.headers["cache-control"] == "no-store")
        #expect(!answer.headers.keys.contains { $0.hasPrefix("access-control") })
      }
    }

    @Test func `a refusal has no body and closes`() throws {
      let server = try TestServer()
      for (text, status) in [
        ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421), (server.request("OPTIONS /"), 405),
        (server.request("GET /").replacing("HTTP/1.1", with: "HTTP/3"), 505), ("GET /\u{0}", 400),
        (server.request("POST /", "Content-Length: 2\r\n") + "{}", 415),
      ] {
        let answer = try Peer(server, says: text).readToEnd()
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        #expect(answer.hasSuffix("\r\n\r\n") && answer.contains("Connection: close"))
        #expect(answer.contains("Content-Security-Policy"))
      }
    }

    @Test func `HEAD says what GET would, without the body`() throws {
      let server = try TestServer()
      let answer = try Peer(server, says: server.request("HEAD /", "Connection: close\r\n")).readToEnd()
      #expect(answer.contains("Content-Length: 5\r\n") && answer.hasSuffix("\r\n\r\n"))
      let events = try Peer(server, says: server.request("HEAD /events")).readToEnd()
      #expect(events.contains("text/event-stream") && events.hasSuffix("\r\n\r\n"))
    }

    @Test func `what the page has painted reaches the agent`() throws {
      let server = try TestServer()
      #expect(try server.probe.post("/display/ack", json: #"{"v":7}"#).body == #"{"v":7}"#)
      #expect(
        try server.probe.post("/display/ack", json: "{}", headers: ["Origin": "http://evil.example"]).status == 403)
      #expect(try server.probe.post("/events", json: "{}").status == 405)
    }

    @Test func `requests that come together are answered in order`() throws {
      let server = try TestServer()
      let both = server.request("GET /") + server.request("GET /nothing", "Connection: close\r\n")
      let answer = try Peer(server, says: both).readToEnd()
      #expect(answer.contains("200 OK") && answer.contains("hello") && answer.contains("404 Not Found"))
    }

    @Test func `a refusal arrives although the client is still sending`() throws {
      let server = try TestServer()
      let peer = try Peer(server, says: "GET /" + String(repeating: "a", count: 100_000))
      #expect(try peer.readToEnd().hasPrefix("HTTP/1.1 431 "))
    }

    @Test func `half a head, half a body and silence end at their deadlines`() throws {
      let server = try TestServer { limits in
        // Long enough for what is whole, also on a busy machine.
        limits.head = .milliseconds(400)
        limits.body = .milliseconds(400)
        limits.idle = .milliseconds(400)
        limits.linger = .milliseconds(50)
      }
      #expect(try Peer(server, says: "GET / HT").readToEnd().hasPrefix("HTTP/1.1 408 "))
      let head = server.request(
        "POST /display/ack",
        "Content-Length: 9\r\nContent-Type: application/json\r\nOrigin: http://127.0.0.1:\(server.port)\r\n")
      #expect(try Peer(server, says: head + "{").readToEnd().hasPrefix("HTTP/1.1 408 "))
      #expect(try Peer(server, says: "").readToEnd().isEmpty)
      let idle = try Peer(server, says: server.request("GET /"))
      try idle.read(until: "hello")
      #expect(try idle.readToEnd().isEmpty)
    }

    @Test func `dripping bytes do not push the deadline on`() throws {
      let server = try TestServer { $0.head = .milliseconds(150) }
      let peer = try Peer(server, says: "G")
      let drip = server.request("GET /")
      // All of it takes longer than the deadline. Were that pushed on, the whole head would be answered as one.
      for byte in drip.dropFirst() {
        guard (try? peer.say(String(byte))) != nil, peer.isQuiet(forMilliseconds: 20) else { break }
      }
      #expect(try peer.readToEnd().hasPrefix("HTTP/1.1 408 "))
    }

    @Test func `a client that reads no answer is not answered further, and is dropped`() throws {
      let server = try TestServer { $0.stall = .milliseconds(1000) }
      let peer = try Peer(server, says: String(repeating: server.request("GET /large"), count: 50))
      try Waiting.until("it is there") { server.server.connectionCount == 1 }
      let received = try Waiting.value("dropped") { server.server.connectionCount == 0 ? peer : nil }.readToEnd()
      #expect(received.utf8.count < 40 << 20, "50 answers are 200 MiB")
      #expect(try server.probe.get("/").status == 200)
    }

    @Test func `over the cap requests are told so and streams are sent away for later`() throws {
      let server = try TestServer {
        $0.streams = 2
        $0.others = 2
      }
      server.publish(1)
      let pages = try (0..<2).map { _ in try Peer(server, says: server.request("GET /events")) }
      for page in pages { try page.read(until: "event: state") }
      let late = try Peer(server, says: server.request("GET /events")).readToEnd()
      #expect(late.hasPrefix("HTTP/1.1 200 OK") && late.hasSuffix("\r\n\r\nretry: 30000\n\n"))
      // They are still taking their answers.
      let readers = try (0..<2).map { _ in try Peer(server, says: server.request("GET /large")) }
      for reader in readers { try reader.read(until: "\r\n\r\n") }
      #expect(try server.probe.get("/").status == 503)
      withExtendedLifetime(readers) {}
      withExtendedLifetime(pages) {}
    }

    @Test func `half of a request gives way to a whole one, and silence after it`() throws {
      let server = try TestServer {
        $0.others = 2
        $0.patience = .seconds(60)
      }
      let silent = try Peer(server, says: "")
      try Waiting.until("it is there") { server.server.connectionCount == 1 }
      let half = try Peer(server, says: "GET / HT")
      try Waiting.until("it is there") { server.server.connectionCount == 2 }
      #expect(try server.probe.get("/").status == 200)
      #expect(try half.readToEnd().hasPrefix("HTTP/1.1 503 "))
      try Waiting.until("only the silent one is there") { server.server.connectionCount == 1 }
      let second = try Peer(server, says: "")
      try Waiting.until("it is there") { server.server.connectionCount == 2 }
      #expect(try server.probe.get("/").status == 200)
      #expect(try silent.readToEnd().isEmpty)
      withExtendedLifetime(second) {}
    }

    @Test func `who takes nothing of an answer gives way after a while`() throws {
      let server = try TestServer {
        $0.others = 1
        $0.patience = .milliseconds(100)
      }
      let deaf = try Peer(server, says: server.request("GET /large"))
      try deaf.read(until: "\r\n\r\n")
      try Waiting.until("the wall opens") { try server.probe.get("/").status == 200 }
      try Waiting.until("it is gone") { server.server.connectionCount == 0 }
    }

    @Test func `a client with a thousand requests at once holds up no other`() throws {
      let server = try TestServer()
      let greedy = try Peer(server, says: String(repeating: server.request("GET /wall"), count: 1000))
      try greedy.read(until: "</html>")
      // The quickest of three: what another program takes from this machine is not the server's.
      var taken = Double.infinity
      for _ in 0..<3 {
        var status = 0
        taken = min(taken, try milliseconds { status = try server.probe.get("/wall").status })
        #expect(status == 200)
      }
      try greedy.say(server.request("GET /", "Connection: close\r\n"))
      var last = ""
      let whole = try milliseconds { last = try greedy.readToEnd() }
      #expect(last.hasSuffix("hello"))
      #expect(taken < whole / 4, "\(taken) ms beside \(whole) ms for all")
    }

    @Test func `a port in use is a named error`() throws {
      let server = try TestServer()
      let second = Server(
        settings: ServerSettings(address: "127.0.0.1", port: server.port, boot: "b", asset: "a", timeZone: "UTC"),
        time: SystemTime()
      ) { _ in Response() }
      #expect(throws: Server.BindError.inUse) { try second.start() }
    }

    @Test func `stopping says goodbye, frees the port and leaves no descriptor behind`() throws {
      let before = descriptorCount()
      for _ in 0..<5 {
        let server = try TestServer()
        let page = try Peer(server, says: server.request("GET /events"))
        try page.read(until: "event: hb")
        let held = try Peer(server, says: "GET")
        try Waiting.until("it is counted") { server.server.streamCount == 1 }
        let taken = try milliseconds {
          server.server.stop()
          #expect(try page.readToEnd().contains("event: bye\ndata: {\"why\":\"restart\",\"back_s\":10}\n\n"))
          try Waiting.until("ended") { server.server.hasEnded }
        }
        #expect(taken < 10_000)
        #expect(throws: HTTPProbe.Failure.self) { try server.probe.get("/") }
        withExtendedLifetime(held) {}
      }
      try Waiting.until("descriptors are closed") { descriptorCount() <= before }
    }
  }
}
