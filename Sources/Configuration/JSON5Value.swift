/// A JSON5 value and where it stands, so that an error can name its line.
package struct JSON5Value: Equatable, Sendable {
  package enum Content: Equatable, Sendable {
    case null
    case bool(Bool)
    /// May be infinite or NaN, as JSON5 has it; every reader of a number checks its range.
    case number(Double)
    case text(String)
    case array([JSON5Value])
    /// In the order of the file; no key stands twice.
    case object([Member])
  }

  /// A key of an object and its value.
  package struct Member: Equatable, Sendable {
    package let key: String
    /// Where the key stands, from 1.
    package let line: Int
    package let value: JSON5Value
  }

  package let content: Content
  /// From 1.
  package let line: Int

  /// How people call this kind of value.
  package var kind: String {
    switch content {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .text: "a text"
    case .array: "a list"
    case .object: "an object"
    }
  }
}

/// Why a text is not JSON5, and where.
package struct JSON5Error: Error, Equatable, Sendable {
  package let problem: String
  /// From 1.
  package let line: Int
  /// In characters (Unicode scalars), from 1.
  package let column: Int

  /// The problem and its place.
  package var sentence: String { "\(problem) (line \(line), column \(column))" }
}
