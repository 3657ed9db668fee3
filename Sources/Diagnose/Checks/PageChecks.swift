internal import Configuration
internal import Foundation
internal import Linux

/// W: the wall's page, as a browser on this machine gets it.
enum PageChecks {
  private static let restart = "sudo systemctl restart kiosk-agent"

  static let all = [
    Check("W1", "Port of the page", needs: ["V2"], impact: .wall) { port($0) },
    Check("W2", "Page", needs: ["W1", "V3"], impact: .wall, deadline: .seconds(12)) { page($0) },
    Check("W3", "Live changes of the page", needs: ["W1", "V3"], impact: .wall, deadline: .seconds(14)) { stream($0) },
  ]

  /// Port 0 takes any free one, which only the agent knows.
  private static func isFixed(_ box: Surroundings) -> Bool { box.configuration?.wall.port != 0 }

  static func address(_ box: Surroundings) -> LoopbackClient? {
    address(box, isFixed(box) ? nil : box.agentStatus())
  }

  private static func address(_ box: Surroundings, _ status: AgentStatus?) -> LoopbackClient? {
    guard let wall = box.configuration?.wall else { return nil }
    let port = wall.port == 0 ? status?.port.flatMap { UInt16(exactly: $0) } : wall.port
    return port.map { LoopbackClient(address: wall.address, port: $0, time: box.time) }
  }

  private static func port(_ box: Surroundings) -> Finding {
    guard box.configuration != nil else { return Surroundings.noConfiguration }
    guard let agent = box.agent else { return Surroundings.noAgent }
    let status = isFixed(box) ? nil : box.agentStatus()
    guard isFixed(box) || status != nil else {
      return .skip("Only the agent knows the port, and it does not answer (V3).")
    }
    guard let client = address(box, status) else {
      return .fail([.init("port", "none")], "The agent does not serve its page.", restart)
    }
    guard let tables = box.text("/proc/net/tcp", limit: 4 << 20) else {
      return .skip("The kernel does not list its sockets.")
    }
    let listeners = Listener.all(in: tables + "\n" + (box.text("/proc/net/tcp6", limit: 4 << 20) ?? ""))
      .filter { $0.port == client.port }
    let seen = [Finding.Fact("port", Int(client.port))]
    guard let listener = listeners.first else {
      return .fail(seen + [.init("listener", "none")], "The agent runs and its page is not there.", restart)
    }
    if let holder = Listener.process(with: Set(listeners.map(\.inode))) {
      guard holder != agent else { return .pass(seen + [.init("listener", "the agent")]) }
      return .fail(
        seen + [.init("listener", "process \(holder) (\(box.programName(of: holder)))")],
        "Another program has the page's port.", "sudo kill \(holder)", "Or choose another port in wall.listen.")
    }
    // Whose it is cannot be seen by everybody; what it says can.
    guard let answer = client.get("/healthz", within: .seconds(3)), answer.body.contains("\"reader\"") else {
      return .fail(
        seen + [.init("listener", "user \(listener.user)")], "Another program has the page's port.",
        "sudo ss -ltnp sport = :\(client.port)")
    }
    return .pass(seen + [.init("listener", "a kiosk-agent")])
  }

  private static func page(_ box: Surroundings) -> Finding {
    guard box.agent != nil else { return Surroundings.noAgent }
    guard let client = address(box) else { return .skip("The page is not served (W1).") }
    let started = box.time.uptime()
    guard let index = client.get("/", within: .seconds(5)) else {
      return .fail([.init("GET /", "no answer")], "The page does not come.", restart)
    }
    let milliseconds = (box.time.uptime() - started).inMilliseconds
    var seen: [Finding.Fact] = [
      .init("GET /", index.status), .init("bytes", index.body.utf8.count), .init("after", "\(milliseconds) ms"),
    ]
    guard index.status == 200 else { return .fail(seen, "The page is an error.", restart) }
    for path in assets(of: index.body) {
      let status = client.get(path, within: .seconds(3))?.status ?? 0
      if status != 200 {
        seen.append(.init("GET \(path)", status))
        return .fail(seen, "A part of the page is missing.", restart)
      }
    }
    if let pages = box.agentStatus()?.pages { seen.append(.init("open pages", pages)) }
    return milliseconds < 300 ? .pass(seen) : .warn(seen, "The page comes slowly.", restart)
  }

  /// What the page loads from its own server.
  static func assets(of page: String) -> [String] {
    page.matches(of: #/(?:src|href)="(\/[^"]*)"/#).map { String($0.1) }
  }

  private static func stream(_ box: Surroundings) -> Finding {
    guard box.agent != nil else { return Surroundings.noAgent }
    guard let client = address(box) else { return .skip("The page is not served (W1).") }
    let started = box.time.uptime()
    guard client.hears("event:", from: "/events", within: .seconds(10)) else {
      return .fail([.init("first event", "none in 10 s")], "The page is not told what changes.", restart)
    }
    let took = box.time.uptime() - started
    let seen = [Finding.Fact("first event", "\(took.inMilliseconds) ms")]
    return took < .seconds(2) ? .pass(seen) : .warn(seen, "The page is told late.", restart)
  }
}

/// A listening TCP socket of /proc/net/tcp or tcp6.
struct Listener: Equatable {
  let port: UInt16
  let user: Int
  let inode: String

  static func all(in table: String) -> [Listener] {
    table.split(separator: "\n").compactMap { line in
      // sl local remote state queues timer retransmits uid timeout inode …; state 0A is LISTEN.
      let words = line.split(separator: " ")
      guard words.count >= 10, words[3] == "0A", let colon = words[1].lastIndex(of: ":"),
        let port = UInt16(words[1][colon...].dropFirst(), radix: 16)
      else { return nil }
      return Listener(port: port, user: Int(words[7]) ?? -1, inode: String(words[9]))
    }
  }

  /// The process that has one of these sockets, as far as this user may see; nil: not seen.
  static func process(with inodes: Set<String>) -> Int32? {
    let wanted = Set(inodes.map { "socket:[\($0)]" })
    let files = FileManager.default
    for entry in (try? files.contentsOfDirectory(atPath: "/proc")) ?? [] {
      guard let process = Int32(entry) else { continue }
      for descriptor in (try? files.contentsOfDirectory(atPath: "/proc/\(entry)/fd")) ?? [] {
        if let target = try? files.destinationOfSymbolicLink(atPath: "/proc/\(entry)/fd/\(descriptor)"),
          wanted.contains(target)
        {
          return process
        }
      }
    }
    return nil
  }
}
