import Foundation
import Testing

@testable import Reminders

/// Random households against a slow model of the law (see `Simulation`). The seed is printed; `REMINDERS_SEED` sets it and
/// `REMINDERS_DAYS` the number of days.
struct SimulationTests {
  private static let seed =
    ProcessInfo.processInfo.environment["REMINDERS_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999_999)
  private static let days = ProcessInfo.processInfo.environment["REMINDERS_DAYS"].flatMap { Int($0) } ?? 100_000

  @Test func `in 100,000 days no dose is lost, none is credited falsely and no tap is silent`() async throws {
    let start = ContinuousClock.now
    let episodes = (Self.days + Simulation.days - 1) / Simulation.days
    let lanes = 4
    let counts = try await withThrowingTaskGroup(of: Counts.self) { group in
      for lane in 0..<lanes {
        group.addTask {
          var sum = Counts()
          for episode in stride(from: lane, to: episodes, by: lanes) {
            var simulation = Simulation(seed: Self.seed &* 1_000_003 &+ UInt64(episode))
            sum = sum + (try simulation.run())
          }
          return sum
        }
      }
      return try await group.reduce(Counts(), +)
    }
    print("simulation: seed \(Self.seed), \(counts), \(ContinuousClock.now - start)")
    #expect(counts.days >= Self.days)
    #expect(counts.taps > counts.days / 2)
    #expect(counts.credits > counts.days / 10)
  }

  @Test(arguments: PlantedFault.allCases)
  func `a planted fault is found`(fault: PlantedFault) {
    var days = 0
    for episode in 0..<500 {
      var simulation = Simulation(seed: Self.seed &* 7919 &+ UInt64(episode), fault: fault)
      days += Simulation.days
      do { _ = try simulation.run() } catch {
        print("fault \(fault.rawValue): found within \(days) days")
        return
      }
    }
    Issue.record("\(fault.rawValue) was not found in \(days) days, seed \(Self.seed)")
  }
}
