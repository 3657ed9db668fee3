/// The logical lines of a calendar, unfolded as bytes: a fold may split a character (RFC 5545 3.1).
///
/// Lines end in CRLF or LF. Only one line is held at a time.
struct LineReader {
  struct Line {
    /// Of the first of its physical lines; from 1.
    let number: Int
    let bytes: [UInt8]
    /// There was more of it than is read.
    var isCut = false
  }

  private let bytes: [UInt8]
  private var index: Int
  private var number = 0

  /// What is longer is cut, and says so: no property that a wall reads is, but a picture inside a line may be. In bytes,
  /// unfolded and without the end of the line.
  static let longestLine = 65_536

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  mutating func next() -> Line? {
    guard index < bytes.count else { return nil }
    let first = number + 1
    var line: [UInt8] = []
    var isCut = false
    repeat {
      number += 1
      let end = endOfLine(from: index)
      var last = end
      while last > index, bytes[last - 1] == UInt8(ascii: "\r") { last -= 1 }
      let room = Self.longestLine - line.count
      if last - index > room { isCut = true }
      line += bytes[index..<min(last, index + room)]
      index = end + 1
      guard index < bytes.count, bytes[index] == UInt8(ascii: " ") || bytes[index] == UInt8(ascii: "\t") else { break }
      index += 1
    } while true
    return Line(number: first, bytes: line, isCut: isCut)
  }

  private func endOfLine(from start: Int) -> Int {
    bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
  }
}
