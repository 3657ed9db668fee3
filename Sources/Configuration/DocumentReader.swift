/// Reads typed values out of a document and collects every problem on the way.
///
/// A key that is not known is a problem and names the nearest right one: a misspelt `lateAftr` must not be silently nothing.
struct DocumentReader {
  final class Problems {
    var all: [String] = []
  }

  private let path: String
  let problems: Problems
  private let value: JSON5Value
  private let members: [String: JSON5Value.Member]

  init(_ value: JSON5Value, path: String = "", problems: Problems = Problems(), keys: [String]) {
    self.path = path
    self.problems = problems
    self.value = value
    guard case .object(let members) = value.content else {
      self.members = [:]
      problems.all.append(
        "\(path.isEmpty ? "the file" : path) must be an object, not \(value.kind) (line \(value.line))")
      return
    }
    self.members = Dictionary(members.map { ($0.key, $0) }) { first, _ in first }
    for member in members where !keys.contains(member.key) {
      let nearest = keys.min { Self.distance(member.key, $0) < Self.distance(member.key, $1) } ?? ""
      problems.all.append(
        "unknown key \(name(Self.bounded(member.key))) (line \(member.line)): did you mean \(nearest)?")
    }
  }

  private func name(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  /// Null is as good as absent.
  func has(_ key: String) -> Bool { present(key) != nil }

  /// Adds a problem with the value of `key`: a phrase that goes on after its name.
  func report(_ key: String, _ problem: String) {
    problems.all.append("\(name(key)) \(problem) (line \(members[key]?.line ?? value.line))")
  }

  private func wrong(_ key: String, _ expected: String, _ value: JSON5Value) {
    problems.all.append("\(name(key)) must be \(expected), not \(value.kind) (line \(value.line))")
  }

  /// nil when it is not there or null.
  private func present(_ key: String) -> JSON5Value? {
    guard let value = members[key]?.value, value.content != .null else { return nil }
    return value
  }

  /// - Parameter limit: in characters.
  func text(_ key: String, limit: Int = 4096) -> String? {
    guard let value = present(key) else { return nil }
    guard case .text(let text) = value.content else {
      wrong(key, "a text", value)
      return nil
    }
    return checked(text, key, limit)
  }

  /// A text goes to a wall, a log or a file's name: it must be short and hold nothing that hides or turns what stands
  /// beside it.
  private func checked(_ text: String, _ key: String, _ limit: Int) -> String? {
    if text.allSatisfy(\.isWhitespace) {
      report(key, "must not be empty")
    } else if text.count > limit || text.utf8.count > 16 * limit {
      report(key, "has more than \(limit) characters")
    } else if text.unicodeScalars.contains(where: Self.isControl) {
      report(key, "holds a control character")
    } else {
      return text
    }
    return nil
  }

  /// What hides, moves or turns the text around it.
  static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    // What turns the direction of the text after it.
    default: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    }
  }

  /// A text that must be there.
  func required(_ key: String, limit: Int = 100) -> String? {
    if present(key) == nil {
      report(key, "is missing")
      return nil
    }
    return text(key, limit: limit)
  }

  func bool(_ key: String) -> Bool? {
    guard let value = present(key) else { return nil }
    if case .bool(let bool) = value.content { return bool }
    wrong(key, "true or false", value)
    return nil
  }

  func whole(_ key: String, in range: ClosedRange<Int>) -> Int? {
    guard let value = present(key) else { return nil }
    guard case .number(let number) = value.content else {
      wrong(key, "a number", value)
      return nil
    }
    guard number == number.rounded(), Double(range.lowerBound)...Double(range.upperBound) ~= number else {
      report(key, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return Int(number)
  }

  /// A number, infinity and NaN not among them.
  func number(_ key: String, in range: ClosedRange<Double>) -> Double? {
    guard let value = present(key) else { return nil }
    guard case .number(let number) = value.content else {
      wrong(key, "a number", value)
      return nil
    }
    guard range ~= number else {
      report(key, "must be from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return number
  }

  func texts(_ key: String) -> [String]? {
    guard let value = present(key) else { return nil }
    guard case .array(let elements) = value.content else {
      wrong(key, "a list of texts", value)
      return nil
    }
    return elements.compactMap { element in
      if case .text(let text) = element.content { return checked(text, key, 4096) }
      wrong(key, "a list of texts", element)
      return nil
    }
  }

  /// A section; `keys` are all it may have.
  func object(_ key: String, keys: [String]) -> DocumentReader? {
    guard let value = present(key) else { return nil }
    return section(value, path: name(key), keys: keys)
  }

  /// The objects of a list, each named by its place and its `id` where it has one. A tag's UID shows its last 4 digits:
  /// no error holds a whole one (DESIGN 5.6).
  func objects(_ key: String, keys: [String]) -> [DocumentReader]? {
    guard let value = present(key) else { return nil }
    guard case .array(let elements) = value.content else {
      wrong(key, "a list", value)
      return nil
    }
    return elements.enumerated().compactMap { index, element in
      var label = "\(name(key))[\(index)]"
      if case .object(let members) = element.content {
        if case .text(let id)? = members.first(where: { $0.key == "id" })?.value.content {
          label = "\(name(key)) \(JSON5Parser.quoted(id))"
        } else if case .text(let uid)? = members.first(where: { $0.key == "uid" })?.value.content, uid.count >= 8 {
          label += " (…\(uid.unicodeScalars.suffix(4).map(JSON5Parser.escaped).joined()))"
        }
      }
      return section(element, path: label, keys: keys)
    }
  }

  /// nil when it is no object, which is then a problem.
  private func section(_ value: JSON5Value, path: String, keys: [String]) -> DocumentReader? {
    let section = DocumentReader(value, path: path, problems: problems, keys: keys)
    if case .object = value.content { return section }
    return nil
  }

  private static func bounded(_ key: String) -> String {
    key.unicodeScalars.contains(where: isControl) || key.count > 40 || key.isEmpty ? JSON5Parser.quoted(key) : key
  }

  /// How far a written key is from a right one: Levenshtein's distance, or 1 when its end is missing.
  static func distance(_ a: String, _ b: String) -> Int {
    if a.count >= 3, b.lowercased().hasPrefix(a.lowercased()) { return 1 }
    let a = Array(a.lowercased().prefix(64))
    let b = Array(b.lowercased().prefix(64))
    var row = Array(0...b.count)
    for (i, x) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, y) in b.enumerated() {
        (diagonal, row[j + 1]) = (row[j + 1], min(row[j] + 1, row[j + 1] + 1, diagonal + (x == y ? 0 : 1)))
      }
    }
    return row[b.count]
  }
}
