internal import Foundation

/// `data` of an answer about one thing.
struct EntryData<Entry: Decodable>: Decodable {
  let entry: Entry
  let references: References

  private enum Key: String, CodingKey { case entry, references }

  init(from decoder: any Decoder) throws {
    let data = try decoder.container(keyedBy: Key.self)
    entry = try data.decode(Entry.self, forKey: .entry)
    references = data.lenient(References.self, .references) ?? References()
  }
}

/// What the entries name by id; all of it may be missing.
struct References: Decodable {
  var agencies: [Agency] = []
  var routes: [TransitID: Route] = [:]
  var stops: [TransitID: Stop] = [:]
  var headsigns: [TransitID: String] = [:]
  var situations: [Situation] = []

  struct Agency: Decodable {
    let id: TransitID
    let name: String
    let timezone: String?

    private enum Key: String, CodingKey { case id, name, timezone }

    init(from decoder: any Decoder) throws {
      let agency = try decoder.container(keyedBy: Key.self)
      id = try agency.decode(TransitID.self, forKey: .id)
      name = agency.text(.name) ?? id.text
      timezone = agency.text(.timezone)
    }
  }

  struct Route: Decodable {
    let id: TransitID
    let shortName: String?
    let longName: String?

    private enum Key: String, CodingKey { case id, shortName, longName, description }

    init(from decoder: any Decoder) throws {
      let route = try decoder.container(keyedBy: Key.self)
      id = try route.decode(TransitID.self, forKey: .id)
      shortName = route.text(.shortName)
      longName = route.text(.longName) ?? route.text(.description)
    }
  }

  struct Stop: Decodable {
    let id: TransitID
    let name: String?
    let code: String?
    let direction: String?
    let routeIds: [TransitID]

    private enum Key: String, CodingKey { case id, name, code, direction, routeIds }

    init(from decoder: any Decoder) throws {
      let stop = try decoder.container(keyedBy: Key.self)
      id = try stop.decode(TransitID.self, forKey: .id)
      name = stop.text(.name)
      code = stop.text(.code)
      direction = stop.text(.direction)
      routeIds = stop.elements(TransitID.self, .routeIds)
    }
  }

  private struct Trip: Decodable {
    let id: TransitID
    let tripHeadsign: String
  }

  private enum Key: String, CodingKey { case agencies, routes, stops, trips, situations }

  init() {}

  init(from decoder: any Decoder) throws {
    let references = try decoder.container(keyedBy: Key.self)
    agencies = references.elements(Agency.self, .agencies)
    routes = Self.byID(references.elements(Route.self, .routes), \.id)
    stops = Self.byID(references.elements(Stop.self, .stops), \.id)
    headsigns = Self.byID(references.elements(Trip.self, .trips), \.id).mapValues(\.tripHeadsign)
    situations = references.elements(Situation.self, .situations)
  }

  private static func byID<Element>(_ elements: [Element], _ id: (Element) -> TransitID) -> [TransitID: Element] {
    Dictionary(elements.map { (id($0), $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The zone of the agency that a stop belongs to: its id is what stands before the first `_`; nil when the agencies
  /// named do not agree and none of them is the stop's.
  func zone(of stop: TransitID) -> TimeZone? {
    let agency = stop.text.prefix { $0 != "_" }
    let named = agencies.first { $0.id.text == agency }.map { [$0] } ?? agencies
    let zones = Set(named.compactMap(\.timezone))
    guard zones.count == 1, let zone = zones.first else { return nil }
    return TimeZone(identifier: zone)
  }
}

/// A service alert.
struct Situation: Decodable {
  private struct Window: Decodable {
    let from: Double?
    let to: Double?

    private enum Key: String, CodingKey { case from, to }

    init(from decoder: any Decoder) throws {
      let window = try decoder.container(keyedBy: Key.self)
      from = window.lenient(Double.self, .from)
      to = window.lenient(Double.self, .to)
    }
  }

  private struct Words: Decodable { let value: String }

  let notice: Notice

  private enum Key: String, CodingKey { case id, activeWindows, summary, description }

  init(from decoder: any Decoder) throws {
    let situation = try decoder.container(keyedBy: Key.self)
    notice = Notice(
      id: try situation.decode(TransitID.self, forKey: .id),
      periods: situation.elements(Window.self, .activeWindows).map {
        Notice.Period(from: Self.instant($0.from), to: Self.instant($0.to))
      },
      summary: Notice.plain(situation.lenient(Words.self, .summary)?.value ?? ""),
      detail: Notice.plain(situation.lenient(Words.self, .description)?.value ?? ""))
  }

  /// Milliseconds on some servers, seconds on others; 0 is open.
  private static func instant(_ value: Double?) -> Date? {
    guard let value, value > 0, value < 1e14 else { return nil }
    return Date(timeIntervalSince1970: value > 10_000_000_000 ? value / 1000 : value)
  }
}
