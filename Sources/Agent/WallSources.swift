internal import BellSchedule
internal import Configuration
package import Feeds
internal import Linux

/// Everything beside doses that the wall shows, and what keeps it current.
package struct WallSources: Sendable {
  /// How the sources reach what they show.
  package struct Ways: Sendable {
    package var exchange: Exchange
    /// Of this process: keys may lie there.
    package var environment: [String: String]

    package init(exchange: Exchange, environment: [String: String]) {
      self.exchange = exchange
      self.environment = environment
    }
  }

  private let buses: BusService
  private let school: SchoolService
  private let agenda: AgendaService

  /// - Parameter remind: makes a reminder of an event heard; returns at once.
  init(
    _ configuration: Configuration, _ ways: Ways, time: any TimeSource, boot: String, log: Log,
    remind: @escaping @Sendable () -> Void
  ) {
    let copies = CopyFolder(stateDirectory: configuration.stateDirectory, source: OneBusAwayFeed.id)
    let feed = OneBusAwayFeed(
      configuration.oneBusAway, copies: copies, exchange: ways.exchange, environment: ways.environment, time: time,
      boot: boot, log: log)
    buses = BusService(feed, time: time)
    let state = configuration.stateDirectory
    school = SchoolService(
      SchoolShelf(stateDirectory: state),
      feed: { school in
        SchoolFeed(
          school, copies: { CopyFolder(stateDirectory: state, source: $0) }, exchange: ways.exchange, time: time,
          boot: boot, log: log)
      }, time: time, log: log)
    agenda = AgendaService(
      configuration.calendars,
      shelf: CalendarShelf(configuration.calendars, stateDirectory: configuration.stateDirectory),
      subscriptions: CalendarSubscription.all(
        of: configuration, exchange: ways.exchange, time: time, boot: boot, log: log),
      time: time, log: log, remind: remind)
  }

  var all: [any WallSource] { [buses, school, agenda] }

  /// - Parameter changed: called when there is something new to show.
  func services(changed: @escaping @Sendable () -> Void) -> [Supervisor.Service] {
    [
      .init("buses") { [buses] in try await buses.run(changed: changed) },
      .init("school") { [school] in try await school.run(changed: changed) },
      .init("agenda") { [agenda] in try await agenda.run(changed: changed) },
    ]
  }
}
