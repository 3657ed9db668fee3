internal import Agent
internal import Configuration
internal import Foundation
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
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      log.error("the state directory \(directory) cannot be made: give it to the agent's user")
      return ExitCode.temporary.rawValue
    }
    let lock: StateLock
    do {
      lock = try StateLock(directory: directory)
    } catch {
      log.error(error.sentence)
      return ExitCode.temporary.rawValue
    }
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
    let agent = AgentRun(
      configuration: configuration, configurationFellBack: setting.fellBack != nil, ledger: ledger,
      tapSource: ReaderTaps(monitor: monitor), speaker: PlayerSpeaker(player: player), time: SystemTime(), log: log,
      notify: notify, runtimeDirectory: environment["RUNTIME_DIRECTORY"], version: Commands.version,
      bootID: BootID.current(),
      clockFacts: { ClockFacts.ofThisMachine() }, bench: RealTestBench(monitor: monitor, player: player, trial: trial))
    let code = await agent.run(signals: signals)
    withExtendedLifetime(lock) {}
    return code
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
