/// What a stretch of the school day is called in a bell table.
package enum PeriodID: Hashable, Sendable {
  /// A period by its number, such as `1` or `5A`.
  case numbered(String)
  /// A block with a name of its own, such as `Activity`.
  case named(String)
  /// A slot of a rotating day whose period nobody has said.
  case unknown

  /// As tables write it: what begins with a digit is a number; a leading `!`, by which the school's own files mark a name, is
  /// no part of it.
  package init(_ text: String) {
    let isMarked = text.hasPrefix("!")
    if !isMarked, let first = text.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) {
      self = .numbered(text)
    } else {
      self = .named(isMarked ? String(text.dropFirst()) : text)
    }
  }

  /// The number or the name; `?` when it is not known.
  package var text: String {
    switch self {
    case .numbered(let text), .named(let text): text
    case .unknown: "?"
    }
  }

  /// `5` and `A` of `5A`; nil for anything but half a period.
  package var half: (whole: PeriodID, letter: Character)? {
    guard case .numbered(let text) = self, let letter = text.last, letter == "A" || letter == "B", text.count > 1 else {
      return nil
    }
    return (.numbered(String(text.dropLast())), letter)
  }
}
