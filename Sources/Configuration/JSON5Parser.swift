/// A strict parser of JSON5 (spec.json5.org): comments, trailing commas, bare keys, both quotes, hex numbers.
///
/// Foundation's parser knows no lines, and people fix files by line. Takes any bytes; depth and size are bounded.
package struct JSON5Parser {
  /// The largest document.
  package static let limit = 1 << 20
  private static let depthLimit = 64

  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  private var lineStart = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The one value of a document.
  package static func parse(_ bytes: [UInt8]) throws(JSON5Error) -> JSON5Value {
    guard bytes.count <= limit else { throw JSON5Error(problem: "the file is larger than 1 MiB", line: 1, column: 1) }
    var parser = JSON5Parser(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes)
    guard String(validating: parser.bytes, as: UTF8.self) != nil else {
      throw JSON5Error(problem: "the file is not UTF-8", line: parser.lineOfInvalidByte(), column: 1)
    }
    let value = try parser.value(depth: 0)
    try parser.skipBlank()
    if parser.index < parser.bytes.count { throw parser.error("something follows the end of the document") }
    return value
  }

  private func lineOfInvalidByte() -> Int {
    var line = 1
    for part in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if String(validating: part, as: UTF8.self) == nil { return line }
      line += 1
    }
    return line
  }

  private func error(_ problem: String) -> JSON5Error {
    JSON5Error(problem: problem, line: line, column: index - lineStart + 1)
  }

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func advance() {
    if current == UInt8(ascii: "\n") {
      line += 1
      lineStart = index + 1
    }
    index += 1
  }

  private func startsWith(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { buffer in unsafe bytes[index...].starts(with: buffer) }
  }

  private mutating func skipBlank() throws(JSON5Error) {
    while let byte = current {
      if startsWith("//") {
        while let byte = current, byte != UInt8(ascii: "\n") {
          _ = byte
          advance()
        }
      } else if startsWith("/*") {
        let opened = error("this comment is never closed")
        while !startsWith("*/") {
          if current == nil { throw opened }
          advance()
        }
        index += 2
      } else if [0x20, 0x09, 0x0A, 0x0D, 0x0B, 0x0C].contains(byte) {
        advance()
      } else if byte == 0xC2, index + 1 < bytes.count, bytes[index + 1] == 0xA0 {
        index += 2
      } else {
        return
      }
    }
  }

  private mutating func value(depth: Int) throws(JSON5Error) -> JSON5Value {
    try skipBlank()
    guard depth < Self.depthLimit else { throw error("the values are nested deeper than \(Self.depthLimit)") }
    guard let byte = current else { throw error("the document ends where a value is expected") }
    let at = line
    switch byte {
    case UInt8(ascii: "{"): return JSON5Value(content: .object(try members(depth: depth)), line: at)
    case UInt8(ascii: "["): return JSON5Value(content: .array(try elements(depth: depth)), line: at)
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return JSON5Value(content: .text(try text()), line: at)
    default: return JSON5Value(content: try word(), line: at)
    }
  }

  private mutating func members(depth: Int) throws(JSON5Error) -> [JSON5Value.Member] {
    var members: [JSON5Value.Member] = []
    var keys: Set<String> = []
    advance()
    while true {
      try skipBlank()
      if current == UInt8(ascii: "}") {
        advance()
        return members
      }
      let at = line
      let key = try self.key()
      guard keys.insert(key).inserted else { throw error("the key \(key.debugDescription) stands twice in one object") }
      try skipBlank()
      guard current == UInt8(ascii: ":") else { throw error("a colon is expected after \(key.debugDescription)") }
      advance()
      members.append(.init(key: key, line: at, value: try value(depth: depth + 1)))
      try separator(end: UInt8(ascii: "}"))
    }
  }

  private mutating func elements(depth: Int) throws(JSON5Error) -> [JSON5Value] {
    var elements: [JSON5Value] = []
    advance()
    while true {
      try skipBlank()
      if current == UInt8(ascii: "]") {
        advance()
        return elements
      }
      elements.append(try value(depth: depth + 1))
      try separator(end: UInt8(ascii: "]"))
    }
  }

  /// A comma, or nothing before the end.
  private mutating func separator(end: UInt8) throws(JSON5Error) {
    try skipBlank()
    if current == UInt8(ascii: ",") { return advance() }
    guard current == end else {
      throw error(current == nil ? "the document ends before \(Character(UnicodeScalar(end)))" : "a comma is missing")
    }
  }

  private mutating func key() throws(JSON5Error) -> String {
    if current == UInt8(ascii: "\"") || current == UInt8(ascii: "'") { return try text() }
    let start = index
    while let byte = current, Self.isWordByte(byte) { advance() }
    guard start < index, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[start]) else {
      throw error("a key is expected")
    }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }

  private mutating func text() throws(JSON5Error) -> String {
    let quote = bytes[index]
    let opened = error("this text is never closed")
    advance()
    var result: [UInt8] = []
    while let byte = current {
      switch byte {
      case quote:
        advance()
        return String(decoding: result, as: UTF8.self)
      case UInt8(ascii: "\\"):
        advance()
        result += try escape()
      case 0x00..<0x20 where byte != 0x09: throw error("a text ends on the line it begins; write \\n for a line break")
      default:
        result.append(byte)
        advance()
      }
    }
    throw opened
  }

  private mutating func escape() throws(JSON5Error) -> [UInt8] {
    guard let byte = current else { throw error("the document ends inside a text") }
    advance()
    switch byte {
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "v"): return [0x0B]
    case UInt8(ascii: "0"): return [0x00]
    case 0x0A: return []
    case 0x0D:
      if current == 0x0A { advance() }
      return []
    case UInt8(ascii: "x"): return Array(String(UnicodeScalar(UInt8(try hex(2)))).utf8)
    case UInt8(ascii: "u"): return try unicode()
    default: return [byte]
    }
  }

  private mutating func unicode() throws(JSON5Error) -> [UInt8] {
    var code = try hex(4)
    if (0xD800..<0xDC00).contains(code) {
      guard startsWith("\\u") else { throw error("half of a character: \\uD8xx needs its second half") }
      index += 2
      let low = try hex(4)
      guard (0xDC00..<0xE000).contains(low) else { throw error("half of a character: \\uD8xx needs its second half") }
      code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = UnicodeScalar(UInt32(code)) else { throw error("no such character") }
    return Array(String(scalar).utf8)
  }

  private mutating func hex(_ digits: Int) throws(JSON5Error) -> Int {
    guard index + digits <= bytes.count,
      let value = Int(String(decoding: bytes[index..<index + digits], as: UTF8.self), radix: 16),
      bytes[index] != UInt8(ascii: "+"), bytes[index] != UInt8(ascii: "-")
    else { throw error("\(digits) hex digits are expected") }
    index += digits
    return value
  }

  private mutating func word() throws(JSON5Error) -> JSON5Value.Content {
    let start = index
    while let byte = current, Self.isWordByte(byte) || [0x2B, 0x2D, 0x2E].contains(byte) { advance() }
    let word = String(decoding: bytes[start..<index], as: UTF8.self)
    switch word {
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "": throw error("a value is expected")
    default:
      guard let number = Self.number(word) else {
        index = start
        throw error("\(word.debugDescription) is no value: a text stands in quotes")
      }
      return .number(number)
    }
  }

  private static func number(_ word: String) -> Double? {
    var digits = Substring(word)
    var sign = 1.0
    if digits.hasPrefix("-") || digits.hasPrefix("+") {
      if digits.hasPrefix("-") { sign = -1 }
      digits = digits.dropFirst()
    }
    if digits.lowercased().hasPrefix("0x") {
      let hex = digits.dropFirst(2)
      guard hex.allSatisfy(\.isHexDigit), let value = UInt64(hex, radix: 16) else { return nil }
      return sign * Double(value)
    }
    guard digits.utf8.contains(where: { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      digits.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }), let value = Double(String(digits)),
      value.isFinite
    else { return nil }
    return sign * value
  }
}
