internal import Foundation
package import Reminders
internal import Wall

extension HouseholdFile {
  /// - Parameters:
  ///   - folder: the absolute path that relative paths in it start from: the file's own folder.
  ///   - household: what is there already: a section that the file leaves out stays, and the file must fit it.
  /// - Throws: every problem of the file at once.
  package static func parse(_ bytes: [UInt8], folder: String, existing household: Household = Household())
    throws(DocumentError) -> HouseholdFile
  {
    let document: JSON5Value
    do { document = try JSON5Parser.parse(bytes) } catch { throw DocumentError(error) }
    let reader = DocumentReader(document, keys: ["people", "medications", "tags", "watches", "bell"])
    var file = HouseholdFile()
    let peopleAreSound = reader.isSound { file.people = Self.people(reader) }
    let people = peopleAreSound ? Set((file.people ?? household.people).map(\.id)) : nil
    let medicationsAreSound = reader.isSound { file.medications = Self.medications(reader, people) }
    let medications = medicationsAreSound ? file.medications ?? household.medications : nil
    file.tags = Self.tags(reader, medications)
    file.checkWhatStays(reader, household)
    file.watches = Self.watches(reader)
    file.bell = Self.bell(reader, folder, people)
    guard reader.problems.all.isEmpty else { throw DocumentError(problems: reader.problems.all) }
    return file
  }

  private static func people(_ reader: DocumentReader) -> [Person]? {
    var ids: Set<String> = []
    return reader.objects("people", keys: ["id", "name", "remindersEnabled"])?.compactMap { entry in
      guard let id = entry.identifier(&ids), let name = entry.required("name") else { return nil }
      return Person(id: id, name: name, remindersEnabled: entry.bool("remindersEnabled") ?? true)
    }
  }

  /// - Parameter people: nil when they are not known for their own mistakes, so that one mistake is not told twice.
  private static func medications(_ reader: DocumentReader, _ people: Set<String>?) -> [Medication]? {
    let keys = ["id", "person", "name", "dose", "times", "minimumSpacing"]
    var ids: Set<String> = []
    return reader.objects("medications", keys: keys)?.compactMap { entry in
      let id = entry.identifier(&ids)
      let name = entry.required("name")
      if !entry.has("person") { entry.report("person", "is missing: every medication belongs to a person") }
      let person = entry.text("person", limit: 100)
      if let person, let people, !people.contains(person) {
        entry.report("person", "\(JSON5Parser.quoted(person)) is nobody in people")
      }
      let times = times(entry)
      let dose = entry.text("dose", limit: 100)
      if let dose, !TapTextWriter.isShownWhole(dose) {
        entry.report(
          "dose",
          "is too long for the wall, which never cuts a dose: write at most 60 Latin letters, or 39 of others")
      }
      let spacing = entry.whole("minimumSpacing", in: minutes)
      guard let id, let name, let person else { return nil }
      return Medication(id: id, person: person, name: name, dose: dose, times: times, minimumSpacing: spacing)
    }
  }

  private static let minutes = 0...10_080

  private static func times(_ medication: DocumentReader) -> [DoseTime] {
    let keys = ["at", "days", "opensBefore", "lateAfter", "closesAfter", "since"]
    var taken: Set<String> = []
    return (medication.objects("times", keys: keys) ?? []).compactMap { entry in
      let at = entry.timeOfDay("at")
      let days = days(entry)
      for day in Weekday.allCases where days.contains(day) {
        guard let at, !taken.insert("\(day.rawValue) \(at)").inserted else { continue }
        entry.report("at", "\(at) stands twice for \(day.rawValue)")
      }
      let opens = entry.whole("opensBefore", in: minutes)
      let closes = entry.whole("closesAfter", in: minutes)
      let late = entry.whole("lateAfter", in: minutes) ?? 0
      if opens == 0, closes == 0 { entry.report("closesAfter", "leaves no window: it must close after it opens") }
      if let closes, late > closes { entry.report("lateAfter", "is after the window closes") }
      var since: Date?
      if let text = entry.text("since") {
        since = InstantFormat.parse(text)
        if since == nil {
          entry.report("since", "\(JSON5Parser.quoted(text)) is no instant: say 2026-01-01T00:00:00-08:00")
        }
      }
      return at.map {
        DoseTime(at: $0, days: days, opensBefore: opens, lateAfter: late, closesAfter: closes, since: since)
      }
    }
  }

  private static func days(_ entry: DocumentReader) -> Set<Weekday> {
    guard let names = entry.texts("days") else { return Set(Weekday.allCases) }
    if names.isEmpty { entry.report("days", "is empty: leave it out for every day") }
    for name in names where Weekday(rawValue: name) == nil {
      entry.report("days", "\(JSON5Parser.quoted(name)) is no day: say mon to sun")
    }
    return Set(names.compactMap { Weekday(rawValue: $0) })
  }

  /// - Parameter medications: nil when they are not known for their own mistakes.
  private static func tags(_ reader: DocumentReader, _ medications: [Medication]?) -> [Tag]? {
    let owners = medications.map { Dictionary($0.map { ($0.id, $0.person) }) { first, _ in first } }
    var uids: Set<TagUID> = []
    return reader.objects("tags", keys: ["uid", "label", "medications"])?.compactMap { entry in
      let uid = entry.uid(&uids)
      let ids = entry.has("medications") ? entry.texts("medications") : []
      if ids == [] { entry.report("medications", "is missing: say which ones the tag stands for") }
      guard let uid, let ids else { return nil }
      if Set(ids).count < ids.count { entry.report("medications", "names one twice") }
      if let owners {
        for id in ids where owners[id] == nil {
          entry.report("medications", "\(JSON5Parser.quoted(id)) is no medication")
        }
        if Set(ids.compactMap { owners[$0] }).count > 1 {
          entry.report("medications", "belong to two people: give each person a tag of their own")
        }
      }
      return Tag(uid: uid, label: entry.text("label", limit: 100), medications: ids)
    }
  }

  /// A file that names only some sections must fit those that stay. A tag that stays may lose medications: it then stands
  /// for the others only.
  private func checkWhatStays(_ reader: DocumentReader, _ household: Household) {
    if let people, medications == nil, !reader.has("medications") {
      let ids = Set(people.map(\.id))
      for medication in household.medications where !ids.contains(medication.person) {
        reader.report(
          "people",
          "leaves out \(JSON5Parser.quoted(medication.person)), who still has \(JSON5Parser.quoted(medication.id))")
      }
    }
    if let medications, !reader.has("tags") {
      let owners = Dictionary(medications.map { ($0.id, $0.person) }) { first, _ in first }
      for tag in household.tags where Set(tag.medications.compactMap { owners[$0] }).count > 1 {
        reader.report("medications", "gives the tag \(tag.uid) to two people")
      }
    }
  }

  private static func watches(_ reader: DocumentReader) -> [Watch]? {
    let keys = ["id", "label", "source", "stop", "route", "enabled", "window", "walkMinutes"]
    var ids: Set<String> = []
    return reader.objects("watches", keys: keys)?.compactMap { entry in
      let id = entry.identifier(&ids)
      let source = entry.required("source")
      if let source, !Configuration.feeds.contains(source) {
        entry.report(
          "source", "\(JSON5Parser.quoted(source)) is none: say \(Configuration.feeds.joined(separator: ", "))")
      }
      let stop = entry.required("stop")
      let route = entry.required("route")
      let window = entry.object("window", keys: ["days", "from", "to"]).flatMap(window)
      let label = entry.text("label", limit: 100)
      let enabled = entry.bool("enabled") ?? true
      let walk = entry.whole("walkMinutes", in: 0...240)
      guard let id, let source, let stop, let route else { return nil }
      return Watch(
        id: id, label: label, source: source, stop: stop, route: route, enabled: enabled, window: window,
        walkMinutes: walk)
    }
  }

  private static func window(_ section: DocumentReader) -> Watch.Window? {
    let days = days(section)
    guard let from = section.timeOfDay("from"), let to = section.timeOfDay("to") else { return nil }
    if from == to { section.report("to", "leaves no window: it must not be the same as from") }
    return Watch.Window(
      days: Weekday.allCases.filter { days.contains($0) }.map(\.rawValue), from: from.description, to: to.description)
  }

  private static func bell(_ reader: DocumentReader, _ folder: String, _ people: Set<String>?) -> Bell? {
    guard let section = reader.object("bell", keys: ["school", "people"]) else { return nil }
    var ids: Set<String> = []
    let pupils = (section.objects("people", keys: ["id", "lunch", "halfPeriods"]) ?? []).compactMap {
      entry -> Bell.Pupil? in
      guard let id = entry.identifier(&ids) else { return nil }
      if let people, !people.contains(id) { entry.report("id", "\(JSON5Parser.quoted(id)) is nobody in people") }
      return Bell.Pupil(id: id, lunch: entry.text("lunch", limit: 20), halfPeriods: entry.bool("halfPeriods") ?? false)
    }
    return Bell(school: section.text("school").map { Configuration.absolute($0, folder) }, people: pupils)
  }
}

extension DocumentReader {
  /// Does `read`; false when that found a problem: nothing else is then blamed for what it names there.
  fileprivate func isSound(_ read: () -> Void) -> Bool {
    let before = problems.all.count
    read()
    return problems.all.count == before
  }

  /// The required `id`, unique among its neighbours.
  fileprivate func identifier(_ seen: inout Set<String>) -> String? {
    guard let id = required("id") else { return nil }
    if !seen.insert(id).inserted { report("id", "\(JSON5Parser.quoted(id)) stands twice") }
    return id
  }

  /// The required UID of a tag, unique among its neighbours (DESIGN 4.3).
  fileprivate func uid(_ seen: inout Set<TagUID>) -> TagUID? {
    guard let text = required("uid") else { return nil }
    guard let uid = TagUID(hex: text) else {
      report("uid", "must be hex of 4, 7, 8 or 10 bytes")
      return nil
    }
    if uid.isRandom { report("uid", "begins with 08: a phone's or bank card's, new at every tap; use a tag") }
    if !seen.insert(uid).inserted { report("uid", "stands twice") }
    return uid
  }

  /// A required time of day.
  func timeOfDay(_ key: String) -> LocalTime? {
    guard let text = required(key) else { return nil }
    if let time = LocalTime(text) { return time }
    report(key, "\(JSON5Parser.quoted(text)) is no time of day: say 00:00 to 23:59")
    return nil
  }
}
