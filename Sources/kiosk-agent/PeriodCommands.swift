internal import Agent
internal import BellSchedule
internal import Configuration
internal import Feeds
internal import Foundation
internal import Ledger
internal import Linux
internal import Reminders
internal import Wall

/// What `period` is asked.
enum PeriodQuestion: Equatable {
  /// The school day at an instant, as it is written; nil: now.
  case show(at: String?)
  /// What a day is, as somebody says; nil: today, to its end.
  case override(type: String, day: String?, until: String?)
  case clear
}

extension Setting {
  /// - Parameter stores: whether the agent's last good copies are looked at. A command never writes them.
  func school(_ documents: [String: String], time: any TimeSource, stores: Bool) -> SchoolLook {
    let state = configuration.stateDirectory
    return SchoolLook(
      documents, shelf: SchoolShelf(stateDirectory: state, isReadOnly: true),
      feed: { school in
        SchoolFeed(
          school, copies: { stores ? CopyFolder(stateDirectory: state, source: $0, isReadOnly: true) : nil },
          exchange: .curl(agent: "kiosk-agent/" + Commands.version), time: time, boot: BootID.current(), log: .none)
      }, time: time)
  }
}

/// `period`, `period override` and `period clear`.
struct PeriodCommands {
  let setting: Setting
  let json: Bool

  func run(_ question: PeriodQuestion) async throws {
    switch question {
    case .show(let at): try await show(at: at)
    case .override(let type, let day, let until): try await keep(override(type, on: day, until: until))
    case .clear: try await keep(nil)
    }
  }

  // MARK: The day

  private func show(at text: String?) async throws {
    let time = try FixedClock(at: text)
    let reader = try Files.ledger(of: setting)
    let look = setting.school(try reader.documents(), time: time, stores: true)
    guard let path = look.plan.path, let known = await look.read(zone: setting.zone) else {
      try Output.line(json ? "null" : "the household has no school: see bell in the household file")
      return
    }
    if let trouble = known.trouble, known.calendar == nil { throw Self.failure(path, trouble) }
    var input = WallInput(
      agent: Commands.version, boot: "command", now: time.now(), zone: setting.zone,
      language: setting.configuration.wall.language, clockTrusted: true, reader: .init(state: "unknown"))
    input.names = try reader.household().names
    input.isForPage = false
    await look.addKept(to: &input)
    let snapshot = input.snapshot(v: 1)
    if json {
      try Output.line(snapshot.period?.json ?? "null")
      return
    }
    if let trouble = known.trouble { try Output.line("! \(Self.failure(path, trouble).sentence)") }
    let rows =
      [[snapshot.clock.text, snapshot.period?.text ?? ""]]
      + (snapshot.period?.people.map { [$0.name, $0.text] } ?? []) + snapshot.agenda.map { [$0.text, $0.title] }
    for line in Columns.aligned(rows) { try Output.line(line) }
  }

  private static func failure(_ path: String, _ trouble: SchoolShelf.Trouble) -> CommandFailure {
    switch trouble {
    case .unreadable(let reason):
      CommandFailure(
        code: .badInput,
        sentence: "the school's file \(path) cannot be read (\(reason)): put it there, or import another")
    case .wrong(let problems):
      CommandFailure(code: .badInput, sentence: "the school's file \(path) is wrong: \(problems): mend it")
    }
  }

  // MARK: Overrides

  private func override(_ type: String, on dayText: String?, until: String?) async throws -> BellOverride {
    let now = SystemTime().now().asStored
    let documents = try Files.ledger(of: setting).documents()
    let look = setting.school(documents, time: SystemTime(), stores: true)
    guard let path = look.plan.path, let known = await look.read(zone: setting.zone) else {
      throw CommandFailure(
        code: .badInput, sentence: "the household has no school: import a household file with bell.school first")
    }
    guard let calendar = known.calendar else {
      throw Self.failure(path, known.trouble ?? .unreadable("nothing is known of it"))
    }
    guard let known = calendar.school.dayType(named: type) else {
      let nearest = BellOverrides.nearestDayType(to: type, in: calendar.school) ?? ""
      throw CommandFailure(
        code: .badInput,
        sentence: "\(type.debugDescription) is no day type of the school: did you mean \(nearest.debugDescription)?")
    }
    let today = calendar.day(of: now)
    let day = try dayText.map { try Self.day($0, notBefore: today) } ?? today
    let end = calendar.endOfDay(day)
    guard let until else { return BellOverride(day: day, type: known.name, until: end) }
    guard let instant = InstantFormat.parse(until) ?? Self.instant(until, on: day, in: calendar.zone) else {
      throw CommandFailure(
        code: .usage, sentence: "--until \(until.debugDescription) is no time: say one of that day, such as 12:00")
    }
    guard instant > now, instant <= end, instant > calendar.endOfDay(day.advanced(by: -1)) else {
      throw CommandFailure(
        code: .usage,
        sentence: "--until \(until.debugDescription) is past or not on \(day): say a later time of that day")
    }
    return BellOverride(day: day, type: known.name, until: instant.asStored)
  }

  private static func day(_ text: String, notBefore today: DayKey) throws(CommandFailure) -> DayKey {
    guard let day = DayKey(text) else {
      throw CommandFailure(
        code: .usage, sentence: "--day \(text.debugDescription) is no day: say one such as \(today)")
    }
    guard day >= today else {
      throw CommandFailure(
        code: .usage, sentence: "--day \(day) is past, and today is \(today): say today or a day to come")
    }
    return day
  }

  /// A time of day, by the school's clocks.
  private static func instant(_ text: String, on day: DayKey, in zone: TimeZone) -> Date? {
    guard let time = LocalTime(text) else { return nil }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let parts = day.description.split(separator: "-").compactMap { Int($0) }
    guard parts.count == 3 else { return nil }
    return calendar.date(
      from: DateComponents(
        year: parts[0], month: parts[1], day: parts[2], hour: time.hour, minute: time.minute))
  }

  /// Through the running agent, whose wall then shows it at once, or with its lock when none runs.
  private func keep(_ said: BellOverride?) async throws {
    let directory = setting.configuration.stateDirectory
    let zone = setting.zone
    let answer = try await HouseholdCommands.withWriter(directory) { writer in
      switch writer {
      case .mine:
        let ledger = Ledger(directory: directory, log: .standardError)
        let answer = await OverrideDesk.keep(said, ledger: ledger, zone: zone, now: SystemTime().now().asStored)
        await ledger.close()
        return answer
      case .agents(let socket):
        return HouseholdCommands.ask(socket, BellRequest(said).line, otherwise: "nothing was changed")
      }
    }
    guard answer.code == 0 else {
      throw CommandFailure(code: ExitCode(rawValue: answer.code) ?? .internalFault, sentence: answer.sentence)
    }
    // It is stored, whether or not somebody reads that it is.
    try? Output.line(json ? JSONText.object([("result", .text(answer.sentence))]).compact : answer.sentence)
  }
}
