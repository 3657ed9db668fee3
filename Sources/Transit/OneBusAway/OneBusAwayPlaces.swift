internal import Foundation

/// A stop by name, for setting up a watch.
package struct StopDetails: Equatable, Sendable {
  package var id: TransitID
  /// nil: the server tells none.
  package var name: String?
  /// What is written on the stop.
  package var code: String?
  /// Where buses go from here, such as "S".
  package var direction: String?
  /// In the server's order.
  package var routes: [RouteDetails]
}

/// A route by name, for setting up a watch.
package struct RouteDetails: Equatable, Sendable {
  package var id: TransitID
  package var shortName: String?
  package var longName: String?
}

/// An agency that a server has the buses of.
package struct AgencyDetails: Equatable, Sendable {
  package var id: TransitID
  package var name: String
}

extension OneBusAwayReply {
  package func stopDetails() throws(OneBusAwayError) -> StopDetails {
    let (data, _) = try decoded(EntryData<References.Stop>.self)
    let routes = data.entry.routeIds.map { id in
      data.references.routes[id]?.details ?? RouteDetails(id: id, shortName: nil, longName: nil)
    }
    let stop = data.entry
    return StopDetails(id: stop.id, name: stop.name, code: stop.code, direction: stop.direction, routes: routes)
  }

  package func routeDetails() throws(OneBusAwayError) -> RouteDetails {
    try decoded(EntryData<References.Route>.self).payload.entry.details
  }

  /// The agencies of the server, in its order.
  package func agencies() throws(OneBusAwayError) -> [AgencyDetails] {
    let data = try decoded(CoverageData.self).payload
    return data.agencies.map { id in
      AgencyDetails(id: id, name: data.references.agencies.first { $0.id == id }?.name ?? id.text)
    }
  }
}

extension References.Route {
  fileprivate var details: RouteDetails { RouteDetails(id: id, shortName: shortName, longName: longName) }
}

/// `data` of `agencies-with-coverage`.
private struct CoverageData: Decodable {
  private struct Agency: Decodable { let agencyId: TransitID }

  let agencies: [TransitID]
  let references: References

  private enum Key: String, CodingKey { case list, references }

  init(from decoder: any Decoder) throws {
    let data = try decoder.container(keyedBy: Key.self)
    agencies = try data.decode(TolerantList<Agency>.self, forKey: .list).elements.map(\.agencyId)
    references = data.lenient(References.self, .references) ?? References()
  }
}
