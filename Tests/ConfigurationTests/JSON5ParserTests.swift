internal import Testing

@testable internal import Configuration

@Suite struct JSON5ParserTests {
  @Test(arguments: [
    ("null", Plain.null), (" true ", .bool(true)), ("false", .bool(false)),
    ("0", .number(0)), ("-0", .number(0)), ("12", .number(12)), ("+3", .number(3)), ("-7.25", .number(-7.25)),
    (".5", .number(0.5)), ("5.", .number(5)), ("1e3", .number(1000)), ("1E-2", .number(0.01)), ("2.e1", .number(20)),
    ("0x1F", .number(31)), ("-0Xff", .number(-255)), ("Infinity", .number(.infinity)),
    ("-Infinity", .number(-.infinity)),
    ("\"a\"", .text("a")), ("'it is \"so\"'", .text("it is \"so\"")), ("\"don't\"", .text("don't")),
    ("''", .text("")), ("'\\x41\\u00e9\\n\\t\\\\\\/\\''", .text("Aé\n\t\\/'")), ("'\\a\\0'", .text("a\0")),
    ("'\\ud83d\\ude00'", .text("😀")), ("'a\\\nb\\\r\nc\\\rd'", .text("abcd")), ("'\u{2028}'", .text("\u{2028}")),
    ("'Ärzte 😀'", .text("Ärzte 😀")),
    ("[]", .list([])), ("[1,]", .list([.number(1)])),
    ("[1, [2], // two\n 3]", .list([.number(1), .list([.number(2)]), .number(3)])),
    ("{}", .object([])),
    ("{a: 1, 'b c': 2, \"d\": 3,}", .object([["a": .number(1)], ["b c": .number(2)], ["d": .number(3)]])),
    ("{$a_1: null}", .object([["$a_1": .null]])), ("{größe: 1}", .object([["größe": .number(1)]])),
    ("{\\u0061b: 1}", .object([["ab": .number(1)]])), ("{a\u{A0}:1}", .object([["a": .number(1)]])),
    ("/* one */ [ /* two\n** / */ 1 /**/ ] // end", .list([.number(1)])),
    ("// old\r1", .number(1)), ("\u{FEFF}1", .number(1)), ("\u{A0}\u{2003}\u{FEFF}1\u{2029}", .number(1)),
    ("{\"__proto__\": 1}", .object([["__proto__": .number(1)]])),
  ])
  func `what JSON5 allows is read`(text: String, value: Plain) throws {
    #expect(try parsed(text) == value)
  }

  @Test func `not a number is one of its numbers`() throws {
    guard case .number(let number) = try parsed("NaN") else { return #expect(Bool(false), "no number") }
    #expect(number.isNaN)
  }

  @Test(arguments: [
    ("", "the document ends where a value is expected", 1, 1),
    ("  // only this", "the document ends where a value is expected", 1, 15),
    ("1 2", "something follows the end of the document", 1, 3),
    ("[1 2]", "a comma is missing", 1, 4), ("[1,\n 2", "the document ends before ]", 2, 3),
    ("{a: 1", "the document ends before }", 1, 6), ("[,]", "a value is expected", 1, 2),
    ("{,}", "a key is expected", 1, 2), ("{1a: 1}", "a key is expected", 1, 2),
    ("{a 1}", "a colon is expected after \"a\"", 1, 4),
    ("{a: 1,\n b: 2,\n a: 3}", "the key \"a\" stands twice in one object", 3, 2),
    ("{a: 1, 'a': 2}", "the key \"a\" stands twice in one object", 1, 8),
    ("{\\x61: 1}", "a key is expected", 1, 3),
    ("/* open\n", "this comment is never closed", 1, 1), ("[\n 'open]", "this text is never closed", 2, 2),
    ("'a\nb'", "a text ends on the line it begins; write \\n for a line break", 1, 3),
    ("'a\u{1}'", "a control character stands in a text; write it as \\u", 1, 3),
    ("'\\u12'", "4 hex digits are expected", 1, 6), ("'\\xg0'", "2 hex digits are expected", 1, 4),
    ("'\\u+123'", "4 hex digits are expected", 1, 4),
    ("'\\ud83d'", "half of a character: \\uD8xx needs its second half", 1, 8),
    ("'\\ud83d\\u0041'", "half of a character: \\uD8xx needs its second half", 1, 14),
    ("'\\ude00'", "half of a character: \\uD8xx needs its second half", 1, 8),
    ("'\\1'", "\\1 is no escape", 1, 3), ("'\\01'", "\\0 is no escape", 1, 3),
    ("treu", "\"treu\" is no value: a text stands in quotes", 1, 1),
    ("04A1B2C3D4E5F6", "\"…E5F6\" is no value: a text stands in quotes", 1, 1),
    ("\n  abc", "\"abc\" is no value: a text stands in quotes", 2, 3),
    ("// a\r// b\r\n// c\u{2028}x", "\"x\" is no value: a text stands in quotes", 4, 1),
    ("[é, é]", "\"é\" is no value: a text stands in quotes", 1, 2),
    ("'😀é' x", "something follows the end of the document", 1, 6),
  ])
  func `what it forbids is refused with its place`(text: String, problem: String, line: Int, column: Int) {
    #expect(throws: JSON5Error(problem: problem, line: line, column: column)) { try parsed(text) }
  }

  @Test(arguments: [
    "01", "-01", "--5", "+-5", "1.2.3", "1e", "e5", ".", "+", "-", "0x", "0xg", "1_000", "1e400", "0x1.8", "١", "1e5.5",
  ])
  func `what only looks like a number is none`(text: String) {
    #expect(throws: JSON5Error.self) { try parsed(text) }
  }

  @Test func `the lines of keys and values are kept`() throws {
    let value = try JSON5Parser.parse(Array("\n{\n  a:\n    1,\r\n  b: [\r2] }".utf8), firstLine: 10)
    guard case .object(let members) = value.content else { return #expect(Bool(false), "no object") }
    #expect(value.line == 11)
    #expect(members.map(\.line) == [12, 14])
    #expect(members.map(\.value.line) == [13, 14])
    guard case .array(let elements) = members[1].value.content else { return #expect(Bool(false), "no list") }
    #expect(elements.map(\.line) == [15])
  }

  @Test(
    arguments: [
      [0x31, 0x0A, 0x20, 0xFF], [0x0A, 0x20, 0xC3], [0x0A, 0x20, 0xC0, 0x80], [0x0A, 0x20, 0xED, 0xA0, 0x80],
    ] as [[UInt8]])
  func `bytes that are not UTF-8 are refused where they stand`(bytes: [UInt8]) {
    #expect(throws: JSON5Error(problem: "the file is not UTF-8", line: 2, column: 2)) { try JSON5Parser.parse(bytes) }
  }

  @Test func `depth and size are bounded`() throws {
    #expect(throws: Never.self) {
      try parsed(String(repeating: "[", count: 63) + "1" + String(repeating: "]", count: 63))
    }
    #expect(throws: JSON5Error(problem: "the values are nested deeper than 64", line: 1, column: 65)) {
      try parsed(String(repeating: "[", count: 100_000))
    }
    #expect(throws: Never.self) { try parsed("1" + String(repeating: " ", count: JSON5Parser.limit - 1)) }
    #expect(throws: JSON5Error(problem: "the file is larger than 1 MiB", line: 1, column: 1)) {
      try parsed("1" + String(repeating: " ", count: JSON5Parser.limit))
    }
  }

  @Test func `an error quotes little of what is wrong`() {
    #expect(
      throws: JSON5Error(
        problem: "\"\(String(repeating: "x", count: 39))…\" is no value: a text stands in quotes", line: 1, column: 1)
    ) {
      try parsed(String(repeating: "x", count: 5000))
    }
  }
}
