import Foundation

/// Durations of one kind, in ms.
struct Figures {
  private let sorted: [Double]

  init(_ milliseconds: [Double]) { sorted = milliseconds.sorted() }

  var count: Int { sorted.count }
  var median: Double { quantile(0.5) }
  var p95: Double { quantile(0.95) }
  var maximum: Double { sorted.last ?? .nan }

  /// The nearest-rank quantile.
  private func quantile(_ part: Double) -> Double {
    guard !sorted.isEmpty else { return .nan }
    return sorted[max(0, min(sorted.count - 1, Int((Double(sorted.count) * part).rounded(.up)) - 1))]
  }
}

/// What `make bench` prints: one row a measure, each beside its yardstick of the same run.
struct Report {
  private var missed = 0

  /// Whether every budget was kept.
  var isWithinBudget: Bool { missed == 0 }

  /// - Parameters:
  ///   - yardstick: the same thing done by the simplest program there is.
  ///   - excess: what is held against the budget, ms; by default the difference of the medians.
  mutating func durations(
    _ what: String, _ figures: Figures, yardstick: (name: String, figures: Figures)? = nil, budget: Double? = nil
  ) {
    var line = "\(pad(what))  median \(ms(figures.median))  p95 \(ms(figures.p95))  max \(ms(figures.maximum))"
    if let yardstick {
      line += "  |  \(yardstick.name): \(ms(yardstick.figures.median)), p95 \(ms(yardstick.figures.p95))"
      line += String(format: ", ratio %.2g", figures.median / yardstick.figures.median)
    }
    line += "  (\(figures.count))"
    say(line + verdict(figures.median - (yardstick?.figures.median ?? 0), budget, "ms"))
  }

  mutating func value(_ what: String, _ value: Double, _ unit: String, budget: Double? = nil) {
    say("\(pad(what))  " + String(format: "%.2f ", value) + unit + verdict(value, budget, unit))
  }

  private mutating func verdict(_ value: Double, _ budget: Double?, _ unit: String) -> String {
    guard let budget else { return "" }
    let isKept = value <= budget
    if !isKept { missed += 1 }
    return String(format: "  budget %g ", budget) + unit + (isKept ? ": kept" : ": MISSED (\(ms(value)))")
  }

  private func pad(_ text: String) -> String { text.padding(toLength: 34, withPad: " ", startingAt: 0) }
  private func ms(_ value: Double) -> String { String(format: "%.3f", value) }
}

/// Writes a line at once.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// What kept a measure from being taken.
struct BenchError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// CLOCK_MONOTONIC in ns, as the virtual reader and the C programs stamp.
func monotonic() -> Int64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
