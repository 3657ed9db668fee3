import Foundation
import Testing

@testable import Agenda

/// Picks that come from two places (domain 3.5).
struct PickSetTests {
  private let start = instant("2026-05-05T10:00:00Z")

  private func after(_ days: Double) -> Date { start.addingTimeInterval(days * 86_400) }

  @Test func `the last word counts, and a pick wins a tie`() {
    #expect(PickSet.Entry(picked: 5, removed: 4).isChosen)
    #expect(PickSet.Entry(picked: 5, removed: 5).isChosen)
    #expect(!PickSet.Entry(picked: 5, removed: 6).isChosen)
    #expect(!PickSet.Entry(picked: nil, removed: 6).isChosen)
    #expect(PickSet.Entry(picked: 0, removed: nil).isChosen)
  }

  @Test func `add, remove, add again: it is there`() {
    var picks = PickSet()
    picks.pick("a", at: start)
    picks.remove("a", at: after(1))
    #expect(!picks.contains("a"))
    picks.pick("a", at: after(2))
    #expect(picks.contains("a"))
    // By a clock that has been set back.
    picks.remove("a", at: start)
    #expect(!picks.contains("a"))
    picks.pick("a", at: start)
    #expect(picks.contains("a"))
    picks.remove("never", at: start)
    #expect(picks.entries.keys.sorted() == ["a"])
  }

  @Test func `merging is the same in any order, and as often as one likes`() {
    var dice = Dice(11)
    for _ in 0..<200 {
      let sets = (0..<3).map { _ in
        PickSet(
          entries: Dictionary(
            uniqueKeysWithValues: ["a", "b", "c"].map { id in
              (
                id,
                PickSet.Entry(
                  picked: Bool.random(using: &dice) ? Int.random(in: 0...3, using: &dice) : nil,
                  removed: Bool.random(using: &dice) ? Int.random(in: 0...3, using: &dice) : nil)
              )
            }))
      }
      func merged(_ order: [Int]) -> PickSet {
        var set = PickSet()
        for index in order { set.merge(sets[index]) }
        return set
      }
      let once = merged([0, 1, 2])
      for order in [[2, 1, 0], [1, 0, 2], [0, 0, 1, 2, 1]] { #expect(merged(order) == once) }
      // Nothing that one place has is lost unless another took it back later.
      for set in sets {
        for id in set.chosen where !once.contains(id) {
          #expect(sets.contains { ($0.entries[id]?.removed ?? .min) > (set.entries[id]?.picked ?? .min) })
        }
      }
    }
  }

  @Test func `a removal is not undone by a list that does not know of it, for 30 days`() {
    var picks = PickSet()
    picks.pick("a", at: start)
    picks.remove("a", at: start)
    let list = ["a": start]
    var result = picks.bring(list, since: nil, at: after(30))
    #expect(result.ignored == ["a"] && !picks.contains("a"))
    // Picked at the very millisecond of the removal: the list does not know of it.
    let removed = Date(milliseconds: picks.entries["a"]?.removed ?? 0)
    result = picks.bring(["a": removed], since: nil, at: after(1))
    #expect(result.ignored == ["a"])
    result = picks.bring(list, since: nil, at: after(30.01))
    #expect(result.cameBack == ["a"] && result.added == ["a"] && picks.contains("a"))
  }

  @Test func `a pick after the removal counts at once`() {
    var picks = PickSet()
    picks.pick("a", at: start)
    picks.remove("a", at: after(1))
    let result = picks.bring(["a": after(2)], since: nil, at: after(2))
    #expect(result.added == ["a"] && result.cameBack.isEmpty && picks.contains("a"))
  }

  @Test func `what a list dropped since the last time is taken back`() {
    var picks = PickSet()
    let list = Dictionary(uniqueKeysWithValues: ["a", "b", "c", "d"].map { ($0, start) })
    #expect(picks.bring(list, since: nil, at: start).added.count == 4)
    picks.pick("mine", at: start)
    let result = picks.bring(["a": start, "b": start], since: Set(list.keys), at: after(1))
    #expect(result.dropped == ["c", "d"] && !result.isDropRefused)
    #expect(picks.chosen == ["a", "b", "mine"])
  }

  @Test(arguments: [[], ["a"]])
  func `a list that has lost its picks takes nothing back`(_ left: [String]) {
    var picks = PickSet()
    let all = ["a", "b", "c"]
    _ = picks.bring(Dictionary(uniqueKeysWithValues: all.map { ($0, start) }), since: nil, at: start)
    let result = picks.bring(Dictionary(uniqueKeysWithValues: left.map { ($0, start) }), since: Set(all), at: after(1))
    #expect(result.isDropRefused && result.dropped.isEmpty)
    #expect(picks.chosen == Set(all))
  }

  @Test func `removals are forgotten after a year, picks are not`() {
    var picks = PickSet()
    picks.pick("a", at: start)
    picks.pick("b", at: start)
    picks.remove("b", at: start)
    picks.forget(at: after(365))
    #expect(picks.entries.count == 2)
    picks.forget(at: after(366))
    #expect(picks.entries.keys.sorted() == ["a"])
  }

  @Test func `a pick is an event's UID, or what stands before its @`() {
    var picks = PickSet()
    picks.pick("talk-1", at: start)
    picks.pick("talk-2@x.org", at: start)
    let items = ["talk-1", "talk-1@x.org", "talk-2", "talk-2@x.org", "talk-11@x.org"].map { item($0, "10:00") }
    #expect(picks.chosen(of: items).map(\.instance.uid) == ["talk-1", "talk-1@x.org", "talk-2@x.org"])
  }
}

struct PicksFileTests {
  private func file(_ text: String) throws(PicksError) -> PicksFile { try PicksFile(Array(text.utf8)) }

  @Test(arguments: [
    #"{"picks":[{"id":"a","at":"2026-05-05T10:00:00.000Z"}]}"#,
    #"{"picks":[{"id":"a","at":"2026-05-05T12:00:00+02:00"}],"theme":"dark"}"#,
    #"{"picks":[{"id":"a","at":1777975200000}],"removed":[]}"#, #"[{"id":"a","at":1777975200000.0}]"#,
    #"[{"id":"a","at":"2026-05-04T10:00:00Z"},{"id":"a","at":"2026-05-05T10:00:00Z"}]"#,
  ]) func `a pick is read as any of its forms`(_ text: String) throws {
    let entries = try file(text).picks.entries
    #expect(entries == ["a": PickSet.Entry(picked: 1_777_975_200_000, removed: nil)])
  }

  @Test func `a bare id is a pick that any removal takes back`() throws {
    #expect(try file(#"["a","b"]"#).picks.chosen == ["a", "b"])
    #expect(try file(#"{"picks":["a","b"],"removed":[{"id":"a","at":1}],"venue":["R1"]}"#).picks.chosen == ["b"])
  }

  @Test(arguments: [
    ("", PicksError.notPicks), ("<html>", .notPicks), ("{}", .notPicks), ("null", .notPicks),
    (#"{"picks":{}}"#, .notPicks),
    (#"[{"at":1}]"#, .badPick(1)), (#"["a",{"id":"b","at":"yesterday"}]"#, .badPick(2)), (#"["a",""]"#, .badPick(2)),
    (#"[{"id":"a","at":1e300}]"#, .badPick(1)), (#"[{"id":"a","at":253402300800000}]"#, .badPick(1)),
    (#"["a",{"id":"b","at":-62135596800001}]"#, .badPick(2)),
    (#"[7]"#, .badPick(1)), (#"[{"id":"a","at":null}]"#, .badPick(1)),
  ]) func `a file with a part that is not understood is refused whole`(_ text: String, _ error: PicksError) {
    #expect(throws: error) { try file(text) }
    #expect(error.sentence.contains(": "))
  }

  @Test func `a pick at either end of the years 1 to 9999 is the same when it is read again`() throws {
    let ends = try file(#"[{"id":"a","at":-62135596800000},{"id":"b","at":253402300799999}]"#)
    #expect(try PicksFile(ends.bytes) == ends)
  }

  @Test func `too much is refused`() {
    #expect(throws: PicksError.tooLarge(limit: PicksFile.mostBytes)) {
      try PicksFile([UInt8](repeating: 32, count: PicksFile.mostBytes + 1))
    }
    let many = "[" + (0...PicksFile.mostPicks).map { "\"\($0)\"" }.joined(separator: ",") + "]"
    #expect(throws: PicksError.tooMany(limit: PicksFile.mostPicks)) { try file(many) }
  }

  @Test func `what is written is read as the same`() throws {
    var picks = PickSet()
    let start = instant("2026-05-05T10:00:00Z").addingTimeInterval(0.123)
    for id in ["a", "ü/\"x\"", "c"] { picks.pick(id, at: start) }
    picks.remove("c", at: start)
    let written = PicksFile(picks: picks, venue: ["Room 1"])
    #expect(try PicksFile(written.bytes) == written)
    #expect(String(decoding: written.bytes, as: UTF8.self).contains(#""at":"2026-05-05T10:00:00.123Z""#))
  }
}
