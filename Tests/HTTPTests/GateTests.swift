import Testing

@testable import HTTP

struct GateTests {
  private let gate = Gate(port: 8437)

  private func refusal(_ method: String, _ headers: [String: String]) -> Int? {
    gate.refusal(Request(method: method, path: "/", headers: headers))
  }

  @Test(arguments: [
    "127.0.0.1:8437", "localhost:8437", "LocalHost:8437", "[::1]:8437",
  ])
  func `our own names are welcome`(host: String) { #expect(refusal("GET", ["host": host]) == nil) }

  @Test(arguments: [
    "127.0.0.1", "localhost", "127.0.0.1:80", "127.attacker.example:8437", "127.0.0.1.nip.io:8437", "localhost.:8437",
    "::1:8437", "[::1%lo]:8437", "kiosk.local:8437", "", "user@localhost:8437", "0x7f.0.0.1:8437", "2130706433:8437",
    "localhost:8437 ", "localhost:08437",
  ])
  func `any other name is misdirected, whatever else is right`(host: String) {
    #expect(refusal("GET", ["host": host]) == 421)
    #expect(refusal("POST", own.merging(["host": host, "origin": "http://\(host)"]) { $1 }) == 421)
  }

  private let own = [
    "host": "localhost:8437", "origin": "http://localhost:8437", "content-type": "application/json",
    "sec-fetch-site": "same-origin",
  ]

  @Test func `our own page may write`() {
    #expect(refusal("POST", own) == nil)
    #expect(refusal("POST", own.merging(["content-type": "application/json; charset=utf-8"]) { $1 }) == nil)
    #expect(refusal("POST", own.filter { $0.key != "sec-fetch-site" }) == nil)
    #expect(refusal("POST", own.merging(["sec-fetch-site": "none"]) { $1 }) == nil)
  }

  @Test(arguments: [
    ("origin", "http://evil.example", 403), ("origin", "null", 403), ("origin", "https://localhost:8437", 403),
    ("origin", "http://127.0.0.1:8437", 403), ("origin", "http://localhost:84370", 403), ("origin", nil, 403),
    ("sec-fetch-site", "cross-site", 403), ("sec-fetch-site", "same-site", 403), ("sec-fetch-site", "", 403),
    ("content-type", "text/plain", 415), ("content-type", "application/json2", 415), ("content-type", nil, 415),
    ("content-type", "application/x-www-form-urlencoded", 415),
  ])
  func `a foreign page may not write`(header: String, value: String?, status: Int) {
    var headers = own
    headers[header] = value
    #expect(refusal("POST", headers) == status)
  }

  @Test func `a foreign page may not read or hold a stream, but may link to the wall`() {
    let foreign = ["host": "localhost:8437", "sec-fetch-site": "cross-site"]
    #expect(refusal("GET", foreign) == 403)
    #expect(refusal("GET", foreign.merging(["sec-fetch-mode": "cors", "sec-fetch-dest": "empty"]) { $1 }) == 403)
    #expect(refusal("GET", foreign.merging(["sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"]) { $1 }) == 403)
    #expect(
      refusal("GET", foreign.merging(["sec-fetch-mode": "navigate", "sec-fetch-dest": "document"]) { $1 }) == nil)
  }

  @Test(arguments: [
    ("HEAD", nil), ("OPTIONS", 405), ("PUT", 405), ("DELETE", 405), ("PATCH", 405), ("TRACE", 405), ("BREW", 501),
  ])
  func `methods`(method: String, status: Int?) { #expect(refusal(method, ["host": "localhost:8437"]) == status) }
}
