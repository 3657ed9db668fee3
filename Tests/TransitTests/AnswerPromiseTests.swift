import Foundation
import Testing

@testable import Transit

/// What must hold for every answer of every server.
///
/// `ONEBUSAWAY_ANSWERS` may name a folder with more of them, such as recordings of the household's own server.
struct AnswerPromiseTests {
  static let folders = [fixtureFolder] + [ProcessInfo.processInfo.environment["ONEBUSAWAY_ANSWERS"]].compactMap(\.self)

  @Test(arguments: folders)
  func `times are believable, rows are in order and one a call, nothing has left, ids are untouched`(
    _ folder: String
  ) throws {
    var answers = 0
    for (name, body) in try bodies(in: folder) {
      guard let answer = try? reply(body, .arrivals(stop: "1_0", minutesAfter: 35)).arrivals() else { continue }
      answers += 1
      let rows = rows(answer, at: answer.time)
      let text = String(decoding: body, as: UTF8.self).replacing("\\/", with: "/")
      for row in rows {
        #expect(row.at >= answer.time && row.at.timeIntervalSince1970 > 978_307_200, "\(name)")
        #expect(abs(row.at.timeIntervalSince(row.scheduledAt)) < 86_400, "\(name): \(row.trip)")
        #expect(row.minutes ?? 0 >= 0, "\(name): \(row.trip)")
        #expect(text.contains("\"\(row.trip)\"") && text.contains("\"\(row.route)\""), "\(name): \(row.trip)")
      }
      #expect(Set(rows.map(\.key)).count == rows.count, "\(name)")
      #expect(zip(rows, rows.dropFirst()).allSatisfy { $0.at <= $1.at }, "\(name)")
      // The same rows in another order of the list are the same board.
      var shuffled = answer
      for seed in 0..<5 as Range<UInt64> {
        var dice = Dice(seed)
        shuffled.visits.shuffle(using: &dice)
        #expect(ordered(shuffled) == rows, "\(name)")
      }
    }
    #expect(answers >= 10)
  }

  private func ordered(_ answer: StopAnswer) -> [Arrival] { rows(answer, at: answer.time) }
}
