package import Foundation

/// What a parser is given: a whole answer, or the last good copy of one, which it evaluates anew.
package struct Delivery: Equatable, Sendable {
  package let body: [UInt8]
  /// The HTTP status; 200 for a copy.
  package let status: Int
  /// The server's clock when it made the answer or last confirmed it (`Date` and `Age`), or else this machine's when it
  /// came.
  package let instant: Date
  /// When it came, in uptime; nil: before this boot.
  package let receivedAt: Duration?
  /// How long before it came the server told what it tells: half the time from the request to the whole answer, without
  /// what it waited for its turn, and as long as a cache says that it has kept it (RFC 9111 5.1, `Age`). Zero for a copy.
  package let toldAgo: Duration
  /// The headers that the settings want, as far as they were there; names in lower case.
  package let headers: [String: String]
  /// How long the provider wants us to wait, 1 s to 6 h; nil: it does not say, or a copy.
  package let retryAfter: Duration?
  /// How long ago the last good answer with this key came, in this process; nil: there was none, or a copy.
  package let sinceSuccess: Duration?
}

/// Why a body is no good, in the words of the parser.
package struct Objection: Error, Equatable, Sendable {
  /// What it speaks of.
  package enum Scope: Sendable {
    /// This document: it is unreadable, or the provider does not know it.
    case document
    /// All that comes from this source: the provider is overloaded or broken.
    case source
    /// The key: nothing is asked as before, until another key is there.
    case key
  }

  package let scope: Scope
  /// What is wrong: what to do. In one sentence, which must not quote the body.
  package let sentence: String
  /// The least time until the next try.
  package let retryAfter: Duration?

  package init(_ sentence: String, scope: Scope = .document, retryAfter: Duration? = nil) {
    self.scope = scope
    self.sentence = sentence
    self.retryAfter = retryAfter
  }
}
