package import BellSchedule
internal import Configuration
package import Feeds
internal import Foundation
package import Linux

/// What a school publishes, by `Feeds`: the exceptions map and the six stations of its cafeteria.
package struct SchoolFeed: Sendable {
  package static let bell = "bell"
  package static let lunch = "lunch"

  /// What came of asking for the exceptions.
  package struct Exceptions: Sendable {
    /// The newest map that was good; nil: there never was one.
    package var remote: RemoteExceptions?
    package var standing: Standing
  }

  /// What came of asking for the menu.
  package struct Dishes: Sendable {
    /// A new one, checked as a whole; nil: the last good one stays.
    package var menu: (menu: Menu, bodies: [Menu.Station: [UInt8]])?
    package var standings: [Standing]
    /// Why six good stations are no menu.
    package var mismatch: String?
  }

  /// Where it is fetched from; nil: the school does not say.
  package let exceptionsURL: String?
  package let stationsURL: String?
  private let exceptions: Source
  private let stations: Source

  /// - Parameter copies: of a source by its id; nil: nothing is read from disk or stored.
  package init(
    _ school: School, copies: (String) -> CopyFolder?, exchange: Exchange, time: any TimeSource, boot: String, log: Log
  ) {
    exceptionsURL = school.exceptionsURL
    stationsURL = school.lunch?.stationsURL
    func source(_ id: String) -> Source {
      var settings = FeedSettings(id: id)
      settings.limit = JSON5Parser.limit
      return Source(settings, keys: nil, copies: copies(id), exchange: exchange, time: time, boot: boot, log: log)
    }
    exceptions = source(Self.bell)
    stations = source(Self.lunch)
  }

  /// Whether it still asks where the school publishes.
  func serves(_ school: School) -> Bool {
    exceptionsURL == school.exceptionsURL && stationsURL == school.lunch?.stationsURL
  }

  // MARK: Exceptions

  /// Asks for the map. Good is what is good as a whole (`schedule.md` 1.6).
  ///
  /// - Returns: nil: the school publishes none.
  package func fetchExceptions(for school: School) async throws(CancellationError) -> Exceptions? {
    guard let resource = resource(exceptionsURL, "exceptions", Self.asking) else { return nil }
    let reading = try await exceptions.fetch(resource) { delivery throws(Objection) in
      try Self.map(delivery.body, for: school)
    }
    return await told(reading.value)
  }

  /// What the last good copy says, without a request.
  package func keptExceptions(for school: School) async -> Exceptions? {
    guard let resource = resource(exceptionsURL, "exceptions", Self.asking) else { return nil }
    let reading = await exceptions.latest(resource) { delivery throws(Objection) in
      try Self.map(delivery.body, for: school)
    }
    return await told(reading.value)
  }

  private func told(_ map: ExceptionMap?) async -> Exceptions? {
    guard let resource = resource(exceptionsURL, "exceptions", Self.standing) else { return nil }
    let standing = await exceptions.standing(of: resource)
    return Exceptions(
      remote: map.flatMap { map in standing.fetchedAt.map { RemoteExceptions(map: map, checkedAt: $0) } },
      standing: standing)
  }

  private static func map(_ body: [UInt8], for school: School) throws(Objection) -> ExceptionMap {
    do throws(RejectedBody) { return try BellFile.exceptions(body, for: school) } catch {
      throw Objection(error.sentence)
    }
  }

  // MARK: Lunch

  /// Asks for all six stations; one that is bad, or does not come, leaves the menu as it was.
  ///
  /// - Returns: nil: the school publishes none.
  package func fetchMenu() async throws(CancellationError) -> Dishes? {
    guard let stationsURL else { return nil }
    var dishes = Dishes(standings: [])
    var bodies: [Menu.Station: [UInt8]] = [:]
    for station in Menu.Station.allCases {
      let address = stationsURL + (stationsURL.hasSuffix("/") ? "" : "/") + station.rawValue + ".json"
      guard let asked = resource(address, station.rawValue, Self.asking),
        let shown = resource(address, station.rawValue, Self.standing)
      else { return nil }
      let reading = try await stations.fetch(asked) { delivery throws(Objection) in
        do throws(RejectedBody) { try BellFile.check(delivery.body, of: station) } catch {
          throw Objection(error.sentence)
        }
        return delivery.body
      }
      let standing = await stations.standing(of: shown)
      dishes.standings.append(standing)
      if standing.fault == nil { bodies[station] = reading.value }
    }
    guard bodies.count == Menu.Station.allCases.count else { return dishes }
    do throws(RejectedBody) { dishes.menu = (try BellFile.menu(bodies), bodies) } catch {
      dishes.mismatch = error.sentence
    }
    return dishes
  }

  /// How the stations stand, without a request.
  package func menuStandings() async -> [Standing] {
    guard let stationsURL else { return [] }
    var standings: [Standing] = []
    for station in Menu.Station.allCases {
      let address = stationsURL + (stationsURL.hasSuffix("/") ? "" : "/") + station.rawValue + ".json"
      guard let resource = resource(address, station.rawValue, Self.standing) else { return [] }
      standings.append(await stations.standing(of: resource))
    }
    return standings
  }

  // MARK: How often

  /// For requests: in the morning of a school day they come every 10 min, and none is too early then.
  private static let asking = Freshness(interval: .seconds(600))
  /// For the wall: an hour between two is as it should be. What is older than a day is old (`SchoolCalendar.stale`), and
  /// stays of use.
  private static let standing = Freshness(interval: .seconds(3600), staleAfter: .seconds(86_400))

  private func resource(_ address: String?, _ name: String, _ freshness: Freshness) -> Resource? {
    address.flatMap { Address($0) }.map { Resource(name: name, address: $0, freshness: freshness) }
  }
}
