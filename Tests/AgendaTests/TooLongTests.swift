import Foundation
import Testing

@testable import Agenda

/// What is longer than anybody reads costs its own event, is said, and costs no other.
struct TooLongTests {
  private static let limit = LineReader.longestLine

  /// `head`, filled to so many bytes by a parameter or a value that means nothing.
  private static func line(_ head: String, _ tail: String, bytes: Int) -> String {
    let fill = String(repeating: "x", count: bytes - head.utf8.count - tail.utf8.count)
    return folded(head + fill + tail)
  }

  /// As RFC 5545 3.1 wants it: 75 bytes a line.
  private static func folded(_ line: String) -> String {
    let bytes = Array(line.utf8)
    return stride(from: 0, to: bytes.count, by: 74)
      .map { String(decoding: bytes[$0..<min($0 + 74, bytes.count)], as: UTF8.self) }.joined(separator: "\r\n ")
  }

  private static func feed(_ lines: String...) throws -> CalendarFeed {
    try CalendarFeed.parse(
      calendar(
        event("before", "DTSTART:20260505T140000Z"), event("long", lines.joined(separator: "\r\n")),
        event("after", "DTSTART:20260505T160000Z")))
  }

  private static func shown(_ feed: CalendarFeed) -> [String] {
    feed.instances("2026-05-05", "2026-05-06").map(\.uid)
  }

  /// Lines that decide when something takes place: a part of one would be another time.
  @Test(
    arguments: [
      ("DTSTART;X-A=", ":20260505T150000Z", []), ("DTEND;X-A=", ":20260505T153000Z", ["DTSTART:20260505T150000Z"]),
      ("DURATION;X-A=", ":PT1H", ["DTSTART:20260505T150000Z"]),
      ("RRULE;X-A=", ":FREQ=DAILY", ["DTSTART:20260505T150000Z"]),
      ("EXDATE;X-A=", ":20260506T150000Z", ["DTSTART:20260505T150000Z", "RRULE:FREQ=DAILY"]),
      ("RDATE;X-A=", ":20260506T150000Z", ["DTSTART:20260505T150000Z"]),
      ("STATUS;X-A=", ":TENTATIVE", ["DTSTART:20260505T150000Z"]),
      ("CLASS;X-A=", ":PRIVATE", ["DTSTART:20260505T150000Z"]),
    ] as [(String, String, [String])])
  func `a line is read whole up to its bound, and one byte more drops its event only`(
    _ head: String, _ tail: String, _ rest: [String]
  ) throws {
    let rest = rest.joined(separator: "\r\n")
    let whole = try Self.feed(rest, Self.line(head, tail, bytes: Self.limit))
    #expect(Self.shown(whole) == ["before", "long", "after"] && whole.problems.isEmpty)
    let cut = try Self.feed(rest, Self.line(head, tail, bytes: Self.limit + 1))
    #expect(Self.shown(cut) == ["before", "after"])
    let name = String(head.prefix { $0 != ";" })
    #expect(cut.problems.map(\.kind) == [.tooLong(name)] && cut.droppedCount == 1)
    #expect(
      cut.problems.first?.sentence
        == "the event at line 6 (long) is left out: its \(name) is longer than anything that is read")
  }

  /// The last of them would be cut to another day.
  @Test func `a list that is cut in the middle shows no event that was taken out`() throws {
    let days = (0..<8000).map { CalendarDay(number: 20_000 + $0).description.replacing("-", with: "") }
    let feed = try Self.feed(
      "DTSTART;VALUE=DATE:20241004", "RRULE:FREQ=DAILY",
      Self.folded("EXDATE;VALUE=DATE:" + days.joined(separator: ",")))
    #expect(!feed.instances("2030-01-01", "2030-01-02").contains { $0.uid == "long" })
    #expect(!feed.instances("2038-01-01", "2038-01-02").contains { $0.uid == "long" })
    #expect(feed.instances("2026-05-05", "2026-05-06").count == 2)
    #expect(feed.problems.map(\.kind) == [.tooLong("EXDATE")])
  }

  @Test(arguments: ["SUMMARY:", "LOCATION:", "DESCRIPTION:", "ATTACH;ENCODING=BASE64;VALUE=BINARY:", "X-A:"])
  func `a text, or what nobody reads, may be as long as it likes`(_ head: String) throws {
    let feed = try Self.feed("DTSTART:20260505T150000Z", Self.line(head, "", bytes: Self.limit * 3))
    #expect(Self.shown(feed) == ["before", "long", "after"] && feed.problems.isEmpty)
    #expect(feed.instances("2026-05-05", "2026-05-06").allSatisfy { $0.title.count <= 500 })
  }

  @Test(arguments: ["EXDATE", "RDATE"], [1, 7, 4000])
  func `ten thousand times are read, and one more drops its event only`(_ name: String, _ perLine: Int) throws {
    func lines(_ count: Int) -> String {
      let times = (0..<count).map { CalendarDay(number: 30_000 + $0).description.replacing("-", with: "") }
      return stride(from: 0, to: count, by: perLine)
        .map { Self.folded("\(name);VALUE=DATE:" + times[$0..<min($0 + perLine, count)].joined(separator: ",")) }
        .joined(separator: "\r\n")
    }
    // One property for each time would be too many properties.
    let most = perLine == 1 ? 9000 : 10_000
    let whole = try Self.feed("DTSTART;VALUE=DATE:20260505", lines(most))
    #expect(Self.shown(whole).contains("long") && whole.problems.isEmpty)
    guard perLine > 1 else { return }
    let cut = try Self.feed("DTSTART;VALUE=DATE:20260505", lines(most + 1))
    #expect(Self.shown(cut) == ["before", "after"])
    #expect(cut.problems.map(\.kind) == [.tooLong(name)])
  }

  @Test func `ten thousand properties are read, and one more drops its event only`() throws {
    func guests(_ count: Int) -> String {
      (0..<count).map { "ATTENDEE:mailto:guest\($0)@example.org" }.joined(separator: "\r\n")
    }
    // UID, DTSTART and the guests.
    let whole = try Self.feed(guests(9998), "DTSTART:20260505T150000Z")
    #expect(Self.shown(whole) == ["before", "long", "after"] && whole.problems.isEmpty)
    let cut = try Self.feed(guests(9999), "DTSTART:20260505T150000Z")
    #expect(Self.shown(cut) == ["before", "after"])
    #expect(cut.problems.map(\.kind) == [.tooLong("list of properties")])
  }
}
