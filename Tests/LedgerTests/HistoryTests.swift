import Foundation
import Ledger
import Linux
import Reminders
import Testing

@testable import Ledger

struct HistoryTests {
  private func ledger() async throws -> Ledger {
    let ledger = Ledger(inMemory: .none)
    try await ledger.furnish()
    return ledger
  }

  private func words(_ items: [HistoryItem]) -> [String] {
    items.map { item in
      let what =
        switch item.kind {
        case .tap(let tap): "\(tap.outcome)"
        case .missed(let dose): "missed \(dose.medication)"
        case .unknown(let dose, let reason): "unknown \(dose.medication) \(reason)"
        case .skip(let dose, let reason): "skip \(dose.medication) \(reason)"
        case .undo(let dose): "undo \(dose.medication)"
        case .took(let dose): "took \(dose.medication)"
        }
      return "\(Int(item.at.timeIntervalSince(Sample.now) / 60)) \(what)"
    }
  }

  @Test func `all that happened comes in the order in which it happened`() async throws {
    let ledger = try await ledger()
    let (levo, iron, d3) = (Sample.dose(), Sample.dose("ann-iron"), Sample.dose("bob-d3"))
    try await ledger.write([.open(levo), .open(iron), .open(d3)], at: levo.opensAt)
    _ = try await ledger.recordTap(Sample.tap(), decide: Sample.taking(levo))
    #expect(try await ledger.undo(levo.key, at: Sample.now + 60))
    try await ledger.raw(
      """
      INSERT INTO credit (occurrence, attempt, tapped_at, recorded_at)
      SELECT id, 1, opens + 8100000, opens + 9000000 FROM occurrence WHERE medication = 'ann-iron'
      """)
    // The wall was off when the windows closed at 12:00 and comes back at 20:00.
    try await ledger.write(
      [.end(levo.key, .unknown(.notRecording)), .end(d3.key, .skipped(.paused))], at: Sample.now + 12 * 3600)
    let tomorrow = Sample.dose(day: Sample.today + 1)
    try await ledger.write([.open(tomorrow), .end(tomorrow.key, .missed)], at: tomorrow.closesAt)

    let items = try await ledger.history(from: Sample.now - 86_400, to: Sample.now + 2 * 86_400)
    #expect(
      words(items) == [
        "0 taken", "1 undo ann-levo", "15 took ann-iron", "240 unknown ann-levo notRecording", "240 skip bob-d3 paused",
        "1680 missed ann-levo",
      ])
    let part = try await ledger.history(from: Sample.now + 60, to: Sample.now + 15 * 60)
    #expect(words(part) == ["1 undo ann-levo"])
  }

  @Test func `a tap names what it did not credit, in order, and the unreadable tap that it answers`() async throws {
    let ledger = try await ledger()
    let unreadable = try await ledger.recordTap(
      Sample.tap(nil, unreadable: "mute"), decide: Sample.answering(.unreadable))
    let refusals: [TapVerdict.NotCredited] = [
      .init(medication: "ann-levo", reason: .tooSoon, at: Sample.now + 60),
      .init(medication: "ann-iron", reason: .notDue, at: nil),
    ]
    _ = try await ledger.recordTap(Sample.tap(at: Sample.now + 2, resolves: unreadable.id)) { _ in
      DecidedTap(
        verdict: TapVerdict(outcome: .alreadyTaken, person: "ann", notCredited: refusals), message: "m", sound: .failure
      )
    }
    let taps = try await ledger.history(from: Sample.now, to: Sample.now + 60).compactMap { item in
      if case .tap(let tap) = item.kind { tap } else { nil }
    }
    #expect(taps.map(\.unreadable) == ["mute", nil])
    #expect(taps.map(\.uid) == [nil, Sample.blue])
    #expect(taps.map(\.notCredited) == [[], refusals])
    #expect(taps.map(\.resolves) == [nil, Sample.now])
  }

  @Test func `the doses of one tap come by due instant, then medication`() async throws {
    let ledger = try await ledger()
    let doses = [Sample.dose("ann-levo"), Sample.dose("ann-iron"), Sample.dose("ann-iron", day: Sample.today - 1)]
    _ = try await ledger.recordTap(Sample.tap()) { _ in
      DecidedTap(
        changes: doses.map { .open($0) },
        verdict: TapVerdict(
          outcome: .taken, person: "ann", credited: doses.map { .init(key: $0.key, dueAt: $0.dueAt) }),
        message: "m", sound: .success)
    }
    guard case .tap(let tap)? = try await ledger.history(from: Sample.now, to: Sample.now + 1).first?.kind else {
      Issue.record("no tap")
      return
    }
    #expect(tap.credited.map(\.medication) == ["ann-iron", "ann-iron", "ann-levo"])
    #expect(tap.credited.map(\.dueAt) == [doses[2].dueAt, doses[1].dueAt, doses[0].dueAt])
  }

  @Test func `a tap under a wrong clock stands where it happened, not in 1970`() async throws {
    let ledger = try await ledger()
    _ = try await ledger.recordTap(Sample.tap(), decide: Sample.answering(.wrongWindow))
    let wrong = Date(timeIntervalSince1970: 100)
    _ = try await ledger.recordTap(
      Sample.tap(at: wrong, boot: "boot-2", trusted: false), decide: Sample.answering(.pendingTime, sound: .success))
    _ = try await ledger.recordTap(Sample.tap(at: Sample.now + 60), decide: Sample.answering(.unknownTag))
    let items = try await ledger.history(from: Sample.now, to: Sample.now + 3600)
    #expect(items.map(\.at) == [Sample.now, wrong, Sample.now + 60])
  }
}
