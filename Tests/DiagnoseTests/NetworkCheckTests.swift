import Configuration
import Foundation
import TestSupport
import Testing

@testable import Diagnose
@testable import Linux

/// What N, F and W4 make of what was seen, case by case.
struct NetworkCheckTests {
  private func outside() throws -> Configuration {
    try Configuration.parse(
      Array("{ sources: { onebusaway: { baseURL: 'https://api.buses.test' } } }".utf8), folder: "/")
  }

  private let endpoint = Endpoint("https://api.buses.test")!

  // MARK: What is outside

  @Test(arguments: [
    ("https://api.buses.test", "https://api.buses.test:443/"),
    ("https://u:p@H.test:8443/x?key=1", "https://h.test:8443/"),
    ("https://[2001:db8::1]/x", "https://[2001:db8::1]:443/"), ("http://127.0.0.1:80/", nil), ("http://[::1]/", nil),
    ("https://localhost/", nil), ("nonsense", nil),
  ])
  func `of an address only host and port are taken, and this machine's are not outside`(text: String, address: String?)
  {
    #expect(Endpoint(text)?.address == address)
  }

  @Test func `every server outside is looked at once, and a proxy is told by its host`() throws {
    let plant = try Plant()
    let text = """
      { sources: { onebusaway: { baseURL: 'https://a.test' }, gtfs: { baseURL: 'http://127.0.0.1/' },
        calendars: [{ id: 'x', url: 'https://u:p@b.test/secret' }, { id: 'y', url: 'https://a.test/y' }] } }
      """
    let box = plant.surroundings(try Configuration.parse(Array(text.utf8), folder: "/"))
    #expect(box.outside.map(\.host) == ["a.test", "b.test"])
    #expect(box.proxy == nil)
    try plant.write("/etc/environment", "PATH=/bin\nhttps_proxy=\"http://ann:pass@proxy.school.test:3128\"\n")
    #expect(box.proxy == "proxy.school.test")
    #expect(plant.surroundings().outside.isEmpty)
  }

  // MARK: Link and route

  struct Card: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let files: [String: String]
    let status: Finding.Status
    var remedy = ""
  }

  static let cards = [
    Card(testDescription: "a cable", files: ["eth0/operstate": "up", "eth0/device/x": ""], status: .pass),
    Card(
      testDescription: "no cable", files: ["eth0/operstate": "down", "eth0/device/x": ""], status: .fail,
      remedy: "cable"),
    Card(
      testDescription: "a driver that does not tell, with a carrier",
      files: ["usb0/operstate": "unknown", "usb0/carrier": "1", "usb0/device/x": ""], status: .pass),
    Card(
      testDescription: "a driver that does not tell, without",
      files: ["usb0/operstate": "unknown", "usb0/carrier": "0", "usb0/device/x": ""], status: .fail),
    Card(
      testDescription: "only a bridge is up, the cable is out",
      files: ["eth0/operstate": "down", "eth0/device/x": "", "docker0/operstate": "up"], status: .fail),
    Card(testDescription: "a container's end of a pair", files: ["eth0/operstate": "up"], status: .pass),
    Card(
      testDescription: "Wi-Fi without a connection",
      files: ["wlan0/operstate": "dormant", "wlan0/device/x": "", "wlan0/phy80211/x": ""], status: .fail,
      remedy: "Wi-Fi"),
    Card(testDescription: "only loopback", files: ["lo/operstate": "unknown"], status: .skip),
  ]

  @Test(arguments: cards) func `a machine has a link when a device has one`(card: Card) async throws {
    let plant = try Plant()
    for (name, text) in card.files { try plant.write("/sys/class/net/\(name)", text + "\n") }
    let found = try await plant.run("N1", plant.surroundings(try outside()))
    #expect(found.status == card.status, "\(found)")
    if !card.remedy.isEmpty { #expect(found.remedies.first?.contains(card.remedy) == true) }
    #expect(try await plant.run("N1").status == .skip)
  }

  @Test(arguments: [(-60, Finding.Status.pass), (-75, .pass), (-76, .warn)])
  func `weak Wi-Fi is a warning`(level: Int, status: Finding.Status) async throws {
    let plant = try Plant()
    try plant.network(isUp: false)
    try plant.write("/sys/class/net/wlan0/operstate", "up\n")
    try plant.write("/sys/class/net/wlan0/device/x", "")
    try plant.write(
      "/proc/net/wireless", "Inter-| sta-|\n face | tus |\n wlan0: 0000   54.  \(level).  -256  0 0 0 0 0 0\n")
    #expect(try await plant.run("N1", plant.surroundings(try outside())).status == status)
  }

  private static let home = "eth0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n"

  @Test(arguments: [
    (Plant.routes, "", nil as String?), (home, "", "no way out of the house"), ("", "", "gave this machine no address"),
    ("eth0\t0000FEA9\t00000000\t0001\t0\t0\t1000\t0000FFFF\t0\t0\t0\n", "", "gave this machine no address"),
    // RTF_REJECT
    (home + "eth0\t00000000\t00000000\t0201\t0\t0\t0\t00000000\t0\t0\t0\n", "", "no way out of the house"),
    (
      "",
      "00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 "
        + "00000400 00000003 00000000 00000003     eth0\n", nil
    ),
    (
      home,
      "00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 "
        + "ffffffff 00000001 00000000 00200200       lo\n", "no way out of the house"
    ),
  ])
  func `a default route of either kind leads out`(routes: String, routes6: String, fault: String?) async throws {
    let plant = try Plant()
    try plant.network(routes: routes)
    try plant.write("/proc/net/ipv6_route", routes6)
    let found = try await plant.run("N2", plant.surroundings(try outside()))
    #expect(found.status == (fault == nil ? .pass : .fail), "\(found)")
    if let fault { #expect(found.means?.contains(fault) == true, "\(found)") }
  }

  // MARK: Names

  @Test func `name servers are those that the resolver uses`() {
    let text = "# nameserver 1.1.1.1\nnameserver 192.168.1.1\n nameserver\tfe80::1%eth0 \nsearch lan\nnameserver\n"
    #expect(NameServers.all(in: text) == ["192.168.1.1", "fe80::1%eth0"])
    #expect(NameServers.question("a.bc").suffix(10) == [1, 0x61, 2, 0x62, 0x63, 0, 0, 1, 0, 1])
  }

  @Test(arguments: [
    ([20], [10 as Int?], Finding.Status.pass, nil as String?), ([20, nil], [10], .pass, nil),
    ([700], [10], .warn, "slowly"), ([5100], [nil, 10], .warn, "slowly"), ([nil], [nil], .fail, "does not answer"),
    ([nil], [10], .fail, "does not know"), ([nil], [], .fail, "knows no name server"),
  ])
  func `names are found, slow or not found, and the culprit is told`(
    times: [Int?], servers: [Int?], status: Finding.Status, words: String?
  ) {
    let found = NameCheck.finding(
      times.enumerated().map { index, time in
        ("host\(index)", time.map { .init(resolution: .found([]), took: .milliseconds($0)) })
      }, servers: servers.enumerated().map { ("10.0.0.\($0)", $1.map { .milliseconds($0) }) })
    #expect(found.status == status, "\(found)")
    if let words { #expect(found.means?.contains(words) == true, "\(found)") }
    if servers.first == .some(nil) { #expect(found.remedies.first?.contains("10.0.0.0") == true) }
  }

  // MARK: Connections

  @Test(arguments: [
    (ConnectionCheck.Way.open(.milliseconds(20)), ConnectionCheck.Way.absent, Finding.Status.pass, ""),
    (.open(.milliseconds(20)), .open(.milliseconds(30)), .pass, ""), (.open(.milliseconds(20)), .mute, .warn, "IPv6"),
    (.refused, .open(.milliseconds(20)), .warn, "IPv4"), (.mute, .absent, .fail, "HTTPS"),
    (.refused, .mute, .fail, "HTTPS"),
  ])
  func `a connection by one kind of address is enough, and a kind that never gets through is told`(
    four: ConnectionCheck.Way, six: ConnectionCheck.Way, status: Finding.Status, words: String
  ) {
    let attempts = [(false, four), (true, six)].map {
      ConnectionCheck.Attempt(endpoint: endpoint, isIPv6: $0.0, way: $0.1)
    }
    let found = ConnectionCheck.finding(attempts, proxy: nil)
    #expect(found.status == status, "\(found)")
    #expect(words.isEmpty || found.means?.contains(words) == true)
    if status == .fail {
      #expect(ConnectionCheck.finding(attempts, proxy: "proxy.test").means?.contains("proxy") == true)
    }
  }

  private let now = Date(timeIntervalSince1970: 1_796_000_000)

  @Test func `one secure connection is enough, and what all others say tells who is to blame`() {
    func finding(_ handshakes: CurlProbe.Handshake...) -> Finding {
      SecureCheck.finding(handshakes.map { (endpoint, $0) }, now: now)
    }
    let good = CurlProbe.Handshake.good(issuer: "R3", expires: now + 30 * 86_400)
    #expect(finding(good).status == .pass)
    #expect(finding(.good(issuer: nil, expires: nil)).status == .pass)
    #expect(finding(good, .untrusted(issuer: nil), .expired).status == .pass)
    #expect(finding(.good(issuer: nil, expires: now + 13 * 86_400)).status == .warn)
    #expect(finding(.good(issuer: nil, expires: now + 14 * 86_400)).status == .pass)
    #expect(finding(.expired, .notYetValid).remedies == ["timedatectl"])
    #expect(finding(.untrusted(issuer: "Filter Ltd")).seen.first?.value.contains("Filter Ltd") == true)
    #expect(finding(.none(35)).means?.contains("stands between") == true)
    #expect(finding(.noAnswer(28)).means == "No server answers in time.")
    #expect(finding(.noCurl).remedies.first?.contains("install curl") == true)
  }

  @Test(arguments: [
    (0, "0\n0.05\nIssuer:C = US, O = \"Let's Encrypt\", CN = R3\nExpire date:Nov 12 04:44:50 2026 GMT\n", "good"),
    (28, "0\n0.05\n", "good"), (60, "10\n0.05\n", "expired"), (60, "9\n0\n", "notYetValid"),
    (60, "20\n0\n", "untrusted"),
    (60, "1\n0\n", "untrusted"), (35, "0\n0\n", "none"), (7, "0\n0\n", "noAnswer"), (28, "0\n0\n", "noAnswer"),
    (2, "", "none"),
  ])
  func `what curl says of a handshake is understood`(code: Int32, report: String, name: String) {
    let found = CurlProbe.handshake(
      .init(end: .exited(code), output: [], errors: Array(report.utf8), took: .seconds(1)))
    #expect("\(found)".hasPrefix(name), "\(found)")
    if case .good(let issuer?, let expires) = found {
      #expect(issuer == "Let's Encrypt")
      // 2026-11-12T00:00:00Z
      #expect(expires == Date(timeIntervalSince1970: 1_794_441_600))
    }
  }

  @Test(arguments: [
    (CurlProbe.Page.answer(status: 200, redirect: nil, body: "NetworkManager is online\n"), Finding.Status.pass),
    (.answer(status: 200, redirect: nil, body: " <!DOCTYPE html><title>Hotel</title>"), .fail),
    (.answer(status: 302, redirect: "http://login.hotel.test/?mac=A4", body: ""), .fail),
    (.answer(status: 511, redirect: nil, body: ""), .fail),
    (.answer(status: 301, redirect: "https://network-test.debian.org/nm", body: "<html>"), .skip),
    (.answer(status: 404, redirect: nil, body: "<html>not found"), .skip),
    (.answer(status: 503, redirect: nil, body: ""), .skip), (.nothing, .skip),
  ])
  func `a log-in page is one that comes in place of a known page`(page: CurlProbe.Page, status: Finding.Status) {
    let found = PortalCheck.finding(page)
    #expect(found.status == status, "\(found)")
    #expect(!"\(found)".contains("mac="))
  }

  // MARK: Feeds and the page

  @Test(arguments: [
    (1, 5 as Int?, true, Finding.Status.pass), (2, 59, false, .pass), (1, 60, true, .warn), (1, nil, true, .warn),
    (0, nil, false, .warn), (0, nil, true, .fail), (0, 5, false, .warn),
  ])
  func `a page is on the wall while a browser is connected and paints`(
    streams: Int, age: Int?, hasService: Bool, status: Finding.Status
  ) {
    let last = age.map { AgentHealth.Painted(w: 1080, h: 1920, visible: true, ageSeconds: $0) }
    let found = DisplayCheck.finding(.init(streams: streams, last: last), hasService: hasService)
    #expect(found.status == status)
    if status != .pass { #expect(found.remedies.first?.contains("kiosk-display") == hasService) }
  }

  @Test func `a sentence of ours is what is wrong and what to do`() {
    let (means, remedy) = Redaction.sentence("OneBusAway: the server knows no stop 1_1: check the watch's stop")
    #expect(means == "OneBusAway: the server knows no stop 1_1." && remedy == "Check the watch's stop.")
    #expect(Redaction.sentence("it broke").means == "it broke")
  }
}
