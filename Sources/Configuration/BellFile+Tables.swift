internal import BellSchedule

extension BellFile {
  /// The day types of a file; No School is always one.
  static func dayTypes(_ file: DocumentReader, _ document: JSON5Value) -> [DayType] {
    guard file.has("dayTypes"), let value = document.member("dayTypes") else {
      file.report("dayTypes", "is missing: say the bell table of each")
      return []
    }
    for member in value.members where !isName(member.key) {
      file.report("dayTypes", "holds a name that is empty, too long or unreadable: \(JSON5Parser.quoted(member.key))")
      return []
    }
    guard let section = file.object("dayTypes", keys: value.members.map(\.key)) else { return [] }
    file.limit("dayTypes", value.members.count)
    var types = value.members.compactMap { member -> DayType? in
      let keys = ["periods", "halves", "slots", "rotation"]
      return section.object(member.key, keys: keys).map {
        DayType(name: member.key, plan: plan($0, member.value))
      }
    }
    if !types.contains(where: { $0.name == DayType.noSchool.name }) { types.append(.noSchool) }
    return types
  }

  static func isName(_ name: String) -> Bool {
    !name.allSatisfy(\.isWhitespace) && name.count <= nameLimit && name.utf8.count <= 16 * nameLimit
      && !name.unicodeScalars.contains(where: DocumentReader.isControl)
  }

  private static func plan(_ type: DocumentReader, _ value: JSON5Value) -> DayType.Plan {
    if type.has("slots") {
      for key in ["periods", "halves"] where type.has(key) { type.report(key, "stands beside slots: a type has one") }
      return rotating(type, value)
    }
    if type.has("rotation") { type.report("rotation", "needs slots: say the times that the periods rotate through") }
    if !type.has("periods") {
      type.report("periods", "is missing: say each period's times, or {} for a day without school")
    }
    let periods = table("periods", type, value)
    let halves = table("halves", type, value)
    if periods.isEmpty, halves.isEmpty { return .free }
    check(halves, tile: periods, type)
    return .table(periods.map(\.row), halves: halves.map(\.row))
  }

  /// A row and the name by which a problem calls it.
  private struct WrittenRow {
    let row: DayType.Row
    let key: String
  }

  private static func table(_ key: String, _ type: DocumentReader, _ value: JSON5Value) -> [WrittenRow] {
    let members = value.member(key)?.members ?? []
    for member in members where !isName(member.key) {
      type.report(key, "holds a name that is empty, too long or unreadable: \(JSON5Parser.quoted(member.key))")
      return []
    }
    guard let section = type.object(key, keys: members.map(\.key)) else { return [] }
    type.limit(key, members.count)
    var check = OrderCheck()
    return members.compactMap { member in
      guard let text = section.required(member.key) else { return nil }
      return check.row(PeriodID(member.key), text, name: member.key) { section.report(member.key, $0) }
        .map { WrittenRow(row: $0, key: member.key) }
    }
  }

  /// A pupil's day is put together from both tables, so that halves must fill the place of their period:
  /// `3A` begins with 3, `3B` ends with it, neither goes beyond it, and nothing else of their table lies in it.
  private static func check(_ halves: [WrittenRow], tile periods: [WrittenRow], _ type: DocumentReader) {
    for half in halves {
      guard let (whole, letter) = half.row.id.half, let period = periods.first(where: { $0.row.id == whole })?.row
      else {
        check(
          half, beside: periods.filter { period in halves.contains { $0.row.id.half?.whole == period.row.id } }, type)
        continue
      }
      if letter == "A" ? half.row.start != period.start : half.row.start < period.start {
        type.report(
          "halves",
          "has \(half.key) begin at \(clock(half.row.start)), but period \(whole.text) at \(clock(period.start))")
      }
      if letter == "B" ? half.row.end != period.end : half.row.end > period.end {
        type.report(
          "halves", "has \(half.key) end at \(clock(half.row.end)), but period \(whole.text) at \(clock(period.end))")
      }
    }
  }

  /// What is no half of one of the cut periods does not stand where one of them is.
  private static func check(_ other: WrittenRow, beside cut: [WrittenRow], _ type: DocumentReader) {
    for period in cut {
      if other.row.id == period.row.id {
        type.report("halves", "has \(other.key) whole and cut: leave one of them out")
      } else if other.row.start < period.row.end, period.row.start < other.row.end {
        type.report(
          "halves",
          "has \(other.key) from \(clock(other.row.start)) to \(clock(other.row.end)), within period \(period.key) from "
            + "\(clock(period.row.start)) to \(clock(period.row.end))")
      }
    }
  }

  private static func rotating(_ type: DocumentReader, _ value: JSON5Value) -> DayType.Plan {
    var check = OrderCheck()
    let slots = (type.texts("slots") ?? []).enumerated().compactMap { index, text in
      check.row(.unknown, text, name: "the slot before") { type.report("slots", "[\(index)] \($0)") }
    }
    if slots.isEmpty { type.report("slots", "holds none") }
    guard type.has("rotation"), case .array(let lists)? = value.member("rotation")?.content else {
      type.report("rotation", "must be a list of lists of periods, one for each day of a range")
      return .free
    }
    type.limit("rotation", lists.count)
    type.limit("slots", slots.count)
    var orders: [[PeriodID]] = []
    for (index, list) in lists.enumerated() {
      guard case .array(let elements) = list.content, elements.count == slots.count else {
        type.report("rotation", "[\(index)] must name one period for each of the \(slots.count) slots")
        continue
      }
      let names = elements.compactMap { element -> String? in
        guard case .text(let name) = element.content, isName(name) else { return nil }
        return name
      }
      if names.count < elements.count { type.report("rotation", "[\(index)] holds something that is no period") }
      if Set(names).count < names.count { type.report("rotation", "[\(index)] names a period twice") }
      orders.append(names.map { PeriodID($0) })
    }
    return .rotating(slots, orders: orders)
  }

  static func clock(_ minutes: Int) -> String {
    "\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)"
  }

  /// Reads the rows of one table in turn; each must begin when or after the one before it has ended.
  private struct OrderCheck {
    private var before: (name: String, start: Int, end: Int)?

    /// No school begins before this: an earlier one is an afternoon hour written as people say it.
    private static let earliest = 300

    mutating func row(_ id: PeriodID, _ text: String, name: String, report: (String) -> Void) -> DayType.Row? {
      let parts = text.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 2, let start = Self.minutes(parts[0]), let end = Self.minutes(parts[1]) else {
        report("\(JSON5Parser.quoted(text)) is no stretch of a day: say one such as 8:30-9:21")
        return nil
      }
      defer { before = (name, start, end) }
      guard let mistake = mistake(start, end) else { return DayType.Row(id: id, start: start, end: end) }
      report(mistake)
      return nil
    }

    private func mistake(_ start: Int, _ end: Int) -> String? {
      let (begins, ends) = (BellFile.clock(start), BellFile.clock(end))
      if let before, start < before.end {
        let isUnsorted = start < before.start
        return "begins at \(begins), "
          + (isUnsorted ? "before \(before.name) begins" : "before \(before.name) ends")
          + " at \(BellFile.clock(isUnsorted ? before.start : before.end))"
          + Self.afternoon(start, after: before.end, or: isUnsorted ? ": put the periods in the order of the day" : "")
      }
      if start < Self.earliest { return "begins at \(begins) in the night" + Self.afternoon(start, after: 0, or: "") }
      if end == start { return "begins and ends at \(begins)" }
      guard end < start else { return nil }
      if start >= 1200, end < Self.earliest {
        return "goes from \(begins) over midnight to \(ends): a school day ends on its day"
      }
      return "ends at \(ends), before it begins at \(begins)" + Self.afternoon(end, after: start, or: "")
    }

    /// What an hour from 1 to 7 most likely was to be.
    private static func afternoon(_ minutes: Int, after other: Int, or otherwise: String) -> String {
      (60..<480).contains(minutes) && minutes + 720 >= other
        ? ": did you mean \(BellFile.clock(minutes + 720))?" : otherwise
    }

    /// `H:mm` or `HH:mm` with nothing but spaces around it.
    private static func minutes(_ text: Substring) -> Int? {
      let parts = text.trimmingPrefix(" ").split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      let digits = [parts[0], parts[1].prefix { $0 != " " }]
      guard parts[1].dropFirst(digits[1].count).allSatisfy({ $0 == " " }),
        (1...2).contains(digits[0].utf8.count), digits[1].utf8.count == 2,
        digits.allSatisfy({ $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }),
        let hour = Int(digits[0]), let minute = Int(digits[1]), hour < 24, minute < 60
      else { return nil }
      return hour * 60 + minute
    }
  }
}
