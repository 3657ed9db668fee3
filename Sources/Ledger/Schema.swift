/// The tables of the ledger, version by version (DESIGN 5.2, 5.6).
///
/// The registry (who takes what and when) may change; what happened is append-only: undo and corrections are new rows.
/// Triggers hold that against every program that opens the file.
///
/// Instants are milliseconds since 1970 UTC, days are counted from 1970-01-01, times of day are minutes after midnight.
/// `recorded_at` is the wall clock at the moment of writing.
enum Schema {
  /// "KAgt": tells a ledger from any other SQLite file.
  static let applicationID: Int64 = 0x4B41_6774

  /// Step n brings version n - 1 to version n. A step that was released is never changed.
  static let migrations = [
    registry + occurrences + taps + credits + clock
      + appendOnly("occurrence", unique: ["medication", "day", "at"])
      + appendOnly("ending") + appendOnly("acknowledgement", key: "ending")
      + appendOnly("tap", unique: ["resolves"])
      + appendOnly("credit", unique: ["occurrence", "attempt"]) + appendOnly("undo", key: "credit")
      + appendOnly("refusal", key: nil, unique: ["tap", "position"]) + appendOnly("clock_correction"),
    recordsLost,
  ]

  static var version: Int { migrations.count }

  private static let registry = """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;

    CREATE TABLE person (
      id TEXT PRIMARY KEY, name TEXT NOT NULL, reminders_enabled INTEGER NOT NULL CHECK (reminders_enabled IN (0, 1)),
      position INTEGER NOT NULL, until INTEGER
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE medication (
      id TEXT PRIMARY KEY, person TEXT NOT NULL REFERENCES person, name TEXT NOT NULL, dose TEXT,
      minimum_spacing INTEGER, position INTEGER NOT NULL, until INTEGER
    ) STRICT, WITHOUT ROWID;

    -- `days` has one bit a day, Monday lowest; the other numbers are minutes. `since`: in force, as the household says;
    -- `entered`: when these windows were imported.
    CREATE TABLE dose_time (
      id INTEGER PRIMARY KEY, medication TEXT NOT NULL REFERENCES medication,
      at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 1439), days INTEGER NOT NULL CHECK (days BETWEEN 0 AND 127),
      opens_before INTEGER, late_after INTEGER NOT NULL, closes_after INTEGER, position INTEGER NOT NULL,
      since INTEGER, entered INTEGER NOT NULL, until INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX dose_time_in_use ON dose_time (medication, at, days) WHERE until IS NULL;

    CREATE TABLE tag (
      id INTEGER PRIMARY KEY, uid BLOB NOT NULL, label TEXT, position INTEGER NOT NULL, until INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX tag_in_use ON tag (uid) WHERE until IS NULL;
    CREATE TABLE tag_medication (
      tag INTEGER NOT NULL REFERENCES tag, medication TEXT NOT NULL REFERENCES medication, position INTEGER NOT NULL,
      PRIMARY KEY (tag, medication)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE document (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, json TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX document_in_use ON document (name) WHERE until IS NULL;

    -- [started, ended): taps could be recorded. The running span's end moves.
    CREATE TABLE recording_span (started INTEGER PRIMARY KEY, ended INTEGER NOT NULL) STRICT;

    """

  private static let occurrences = """
    CREATE TABLE occurrence (
      id INTEGER PRIMARY KEY, medication TEXT NOT NULL REFERENCES medication,
      day INTEGER NOT NULL CHECK (day BETWEEN -1000000 AND 10000000), at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 1439),
      due INTEGER NOT NULL, opens INTEGER NOT NULL,
      closes INTEGER NOT NULL CHECK (closes > opens), late INTEGER, spacing INTEGER NOT NULL CHECK (spacing >= 0),
      recorded_at INTEGER NOT NULL, UNIQUE (medication, day, at)
    ) STRICT;
    CREATE INDEX occurrence_by_close ON occurrence (closes);
    CREATE INDEX occurrence_by_record ON occurrence (recorded_at);

    -- `at`: when it ended, at the latest when its window closed.
    CREATE TABLE ending (
      id INTEGER PRIMARY KEY, occurrence INTEGER NOT NULL REFERENCES occurrence,
      kind TEXT NOT NULL CHECK (kind IN ('missed', 'unknown', 'skip')), reason TEXT CHECK ((reason IS NULL) = (kind = 'missed')),
      at INTEGER NOT NULL, recorded_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX ending_of_occurrence ON ending (occurrence);
    CREATE INDEX ending_by_time ON ending (at);
    CREATE INDEX ending_by_record ON ending (recorded_at);

    CREATE TABLE acknowledgement (ending INTEGER PRIMARY KEY REFERENCES ending, recorded_at INTEGER NOT NULL) STRICT;

    """

  private static let taps = """
    -- `placed_at`: where it stands in history: `at`, or under an untrusted clock the newest believed instant before it.
    -- `uptime`: nanoseconds of CLOCK_BOOTTIME. `resolves`: the earlier tap that this row answers.
    CREATE TABLE tap (
      id INTEGER PRIMARY KEY, at INTEGER NOT NULL, recorded_at INTEGER NOT NULL, placed_at INTEGER NOT NULL,
      zone_offset INTEGER NOT NULL, uptime INTEGER NOT NULL, boot TEXT NOT NULL,
      trusted INTEGER NOT NULL CHECK (trusted IN (0, 1)), uid BLOB, person TEXT REFERENCES person,
      outcome TEXT NOT NULL CHECK (outcome IN
        ('taken', 'alreadyTaken', 'wrongWindow', 'unknownTag', 'unreadable', 'notRecorded', 'pendingTime')),
      unreadable TEXT CHECK ((unreadable IS NULL) = (uid IS NOT NULL)), message TEXT NOT NULL,
      sound TEXT NOT NULL CHECK (sound IN ('success', 'failure', 'none')), resolves INTEGER REFERENCES tap
    ) STRICT;
    CREATE INDEX tap_by_time ON tap (placed_at);
    CREATE INDEX tap_by_trusted_record ON tap (recorded_at) WHERE trusted = 1;
    CREATE INDEX tap_pending ON tap (boot) WHERE outcome = 'pendingTime';
    CREATE UNIQUE INDEX tap_resolved_once ON tap (resolves) WHERE resolves IS NOT NULL;

    CREATE TABLE refusal (
      tap INTEGER NOT NULL REFERENCES tap, position INTEGER NOT NULL, medication TEXT NOT NULL REFERENCES medication,
      reason TEXT NOT NULL CHECK (reason IN ('alreadyTaken', 'tooSoon', 'notDue')), at INTEGER,
      PRIMARY KEY (tap, position)
    ) STRICT, WITHOUT ROWID;

    """

  private static let credits = """
    -- `tap` is NULL when the dose was entered by hand.
    CREATE TABLE credit (
      id INTEGER PRIMARY KEY, occurrence INTEGER NOT NULL REFERENCES occurrence, attempt INTEGER NOT NULL,
      tap INTEGER REFERENCES tap, tapped_at INTEGER NOT NULL, recorded_at INTEGER NOT NULL,
      UNIQUE (occurrence, attempt)
    ) STRICT;
    CREATE INDEX credit_by_time ON credit (tapped_at);
    CREATE INDEX credit_of_tap ON credit (tap);

    CREATE TABLE undo (
      credit INTEGER PRIMARY KEY REFERENCES credit, reason TEXT NOT NULL CHECK (reason IN ('person', 'clock')),
      recorded_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX undo_by_record ON undo (recorded_at);

    CREATE VIEW live_credit AS
      SELECT * FROM credit WHERE NOT EXISTS (SELECT 1 FROM undo WHERE undo.credit = credit.id);

    CREATE TRIGGER credit_attempt BEFORE INSERT ON credit
    WHEN NEW.attempt <> 1 + (SELECT count(*) FROM credit WHERE occurrence = NEW.occurrence)
      OR EXISTS (SELECT 1 FROM live_credit WHERE occurrence = NEW.occurrence)
    BEGIN SELECT RAISE(ABORT, 'an occurrence is credited again only when its last credit is undone'); END;

    """

  private static let clock = """
    -- The clock was found to be ahead: rows up to these that say they were recorded after `corrected_to` are not believed.
    CREATE TABLE clock_correction (
      id INTEGER PRIMARY KEY, corrected_to INTEGER NOT NULL, last_tap INTEGER NOT NULL, last_occurrence INTEGER NOT NULL,
      last_ending INTEGER NOT NULL
    ) STRICT;

    CREATE VIEW believed_ending AS
      SELECT * FROM ending WHERE NOT EXISTS
        (SELECT 1 FROM clock_correction c WHERE ending.id <= c.last_ending AND ending.recorded_at > c.corrected_to);

    CREATE VIEW doubted_tap AS
      SELECT * FROM tap WHERE trusted = 1 AND EXISTS
        (SELECT 1 FROM clock_correction c WHERE tap.id <= c.last_tap AND tap.recorded_at > c.corrected_to);

    CREATE TRIGGER ending_once BEFORE INSERT ON ending
    WHEN EXISTS (SELECT 1 FROM believed_ending WHERE occurrence = NEW.occurrence)
    BEGIN SELECT RAISE(ABORT, 'an occurrence ends once'); END;

    """

  private static let recordsLost = """
    -- The ledger was restored: rows of [since, until) may be missing. `since` 0: everything. `until` NULL: up to the first
    -- instant that a trusted clock tells.
    CREATE TABLE records_lost (id INTEGER PRIMARY KEY, since INTEGER NOT NULL, until INTEGER) STRICT;
    CREATE TRIGGER records_lost_ends_once BEFORE UPDATE ON records_lost WHEN OLD.until IS NOT NULL OR NEW.until IS NULL
    BEGIN SELECT RAISE(ABORT, 'what was lost is known once'); END;
    CREATE TRIGGER records_lost_is_never_deleted BEFORE DELETE ON records_lost
    BEGIN SELECT RAISE(ABORT, 'records_lost is append-only'); END;

    """

  /// INSERT OR REPLACE deletes without firing DELETE triggers, so inserting over a row is refused as well.
  private static func appendOnly(_ table: String, key: String? = "id", unique: [String] = []) -> String {
    let sameKey = key.map { ["\(table).\($0) = NEW.\($0)"] } ?? []
    let sameRest = unique.isEmpty ? [] : [unique.map { "\(table).\($0) = NEW.\($0)" }.joined(separator: " AND ")]
    return """
      CREATE TRIGGER \(table)_is_never_changed BEFORE UPDATE ON \(table)
      BEGIN SELECT RAISE(ABORT, '\(table) is append-only'); END;
      CREATE TRIGGER \(table)_is_never_deleted BEFORE DELETE ON \(table)
      BEGIN SELECT RAISE(ABORT, '\(table) is append-only'); END;
      CREATE TRIGGER \(table)_is_never_replaced BEFORE INSERT ON \(table)
      WHEN EXISTS (SELECT 1 FROM \(table) WHERE \((sameKey + sameRest).joined(separator: " OR ")))
      BEGIN SELECT RAISE(ABORT, '\(table) is append-only'); END;

      """
  }
}
