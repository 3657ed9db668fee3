extension JSON5Parser {
  /// A key without quotes: a name as ECMAScript 5.1 has it (JSON5 section 3).
  mutating func bareKey() throws(JSON5Error) -> String {
    var key = String.UnicodeScalarView()
    while let scalar = current {
      let start = index
      var part = scalar
      if scalar == "\\" {
        index += 1
        guard current == "u" else { throw error("a key is expected") }
        index += 1
        part = try unicode()
      }
      guard key.isEmpty ? Self.startsName(part) : Self.continuesName(part) else {
        index = start
        break
      }
      key.append(part)
      if index == start { advance() }
    }
    if key.isEmpty { throw error("a key is expected") }
    return String(key)
  }

  private static func startsName(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .letterNumber: true
    default: scalar == "$" || scalar == "_"
    }
  }

  private static func continuesName(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .decimalNumber, .connectorPunctuation: true
    default: startsName(scalar) || scalar == "\u{200C}" || scalar == "\u{200D}"
    }
  }

  /// A text in either quotes.
  mutating func text() throws(JSON5Error) -> String {
    let quote = current
    let opened = error("this text is never closed")
    advance()
    var text = String.UnicodeScalarView()
    while let scalar = current {
      switch scalar {
      case quote:
        advance()
        return String(text)
      case "\\":
        advance()
        if let escaped = try escape() { text.append(escaped) }
      case "\n", "\r": throw error("a text ends on the line it begins; write \\n for a line break")
      case "\0"..<"\t", "\u{0B}"..<" ": throw error("a control character stands in a text; write it as \\u")
      default:
        text.append(scalar)
        advance()
      }
    }
    throw opened
  }

  /// What follows a backslash; nil: a line that goes on.
  private mutating func escape() throws(JSON5Error) -> Unicode.Scalar? {
    guard let scalar = current else { throw error("the document ends inside a text") }
    let place = error("\\\(scalar) is no escape")
    if scalar == "\r", next == "\n" { advance() }
    advance()
    switch scalar {
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "b": return "\u{08}"
    case "f": return "\u{0C}"
    case "v": return "\u{0B}"
    case "x": return Unicode.Scalar(UInt8(truncatingIfNeeded: try hex(2)))
    case "u": return try unicode()
    case "0":
      if let current, ("0"..."9").contains(current) { throw place }
      return "\0"
    case "1"..."9": throw place
    default: return Self.isLineBreak(scalar) ? nil : scalar
    }
  }

  /// The rest of `\uXXXX`, or of the two of them that make one character beyond U+FFFF.
  private mutating func unicode() throws(JSON5Error) -> Unicode.Scalar {
    var code = try hex(4)
    if (0xD800..<0xDC00).contains(code), current == "\\", next == "u" {
      index += 2
      let low = try hex(4)
      guard (0xDC00..<0xE000).contains(low) else { throw error("half of a character: \\uD8xx needs its second half") }
      code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(code) else { throw error("half of a character: \\uD8xx needs its second half") }
    return scalar
  }

  private mutating func hex(_ count: Int) throws(JSON5Error) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<count {
      guard let current, let digit = Self.hexDigit(current) else { throw error("\(count) hex digits are expected") }
      code = code << 4 | digit
      index += 1
    }
    return code
  }

  private static func hexDigit(_ scalar: Unicode.Scalar) -> UInt32? {
    scalar.isASCII ? Character(scalar).hexDigitValue.map(UInt32.init) : nil
  }

  /// A number, true, false or null.
  mutating func word() throws(JSON5Error) -> JSON5Value.Content {
    let start = index
    while let current, Self.continuesName(current) || ["+", "-", "."].contains(current) { index += 1 }
    var word = String.UnicodeScalarView()
    word.append(contentsOf: scalars[start..<index])
    switch String(word) {
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "": throw error("a value is expected")
    case let word:
      if let number = Self.number(word) { return .number(number) }
      index = start
      // Not word for word: it may be a whole UID, and what is said here goes into a log.
      throw error("\(Self.quoted(Self.shown(word))) is no value: a text stands in quotes")
    }
  }

  /// A word that could be a UID by its last four digits.
  private static func shown(_ word: String) -> String {
    word.count >= 8 && word.allSatisfy(\.isHexDigit) ? "…" + word.suffix(4) : word
  }

  /// A number of JSON5 section 6; nil when it is none, or is too large for a `Double`.
  private static func number(_ word: String) -> Double? {
    let sign = word.hasPrefix("-") ? -1.0 : 1.0
    let digits = Substring(word.utf8.first == UInt8(ascii: "-") || word.hasPrefix("+") ? word.dropFirst() : word[...])
    if digits == "Infinity" { return sign * .infinity }
    if digits == "NaN" { return .nan }
    if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
      // `UInt64` would take a sign here.
      guard digits.dropFirst(2).utf8.first.map(isHexDigit) ?? false else { return nil }
      return UInt64(digits.dropFirst(2), radix: 16).map { sign * Double($0) }
    }
    var rest = digits.utf8
    let whole = takeDigits(&rest)
    var fraction = ""
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      fraction = takeDigits(&rest)
    }
    guard !whole.isEmpty || !fraction.isEmpty, whole.utf8.count < 2 || whole.utf8.first != UInt8(ascii: "0"),
      isExponent(rest), let value = Double("0\(whole).\(fraction)0\(Substring(rest))"), value.isFinite
    else { return nil }
    return sign * value
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }

  /// The digits that a text begins with, taken away from it.
  private static func takeDigits(_ text: inout Substring.UTF8View) -> String {
    let digits = text.prefix(while: isDigit)
    text.removeFirst(digits.count)
    return String(Substring(digits))
  }

  /// Nothing, or `e`, a sign or none, and digits.
  private static func isExponent(_ text: Substring.UTF8View) -> Bool {
    guard let first = text.first else { return true }
    guard first | 0x20 == UInt8(ascii: "e") else { return false }
    let digits = text.dropFirst().drop { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
    return text.count - digits.count <= 2 && !digits.isEmpty && digits.allSatisfy(isDigit)
  }
}
