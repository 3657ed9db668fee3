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
        return await DiagnoseCommand.run(options, named: arguments.configuration, json: arguments.json)
      }
      let setting = try Setting.load(arguments.configuration, isRun: arguments.command == .run)
      switch arguments.command {
      case .help, .diagnose: Output.line(Arguments.usage)
      case .version: Output.line(VersionReport.text(json: arguments.json))
      case .run: return try await RunCommand.run(setting, signals: signals)
      case .importHousehold(let file): try await HouseholdCommands.importFile(file, setting, json: arguments.json)
      case .export: try HouseholdCommands.export(setting)
      case .history(let days): try HistoryCommand.run(days: days, setting, json: arguments.json)
      case .wall(let at): try WallCommand.run(at: at, setting, json: arguments.json)
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
      return ExitCode.ledgerUnusable.rawValue
    } catch let error as DocumentError {
      Output.error(error.sentence)
      return ExitCode.badInput.rawValue
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
  /// The broken file may still tell where the state is; else it is where it would be without one.
  static func lastGood(for bytes: [UInt8]?, _ folder: String, _ environment: [String: String]) -> Configuration? {
    let states = [
      environment["STATE_DIRECTORY"], "/var/lib/kiosk-agent",
      Configuration.withoutFile(environment: environment).stateDirectory,
      bytes.flatMap { stateDirectory(in: $0, folder) },
    ]
    for state in states.compactMap({ $0 }) {
      if let kept = try? Files.read(lastGood(state), limit: JSON5Parser.limit),
        let configuration = try? Configuration.parse(kept, folder: folder)
      {
        return configuration
      }
    }
    return nil
  }

  private static func lastGood(_ stateDirectory: String) -> String { stateDirectory + "/last-good.json5" }

  /// The `stateDirectory: "…"` of a text that does not parse.
  private static func stateDirectory(in bytes: [UInt8], _ folder: String) -> String? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let match = text.firstMatch(of: #/"?stateDirectory"?\s*:\s*["']([^"'\n]+)["']/#) else { return nil }
    let path = String(match.1)
    return path.hasPrefix("/") ? path : "\(folder)/\(path)"
  }
}
