internal import Configuration
internal import Feeds
internal import Foundation
internal import Glibc
internal import Linux
internal import Synchronization

/// F3: whether every calendar is there and is one. Calendars are told by their place in the configuration and their host:
/// their names and addresses are private.
enum CalendarCheck {
  static let check = Check(
    "F3", "Calendars", needs: ["N5"], impact: .wall, eyes: .service, deadline: .seconds(11), usesNetwork: true,
    overdue: ("A calendar does not come in time.", "It is asked again; look at it later.")
  ) { await look($0) }

  /// For all of them.
  private static let limit: Duration = .seconds(9)

  /// How one calendar is.
  struct State: Sendable {
    var words: String
    /// nil: it is well.
    var problem: (means: String, remedy: String)?
  }

  private static func look(_ box: Surroundings) async -> Finding {
    guard let configuration = box.configuration else { return Surroundings.noConfiguration }
    guard !configuration.calendars.isEmpty else { return .skip("No calendar is configured.") }
    let states = await withTaskGroup(of: (Int, State)?.self) { group in
      for (index, calendar) in configuration.calendars.enumerated() {
        group.addTask { (index, await state(of: calendar, box)) }
      }
      group.addTask {
        try? await box.time.sleep(for: limit)
        return nil
      }
      var states: [Int: State] = [:]
      while states.count < configuration.calendars.count, let (index, state) = await group.next() ?? nil {
        states[index] = state
      }
      group.cancelAll()
      return states
    }
    return finding(
      configuration.calendars.indices.map { index in
        states[index]
          ?? State(words: "no answer", problem: ("It does not come in time.", "It is asked again; look at it later."))
      }, ages: ages(box, configuration.calendars))
  }

  /// - Parameters:
  ///   - states: in the order of the configuration.
  ///   - ages: of what the agent has of each; nil: it does not tell.
  static func finding(_ states: [State], ages: [Duration?]) -> Finding {
    let seen = zip(states, ages).enumerated().map { index, calendar in
      let age = calendar.1.map { ", the wall's copy is \(Int($0.inSeconds / 60)) min old" } ?? ""
      return Finding.Fact("calendar \(index + 1)", calendar.0.words + age)
    }
    if let index = states.firstIndex(where: { $0.problem != nil }), let problem = states[index].problem {
      return .fail(seen, "Calendar \(index + 1): \(problem.means)", problem.remedy)
    }
    let restart = "sudo systemctl restart kiosk-agent"
    let oldest = ages.compactMap { $0 }.max() ?? .zero
    if oldest >= .seconds(86_400) { return .fail(seen, "The wall's copy is older than a day.", restart) }
    if oldest >= .seconds(3600) { return .warn(seen, "The wall's copy is older than an hour.", restart) }
    return .pass(seen)
  }

  // MARK: One calendar

  private static func state(of calendar: Configuration.CalendarSource, _ box: Surroundings) async -> State {
    if let file = calendar.file { return state(of: file) }
    guard let url = calendar.url, let address = Address(url) else {
      return State(words: "no address", problem: ("Its address is none.", "Correct it: sources.calendars."))
    }
    var settings = FeedSettings(id: "calendar")
    settings.deadline = limit
    settings.limit = 16 << 20
    let source = Source(
      settings, keys: nil, copies: nil, exchange: .curl(agent: "kiosk-agent/diagnose"), time: box.time,
      boot: BootID.current(), log: .none)
    let resource = Resource(name: "calendar", address: address, freshness: Freshness(interval: .seconds(900)))
    let started = box.time.uptime()
    let reading = try? await source.fetch(resource) { delivery throws(Objection) in
      guard isCalendar(delivery.body) else {
        throw Objection("what comes is no calendar: check its address in sources.calendars")
      }
      return delivery.body.count
    }
    if let bytes = reading?.value {
      let took = (box.time.uptime() - started).inMilliseconds
      return State(words: "\(address.host), \(bytes) bytes after \(took) ms")
    }
    if reading?.standing.fault == .noSuchName {
      // Other names are found (N3), so the name is wrong.
      return State(
        words: "\(address.host), fails",
        problem: ("There is no host \(address.host).", "Correct its address: sources.calendars."))
    }
    let (means, remedy) = Redaction.sentence(reading?.standing.message ?? "it did not come: look at it later")
    return State(words: "\(address.host), fails", problem: (means, remedy))
  }

  private static func state(of file: String) -> State {
    guard unsafe access(file, R_OK) == 0, let text = Surroundings.read(file, limit: 4096) else {
      return State(
        words: "a file that cannot be read",
        problem: ("The agent cannot read its file.", "Put it where sources.calendars says, readable by the agent."))
    }
    guard isCalendar(Array(text.utf8)) else {
      return State(
        words: "a file", problem: ("Its file is no calendar.", "Export it as iCalendar (.ics) and put it there."))
    }
    return State(words: "a file")
  }

  /// Every calendar begins with these words (RFC 5545 3.4), whatever blanks or mark of UTF-8 stand before them.
  static func isCalendar(_ body: [UInt8]) -> Bool {
    String(decoding: body.prefix(256), as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines.union(CharacterSet(charactersIn: "\u{FEFF}"))).uppercased()
      .hasPrefix("BEGIN:VCALENDAR")
  }

  /// How old what the agent shows of each is.
  private static func ages(_ box: Surroundings, _ calendars: [Configuration.CalendarSource]) -> [Duration?] {
    let sources = box.health()?.sources ?? []
    return calendars.map { calendar in
      guard calendar.url != nil, let source = sources.first(where: { $0.id == "calendar:\(calendar.id)" }),
        let fetchedAt = source.fetchedAt.flatMap(InstantFormat.parse)
      else { return nil }
      return .seconds(max(0, box.time.now().timeIntervalSince(fetchedAt)))
    }
  }
}
