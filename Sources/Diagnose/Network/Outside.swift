internal import Agent
internal import BellSchedule
internal import Configuration
internal import Foundation
internal import Glibc
internal import Ledger
internal import Linux

/// A server of somebody else that the agent fetches from.
struct Endpoint: Hashable, Sendable {
  /// A name in lower case, or an address without brackets.
  let host: String
  let port: UInt16

  /// nil: the address is none, or is on this machine. Nothing but host and port is taken from it: the rest may be secret.
  init?(_ address: String) {
    guard let parts = URLComponents(string: address), let host = parts.host?.lowercased(), !host.isEmpty else {
      return nil
    }
    let bare = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    guard !["127.0.0.1", "localhost", "::1"].contains(bare), let port = UInt16(exactly: parts.port ?? 443) else {
      return nil
    }
    self.host = bare
    self.port = port
  }

  /// Only what all of it is reached by.
  var address: String { "https://\(host.contains(":") ? "[\(host)]" : host):\(port)/" }
  var shown: String { port == 443 ? host : "\(host) port \(port)" }
}

extension Surroundings {
  /// Servers that are looked at, at most: more would not fit into a check's time.
  private static let mostEndpoints = 8

  /// The servers outside this machine that the configuration and the school name, each once. OneBusAway's counts without
  /// being named when a watch wants it.
  var outside: [Endpoint] {
    var endpoints: [Endpoint] = []
    for endpoint in (configured + schoolAddresses(documents)).compactMap(Endpoint.init)
    where !endpoints.contains(endpoint) {
      endpoints.append(endpoint)
    }
    return Array(endpoints.prefix(Self.mostEndpoints))
  }

  /// Where the school publishes, by the agent's last good copy of its file. The file itself is not touched: it may be on a
  /// disk that never answers, which is no fault of the network. None without such a copy.
  ///
  /// - Parameter documents: the ledger's; nil: it cannot be read.
  func schoolAddresses(_ documents: [String: String]?) -> [String] {
    guard let path = documents.map(SchoolPlan.init)?.path, let stateDirectory,
      let school = SchoolShelf.lastGood(of: path, in: stateDirectory)
    else { return [] }
    return [school.exceptionsURL, school.lunch?.stationsURL].compactMap { $0 }
  }

  private var configured: [String] {
    guard let configuration else { return [] }
    var addresses = configuration.sources.sorted { $0.key < $1.key }.compactMap(\.value.baseURL)
    if !(wantedBuses ?? []).isEmpty { addresses += [configuration.oneBusAway.baseURL].compactMap { $0 } }
    return addresses + configuration.calendars.compactMap(\.url)
  }

  static let nothingOutside = Finding.skip("Nothing is fetched from outside this machine.")

  /// The household's sections that the ledger keeps as text, by name; nil: it cannot be read.
  var documents: [String: String]? { stateDirectory.flatMap { try? LedgerReader(directory: $0).documents() } }

  /// The household's watches of every source, on or off; nil: the ledger cannot be read.
  var watches: [HouseholdFile.Watch]? {
    guard let documents else { return nil }
    return documents["watches"].map { HouseholdFile.watches(in: $0) ?? [] } ?? []
  }

  /// The watches of OneBusAway that are switched on; nil: the ledger cannot be read.
  var wantedBuses: [HouseholdFile.Watch]? { watches?.filter { $0.enabled && $0.source == "onebusaway" } }

  /// The environment in which the agent looks for its keys: that of the running one, where this user may see it, and else
  /// our own.
  var feedEnvironment: [String: String] {
    guard let agent, let text = Self.read("/proc/\(agent)/environ", limit: 1 << 20) else { return environment }
    var merged = environment
    for entry in text.split(separator: "\0") {
      let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2 else { continue }
      let isKey = parts[0].hasPrefix("KIOSK_AGENT_") && parts[0].hasSuffix("_KEY")
      if isKey || parts[0] == "CREDENTIALS_DIRECTORY" { merged[parts[0]] = parts[1] }
    }
    return merged
  }

  /// Whether this process has the rights of the agent, no more and no less.
  var hasServiceEyes: Bool { geteuid() == serviceUser.user }

  /// The host of a proxy that this machine was told to use, which the agent does not; nil: none.
  var proxy: String? {
    let names = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "http_proxy"]
    let written = (text("/etc/environment", limit: 1 << 16) ?? "").split(separator: "\n").compactMap { line in
      line.firstMatch(of: #/^\s*(?:export\s+)?(\w+)\s*=\s*["']?([^"'\s]+)/#).map { (String($0.1), String($0.2)) }
    }
    let value = names.lazy.compactMap { name in environment[name] ?? written.first { $0.0 == name }?.1 }
      .first { !$0.isEmpty }
    return value.map { URLComponents(string: $0)?.host ?? "set" }
  }
}
