internal import BellSchedule
internal import Configuration
internal import Foundation

/// What the reader of a school's file promises, and the days of what it takes.
enum BellPromises {
  static func check(_ bytes: [UInt8]) throws(BrokenPromise) {
    let school: School
    do throws(DocumentError) { school = try BellFile.parse(bytes) } catch {
      try DocumentPromises.check(error)
      return
    }
    try check(school)
    let days = SchoolPromises(calendar: SchoolCalendar(school: school, zone: .gmt))
    // Around the first day of school, and where the file says something of a day.
    let listed = school.exceptions.entries.first?.first ?? school.years.last?.last
    for day in [school.years.first?.first, listed].compactMap(\.self) {
      try days.checkFortnight(from: day.advanced(by: -3))
    }
    for (_, note) in days.calendar.notes.prefix(100) {
      if case .conflict(let types) = note { try expect(types.count > 1, "a conflict with nothing") }
    }
  }

  private static func check(_ school: School) throws(BrokenPromise) {
    try expect(!school.years.isEmpty, "a school without a year")
    try expect(zip(school.years, school.years.dropFirst()).allSatisfy { $0.last < $1.first }, "years in disorder")
    let names = school.dayTypes.map(\.name)
    try expect(Set(names).count == names.count && names.contains("No School"), "day types that are not one each")
    try expect((Array(school.weekdays.values) + [school.regular]).allSatisfy(names.contains), "a type that is none")
    let shown =
      names + school.cycle + [school.summer, school.weekend, school.name ?? ""]
      + school.years.flatMap { $0.breaks.map(\.name) }
    for name in shown {
      try expect(name.count <= 100 && name.utf8.count <= 1600, "a name of \(name.utf8.count) bytes")
      try DocumentPromises.check(shown: name, "a name")
    }
    try ExceptionPromises.check(school.exceptions, near: school.years)
  }
}

/// What every map of exceptions promises, whoever wrote it.
enum ExceptionPromises {
  static func check(_ map: ExceptionMap, near years: [SchoolYear]) throws(BrokenPromise) {
    let lengths = map.entries.map { $0.last.number - $0.first.number + 1 }
    try expect(lengths.allSatisfy { (1...ExceptionMap.longestRange).contains($0) }, "a range of no length")
    try expect(lengths.reduce(0, +) <= 5000, "\(lengths.reduce(0, +)) days")
    let far = 2 * ExceptionMap.longestRange
    for entry in map.entries {
      let isNear = years.contains {
        $0.first.number - far <= entry.first.number && entry.last.number <= $0.last.number + far
      }
      try expect(isNear, "\(entry.first) is far from every year")
      try expect(entry.rotation.map { (1...20).contains($0) } ?? true, "an order that is none")
      try DocumentPromises.check(shown: entry.type, "a type")
    }
    try expect(map.entries.allSatisfy { map.entries(on: $0.last).contains($0) }, "a day is lost")
  }
}
