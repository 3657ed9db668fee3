internal import Configuration
package import Transit

/// What the household wants to see of buses.
package struct WatchList: Equatable, Sendable {
  /// In the household's order.
  package var watches: [Watch] = []
  /// The household's short names, by watch.
  package private(set) var labels: [String: String] = [:]

  package init() {}

  /// - Parameters:
  ///   - document: the ledger's section `watches`; nil: there is none.
  ///   - source: the provider whose watches these are.
  package init(_ document: String?, source: String) {
    let written = document.flatMap(HouseholdFile.watches(in:)) ?? []
    for watch in written where watch.source == source {
      labels[watch.id] = watch.label
      let window = watch.window.flatMap { WatchWindow(days: $0.days, from: $0.from, to: $0.to) } ?? .usual
      watches.append(
        Watch(
          id: watch.id, source: source, stop: TransitID(watch.stop), route: TransitID(watch.route),
          isEnabled: watch.enabled, window: window, walkMinutes: watch.walkMinutes))
    }
  }

  /// Those that are switched on.
  package var enabled: [Watch] { watches.filter(\.isEnabled) }
}
