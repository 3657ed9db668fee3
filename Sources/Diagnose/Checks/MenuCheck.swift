internal import Agent
internal import BellSchedule
internal import Configuration
internal import Feeds
internal import Foundation
internal import Linux

/// F6: whether the cafeteria's stations come, fit each other, and have something for today. One that is wrong takes the menu
/// of all (`schedule.md` 1.5).
enum MenuCheck {
  static let check = Check(
    "F6", "School's menu", needs: ["N5", "F4"], impact: .wall, eyes: .service, deadline: .seconds(19),
    usesNetwork: true, overdue: ("The menu does not come in time.", "It is asked again; look at it later.")
  ) { box in
    switch await box.school() {
    case .success(let visit): await look(visit, box)
    case .failure(let absence): absence.finding
    }
  }

  /// For all stations; the agent gives each of them as long.
  private static let limit: Duration = .seconds(16)

  private static let setting = "lunch.stationsURL in the school's file"

  static func look(_ visit: SchoolVisit, _ box: Surroundings) async -> Finding {
    guard let school = visit.look.school else { return SchoolVisit.noFile }
    guard let plan = school.lunch, let text = plan.stationsURL else {
      return .skip("The school publishes no menu (lunch.stationsURL).")
    }
    guard let host = Address(text)?.host else {
      return .fail([], "The menu's address is none.", "Correct \(setting).")
    }
    let feed = visit.feed(school)
    // At the same time: a server that is mute would leave no time for it afterwards.
    async let mapFault = mapFault(of: school, on: host, visit)
    let dishes = await box.within(limit) { try? await feed.fetchMenu() } ?? nil
    var seen = [Finding.Fact("server", host)]
    let age = visit.age(of: await visit.keptStations(school), seen)
    if let fact = age.fact { seen.append(fact) }
    guard let dishes else {
      if case .overdue = await mapFault { return hostFails }
      return .warn(
        seen, "The stations come slowly: they were not all there after \(Int(limit.inSeconds)) s.",
        "Look at it later: the agent waits longer.")
    }
    if let fault = common(dishes), await mapFault == fault { return hostFails }
    if let finding = fault(of: dishes, host, seen) { return finding }
    guard let menu = dishes.menu?.menu else { return SchoolVisit.notAsked }
    let calendar = visit.calendar(school, await visit.keptExceptions(school)?.remote)
    let (words, isMissed) = today(menu, plan, calendar, at: visit.now)
    seen += [.init("weeks", menu.weeks), .init("today", words)]
    if let finding = age.finding, finding.status == .fail { return finding }
    if isMissed {
      return .warn(
        seen, "There is school today, and the menu is of other months.",
        "Correct lunch.validFrom and validTo: \(visit.look.path)")
    }
    return age.finding ?? .pass(seen)
  }

  // MARK: One cause with the day map

  /// One cause is one finding, and the day map's comes first.
  static let hostFails = Finding.skip("Its server fails with the day map in the same way (F5).")

  /// What keeps the day map away; nil: it comes, is on another server, or there is none.
  private static func mapFault(of school: School, on host: String, _ visit: SchoolVisit) async -> Fault? {
    guard school.exceptionsURL.flatMap({ Address($0) })?.host == host else { return nil }
    return (try? await visit.feed(school).fetchExceptions(for: school))?.standing.fault
  }

  /// What keeps every station away; nil: no one thing, or they come and it is they that are wrong.
  private static func common(_ dishes: SchoolFeed.Dishes) -> Fault? {
    guard let fault = dishes.standings.first?.fault, dishes.standings.allSatisfy({ $0.fault == fault }) else {
      return nil
    }
    if case .objection = fault { return nil }
    return fault
  }

  // MARK: What comes

  /// What is wrong with what came; nil: nothing.
  private static func fault(of dishes: SchoolFeed.Dishes, _ host: String, _ seen: [Finding.Fact]) -> Finding? {
    let stations = zip(Menu.Station.allCases, dishes.standings)
    let bad = stations.filter { $0.1.fault != nil }
    let counted = seen + [.init("stations", "\(dishes.standings.count - bad.count) of \(dishes.standings.count) good")]
    let advice = "Check \(setting); else its owner must repair it. The wall keeps the last good menu."
    if let (station, standing) = bad.first, let fault = standing.fault {
      // What is wrong with all of them is no station's fault.
      let prefix = bad.allSatisfy { $0.1.fault == fault } && bad.count > 1 ? "" : "The station \(station.rawValue): "
      if case .objection(let objection) = fault {
        return .fail(
          counted + [.init("problem", Redaction.problem(objection.sentence))], prefix + "what comes is no right menu.",
          advice)
      }
      let (means, remedy) = fault.told(of: "the menu", on: host, setting: setting)
      return .fail(counted, prefix + means, remedy)
    }
    guard let mismatch = dishes.mismatch else { return nil }
    return .fail(counted, "The stations do not fit each other: \(Redaction.problem(mismatch)).", advice)
  }

  /// How many stations have something for today, or why none has; and whether somebody misses it.
  private static func today(
    _ menu: Menu, _ plan: LunchPlan, _ calendar: SchoolCalendar, at now: Date
  ) -> (words: String, isMissed: Bool) {
    let today = calendar.day(of: now)
    if let facts = calendar.menu(menu, of: today, at: now) {
      return ("\(facts.courses.count) of \(Menu.Station.allCases.count) stations", false)
    }
    guard case .school = calendar.resolveDay(today, at: now).kind else { return ("no school", false) }
    if today < plan.validFrom || plan.validTo < today {
      return ("nothing: the menu is for \(plan.validFrom) to \(plan.validTo)", true)
    }
    return ("not known: days before it are not published", false)
  }
}
