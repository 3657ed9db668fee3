/// The tables of the ledger, version by version (DESIGN 5.2, 5.6).
///
/// Instants are milliseconds since 1970 UTC. The registry (who, what, when) may change; what happened is append-only, and
/// triggers hold that against every program that opens the file: undo and corrections are new rows.
enum Schema {
  /// "KAgt": tells the ledger from any other SQLite file.
  static let applicationID: Int64 = 0x4B41_6774

  /// Version n is reached by running migrations[n - 1] on version n - 1.
  static let migrations = [version1]

  static var version: Int64 { Int64(migrations.count) }

  private static let version1 = """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;

    CREATE TABLE person (
      id TEXT PRIMARY KEY, name TEXT NOT NULL, reminders_enabled INTEGER NOT NULL CHECK (reminders_enabled IN (0, 1)),
      position INTEGER NOT NULL, until INTEGER
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE medication (
      id TEXT PRIMARY KEY, person TEXT NOT NULL REFERENCES person, name TEXT NOT NULL, dose TEXT,
      minimum_spacing INTEGER, position INTEGER NOT NULL, until INTEGER
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE dose_time (
      id INTEGER PRIMARY KEY, medication TEXT NOT NULL REFERENCES medication, at TEXT NOT NULL, days INTEGER NOT NULL,
      opens_before INTEGER, late_after INTEGER NOT NULL, closes_after INTEGER, since INTEGER, until INTEGER
    ) STRICT;
    CREATE INDEX dose_time_of_medication ON dose_time (medication) WHERE until IS NULL;

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

    CREATE TABLE occurrence (
      id INTEGER PRIMARY KEY, medication TEXT NOT NULL REFERENCES medication, day TEXT NOT NULL, at TEXT NOT NULL,
      due INTEGER NOT NULL, opens INTEGER NOT NULL, closes INTEGER NOT NULL CHECK (closes > opens), late INTEGER,
      spacing INTEGER NOT NULL, UNIQUE (medication, day, at)
    ) STRICT;
    CREATE INDEX occurrence_by_close ON occurrence (closes);

    CREATE TABLE ending (
      occurrence INTEGER PRIMARY KEY REFERENCES occurrence, kind TEXT NOT NULL CHECK (kind IN ('missed', 'unknown', 'skip')),
      reason TEXT, at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX ending_by_time ON ending (at);

    CREATE TABLE acknowledgement (occurrence INTEGER PRIMARY KEY REFERENCES ending, at INTEGER NOT NULL) STRICT;

    CREATE TABLE tap (
      id INTEGER PRIMARY KEY, at INTEGER NOT NULL, zone_offset INTEGER NOT NULL, uptime INTEGER NOT NULL,
      boot TEXT NOT NULL, trusted INTEGER NOT NULL CHECK (trusted IN (0, 1)), uid BLOB, person TEXT REFERENCES person,
      outcome TEXT NOT NULL, unreadable TEXT, message TEXT NOT NULL, sound TEXT NOT NULL,
      resolves INTEGER REFERENCES tap
    ) STRICT;
    CREATE INDEX tap_by_time ON tap (at);
    CREATE INDEX tap_pending ON tap (boot) WHERE outcome = 'pendingTime';
    CREATE UNIQUE INDEX tap_resolved_once ON tap (resolves) WHERE resolves IS NOT NULL;

    CREATE TABLE credit (
      id INTEGER PRIMARY KEY, occurrence INTEGER NOT NULL REFERENCES occurrence, attempt INTEGER NOT NULL,
      tap INTEGER REFERENCES tap, tapped_at INTEGER NOT NULL, UNIQUE (occurrence, attempt)
    ) STRICT;
    CREATE INDEX credit_by_time ON credit (tapped_at);
    CREATE INDEX credit_of_tap ON credit (tap);

    CREATE TABLE undo (credit INTEGER PRIMARY KEY REFERENCES credit, at INTEGER NOT NULL) STRICT;

    CREATE TABLE refusal (
      tap INTEGER NOT NULL REFERENCES tap, position INTEGER NOT NULL, medication TEXT NOT NULL REFERENCES medication,
      reason TEXT NOT NULL, at INTEGER, PRIMARY KEY (tap, position)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE recording_span (started INTEGER PRIMARY KEY, ended INTEGER NOT NULL) STRICT;

    CREATE TRIGGER credit_attempt BEFORE INSERT ON credit
    WHEN NEW.attempt <> 1 + (SELECT count(*) FROM credit WHERE occurrence = NEW.occurrence)
      OR EXISTS (SELECT 1 FROM credit c WHERE c.occurrence = NEW.occurrence
        AND NOT EXISTS (SELECT 1 FROM undo WHERE undo.credit = c.id))
    BEGIN SELECT RAISE(ABORT, 'an occurrence is credited again only when its last credit is undone'); END;
    """ + appendOnly(["occurrence", "ending", "acknowledgement", "tap", "credit", "undo", "refusal"])

  private static func appendOnly(_ tables: [String]) -> String {
    tables.map { table in
      """

      CREATE TRIGGER \(table)_is_never_changed BEFORE UPDATE ON \(table)
      BEGIN SELECT RAISE(ABORT, '\(table) is append-only'); END;
      CREATE TRIGGER \(table)_is_never_deleted BEFORE DELETE ON \(table)
      BEGIN SELECT RAISE(ABORT, '\(table) is append-only'); END;
      """
    }.joined()
  }
}
