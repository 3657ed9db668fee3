internal import Configuration
internal import Feeds
internal import Glibc
internal import Linux

/// C2: the keys of feeds, as the agent looks for them (DESIGN 4.2). What is said of a key is only whether there is one.
enum KeyCheck {
  static let check = Check("C2", "Keys of feeds", impact: .wall, eyes: .service) { look($0) }

  /// The feeds that answer nobody without a key.
  private static let needKeys = ["onebusaway", "trafiklab"]

  private static func look(_ box: Surroundings) -> Finding {
    guard let configuration = box.configuration else { return Surroundings.noConfiguration }
    var sources = configuration.sources.filter { needKeys.contains($0.key) || $0.value.keyFile != nil }
    let isWanted = !(box.wantedBuses ?? []).isEmpty
    if isWanted { sources["onebusaway"] = configuration.oneBusAway }
    guard !sources.isEmpty else { return .skip("No feed needs a key.") }
    let credentials = box.properties(of: "kiosk-agent.service", "LoadCredential")?["LoadCredential"] ?? ""
    var seen: [Finding.Fact] = []
    var worst: Finding?
    for (name, source) in sources.sorted(by: { $0.key < $1.key }) {
      let (state, finding) = key(of: name, source, isWanted: name == "onebusaway" && isWanted, credentials, box)
      seen.append(.init(name, state))
      if let finding, worst == nil || (finding.status == .fail && worst?.status == .warn) { worst = finding }
    }
    guard var worst else { return .pass(seen) }
    worst.seen = seen
    return worst
  }

  /// Whether a key stands in an address, where it would be sent to whoever is asked and shown to whoever reads the file.
  static func holdsKey(_ address: String?) -> Bool {
    address?.contains(#/[?&](key|apikey|api_key|token)=/#.ignoresCase()) == true
  }

  private static func key(
    of name: String, _ source: Configuration.Source, isWanted: Bool, _ credentials: String, _ box: Surroundings
  ) -> (state: String, finding: Finding?) {
    if holdsKey(source.baseURL) {
      return ("in its address", .warn([], "A key stands in the configuration itself.", "Put it into a file, keyFile."))
    }
    let environment = box.feedEnvironment
    // systemd shows a service's credentials to that service alone, and only while it runs.
    if environment["CREDENTIALS_DIRECTORY"] == nil, credentials.contains("\(name)-key") {
      return ("a systemd credential", nil)
    }
    do throws(KeyStore.Fault) {
      _ = try KeyStore(source: name, keyFile: source.keyFile, environment: environment).key()
      return ("set", nil)
    } catch {
      return judge(error, name, isWanted: isWanted, box)
    }
  }

  private static func judge(
    _ fault: KeyStore.Fault, _ name: String, isWanted: Bool, _ box: Surroundings
  ) -> (state: String, finding: Finding?) {
    switch fault {
    case .missing:
      let means = "The feed \(name) answers nobody without a key."
      let remedies =
        ["Name a file with it: keyFile."]
        + (name == "onebusaway" ? ["Ask oba_api_key@soundtransit.org for a key."] : [])
      return ("missing", Finding(isWanted ? .fail : .warn, means: means, remedies: remedies))
    case .unreadable(let path, ENOENT):
      return ("no file", .fail([], "The file with the key is not there.", "Put it there: \(path)"))
    case .unreadable(let path, _):
      guard box.hasServiceEyes else { return ("set, not readable by you", nil) }
      return (
        "not readable", .fail([], "The agent may not read the key.", "sudo chown \(box.serviceUser.name): \(path)")
      )
    case .openToOthers(let path):
      return (
        "readable by others", .fail([], "Others can read the key, so the agent refuses it.", "sudo chmod o= \(path)")
      )
    case .malformed(let place):
      return ("no key", .fail([], "What should be a key is none.", "Leave only the key in \(place)"))
    }
  }
}
