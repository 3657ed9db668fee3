/// What holds for all that is fetched from one source.
package struct FeedSettings: Sendable {
  /// Who says whether an answer is good.
  package enum Verdict: Sendable {
    /// The HTTP status. The parser sees only answers with 200 or 203.
    case status
    /// The parser, whatever the status: the body has an envelope with a code of its own (OneBusAway says "permission
    /// denied" with HTTP 200).
    case body
  }

  /// As on the wall and in the log: `onebusaway`, `calendar:school`.
  package var id: String
  /// The query item that carries the key; nil: no key is used.
  package var keyParameter: String?
  /// How to get a key, as the end of a sentence: "ask oba_api_key@soundtransit.org for a key".
  package var keyAdvice: String?
  package var verdict = Verdict.status
  /// Headers of an answer that the parser needs, in lower case.
  package var headers: [String] = []
  /// For one request with its redirects (`--max-time`).
  package var deadline: Duration = .seconds(15)
  /// Bytes of a body after decompression.
  package var limit = 4 << 20
  /// Hosts beside a document's own that a redirect may lead to, lower case.
  package var hosts: Set<String> = []
  package var backOff = BackOff.Range(first: .seconds(15), cap: .seconds(300))

  package init(id: String) { self.id = id }
}

/// One document of a source: a stop's arrivals, a timetable, a calendar.
package struct Resource: Sendable {
  /// Tells it from the source's other documents, for good: its last good copy has this name.
  package var name: String
  /// Without the key.
  package var address: Address
  package var freshness: Freshness
  /// Whether the server may answer that nothing has changed. A body that tells the time of its answer has always changed.
  package var usesValidators: Bool

  package init(name: String, address: Address, freshness: Freshness, usesValidators: Bool = true) {
    self.name = name
    self.address = address
    self.freshness = freshness
    self.usesValidators = usesValidators
  }
}

/// What is known of a document now.
package struct Reading<Value: Sendable>: Sendable {
  /// The newest that could be parsed, from this fetch or from the last good copy, evaluated just now; nil: there is none.
  package let value: Value?
  package let standing: Standing
}
