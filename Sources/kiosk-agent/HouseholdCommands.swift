internal import Agent
internal import Configuration
internal import Foundation
internal import Ledger
internal import Linux
internal import Reminders

/// `import` and `export`.
enum HouseholdCommands {
  private struct Done: Encodable { var result: String }

  /// Through the running agent, or with its lock when none runs.
  static func importFile(_ path: String, _ setting: Setting, json: Bool) async throws {
    let bytes: [UInt8]
    do {
      bytes = try Files.read(path, limit: JSON5Parser.limit)
    } catch {
      throw CommandFailure(
        code: .badInput,
        sentence: "the household file \(path) cannot be read (\(error.reason)): name one that is there and readable")
    }
    let folder = Files.folder(of: path)
    let directory = setting.configuration.stateDirectory
    let answer = try await withWriter(directory) { lock in
      switch lock {
      case .mine:
        let log = Log.standardError
        let ledger = try Ledger(directory: directory, log: log)
        let time = SystemTime()
        let answer = await HouseholdImport.run(
          bytes, folder: folder, ledger: ledger, zone: setting.zone, now: time.now().asStored,
          clockTrusted: time.now() >= ClockTrust.releaseDate)
        await ledger.close()
        return answer
      case .agents(let socket):
        let request = ControlRequest(household: String(decoding: bytes, as: UTF8.self), folder: folder)
        do {
          let line = try UnixSocket.ask(socket, request.line)
          guard let answer = ControlAnswer.parse(line) else {
            throw CommandFailure(
              code: .temporary, sentence: "the running agent answers what this program does not know: restart it")
          }
          return answer
        } catch let error as UnixSocket.Failure {
          throw CommandFailure(
            code: .temporary,
            sentence:
              "the running agent does not answer (errno \(error.errno)): nothing was imported; run as its user or as root"
          )
        }
      }
    }
    guard answer.code == 0 else {
      let prefix = answer.code == 65 ? "the household file \(path) is wrong: " : ""
      throw CommandFailure(code: ExitCode(rawValue: answer.code) ?? .internalFault, sentence: prefix + answer.sentence)
    }
    Output.line(json ? JSONLines.encode(Done(result: answer.sentence)) : answer.sentence)
  }

  static func export(_ setting: Setting) throws {
    let reader = try LedgerReader(directory: setting.configuration.stateDirectory)
    Output.line(
      HouseholdWriter.text(try reader.household(), documents: try reader.documents(), zone: setting.zone))
  }

  /// Who may write now.
  enum Writer {
    case mine
    case agents(socket: String)
  }

  /// Takes the state directory's lock, or finds the agent that has it.
  static func withWriter<T>(_ directory: String, _ body: (Writer) async throws -> T) async throws -> T {
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw CommandFailure(
        code: .ledgerUnusable,
        sentence: "the state directory \(directory) cannot be made: run as root or as the agent's user")
    }
    let lock: StateLock
    do throws(StateLock.Failure) {
      lock = try StateLock(directory: directory)
    } catch {
      switch error {
      case .held: return try await body(.agents(socket: directory + "/control.sock"))
      case .cannotOpen(let code):
        throw CommandFailure(
          code: .ledgerUnusable,
          sentence: "the state directory \(directory) cannot be written (errno \(code)): run as root or as the agent's user")
      }
    }
    defer { withExtendedLifetime(lock) {} }
    return try await body(.mine)
  }
}
