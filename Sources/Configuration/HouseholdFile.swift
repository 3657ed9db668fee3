internal import Foundation
package import Reminders

/// A household file (DESIGN 4.3), checked. A section that is absent is nil.
package struct HouseholdFile: Equatable, Sendable {
  package var people: [Person]?
  package var medications: [Medication]?
  package var tags: [Tag]?
  package var watches: [Watch]?
  package var bell: Bell?

  /// A stop and route to show inside a time window.
  package struct Watch: Codable, Equatable, Sendable {
    package struct Window: Codable, Equatable, Sendable {
      package var days: [String]
      package var from: String
      package var to: String
    }

    package var id: String
    package var label: String?
    package var source: String
    package var stop: String
    package var route: String
    package var enabled: Bool
    package var window: Window?
    /// Minutes.
    package var walkMinutes: Int?
  }

  package struct Bell: Codable, Equatable, Sendable {
    package struct Pupil: Codable, Equatable, Sendable {
      package var id: String
      package var lunch: String?
      package var halfPeriods: Bool
    }

    /// An absolute path.
    package var school: String?
    package var people: [Pupil]
  }

  /// - Parameters:
  ///   - folder: what relative paths in it are relative to.
  ///   - household: what is there already: a section that the file leaves out.
  package static func parse(_ bytes: [UInt8], folder: String, existing household: Household = Household())
    throws(DocumentError) -> HouseholdFile
  {
    let document: JSON5Value
    do {
      document = try JSON5Parser.parse(bytes)
    } catch {
      throw DocumentError(problems: ["\(error.problem) (line \(error.line), column \(error.column))"])
    }
    let reader = DocumentReader(document, keys: ["people", "medications", "tags", "watches", "bell"])
    var file = HouseholdFile()
    file.readPeople(reader)
    let people = Set((file.people ?? household.people).map(\.id))
    file.readMedications(reader, people)
    let medications = file.medications ?? household.medications
    file.readTags(reader, medications)
    file.checkWhatStays(reader, household, people)
    file.readWatches(reader)
    file.readBell(reader, folder, people)
    guard reader.problems.all.isEmpty else { throw DocumentError(problems: reader.problems.all) }
    return file
  }

  private mutating func readPeople(_ reader: DocumentReader) {
    guard let entries = reader.objects("people", keys: ["id", "name", "remindersEnabled"]) else { return }
    var ids: Set<String> = []
    people = entries.compactMap { entry in
      guard let id = entry.identifier(&ids), let name = entry.required("name") else { return nil }
      return Person(id: id, name: name, remindersEnabled: entry.bool("remindersEnabled") ?? true)
    }
  }

  private mutating func readMedications(_ reader: DocumentReader, _ people: Set<String>) {
    let keys = ["id", "person", "name", "dose", "times", "minimumSpacing"]
    guard let entries = reader.objects("medications", keys: keys) else { return }
    var ids: Set<String> = []
    medications = entries.compactMap { entry in
      guard let id = entry.identifier(&ids), let name = entry.required("name") else { return nil }
      guard let person = entry.text("person", limit: 100) else {
        entry.report("person", "is missing: every medication belongs to a person")
        return nil
      }
      if !people.contains(person) { entry.report("person", "\(person.debugDescription) is nobody in people") }
      return Medication(
        id: id, person: person, name: name, dose: entry.text("dose", limit: 100), times: Self.times(entry),
        minimumSpacing: entry.whole("minimumSpacing", in: 0...10080))
    }
  }

  private static func times(_ medication: DocumentReader) -> [DoseTime] {
    let keys = ["at", "days", "opensBefore", "lateAfter", "closesAfter", "since"]
    var taken: Set<String> = []
    return (medication.objects("times", keys: keys) ?? []).compactMap { entry in
      guard let text = entry.required("at") else { return nil }
      guard let at = LocalTime(text) else {
        entry.report("at", "\(text.debugDescription) is no time of day: say 00:00 to 23:59")
        return nil
      }
      let days = days(entry)
      for day in days where !taken.insert("\(day.rawValue) \(at)").inserted {
        entry.report("at", "\(at) stands twice for \(day.rawValue)")
      }
      let opens = entry.whole("opensBefore", in: 0...10080)
      let closes = entry.whole("closesAfter", in: 0...10080)
      let late = entry.whole("lateAfter", in: 0...10080) ?? 0
      if opens == 0, closes == 0 { entry.report("closesAfter", "leaves no window: it must close after it opens") }
      if let closes, late > closes { entry.report("lateAfter", "is after the window closes") }
      var since: Date?
      if let text = entry.text("since") {
        since = InstantFormat.parse(text)
        if since == nil {
          entry.report("since", "\(text.debugDescription) is no instant: say 2026-01-01T00:00:00-08:00")
        }
      }
      return DoseTime(at: at, days: days, opensBefore: opens, lateAfter: late, closesAfter: closes, since: since)
    }
  }

  private static func days(_ entry: DocumentReader) -> Set<Weekday> {
    guard let names = entry.texts("days") else { return Set(Weekday.allCases) }
    if names.isEmpty { entry.report("days", "is empty: leave it out for every day") }
    return Set(
      names.compactMap { name in
        if Weekday(rawValue: name) == nil { entry.report("days", "\(name.debugDescription) is no day: say mon to sun") }
        return Weekday(rawValue: name)
      })
  }

  private mutating func readTags(_ reader: DocumentReader, _ medications: [Medication]) {
    guard let entries = reader.objects("tags", keys: ["uid", "label", "medications"]) else { return }
    let owners = Dictionary(medications.map { ($0.id, $0.person) }) { first, _ in first }
    var uids: Set<TagUID> = []
    tags = entries.compactMap { entry in
      guard let text = entry.required("uid") else { return nil }
      guard let uid = TagUID(hex: text) else {
        entry.report("uid", "must be hex of 4, 7, 8 or 10 bytes")
        return nil
      }
      if uid.isRandom { entry.report("uid", "begins with 08: a phone's or bank card's, new at every tap; use a tag") }
      if !uids.insert(uid).inserted { entry.report("uid", "stands twice") }
      guard let ids = entry.texts("medications"), !ids.isEmpty else {
        if !entry.has("medications") { entry.report("medications", "is missing: say which ones the tag stands for") }
        return nil
      }
      if Set(ids).count < ids.count { entry.report("medications", "names one twice") }
      for id in ids where owners[id] == nil { entry.report("medications", "\(id.debugDescription) is no medication") }
      if Set(ids.compactMap { owners[$0] }).count > 1 {
        entry.report("medications", "belong to two people: give each person a tag of their own")
      }
      return Tag(uid: uid, label: entry.text("label", limit: 100), medications: ids)
    }
  }

  /// A file that names only some sections must fit what stays.
  private func checkWhatStays(_ reader: DocumentReader, _ household: Household, _ people: Set<String>) {
    if self.people != nil, medications == nil {
      for medication in household.medications where !people.contains(medication.person) {
        reader.report(
          "people", "leaves out \(medication.person.debugDescription), who still has \(medication.id.debugDescription)")
      }
    }
    if let medications, tags == nil {
      let owners = Dictionary(medications.map { ($0.id, $0.person) }) { first, _ in first }
      for tag in household.tags where Set(tag.medications.compactMap { owners[$0] }).count > 1 {
        reader.report("medications", "gives the tag \(tag.uid) to two people")
      }
    }
  }

  private mutating func readWatches(_ reader: DocumentReader) {
    let keys = ["id", "label", "source", "stop", "route", "enabled", "window", "walkMinutes"]
    guard let entries = reader.objects("watches", keys: keys) else { return }
    var ids: Set<String> = []
    watches = entries.compactMap { entry in
      let id = entry.identifier(&ids)
      guard let id, let source = entry.required("source"), let stop = entry.required("stop"),
        let route = entry.required("route")
      else { return nil }
      if !["onebusaway", "gtfs", "trafiklab"].contains(source) {
        entry.report("source", "\(source.debugDescription) is none: say onebusaway, gtfs or trafiklab")
      }
      var window: Watch.Window?
      if let section = entry.object("window", keys: ["days", "from", "to"]) {
        let times = ["from", "to"].map { key -> String in
          guard let text = section.required(key) else { return "" }
          if LocalTime(text) == nil {
            section.report(key, "\(text.debugDescription) is no time of day: say 00:00 to 23:59")
          }
          return text
        }
        let days = Self.days(section)
        window = Watch.Window(
          days: Weekday.allCases.filter { days.contains($0) }.map(\.rawValue), from: times[0], to: times[1])
      }
      return Watch(
        id: id, label: entry.text("label", limit: 100), source: source, stop: stop, route: route,
        enabled: entry.bool("enabled") ?? true, window: window, walkMinutes: entry.whole("walkMinutes", in: 0...240))
    }
  }

  private mutating func readBell(_ reader: DocumentReader, _ folder: String, _ people: Set<String>) {
    guard let section = reader.object("bell", keys: ["school", "people"]) else { return }
    var ids: Set<String> = []
    let pupils = (section.objects("people", keys: ["id", "lunch", "halfPeriods"]) ?? []).compactMap {
      entry -> Bell.Pupil? in
      guard let id = entry.identifier(&ids) else { return nil }
      if !people.contains(id) { entry.report("id", "\(id.debugDescription) is nobody in people") }
      return Bell.Pupil(id: id, lunch: entry.text("lunch", limit: 20), halfPeriods: entry.bool("halfPeriods") ?? false)
    }
    bell = Bell(school: section.text("school").map { Configuration.absolute($0, folder) }, people: pupils)
  }
}

extension DocumentReader {
  /// The required `id`, unique among its neighbours.
  fileprivate func identifier(_ seen: inout Set<String>) -> String? {
    guard let id = required("id") else { return nil }
    if !seen.insert(id).inserted { report("id", "\(id.debugDescription) stands twice") }
    return id
  }
}
