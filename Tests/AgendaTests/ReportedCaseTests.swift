import Foundation
import Testing

@testable import Agenda

/// What others got wrong and somebody reported: calendars of Fixtures/agenda and what a wall shows of them. `cases.json`
/// says where each comes from, and where the answer is not that of icalendar and recurring-ical-events.
struct ReportedCaseTests {
  struct Case: Decodable, Sendable, CustomTestStringConvertible {
    let file: String
    let source: String
    let zone: String
    let from: String
    let to: String
    /// `start`, `start..end`, each with or without a title behind it; an instant or a day.
    let expected: [String]
    /// Kinds of problems.
    let problems: [String]

    var testDescription: String { "\(file) (\(source))" }
  }

  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fixtures/agenda")
  static let cases =
    (try? JSONDecoder().decode([Case].self, from: Data(contentsOf: folder.appending(path: "cases.json")))) ?? []

  @Test func `there are cases, and each calendar is in one`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".ics") }
    #expect(files.count >= 60)
    #expect(Set(files) == Set(Self.cases.map(\.file)))
  }

  @Test(arguments: cases) func `the wall shows what people mean`(_ one: Case) throws {
    let feed = try CalendarFeed.parse(Array(Data(contentsOf: Self.folder.appending(path: one.file))))
    let zone = zone(one.zone)
    let found = feed.instances(one.from, one.to, in: zone).map {
      instance -> (start: String, end: String, title: String) in
      (instance.starts(in: zone), instance.ends(in: zone), instance.title)
    }
    try #require(found.map(\.start) == one.expected.map { Self.split($0).start })
    for (found, expected) in zip(found, one.expected.map(Self.split)) {
      if let end = expected.end { #expect(found.end == end) }
      if let title = expected.title { #expect(found.title == title) }
    }
    #expect(feed.problems.map { Self.name($0.kind) } == one.problems)
  }

  private static func split(_ text: String) -> (start: String, end: String?, title: String?) {
    let parts = text.split(separator: " ", maxSplits: 1)
    let times = String(parts[0]).split(separator: "..").map(String.init)
    return (times[0], times.count > 1 ? times[1] : nil, parts.count > 1 ? String(parts[1]) : nil)
  }

  private static func name(_ kind: EventProblem.Kind) -> String {
    switch kind {
    case .noStart: "noStart"
    case .badStart: "badStart"
    case .notClosed: "notClosed"
    case .badProperty: "badProperty"
    case .unknownZone: "unknownZone"
    case .unsupportedRule: "unsupportedRule"
    case .tooManyRepetitions: "tooManyRepetitions"
    case .tooLong: "tooLong"
    }
  }
}
