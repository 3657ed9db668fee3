/// The words behind a command: options with a value each, and the rest.
struct Options {
  private(set) var values: [String: String] = [:]
  private(set) var rest: [String] = []

  /// - Parameter known: the names of the options allowed here, with their dashes.
  init(_ words: [String], known: [String]) throws(Refusal) {
    var left = words[...]
    while let word = left.popFirst() {
      guard word.hasPrefix("--") else {
        rest.append(word)
        continue
      }
      guard known.contains(word) else {
        throw .usage("\(word) is not an option here: use \(known.joined(separator: ", "))")
      }
      guard let value = left.popFirst() else { throw .usage("\(word) has no value: put one behind it") }
      guard values.updateValue(value, forKey: word) == nil else { throw .usage("\(word) is given twice: give it once") }
    }
  }

  func number(_ name: String, in range: ClosedRange<Int>, default standard: Int) throws(Refusal) -> Int {
    guard let text = values[name] else { return standard }
    guard let number = Int(text), range.contains(number) else {
      throw .usage("\(name) \(text) is no number from \(range.lowerBound) to \(range.upperBound): give one")
    }
    return number
  }
}
