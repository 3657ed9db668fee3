internal import Agent
internal import BellSchedule
internal import Configuration
internal import Feeds
internal import Foundation
internal import Linux

/// The household's school, found and asked as the running agent does it: by the household's `bell`, with the agent's own
/// reader of the file and its limits, redirects and deadlines. Nothing is stored.
struct SchoolVisit: Sendable {
  /// Why there is no school to look at.
  enum Absence: Error {
    /// The household cannot be read.
    case noHousehold
    case noSchool

    var finding: Finding {
      switch self {
      case .noHousehold: .skip("The household cannot be read (D4).")
      case .noSchool: .skip("The household has no school.")
      }
    }
  }

  let plan: SchoolPlan
  /// The file as it is now, and the last good one where it has mistakes.
  let look: SchoolShelf.Look
  /// The wall's, for a school that names none.
  let zone: TimeZone
  let now: Date
  private let box: Surroundings

  /// - Parameter documents: the ledger's; nil: it cannot be read.
  static func begin(_ box: Surroundings, documents: [String: String]?) async -> Result<SchoolVisit, Absence> {
    guard let documents, let state = box.stateDirectory else { return .failure(.noHousehold) }
    let plan = SchoolPlan(documents)
    guard let path = plan.path,
      let look = await SchoolShelf(stateDirectory: state, isReadOnly: true).look(path, anew: true)
    else { return .failure(.noSchool) }
    return .success(
      SchoolVisit(
        plan: plan, look: look, zone: box.configuration?.timeZone ?? .current, now: box.time.now(), box: box))
  }

  /// For what is fetched from a school whose file is no good: one cause is one finding.
  static let noFile = Finding.skip("The school's file cannot be used (F4).")

  /// For a request that was cancelled; it says nothing of the school.
  static let notAsked = Finding.skip("It was not asked to the end.")

  // MARK: Asking

  /// How the agent asks, without its copies: a server that says "unchanged" would not show what it has.
  func feed(_ school: School) -> SchoolFeed { feed(school) { _ in nil } }

  /// The exceptions by the agent's last good copy; nil: the school publishes none.
  func keptExceptions(_ school: School) async -> SchoolFeed.Exceptions? {
    await feed(school, copies: copies).keptExceptions(for: school)
  }

  /// How old the agent's last good copies are of the six stations.
  func keptStations(_ school: School) async -> [Standing] { await feed(school, copies: copies).menuStandings() }

  private func feed(_ school: School, copies: (String) -> CopyFolder?) -> SchoolFeed {
    SchoolFeed(
      school, copies: copies, exchange: .curl(agent: "kiosk-agent/diagnose"), time: box.time, boot: BootID.current(),
      log: .none)
  }

  private func copies(_ source: String) -> CopyFolder? {
    box.stateDirectory.map { CopyFolder(stateDirectory: $0, source: source, isReadOnly: true) }
  }

  // MARK: Days

  /// The days of the school as they are known with a map; nil: with the file's own exceptions.
  func calendar(_ school: School, _ remote: RemoteExceptions?) -> SchoolCalendar {
    SchoolCalendar(school: school, remote: remote, overrides: plan.overrides, zone: zone)
  }

  /// The first thing about the days from today on that somebody should mend; nil: there is none.
  func oddity(of calendar: SchoolCalendar) -> (means: String, remedy: String)? {
    let today = calendar.day(of: now)
    guard let (day, note) = calendar.notes.first(where: { $0.day >= today }) else { return nil }
    switch note {
    case .conflict(let types):
      let names = types.map(Redaction.line)
      return (
        "\(day) is marked \(names.joined(separator: " and ")): the first counts.", "Leave only one of them there."
      )
    case .ignoredOnWeekend(let type):
      return (
        "\(day) is a weekend: \(Redaction.line(type)) is ignored there.",
        "Correct the day; if it is meant, say so on the day: kiosk-agent period override"
      )
    case .noOrder(let type, let place):
      return (
        "\(day) is day \(place) of \(Redaction.line(type)), which has no order of periods for it.",
        "Add one to its rotation: \(look.path)"
      )
    }
  }

  /// What today is, and who says so.
  func today(_ calendar: SchoolCalendar) -> Finding.Fact {
    let timeline = calendar.resolveDay(calendar.day(of: now), at: now)
    let by =
      switch timeline.source {
      case .override: "said at the wall"
      case .remote: "by the day map"
      case .bundled: "by the file"
      case .default: "as usual"
      }
    return .init("today", timeline.kind.name.map { "\(Redaction.line($0)), \(by)" } ?? "nobody has said what it is")
  }

  // MARK: The agent's copies

  /// How old the oldest of the agent's copies is, in words, and what is wrong with that.
  ///
  /// An hour between two requests is as it should be. Without an agent nobody fetches, and the age is only told.
  func age(of standings: [Standing], _ seen: [Finding.Fact]) -> (fact: Finding.Fact?, finding: Finding?) {
    let uptime = box.time.uptime()
    let copies = standings.filter { $0.origin != nil }
    let ages = copies.compactMap { standing -> (shortest: Duration, words: String)? in
      switch standing.age(at: uptime, now: now) {
      case .known(let age): (age, "\(Int(age.inSeconds / 60)) min old")
      case .atLeast(let age): (age, "from before this machine's start")
      case nil: nil
      }
    }
    guard let oldest = ages.max(by: { $0.shortest < $1.shortest }) else { return (nil, nil) }
    let fact = Finding.Fact("the wall's copy", oldest.words)
    guard box.agent != nil else { return (fact, nil) }
    let states = copies.map { $0.state(at: uptime, now: now) }
    let restart = "sudo systemctl restart kiosk-agent"
    if states.contains(.stale) || states.contains(.down) {
      return (fact, .fail(seen + [fact], "The wall's copy is older than a day.", restart))
    }
    return (fact, states.contains(.aging) ? .warn(seen + [fact], "The wall's copy is hours old.", restart) : nil)
  }
}

extension Surroundings {
  /// The household's school.
  func school() async -> Result<SchoolVisit, SchoolVisit.Absence> {
    await SchoolVisit.begin(self, documents: documents)
  }
}
