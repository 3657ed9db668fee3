package import Foundation

/// Who takes what and when, and which tag stands for which medications: the rules, not what happened.
package struct Household: Equatable, Sendable {
  package var people: [Person]
  package var medications: [Medication]
  package var tags: [Tag]

  package init(people: [Person] = [], medications: [Medication] = [], tags: [Tag] = []) {
    self.people = people
    self.medications = medications
    self.tags = tags
  }

  /// Without what only a ledger knows: as a household file can say it.
  package var asWritten: Household {
    var household = self
    for medication in medications.indices {
      for time in medications[medication].times.indices { household.medications[medication].times[time].entered = nil }
    }
    return household
  }
}

package struct Person: Equatable, Sendable, Identifiable {
  package var id: String
  package var name: String
  /// False while the person is paused: not nagged, but a tap is still credited (DESIGN 5.2).
  package var remindersEnabled: Bool

  package init(id: String, name: String, remindersEnabled: Bool = true) {
    self.id = id
    self.name = name
    self.remindersEnabled = remindersEnabled
  }
}

package struct Medication: Equatable, Sendable, Identifiable {
  package var id: String
  /// The `Person.id` of who takes it.
  package var person: String
  package var name: String
  /// As the household writes it, such as "1 tablet".
  package var dose: String?
  package var times: [DoseTime]
  /// Minutes between two taps that both count; nil: the default of DESIGN 5.2.
  package var minimumSpacing: Int?

  package init(
    id: String, person: String, name: String, dose: String? = nil, times: [DoseTime] = [], minimumSpacing: Int? = nil
  ) {
    self.id = id
    self.person = person
    self.name = name
    self.dose = dose
    self.times = times
    self.minimumSpacing = minimumSpacing
  }
}

/// A rule: a local time on some weekdays. `at` is unique among the times of one medication that share a weekday.
package struct DoseTime: Equatable, Sendable {
  package var at: LocalTime
  package var days: Set<Weekday>
  /// Minutes before due at which the window opens; nil: the default of DESIGN 5.2.
  package var opensBefore: Int?
  /// Minutes after due from which an uncredited dose is late.
  package var lateAfter: Int
  /// Minutes after due at which the window closes; nil: the default of DESIGN 5.2.
  package var closesAfter: Int?
  /// When the rule came into force, as the household says; nil: always was. An import fills it in.
  package var since: Date?
  /// When these windows were put into the ledger, whatever the household says; nil: when the rule came into force.
  package var entered: Date?

  package init(
    at: LocalTime, days: Set<Weekday> = Set(Weekday.allCases), opensBefore: Int? = nil, lateAfter: Int = 0,
    closesAfter: Int? = nil, since: Date? = nil, entered: Date? = nil
  ) {
    self.at = at
    self.days = days
    self.opensBefore = opensBefore
    self.lateAfter = lateAfter
    self.closesAfter = closesAfter
    self.since = since
    self.entered = entered
  }

  /// When the rule began to make occurrences; nil: always did.
  var putIn: Date? { [since, entered].compactMap(\.self).max() }
}

/// A tag bound to medications of one person.
package struct Tag: Equatable, Sendable {
  package var uid: TagUID
  package var label: String?
  package var medications: [String]

  package init(uid: TagUID, label: String? = nil, medications: [String]) {
    self.uid = uid
    self.label = label
    self.medications = medications
  }
}

/// A UID as read from a tag: 4, 7, 8 or 10 bytes in households, any length on the reader.
package struct TagUID: Hashable, Sendable, CustomStringConvertible {
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Hex of 4, 7, 8 or 10 bytes in any case, nothing else; nil when it is not.
  package init?(hex: String) {
    let digits = Array(hex.utf8)
    guard [8, 14, 16, 20].contains(digits.count) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = Self.value(of: digits[index]), let low = Self.value(of: digits[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    self.bytes = bytes
  }

  /// Upper-case hex, whole: for the ledger and the commands that print it, never for a log.
  package var hex: String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined() }

  /// A UID of 4 bytes beginning 08 is random, new at every tap: a phone or a bank card (ISO 14443-3).
  package var isRandom: Bool { bytes.count == 4 && bytes[0] == 0x08 }

  package var description: String { "…" + String(hex.suffix(4)) }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
