internal import Glibc
internal import Linux
internal import Reminders

extension Ledger {
  /// Runs `decide` on what the ledger holds and stores the tap with what was decided, in one transaction. When this
  /// returns the tap is on disk; when it throws nothing of it is.
  ///
  /// A dose is opened, ended or credited only under a trusted clock, and an `ignored` tap is not for the ledger: both are
  /// `conflict`.
  ///
  /// After an error of the disk nobody knows whether the commit is on it: the file is opened anew, checked and written out
  /// whole, and then either the tap is there or it is stored once more. Only then is it acknowledged.
  package func recordTap(_ entry: TapEntry, decide: @Sendable (LedgerView) throws -> DecidedTap) throws -> TapRecord {
    var attempt = Attempt(entry: entry)
    do {
      return try storeTap(&attempt, decide)
    } catch let error as LedgerError where error.kind == .io && directory != nil {
      log.warning("\(error.sentence); once more with a fresh connection")
      if let record = try found(attempt) { return record }
      return try storeTap(&attempt, decide)
    }
  }

  /// A tap on its way to the disk.
  private struct Attempt {
    var entry: TapEntry
    /// The newest tap before this one, and what was decided: known when there was an attempt.
    var before: Int64?
    var decided: DecidedTap?
  }

  private func storeTap(
    _ attempt: inout Attempt, _ decide: @Sendable (LedgerView) throws -> DecidedTap
  ) throws -> TapRecord {
    let entry = attempt.entry
    let record = try write("storing a tap") { store in
      attempt.before = try store.newestTapID()
      let view = LedgerView(
        household: try store.household(), log: try store.doseLog(at: entry.at),
        pending: try store.pendingTaps(boot: entry.boot),
        taken: entry.clockTrusted ? [] : try store.takenTaps(boot: entry.boot))
      let decided = try decide(view)
      attempt.decided = decided
      guard entry.clockTrusted || (decided.changes.isEmpty && decided.verdict.credited.isEmpty) else {
        throw LedgerError(kind: .conflict, doing: "crediting a dose while the clock is not trusted")
      }
      if !decided.changes.isEmpty { try store.apply(decided.changes, until: entry.at, at: entry.recordedAt) }
      return TapRecord(id: try store.insert(entry, decided), entry: entry, decided: decided)
    }
    noteInWitness()
    return record
  }

  /// The tap of a failed attempt, when its commit did get to the disk.
  private func found(_ attempt: Attempt) throws -> TapRecord? {
    guard let before = attempt.before, let decided = attempt.decided else { return nil }
    let entry = attempt.entry
    let id = try read { store in
      // Every page is written once more: what the kernel dropped after the error only looks as if it were on disk.
      let doing = "writing everything out after an error of the disk"
      guard try store.database.integer("PRAGMA wal_checkpoint(TRUNCATE)", doing: doing) == 0 else {
        throw LedgerError(kind: .locked, doing: doing)
      }
      return try store.database.integer(
        "SELECT id FROM tap WHERE id > ? AND boot = ? AND uptime = ? AND at = ? AND uid IS ? AND resolves IS ?",
        [
          .integer(before), .text(entry.boot), .integer(entry.uptime.nanoseconds), SQLValue(entry.at),
          SQLValue(entry.uid?.bytes), SQLValue(entry.resolves),
        ], doing: "looking for the tap after an error of the disk")
    }
    guard let id else { return nil }
    noteInWitness()
    return TapRecord(id: id, entry: entry, decided: decided)
  }

  /// The tap is on disk and will be acknowledged, whatever becomes of its line.
  private func noteInWitness() {
    guard let witness, let store = openStore else { return }
    do { witness.note(try store.witnessLines(after: witness.lastNoted)) } catch { witness.report(EIO) }
  }
}
