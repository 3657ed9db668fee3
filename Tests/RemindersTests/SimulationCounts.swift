import Foundation

/// What differed, and how to see it again.
struct Difference: Error, CustomStringConvertible {
  var seed: UInt64
  var at: Int
  var zone: String
  var what: String
  var description: String { "seed \(seed), \(zone), \(Date(timeIntervalSince1970: Double(at))): \(what)" }
}

struct Counts: Sendable {
  var days = 0
  var taps = 0
  var bounces = 0
  var credits = 0
  var endings = 0
  var pending = 0
  var restarts = 0
  var edits = 0

  static func + (a: Counts, b: Counts) -> Counts {
    Counts(
      days: a.days + b.days, taps: a.taps + b.taps, bounces: a.bounces + b.bounces, credits: a.credits + b.credits,
      endings: a.endings + b.endings, pending: a.pending + b.pending, restarts: a.restarts + b.restarts,
      edits: a.edits + b.edits)
  }
}
