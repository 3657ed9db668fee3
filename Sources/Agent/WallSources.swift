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

  init(_ configuration: Configuration, _ ways: Ways, time: any TimeSource, boot: String, log: Log) {
    let copies = CopyFolder(stateDirectory: configuration.stateDirectory, source: OneBusAwayFeed.id)
    let feed = OneBusAwayFeed(
      configuration.oneBusAway, copies: copies, exchange: ways.exchange, environment: ways.environment, time: time,
      boot: boot, log: log)
    buses = BusService(feed, time: time)
  }

  var all: [any WallSource] { [buses] }

  /// - Parameter changed: called when there is something new to show.
  func services(changed: @escaping @Sendable () -> Void) -> [Supervisor.Service] {
    [.init("buses") { [buses] in try await buses.run(changed: changed) }]
  }
}
