/// What one check found: what was seen, what that means and what to do.
package struct Finding: Codable, Equatable, Sendable {
  package enum Status: String, Codable, CaseIterable, Sendable {
    case pass = "PASS"
    /// It works and will not for long, or not as it should.
    case warn = "WARN"
    case fail = "FAIL"
    /// It could not be looked at here; the meaning says why.
    case skip = "SKIP"
    /// It did not end by its deadline and was killed.
    case timeout = "TIMEOUT"
    /// The check itself broke.
    case crash = "CRASH"

    /// Whether what needs this cannot be told any more.
    package var blocks: Bool { self == .fail || self == .timeout || self == .crash }
  }

  /// A thing that was seen, by name.
  package struct Fact: Codable, Equatable, Sendable {
    package var name: String
    package var value: String
  }

  package var status: Status
  package var seen: [Fact]
  package var means: String?
  /// Each is a command to paste or a thing to do by hand; in this order.
  package var remedies: [String]

  package init(_ status: Status, seen: [Fact] = [], means: String? = nil, remedies: [String] = []) {
    self.status = status
    self.seen = seen
    self.means = means
    self.remedies = remedies
  }

  package static func pass(_ seen: [Fact]) -> Finding { Finding(.pass, seen: seen) }
  package static func warn(_ seen: [Fact], _ means: String, _ remedies: String...) -> Finding {
    Finding(.warn, seen: seen, means: means, remedies: remedies)
  }
  package static func fail(_ seen: [Fact], _ means: String, _ remedies: String...) -> Finding {
    Finding(.fail, seen: seen, means: means, remedies: remedies)
  }
  package static func skip(_ why: String) -> Finding { Finding(.skip, means: why) }
}

extension Finding.Fact {
  package init(_ name: String, _ value: String) { self.init(name: name, value: value) }
  package init(_ name: String, _ value: Int) { self.init(name: name, value: String(value)) }
}
