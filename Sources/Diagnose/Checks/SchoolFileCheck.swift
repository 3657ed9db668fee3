internal import Agent
internal import BellSchedule
internal import Foundation
internal import Linux

/// F4: whether the agent can read the school's file, and whether the file knows the days that come (DESIGN 5.4).
///
/// Needs the clock: which year is in force hangs on it.
enum SchoolFileCheck {
  static let check = Check(
    "F4", "School's file", needs: ["D4", "T1"], impact: .wall, eyes: .service,
    overdue: ("The school's file does not come from its disk.", "Put it on this machine's own disk.")
  ) { box in
    switch await box.school() {
    case .success(let visit): await look(visit)
    case .failure(let absence): absence.finding
    }
  }

  static func look(_ visit: SchoolVisit) async -> Finding {
    var seen = [Finding.Fact("file", visit.look.path)]
    if let trouble = visit.look.trouble {
      seen.append(.init("the wall shows", visit.look.school == nil ? "no school" : "the last good file"))
      return finding(trouble, at: visit.look.path, seen)
    }
    guard let school = visit.look.school else { return SchoolVisit.noFile }
    // What the agent knows: which day of the map is today is not asked of the network here.
    let kept = await visit.keptExceptions(school)?.remote
    let calendar = visit.calendar(school, kept)
    let today = calendar.day(of: visit.now)
    seen += [
      .init("year", year(of: school, on: today)), visit.today(calendar),
      .init(
        "exceptions", "\(school.exceptions.days.count)\(school.exceptionsURL == nil ? "" : ", and a day map")"),
      .init("pupils", visit.plan.pupils.count),
    ]
    return warning(visit, school, calendar, on: today, kept == nil, seen) ?? .pass(seen)
  }

  private static func finding(_ trouble: SchoolShelf.Trouble, at path: String, _ seen: [Finding.Fact]) -> Finding {
    switch trouble {
    case .unreadable(let reason):
      .fail(
        seen + [.init("reading", reason)], "The agent cannot read the school's file.",
        "Put it there, readable by the agent: \(path)",
        "If it is another one: correct bell.school in the household file and import it.")
    case .wrong(let problems):
      // Whatever file stands there: what it says in quotes may be anybody's.
      .fail(
        seen + [.init("problem", Redaction.problem(problems))], "The school's file has mistakes.",
        "sudo nano \(path)", "It is read again within a minute.")
    }
  }

  private static func warning(
    _ visit: SchoolVisit, _ school: School, _ calendar: SchoolCalendar, on today: DayKey, _ isByFile: Bool,
    _ seen: [Finding.Fact]
  ) -> Finding? {
    let path = visit.look.path
    switch calendar.resolveDay(today, at: visit.now).kind {
    case .unknownYear(let year):
      return .warn(
        seen, "The file does not know the school year \(year).", "Add its first and last day to years: \(path)")
    case .unpublished(let year) where school.exceptionsURL == nil:
      return .warn(
        seen, "The file has no exceptions of the school year \(year): nobody knows its days.",
        "Add them to exceptions: \(path)")
    default: break
    }
    if visit.plan.pupils.contains(where: { $0.lunch.map { !school.hasPeriod($0) } ?? false }) {
      return .warn(
        seen, "A pupil's lunch is no period of this school.",
        "Correct bell.people in the household file and import it.")
    }
    guard isByFile, let (means, remedy) = visit.oddity(of: calendar) else { return nil }
    return .warn(seen, means, remedy)
  }

  /// The school year in force, or the next.
  static func year(of school: School, on today: DayKey) -> String {
    if let year = school.years.first(where: { $0.holds(today) }) { return "\(year.label), to \(year.last)" }
    return school.years.first { $0.first > today }.map { "\($0.label), from \($0.first)" } ?? "none to come"
  }
}
