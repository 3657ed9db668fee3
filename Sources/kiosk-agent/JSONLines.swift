internal import Configuration
internal import Foundation
internal import Ledger
internal import Reminders
internal import Wall

/// The objects of `history` and `replay` (DESIGN 4.1): every named key is always there.
enum JSONLines {
  private struct Dose: Encodable {
    var medication: String
    var dueAt: String
  }

  private struct Refused: Encodable {
    var medication: String
    var reason: String
    @Nullable var at: String?
  }

  private struct Tap: Encodable {
    var kind = "tap"
    var at: String
    @Nullable var uid: String?
    var outcome: String
    var credited: [Dose]
    var notCredited: [Refused]
    var message: String
    var sound: String
    @Nullable var resolves: String?
  }

  private struct Event: Encodable {
    var kind: String
    var at: String
    var medication: String
    var dueAt: String
    @Nullable var reason: String?
  }

  static func text(_ item: HistoryItem, in zone: TimeZone) -> String {
    let at = InstantFormat.text(item.at, in: zone)
    func event(_ kind: String, _ dose: HistoryItem.Dose, _ reason: String?) -> Event {
      Event(
        kind: kind, at: at, medication: dose.medication, dueAt: InstantFormat.text(dose.dueAt, in: zone), reason: reason
      )
    }
    switch item.kind {
    case .tap(let tap): return encode(self.tap(tap, at: at, in: zone))
    case .missed(let dose): return encode(event("missed", dose, nil))
    case .unknown(let dose, let reason): return encode(event("unknown", dose, reason))
    case .skip(let dose, let reason): return encode(event("skip", dose, reason))
    case .undo(let dose): return encode(event("undo", dose, nil))
    }
  }

  private static func tap(_ tap: HistoryItem.Tap, at: String, in zone: TimeZone) -> Tap {
    Tap(
      at: at, uid: tap.uid?.hex, outcome: tap.outcome,
      credited: tap.credited.map { Dose(medication: $0.medication, dueAt: InstantFormat.text($0.dueAt, in: zone)) },
      notCredited: tap.notCredited.map {
        Refused(
          medication: $0.medication, reason: $0.reason.rawValue, at: $0.at.map { InstantFormat.text($0, in: zone) })
      }, message: tap.message, sound: tap.sound, resolves: tap.resolves.map { InstantFormat.text($0, in: zone) })
  }

  static func encode(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  /// One line for people: when, what, and the message.
  static func readable(_ item: HistoryItem, in zone: TimeZone) -> String {
    let at = InstantFormat.text(item.at, in: zone).prefix(19).replacingOccurrences(of: "T", with: " ")
    func dose(_ dose: HistoryItem.Dose) -> String {
      "\(dose.medication) of \(InstantFormat.text(dose.dueAt, in: zone).prefix(16).replacingOccurrences(of: "T", with: " "))"
    }
    func row(_ kind: String, _ text: String) -> String {
      "\(at)  \(kind.padding(toLength: 12, withPad: " ", startingAt: 0))  \(text)"
    }
    return switch item.kind {
    case .tap(let tap): row(tap.outcome, tap.message)
    case .missed(let missed): row("missed", dose(missed))
    case .unknown(let unknown, let reason): row("unknown", "\(dose(unknown)) (\(reason))")
    case .skip(let skipped, let reason): row("skip", "\(dose(skipped)) (\(reason))")
    case .undo(let undone): row("undo", dose(undone))
    }
  }
}
