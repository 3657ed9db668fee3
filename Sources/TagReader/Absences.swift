/// How long each reader that was there has been away. Pure.
///
/// Readers are counted by their names without pcscd's numbers: one that is plugged in again gets other numbers, and of two
/// alike one that is missing is missed.
struct Absences {
  private struct Kind {
    var most = 0
    var away: Duration = .zero
    var since: Duration?
  }

  private var kinds: [String: Kind] = [:]

  /// - Parameter available: the names of all readers that work now, numbers cut off.
  mutating func update(available: [String], at now: Duration) {
    let counts = Dictionary(available.map { ($0, 1) }, uniquingKeysWith: +)
    for name in Set(kinds.keys).union(counts.keys) {
      var kind = kinds[name] ?? Kind()
      let count = counts[name] ?? 0
      if count >= kind.most {
        kind = Kind(most: count)
      } else if kind.since == nil {
        kind.since = now
      }
      kinds[name] = kind
    }
  }

  /// pcscd is gone: nobody can tell now whether a reader is there, and this time does not count.
  mutating func pause(at now: Duration) {
    for (name, kind) in kinds {
      guard let since = kind.since else { continue }
      kinds[name]?.away += now - since
      kinds[name]?.since = nil
    }
  }

  /// So much of the time until now counts for nobody.
  mutating func forgive(_ duration: Duration) {
    for (name, kind) in kinds { kinds[name]?.since = kind.since.map { $0 + duration } }
  }

  /// The first reader, by name, that has been away for so long; nil while pcscd is gone.
  func gone(for limit: Duration, at now: Duration) -> String? {
    kinds.filter { _, kind in kind.since.map { kind.away + (now - $0) >= limit } ?? false }.keys.min()
  }
}
