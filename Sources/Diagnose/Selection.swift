/// Which checks are run: `--only`, `--skip`, `--no-network`.
package struct Selection: Equatable, Sendable {
  /// Ids or letters of groups; empty: all.
  package var only: [String] = []
  package var skip: [String] = []
  package var usesNetwork = true

  package init() {}

  /// Ids and groups that are no check's, as they were written.
  package func unknown(among checks: [Check]) -> [String] {
    (only + skip).filter { word in !checks.contains { Self.names(word, $0) } }
  }

  package func of(_ checks: [Check]) -> [Check] {
    checks.filter { check in
      (only.isEmpty || only.contains { Self.names($0, check) }) && !skip.contains { Self.names($0, check) }
    }
  }

  /// Why a chosen check is not to be run; nil: it is.
  package func objection(to check: Check) -> Finding? {
    usesNetwork || !check.usesNetwork ? nil : .skip("Left out by --no-network.")
  }

  private static func names(_ word: String, _ check: Check) -> Bool {
    let word = word.uppercased()
    return word == check.id || word == check.group
  }
}
