internal import Agenda
internal import Agent
internal import Configuration
internal import Feeds
internal import Foundation
internal import Linux

/// F3: whether every calendar is there and is one, read and worked out by what the wall reads it with. Calendars are told by
/// their place in the configuration and their host: their names, their addresses and what is in them are private.
enum CalendarCheck {
  static let check = Check(
    "F3", "Calendars", needs: ["N5"], impact: .wall, eyes: .service, deadline: .seconds(18), usesNetwork: true,
    overdue: ("A calendar does not come in time.", "It is asked again; look at it later.")
  ) { await look($0) }

  /// Days from today on that are worked out.
  private static let days = 8

  /// Where their addresses stand.
  private static let setting = "sources.calendars"

  /// How one calendar is.
  struct State: Sendable {
    var words: String
    /// nil: it is well.
    var problem: (means: String, remedy: String)?
    /// It is shown all the same, though not as it should be.
    var isShown = false
    /// It did not come to its end here; the agent waits longer.
    var isSlow = false

    /// It did not come in the time that it was given.
    static func late(after time: Duration) -> State {
      State(
        words: "not there after \(Int(time.inSeconds)) s",
        problem: ("it does not come in time.", "It is asked again; look at it later."), isSlow: true)
    }

    /// It had no turn, or not a whole one: nothing is known of it.
    static let unseen = State(words: "not looked at: the others took the time")
  }

  private static func look(_ box: Surroundings) async -> Finding {
    guard let configuration = box.configuration else { return Surroundings.noConfiguration }
    guard !configuration.calendars.isEmpty else { return .skip("No calendar is configured.") }
    let calendars = configuration.calendars
    let states = await CalendarTurns.states(calendars.count, box.time) { await state(of: calendars[$0], box) }
    return finding(states, ages: ages(box, calendars))
  }

  /// - Parameters:
  ///   - states: in the order of the configuration.
  ///   - ages: of what the agent has of each; nil: it does not tell.
  static func finding(_ states: [State], ages: [Duration?]) -> Finding {
    let seen = zip(states, ages).enumerated().map { index, calendar in
      let age = calendar.1.map { ", the wall's copy is \(Int($0.inSeconds / 60)) min old" } ?? ""
      return Finding.Fact("calendar \(index + 1)", calendar.0.words + age)
    }
    let isFresh = { (index: Int) in ages[index].map { $0 < .seconds(3600) } ?? false }
    let bad = states.indices.filter { states[$0].problem != nil }
    let isFault = { (index: Int) in !states[index].isShown && !(states[index].isSlow && isFresh(index)) }
    if let index = bad.first(where: isFault), let problem = states[index].problem {
      return .fail(seen, "Calendar \(index + 1): \(problem.means)", problem.remedy)
    }
    let restart = "sudo systemctl restart kiosk-agent"
    let oldest = ages.compactMap { $0 }.max() ?? .zero
    if oldest >= .seconds(86_400) { return .fail(seen, "The wall's copy is older than a day.", restart) }
    if let index = bad.first, let problem = states[index].problem {
      return .warn(seen, "Calendar \(index + 1): \(problem.means)", problem.remedy)
    }
    if oldest >= .seconds(3600) { return .warn(seen, "The wall's copy is older than an hour.", restart) }
    return .pass(seen)
  }

  // MARK: One calendar

  private static func state(of calendar: Configuration.CalendarSource, _ box: Surroundings) async -> State {
    let look = await CalendarShelf([calendar], stateDirectory: nil).look(at: box.time.now()).looks[calendar.id]
    if let trouble = look?.file?.trouble { return state(trouble, of: "its file") }
    var state = State(words: "a file")
    var feed = look?.feed
    if calendar.file == nil { (state, feed) = await fetched(calendar, box) }
    guard let feed else { return state }
    let zone = box.configuration?.timeZone ?? .current
    let today = CalendarDay(of: box.time.now(), in: zone)
    let expansion = feed.instances(
      from: today.start(in: zone), to: today.advanced(by: days).start(in: zone), in: zone)
    state.words += ", " + words(expansion.instances, today, at: box.time.now(), in: zone)
    if let trouble = look?.picksFiles.first(where: { $0.trouble != nil })?.trouble {
      let picks = Self.state(trouble, of: "its file of chosen events")
      return State(words: state.words + ", " + picks.words, problem: picks.problem)
    }
    guard let finding = EventTrouble(feed, expansion) else { return state }
    state.words += ", " + finding.words
    if let means = finding.means {
      (state.problem, state.isShown) = ((means, "Open it in its calendar and save it anew."), true)
    }
    return state
  }

  /// A calendar by its address: the agent's own request, its limit and its redirects. The agent's copy is left aside, so that
  /// what its server has is looked at.
  private static func fetched(
    _ calendar: Configuration.CalendarSource, _ box: Surroundings
  ) async -> (State, CalendarFeed?) {
    let subscription = CalendarSubscription(
      calendar, copies: nil, exchange: .curl(agent: "kiosk-agent/diagnose"), time: box.time, boot: BootID.current(),
      log: .none)
    guard let subscription, let host = calendar.url.flatMap(Address.init)?.host else {
      return (State(words: "no address", problem: ("its address is none.", "Correct it: \(setting).")), nil)
    }
    let started = box.time.uptime()
    guard let reading = try? await subscription.fetch(known: nil) else { return (.unseen, nil) }
    if let feed = reading.value {
      return (State(words: "\(host), after \((box.time.uptime() - started).inMilliseconds) ms"), feed)
    }
    let problem =
      switch reading.standing.fault {
      // That it has grown too long is likelier than that another thing is there.
      case .tooLarge: Redaction.sentence(CalendarError.tooLarge(limit: CalendarFeed.mostBytes).sentence)
      case let fault?: fault.told(of: "the calendar", on: host, setting: setting)
      case nil: (means: "it does not come.", remedy: "It is asked again; look at it later.")
      }
    return (State(words: "\(host), fails", problem: problem), nil)
  }

  private static func state(_ trouble: FileTrouble, of file: String) -> State {
    switch trouble {
    case .unreadable:
      State(
        words: "\(file) cannot be read",
        problem: ("the agent cannot read \(file).", "Put it where \(setting) says, readable by the agent."))
    case .wrong(let sentence):
      // What a file says in quotes may be anybody's.
      State(words: "\(file) is wrong", problem: Redaction.sentence(Redaction.problem(sentence)))
    }
  }

  /// How many events there are today, and when the next one begins: never which.
  static func words(_ instances: [AgendaInstance], _ today: CalendarDay, at now: Date, in zone: TimeZone) -> String {
    let midnight = today.advanced(by: 1).start(in: zone)
    let count = instances.count { $0.start(in: zone) < midnight }
    guard let next = instances.first(where: { $0.start(in: zone) > now }) else {
      return "\(count) today, no other in \(days) days"
    }
    let begins = InstantFormat.text(next.start(in: zone), in: zone)
    return "\(count) today, the next on \(begins.prefix(10))"
      + (next.isAllDay ? "" : " at \(begins.dropFirst(11).prefix(5))")
  }

  /// How old what the agent shows of each is.
  private static func ages(_ box: Surroundings, _ calendars: [Configuration.CalendarSource]) -> [Duration?] {
    let sources = box.health()?.sources ?? []
    return calendars.map { calendar in
      guard calendar.url != nil,
        let source = sources.first(where: { $0.id == CalendarSubscription.id(of: calendar) }),
        let fetchedAt = source.fetchedAt.flatMap(InstantFormat.parse)
      else { return nil }
      return .seconds(max(0, box.time.now().timeIntervalSince(fetchedAt)))
    }
  }
}
