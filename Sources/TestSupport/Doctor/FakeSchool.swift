package import Foundation
internal import HTTP
internal import Linux
internal import Synchronization

/// What a school publishes, on loopback: its day map and the six stations of its cafeteria. Its addresses hold a secret.
package final class FakeSchool: Sendable {
  private let answers: Answers
  private let server: Server
  /// `http://127.0.0.1:PORT`.
  package let address: String

  private final class Answers: Sendable {
    let byPath = Mutex<[String: Response]>([:])
  }

  /// - Parameter now: some instant of the school year.
  package init(at now: Date) throws {
    let answers = Answers()
    self.answers = answers
    server = Server(
      settings: ServerSettings(address: "127.0.0.1", port: 0, boot: "school", asset: "", timeZone: "UTC"),
      time: SystemTime()
    ) { request in
      answers.byPath.withLock { $0[request.path] } ?? Response(status: 404)
    }
    address = "http://127.0.0.1:\(try server.start())"
    for (name, text) in Self.published(at: now) { say(text, as: name) }
  }

  deinit { server.stop() }

  /// Says this from now on.
  ///
  /// - Parameter name: `days.json`, or `menu/` and a station's.
  package func say(_ text: String, as name: String, status: Int = 200) {
    answers.byPath.withLock { $0[Self.folder + name] = Response(status: status, body: Array(text.utf8)) }
  }

  /// The whole address of the day map.
  package var mapURL: String { "\(address)\(Self.folder)days.json" }

  /// Where all of it is, which nobody may learn.
  static var folder: String { "/\(Secrets.schoolToken.planted)/" }

  // MARK: What a school that is well says

  /// Of the published files each with its name.
  package static func published(at now: Date) -> [(name: String, text: String)] {
    let week = #"["Soup 1","Soup 2","Soup 3","Soup 4","Soup 5"]"#
    let daily = #"{"cadence":"daily","data":[\#(week),\#(week)]}"#
    let weekly = #"{"cadence":"weekly","data":["Ramen",["Tacos","Rice"]]}"#
    return [
      ("days.json", #"{"No School":["\#(day(10, from: now))"]}"#), ("menu/special.json", "[\(week),\(week)]"),
      ("menu/comfort.json", daily), ("menu/mindful.json", daily), ("menu/sides.json", daily),
      ("menu/soup.json", weekly), ("menu/international.json", weekly),
    ]
  }

  /// The school's file.
  ///
  /// - Parameter address: of the server that has the rest.
  package static func file(at now: Date, address: String) -> String {
    """
    { name: "\(Secrets.school.planted)", timeZone: "America/Los_Angeles", regular: "Standard",
      dayTypes: {
        "Standard": { periods: { "1": "8:30-9:21", "2": "9:26-12:13", "3": "12:20-13:10", "4": "13:35-15:25" } },
        "Activity": { periods: { "1": "8:30-9:21", "!Club": "9:26-12:13" } },
        "Early Dismissal": { slots: ["8:30-9:10", "9:20-10:00"], rotation: [["1", "2"], ["3", "4"]] },
        "No School": { periods: {} },
      },
      years: [{ first: "\(day(-60, from: now))", last: "\(day(200, from: now))" }],
      exceptions: { "No School": ["\(day(10, from: now))"] },
      exceptionsURL: "\(address)\(folder)days.json",
      lunch: { validFrom: "\(day(-60, from: now))", validTo: "\(day(200, from: now))",
        semesterSwitch: "\(day(0, from: now))", stationsURL: "\(address)\(folder)menu/" } }

    """
  }

  /// A day so many days from another, as `2026-11-30`, in the school's zone.
  package static func day(_ days: Int, from now: Date) -> String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(identifier: "America/Los_Angeles") ?? .gmt
    let day = calendar.dateComponents([.year, .month, .day], from: now + Double(days * 86_400))
    return String(format: "%04d-%02d-%02d", day.year ?? 0, day.month ?? 0, day.day ?? 0)
  }
}

extension Patient {
  /// The household has a school from now on.
  ///
  /// - Parameters:
  ///   - address: where it publishes; nil: on this machine, from `school`.
  ///   - change: makes another file of the right one.
  package func enterSchool(at address: String? = nil, _ change: (String) -> String = { $0 }) throws {
    let now = Date()
    let school = try address == nil ? FakeSchool(at: now) : nil
    if let school { self.school = school }
    try kiosk.write("school.json5", change(FakeSchool.file(at: now, address: address ?? school?.address ?? "")))
    try enter("{ bell: { school: 'school.json5', people: [{ id: 'ann', lunch: '3' }] } }")
  }

  /// Waits until the agent has kept a copy of the school's file.
  package func waitForSchool() throws {
    try Waiting.until("the agent keeps the school's file") {
      FileManager.default.fileExists(atPath: state + "/bell-last-good.json")
    }
  }

  /// The school's file.
  package var schoolFile: String { kiosk.folder + "/school.json5" }
}
