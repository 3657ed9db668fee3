internal import BellSchedule

/// A day as schools write it: `8/21/2025`, or `2025-08-21` as everything else here does.
enum WrittenDay {
  enum Mistake: Error, Equatable {
    case form
    case noSuchDay
    case backwards
    case tooLong

    /// Goes on after the name of the key.
    func phrase(quoting text: String) -> String {
      let quoted = JSON5Parser.quoted(text)
      return switch self {
      case .form: "\(quoted) is no day: say one such as 8/21/2025, or 12/18/2025-12/19/2025 where a range may stand"
      case .noSuchDay: "\(quoted) does not exist in the calendar"
      case .backwards: "\(quoted) ends before it begins"
      case .tooLong: "\(quoted) is longer than \(ExceptionMap.longestRange) days: is a year wrong?"
      }
    }
  }

  static func parse(_ text: String) -> Result<DayKey, Mistake> {
    var scanner = Scanner(text)
    guard let day = scanner.day(), scanner.isAtEnd else { return .failure(.form) }
    return day
  }

  /// One day, or the first and the last of several with `-` between them.
  static func range(_ text: String) -> Result<(DayKey, DayKey), Mistake> {
    var scanner = Scanner(text)
    guard let first = scanner.day() else { return .failure(.form) }
    if scanner.isAtEnd { return first.map { ($0, $0) } }
    guard scanner.dash(), let last = scanner.day(), scanner.isAtEnd else { return .failure(.form) }
    return first.flatMap { first in
      last.flatMap { last in
        if last < first { return .failure(.backwards) }
        return last.number - first.number < ExceptionMap.longestRange ? .success((first, last)) : .failure(.tooLong)
      }
    }
  }

  private struct Scanner {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = Substring(text).utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    /// nil when there is no day; a failure when it is written as one and does not exist.
    mutating func day() -> Result<DayKey, Mistake>? {
      let start = rest
      if let year = number(4...4), take("-"), let month = number(2...2), take("-"), let day = number(2...2) {
        return Self.day(year, month, day)
      }
      rest = start
      guard let month = number(1...2), take("/"), let day = number(1...2), take("/"), let year = number(4...4) else {
        return nil
      }
      return Self.day(year, month, day)
    }

    mutating func dash() -> Bool {
      skipSpaces()
      let found = take("-")
      skipSpaces()
      return found
    }

    private static func day(_ year: Int, _ month: Int, _ day: Int) -> Result<DayKey, Mistake> {
      DayKey(year: year, month: month, day: day).map { .success($0) } ?? .failure(.noSuchDay)
    }

    private mutating func skipSpaces() { while take(" ") {} }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard rest.first == UInt8(ascii: character) else { return false }
      rest.removeFirst()
      return true
    }

    /// A number of so many digits, and no further digit behind it.
    private mutating func number(_ digits: ClosedRange<Int>) -> Int? {
      let found = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      guard digits.contains(found.count), let number = Int(String(found) ?? "") else { return nil }
      rest.removeFirst(found.count)
      return number
    }
  }
}

/// Reads days by type, as the school's file and the map it fetches both have them.
struct ExceptionReader {
  let problems: DocumentReader.Problems
  /// Days that lie far from all of them have a wrong year; empty: the years are not known.
  let years: [SchoolYear]

  /// The days of one type: a list of days and ranges, or of objects with `days` and the `rotation` of the first of them.
  func entries(of member: JSON5Value.Member, path: String) -> [ExceptionMap.Entry] {
    let name = path.isEmpty ? member.key : "\(path).\(member.key)"
    guard case .array(let elements) = member.value.content else {
      problems.all.append("\(name) must be a list of days, not \(member.value.kind) (line \(member.value.line))")
      return []
    }
    return elements.enumerated().compactMap { index, element in
      entry(element, type: member.key, path: "\(name)[\(index)]")
    }
  }

  /// The map of all entries, if they are not too many.
  func map(_ entries: [ExceptionMap.Entry]) -> ExceptionMap {
    // A year of every type on every day has fewer; a file of one MiB could say millions.
    let days = entries.reduce(0) { $0 + $1.last.number - $1.first.number + 1 }
    guard days <= 5000 else {
      problems.all.append("the exceptions are more than 5000 days")
      return ExceptionMap([])
    }
    return ExceptionMap(entries)
  }

  private func entry(_ element: JSON5Value, type: String, path: String) -> ExceptionMap.Entry? {
    if case .text(let text) = element.content {
      return entry(text, type: type, rotation: nil) { problems.all.append("\(path) \($0) (line \(element.line))") }
    }
    guard case .object = element.content else {
      problems.all.append("\(path) must be a day, not \(element.kind) (line \(element.line))")
      return nil
    }
    let section = DocumentReader(element, path: path, problems: problems, keys: ["days", "rotation"])
    let rotation = section.whole("rotation", in: 1...20)
    guard let text = section.required("days") else { return nil }
    return entry(text, type: type, rotation: rotation) { section.report("days", $0) }
  }

  private func entry(
    _ text: String, type: String, rotation: Int?, report: (String) -> Void
  ) -> ExceptionMap.Entry? {
    switch WrittenDay.range(text) {
    case .failure(let mistake): report(mistake.phrase(quoting: text))
    case .success((let first, let last)):
      if isNearSomeYear(first), isNearSomeYear(last) {
        return ExceptionMap.Entry(type: type, first: first, last: last, rotation: rotation)
      }
      report("\(JSON5Parser.quoted(text)) is far from every school year of the school's file: is a year wrong?")
    }
    return nil
  }

  private func isNearSomeYear(_ day: DayKey) -> Bool {
    let near = ExceptionMap.longestRange
    return years.isEmpty
      || years.contains { $0.first.advanced(by: -near) <= day && day <= $0.last.advanced(by: near) }
  }
}
