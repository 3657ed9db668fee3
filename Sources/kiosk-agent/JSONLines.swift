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
      Dose(medication: $0.key.medication, dueAt: InstantFormat.text($0.dueAt, in: zone))
    }
    return encode(tap(answered, credited, in: zone))
  }

  static func readable(_ answered: Answered, in zone: TimeZone) -> String {
    row(answered.at, answered.decided.verdict.outcome.rawValue, answered.decided.message, in: zone)
  }

  static func text(_ item: HistoryItem, in zone: TimeZone) -> String {
    let at = InstantFormat.text(item.at, in: zone)
    func event(_ kind: String, _ dose: HistoryItem.Dose, _ reason: String?) -> Event {
      Event(
        kind: kind, at: at, medication: dose.medication, dueAt: InstantFormat.text(dose.dueAt, in: zone), reason: reason
      )
    }
    switch item.kind {
    case .tap(let tap):
      let credited = tap.credited.map { Dose(medication: $0.medication, dueAt: InstantFormat.text($0.dueAt, in: zone)) }
      return encode(self.tap(Answered(tap, at: item.at), credited, in: zone))
    case .missed(let dose): return encode(event("missed", dose, nil))
    case .unknown(let dose, let reason): return encode(event("unknown", dose, reason.rawValue))
    case .skip(let dose, let reason): return encode(event("skip", dose, reason.rawValue))
    case .undo(let dose): return encode(event("undo", dose, nil))
    case .took(let dose): return encode(event("took", dose, nil))
    }
  }

  private static func tap(_ answered: Answered, _ credited: [Dose], in zone: TimeZone) -> Tap {
    Tap(
      at: InstantFormat.text(answered.at, in: zone), uid: answered.uid?.hex,
      outcome: answered.decided.verdict.outcome.rawValue, credited: credited,
      notCredited: answered.decided.verdict.notCredited.map {
        Refused(
          medication: $0.medication, reason: $0.reason.rawValue, at: $0.at.map { InstantFormat.text($0, in: zone) })
      }, message: answered.decided.message, sound: answered.decided.sound.rawValue,
      resolves: answered.resolves.map { InstantFormat.text($0, in: zone) })
  }

  static func encode(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  /// One line for people: when, what, and the message.
  static func readable(_ item: HistoryItem, in zone: TimeZone) -> String {
    func dose(_ dose: HistoryItem.Dose) -> String { "\(dose.medication) of \(short(dose.dueAt, 16, in: zone))" }
    return switch item.kind {
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
