package import BellSchedule
internal import Foundation

/// Why what a school's server sent is not used: what was there before stays.
package struct RejectedBody: Error, Equatable, Sendable {
  /// What it was to be, such as `exceptions` or `comfort`.
  package let what: String
  /// Each names the thing and, where known, the line.
  package let problems: [String]

  /// One line; at most two problems are spelt out.
  package var sentence: String {
    "\(what): " + problems.prefix(2).joined(separator: "; ")
      + (problems.count > 2 ? "; and \(problems.count - 2) more" : "")
  }
}

extension BellFile {
  /// The exceptions map that a school publishes: JSON, days and ranges by day type.
  ///
  /// A type that the school's file does not know is taken as it is: its days have a name and no times, which is more than
  /// nothing; everything else that is wrong rejects the whole (`schedule.md` 1.3, 1.6).
  ///
  /// - Parameter school: its day types, whose names are taken in any case, and its years, far from which no day may lie.
  package static func exceptions(_ body: [UInt8], for school: School) throws(RejectedBody) -> ExceptionMap {
    let document = try json(body, what: "exceptions")
    let problems = DocumentReader.Problems()
    let reader = ExceptionReader(problems: problems, years: school.years)
    guard case .object(let members) = document.content else {
      throw RejectedBody(what: "exceptions", problems: ["must be an object, not \(document.kind)"])
    }
    let entries = members.flatMap { member -> [ExceptionMap.Entry] in
      guard isName(member.key) else {
        problems.all.append("\(JSON5Parser.quoted(member.key)) is no day type (line \(member.line))")
        return []
      }
      return reader.entries(of: member, path: "").map {
        var entry = $0
        entry.type = school.dayType(named: member.key)?.name ?? member.key
        return entry
      }
    }
    if problems.all.isEmpty, entries.isEmpty { problems.all.append("holds no day at all") }
    let map = reader.map(entries)
    guard problems.all.isEmpty else { throw RejectedBody(what: "exceptions", problems: problems.all) }
    return map
  }

  /// Throws what is wrong with what one station's server sent, taken by itself.
  package static func check(_ body: [UInt8], of station: Menu.Station) throws(RejectedBody) {
    _ = try dishes(body, of: station)
  }

  /// The menu of six stations; one that is wrong rejects them all.
  package static func menu(_ bodies: [Menu.Station: [UInt8]]) throws(RejectedBody) -> Menu {
    var stations: [Menu.Station: Menu.Dishes] = [:]
    for station in Menu.Station.allCases {
      guard let body = bodies[station] else { continue }
      stations[station] = try dishes(body, of: station)
    }
    do { return try Menu(stations) } catch {
      switch error {
      case .missing(let station): throw RejectedBody(what: station.rawValue, problems: ["is missing"])
      case .noWeeks(let station): throw RejectedBody(what: station.rawValue, problems: ["holds no weeks"])
      case .otherWeeks(let station, let has, let others):
        throw RejectedBody(what: station.rawValue, problems: ["has \(has) weeks, the stations before it \(others)"])
      }
    }
  }

  private static func dishes(_ body: [UInt8], of station: Menu.Station) throws(RejectedBody) -> Menu.Dishes {
    let what = station.rawValue
    let document = try json(body, what: what)
    if station == .special {
      let semesters = try days(document, what)
      guard semesters.count == 2 else {
        throw RejectedBody(what: what, problems: ["must hold two semesters, not \(semesters.count)"])
      }
      return .semesters(semesters)
    }
    guard case .object = document.content else {
      throw RejectedBody(what: what, problems: ["must be an object, not \(document.kind)"])
    }
    let reader = DocumentReader(document, keys: document.members.map(\.key))
    let cadence = reader.required("cadence")
    if !reader.has("data") { reader.report("data", "is missing") }
    guard reader.problems.all.isEmpty, let data = document.member("data") else {
      throw RejectedBody(what: what, problems: reader.problems.all)
    }
    switch cadence {
    case "daily": return .daily(try days(data, what))
    case "weekly":
      return .weekly(try elements(data, what).map { element throws(RejectedBody) in try dish(element, what) })
    default:
      throw RejectedBody(what: what, problems: ["cadence must be daily or weekly (line \(document.line))"])
    }
  }

  /// Lists of five dishes, Monday first.
  private static func days(_ value: JSON5Value, _ what: String) throws(RejectedBody) -> [[[String]]] {
    var lists: [[[String]]] = []
    for list in try elements(value, what) {
      let dishes = try elements(list, what).map { element throws(RejectedBody) in try dish(element, what) }
      guard dishes.count == 5 else {
        throw RejectedBody(what: what, problems: ["a week has five days, not \(dishes.count) (line \(list.line))"])
      }
      lists.append(dishes)
    }
    return lists
  }

  private static func elements(_ value: JSON5Value, _ what: String) throws(RejectedBody) -> [JSON5Value] {
    guard case .array(let elements) = value.content else {
      throw RejectedBody(what: what, problems: ["a list is expected, not \(value.kind) (line \(value.line))"])
    }
    return elements
  }

  /// A text, or several that are served together; without the blanks around them, and otherwise as the cafeteria spells it.
  private static func dish(_ value: JSON5Value, _ what: String) throws(RejectedBody) -> [String] {
    let parts: [JSON5Value]
    if case .array(let elements) = value.content { parts = elements } else { parts = [value] }
    var dish: [String] = []
    for part in parts {
      guard case .text(let text) = part.content else {
        throw RejectedBody(what: what, problems: ["a dish is a text, not \(part.kind) (line \(part.line))"])
      }
      let name = text.trimmingCharacters(in: .whitespaces)
      guard !name.isEmpty, name.count <= 100, name.utf8.count <= 1600,
        !name.unicodeScalars.contains(where: DocumentReader.isControl)
      else {
        throw RejectedBody(what: what, problems: ["a dish is empty, too long or unreadable (line \(part.line))"])
      }
      dish.append(name)
    }
    guard !dish.isEmpty, dish.count <= 6 else {
      throw RejectedBody(what: what, problems: ["a dish has 1 to 6 parts, not \(dish.count) (line \(value.line))"])
    }
    return dish
  }

  /// Strict JSON, and no key twice: a comma too many is how menus were broken on the day (`schedule.md` 1.6), and what stands
  /// beside one is no better checked.
  private static func json(_ body: [UInt8], what: String) throws(RejectedBody) -> JSON5Value {
    let document: JSON5Value
    do { document = try JSON5Parser.parse(body) } catch {
      throw RejectedBody(what: what, problems: [error.sentence])
    }
    // The parser takes JSON5, and tells lines; Foundation takes JSON and, though it should not, a comma at the end.
    guard (try? JSONSerialization.jsonObject(with: Data(body), options: [.fragmentsAllowed])) != nil else {
      throw RejectedBody(what: what, problems: ["is not JSON"])
    }
    if let line = lineOfLastComma(body) {
      throw RejectedBody(what: what, problems: ["is not JSON: a comma stands at the end of a list (line \(line))"])
    }
    return document
  }

  /// Where a comma is followed by the end of its list or object; nil: nowhere.
  private static func lineOfLastComma(_ json: [UInt8]) -> Int? {
    var (line, commaLine) = (1, nil as Int?)
    var (isText, isEscaped) = (false, false)
    for byte in json {
      if isText {
        if byte == UInt8(ascii: "\""), !isEscaped { isText = false }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        continue
      }
      switch byte {
      case UInt8(ascii: "\n"): line += 1
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): continue
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if let commaLine { return commaLine }
      case UInt8(ascii: ","): commaLine = line
      default:
        commaLine = nil
        isText = byte == UInt8(ascii: "\"")
      }
    }
    return nil
  }
}
