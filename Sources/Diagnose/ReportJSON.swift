internal import Foundation
internal import Linux

extension Report {
  private struct Line: Encodable {
    var schema = 1
    var id: String
    var title: String
    var status: String
    var ms: Int
    var seen: [String: String]
    var means: String?
    var remedies: [String]
    var needs: [String]
    var impact: String

    private enum CodingKeys: String, CodingKey {
      case schema, id, title, status, ms, seen, means, needs, impact
      case remedies = "do"
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(schema, forKey: .schema)
      try container.encode(id, forKey: .id)
      try container.encode(title, forKey: .title)
      try container.encode(status, forKey: .status)
      try container.encode(ms, forKey: .ms)
      try container.encode(seen, forKey: .seen)
      // Every named key is always there (DESIGN 4.1).
      try container.encode(means, forKey: .means)
      try container.encode(remedies, forKey: .remedies)
      try container.encode(needs, forKey: .needs)
      try container.encode(impact, forKey: .impact)
    }
  }

  private struct Ending: Encodable {
    struct Summary: Encodable {
      var pass = 0
      var warn = 0
      var fail = 0
      var skip = 0
      var timeout = 0
      var crash = 0
      var first: String?
      var exit: Int32

      private enum CodingKeys: CodingKey { case pass, warn, fail, skip, timeout, crash, first, exit }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(pass, forKey: .pass)
        try container.encode(warn, forKey: .warn)
        try container.encode(fail, forKey: .fail)
        try container.encode(skip, forKey: .skip)
        try container.encode(timeout, forKey: .timeout)
        try container.encode(crash, forKey: .crash)
        try container.encode(first, forKey: .first)
        try container.encode(exit, forKey: .exit)
      }
    }
    var summary: Summary
  }

  private struct Note: Encodable {
    var note: String
  }

  /// What a check says while it is under way.
  package static func jsonNote(_ line: String) -> String { encode(Note(note: line)) }

  private struct Listed: Encodable {
    var id: String
    var title: String
    var needs: [String]
    var impact: String
  }

  /// One check as a line of JSON.
  package static func json(_ outcome: Outcome) -> String {
    encode(
      Line(
        id: outcome.check.id, title: outcome.check.title, status: outcome.finding.status.rawValue,
        ms: max(0, outcome.took.inMilliseconds),
        seen: Dictionary(outcome.finding.seen.map { ($0.name, Redaction.clean($0.value)) }) { first, _ in first },
        means: outcome.finding.means.map(Redaction.clean), remedies: outcome.finding.remedies.map(Redaction.clean),
        needs: outcome.check.needs, impact: outcome.check.impact.rawValue))
  }

  /// The last line: how many of each, and where to start.
  package static func jsonEnding(_ outcomes: [Outcome]) -> String {
    var summary = Ending.Summary(first: first(outcomes)?.check.id, exit: exitCode(outcomes))
    for outcome in outcomes {
      switch outcome.finding.status {
      case .pass: summary.pass += 1
      case .warn: summary.warn += 1
      case .fail: summary.fail += 1
      case .skip: summary.skip += 1
      case .timeout: summary.timeout += 1
      case .crash: summary.crash += 1
      }
    }
    return encode(Ending(summary: summary))
  }

  /// The names of all checks, one object a line.
  package static func jsonList(_ checks: [Check]) -> String {
    checks.map { encode(Listed(id: $0.id, title: $0.title, needs: $0.needs, impact: $0.impact.rawValue)) }
      .joined(separator: "\n")
  }

  static func encode(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
