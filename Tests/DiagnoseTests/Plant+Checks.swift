import Configuration
import Foundation
import Linux
import PCSC
import TestSupport

@testable import Diagnose

extension Plant {
  /// What checks look at here.
  func surroundings(
    _ configuration: Configuration? = Configuration(stateDirectory: "/nowhere"), time: any TimeSource = SystemTime(),
    clock: ClockFacts = ClockFacts(synchronised: true, hasHardwareClock: true, timeServiceRuns: true),
    pcsc: PCSCLibrary = .silent, environment: [String: String] = [:]
  ) -> Surroundings {
    Surroundings(
      root: root, environment: environment,
      found: .init(path: root + "/kiosk-agent.json5", isNamed: true, isThere: false, configuration: configuration),
      sounds: (root + "/success.wav", root + "/failure.wav"), time: time, clock: clock, pcsc: pcsc)
  }

  /// Runs one check here, in this process.
  func run(_ id: String, _ surroundings: Surroundings? = nil) async throws -> Finding {
    guard let check = Check.all.first(where: { $0.id == id }) else { throw CocoaError(.keyValueValidation) }
    return await check.run(surroundings ?? self.surroundings())
  }
}

extension PCSCLibrary {
  /// A pcscd that is not there.
  static let silent = fake(readers: [], establish: .noService)

  /// A pcscd with these readers and states.
  static func fake(readers: [(name: String, event: UInt)], establish: PCSCError.Code? = nil) -> PCSCLibrary {
    let events = Dictionary(readers.map { ($0.name, $0.event) }) { first, _ in first }
    let names = readers.map(\.name)
    return PCSCLibrary(
      establish: { () throws(PCSCError) -> Context in
        if let establish { throw PCSCError(establish, call: "SCardEstablishContext") }
        return 1
      }, release: { _ in }, listReaders: { _ throws(PCSCError) -> [String] in names },
      statusChange: { _, _, known throws(PCSCError) -> [ReaderStatus] in
        known.map { ReaderStatus(name: $0.name, known: $0.known, event: events[$0.name] ?? 0) }
      }, cancel: { _ in },
      connect: { _, _ throws(PCSCError) -> CardHandle in throw PCSCError(.noCard, call: "SCardConnect") },
      reconnect: { card, _ throws(PCSCError) -> CardHandle in card },
      transmit: { _, _ throws(PCSCError) -> [UInt8] in [] }, disconnect: { _ in })
  }
}
