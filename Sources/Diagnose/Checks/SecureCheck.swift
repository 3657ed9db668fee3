internal import Foundation
internal import Linux
internal import Synchronization

/// N5: whether somebody stands between this machine and the servers. Fails when no connection is secure: what is wrong with
/// one server alone is a matter of its feed.
enum SecureCheck {
  static let check = Check(
    "N5", "Secure connections", needs: ["N4", "T1"], impact: .wall, eyes: .service, deadline: .seconds(12),
    usesNetwork: true, overdue: ("Secure connections are not made in time.", "Restart the router.")
  ) { await look($0) }

  private static func look(_ box: Surroundings) async -> Finding {
    let endpoints = box.outside
    guard !endpoints.isEmpty else { return Surroundings.nothingOutside }
    let shaken = Mutex<[Endpoint: CurlProbe.Handshake]>([:])
    let done = TimedSemaphore()
    let probe = CurlProbe(time: box.time)
    for endpoint in endpoints {
      Threads.start(name: "handshake") {
        let result = probe.handshake(endpoint)
        shaken.withLock { $0[endpoint] = result }
        done.signal()
      }
    }
    let deadline = box.time.uptime() + .seconds(11)
    for _ in endpoints { _ = done.wait(atMost: deadline - box.time.uptime()) }
    let results = shaken.withLock { $0 }
    return finding(endpoints.map { ($0, results[$0] ?? .noAnswer(28)) }, now: box.time.now())
  }

  static func finding(_ results: [(endpoint: Endpoint, handshake: CurlProbe.Handshake)], now: Date) -> Finding {
    let seen = results.map { Finding.Fact($0.endpoint.shown, words($0.handshake, now)) }
    let handshakes = results.map(\.handshake)
    if handshakes.contains(.noCurl) {
      return .fail(seen, "Nothing can be fetched without curl.", "sudo apt-get install curl ca-certificates")
    }
    if handshakes.contains(where: \.isGood) {
      let isEnding = handshakes.contains { (days($0, now) ?? .max) < 14 }
      return isEnding
        ? .warn(
          seen, "A certificate ends within two weeks.",
          "Its owner must renew it; if it is the wrong day here: timedatectl")
        : .pass(seen)
    }
    if handshakes.contains(where: { $0 == .expired || $0 == .notYetValid }) {
      return .fail(seen, "Certificates do not fit this machine's date: the clock is wrong.", "timedatectl")
    }
    if handshakes.contains(where: { if case .noAnswer = $0 { false } else { true } }) {
      return .fail(
        seen, "Somebody stands between this machine and the Internet: a filter, or a log-in page.",
        "Sign in to the network, or let this machine out past the filter.",
        "sudo apt-get install --reinstall ca-certificates")
    }
    return .fail(seen, "No server answers in time.", "Restart the router.")
  }

  private static func days(_ handshake: CurlProbe.Handshake, _ now: Date) -> Int? {
    guard case .good(_, let expires?) = handshake else { return nil }
    return Int((expires.timeIntervalSince(now) / 86_400).rounded(.down))
  }

  private static func words(_ handshake: CurlProbe.Handshake, _ now: Date) -> String {
    switch handshake {
    case .good(let issuer, _):
      "secure" + (issuer.map { ", signed by \($0)" } ?? "")
        + (days(handshake, now).map { ", \($0) days left" } ?? "")
    case .expired: "its certificate has expired"
    case .notYetValid: "its certificate is not valid yet"
    case .untrusted(let issuer): "its certificate is not trusted" + (issuer.map { ", signed by \($0)" } ?? "")
    case .none(let code): "no secure connection (curl \(code))"
    case .noAnswer: "no answer"
    case .noCurl: "/usr/bin/curl cannot be started"
    }
  }
}
