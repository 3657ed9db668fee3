package import Agenda
package import Configuration
package import Feeds
internal import Foundation
package import Linux

/// A calendar that is fetched. Its address is its key: it is never shown.
package struct CalendarSubscription: Sendable {
  /// How often it is fetched when its publisher does not say how often it should be.
  package static let interval: Duration = .seconds(15 * 60)

  private let source: Source
  private let address: Address
  private let owners: [String]

  /// nil: the calendar is no address.
  ///
  /// - Parameters:
  ///   - copies: of this source; nil: nothing is read from disk or stored.
  package init?(
    _ calendar: Configuration.CalendarSource, copies: CopyFolder?, exchange: Exchange, time: any TimeSource,
    boot: String, log: Log
  ) {
    guard let address = calendar.url.flatMap(Address.init) else { return nil }
    var settings = FeedSettings(id: Self.id(of: calendar))
    settings.limit = CalendarFeed.mostBytes
    // Some publishers make a long calendar anew for everybody who asks.
    settings.deadline = .seconds(30)
    source = Source(settings, keys: nil, copies: copies, exchange: exchange, time: time, boot: boot, log: log)
    self.address = address
    owners = calendar.owners
  }

  /// All that a configuration has, by the calendars' ids.
  ///
  /// - Parameters:
  ///   - stores: whether last good copies are looked at.
  ///   - isReadOnly: what is fetched is not stored.
  package static func all(
    of configuration: Configuration, stores: Bool = true, isReadOnly: Bool = false, exchange: Exchange,
    time: any TimeSource, boot: String, log: Log
  ) -> [String: CalendarSubscription] {
    var all: [String: CalendarSubscription] = [:]
    for calendar in configuration.calendars {
      let copies = CopyFolder(
        stateDirectory: configuration.stateDirectory, source: id(of: calendar), isReadOnly: isReadOnly)
      all[calendar.id] = CalendarSubscription(
        calendar, copies: stores ? copies : nil, exchange: exchange, time: time, boot: boot, log: log)
    }
    return all
  }

  /// As on the wall (DESIGN 4.2).
  package static func id(of calendar: Configuration.CalendarSource) -> String { "calendar:\(calendar.id)" }

  /// Asks for it unless it is too early; then, and when that fails, the last good copy answers.
  ///
  /// - Parameter known: what was last read: a publisher may say how often it wants to be asked.
  package func fetch(known: CalendarFeed?) async throws(CancellationError) -> Reading<CalendarFeed> {
    try await source.fetch(resource(known)) { [owners] delivery throws(Objection) in
      try Self.parse(delivery, owners)
    }
  }

  /// What the last good copy says, without a request.
  package func kept() async -> Reading<CalendarFeed> {
    await source.latest(resource(nil)) { [owners] delivery throws(Objection) in try Self.parse(delivery, owners) }
  }

  private func resource(_ known: CalendarFeed?) -> Resource {
    let interval = known?.refreshInterval.map { Duration.seconds($0) } ?? Self.interval
    return Resource(name: "calendar", address: address, freshness: Freshness(interval: interval))
  }

  private static func parse(_ delivery: Delivery, _ owners: [String]) throws(Objection) -> CalendarFeed {
    do throws(CalendarError) { return try CalendarFeed.parse(delivery.body, owners: owners) } catch {
      throw Objection(error.sentence)
    }
  }
}
