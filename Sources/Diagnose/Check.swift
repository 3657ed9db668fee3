/// One thing that is looked at: runs alone, goes as far as it can, and ends in a finding.
package struct Check: Sendable {
  /// What goes wrong for people when it fails.
  package enum Impact: String, Sendable {
    case doses, sound, wall, time, upkeep
  }

  /// Whose eyes it looks with.
  package enum Eyes: Sendable {
    /// As started.
    case own
    /// As the service's user when started as root: root is let in everywhere and would not see the fault.
    case service
  }

  /// A letter and a number. The letter is the group; both are stable (`--only`, `--json`).
  package let id: String
  /// At most 37 characters.
  package let title: String
  /// Ids; when one of them failed, its cause is this one's as well and this is not looked at.
  package let needs: [String]
  package let impact: Impact
  package let eyes: Eyes
  package let deadline: Duration
  /// Whether it asks something outside this machine (`--no-network`).
  package let usesNetwork: Bool
  /// What it means when it does not end in time.
  package let overdue: (means: String, remedy: String)
  package let run: @Sendable (Surroundings) async -> Finding

  package init(
    _ id: String, _ title: String, needs: [String] = [], impact: Impact, eyes: Eyes = .own,
    deadline: Duration = .seconds(5), usesNetwork: Bool = false,
    overdue: (means: String, remedy: String) = ("It took longer than it may.", "Run it again; then look at its parts."),
    run: @escaping @Sendable (Surroundings) async -> Finding
  ) {
    self.id = id
    self.title = title
    self.needs = needs
    self.impact = impact
    self.eyes = eyes
    self.deadline = deadline
    self.usesNetwork = usesNetwork
    self.overdue = overdue
    self.run = run
  }

  /// The letters of its id.
  package var group: String { String(id.prefix { $0.isLetter }) }
}

/// What became of one check.
package struct Outcome: Sendable {
  package let check: Check
  package let finding: Finding
  package let took: Duration

  package init(check: Check, finding: Finding, took: Duration) {
    self.check = check
    self.finding = finding
    self.took = took
  }
}
