import Foundation
import TestSupport

/// One kiosk looked at twice: as a program asks (`--json`) and as people do.
struct Visit {
  let row: String
  /// Both name the right first cause, or both find nothing where nothing is wrong.
  let isRight: Bool
  /// Of the slower one.
  let seconds: Double
  /// How many outputs were searched for secrets.
  let outputs = 2
  let givenAway: [String]

  init(_ one: DoctorCase) throws {
    let patient = try one.patient()
    let diagnosis = try patient.diagnose(one.words)
    let report = try patient.report(one.words)
    let told = Self.first(in: report.text)
    let alarms = diagnosis.found.filter { !one.tolerated.contains($0) }
    let wasRight: Bool
    var found = diagnosis.first ?? "nothing"
    if one.first != nil {
      wasRight = one.isRight(diagnosis.first) && one.isRight(told) && diagnosis.code > 0
      if told != diagnosis.first { found += ", \(told ?? "nothing")" }
      let others = diagnosis.failed.filter { $0 != diagnosis.first }
      if !others.isEmpty { found += " + \(others.joined(separator: " "))" }
    } else {
      wasRight = alarms.isEmpty && diagnosis.code < 2 && (told.map(one.tolerated.contains) ?? true)
      if !alarms.isEmpty { found = alarms.joined(separator: " ") }
    }
    isRight = wasRight
    seconds = max(diagnosis.seconds, report.seconds)
    givenAway = Array(Set(Secrets.found(in: diagnosis.text) + Secrets.found(in: report.text))).sorted()
    row = Row.text(
      "\(one)", one.first ?? "nothing", found, wasRight ? "yes" : "NO", String(format: "%.2f", seconds))
  }

  /// What a report for people names first.
  private static func first(in text: String) -> String? {
    text.range(of: "START HERE: ").map { range in
      String(text[range.upperBound...].prefix { $0.isLetter || $0.isNumber })
    }
  }
}

/// A line of the table.
enum Row {
  static func text(_ what: String, _ expected: String, _ found: String, _ isRight: String, _ seconds: String) -> String
  {
    [pad(what, 58), pad(expected, 8), pad(found, 16), pad(isRight, 8), seconds].joined(separator: " | ")
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
