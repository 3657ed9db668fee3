internal import Foundation

extension WallInput {
  /// A wall has room for four cards (DESIGN 5.5); a small one shows fewer of them and counts the rest itself.
  private static let mostCards = 4

  /// Where each card of the rail belongs now, for `RailOrder`.
  package var railPlaces: [RailPlace] {
    railWriter(Words.of(language)).cards(of: railWithFaults, clockTrusted: clockTrusted).map(\.place)
  }

  /// The rail with the sources that fail and the bells that ring soon.
  var railWithFaults: RailInput {
    var rail = rail
    let words = Words.of(language)
    if let period { rail.periodChanges += periodWriter(words).changes(period) }
    let writer = SourceWriter(now: now, zone: zone, words: words, names: names)
    rail.faults += sources.compactMap(writer.fault)
    return rail
  }

  func periodWriter(_ words: Words) -> PeriodWriter { PeriodWriter(now: now, zone: zone, words: words, names: names) }

  func railWriter(_ words: Words) -> RailWriter { RailWriter(now: now, zone: zone, words: words) }

  /// The cards as people see them, and how many more there are.
  func railShown(_ words: Words) -> Snapshot.Rail {
    let order = Dictionary(railOrder.enumerated().map { ($1, $0) }) { first, _ in first }
    let cards = railWriter(words).cards(of: railWithFaults, clockTrusted: clockTrusted).sorted { a, b in
      let (one, two) = (order[a.place.id] ?? .max, order[b.place.id] ?? .max)
      return one == two ? a.place < b.place : one < two
    }
    let shown = cards.prefix(Self.mostCards)
    return Snapshot.Rail(cards: shown.map(\.card), more: cards.count - shown.count)
  }
}

extension Snapshot.Card {
  /// Bytes of JSON, at most: keys and an instant, and texts whose every byte may be a quote.
  var weight: Int {
    180 + 2 * [id, kind, badge, title, detail, value, unit, style].reduce(0) { $0 + $1.utf8.count }
  }
}
