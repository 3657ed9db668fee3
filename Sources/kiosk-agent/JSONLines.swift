internal import Configuration
internal import Foundation
internal import Ledger
internal import Reminders

/// The objects of `history` and `replay` (DESIGN 4.1): every named key is always there, in the order
/// of DESIGN.
enum JSONLines {
  /// A tap and its answer, stored or not.
  struct Answered {
    var at: Date
    var uid: TagUID?
    var decided: DecidedTap
    var resolves: Date?

    init(at: Date, uid: TagUID?, decided: DecidedTap) {
      self.at = at
      self.uid = uid
      self.decided = decided
    }

    init(_ record: TapRecord) { self.init(at: record.entry.at, uid: record.entry.uid, decided: record.decided) }

    init(_ tap: HistoryItem.Tap, at: Date) {
      var verdict = TapVerdict(outcome: tap.outcome)
      verdict.notCredited = tap.notCredited
      self.init(at: at, uid: tap.uid, decided: DecidedTap(verdict: verdict, message: tap.message, sound: tap.sound))
      resolves = tap.resolves
    }
  }

  static func text(_ answered: Answered, in zone: TimeZone) -> String {
    let credited = answered.decided.verdict.credited.map {
      HistoryItem.Dose(medication: $0.key.medication, dueAt: $0.dueAt)
    }
    return tap(answered, credited, in: zone).compact
  }

  static func readable(_ answered: Answered, in zone: TimeZone) -> String {
    row(answered.at, answered.decided.verdict.outcome.rawValue, answered.decided.message, in: zone)
  }

  static func text(_ item: HistoryItem, in zone: TimeZone) -> String {
    func event(_ kind: String, _ dose: HistoryItem.Dose, _ reason: String?) -> JSONText {
      .object(
        [("kind", .text(kind)), ("at", .text(InstantFormat.text(item.at, in: zone)))] + members(dose, in: zone) + [
          ("reason", .text(reason))
        ])
    }
    let json: JSONText =
      switch item.kind {
      case .tap(let tap): self.tap(Answered(tap, at: item.at), tap.credited, in: zone)
      case .missed(let dose): event("missed", dose, nil)
      case .unknown(let dose, let reason): event("unknown", dose, reason.rawValue)
      case .skip(let dose, let reason): event("skip", dose, reason.rawValue)
      case .undo(let dose): event("undo", dose, nil)
      case .took(let dose): event("took", dose, nil)
      }
    return json.compact
  }

  private static func tap(_ answered: Answered, _ credited: [HistoryItem.Dose], in zone: TimeZone) -> JSONText {
    let decided = answered.decided
    return .object([
      ("kind", .text("tap")), ("at", .text(InstantFormat.text(answered.at, in: zone))),
      ("uid", .text(answered.uid?.hex)), ("outcome", .text(decided.verdict.outcome.rawValue)),
      ("credited", .list(credited.map { .object(members($0, in: zone)) })),
      ("notCredited", .list(decided.verdict.notCredited.map { json($0, in: zone) })),
      ("message", .text(decided.message)), ("sound", .text(decided.sound.rawValue)),
      ("resolves", .text(answered.resolves.map { InstantFormat.text($0, in: zone) })),
    ])
  }

  private static func members(_ dose: HistoryItem.Dose, in zone: TimeZone) -> [(key: String, value: JSONText)] {
    [("medication", .text(dose.medication)), ("dueAt", .text(InstantFormat.text(dose.dueAt, in: zone)))]
  }

  private static func json(_ refused: TapVerdict.NotCredited, in zone: TimeZone) -> JSONText {
    .object([
      ("medication", .text(refused.medication)), ("reason", .text(refused.reason.rawValue)),
      ("at", .text(refused.at.map { InstantFormat.text($0, in: zone) })),
    ])
  }

  /// One line for people: when, what, and the message.
  ///
  /// - Parameter isAtUnknownTime: a tap whose boot ended before its clock was known; its own instant means nothing.
  static func readable(_ item: HistoryItem, isAtUnknownTime: Bool, in zone: TimeZone) -> String {
    func dose(_ dose: HistoryItem.Dose) -> String { "\(dose.medication) of \(short(dose.dueAt, 16, in: zone))" }
    return switch item.kind {
    case .tap(let tap) where isAtUnknownTime:
      "\(String(repeating: "-", count: 19))  \(tap.outcome.rawValue)   tap at unknown time"
    case .tap(let tap): row(item.at, tap.outcome.rawValue, tap.message, in: zone)
    case .missed(let missed): row(item.at, "missed", dose(missed), in: zone)
    case .unknown(let unknown, let reason): row(item.at, "unknown", "\(dose(unknown)) (\(reason.rawValue))", in: zone)
    case .skip(let skipped, let reason): row(item.at, "skip", "\(dose(skipped)) (\(reason.rawValue))", in: zone)
    case .undo(let undone): row(item.at, "undo", dose(undone), in: zone)
    case .took(let took): row(item.at, "took", dose(took), in: zone)
    }
  }

  private static func row(_ at: Date, _ kind: String, _ text: String, in zone: TimeZone) -> String {
    "\(short(at, 19, in: zone))  \(kind.padding(toLength: 12, withPad: " ", startingAt: 0))  \(text)"
  }

  /// `2026-11-02 08:01:00`, or the first letters of it.
  private static func short(_ instant: Date, _ letters: Int, in zone: TimeZone) -> String {
    InstantFormat.text(instant, in: zone).prefix(letters).replacingOccurrences(of: "T", with: " ")
  }
}
