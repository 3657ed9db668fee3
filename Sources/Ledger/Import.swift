package import Foundation
package import Reminders

extension Ledger {
  /// Puts a household file in, in one transaction; the same file twice changes nothing. What is no longer there ends now
  /// and its history stays.
  ///
  /// `advance` lets the rules write before and after: the past is judged by the rules of its time, and a time that ended
  /// ends its open dose now. Under an untrusted clock it must answer with no changes.
  ///
  /// The references of the file were checked by its reader; here foreign keys and uniqueness refuse the rest (`conflict`).
  package func importHousehold(
    _ update: RegistryUpdate, at now: Date, advance: @Sendable (LedgerView) -> [DoseChange]
  ) throws -> RegistryChanges {
    let now = now.asStored
    return try write("importing the household") { store in
      let before = (household: try store.household(), documents: try store.documents())
      try store.advance(at: now, advance)
      if let people = update.people { try store.replace(people: people, at: now) }
      if let medications = update.medications { try store.replace(medications: medications, at: now) }
      if let tags = update.tags { try store.replace(tags: tags, at: now) }
      for (name, json) in update.documents.sorted(by: { $0.key < $1.key }) {
        try store.replace(document: name, json: json, at: now)
      }
      try store.advance(at: now, advance)
      return RegistryChanges(from: before, to: (household: try store.household(), documents: try store.documents()))
    }
  }
}

extension Store {
  fileprivate func advance(at now: Date, _ decide: (LedgerView) -> [DoseChange]) throws(LedgerError) {
    let changes = decide(try view(at: now))
    if !changes.isEmpty { try apply(changes, until: now, at: now) }
  }

  fileprivate func replace(people: [Person], at now: Date) throws(LedgerError) {
    try end("person", keeping: people.map(\.id), at: now)
    for (position, person) in people.enumerated() {
      try database.run(
        """
        INSERT INTO person (id, name, reminders_enabled, position) VALUES (?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, reminders_enabled = excluded.reminders_enabled,
          position = excluded.position, until = NULL
        """,
        [.text(person.id), .text(person.name), SQLValue(person.remindersEnabled), SQLValue(position)],
        doing: "importing the people")
    }
  }

  fileprivate func replace(medications: [Medication], at now: Date) throws(LedgerError) {
    let doing = "importing the medications"
    try end("medication", keeping: medications.map(\.id), at: now)
    try database.run(
      """
      UPDATE dose_time SET until = ? WHERE until IS NULL
      AND medication IN (SELECT id FROM medication WHERE until IS NOT NULL)
      """, [SQLValue(now)], doing: doing)
    for (position, medication) in medications.enumerated() {
      try database.run(
        """
        INSERT INTO medication (id, person, name, dose, minimum_spacing, position) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET person = excluded.person, name = excluded.name, dose = excluded.dose,
          minimum_spacing = excluded.minimum_spacing, position = excluded.position, until = NULL
        """,
        [
          .text(medication.id), .text(medication.person), .text(medication.name), SQLValue(medication.dose),
          SQLValue(medication.minimumSpacing), SQLValue(position),
        ], doing: doing)
      try replace(times: medication.times, of: medication.id, at: now)
    }
  }

  /// A time with the same local time and days stays the same rule; any other is new from now.
  private func replace(times: [DoseTime], of medication: String, at now: Date) throws(LedgerError) {
    let doing = "importing the times"
    let old = try database.query(
      "SELECT id, at, days FROM dose_time WHERE medication = ? AND until IS NULL", [.text(medication)], doing: doing
    ) { row throws(LedgerError) in
      (id: try row.need(row.integer(0)), at: try row.need(row.int(1)), days: try row.need(row.integer(2)))
    }
    let kept = times.map { time in
      old.first { $0.at == time.at.minutes && $0.days == Weekday.bits(of: time.days) }?.id
    }
    for time in old where !kept.contains(time.id) {
      try database.run("UPDATE dose_time SET until = ? WHERE id = ?", [SQLValue(now), .integer(time.id)], doing: doing)
    }
    for (position, (time, id)) in zip(times, kept).enumerated() {
      let values: [SQLValue] = [
        SQLValue(time.opensBefore), SQLValue(time.lateAfter), SQLValue(time.closesAfter), SQLValue(position),
      ]
      if let id {
        try database.run(
          """
          UPDATE dose_time SET entered = iif(opens_before IS ?1 AND closes_after IS ?3, entered, ?5),
            opens_before = ?1, late_after = ?2, closes_after = ?3, position = ?4, since = coalesce(?6, since)
          WHERE id = ?7
          """, values + [SQLValue(now), SQLValue(time.since), .integer(id)], doing: doing)
      } else {
        try database.run(
          """
          INSERT INTO dose_time (opens_before, late_after, closes_after, position, entered, since, medication, at, days)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
          """,
          values + [
            SQLValue(now), SQLValue(time.since ?? now.wholeSecond), .text(medication), SQLValue(time.at.minutes),
            .integer(Weekday.bits(of: time.days)),
          ], doing: doing)
      }
    }
  }

  /// A tag whose label or medications changed is ended and begun anew, so that its history stays.
  fileprivate func replace(tags: [Tag], at now: Date) throws(LedgerError) {
    let doing = "importing the tags"
    let before = try household().tags
    for tag in before where !tags.contains(tag) {
      try database.run(
        "UPDATE tag SET until = ? WHERE uid = ? AND until IS NULL", [SQLValue(now), .blob(tag.uid.bytes)], doing: doing)
    }
    for (position, tag) in tags.enumerated() {
      if before.contains(tag) {
        try database.run(
          "UPDATE tag SET position = ? WHERE uid = ? AND until IS NULL", [SQLValue(position), .blob(tag.uid.bytes)],
          doing: doing)
        continue
      }
      try database.run(
        "INSERT INTO tag (uid, label, position) VALUES (?, ?, ?)",
        [.blob(tag.uid.bytes), SQLValue(tag.label), SQLValue(position)], doing: doing)
      let id = database.lastInsertedID
      for (position, medication) in tag.medications.enumerated() {
        try database.run(
          "INSERT INTO tag_medication (tag, medication, position) VALUES (?, ?, ?)",
          [.integer(id), .text(medication), SQLValue(position)], doing: doing)
      }
    }
  }

  fileprivate func replace(document name: String, json: String, at now: Date) throws(LedgerError) {
    let doing = "importing the section \(name)"
    if try documents()[name] == json { return }
    try database.run(
      "UPDATE document SET until = ? WHERE name = ? AND until IS NULL", [SQLValue(now), .text(name)], doing: doing)
    try database.run(
      "INSERT INTO document (name, json, since) VALUES (?, ?, ?)", [.text(name), .text(json), SQLValue(now)],
      doing: doing)
  }

  /// Ends what is in use and not in `ids`.
  private func end(_ table: String, keeping ids: [String], at now: Date) throws(LedgerError) {
    let doing = "importing the household"
    let ids = Set(ids)
    let gone = try database.query("SELECT id FROM \(table) WHERE until IS NULL", doing: doing) {
      row throws(LedgerError) in try row.need(row.text(0))
    }.filter { !ids.contains($0) }
    for id in gone {
      try database.run("UPDATE \(table) SET until = ? WHERE id = ?", [SQLValue(now), .text(id)], doing: doing)
    }
  }
}

extension Date {
  /// The second it lies in: household files know no smaller step, and an export must import as no change.
  fileprivate var wholeSecond: Date { Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)) }
}
