internal import Agenda
internal import Agent
internal import Configuration
internal import Feeds
internal import Foundation
internal import Linux
internal import Wall

extension Setting {
  /// - Parameter stores: whether the agent's last good copies are looked at. A command never writes them.
  func agenda(time: any TimeSource, stores: Bool) -> AgendaLook {
    AgendaLook(
      configuration.calendars,
      subscriptions: CalendarSubscription.all(
        of: configuration, stores: stores, isReadOnly: true, exchange: .curl(agent: "kiosk-agent/" + Commands.version),
        time: time, boot: BootID.current(), log: .none), time: time)
  }
}

/// `agenda`: what the calendars have, from files as they are and from the last good copies of the others (DESIGN 4.1).
enum AgendaCommand {
  /// Days asked for at once, at most: ten years.
  private static let mostDays = 3660

  static func run(from: String?, to: String?, _ setting: Setting, json: Bool) async throws {
    let zone = setting.zone
    let today = CalendarDay(of: SystemTime().now(), in: zone)
    let first = try from.map { try day($0, of: "--from", today) } ?? today
    let end = try to.map { try day($0, of: "--to", today) } ?? first.advanced(by: 2)
    guard first <= end, end.number - first.number <= mostDays else {
      throw CommandFailure(
        code: .usage,
        sentence: first <= end
          ? "from \(first) to \(end) is more than ten years: ask for fewer"
          : "--to \(end) is before \(first), where it begins: say a later day, which is the first not shown")
    }
    let sheets = await setting.agenda(time: SystemTime(), stores: true).kept()
    let (items, cut) = sheets.items(from: first, to: end, in: zone)
    if json {
      for item in items { try Output.line(line(item, in: zone)) }
    } else {
      try table(items, sheets, from: first, to: end, in: zone)
    }
    for sheet in sheets {
      guard let count = cut[sheet.calendar.id] else { continue }
      Output.error(
        "the calendar \(sheet.calendar.id) has \(count == 1 ? "1 event" : "\(count) events") with too many repetitions, of "
          + "which not all are here: let them repeat less, or give them an end")
    }
    try report(sheets)
  }

  private static func day(_ text: String, of option: String, _ today: CalendarDay) throws(CommandFailure) -> CalendarDay
  {
    // Days far off are not those of anybody's calendar, and zones know nothing of them.
    guard let day = CalendarDay(text), let first = CalendarDay("1900-01-01"), let last = CalendarDay("2200-01-01"),
      first <= day, day <= last
    else {
      throw CommandFailure(
        code: .usage, sentence: "\(option) \(text.debugDescription) is no day: say one such as \(today)")
    }
    return day
  }

  /// What of the calendars is not there. A broken file is a bad input, whatever the others have; an address that was not
  /// fetched yet is none.
  private static func report(_ sheets: [CalendarSheet]) throws(CommandFailure) {
    for sheet in sheets where sheet.feed == nil && sheet.calendar.file == nil {
      Output.error(
        "the calendar \(sheet.calendar.id) has no copy that can be read: start the agent, or run as its user")
    }
    for sheet in sheets {
      guard let trouble = sheet.trouble, let sentence = trouble.trouble?.sentence else { continue }
      throw CommandFailure(code: .badInput, sentence: "\(trouble.path): \(sentence)")
    }
  }

  // MARK: For programs

  private static func line(_ item: AgendaItem, in zone: TimeZone) -> String {
    let instance = item.instance
    let (start, end) =
      switch instance.span {
      case .days(let first, let end): (first.description, end.description)
      case .times(let start, let end): (InstantText.text(start, in: zone), InstantText.text(end, in: zone))
      }
    return JSONText.object([
      ("calendar", .text(item.calendar)), ("uid", .text(instance.uid)), ("start", .text(start)), ("end", .text(end)),
      ("allDay", .bool(instance.isAllDay)), ("title", .text(instance.title)), ("location", .text(instance.location)),
    ]).compact
  }

  // MARK: For people

  private static func table(
    _ items: [AgendaItem], _ sheets: [CalendarSheet], from first: CalendarDay, to end: CalendarDay, in zone: TimeZone
  ) throws(CommandFailure) {
    if sheets.isEmpty {
      return try Output.line("there is no calendar: see sources.calendars in the configuration")
    }
    if items.isEmpty { try Output.line("nothing from \(first) up to \(end)") }
    let names = Dictionary(sheets.map { ($0.calendar.id, $0.calendar.name ?? $0.calendar.id) }) { first, _ in first }
    let rows = items.map { item in
      let instance = item.instance
      return when(instance, in: zone) + [
        names[item.calendar] ?? item.calendar, instance.title.isEmpty ? "(no title)" : instance.title,
        instance.location ?? "",
      ]
    }
    for line in Columns.aligned(rows) { try Output.line(line) }
  }

  /// The day, and the time of it.
  private static func when(_ instance: AgendaInstance, in zone: TimeZone) -> [String] {
    switch instance.span {
    case .days(let first, let end):
      let last = end.advanced(by: -1)
      return [first.description, last > first ? "all day, to \(last)" : "all day"]
    case .times(let start, let end):
      let (day, lastDay) = (CalendarDay(of: start, in: zone), CalendarDay(of: end, in: zone))
      let (begins, ends) = (time(start, in: zone), time(end, in: zone))
      return [
        day.description, start == end ? begins : lastDay > day ? "\(begins)-\(lastDay) \(ends)" : "\(begins)-\(ends)",
      ]
    }
  }

  private static func time(_ instant: Date, in zone: TimeZone) -> String {
    String(InstantText.text(instant, in: zone).dropFirst(11).prefix(5))
  }
}
