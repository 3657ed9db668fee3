import Foundation
import Testing

@testable import Agent

struct RecordingSpansTests {
  private func at(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1_800_000_000 + seconds) }

  @Test func `spans run from able to unable, and the running one ends now`() {
    var spans = RecordingSpans()
    spans.recall([DateInterval(start: at(-100), end: at(-50))])
    let notes = [(true, 0.0), (true, 5), (false, 10), (false, 12), (true, 20)].map { spans.note(able: $0, at: at($1)) }
    #expect(notes == [true, false, true, false, true], "only a change is told")
    #expect(
      spans.all(until: at(30)) == [
        DateInterval(start: at(-100), end: at(-50)), DateInterval(start: at(0), end: at(10)),
        DateInterval(start: at(20), end: at(30)),
      ])
    spans.forget(before: at(-10))
    #expect(spans.spans == [DateInterval(start: at(0), end: at(10))])
  }

  @Test(arguments: [true, false])
  func `spans of earlier runs may be read late, and this run's own are in them once`(isOpen: Bool) {
    var spans = RecordingSpans()
    _ = spans.note(able: true, at: at(0))
    if !isOpen { _ = spans.note(able: false, at: at(10)) }
    let earlier = [DateInterval(start: at(-100), end: at(-50)), DateInterval(start: at(-40), end: at(-30))]
    spans.recall([DateInterval(start: at(0), end: at(5))] + earlier.reversed())
    #expect(spans.all(until: at(10)) == earlier + [DateInterval(start: at(0), end: at(10))])
  }

  @Test func `a clock that stepped back makes no span that ends before it starts`() {
    var spans = RecordingSpans()
    _ = spans.note(able: true, at: at(100))
    _ = spans.note(able: false, at: at(50))
    #expect(spans.all(until: at(200)) == [])
    _ = spans.note(able: true, at: at(200))
    spans.clockStepped(to: at(150))
    #expect(spans.all(until: at(160)) == [DateInterval(start: at(150), end: at(160))])
  }
}
