package import Reminders

/// A household file for the ledger: a section that is present is the whole of it, an absent one is left alone.
package struct RegistryUpdate: Equatable, Sendable {
  package var people: [Person]?
  /// `DoseTime.since` nil: kept for a time that is there already with the same local time and days, else now.
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

/// What an import did, section by section.
package struct RegistryChanges: Equatable, Sendable {
  package struct Section: Equatable, Sendable {
    package var added = 0
    package var changed = 0
    package var ended = 0

    package init(added: Int = 0, changed: Int = 0, ended: Int = 0) {
      self.added = added
      self.changed = changed
      self.ended = ended
    }
  }

  package var people = Section()
  package var medications = Section()
  package var tags = Section()
  package var documents = Section()

  package init() {}

  /// False: the file was in the ledger already.
  package var isEmpty: Bool { self == RegistryChanges() }
}

extension RegistryChanges {
  init(
    from old: (household: Household, documents: [String: String]),
    to new: (household: Household, documents: [String: String])
  ) {
    func section<Value: Equatable>(_ old: [Value], _ new: [Value], id: (Value) -> some Hashable) -> Section {
      let before = Dictionary(old.map { (id($0), $0) }) { $1 }
      let after = Dictionary(new.map { (id($0), $0) }) { $1 }
      return Section(
        added: after.keys.count { before[$0] == nil },
        changed: after.count { before[$0.key] != nil && before[$0.key] != $0.value },
        ended: before.keys.count { after[$0] == nil })
    }
    self.init()
    people = section(old.household.people, new.household.people) { $0.id }
    medications = section(old.household.medications, new.household.medications) { $0.id }
    tags = section(old.household.tags, new.household.tags) { $0.uid }
    documents = section(old.documents.map { [$0.key, $0.value] }, new.documents.map { [$0.key, $0.value] }) { $0[0] }
  }
}
