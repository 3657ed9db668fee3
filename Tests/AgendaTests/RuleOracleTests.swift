import Foundation
import Testing

@testable import Agenda

/// What `.ci/rrule-oracle` asks: it makes the calendars, and holds the answers against those of another program.
struct RuleOracleTests {
  struct Question: Decodable {
    let calendar: String
    let zone: String
    /// Seconds since 1970.
    let from: Double
    let to: Double
  }

  static let folder = ProcessInfo.processInfo.environment["RRULE_ORACLE"]

  @Test(.enabled(if: folder != nil, "only .ci/rrule-oracle asks"))
  func `the questions of the oracle are answered`() throws {
    let folder = URL(filePath: try #require(Self.folder))
    let questions = try JSONDecoder().decode(
      [Question].self, from: Data(contentsOf: folder.appending(path: "questions.json")))
    try #require(!questions.isEmpty)
    let answers = try questions.map { question in
      try CalendarFeed.parse(Array(question.calendar.utf8)).instances(
        from: Date(timeIntervalSince1970: question.from), to: Date(timeIntervalSince1970: question.to),
        in: zone(question.zone)
      ).instances.map { instance in
        switch instance.span {
        case .days(let first, _): first.description
        case .times(let start, _): String(start.wholeSeconds)
        }
      }
    }
    try JSONEncoder().encode(answers).write(to: folder.appending(path: "answers.json"))
  }
}
