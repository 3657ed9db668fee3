internal import HTTP
internal import Linux
internal import Synchronization

/// A calendar's server on loopback.
package final class FakeCalendar: Sendable {
  private let answer: Answer
  private let server: Server
  /// `http://127.0.0.1:PORT`.
  package let address: String

  /// What it says, whatever is asked for.
  private final class Answer: Sendable {
    let response = Mutex(Response(type: "text/calendar", body: Array(FakeCalendar.text.utf8)))
  }

  static let text = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//kiosk-agent//test//EN\r\nEND:VCALENDAR\r\n"

  package init() throws {
    let answer = Answer()
    self.answer = answer
    server = Server(
      settings: ServerSettings(address: "127.0.0.1", port: 0, boot: "calendar", asset: "", timeZone: "UTC"),
      time: SystemTime()
    ) { request in
      request.path == Secrets.calendarPath ? answer.response.withLock { $0 } : Response(status: 404)
    }
    address = "http://127.0.0.1:\(try server.start())"
  }

  deinit { server.stop() }

  /// Says this from now on.
  package func say(_ text: String, status: Int = 200) {
    answer.response.withLock { $0 = Response(status: status, body: Array(text.utf8)) }
  }
}
