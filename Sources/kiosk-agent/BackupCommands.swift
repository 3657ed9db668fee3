internal import Configuration
internal import Foundation
internal import Ledger
internal import Linux

/// `backup` and `restore`.
enum BackupCommands {
  private struct Done: Encodable {
    var file: String
    var movedAside: String?
  }

  /// Works beside the running agent: it reads, and never checkpoints.
  static func backup(_ path: String, _ setting: Setting, json: Bool) throws {
    try LedgerReader(directory: setting.configuration.stateDirectory).backup(to: path)
    Output.line(json ? JSONLines.encode(Done(file: path)) : "the ledger is copied to \(path)")
  }

  /// Only while no agent runs: it would go on with the ledger it has.
  static func restore(_ path: String, _ setting: Setting, json: Bool) throws {
    let directory = setting.configuration.stateDirectory
    try? FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let lock: StateLock
    do {
      lock = try StateLock(directory: directory)
    } catch {
      throw CommandFailure(
        code: .temporary, sentence: "nothing was restored: " + error.sentence)
    }
    defer { withExtendedLifetime(lock) {} }
    let aside = try put(path, into: directory)
    Output.line(
      json
        ? JSONLines.encode(Done(file: path, movedAside: aside))
        : "the ledger is that of \(path)" + (aside.map { "; the old one is kept as \($0)" } ?? ""))
  }

  private static func put(_ path: String, into directory: String) throws(CommandFailure) -> String? {
    do throws(LedgerError) {
      return try Ledger.restore(from: path, into: directory, at: SystemTime().now())
    } catch {
      let isBadFile = [.damaged, .newerSchema, .notFound].contains(error.kind)
      throw CommandFailure(
        code: isBadFile ? .badInput : .ledgerUnusable,
        sentence: isBadFile ? "\(path) is no whole ledger (\(error.doing)): name another backup" : error.sentence)
    }
  }
}
