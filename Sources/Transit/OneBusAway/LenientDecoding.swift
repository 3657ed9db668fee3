internal import Foundation

extension KeyedDecodingContainer {
  /// A value; nil when it is absent, null or of another type. One odd field must not take the board away, and old servers
  /// leave many out.
  func lenient<Value: Decodable>(_ type: Value.Type, _ key: Key) -> Value? {
    (try? decodeIfPresent(type, forKey: key)) ?? nil
  }

  /// An instant in milliseconds; nil for everything that providers send for "none".
  func instant(_ key: Key) -> Date? { Date(providerMilliseconds: lenient(Double.self, key)) }

  /// A text; nil when it is absent or empty.
  func text(_ key: Key) -> String? { lenient(String.self, key).flatMap { $0.isEmpty ? nil : $0 } }

  /// A whole number; nil when it is not one.
  func whole(_ key: Key) -> Int? { lenient(Double.self, key).flatMap { Int(exactly: $0) } }

  /// The elements of a list, and how many were not understood: one when it is no list at all.
  func list<Element: Decodable>(_ type: Element.Type, _ key: Key) -> TolerantList<Element> {
    guard contains(key) else { return TolerantList() }
    return lenient(TolerantList<Element>.self, key) ?? TolerantList(rejected: 1)
  }

  /// The understood elements of a list; none when there is no list.
  func elements<Element: Decodable>(_ type: Element.Type, _ key: Key) -> [Element] {
    lenient(TolerantList<Element>.self, key)?.elements ?? []
  }
}

/// A list whose broken elements are counted and left out.
struct TolerantList<Element: Decodable>: Decodable {
  var elements: [Element] = []
  var rejected = 0

  init(rejected: Int = 0) { self.rejected = rejected }

  /// Takes one element of any kind.
  private struct Skipped: Decodable { init(from decoder: any Decoder) throws {} }

  init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    while !list.isAtEnd {
      if let element = try? list.decode(Element.self) {
        elements.append(element)
      } else {
        rejected += 1
        if (try? list.decodeNil()) != true { _ = try list.decode(Skipped.self) }
      }
    }
  }
}
