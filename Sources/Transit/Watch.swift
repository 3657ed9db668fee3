/// A stop and route to show inside a time window, as the household asks for it (DESIGN 4.3).
package struct Watch: Equatable, Sendable, Identifiable {
  package var id: String
  /// The provider, such as `onebusaway`.
  package var source: String
  package var stop: TransitID
  package var route: TransitID
  /// False: not shown and not asked for.
  package var isEnabled: Bool
  package var window: WatchWindow
  /// Minutes from the door to the stop, 0 to 240; nil: no advice when to leave.
  package var walkMinutes: Int?

  package init(
    id: String, source: String = "onebusaway", stop: TransitID, route: TransitID, isEnabled: Bool = true,
    window: WatchWindow = .usual, walkMinutes: Int? = nil
  ) {
    self.id = id
    self.source = source
    self.stop = stop
    self.route = route
    self.isEnabled = isEnabled
    self.window = window
    self.walkMinutes = walkMinutes
  }

  package var stopKey: StopKey { StopKey(source: source, stop: stop) }
}

/// A stop of a provider: what is asked for, once, however many watches look at it.
package struct StopKey: Hashable, Sendable {
  package var source: String
  package var stop: TransitID

  package init(source: String, stop: TransitID) {
    self.source = source
    self.stop = stop
  }
}
