package import BellSchedule
internal import Foundation

/// A school's file: its bell tables, its years, its exceptions and how its cafeteria turns (JSON5).
package enum BellFile {
  /// - Throws: every problem of the file at once.
  package static func parse(_ bytes: [UInt8]) throws(DocumentError) -> School {
    let document: JSON5Value
    do { document = try JSON5Parser.parse(bytes) } catch { throw DocumentError(error) }
    let file = DocumentReader(
      document,
      keys: [
        "name", "timeZone", "bellOffset", "regular", "weekdays", "dayTypes", "exceptions", "exceptionsURL", "years",
        "summer", "weekend", "cycle", "lunch",
      ])
    guard case .object = document.content else { throw DocumentError(problems: file.problems.all) }
    let types = dayTypes(file, document)
    var school = School(regular: "", dayTypes: types, years: years(file))
    school.name = file.text("name", limit: 100)
    school.zone = file.text("timeZone").flatMap { zone($0, file) }
    school.bellOffset = file.whole("bellOffset", in: -600...600) ?? 0
    school.summer = file.text("summer", limit: nameLimit) ?? school.summer
    school.weekend = file.text("weekend", limit: nameLimit) ?? school.weekend
    school.cycle = file.texts("cycle") ?? []
    if school.cycle.contains(where: { $0.count > nameLimit }) {
      file.report("cycle", "holds a name of more than \(nameLimit) characters")
    }
    file.limit("cycle", school.cycle.count)
    school.exceptionsURL = Configuration.url("exceptionsURL", of: file)
    read(regular: file, document, into: &school)
    read(exceptions: file, document, into: &school)
    school.lunch = file.object("lunch", keys: lunchKeys).flatMap(lunch)
    guard file.problems.all.isEmpty else { throw DocumentError(problems: file.problems.all) }
    return school
  }

  /// The longest name of a day type or a break, in characters: it stands on a wall.
  static let nameLimit = 40

  private static func zone(_ name: String, _ file: DocumentReader) -> TimeZone? {
    let zone = TimeZone(identifier: name)
    if zone == nil {
      file.report("timeZone", "\(JSON5Parser.quoted(name)) is no time zone: say one such as America/Chicago")
    }
    return zone
  }

  private static func read(regular file: DocumentReader, _ document: JSON5Value, into school: inout School) {
    let names = school.dayTypes.map(\.name)
    func type(_ name: String, _ key: String, _ section: DocumentReader) -> String? {
      if names.contains(name) { return name }
      // With a mistake in the day types their names are not known, and one mistake is told once.
      if file.problems.all.isEmpty {
        section.report(key, "\(JSON5Parser.quoted(name)) is no day type: say one of \(names.joined(separator: ", "))")
      }
      return nil
    }
    school.regular = file.required("regular", limit: nameLimit).flatMap { type($0, "regular", file) } ?? ""
    let days = ["mon", "tue", "wed", "thu", "fri"]
    guard let section = file.object("weekdays", keys: days) else { return }
    for (index, day) in days.enumerated() {
      guard let name = section.text(day, limit: nameLimit) else { continue }
      school.weekdays[index + 1] = type(name, day, section)
    }
  }

  private static func read(exceptions file: DocumentReader, _ document: JSON5Value, into school: inout School) {
    guard let value = document.member("exceptions") else { return }
    let typesAreSound = file.problems.all.isEmpty
    let names = school.dayTypes.map(\.name)
    let keys = typesAreSound ? names : names + value.members.map(\.key)
    guard let section = file.object("exceptions", keys: keys) else { return }
    let reader = ExceptionReader(problems: section.problems, years: typesAreSound ? school.years : [])
    school.exceptions = reader.map(
      value.members.filter { keys.contains($0.key) }.flatMap { reader.entries(of: $0, path: "exceptions") })
  }

  private static let lunchKeys = ["validFrom", "validTo", "semesterSwitch", "firstWeek", "anchors", "stationsURL"]

  private static func lunch(_ section: DocumentReader) -> LunchPlan? {
    let from = section.day("validFrom")
    let to = section.day("validTo")
    let semester = section.day("semesterSwitch")
    let first = section.whole("firstWeek", in: 0...51) ?? 0
    let anchors = (section.objects("anchors", keys: ["week", "index"]) ?? []).compactMap { entry -> LunchPlan.Anchor? in
      guard let monday = entry.day("week") else { return nil }
      if !entry.has("index") { entry.report("index", "is missing: say which week of the menu it is, from 0") }
      if monday.weekday != 1 { entry.report("week", "\(monday) is no Monday: say \(monday.monday)") }
      if let from, let to, !(from...max(from, to)).contains(monday) {
        entry.report("week", "\(monday) is not between validFrom and validTo")
      }
      return entry.whole("index", in: 0...51).map { LunchPlan.Anchor(monday: monday, index: $0) }
    }
    section.limit("anchors", anchors.count)
    for (one, next) in zip(anchors, anchors.dropFirst()) where one.monday >= next.monday {
      section.report("anchors", "are not in order: \(next.monday) stands after \(one.monday)")
    }
    let url = Configuration.url("stationsURL", of: section)
    guard let from, let to, let semester else { return nil }
    if to < from { section.report("validTo", "\(to) is before validFrom") }
    if to.number - from.number >= ExceptionMap.longestRange {
      section.report("validTo", "\(to) is more than \(ExceptionMap.longestRange) days after validFrom")
    }
    return LunchPlan(
      validFrom: from, validTo: to, semesterSwitch: semester, firstWeek: first, anchors: anchors, stationsURL: url)
  }
}

extension BellFile {
  private static func years(_ file: DocumentReader) -> [SchoolYear] {
    if !file.has("years") { file.report("years", "is missing: say the first and the last day of each school year") }
    let entries = file.objects("years", keys: ["first", "last", "breaks"]) ?? []
    if file.has("years"), entries.isEmpty { file.report("years", "holds none") }
    file.limit("years", entries.count)
    let years = entries.compactMap { entry -> SchoolYear? in
      guard let (first, last) = range(entry) else { return nil }
      let breaks = (entry.objects("breaks", keys: ["name", "first", "last"]) ?? []).compactMap {
        part -> SchoolYear.Break? in
        let name = part.required("name", limit: nameLimit)
        guard let (from, to) = range(part), let name else { return nil }
        if from < first || last < to { part.report("first", "\(from) to \(to) is not within its school year") }
        return SchoolYear.Break(name: name, first: from, last: to)
      }
      entry.limit("breaks", breaks.count)
      return SchoolYear(first: first, last: last, breaks: breaks)
    }
    for (one, next) in zip(years, years.dropFirst()) where next.first <= one.last {
      file.report("years", "are not in order: \(next.first) is not after \(one.last)")
    }
    return years
  }

  private static func range(_ entry: DocumentReader) -> (DayKey, DayKey)? {
    guard let first = entry.day("first"), let last = entry.day("last") else { return nil }
    if last < first {
      entry.report("last", "\(last) is before \(first)")
      return nil
    }
    if last.number - first.number >= ExceptionMap.longestRange {
      entry.report("last", "\(last) is more than \(ExceptionMap.longestRange) days after \(first)")
      return nil
    }
    return (first, last)
  }
}

extension DocumentReader {
  /// No school has as many of anything as this; what is looked through at every change must stay short.
  func limit(_ key: String, _ count: Int) {
    if count > 50 { report(key, "holds more than 50") }
  }

  /// A required day.
  fileprivate func day(_ key: String) -> DayKey? {
    guard let text = required(key) else { return nil }
    switch WrittenDay.parse(text) {
    case .success(let day): return day
    case .failure(let mistake):
      report(key, mistake.phrase(quoting: text))
      return nil
    }
  }
}

extension JSON5Value {
  /// Of an object; empty for everything else.
  var members: [Member] {
    if case .object(let members) = content { return members }
    return []
  }

  func member(_ key: String) -> JSON5Value? { members.first { $0.key == key }?.value }
}
