internal import Foundation
internal import Testing

@testable internal import Wall

@Suite struct NextTextChangeTests {
  @Test(
    arguments: [
      (at(2, "8:08"), [], at(2, "8:09")), (at(2, "8:08") + 59.5, [], at(2, "8:09")),
      (at(2, "8:08"), [at(2, "8:00") + 20], at(2, "8:08") + 20),
      (at(2, "8:08") + 20, [at(2, "8:00") + 20], at(2, "8:09")),
      (at(2, "8:08") + 30, [at(2, "8:00") + 20, at(2, "8:00") + 40], at(2, "8:08") + 40),
    ] as [(Date, [Date], Date)])
  func `the clock changes at its minute, a lateness at its own`(now: Date, due: [Date], next: Date) {
    var input = input(now: now)
    input.late = due.map { dose($0) }
    #expect(input.nextTextChange == next)
  }

  @Test func `between now and the next change no text changes, and then one does`() throws {
    var seconds = 0.0
    for zone in ["America/Los_Angeles", "Asia/Kathmandu", "Australia/Lord_Howe", "America/Santiago"] {
      let zone = try #require(TimeZone(identifier: zone))
      for round in 0..<200 {
        seconds += 37.25 + Double(round)
        var input = input(now: at(1, "0:00") + seconds, zone: zone)
        input.late = [dose(at(1, "0:00") - 12.5), dose(at(1, "0:00") - 3600)]
        let before = input.snapshot(v: 1)
        let next = input.nextTextChange
        #expect(next > input.now && next.timeIntervalSince(input.now) <= 60)
        input.now = next - 0.001
        #expect(input.snapshot(v: 2).looksLike(before))
        input.now = next
        #expect(!input.snapshot(v: 3).looksLike(before))
      }
    }
  }
}
