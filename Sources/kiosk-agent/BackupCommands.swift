internal import Configuration
internal import Foundation
internal import Ledger
internal import Linux

/// `backup` and `restore`.
enum BackupCommands {
  /// Works beside the running agent: it reads, and never checkpoints.
  static func backup(_ path: String, _ setting: Setting, json: Bool) throws {
    do {
      try Files.ledger(of: setting).backup(to: path)
    } catch let error as LedgerError where error.kind == .conflict {
      throw CommandFailure(code: .usage, sentence: "\(path) is the ledger itself: name another file")
    }
    report(json, file: path, movedAside: nil, "the ledger is copied to \(path)")
  }

  /// Only while no agent runs: it would go on with the ledger it has.
  static func restore(_ path: String, _ setting: Setting, json: Bool) throws {
    do {
      try Files.mustBeReadable(path)
    } catch {
      throw CommandFailure(
        code: .badInput, sentence: "\(path) cannot be read (\(error.reason)): name a backup that is there and readable")
    }
    let directory = setting.configuration.stateDirectory
    try Files.makeState(directory)
    defer { Files.giveToOwner(directory) }
    let lock: StateLock
    do {
      lock = try StateLock(directory: directory)
    } catch {
      let isHeld = if case .held = error { true } else { false }
      throw CommandFailure(
        code: isHeld ? .temporary : .ledgerUnusable, sentence: "nothing was restored: " + error.sentence)
    }
    defer { withExtendedLifetime(lock) {} }
    let aside = try put(path, into: directory)
    report(
      json, file: path, movedAside: aside,
      "the ledger is that of \(path)" + (aside.map { "; the old one is kept as \($0)" } ?? ""))
  }

  /// It is done, whether or not somebody reads that it is.
  private static func report(_ json: Bool, file: String, movedAside: String?, _ sentence: String) {
    try? Output.line(
      json ? JSONText.object([("file", .text(file)), ("movedAside", .text(movedAside))]).compact : sentence)
  }

  private static func put(_ path: String, into directory: String) throws(CommandFailure) -> String? {
    do throws(LedgerError) {
      return try Ledger.restore(from: path, into: directory, at: SystemTime().now())
    } catch {
      if error.kind == .conflict {
        throw CommandFailure(code: .usage, sentence: "\(path) is the ledger itself: name a backup")
      }
      let isBadFile = [.damaged, .newerSchema, .notFound].contains(error.kind)
      throw CommandFailure(
        code: isBadFile ? .badInput : .ledgerUnusable,
        sentence: isBadFile ? "\(path) is no whole ledger (\(error.doing)): name another backup" : error.sentence)
    }
  }
}
