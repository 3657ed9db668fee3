import Foundation
import Linux
import Synchronization
import TestSupport
import Testing

@testable import Agent

/// Which faults of a reader end the agent: once each, and only those that stay (DESIGN 5.1).
@Suite(.timeLimit(.minutes(1))) final class FaultWatchTests {
  /// Readers whose fault and reports are the test's.
  private final class Readers: TapSource {
    private let (stream, told) = AsyncStream<ReaderReport>.makeStream()
    private let present = Mutex<TapSourceFault?>(nil)

    func have(_ fault: TapSourceFault?) { present.withLock { $0 = fault } }

    func report(_ state: ReaderReport.State) { told.yield(ReaderReport(state: state, since: .zero)) }

    func run() async throws {}
    func taps() -> AsyncStream<TapSighting> { AsyncStream { $0.finish() } }
    func reports() -> AsyncStream<ReaderReport> { stream }
    func fault() -> TapSourceFault? { present.withLock { $0 } }
    func heartbeats() -> [String: Duration] { [:] }
  }

  private let readers = Readers()
  private let time = ManualTime()
  private let marker = NSTemporaryDirectory() + "reader-fault-\(UUID().uuidString.prefix(8))"
  private let (notes, noted) = AsyncStream<String>.makeStream()

  deinit { try? FileManager.default.removeItem(atPath: marker) }

  private func start(marker: String? = nil) -> Task<Int32?, Never> {
    let watch = FaultWatch(source: readers, time: time, log: .none, marker: marker ?? self.marker) { [noted] in
      noted.yield($0 ?? "none")
    }
    return Task { await watch.run() }
  }

  private var spent: String? { try? String(contentsOfFile: marker, encoding: .utf8) }

  @Test(arguments: [(TapSourceFault.gone("ACS"), "gone"), (.hung("pcscd"), "hung")])
  func `a fault that two looks 2 s apart agree on ends the agent, and is marked before`(
    fault: TapSourceFault, kind: String
  ) async {
    let watch = start()
    readers.have(fault)
    readers.report(.unavailable)
    await time.waitForSleepers()
    time.advance(by: .milliseconds(1999))
    #expect(spent == nil)
    time.advance(by: .milliseconds(1))
    #expect(await watch.value == 69)
    #expect(spent == kind + "\n")
  }

  @Test func `after a sleep of hours all beats are old for a moment, and that ends nothing`() async {
    let watch = start()
    var notes = notes.makeAsyncIterator()
    time.advance(by: .seconds(8 * 3600))
    readers.have(.hung("pcscd"))
    readers.report(.ready)
    await time.waitForSleepers()
    readers.have(nil)
    time.advance(by: FaultWatch.confirmation)
    #expect(await notes.next() == "none")
    // One fault and then another is none that two looks agree on; the second is looked at again.
    readers.have(.hung("pcscd"))
    readers.report(.ready)
    await time.waitForSleepers()
    readers.have(.gone("ACS"))
    time.advance(by: FaultWatch.confirmation)
    await time.waitForSleepers()
    readers.have(nil)
    time.advance(by: FaultWatch.confirmation)
    #expect(await notes.next() == "none")
    watch.cancel()
    #expect(await watch.value == nil)
    #expect(spent == nil)
  }

  @Test func `a fault that an exit was spent on is steady until a reader is ready again`() async throws {
    try Data("gone\n".utf8).write(to: URL(filePath: marker))
    let watch = start()
    var notes = notes.makeAsyncIterator()
    readers.have(.gone("ACS"))
    readers.report(.absent)
    await time.waitForSleepers()
    time.advance(by: FaultWatch.confirmation)
    #expect(await notes.next() == "gone")
    readers.have(nil)
    readers.report(.absent)
    #expect(await notes.next() == "none")
    #expect(spent == "gone\n", "pcscd may be back without its reader")
    readers.report(.ready)
    #expect(await notes.next() == "none")
    readers.have(.gone("ACS"))
    readers.report(.absent)
    await time.waitForSleepers()
    time.advance(by: FaultWatch.confirmation)
    #expect(await watch.value == 69)
    #expect(spent == "gone\n")
  }

  @Test func `another kind of fault has an exit of its own`() async throws {
    try Data("gone\n".utf8).write(to: URL(filePath: marker))
    let watch = start()
    readers.have(.hung("ACS"))
    readers.report(.ready)
    await time.waitForSleepers()
    time.advance(by: FaultWatch.confirmation)
    #expect(await watch.value == 69)
    #expect(spent == "gone\nhung\n")
  }

  @Test func `an exit that cannot be marked is not made`() async {
    let watch = start(marker: "/proc/no-such-folder/reader-fault")
    var notes = notes.makeAsyncIterator()
    readers.have(.gone("ACS"))
    readers.report(.absent)
    await time.waitForSleepers()
    time.advance(by: FaultWatch.confirmation)
    #expect(await notes.next() == "gone")
    watch.cancel()
    #expect(await watch.value == nil)
  }
}
