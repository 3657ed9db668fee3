/// One request, checked and taken apart.
package struct Request: Equatable, Sendable {
  package var method: String
  /// Without the query; not percent-decoded, since no path of ours needs it.
  package var path: String
  /// What follows the first `?`; empty when there is none.
  package var query: String
  /// Names in lower case; each at most once.
  package var headers: [String: String]
  /// At most 16 KiB.
  package var body: [UInt8]
  /// HTTP/1.0, which closes after each answer.
  var isOld = false

  package init(
    method: String, path: String, query: String = "", headers: [String: String] = [:], body: [UInt8] = []
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
  }

  /// Whether the connection stays for another request.
  var keepsAlive: Bool {
    !isOld
      && !(headers["connection"] ?? "").lowercased().split(separator: ",")
        .contains { $0.drop { $0 == " " }.prefix { $0 != " " } == "close" }
  }
}

/// What an endpoint says.
package struct Response: Equatable, Sendable {
  package var status: Int
  /// The media type; not said when the body is empty.
  package var type: String
  package var body: [UInt8]
  /// False for what is named by its own hash and never changes.
  package var isVolatile: Bool

  package init(
    status: Int = 200, type: String = "text/plain; charset=utf-8", body: [UInt8] = [], isVolatile: Bool = true
  ) {
    self.status = status
    self.type = type
    self.body = body
    self.isVolatile = isVolatile
  }

  package static func json(_ text: String, status: Int = 200) -> Response {
    Response(status: status, type: "application/json", body: Array(text.utf8))
  }
}
