internal import Linux

/// What the technician reads: on a telephone over SSH, so no line is longer than 60 columns.
package enum Report {
  /// Columns of a line, at most.
  package static let width = 60

  /// 0 all pass, 1 warnings, 2 failures, 3 nothing could be looked at (DESIGN 4.1).
  package static func exitCode(_ outcomes: [Outcome]) -> Int32 {
    let looked = outcomes.filter { $0.finding.status != .skip }
    if looked.allSatisfy({ $0.finding.status == .crash }) { return 3 }
    if outcomes.contains(where: { $0.finding.status.blocks }) { return 2 }
    return outcomes.contains { $0.finding.status == .warn } ? 1 : 0
  }

  /// The first failure along the tap's path; without one the first warning.
  package static func first(_ outcomes: [Outcome]) -> Outcome? {
    outcomes.first { $0.finding.status.blocks } ?? outcomes.first { $0.finding.status == .warn }
  }

  /// One check: its line, and what was seen, what it means and what to do unless it passed.
  package static func text(_ outcome: Outcome) -> String {
    let finding = outcome.finding
    let milliseconds = finding.status == .skip ? "" : "\(max(0, outcome.took.inMilliseconds)) ms"
    let head =
      padded(finding.status.rawValue, 8) + padded(outcome.check.id, 4)
      + padded(String(outcome.check.title.prefix(37)), 38)
    let line = head + String(repeating: " ", count: max(0, width - head.count - milliseconds.count)) + milliseconds
    return ([line.trimmed] + details(finding)).joined(separator: "\n")
  }

  private static func details(_ finding: Finding) -> [String] {
    switch finding.status {
    case .pass: return []
    case .skip: return finding.means.map { wrapped("why:", $0) } ?? []
    default:
      let seen = finding.seen.map { "\($0.name): \($0.value)" }.joined(separator: "; ")
      return (seen.isEmpty ? [] : wrapped("seen:", seen)) + (finding.means.map { wrapped("means:", $0) } ?? [])
        + finding.remedies.flatMap { wrapped("do:", $0) }
    }
  }

  /// The end of a report: how many of each, and where to start.
  package static func ending(_ outcomes: [Outcome]) -> String {
    var lines = [""]
    if let first = first(outcomes) {
      lines.append("START HERE: \(first.check.id) \(first.check.title)")
      lines += details(first.finding)
      lines.append("")
    }
    let counts = Finding.Status.allCases.compactMap { status -> String? in
      let count = outcomes.count { $0.finding.status == status }
      return count == 0 ? nil : "\(count) \(status.rawValue)"
    }
    lines.append(counts.joined(separator: ", "))
    if exitCode(outcomes) == 0 { lines.append("This kiosk is ready.") }
    return lines.joined(separator: "\n")
  }

  /// One line for a run of many: how many failures, and the first of them.
  package static func brief(_ outcomes: [Outcome]) -> String {
    let count = outcomes.count { $0.finding.status.blocks }
    guard let first = first(outcomes) else { return "nothing fails" }
    return "\(count) failed, first \(first.check.id) \(first.check.title.prefix(24))"
  }

  /// What a check says while it is under way.
  package static func note(_ line: String) -> String { wrapped("", line).joined(separator: "\n") }

  /// The names of all checks, one a line.
  package static func list(_ checks: [Check]) -> String {
    checks.map { padded($0.id, 4) + $0.title }.joined(separator: "\n")
  }

  // MARK: Lines

  private static func padded(_ text: String, _ count: Int) -> String {
    text + String(repeating: " ", count: max(0, count - text.count))
  }

  /// A labelled text, broken at blanks. A command that is broken can still be pasted: each of its lines but the last ends in
  /// a backslash.
  static func wrapped(_ label: String, _ text: String) -> [String] {
    let indent = "  " + padded(label, 7)
    let isCommand = ["sudo ", "kiosk-agent "].contains { text.hasPrefix($0) }
    let room = width - indent.count - (isCommand ? 2 : 0)
    var lines: [String] = []
    var line = ""
    for word in Redaction.clean(text).split(separator: " ").flatMap({ pieces(of: String($0), room) }) {
      if line.isEmpty {
        line = word
      } else if line.columns + 1 + word.columns <= room {
        line += " " + word
      } else {
        lines.append(line)
        line = word
      }
    }
    lines.append(line)
    return lines.enumerated().map { index, line in
      let isLast = index == lines.count - 1
      return (index == 0 ? indent : String(repeating: " ", count: indent.count)) + line
        + (isCommand && !isLast ? " \\" : "")
    }
  }

  private static func pieces(of word: String, _ room: Int) -> [String] {
    var pieces = [""]
    var taken = 0
    for character in word {
      if taken + character.columns > room {
        pieces.append("")
        taken = 0
      }
      pieces[pieces.count - 1].append(character)
      taken += character.columns
    }
    return pieces
  }
}

extension Character {
  /// How many columns a terminal gives it: 2 for most emoji and for the scripts of East Asia (Unicode TR 11, "wide").
  fileprivate var columns: Int {
    let wide: [ClosedRange<UInt32>] = [
      0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x20000...0x3FFFD,
    ]
    let isWide = unicodeScalars.contains { scalar in
      scalar.properties.isEmojiPresentation || scalar.value == 0xFE0F || wide.contains { $0.contains(scalar.value) }
    }
    return isWide ? 2 : 1
  }
}

extension String {
  /// Columns of a terminal.
  var columns: Int { reduce(0) { $0 + $1.columns } }

  fileprivate var trimmed: String { String(reversed().drop { $0 == " " }.reversed()) }
}
