package import Foundation

/// The events that people chose, by id, with what they took back: two places can keep one each and bring them together.
///
/// For each id the last word counts, and a pick wins a tie. A removal is remembered for 30 days; after that a place that
/// never heard of it brings the pick back, which is said.
package struct PickSet: Equatable, Sendable {
  /// When an id was picked and when it was taken back, in milliseconds since 1970.
  package struct Entry: Equatable, Sendable {
    package var picked: Int?
    package var removed: Int?

    /// The later word, a pick in a tie.
    package var isChosen: Bool { picked.map { $0 >= removed ?? .min } ?? false }
  }

  /// What bringing in a list of picks did.
  package struct Import: Equatable, Sendable {
    package var added: Set<String> = []
    /// Added, although it had been taken back more than 30 days ago.
    package var cameBack: Set<String> = []
    /// Not added: it was taken back later.
    package var ignored: Set<String> = []
    /// Taken back, since the list no longer has what it had at the last time.
    package var dropped: Set<String> = []
    /// More than half of the list was gone: nothing was taken back for that.
    package var isDropRefused = false
  }

  package private(set) var entries: [String: Entry]

  /// For so long a removal is not undone by a list that does not know of it: 30 days.
  package static let memory = 30 * 86_400_000
  /// For so long one is known to have come back: a year.
  private static let longMemory = 365 * 86_400_000

  package init(entries: [String: Entry] = [:]) { self.entries = entries }

  /// What is chosen.
  package var chosen: Set<String> { Set(entries.filter(\.value.isChosen).keys) }

  package func contains(_ id: String) -> Bool { entries[id]?.isChosen ?? false }

  /// Chooses, also what was taken back by a clock ahead of this one.
  package mutating func pick(_ id: String, at now: Date) {
    let removed = entries[id]?.removed
    entries[id, default: Entry()].picked = max(now.milliseconds, removed.map { $0 + 1 } ?? .min)
  }

  /// Takes back, also what was chosen by a clock ahead of this one.
  package mutating func remove(_ id: String, at now: Date) {
    guard let entry = entries[id], entry.isChosen, let picked = entry.picked else { return }
    entries[id]?.removed = max(now.milliseconds, picked + 1)
  }

  /// Brings in another place's whole set, with its removals. The order of merging does not matter.
  package mutating func merge(_ other: PickSet) {
    for (id, entry) in other.entries {
      var own = entries[id] ?? Entry()
      own.picked = [own.picked, entry.picked].compactMap(\.self).max()
      own.removed = [own.removed, entry.removed].compactMap(\.self).max()
      entries[id] = own
    }
  }

  /// Brings in a list from a place that keeps no removals.
  ///
  /// - Parameters:
  ///   - list: what it has chosen, by id, with when.
  ///   - last: what it had at the last time; nil: this is the first. What is missing since then counts as taken back, unless
  ///     the list is empty or more than half is missing: then it has lost its picks.
  package mutating func bring(_ list: [String: Date], since last: Set<String>?, at now: Date) -> Import {
    var result = Import()
    for (id, date) in list where !contains(id) {
      let picked = date.milliseconds
      if let removed = entries[id]?.removed {
        let isRemembered = now.milliseconds - removed <= Self.memory
        guard picked > removed || !isRemembered else {
          result.ignored.insert(id)
          continue
        }
        if picked <= removed { result.cameBack.insert(id) }
        entries[id]?.picked = max(picked, removed + 1)
      } else {
        entries[id] = Entry(picked: picked)
      }
      result.added.insert(id)
    }
    let missing = (last ?? []).subtracting(list.keys)
    if list.isEmpty || missing.count * 2 > last?.count ?? 0 {
      result.isDropRefused = !missing.isEmpty
    } else {
      for id in missing where contains(id) {
        remove(id, at: now)
        result.dropped.insert(id)
      }
    }
    return result
  }

  /// Forgets removals of more than a year ago.
  package mutating func forget(at now: Date) {
    entries = entries.filter { _, entry in
      entry.isChosen || now.milliseconds - (entry.removed ?? .min / 2) <= Self.longMemory
    }
  }

  /// Which of the items are chosen. A pick is a bare name: `talk-12` also means the UID `talk-12@conference.example`.
  package func chosen(of items: [AgendaItem]) -> [AgendaItem] {
    items.filter { item in
      let uid = item.instance.uid
      return contains(uid) || uid.firstIndex(of: "@").map { contains(String(uid[..<$0])) } ?? false
    }
  }
}

extension Date {
  /// Milliseconds since 1970, of the years 1 to 9999.
  var milliseconds: Int {
    Int((min(max(timeIntervalSince1970, -62_135_596_800), 253_402_300_799.999) * 1000).rounded())
  }

  init(milliseconds: Int) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
