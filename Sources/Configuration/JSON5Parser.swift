/// A strict parser of JSON5 (spec.json5.org): comments, trailing commas, bare keys, both quotes, hex numbers.
///
/// Foundation's parser knows no lines, and people mend files by line. Takes any bytes; size and depth are bounded. Two
/// things are refused that the specification lets pass: a key that stands twice, and a control character in a text.
package struct JSON5Parser {
  /// The largest document, in bytes.
  package static let limit = 1 << 20
  static let depthLimit = 64

  let scalars: [Unicode.Scalar]
  var index = 0
  private var line: Int
  private var lineStart = 0

  /// The one value of a document.
  ///
  /// - Parameter firstLine: the number of its first line, when it is a part of a file.
  package static func parse(_ bytes: [UInt8], firstLine: Int = 1) throws(JSON5Error) -> JSON5Value {
    guard bytes.count <= limit else {
      throw JSON5Error(problem: "the file is larger than 1 MiB", line: firstLine, column: 1)
    }
    var parser = try JSON5Parser(bytes, firstLine: firstLine)
    let value = try parser.value(depth: 0)
    try parser.skipBlank()
    if parser.current != nil { throw parser.error("something follows the end of the document") }
    return value
  }

  /// Reads the bytes as UTF-8. A byte order mark at the start is no part of the document.
  private init(_ bytes: [UInt8], firstLine: Int) throws(JSON5Error) {
    var scalars: [Unicode.Scalar] = []
    scalars.reserveCapacity(bytes.count)
    var rest = bytes.makeIterator()
    var decoder = UTF8()
    var isWhole = true
    reading: while true {
      switch decoder.decode(&rest) {
      case .scalarValue(let scalar): scalars.append(scalar)
      case .emptyInput: break reading
      case .error:
        isWhole = false
        break reading
      }
    }
    if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
    self.scalars = scalars
    line = firstLine
    if isWhole { return }
    while current != nil { advance() }
    throw error("the file is not UTF-8")
  }

  func error(_ problem: String) -> JSON5Error {
    JSON5Error(problem: problem, line: line, column: index - lineStart + 1)
  }

  /// A piece of the document as an error may quote it: at most 40 characters, and nothing that a terminal obeys or that
  /// turns what stands beside it. `debugDescription` lets U+0080 to U+009F through; one of them begins control sequences.
  static func quoted(_ piece: String) -> String {
    let isLong = piece.unicodeScalars.count > 40
    return "\"" + piece.unicodeScalars.prefix(isLong ? 39 : 40).map(escaped).joined() + (isLong ? "…\"" : "\"")
  }

  /// A character of the document as an error may show it.
  static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\"", "\\", "\n", "\r", "\t", "\0": scalar.escaped(asASCII: true)
    case _ where DocumentReader.isControl(scalar): "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    default: String(scalar)
    }
  }

  var current: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  var next: Unicode.Scalar? { index + 1 < scalars.count ? scalars[index + 1] : nil }

  /// What ends a line; a carriage return before a line feed does not.
  private var isLineEnd: Bool {
    switch current {
    case "\n", "\u{2028}", "\u{2029}": true
    case "\r": next != "\n"
    default: false
    }
  }

  mutating func advance() {
    let endsLine = isLineEnd
    index += 1
    guard endsLine else { return }
    line += 1
    lineStart = index
  }

  static func isLineBreak(_ scalar: Unicode.Scalar) -> Bool { ["\n", "\r", "\u{2028}", "\u{2029}"].contains(scalar) }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case " ", "\t", "\u{0B}", "\u{0C}", "\u{FEFF}": true
    default: isLineBreak(scalar) || (!scalar.isASCII && scalar.properties.generalCategory == .spaceSeparator)
    }
  }

  mutating func skipBlank() throws(JSON5Error) {
    while let scalar = current {
      if scalar == "/", next == "/" {
        while let scalar = current, !Self.isLineBreak(scalar) { advance() }
      } else if scalar == "/", next == "*" {
        let opened = error("this comment is never closed")
        index += 2
        while current != "*" || next != "/" {
          if current == nil { throw opened }
          advance()
        }
        index += 2
      } else if Self.isBlank(scalar) {
        advance()
      } else {
        return
      }
    }
  }

  private mutating func value(depth: Int) throws(JSON5Error) -> JSON5Value {
    try skipBlank()
    guard depth < Self.depthLimit else { throw error("the values are nested deeper than \(Self.depthLimit)") }
    let at = line
    switch current {
    case nil: throw error("the document ends where a value is expected")
    case "{": return JSON5Value(content: .object(try members(depth: depth)), line: at)
    case "[": return JSON5Value(content: .array(try elements(depth: depth)), line: at)
    case "\"", "'": return JSON5Value(content: .text(try text()), line: at)
    default: return JSON5Value(content: try word(), line: at)
    }
  }

  private mutating func members(depth: Int) throws(JSON5Error) -> [JSON5Value.Member] {
    var members: [JSON5Value.Member] = []
    var keys: Set<String> = []
    advance()
    while true {
      try skipBlank()
      if current == "}" {
        advance()
        return members
      }
      let at = line
      let place = error("")
      let key = current == "\"" || current == "'" ? try text() : try bareKey()
      guard keys.insert(key).inserted else {
        throw JSON5Error(
          problem: "the key \(Self.quoted(key)) stands twice in one object", line: place.line, column: place.column)
      }
      try skipBlank()
      guard current == ":" else { throw error("a colon is expected after \(Self.quoted(key))") }
      advance()
      members.append(.init(key: key, line: at, value: try value(depth: depth + 1)))
      try separator(end: "}")
    }
  }

  private mutating func elements(depth: Int) throws(JSON5Error) -> [JSON5Value] {
    var elements: [JSON5Value] = []
    advance()
    while true {
      try skipBlank()
      if current == "]" {
        advance()
        return elements
      }
      elements.append(try value(depth: depth + 1))
      try separator(end: "]")
    }
  }

  /// A comma, or nothing before the end.
  private mutating func separator(end: Unicode.Scalar) throws(JSON5Error) {
    try skipBlank()
    if current == "," { return advance() }
    guard current == end else {
      throw error(current == nil ? "the document ends before \(end)" : "a comma is missing")
    }
  }
}
