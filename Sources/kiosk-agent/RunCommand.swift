internal import Agent
internal import Configuration
internal import Feeds
internal import Foundation
internal import Glibc
internal import Ledger
internal import Linux
internal import Sound
internal import TagReader

/// `kiosk-agent run`: the one place that knows the real reader, the real speaker and the real clocks.
enum RunCommand {
  static func run(_ setting: Setting, signals: AsyncStream<Signal>) async throws -> Int32 {
    let log = Log.standardError
    let configuration = setting.configuration
    let directory = configuration.stateDirectory
    let environment = ProcessInfo.processInfo.environment
    let notify = NotifySocket(environment: environment)
    if let problem = setting.fellBack { log.error("\(problem); the last good one is used") }
    // Zones come with ICU, and only what formats links ICU into a static binary.
    _ = Date(timeIntervalSince1970: 0).formatted(.dateTime.year())
    let lock = try takeState(directory)
    notify.extendTimeout(by: .seconds(60))
    let ledger = Ledger(directory: directory, log: log)
    let reader = configuration.reader
    let monitor = SlotMonitor(
      settings: ReaderSettings(
        match: reader.match, exclude: reader.exclude, decodeAttempts: reader.decodeAttempts,
        buffer: .seconds(reader.bufferSeconds), failAfter: .seconds(reader.failAfterSeconds)), log: log)
    let sounds = SoundFiles.find(configuration.sound)
    let trial = SoundTrial(time: SystemTime())
    let player = Player(
      device: configuration.sound.device, success: sounds.success, failure: sounds.failure, time: SystemTime(),
      log: log, event: { trial.note($0) })
    let clock = ClockProbe()
    let agent = AgentRun(
      configuration: configuration, configurationFellBack: setting.fellBack != nil, ledger: ledger,
      tapSource: ReaderTaps(monitor: monitor), speaker: PlayerSpeaker(player: player), time: SystemTime(), log: log,
      notify: notify,
      ways: WallSources.Ways(
        exchange: .curl(agent: "kiosk-agent/" + Commands.version).spaced(SystemTime()), environment: environment),
      runtimeDirectory: environment["RUNTIME_DIRECTORY"], version: Commands.version,
      bootID: BootID.current(),
      clockFacts: { clock.facts(at: SystemTime().uptime()) },
      bench: RealTestBench(monitor: monitor, player: player, trial: trial),
      lastResort: { endAtLatest(code: $0, log: log) })
    let code = await agent.run(signals: signals)
    // A sound that plays is cut off here, and its device closed.
    player.stop()
    withExtendedLifetime(lock) {}
    return code
  }

  /// SIGTERM ends the agent within 2 s: a call that hangs in pcscd, ALSA or the disk must
  /// not keep it. Nothing is lost: what was answered is on disk.
  private static func endAtLatest(code: Int32, log: Log) {
    Threads.start(name: "last resort") {
      // Real time: this must end even when everything else stands still.
      _ = poll(nil, 0, 1500)
      log.warning("something does not come to its end: stopped without waiting for it")
      _exit(code)
    }
  }

  /// Without its state directory the agent cannot do its work now, and may be able to at the next start: 74 would say that
  /// the ledger is broken, and is never the answer of `run` (DESIGN 4.1).
  private static func takeState(_ directory: String) throws(CommandFailure) -> StateLock {
    do { try Files.makeState(directory) } catch {
      throw CommandFailure(code: .temporary, sentence: error.sentence)
    }
    do { return try StateLock(directory: directory) } catch {
      throw CommandFailure(code: .temporary, sentence: error.sentence)
    }
  }
}

/// Where the sounds are: named ones, installed ones, or those of the source tree.
enum SoundFiles {
  static func find(_ sound: Configuration.Sound) -> (success: String, failure: String) {
    let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let prefix = ((program as NSString).deletingLastPathComponent as NSString).deletingLastPathComponent
    let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path
    let folders = [prefix + "/share/kiosk-agent/sounds", "/usr/share/kiosk-agent/sounds", source + "/sounds"]
    let folder =
      folders.first { FileManager.default.fileExists(atPath: $0 + "/success.wav") } ?? "/usr/share/kiosk-agent/sounds"
    return (sound.success ?? folder + "/success.wav", sound.failure ?? folder + "/failure.wav")
  }
}
