import Foundation
import Linux
import Sound
import TagReader
import TestSupport
import Wall

@testable import Agent
@testable import Ledger
@testable import kiosk_agent

/// One run of the agent, without its page: what AgentRun keeps running, over the tables and clocks of the test.
final class Run: Sendable {
  let monitor: SlotMonitor
  let player: Player
  let kiosk: Kiosk
  private let tasks: [Task<Void, Never>]
  private let number: String
  private let ears: Ears
  /// Ends a wait for pcscd, if there is one, by the time that it lasts at most.
  private let endWait: @Sendable () -> Void

  /// - Parameters:
  ///   - folder: the state directory.
  ///   - boot: the kernel's name of the boot.
  init(
    folder: String, boot: String, ledger: Ledger, time: ManualTime, pcscd: FakePcscd, alsa: FakeALSA, ears: Ears
  ) {
    let sounds = AgentUnderTest.root + "/sounds/"
    let monitor = SlotMonitor(library: pcscd.library, time: time, log: ears.log)
    let player = Player(
      device: "plughw:CARD=Kitchen", success: sounds + "success.wav", failure: sounds + "failure.wav",
      library: alsa.library, time: time, log: ears.log, event: { ears.hear($0) })
    let taps = ReaderTaps(monitor: monitor)
    let speaker = PlayerSpeaker(player: player)
    let number = UUID().uuidString
    let kiosk = Kiosk(
      Kiosk.Parts(
        ledger: ledger, time: time, log: ears.log, speaker: speaker, agent: "t", run: number, boot: boot,
        zone: { Kitchen.zone }, keepZone: { _ in }, keepClock: { ears.memory = $0 }, language: "en",
        clockFacts: { ears.facts }, publish: { ears.show($0) }, report: { _, _ in }, configurationFellBack: false),
      zone: Kitchen.zone, clock: ears.memory)
    self.monitor = monitor
    self.player = player
    self.kiosk = kiosk
    self.number = number
    self.ears = ears
    endWait = {
      guard let until = pcscd.now.waitsUntil, until > time.uptime() else { return }
      time.advance(by: until - time.uptime())
      pcscd.timePassed()
    }
    tasks = [
      Task { try? await taps.run() },
      Task { try? await kiosk.answerTaps(from: taps) },
      Task { try? await kiosk.run() },
      Task { for await report in taps.reports() { await kiosk.note(report) } },
      Task { for await report in speaker.reports() { await kiosk.note(report) } },
      Task {
        try? await Watchdog(
          notify: NotifySocket(environment: [:]), time: time, log: ears.log,
          beats: { taps.heartbeats().merging(speaker.heartbeats()) { first, _ in first } }, leave: { _ in }
        ).run()
      },
      Task {
        let watch = FaultWatch(
          source: taps, time: time, log: ears.log, marker: folder + "/" + FaultWatch.markerName
        ) { await kiosk.note(fault: $0) }
        if let code = await watch.run() { ears.end(code) }
      },
    ]
  }

  /// Whether the wall shows what this run has told.
  var hasShown: Bool { ears.snapshot?.boot == number }

  func cancel() {
    for task in tasks { task.cancel() }
    player.stop()
  }

  /// Returns when everything has come to its end.
  func end() async {
    cancel()
    // A wait for pcscd that begins in the moment in which it is called off ends with its slice, as pcsc-lite's does: then
    // time must go on.
    let pushing = Task { [endWait] in
      while !Task.isCancelled {
        endWait()
        await Task.yield()
      }
    }
    for task in tasks { await task.value }
    pushing.cancel()
  }
}
