internal import Configuration
internal import Foundation
internal import Testing

/// The value tree without its places.
indirect enum Plain: Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case text(String)
  case list([Plain])
  case object([[String: Plain]])

  init(_ value: JSON5Value) {
    self =
      switch value.content {
      case .null: .null
      case .bool(let bool): .bool(bool)
      case .number(let number): .number(number)
      case .text(let text): .text(text)
      case .array(let elements): .list(elements.map { Plain($0) })
      case .object(let members): .object(members.map { [$0.key: Plain($0.value)] })
      }
  }
}

func parsed(_ text: String) throws(JSON5Error) -> Plain { Plain(try JSON5Parser.parse(Array(text.utf8))) }

/// The problems a parse ends with; empty when it does not fail.
func problems(_ parse: () throws(DocumentError) -> Void) -> [String] {
  do {
    try parse()
    return []
  } catch {
    return error.problems
  }
}

/// Random numbers that are the same every time.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
