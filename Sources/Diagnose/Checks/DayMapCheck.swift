internal import Agent
internal import BellSchedule
internal import Feeds
internal import Foundation
internal import Linux

/// F5: whether the map of exceptions that the school publishes comes, is one, and knows the days that come. It is good or bad
/// as a whole (`BellFile.exceptions`).
enum DayMapCheck {
  static let check = Check(
    "F5", "School's day map", needs: ["N5", "F4"], impact: .wall, eyes: .service, deadline: .seconds(18),
    usesNetwork: true, overdue: ("The day map does not come in time.", "It is asked again; look at it later.")
  ) { box in
    switch await box.school() {
    case .success(let visit): await look(visit)
    case .failure(let absence): absence.finding
    }
  }

  /// As a text of the school's file has it.
  private static let setting = "exceptionsURL in the school's file"

  static func look(_ visit: SchoolVisit) async -> Finding {
    guard let school = visit.look.school else { return SchoolVisit.noFile }
    guard let text = school.exceptionsURL else { return .skip("The school publishes no day map (exceptionsURL).") }
    guard let host = Address(text)?.host else {
      return .fail([], "The day map's address is none.", "Correct \(setting).")
    }
    // It ends by itself: one request, with the agent's deadline.
    guard let found = try? await visit.feed(school).fetchExceptions(for: school) else {
      return SchoolVisit.notAsked
    }
    var seen = [Finding.Fact("server", host)]
    let age = visit.age(of: [await visit.keptExceptions(school)?.standing].compactMap { $0 }, seen)
    if let fact = age.fact { seen.append(fact) }
    if let fault = found.standing.fault { return finding(fault, host, seen) }
    guard let remote = found.remote else { return SchoolVisit.notAsked }
    let calendar = visit.calendar(school, remote)
    let today = calendar.day(of: visit.now)
    let days = remote.map.days
    seen += [
      .init("exceptions", "\(days.count)" + (days.last.map { ", to \($0)" } ?? "")), visit.today(calendar),
    ]
    if let year = school.years.first(where: { $0.last >= today }) {
      seen.append(.init("of \(year.label)", days.count(where: year.holds)))
    }
    if let finding = age.finding, finding.status == .fail { return finding }
    if case .unpublished(let year) = calendar.resolveDay(today, at: visit.now).kind {
      return .warn(
        seen, "The day map says nothing of the school year \(year): nobody knows its days.",
        "Ask the school for its map of \(year); is it now at another address? See \(setting).")
    }
    if let (means, remedy) = visit.oddity(of: calendar) { return .warn(seen, means, remedy) }
    return age.finding ?? .pass(seen)
  }

  private static func finding(_ fault: Fault, _ host: String, _ seen: [Finding.Fact]) -> Finding {
    guard case .objection(let objection) = fault else {
      let (means, remedy) = fault.told(of: "the day map", on: host, setting: setting)
      return .fail(seen, means, remedy)
    }
    return .fail(
      seen + [.init("problem", Redaction.problem(objection.sentence))], "What comes is no right day map.",
      "Check \(setting); else its owner must repair it. The wall keeps the last good one.")
  }
}
