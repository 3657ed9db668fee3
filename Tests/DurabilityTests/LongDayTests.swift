import TestSupport
import Testing

/// A day of taps with faults drawn from a seed: every tap is answered, nothing that was thanked for is lost or counted
/// twice, and the wall is well again when the fault is over.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct LongDayTests {
  @Test func `a day of taps and faults loses nothing that was thanked for`() async throws {
    for round in 0..<(Scale.isFull ? 20 : 1) {
      let seed = Scale.seed &+ UInt64(round)
      let day = try await LongDay(seed: seed)
      let begun = ContinuousClock.now
      do { try await day.run() } catch {
        Issue.record("seed \(seed): \(error)")
        continue
      }
      let counts = day.counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
      print("long day, seed \(seed): \(counts); thanked \(day.thanked.count); \(ContinuousClock.now - begun)")
      #expect(day.problems.isEmpty, "seed \(seed): \(day.problems.joined(separator: "\n"))")
      #expect(day.thanked.count >= 5)
    }
  }
}
