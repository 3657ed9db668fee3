/// Bytes as pairs of hex digits.
package enum Hex {
  /// Upper case; `-` for no bytes, as the control socket has it.
  package static func text(_ bytes: [UInt8]) -> String {
    guard !bytes.isEmpty else { return "-" }
    let digits = Array("0123456789ABCDEF".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Pairs of digits in any case, or `-`; nil for anything else.
  package static func bytes(_ text: String) -> [UInt8]? {
    if text == "-" { return [] }
    let digits = text.utf8.map { digit -> UInt8? in
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
      default: nil
      }
    }
    let known = digits.compactMap { $0 }
    guard !text.isEmpty, known.count == digits.count, known.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: known.count, by: 2).map { known[$0] << 4 | known[$0 + 1] }
  }
}
