internal import Linux

/// One request and what came of it. Redirects are answers here; `Source` follows them.
package struct Request: Sendable {
  var address: Address
  /// Beside what curl sends by itself; names and values are printable ASCII.
  var headers: [(name: String, value: String)] = []
  /// Which headers of the answer are wanted in `Answer.headers`, in lower case.
  var wanted: [String] = []
  /// For all of it: name, connection, answer.
  var deadline: Duration
  /// Bytes of the body after decompression.
  var limit: Int
}

/// The way to a server: `Exchange.curl` or a test's.
///
/// A provider's own rules of manners (a distance between two requests with one key) are kept by an exchange around
/// another: each request of a source passes through it, those after a redirect too, and never two at a time.
package struct Exchange: Sendable {
  /// Throws `Fault` or `CancellationError`.
  package let perform: @Sendable (Request) async throws -> Answer

  /// - Parameter perform: throws `Fault` or `CancellationError`; may wait before it asks.
  package init(perform: @escaping @Sendable (Request) async throws -> Answer) { self.perform = perform }
}
