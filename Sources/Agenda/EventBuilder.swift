/// Reads the properties of one VEVENT. What is not understood is left out and said. There is no event without a start, nor
/// one of which something that decides when and for whom it is shown is longer than anything that is read.
struct EventBuilder {
  /// The first of them.
  private(set) var problems: [EventProblem] = []
  private(set) var problemCount = 0
  private(set) var droppedCount = 0
  private static let mostProblems = 1000
  /// Instants that one event may take out, and add, one by one; each costs a look at its zone.
  private static let mostTimes = 10_000
  /// Of these the beginning is as good as all of it: they are read by people, who see 500 characters, and a guest whose line
  /// is cut has declined or not.
  private static let texts: Set<String> = ["SUMMARY", "LOCATION", "UID", "ATTENDEE"]
  private var zones: ZoneTable
  /// The clock of floating times.
  private let floating: EventZone
  /// Whose calendar it is: addresses in small letters.
  private let owners: Set<String>

  init(zones: ZoneTable, floating: EventZone, owners: Set<String>) {
    self.zones = zones
    self.floating = floating
    self.owners = owners
  }

  /// - Returns: nil when it cannot be shown; `problems` says why.
  mutating func version(_ raw: ComponentReader.RawEvent) -> EventVersion? {
    let uid = raw.properties.first { $0.name == "UID" }?.text() ?? ""
    if let what = tooLong(in: raw) {
      report(.tooLong(what), raw, uid)
      return absence(raw, uid)
    }
    guard let property = raw.properties.first(where: { $0.name == "DTSTART" }) else {
      report(.noStart, raw, uid)
      return nil
    }
    guard let start = time(property, raw, uid) else {
      report(.badStart, raw, uid)
      return nil
    }
    var version = EventVersion(uid: uid, line: raw.line, start: start)
    version.age.line = raw.line
    var attendance = Attendance()
    for property in raw.properties where !read(property, into: &version, &attendance, raw) {
      report(.badProperty(property.name), raw, uid)
    }
    if version.excluded.count > Self.mostTimes || version.extraTimes.count > Self.mostTimes {
      report(.tooLong(version.excluded.count > Self.mostTimes ? "EXDATE" : "RDATE"), raw, uid)
      return nil
    }
    if version.isRange, version.recurrenceID == nil { version.isRange = false }
    if version.hasUnknownRule { report(.unsupportedRule, raw, uid) }
    version.isDeclined = attendance.isDeclined(by: owners)
    // RFC 5545 demands a UID. Without one the event is known by what it says.
    if uid.isEmpty { version.uid = "\(property.value.trimmed)/\(version.title)" }
    return version
  }

  /// In the place of one of a series that cannot be shown: that its own time is shown again would be wrong. nil: it is no one
  /// of a series, or not known which.
  private mutating func absence(_ raw: ComponentReader.RawEvent, _ uid: String) -> EventVersion? {
    guard let property = raw.properties.first(where: { $0.name == "RECURRENCE-ID" && !$0.isCut }),
      let replaced = time(property, raw, uid)
    else { return nil }
    var version = EventVersion(uid: uid, line: raw.line, start: replaced)
    version.age.line = raw.line
    version.recurrenceID = replaced
    version.isCancelled = true
    return version
  }

  /// What of an event is longer than anything that is read; nil: nothing that matters.
  private func tooLong(in raw: ComponentReader.RawEvent) -> String? {
    if raw.isOverfull { return "list of properties" }
    return raw.properties.first { $0.isCut && !Self.texts.contains($0.name) }?.name
  }

  private mutating func report(_ kind: EventProblem.Kind, _ raw: ComponentReader.RawEvent, _ uid: String) {
    let problem = EventProblem(kind: kind, line: raw.line, uid: uid)
    if problems.last != problem {
      problemCount += 1
      if problem.isDropped { droppedCount += 1 }
      if problems.count < Self.mostProblems { problems.append(problem) }
    }
  }

  /// - Returns: false for a value that is not understood.
  private mutating func read(
    _ property: ContentLine, into version: inout EventVersion, _ attendance: inout Attendance,
    _ raw: ComponentReader.RawEvent
  ) -> Bool {
    switch property.name {
    case "SUMMARY": version.title = property.text()
    case "LOCATION":
      let place = property.text()
      version.location = place.isEmpty ? nil : place
    case "STATUS":
      let status = property.value.trimmed.uppercased()
      version.isCancelled = status == "CANCELLED"
      version.isTentative = status == "TENTATIVE"
    case "TRANSP": version.isFree = property.value.trimmed.uppercased() == "TRANSPARENT"
    case "CLASS": version.isPrivate = ["PRIVATE", "CONFIDENTIAL"].contains(property.value.trimmed.uppercased())
    case "SEQUENCE": version.age.sequence = Int(property.value.trimmed) ?? 0
    case "DTSTAMP": version.age.stamp = Self.stamp(property)
    case "LAST-MODIFIED": version.age.modified = Self.stamp(property)
    case "ATTENDEE": attendance.add(property)
    case "DTEND":
      guard let end = time(property, raw, version.uid) else { return false }
      version.length = .until(end)
    case "DURATION":
      guard let duration = WrittenDuration(property.value.trimmed) else { return false }
      // Where both stand, against the standard, the end is what people see elsewhere.
      if case .unsaid = version.length { version.length = .duration(duration) }
    case "RECURRENCE-ID":
      version.recurrenceID = time(property, raw, version.uid)
      version.isRange = property.parameter("RANGE")?.uppercased() == "THISANDFUTURE"
      return version.recurrenceID != nil
    case "RRULE", "EXRULE":
      // EXRULE has been withdrawn; a series without its exceptions would be a guess.
      if property.name == "RRULE", let rule = RecurrenceRule(property.value), rule.suits(version.start) {
        version.rules.append(rule)
      } else {
        version.hasUnknownRule = true
      }
    case "RDATE": return read(extraTimes: property, into: &version, raw)
    case "EXDATE":
      let values = property.value.split(separator: ",").prefix(Self.mostTimes + 1 - version.excluded.count)
      let times = values.map { time($0, property, raw, version.uid) }
      version.excluded += times.compactMap(\.self)
      return !times.contains(nil)
    default: break
    }
    return true
  }

  private mutating func read(
    extraTimes property: ContentLine, into version: inout EventVersion, _ raw: ComponentReader.RawEvent
  ) -> Bool {
    var isUnderstood = true
    for value in property.value.split(separator: ",").prefix(Self.mostTimes + 1 - version.extraTimes.count) {
      let parts = value.split(separator: "/", maxSplits: 1)
      guard let first = parts.first, let start = time(first, property, raw, version.uid) else {
        isUnderstood = false
        continue
      }
      var length: EventVersion.Length?
      if parts.count == 2 {
        length =
          WrittenDuration(parts[1].trimmed).map(EventVersion.Length.duration)
          ?? time(parts[1], property, raw, version.uid).map(EventVersion.Length.until)
        guard length != nil else {
          isUnderstood = false
          continue
        }
      }
      version.extraTimes.append(EventVersion.ExtraTime(start: start, length: length))
    }
    return isUnderstood
  }

  /// The time that is a property's whole value.
  private mutating func time(_ property: ContentLine, _ raw: ComponentReader.RawEvent, _ uid: String) -> EventTime? {
    time(property.value[...], property, raw, uid)
  }

  private mutating func time(
    _ value: Substring, _ property: ContentLine, _ raw: ComponentReader.RawEvent, _ uid: String
  ) -> EventTime? {
    guard let written = WrittenTime(value.trimmed), Self.years ~= written.year else { return nil }
    if case .local(let moment) = written, property.parameter("VALUE")?.uppercased() == "DATE" {
      return .day(moment.day)
    }
    guard case .local = written, let name = property.parameter("TZID")?.trimmed, !name.isEmpty else {
      return EventTime(written, zone: floating)
    }
    let (zone, isKnown) = zones.zone(name)
    if !isKnown { report(.unknownZone(name), raw, uid) }
    return EventTime(written, zone: isKnown ? zone : floating)
  }

  /// Before them Foundation counts by the Julian calendar.
  private static let years = 1583...9999

  /// DTSTAMP and LAST-MODIFIED are UTC; only their order matters.
  private static func stamp(_ property: ContentLine) -> Int {
    switch WrittenTime(property.value.trimmed) {
    case .utc(let instant): instant
    case .local(let moment): moment.seconds
    case .day(let day): LocalMoment(day).seconds
    case nil: 0
    }
  }
}

extension WrittenTime {
  fileprivate var year: Int {
    switch self {
    case .day(let day): day.parts.year
    case .local(let moment): moment.day.parts.year
    case .utc(let instant): LocalMoment(seconds: instant).day.parts.year
    }
  }
}

extension RecurrenceRule {
  /// A day does not come every hour.
  fileprivate func suits(_ start: EventTime) -> Bool { !(start.isDay && frequency == .hourly) }
}

/// Who is invited, and who does not come.
private struct Attendance {
  private var answers: [(address: String, isDeclined: Bool)] = []

  mutating func add(_ property: ContentLine) {
    let address = property.value.trimmed.lowercased()
    answers.append(
      (
        address.hasPrefix("mailto:") ? String(address.dropFirst(7)) : address,
        property.parameter("PARTSTAT")?.uppercased() == "DECLINED"
      ))
  }

  /// Whether the owners of the calendar who are invited have all declined. Where none of them is known to be invited,
  /// whether everybody has.
  func isDeclined(by owners: Set<String>) -> Bool {
    let own = answers.filter { owners.contains($0.address) }
    let asked = own.isEmpty ? answers : own
    return !asked.isEmpty && asked.allSatisfy(\.isDeclined)
  }
}
