import Testing

@testable import Feeds

/// Where we fetch from, and where we let ourselves be sent.
struct AddressTests {
  @Test(arguments: [
    "https://api.example.org", "https://api.example.org:8443/a?b=c", "HTTPS://API.example.org/",
    "http://127.0.0.1:8080/x", "http://localhost/x", "http://[::1]:9/x", "https://user:secret@example.org/cal.ics",
  ]) func `https anywhere and http on this machine are addresses`(text: String) { #expect(Address(text) != nil) }

  @Test(arguments: [
    "", "x", "/etc/passwd", "file:///etc/passwd", "ftp://example.org/", "http://example.org/", "http://10.0.0.1/",
    "http://127.0.0.1.example.org/", "https://", "https:///x", "https://example.org/a b", "https://example.org/\n",
    "https://example.org/ä", "webcal://example.org/x", "http://localhost@example.org/",
    "https://example.org/" + String(repeating: "a", count: 5000),
  ]) func `anything else is none`(text: String) { #expect(Address(text) == nil) }

  @Test(arguments: [
    ("https://h/a", "https://h/a?key=k%26%3D%2F"), ("https://h/a?b=c", "https://h/a?b=c&key=k%26%3D%2F"),
    ("https://h/a#part", "https://h/a?key=k%26%3D%2F"),
  ]) func `a query item is added encoded`(text: String, result: String) throws {
    #expect(try #require(Address(text)).adding("key", "k&=/")?.text == result)
  }

  @Test func `an opaque id is one path segment`() {
    #expect(Address.encoded("1_Forge Park / 495?#%ä") == "1_Forge%20Park%20%2F%20495%3F%23%25%C3%A4")
  }

  @Test func `only the host is ever shown`() throws {
    let address = try #require(Address("https://example.org/private-SECRET/cal.ics?key=SECRET"))
    var dumped = ""
    dump(address, to: &dumped)
    let all = "\(address) \(String(reflecting: address)) \(dumped) \(Optional(address) as Any)"
    #expect(all.contains("example.org"))
    #expect(!all.contains("SECRET"))
  }
}

struct RedirectTests {
  static let home = "https://api.example.org/a"

  @Test(arguments: [
    "https://api.example.org/b", "https://API.example.org/b", "https://api.example.org:443/b",
    "https://cdn.example.org/b",
  ]) func `the same host and the hosts of the list are followed`(target: String) throws {
    let first = try #require(Address(Self.home))
    #expect(try Redirect.follow(target, from: first, hosts: ["cdn.example.org"], hops: 0) == Address(target))
  }

  @Test(
    arguments: [
      ("https://portal.example.org/login", "portal.example.org"), ("https://api.example.org:8443/", "api.example.org"),
      ("http://api.example.org/b", "api.example.org"), ("http://127.0.0.1/", "127.0.0.1"),
      ("https://localhost/", "localhost"), ("file:///etc/passwd", nil), ("gopher://x/", "x"), ("", nil), (nil, nil),
    ] as [(String?, String?)]) func `others are refused by name`(target: String?, named: String?) throws
  {
    let first = try #require(Address(Self.home))
    #expect(throws: Fault.redirectRefused(to: named)) {
      try Redirect.follow(target, from: first, hosts: ["cdn.example.org", "localhost"], hops: 0)
    }
  }

  @Test func `another service of this machine is not reached`() throws {
    let first = try #require(Address("http://127.0.0.1:8080/"))
    #expect(throws: Fault.redirectRefused(to: "127.0.0.1")) {
      try Redirect.follow("http://127.0.0.1:631/", from: first, hosts: [], hops: 0)
    }
  }

  @Test func `three are followed, the fourth is not`() throws {
    let first = try #require(Address(Self.home))
    #expect(try Redirect.follow(Self.home, from: first, hosts: [], hops: 2) == first)
    #expect(throws: Fault.redirectLoop) { try Redirect.follow(Self.home, from: first, hosts: [], hops: 3) }
  }
}
