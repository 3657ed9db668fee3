package import Foundation

/// A calendar as it was read: what there is to expand, and what is wrong with it.
///
/// It does not depend on the wall's zone; that comes in with the expansion.
package struct CalendarFeed: Equatable, Sendable {
  /// The calendar's own name (NAME of RFC 7986 or X-WR-CALNAME); nil: it has none.
  package let name: String?
  /// How often its publisher wants it fetched (REFRESH-INTERVAL of RFC 7986), in seconds, 5 minutes to 24 hours; nil: not
  /// said.
  package let refreshInterval: TimeInterval?
  /// How many events and exceptions could be read.
  package let eventCount: Int
  /// What is not as it should be, at most 100 of them, in the order of the file.
  package let problems: [EventProblem]
  /// How many problems there are, named or not.
  package let problemCount: Int
  /// How many events are not shown.
  package let droppedCount: Int

  let series: [EventSeries]
  /// The clock of floating times.
  let zone: EventZone

  /// What is larger is refused before it is read.
  package static let mostBytes = 16 * 1_048_576
  /// A calendar with more events is refused.
  package static let mostEvents = 20_000
  private static let mostProblems = 100

  /// Reads iCalendar (RFC 5545) by the rules of a wall: one bad event never drops the others.
  ///
  /// Floating times are those of X-WR-TIMEZONE if the calendar has one, else of the wall; it never moves a time that has a
  /// zone or is UTC.
  ///
  /// - Parameters:
  ///   - bytes: the file.
  ///   - owners: mail addresses of the people whose calendar it is: what they declined is not shown. A calendar that has an
  ///     address for a name, as Google's have, belongs to that one too.
  /// - Throws: why it is no calendar at all.
  package static func parse(_ bytes: [UInt8], owners: [String] = []) throws(CalendarError) -> CalendarFeed {
    guard bytes.count <= mostBytes else { throw .tooLarge(limit: mostBytes) }
    return CalendarFeed(try ComponentReader(bytes, mostEvents: mostEvents), owners: owners)
  }

  private init(_ raw: ComponentReader, owners: [String]) {
    func text(_ name: String) -> String? {
      raw.calendar.lazy.filter { $0.name == name }.map { $0.text(limit: 100) }.first { !$0.isEmpty }
    }
    name = text("NAME") ?? text("X-WR-CALNAME")
    refreshInterval = text("REFRESH-INTERVAL").flatMap { WrittenDuration($0) }
      .map { Double(min(max($0.days * 86_400 + $0.seconds, 300), 86_400)) }
    var zones = ZoneTable(Self.observances(raw.zones))
    zone = text("X-WR-TIMEZONE").map { zones.zone($0).zone } ?? .wall
    var addresses = Set(owners.map { $0.lowercased() })
    if let name, name.contains("@"), !name.contains(" ") { addresses.insert(name.lowercased()) }
    var builder = EventBuilder(zones: zones, floating: zone, owners: addresses)
    let versions = raw.events.compactMap { builder.version($0) }
    eventCount = versions.count
    let unclosed = raw.unclosed.map { event in
      EventProblem(
        kind: .notClosed, line: event.line, uid: event.properties.first { $0.name == "UID" }?.text() ?? "")
    }
    let all = (builder.problems + unclosed).sorted { $0.line < $1.line }
    problemCount = builder.problemCount + unclosed.count
    droppedCount = builder.droppedCount + unclosed.count(where: \.isDropped)
    problems = Array(all.prefix(Self.mostProblems))
    series = Dictionary(grouping: versions, by: \.uid).values.map(EventSeries.init)
      .sorted { $0.line < $1.line }
  }

  private static func observances(_ zones: [ComponentReader.RawZone]) -> [String: [EmbeddedZone.Observance]] {
    Dictionary(zones.map { ($0.name, $0.observances.compactMap(EmbeddedZone.Observance.init)) }) { first, second in
      first.isEmpty ? second : first
    }
  }
}

extension EmbeddedZone.Observance {
  /// - Returns: nil when it says no offset or no start.
  fileprivate init?(_ raw: (isDaylight: Bool, properties: [ContentLine])) {
    func value(_ name: String) -> String? { raw.properties.first { $0.name == name }?.value.trimmed }
    guard let start = value("DTSTART").flatMap({ WrittenTime($0) })?.local,
      let after = value("TZOFFSETTO").flatMap(Self.offset)
    else { return nil }
    isDaylight = raw.isDaylight
    self.start = start
    self.after = after
    before = value("TZOFFSETFROM").flatMap(Self.offset) ?? after
    rule = value("RRULE").flatMap { RecurrenceRule($0) }
    dates = raw.properties.filter { $0.name == "RDATE" }.flatMap { property in
      property.value.split(separator: ",").compactMap { WrittenTime($0.trimmed)?.local }
    }
  }

  /// `+0100`, `-033000`: in seconds east of UTC.
  private static func offset(_ text: String) -> Int? {
    guard let sign = text.first, sign == "+" || sign == "-", text.utf8.count == 5 || text.utf8.count == 7,
      let number = Int(text.dropFirst()), number >= 0
    else { return nil }
    let digits = text.utf8.count == 5 ? number * 100 : number
    let seconds = digits / 10_000 * 3600 + digits / 100 % 100 * 60 + digits % 100
    guard seconds <= 18 * 3600 else { return nil }
    return sign == "-" ? -seconds : seconds
  }
}

extension WrittenTime {
  /// By the clock it is written for.
  fileprivate var local: LocalMoment {
    switch self {
    case .day(let day): LocalMoment(day)
    case .local(let moment): moment
    case .utc(let instant): LocalMoment(seconds: instant)
    }
  }
}
