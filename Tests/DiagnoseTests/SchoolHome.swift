import Agent
import Configuration
import Feeds
import Foundation
import Linux
import TestSupport
import Testing

@testable import Diagnose

/// A household with a school of the test's own, with a server that publishes for it.
struct SchoolHome {
  /// 2026-09-08T10:00:00-07:00, a Tuesday.
  static let now = Date(timeIntervalSince1970: 1_788_886_800)

  let plant: Plant
  let time: ManualTime
  let server: FakeSchool
  let box: Surroundings
  var path: String { plant.root + "/school.json5" }

  init(now: Date = Self.now) throws {
    plant = try Plant()
    time = ManualTime(now: now)
    server = try FakeSchool(at: now)
    try plant.write("/state/x", "")
    var configuration = Configuration(stateDirectory: plant.root + "/state")
    configuration.timeZone = TimeZone(identifier: "America/Los_Angeles")
    box = plant.surroundings(configuration, time: time)
    try write(FakeSchool.file(at: now, address: server.address))
  }

  func write(_ file: String) throws { try plant.write("/school.json5", file) }

  func change(_ old: String, to new: String) throws {
    let file = FakeSchool.file(at: Self.now, address: server.address)
    #expect(file.contains(old))
    try write(file.replacing(old, with: new))
  }

  /// The ledger's.
  func documents(lunch: String = "3") -> [String: String] {
    ["bell": #"{"school":"\#(path)","people":[{"id":"ann","lunch":"\#(lunch)","halfPeriods":false}]}"#]
  }

  /// What a running agent has of it.
  func visit(lunch: String = "3") async throws -> SchoolVisit {
    try await SchoolVisit.begin(box, documents: documents(lunch: lunch)).get()
  }

  func file() async throws -> Finding { await SchoolFileCheck.look(try await visit()) }
  func map() async throws -> Finding { await DayMapCheck.look(try await visit()) }
  func menu() async throws -> Finding { await MenuCheck.look(try await visit(), box) }

  /// What a running agent fetches with, and keeps in the state directory.
  func agent() async throws -> SchoolFeed {
    let state = plant.root + "/state"
    return SchoolFeed(
      try #require(try await visit().look.school), copies: { CopyFolder(stateDirectory: state, source: $0) },
      exchange: .curl(agent: "test"), time: time, boot: BootID.current(), log: .none)
  }
}
