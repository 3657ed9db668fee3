/// Takes a calendar apart into its events and zones, without asking what the properties say.
struct ComponentReader {
  /// One VEVENT.
  struct RawEvent {
    /// Of its BEGIN.
    let line: Int
    var properties: [ContentLine] = []
    /// It has more properties than are read: what came after was left.
    var isOverfull = false
  }

  /// A VTIMEZONE.
  struct RawZone {
    var name = ""
    /// STANDARD and DAYLIGHT.
    var observances: [(isDaylight: Bool, properties: [ContentLine])] = []
  }

  var calendar: [ContentLine] = []
  var events: [RawEvent] = []
  /// Those that the file does not close.
  var unclosed: [RawEvent] = []
  var zones: [RawZone] = []

  /// The components that are open, outermost first. Below the deepest one that matters only the count goes on.
  private var open: [String] = []
  private var event: RawEvent?
  private var zone: RawZone?
  private var isComplete = false

  private static let deepest = 16
  private static let mostZones = 500
  private static let mostProperties = 10_000
  /// Twenty for each of the most events: what is kept of a file is bounded, whatever stands in it.
  private static let mostLines = 400_000

  private static let structural: Set<String> = ["BEGIN", "END"]
  private static let ofCalendar: Set<String> =
    structural.union(["X-WR-CALNAME", "NAME", "X-WR-TIMEZONE", "REFRESH-INTERVAL"])
  private static let ofZone: Set<String> =
    structural.union(["TZID", "DTSTART", "TZOFFSETFROM", "TZOFFSETTO", "RRULE", "RDATE"])
  private static let ofEvent: Set<String> = structural.union([
    "UID", "SUMMARY", "LOCATION", "DTSTART", "DTEND", "DURATION", "RRULE", "EXRULE", "RDATE", "EXDATE", "RECURRENCE-ID",
    "STATUS", "SEQUENCE", "TRANSP", "CLASS", "DTSTAMP", "LAST-MODIFIED", "ATTENDEE",
  ])

  /// - Parameter mostEvents: a calendar with more is refused.
  init(_ bytes: [UInt8], mostEvents: Int) throws(CalendarError) {
    var reader = LineReader(bytes)
    var kept = 0
    try begin(&reader, bytes)
    while let line = reader.next() {
      guard let property = ContentLine(line, names: wanted) else { continue }
      kept += 1
      guard kept <= Self.mostLines else { throw .tooManyEvents(limit: mostEvents) }
      switch property.name {
      case "BEGIN": begin(property)
      case "END": end(property)
      default: keep(property)
      }
      guard events.count + unclosed.count <= mostEvents else { throw .tooManyEvents(limit: mostEvents) }
    }
    guard isComplete else { throw .cut }
  }

  /// The first line that is not empty must begin a calendar.
  private mutating func begin(_ reader: inout LineReader, _ bytes: [UInt8]) throws(CalendarError) {
    while let line = reader.next() {
      guard line.bytes.contains(where: { $0 > UInt8(ascii: " ") }) else { continue }
      guard let property = ContentLine(line, names: ["BEGIN"]), property.value.trimmed.uppercased() == "VCALENDAR"
      else {
        let first = line.bytes.first { $0 > UInt8(ascii: " ") }
        throw first == UInt8(ascii: "<") ? .webPage : .notCalendar
      }
      open = ["VCALENDAR"]
      return
    }
    throw .empty
  }

  private var wanted: Set<String> {
    switch open.last {
    case "VEVENT": Self.ofEvent
    case "STANDARD", "DAYLIGHT", "VTIMEZONE": Self.ofZone
    case "VCALENDAR": Self.ofCalendar
    default: Self.structural
    }
  }

  private mutating func begin(_ property: ContentLine) {
    let name = property.value.trimmed.uppercased()
    if name == "VEVENT" || name == "VCALENDAR" {
      // An event is never inside another: the one before was not closed.
      if let event { unclosed.append(event) }
      event = nil
      open.removeAll { $0 != "VCALENDAR" }
    }
    if name == "VCALENDAR" {
      open = []
      isComplete = false
    }
    switch (name, open.last) {
    case ("VEVENT", "VCALENDAR"): event = RawEvent(line: property.number)
    case ("VTIMEZONE", "VCALENDAR"): zone = RawZone()
    case ("STANDARD", "VTIMEZONE"), ("DAYLIGHT", "VTIMEZONE"):
      zone?.observances.append((isDaylight: name == "DAYLIGHT", properties: []))
    default: break
    }
    // Deeper ones are not opened: their END finds no name and closes nothing.
    if open.count < Self.deepest { open.append(name) }
  }

  private mutating func end(_ property: ContentLine) {
    let name = property.value.trimmed.uppercased()
    guard let index = open.lastIndex(of: name) else { return }
    let closed = open[index...]
    open.removeSubrange(index...)
    if closed.contains("VEVENT"), let event {
      if name == "VEVENT" { events.append(event) } else { unclosed.append(event) }
      self.event = nil
    }
    if closed.contains("VTIMEZONE"), let zone {
      if zones.count < Self.mostZones { zones.append(zone) }
      self.zone = nil
    }
    if name == "VCALENDAR" { isComplete = true }
  }

  private mutating func keep(_ property: ContentLine) {
    switch open.last {
    case "VCALENDAR": if calendar.count < Self.mostProperties { calendar.append(property) }
    case "VEVENT":
      if event?.properties.count ?? 0 < Self.mostProperties {
        event?.properties.append(property)
      } else {
        event?.isOverfull = true
      }
    case "VTIMEZONE": if property.name == "TZID" { zone?.name = property.value.trimmed }
    default:
      guard let last = zone?.observances.indices.last,
        zone?.observances[last].properties.count ?? 0 < Self.mostProperties
      else { return }
      zone?.observances[last].properties.append(property)
    }
  }
}
