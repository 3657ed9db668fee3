package import Foundation
package import Reminders

/// A household file for the ledger: a section that is present is the whole of it, an absent one is left alone.
package struct RegistryUpdate: Equatable, Sendable {
  package var people: [Person]?
  /// `DoseTime.since` nil: kept for a time that is there already with the same local time and days, else `enteredAt`.
  package var medications: [Medication]?
  package var tags: [Tag]?
  /// Sections that are kept as JSON text, by name (`watches`, `bell`).
  package var documents: [String: String]

  package init(
    people: [Person]? = nil, medications: [Medication]? = nil, tags: [Tag]? = nil, documents: [String: String] = [:]
  ) {
    self.people = people
    self.medications = medications
    self.tags = tags
    self.documents = documents
  }
}

extension Ledger {
  /// Puts a household file in, in one transaction; the same file twice changes nothing.
  ///
  /// Before and after, `advance` lets the rules write what they have to: the past is judged by the rules of its time, and a
  /// time that ended ends its open dose now.
  /// - Returns: whether anything changed.
  package func importHousehold(
    _ update: RegistryUpdate, at now: Date, advance: @Sendable (LedgerView) -> [DoseChange]
  ) throws -> Bool {
    let store = try store()
    let now = now.asStored
    return try store.database.transaction(doing: "importing the household") {
      let before = try store.snapshotOfRegistry()
      try store.advance(at: now, advance)
      if let people = update.people { try store.replace(people: people, at: now) }
      if let medications = update.medications { try store.replace(medications: medications, at: now) }
      if let tags = update.tags { try store.replace(tags: tags, at: now) }
      for (name, json) in update.documents.sorted(by: { $0.key < $1.key }) {
        try store.replace(document: name, json: json, at: now)
      }
      try store.advance(at: now, advance)
      return try store.snapshotOfRegistry() != before
    }
  }

  /// Everything an export holds.
  package func export() throws -> (household: Household, documents: [String: String]) {
    let store = try store()
    return (try store.household(), try store.documents())
  }
}

extension Store {
  fileprivate func advance(at now: Date, _ decide: (LedgerView) -> [DoseChange]) throws {
    let changes = decide(LedgerView(household: try household(), log: try doseLog(at: now), pending: []))
    try apply(changes, at: now)
  }

  fileprivate func snapshotOfRegistry() throws(LedgerError) -> [String: [[SQLValue]]] {
    var tables: [String: [[SQLValue]]] = [:]
    for table in ["person", "medication", "dose_time", "tag", "tag_medication", "document"] {
      tables[table] = try database.rows("SELECT * FROM \(table)", doing: "comparing the household")
    }
    return tables
  }

  fileprivate func replace(people: [Person], at now: Date) throws(LedgerError) {
    let doing = "importing the people"
    try end("person", keeping: people.map(\.id), at: now)
    for (position, person) in people.enumerated() {
      try database.run(
        """
        INSERT INTO person (id, name, reminders_enabled, position) VALUES (?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, reminders_enabled = excluded.reminders_enabled,
          position = excluded.position, until = NULL
        """,
        [.text(person.id), .text(person.name), SQLValue(person.remindersEnabled), .integer(Int64(position))],
        doing: doing)
    }
  }

  fileprivate func replace(medications: [Medication], at now: Date) throws(LedgerError) {
    try end("medication", keeping: medications.map(\.id), at: now)
    for (position, medication) in medications.enumerated() {
      try database.run(
        """
        INSERT INTO medication (id, person, name, dose, minimum_spacing, position) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET person = excluded.person, name = excluded.name, dose = excluded.dose,
          minimum_spacing = excluded.minimum_spacing, position = excluded.position, until = NULL
        """,
        [
          .text(medication.id), .text(medication.person), .text(medication.name), SQLValue(medication.dose),
          SQLValue(medication.minimumSpacing), .integer(Int64(position)),
        ], doing: "importing the medications")
      try replace(times: medication.times, of: medication.id, at: now)
    }
    let ids = Set(medications.map(\.id))
    let others = try database.rows(
      "SELECT DISTINCT medication FROM dose_time WHERE until IS NULL", doing: "importing the medications"
    ).compactMap { $0[0].text }.filter { !ids.contains($0) }
    for id in others { try replace(times: [], of: id, at: now) }
  }

  /// A time with the same local time and days stays the same rule; any other is new from now.
  private func replace(times: [DoseTime], of medication: String, at now: Date) throws(LedgerError) {
    let doing = "importing the times"
    let old = try database.rows(
      "SELECT id, at, days, since FROM dose_time WHERE medication = ? AND until IS NULL", [.text(medication)],
      doing: doing)
    var kept: Set<Int64> = []
    for time in times {
      let values: [SQLValue] = [
        SQLValue(time.opensBefore), SQLValue(time.lateAfter), SQLValue(time.closesAfter),
      ]
      let days = Weekday.bits(of: time.days)
      if let row = old.first(where: { $0[1].text == time.at.description && $0[2].integer == days }),
        let id = row[0].integer
      {
        kept.insert(id)
        let since = time.since.map { SQLValue($0) } ?? row[3]
        try database.run(
          "UPDATE dose_time SET opens_before = ?, late_after = ?, closes_after = ?, since = ? WHERE id = ?",
          values + [since, .integer(id)], doing: doing)
      } else {
        try database.run(
          "INSERT INTO dose_time (opens_before, late_after, closes_after, since, medication, at, days) VALUES (?, ?, ?, ?, ?, ?, ?)",
          values + [SQLValue(time.since ?? now), .text(medication), .text(time.at.description), .integer(days)],
          doing: doing)
      }
    }
    for id in old.compactMap({ $0[0].integer }) where !kept.contains(id) {
      try database.run("UPDATE dose_time SET until = ? WHERE id = ?", [SQLValue(now), .integer(id)], doing: doing)
    }
  }

  fileprivate func replace(tags: [Tag], at now: Date) throws(LedgerError) {
    let doing = "importing the tags"
    let before = try household().tags
    if before == tags { return }
    for tag in before where !tags.contains(tag) {
      try database.run(
        "UPDATE tag SET until = ? WHERE uid = ? AND until IS NULL", [SQLValue(now), .blob(tag.uid.bytes)], doing: doing)
    }
    for (position, tag) in tags.enumerated() {
      if before.contains(tag) {
        try database.run(
          "UPDATE tag SET position = ? WHERE uid = ? AND until IS NULL",
          [.integer(Int64(position)), .blob(tag.uid.bytes)], doing: doing)
        continue
      }
      try database.run(
        "INSERT INTO tag (uid, label, position) VALUES (?, ?, ?)",
        [.blob(tag.uid.bytes), SQLValue(tag.label), .integer(Int64(position))], doing: doing)
      let id = database.lastInsertedID
      for (position, medication) in tag.medications.enumerated() {
        try database.run(
          "INSERT INTO tag_medication (tag, medication, position) VALUES (?, ?, ?)",
          [.integer(id), .text(medication), .integer(Int64(position))], doing: doing)
      }
    }
  }

  fileprivate func replace(document name: String, json: String, at now: Date) throws(LedgerError) {
    let doing = "importing \(name)"
    if try documents()[name] == json { return }
    try database.run(
      "UPDATE document SET until = ? WHERE name = ? AND until IS NULL", [SQLValue(now), .text(name)], doing: doing)
    try database.run(
      "INSERT INTO document (name, json, since) VALUES (?, ?, ?)", [.text(name), .text(json), SQLValue(now)],
      doing: doing)
  }

  func documents() throws(LedgerError) -> [String: String] {
    var documents: [String: String] = [:]
    for row in try database.rows("SELECT name, json FROM document WHERE until IS NULL", doing: "reading documents") {
      if let name = row[0].text, let json = row[1].text { documents[name] = json }
    }
    return documents
  }

  /// Ends what is not in `ids`; its history stays.
  private func end(_ table: String, keeping ids: [String], at now: Date) throws(LedgerError) {
    let doing = "importing the household"
    let ids = Set(ids)
    let gone = try database.rows("SELECT id FROM \(table) WHERE until IS NULL", doing: doing)
      .compactMap { $0[0].text }.filter { !ids.contains($0) }
    for id in gone {
      try database.run("UPDATE \(table) SET until = ? WHERE id = ?", [SQLValue(now), .text(id)], doing: doing)
    }
  }
}
