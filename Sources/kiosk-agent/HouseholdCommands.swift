internal import Agent
internal import Configuration
internal import Foundation
internal import Ledger
internal import Linux
internal import Reminders

/// `import` and `export`.
enum HouseholdCommands {
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
    // Before it goes to an agent as text: what is no text there would be read as one.
    do throws(JSON5Error) { _ = try JSON5Parser.parse(bytes) } catch {
      throw CommandFailure(
        code: .badInput,
        sentence: "the household file \(path) is wrong: \(error.sentence): mend the file and start again")
    }
    let folder = Files.folder(of: path)
    let directory = setting.configuration.stateDirectory
    let answer = try await withWriter(directory) { lock in
      switch lock {
      case .mine:
        let log = Log.standardError
        let ledger = Ledger(directory: directory, log: log)
        let time = SystemTime()
        let answer = await HouseholdImport.run(
          bytes, folder: folder, ledger: ledger, zone: setting.zone, now: time.now().asStored,
          clockTrusted: await HouseholdImport.isClockTrusted(
            ledger, directory: directory, time: time, facts: ClockProbe().facts(at: time.uptime())))
        await ledger.close()
        return answer
      case .agents(let socket):
        let request = ControlRequest(household: String(decoding: bytes, as: UTF8.self), folder: folder)
        return ask(socket, request.line, otherwise: "nothing was imported")
      }
    }
    guard answer.code == 0 else {
      let prefix = answer.code == 65 ? "the household file \(path) is wrong: " : ""
      throw CommandFailure(code: ExitCode(rawValue: answer.code) ?? .internalFault, sentence: prefix + answer.sentence)
    }
    // It is imported, whether or not somebody reads that it is.
    try? Output.line(json ? JSONText.object([("result", .text(answer.sentence))]).compact : answer.sentence)
  }

  static func export(_ setting: Setting) throws {
    let reader = try Files.ledger(of: setting)
    try Output.line(
      HouseholdWriter.text(try reader.household(), documents: try reader.documents(), zone: setting.zone))
  }

  /// Asks the running agent to write.
  ///
  /// - Parameter otherwise: what is so when it does not answer, as the beginning of a sentence.
  static func ask(_ socket: String, _ line: String, otherwise: String) -> ControlAnswer {
    do throws(ControlError) {
      let lines = try ControlSocket.ask(socket, line, within: .seconds(30))
      return lines.first.flatMap { ControlAnswer.parse($0) }
        ?? ControlAnswer(
          code: ExitCode.temporary.rawValue,
          sentence: "the running agent answers what this program does not know: restart it")
    } catch {
      return ControlAnswer(code: ExitCode.temporary.rawValue, sentence: "\(otherwise): \(error.sentence)")
    }
  }

  /// Who may write now.
  enum Writer {
    case mine
    case agents(socket: String)
  }

  /// Takes the state directory's lock, or finds the agent that has it.
  static func withWriter<T>(_ directory: String, _ body: (Writer) async throws -> T) async throws -> T {
    try Files.makeState(directory)
    defer { Files.giveToOwner(directory) }
    let lock: StateLock
    do throws(StateLock.Failure) {
      lock = try StateLock(directory: directory)
    } catch {
      switch error {
      case .held: return try await body(.agents(socket: directory + "/control.sock"))
      case .cannotOpen: throw CommandFailure(code: .ledgerUnusable, sentence: error.sentence)
      }
    }
    defer { withExtendedLifetime(lock) {} }
    return try await body(.mine)
  }
}
