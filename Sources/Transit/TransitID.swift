/// An id as its provider spells it: opaque bytes, compared byte by byte. (`String` calls two spellings of "é" equal.)
package struct TransitID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (a: TransitID, b: TransitID) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  package static func < (a: TransitID, b: TransitID) -> Bool { a.text.utf8.lexicographicallyPrecedes(b.text.utf8) }

  package func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }

  package var description: String { text }
}

extension TransitID: Decodable {
  package init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard !text.isEmpty else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "an empty id"))
    }
    self.init(text)
  }
}
