internal import Foundation

/// The zones that the names of one calendar stand for.
///
/// A name is looked for in the tz database, then among the rules that the calendar brings along, then among the names of
/// Windows, then it is read as an offset. Whatever is none of these is the wall's zone, and is said.
struct ZoneTable {
  private let observances: [String: [EmbeddedZone.Observance]]
  private var found: [String: (zone: EventZone, isKnown: Bool)] = [:]
  /// One of each: two names for the same rules then share their onsets, and comparing them costs nothing.
  private var embedded: Set<EmbeddedZone> = []

  /// Steps that all zones of a calendar may take together; a common one takes some hundred.
  private var steps = 200_000

  /// More names than that are no calendar; each costs a search.
  private static let mostNames = 1000

  /// - Parameter observances: by TZID.
  init(_ observances: [String: [EmbeddedZone.Observance]]) { self.observances = observances }

  /// - Returns: `isKnown` is false for the wall's zone in place of one that is not known.
  mutating func zone(_ name: String) -> (zone: EventZone, isKnown: Bool) {
    if let zone = found[name] { return zone }
    guard found.count < Self.mostNames else { return (.wall, false) }
    let zone = search(name)
    found[name] = zone.map { ($0, true) } ?? (.wall, false)
    return zone.map { ($0, true) } ?? (.wall, false)
  }

  private mutating func search(_ name: String) -> EventZone? {
    if let zone = Self.named(name) { return zone }
    if let rules = observances[name], let zone = EmbeddedZone(rules, steps: &steps) {
      return .embedded(embedded.insert(zone).memberAfterInsert)
    }
    if let zone = Self.suffix(name) { return zone }
    if let iana = WindowsZones.name(name), let zone = Self.named(iana) { return zone }
    return Self.offset(name).map(EventZone.fixed)
  }

  /// A name of the tz database. Only what looks like one is shown to Foundation, which looks for files.
  static func named(_ name: String) -> EventZone? {
    guard 2...64 ~= name.utf8.count, !name.contains(".."), name.first != "/",
      name.utf8.allSatisfy({ isNameByte($0) }), offset(name) == nil
    else { return nil }
    if ["UTC", "GMT"].contains(name.uppercased()) { return .utc }
    return TimeZone(identifier: name).map(EventZone.named)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 48...57: true
    case UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"): true
    default: false
    }
  }

  /// `/freeassociation.sourceforge.net/Europe/Berlin`: a registry before the name (RFC 5545 3.2.19).
  private static func suffix(_ name: String) -> EventZone? {
    let parts = name.split(separator: "/")
    guard parts.count > 2 else { return nil }
    return [3, 2].lazy.filter { $0 < parts.count }
      .compactMap { named(parts.suffix($0).joined(separator: "/")) }.first
  }

  /// `UTC+01`, `GMT-0330`, `(UTC-05:00) Somewhere`, in seconds east of UTC.
  private static func offset(_ name: String) -> Int? {
    var rest = Substring(name.uppercased())
    let isBracketed = rest.first == "("
    if isBracketed { rest = rest.dropFirst().prefix { $0 != ")" } }
    guard rest.hasPrefix("UTC") || rest.hasPrefix("GMT") else { return nil }
    rest = rest.dropFirst(3)
    if isBracketed, rest.isEmpty { return 0 }
    guard let sign = rest.popFirst(), sign == "+" || sign == "-" else { return nil }
    let digits = rest.filter { $0 != ":" }
    guard 1...4 ~= digits.utf8.count, let number = Int(digits), number >= 0 else { return nil }
    let minutes = digits.utf8.count <= 2 ? number * 60 : number / 100 * 60 + number % 100
    guard minutes <= 18 * 60 else { return nil }
    return (sign == "-" ? -minutes : minutes) * 60
  }
}
