import Agent
import Foundation
import Glibc
import Linux
import Reminders
import Sound
import TestSupport

@testable import Ledger

/// Everything that can go wrong around a kitchen's wall.
extension Kitchen {
  // MARK: Reader and speaker

  /// Changes the one reader.
  func changeReader(_ change: @Sendable (inout FakePcscd.Reader) -> Void) {
    pcscd.change { state in
      for name in state.readers.keys {
        if var reader = state.readers[name] {
          change(&reader)
          state.readers[name] = reader
        }
      }
    }
  }

  /// Everything at the reader is well again; it need not be found yet.
  func mendReader() {
    pcscd.change { $0.isFrozen = false }
    pcscd.start()
    if pcscd.now.readers.isEmpty { pcscd.plug() }
    changeReader { reader in
      reader.isWedged = false
      reader.connects = []
      reader.answers = []
    }
  }

  func unplugSpeaker(_ unplugged: Bool) {
    alsa.with { state in
      state.isAbsent = unplugged
      if unplugged { state.state = .disconnected }
    }
    if unplugged { alsa.reportFault() }
  }

  /// What systemd does after an exit with 69: `reader-recover` restarts pcscd when it stood still, then the agent starts.
  func restartAfterExit() async throws {
    if pcscd.now.isFrozen {
      pcscd.change { $0.isFrozen = false }
      pcscd.stop()
      pcscd.start()
    }
    try await restart(cleanly: true, reboots: false, .none)
  }

  // MARK: Clock

  func step(_ seconds: Int) async {
    time.step(by: .seconds(seconds))
    run.kiosk.changed()
    await run.kiosk.refresh()
  }

  func turnClock(_ synchronised: Bool?) async {
    ears.turnClock(synchronised)
    await run.kiosk.refresh()
  }

  // MARK: Ledger

  func lock(_ held: Bool) async throws {
    holder = nil
    if held {
      let other = try Database(path: "\(folder)/\(LedgerFile.name)", .write)
      try other.run("BEGIN IMMEDIATE", doing: "holding the lock")
      holder = other
    }
    await run.kiosk.refresh()
  }

  func fill(_ full: Bool) async throws {
    try await ledger.read { store in
      let pages = full ? try store.database.integer("PRAGMA page_count", doing: "") ?? 1 : 1_000_000
      _ = try store.database.integer("PRAGMA max_page_count = \(pages)", doing: "")
    }
    await run.kiosk.refresh()
  }

  /// The ledger's file goes while it is open.
  func takeFileAway(replacing: Bool) throws {
    let path = "\(folder)/\(LedgerFile.name)"
    try FileSystem.remove(path)
    if replacing { try Data("other".utf8).write(to: URL(filePath: path)) }
  }

  enum Harm: CaseIterable {
    case none, emptied, page, gone, noLog, oldCopy
  }

  /// The agent ends, in order or not; then its ledger is harmed, and it starts again.
  func restart(cleanly: Bool, reboots: Bool, _ harm: Harm) async throws {
    holder = nil
    await run.end()
    // Killed: what SQLite would do at its end is not done, and what is on disk is what another program finds there.
    let copy = folder + ".killed"
    if !cleanly {
      // A line takes a moment; a ledger that is harmed in that very moment is beyond what a witness can do.
      ledger.witness?.flush()
      try FileManager.default.copyItem(atPath: folder, toPath: copy)
    }
    await ledger.close()
    if !cleanly {
      try FileManager.default.removeItem(atPath: folder)
      try FileManager.default.moveItem(atPath: copy, toPath: folder)
    }
    try harmLedger(harm)
    if reboots { boot += 1 }
    ledger = Ledger(directory: folder, log: .none, busyTimeout: 0)
    run = Run(
      folder: folder, boot: "boot-\(boot)", ledger: ledger, time: time, pcscd: pcscd, alsa: alsa, ears: ears)
    try await begun()
  }

  private func harmLedger(_ harm: Harm) throws {
    let path = "\(folder)/\(LedgerFile.name)"
    switch harm {
    case .none: break
    case .emptied: try Data().write(to: URL(filePath: path))
    case .page:
      let handle = try FileHandle(forWritingTo: URL(filePath: path))
      try handle.seek(toOffset: 0)
      try handle.write(contentsOf: Data(repeating: 0xA5, count: 4096))
      try handle.close()
    case .gone: for suffix in ["", "-wal", "-shm"] { try FileSystem.remove(path + suffix) }
    case .noLog: for suffix in ["-wal", "-shm"] { try FileSystem.remove(path + suffix) }
    case .oldCopy:
      guard let backup = Backups.newestFirst(in: folder).first else { return }
      for suffix in ["", "-wal", "-shm"] { try FileSystem.remove(path + suffix) }
      try FileManager.default.copyItem(atPath: backup, toPath: path)
    }
  }
}
