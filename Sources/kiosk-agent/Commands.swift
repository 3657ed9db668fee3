internal import Configuration
internal import Foundation
internal import Ledger
internal import Linux

/// Carries out one command line and gives its exit code.
enum Commands {
  static let version = "0.1.0"

  static func run(_ arguments: Arguments, signals: AsyncStream<Signal>) async -> Int32 {
    do {
      // Works with a configuration that no other command would take.
      if case .diagnose(let options) = arguments.command {
        return try await DiagnoseCommand.run(options, named: arguments.configuration, json: arguments.json)
      }
      if arguments.command == .help {
        try Output.line(Arguments.usage)
        return ExitCode.fine.rawValue
      }
      let setting = try Setting.load(arguments.configuration, isRun: arguments.command == .run)
      switch arguments.command {
      case .help, .diagnose: break
      case .version: try Output.line(VersionReport.text(json: arguments.json))
      case .run: return try await RunCommand.run(setting, signals: signals)
      case .importHousehold(let file): try await HouseholdCommands.importFile(file, setting, json: arguments.json)
      case .export: try HouseholdCommands.export(setting)
      case .history(let days): try HistoryCommand.run(days: days, setting, json: arguments.json)
      case .agenda(let from, let to):
        try await AgendaCommand.run(from: from, to: to, setting, json: arguments.json)
      case .wall(let at, let refreshes):
        try await WallCommand.run(at: at, refreshes: refreshes, setting, json: arguments.json)
      case .bus(let question): try await BusCommands(setting: setting, json: arguments.json).run(question)
      case .period(let question): try await PeriodCommands(setting: setting, json: arguments.json).run(question)
      case .replay(let taps, let household):
        try await ReplayCommand.run(taps: taps, household: household, setting, json: arguments.json)
      case .backup(let file): try BackupCommands.backup(file, setting, json: arguments.json)
      case .restore(let file): try BackupCommands.restore(file, setting, json: arguments.json)
      }
      return ExitCode.fine.rawValue
    } catch let failure as CommandFailure {
      Output.error(failure.sentence)
      return failure.code.rawValue
    } catch let error as LedgerError {
      Output.error(error.sentence)
      return ExitCode.of(error).rawValue
    } catch {
      Output.error("\(error): report this as a fault of kiosk-agent")
      return ExitCode.internalFault.rawValue
    }
  }
}

/// The configuration a command works with, and how it was come by.
struct Setting {
  static let defaultPath = "/etc/kiosk-agent/kiosk-agent.json5"

  var configuration: Configuration
  /// Why the last good copy is used; nil: it is not.
  var fellBack: String?

  var zone: TimeZone { configuration.timeZone ?? .current }

  /// A named file must be there; the default one may be missing. `run` falls back on the last good copy of a file that no
  /// longer parses; that copy lies in the state directory of the last good configuration.
  static func load(_ named: String?, isRun: Bool) throws(CommandFailure) -> Setting {
    let environment = ProcessInfo.processInfo.environment
    let path = named ?? defaultPath
    let bytes: [UInt8]
    do {
      bytes = try Files.read(path, limit: JSON5Parser.limit)
    } catch {
      if named == nil, error.isMissing { return Setting(configuration: .withoutFile(environment: environment)) }
      throw CommandFailure(
        code: .badConfiguration,
        sentence: "the configuration \(path) cannot be read (\(error.reason)): name one that is there and readable")
    }
    let folder = Files.folder(of: path)
    do {
      let configuration = try Configuration.parse(bytes, folder: folder)
      if isRun { Files.keep(bytes, as: lastGood(configuration.stateDirectory)) }
      return Setting(configuration: configuration)
    } catch {
      let sentence = "the configuration \(path) is wrong: \(error.sentence)"
      if isRun, let configuration = lastGood(for: bytes, folder, environment) {
        return Setting(configuration: configuration, fellBack: sentence)
      }
      throw CommandFailure(code: .badConfiguration, sentence: sentence)
    }
  }

  /// The last good copy of a file that no longer parses, or that is no file at all (nil); nil: there is none.
  ///
  /// The broken file may still tell where its own state is: the copy of another configuration is no good. Else it is where
  /// systemd or the default says, or where it would be without a file.
  static func lastGood(for bytes: [UInt8]?, _ folder: String, _ environment: [String: String]) -> Configuration? {
    let states =
      (bytes.map { stateDirectories(in: $0, folder) } ?? [])
      + [environment["STATE_DIRECTORY"], "/var/lib/kiosk-agent"].compactMap { $0 }
      + [Configuration.withoutFile(environment: environment).stateDirectory]
    for state in states {
      if let kept = try? Files.read(lastGood(state), limit: JSON5Parser.limit),
        let configuration = try? Configuration.parse(kept, folder: folder)
      {
        return configuration
      }
    }
    return nil
  }

  private static func lastGood(_ stateDirectory: String) -> String { stateDirectory + "/last-good.json5" }

  /// Every `stateDirectory: "…"` of a text that does not parse, one in a comment included.
  private static func stateDirectories(in bytes: [UInt8], _ folder: String) -> [String] {
    let text = String(decoding: bytes, as: UTF8.self)
    return text.matches(of: #/stateDirectory["']?\s*:\s*["']([^"'\n]+)["']/#).map { match in
      match.1.hasPrefix("/") ? String(match.1) : "\(folder)/\(match.1)"
    }
  }
}
