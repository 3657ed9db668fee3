import Foundation
import TestSupport

/// What is counted over all cases, and the bounds.
struct Score {
  private enum Bound {
    /// s.
    static let healthy = 10.0
    static let broken = 25.0
    static let faults = 18
    /// Each is the first cause of at least one fault.
    static let ids = [
      "S3", "S5", "R1", "R2", "D1", "D3", "D4", "D5", "D7", "T1", "C1", "C3", "A3", "W1", "W4", "N1", "N2", "N3", "N4",
      "N5", "N6", "F1", "F3", "F4", "F5", "F6",
    ]
  }

  /// False when only some cases were asked for: then their number is no bound.
  private let isWhole: Bool
  private var healthy = Tally()
  private var broken = Tally()
  private var outputs = 0
  /// By what they are, and where.
  private var givenAway: [String] = []
  private var notMade: [String] = []
  private var missing: Set<String> = Set(Bound.ids)

  private struct Tally {
    var right = 0
    var seconds: [Double] = []
    var all: Int { seconds.count }
    var median: Double { seconds.sorted()[seconds.count / 2] }
    var worst: Double { seconds.max() ?? 0 }
  }

  init(isWhole: Bool) { self.isWhole = isWhole }

  /// Looks at all of these and prints a row for each.
  mutating func table(_ heading: String, _ cases: [DoctorCase]) {
    guard !cases.isEmpty else { return }
    say("")
    say(Row.text(heading, "expected", "found", "right?", "seconds"))
    for one in cases {
      do {
        let visit = try Visit(one)
        add(visit, of: one)
        say(visit.row)
      } catch let error as Patient.NotPossible {
        notMade.append("\(one): \(error)")
        say(Row.text("\(one)", one.first ?? "-", "-", "not made", "-"))
      } catch {
        // Whatever keeps a fault from being looked at is no right answer.
        notMade.append("\(one): \(error)")
        if one.first == nil { healthy.seconds.append(0) } else { broken.seconds.append(0) }
        say(Row.text("\(one)", one.first ?? "-", "error", "NO", "-"))
      }
    }
  }

  private mutating func add(_ visit: Visit, of one: DoctorCase) {
    outputs += visit.outputs
    givenAway += visit.givenAway.map { "\($0) (\(one))" }
    if let first = one.first {
      broken.seconds.append(visit.seconds)
      broken.right += visit.isRight ? 1 : 0
      missing.remove(first)
    } else {
      healthy.seconds.append(visit.seconds)
      healthy.right += visit.isRight ? 1 : 0
    }
  }

  // MARK: What came of it

  /// Whether every bound was kept.
  var isGood: Bool {
    let isComplete = !isWhole || (missing.isEmpty && broken.all >= Bound.faults)
    return isComplete && broken.right == broken.all && healthy.right == healthy.all && givenAway.isEmpty
      && healthy.worst <= Bound.healthy && broken.worst <= Bound.broken
  }

  var summary: [String] {
    var lines: [String] = []
    if broken.all > 0 {
      lines.append("right first cause in \(broken.right) of \(broken.all) faults")
      lines.append(time("broken", broken, Bound.broken))
    }
    if healthy.all > 0 {
      lines.append("false alarms at \(healthy.all - healthy.right) of \(healthy.all) kiosks that are well")
      lines.append(time("healthy", healthy, Bound.healthy))
    }
    lines.append(
      "planted secrets given away: \(givenAway.count) of \(Secrets.all.count) in each of \(outputs) outputs")
    lines += givenAway.map { "  given away: \($0)" } + notMade.map { "  not made: \($0)" }
    if isWhole, !missing.isEmpty { lines.append("no fault was made for \(missing.sorted().joined(separator: ", "))") }
    lines.append(isGood ? "Every bound was kept." : "A bound was missed, see above.")
    return lines
  }

  private func time(_ what: String, _ tally: Tally, _ bound: Double) -> String {
    String(
      format: "run time, %@: median %.2f s, worst %.2f s (at most %.0f)", what, tally.median, tally.worst, bound)
  }
}
