internal import Linux
internal import Synchronization

/// N3: whether names of the Internet are found. Fails when none is: that one is not is a matter of its feed.
enum NameCheck {
  static let check = Check(
    "N3", "Names of the Internet", needs: ["N2"], impact: .wall, eyes: .service, deadline: .seconds(8),
    usesNetwork: true, overdue: ("No name server answers.", "Restart the router.")
  ) { await look($0) }

  /// A name server that is mute costs 5 s before the next one is asked (resolv.conf(5), timeout).
  private static let longest: Duration = .milliseconds(6500)

  struct Answer: Equatable, Sendable {
    var resolution: SocketAddress.Resolution
    var took: Duration
  }

  private static func look(_ box: Surroundings) async -> Finding {
    let hosts = box.outside.map(\.host)
    guard let first = hosts.first else { return Surroundings.nothingOutside }
    let servers = NameServers.all(in: box.text("/etc/resolv.conf") ?? "")
    let deadline = box.time.uptime() + longest
    let inquiry = NameServers.ask(servers, for: first, time: box.time)
    var answers = ask(hosts, until: deadline, box.time)
    let slow = hosts.filter { isSlow(answers[$0]) }
    // The first question of the day is passed on from server to server; the second one tells how it is from then on.
    if !slow.isEmpty {
      answers.merge(ask(slow, until: deadline, box.time)) { min($0.took, $1.took) == $1.took ? $1 : $0 }
    }
    return finding(hosts.map { ($0, answers[$0]) }, servers: Array(zip(servers, inquiry.answers())))
  }

  private static func isSlow(_ answer: Answer?) -> Bool {
    guard let answer, case .found = answer.resolution else { return false }
    return answer.took >= .milliseconds(500)
  }

  /// - Parameters:
  ///   - answers: by host; nil: none in time.
  ///   - servers: with the time of their answer; nil: none.
  static func finding(_ answers: [(host: String, answer: Answer?)], servers: [(String, Duration?)]) -> Finding {
    var seen = answers.map { host, answer in
      switch answer?.resolution {
      case .found: Finding.Fact(host, "\(answer?.took.inMilliseconds ?? 0) ms")
      case .unknown: Finding.Fact(host, "there is no such name")
      case .failed(let words): Finding.Fact(host, words)
      case nil: Finding.Fact(host, "no answer")
      }
    }
    seen += servers.map { server, took in
      .init("name server \(server)", took.map { "\($0.inMilliseconds) ms" } ?? "no answer")
    }
    let found = answers.filter { if case .found = $0.answer?.resolution { true } else { false } }
    let mute = servers.filter { $0.1 == nil }.map(\.0)
    if found.isEmpty {
      if servers.isEmpty {
        return .fail(seen, "This machine knows no name server.", "Set one: /etc/resolv.conf, or the router's DHCP.")
      }
      if mute.count == servers.count {
        return .fail(
          seen, "The name server does not answer.", "Restart the router; else use another one than \(mute[0]).")
      }
      return .fail(
        seen, "The name server does not know the names of the Internet.",
        "Is the router online? Look at it with a telephone in the same Wi-Fi.")
    }
    guard found.contains(where: { isSlow($0.answer) }) else { return .pass(seen) }
    return .warn(
      seen, "Names are found slowly.",
      mute.first.map { "Take the name server \($0) out: it does not answer." }
        ?? "Use another name server, or restart the router.")
  }

  // MARK: Asking

  /// What became of each name by then.
  private static func ask(_ hosts: [String], until deadline: Duration, _ time: any TimeSource) -> [String: Answer] {
    let shared = Shared()
    for host in hosts {
      let started = time.uptime()
      // It may hang in the resolver for long; it ends with this process.
      Threads.start(name: "names") {
        let resolution = SocketAddress.resolve(host, port: 443)
        shared.answers.withLock { $0[host] = Answer(resolution: resolution, took: time.uptime() - started) }
        shared.done.signal()
      }
    }
    for _ in hosts { _ = shared.done.wait(atMost: deadline - time.uptime()) }
    return shared.answers.withLock { $0 }
  }

  private final class Shared: Sendable {
    let answers = Mutex<[String: Answer]>([:])
    let done = TimedSemaphore()
  }
}
