/// A property: `NAME;PARAMETER=value,"quoted, value":value` (RFC 5545 3.1).
struct ContentLine {
  /// In capitals.
  let name: String
  let number: Int
  private let parameters: [(name: String, value: String)]
  /// As it is written, still escaped. Bytes that are no UTF-8 are replaced.
  let value: String
  /// The line is longer than anything that is read: its end is missing, or all of its value.
  let isCut: Bool

  /// - Returns: nil for a line without a colon that is not cut, and for one whose name is not in `names`, which is not read further.
  init?(_ line: LineReader.Line, names: Set<String>) {
    let bytes = line.bytes
    guard let nameEnd = bytes.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ";") }) else {
      return nil
    }
    let name = String(decoding: bytes[..<nameEnd], as: UTF8.self).uppercased()
    guard names.contains(name) else { return nil }
    // A colon inside quotes belongs to a parameter.
    var isQuoted = false
    var cuts: [Int] = []
    var colon: Int?
    for index in nameEnd..<bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: ";") where !isQuoted: cuts.append(index)
      case UInt8(ascii: ":") where !isQuoted: colon = index
      default: break
      }
      if colon != nil { break }
    }
    guard let colon = colon ?? (line.isCut ? bytes.count : nil) else { return nil }
    self.name = name
    isCut = line.isCut
    number = line.number
    value = String(decoding: bytes.dropFirst(colon + 1), as: UTF8.self)
    parameters = zip(cuts, cuts.dropFirst() + [colon]).compactMap { from, to in
      let part = bytes[(from + 1)..<to]
      guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      var value = part[(equals + 1)...]
      if value.first == UInt8(ascii: "\""), value.last == UInt8(ascii: "\""), value.count >= 2 {
        value = value.dropFirst().dropLast()
      }
      return (
        String(decoding: part[..<equals], as: UTF8.self).uppercased(), String(decoding: value, as: UTF8.self)
      )
    }
  }

  /// A parameter's value without its quotes; nil when it is not there.
  func parameter(_ name: String) -> String? {
    parameters.first { $0.name == name }?.value
  }

  /// The value of a property that people read: unescaped (RFC 5545 3.3.11), on one line, at most `limit` characters.
  func text(limit: Int = 500) -> String {
    var text = ""
    var isEscaped = false
    for scalar in value.unicodeScalars {
      if !isEscaped, scalar == "\\" {
        isEscaped = true
        continue
      }
      let isLineEnd = isEscaped && (scalar == "n" || scalar == "N")
      isEscaped = false
      text.unicodeScalars.append(isLineEnd ? " " : scalar)
    }
    return text.onOneLine(limit: limit)
  }
}

extension StringProtocol {
  /// As people may be shown what somebody else wrote: white space, and what a page or a terminal obeys instead of showing
  /// it, becomes one space between words.
  ///
  /// - Parameter limit: in characters. One character may carry accents without end: no more than 16 bytes for each are kept.
  func onOneLine(limit: Int) -> String {
    var text = ""
    var isSpaceDue = false
    for scalar in unicodeScalars {
      if scalar.isBlank {
        isSpaceDue = !text.isEmpty
        continue
      }
      if isSpaceDue { text.append(" ") }
      isSpaceDue = false
      guard text.utf8.count + 4 <= 16 * limit else { break }
      text.unicodeScalars.append(scalar)
    }
    return String(text.prefix(limit))
  }

  /// Without the white space at both ends.
  var trimmed: String {
    var rest = self[...]
    while rest.first?.isWhitespace ?? false { rest = rest.dropFirst() }
    while rest.last?.isWhitespace ?? false { rest = rest.dropLast() }
    return String(rest)
  }
}

extension Unicode.Scalar {
  /// White space, and what a page or a terminal obeys instead of showing it.
  fileprivate var isBlank: Bool {
    if isASCII { return value <= 0x20 || value == 0x7F }
    return switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: true
    default: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
    }
  }
}
