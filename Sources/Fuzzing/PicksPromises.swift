internal import Agenda
internal import Foundation

/// What the reader of picks promises, and that nothing is lost on the way out and in again.
enum PicksPromises {
  /// Milliseconds since 1970 of the years 1 to 9999.
  private static let instants = -62_135_596_800_000..<253_402_300_800_000

  static func check(_ bytes: [UInt8]) throws(BrokenPromise) {
    let file: PicksFile
    do throws(PicksError) { file = try PicksFile(bytes) } catch {
      try DocumentPromises.check(shown: error.sentence, "a sentence")
      return
    }
    let entries = file.picks.entries
    try expect(entries.count <= PicksFile.mostPicks, "\(entries.count) picks")
    for (id, entry) in entries {
      try expect((1...500).contains(id.utf8.count), "an id of \(id.utf8.count) bytes")
      let times = [entry.picked, entry.removed].compactMap(\.self)
      try expect(!times.isEmpty, "neither picked nor taken back")
      try expect(times.allSatisfy(instants.contains), "at no instant of the years 1 to 9999")
    }
    try expect((try? PicksFile(file.bytes)) == file, "what was written is read as something else")
    try check(file.picks)
  }

  private static func check(_ picks: PickSet) throws(BrokenPromise) {
    var merged = picks
    merged.merge(picks)
    try expect(merged == picks, "merged with itself it is another set")
    let now = Date(timeIntervalSince1970: 1_777_000_000)
    for id in picks.entries.keys {
      var changed = picks
      changed.pick(id, at: now)
      try expect(changed.contains(id), "what was picked is not chosen")
      changed.remove(id, at: now)
      try expect(!changed.contains(id), "what was taken back is chosen")
    }
    var kept = picks
    kept.forget(at: now)
    try expect(kept.chosen == picks.chosen, "what is chosen was forgotten")
    var brought = picks
    let done = brought.bring(
      Dictionary(uniqueKeysWithValues: picks.entries.keys.map { ($0, now) }), since: nil, at: now)
    try expect(brought.chosen.isSuperset(of: picks.chosen), "bringing a list took something back")
    try expect(brought.chosen == picks.chosen.union(done.added), "something was added that is not told")
  }
}
