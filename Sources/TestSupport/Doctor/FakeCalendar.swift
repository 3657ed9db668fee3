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

  /// A calendar with an event a day, of which nobody may learn.
  static let text = text(
    of: """
      BEGIN:VEVENT\r
      UID:\(Secrets.uidOfEvent.planted)\r
      DTSTART:20260101T013000Z\r
      DURATION:PT30M\r
      RRULE:FREQ=DAILY\r
      SUMMARY:\(Secrets.event.planted)\r
      END:VEVENT\r

      """)

  /// A calendar of these events.
  package static func text(of events: String) -> String {
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//kiosk-agent//test//EN\r\n\(events)END:VCALENDAR\r\n"
  }

  package init() throws {
    let answer = Answer()
    self.answer = answer
    server = Server(
      settings: ServerSettings(address: "127.0.0.1", port: 0, boot: "calendar", asset: "", timeZone: "UTC"),
      time: SystemTime()
    ) { request in
      request.path == Secrets.calendarPath && request.query == "key=\(Secrets.query.planted)"
        ? answer.response.withLock { $0 } : Response(status: 404)
    }
    address = "http://127.0.0.1:\(try server.start())"
  }

  deinit { server.stop() }

  /// The whole address of the calendar.
  package var url: String { "\(address)\(Secrets.calendarPath)?key=\(Secrets.query.planted)" }

  /// Says this from now on.
  package func say(_ text: String, status: Int = 200) {
    answer.response.withLock { $0 = Response(status: status, body: Array(text.utf8)) }
  }
}
