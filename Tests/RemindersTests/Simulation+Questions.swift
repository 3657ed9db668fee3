import Foundation
import Reminders

/// What is asked of the rules and of the slow model, and how their answers are made alike.
extension Simulation {
  /// Lets time pass in both and compares what is written.
  mutating func settle(at now: Int, rulesChange: Bool = false) throws {
    let changes = advance(at: now)
    for case .open(let occurrence) in changes where journal.knows(occurrence.key) {
      throw difference("a second row of \(occurrence.key)")
    }
    journal.apply(changes, at: date(now), rulesChange: rulesChange)
    let got = Set(changes.map(words))
    let expected = model.settle(now)
    if got != expected {
      let more = got.subtracting(expected).sorted()
      let less = expected.subtracting(got).sorted()
      throw difference("written \(more), should be \(less)")
    }
    counts.endings += changes.count
    if house.dice.chance(10), !advance(at: now).isEmpty { throw difference("advancing twice wrote twice") }
  }

  func advance(at now: Int) -> [DoseChange] {
    rules.advance(journal.log(at: date(now)), model.household, model.zone, recording(until: now), date(now))
  }

  func recording(until now: Int) -> [DateInterval] {
    var spans: [DateInterval] = []
    var from = Date.distantPast
    for outage in model.outages {
      spans.append(DateInterval(start: from, end: date(outage.lowerBound)))
      from = date(outage.upperBound)
    }
    return spans + [DateInterval(start: from, end: .distantFuture)]
  }

  func status() -> DoseStatus {
    DoseStatus.of(
      model.household, log: journal.log(at: date(shown)), now: date(shown), zone: model.zone, clockTrusted: isTrusted)
  }

  /// Compares what the wall says, and that it says the same until it said it would change.
  mutating func look() throws {
    try settle(at: shown)
    let status = status()
    var got = SlowModel.Says()
    got.late = status.late.map { number($0.occurrence.key) }
    got.open = status.open.map { number($0.occurrence.key) }
    got.ended = status.ended.map { number($0.dose.occurrence.key) }
    for dose in status.next { got.next[dose.person.id] = number(dose.occurrence.key) }
    let expected = model.says(shown)
    if got != expected { throw difference("says \(got), should say \(expected)") }
    guard let change = status.nextChange.map({ Int($0.timeIntervalSince1970) }), change - 1 > shown else { return }
    var later = model
    let written = later.settle(change - 1).filter { words in
      guard let key = words.split(separator: " ").compactMap({ Int($0) }).first else { return true }
      return later.rows[key]?.ending != "clockChange"
    }
    if !written.isEmpty || later.says(change - 1) != expected {
      throw difference("changes before \(date(change)): \(written), \(later.says(change - 1)) after \(expected)")
    }
  }

  func date(_ seconds: Int) -> Date { Date(timeIntervalSince1970: Double(seconds)) }

  func difference(_ what: String) -> Difference {
    Difference(seed: seed, at: shown, zone: model.zone.identifier, what: what)
  }

  func number(_ key: OccurrenceKey) -> Int {
    SlowModel.key(key.medication, day: key.day.number, minute: key.at.hour * 60 + key.at.minute)
  }

  func occurrenceKey(_ dose: SlowModel.Dose) -> OccurrenceKey {
    OccurrenceKey(
      medication: dose.medication, day: LocalDay(number: dose.key / 1440 % 100_000),
      at: LocalTime(hour: dose.minuteOfDay / 60, minute: dose.minuteOfDay % 60))
  }

  func seconds(_ date: Date?) -> Int { date.map { Int($0.timeIntervalSince1970) } ?? 0 }

  func words(_ change: DoseChange) -> String {
    switch change {
    case .open(let o):
      "open \(number(o.key)) \(seconds(o.dueAt)) \(seconds(o.opensAt)) \(seconds(o.closesAt)) \(seconds(o.lateAt)) "
        + "\(o.spacing)"
    case .end(let key, .skipped(let reason)): "end \(number(key)) \(reason.rawValue)"
    case .end(let key, .missed): "end \(number(key)) missed"
    case .end(let key, .unknown(let reason)): "end \(number(key)) \(reason.rawValue)"
    }
  }

  func answer(_ verdict: TapVerdict) -> SlowModel.Answer {
    SlowModel.Answer(
      outcome: verdict.outcome.rawValue, isPaused: verdict.paused, credited: verdict.credited.map { number($0.key) },
      refused: verdict.notCredited.map { refused in
        "\(refused.medication) \(refused.reason.rawValue) "
          + (refused.at.map { "\($0.timeIntervalSince1970)" } ?? "never")
      },
      last: verdict.lastTakenAt?.timeIntervalSince1970, next: verdict.nextFrom?.timeIntervalSince1970,
      missed: verdict.missed.map(number))
  }
}
