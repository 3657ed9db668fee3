import Agent
import Feeds
import Foundation
import Linux
import TestSupport
import Testing

@testable import Diagnose

/// F4 to F6: what the agent has kept of a school, and how old it is.
struct SchoolCopyTests {
  @Test func `where the school publishes is known by the agent's copy alone, whatever its disk does`() async throws {
    let home = try SchoolHome()
    #expect(home.box.schoolAddresses(home.documents()).isEmpty)
    _ = await SchoolShelf(stateDirectory: home.plant.root + "/state").look(home.path, anew: true)
    let kept = home.box.schoolAddresses(home.documents())
    #expect(kept.count == 2 && kept.first == home.server.mapURL, "\(kept)")
    try home.write(FakeSchool.file(at: SchoolHome.now, address: "https://other.test"))
    #expect(home.box.schoolAddresses(home.documents()) == kept)
    try home.plant.remove("/school.json5")
    #expect(home.box.schoolAddresses(home.documents()) == kept)
    // Of another school, or of none, the copy says nothing.
    #expect(home.box.schoolAddresses(["bell": #"{"school":"/other.json5","people":[]}"#]).isEmpty)
    #expect(home.box.schoolAddresses([:]).isEmpty && home.box.schoolAddresses(nil).isEmpty)
    try home.plant.write("/state/bell-last-good.json", "{")
    #expect(home.box.schoolAddresses(home.documents()).isEmpty)
  }

  @Test(arguments: [(59, Finding.Status.pass), (120, .pass), (121, .warn), (1440, .warn), (1441, .fail)])
  func `a copy that a running agent does not renew is a warning after two hours and a fault after a day`(
    minutes: Int, status: Finding.Status
  ) async throws {
    let home = try SchoolHome()
    let agent = try await home.agent()
    _ = try await agent.fetchExceptions(for: try #require(try await home.visit().look.school))
    _ = try await agent.fetchMenu()
    home.time.advance(by: .seconds(minutes * 60))
    let lock = try StateLock(directory: home.plant.root + "/state")
    for found in [try await home.map(), try await home.menu()] {
      #expect(found.status == status, "\(found)")
      #expect(found.seen.contains(.init("the wall's copy", "\(minutes) min old")))
    }
    withExtendedLifetime(lock) {}
  }

  @Test func `without an agent the age of a copy is told and not judged`() async throws {
    let home = try SchoolHome()
    let agent = try await home.agent()
    _ = try await agent.fetchExceptions(for: try #require(try await home.visit().look.school))
    home.time.advance(by: .seconds(90_000))
    let found = try await home.map()
    #expect(found.status == .pass && found.seen.contains(.init("the wall's copy", "1500 min old")), "\(found)")
  }
}
