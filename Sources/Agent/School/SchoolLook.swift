package import BellSchedule
package import Foundation
package import Linux
package import Wall

/// One look at the school, for a command that shows the wall or says something about a day.
package struct SchoolLook: Sendable {
  private let shelf: SchoolShelf
  private let feed: @Sendable (School) -> SchoolFeed
  private let time: any TimeSource
  package let plan: SchoolPlan

  /// - Parameters:
  ///   - documents: the ledger's.
  ///   - shelf: one that only reads.
  ///   - feed: how to ask for what a school publishes.
  package init(
    _ documents: [String: String], shelf: SchoolShelf, feed: @escaping @Sendable (School) -> SchoolFeed,
    time: any TimeSource
  ) {
    plan = SchoolPlan(documents)
    self.shelf = shelf
    self.feed = feed
    self.time = time
  }

  /// The school as it is known now, and what is wrong with its file; nil: the household has none.
  package func read(zone: TimeZone) async -> (calendar: SchoolCalendar?, trouble: SchoolShelf.Trouble?)? {
    guard plan.path != nil else { return nil }
    let state = await kept(zone)
    return (state.calendar(zone), state.trouble)
  }

  /// Adds what the wall would show by the file and the last good copies that the agent keeps.
  package func addKept(to input: inout WallInput) async {
    let state = await kept(input.zone)
    _ = state.add(to: &input, at: time.uptime())
  }

  /// Asks for everything once and adds what the wall would show then; stores nothing.
  package func refresh(_ input: inout WallInput) async throws {
    var state = await file()
    if let school = state.school {
      let feed = feed(school)
      state.take(try await feed.fetchExceptions(for: school))
      state.take(try await feed.fetchMenu(), at: input.now)
    }
    noteOdd(&state, input.zone, at: input.now)
    _ = state.add(to: &input, at: time.uptime())
  }

  private func kept(_ zone: TimeZone) async -> SchoolState {
    var state = await file()
    guard let school = state.school else { return state }
    let feed = feed(school)
    state.take(await feed.keptExceptions(for: school))
    let menu: Menu? = if let url = feed.stationsURL { await shelf.menu(from: url) } else { nil }
    state.take(kept: menu, standings: await feed.menuStandings())
    noteOdd(&state, zone, at: time.now())
    return state
  }

  private func file() async -> SchoolState {
    var state = SchoolState()
    state.take(plan)
    guard let path = plan.path, let look = await shelf.look(path, anew: true) else { return state }
    state.take(look, at: time.now())
    return state
  }

  private func noteOdd(_ state: inout SchoolState, _ zone: TimeZone, at now: Date) {
    guard let calendar = state.calendar(zone) else { return }
    let today = calendar.day(of: now)
    state.take(notes: calendar.notes.filter { $0.day >= today })
  }
}
