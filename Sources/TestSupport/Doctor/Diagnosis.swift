internal import Foundation

/// What `--diagnose --json` said.
package struct Diagnosis {
  package let code: Int32
  /// All of its output.
  package let text: String
  package let seconds: Double
  /// The checks' lines by their ids.
  package let lines: [String: [String: Any]]
  private let summary: [String: Any]

  /// Takes lines of JSON apart.
  init(code: Int32, text: String, seconds: Double) throws {
    self.code = code
    self.text = text
    self.seconds = seconds
    var lines: [String: [String: Any]] = [:]
    var summary: [String: Any] = [:]
    for line in text.split(separator: "\n") {
      guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else { continue }
      if let id = object["id"] as? String { lines[id] = object }
      if let end = object["summary"] as? [String: Any] { summary = end }
    }
    self.lines = lines
    self.summary = summary
  }

  package func status(_ id: String) -> String? { lines[id]?["status"] as? String }

  /// The id of what it names first; nil: nothing is wrong.
  package var first: String? { summary["first"] as? String }

  /// Ids of failures, sorted.
  package var failed: [String] { ids(["FAIL", "TIMEOUT", "CRASH"]) }

  /// Ids of failures and warnings, sorted.
  package var found: [String] { ids(["FAIL", "TIMEOUT", "CRASH", "WARN"]) }

  private func ids(_ statuses: Set<String>) -> [String] {
    lines.keys.filter { statuses.contains(status($0) ?? "") }.sorted()
  }
}
