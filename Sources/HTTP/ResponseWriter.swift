/// Puts answers into bytes. Every answer carries the same security headers and none of CORS.
enum ResponseWriter {
  private static let reasons: [Int: String] = [
    200: "OK", 204: "No Content", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    408: "Request Timeout", 411: "Length Required", 413: "Content Too Large", 415: "Unsupported Media Type",
    417: "Expectation Failed", 421: "Misdirected Request", 431: "Request Header Fields Too Large",
    500: "Internal Server Error", 501: "Not Implemented", 503: "Service Unavailable",
    505: "HTTP Version Not Supported",
  ]

  private static let security = """
    Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r
    X-Content-Type-Options: nosniff\r
    Referrer-Policy: no-referrer\r
    Cross-Origin-Resource-Policy: same-origin\r

    """

  static func bytes(_ response: Response, head: Bool, keepAlive: Bool) -> [UInt8] {
    var text = "HTTP/1.1 \(response.status) \(reasons[response.status] ?? "Unknown")\r\n"
    if !response.body.isEmpty { text += "Content-Type: \(response.type)\r\n" }
    if response.status != 204 { text += "Content-Length: \(response.body.count)\r\n" }
    text +=
      response.isVolatile ? "Cache-Control: no-store\r\n" : "Cache-Control: public, max-age=31536000, immutable\r\n"
    if response.status == 405 { text += "Allow: GET, HEAD, POST\r\n" }
    text += "Connection: \(keepAlive ? "keep-alive" : "close")\r\n" + security + "\r\n"
    return Array(text.utf8) + (head ? [] : response.body)
  }

  /// The head of an event stream, and how long a page waits before it connects again.
  /// - Parameter milliseconds: nil: the head alone.
  static func streamHead(retry milliseconds: Int?) -> [UInt8] {
    Array(
      ("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nConnection: close\r\n"
        + security + "\r\n" + (milliseconds.map { "retry: \($0)\n\n" } ?? "")).utf8)
  }

  /// One server-sent event; `data` holds no line break.
  static func event(_ name: String, id: String? = nil, data: String) -> [UInt8] {
    Array("event: \(name)\n\(id.map { "id: \($0)\n" } ?? "")data: \(data)\n\n".utf8)
  }
}
