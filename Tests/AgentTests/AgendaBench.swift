import Configuration
import Foundation
import Linux
import Synchronization
import TestSupport
import Wall

@testable import Agent
@testable import Feeds

/// The service of the calendars with its files, its servers and its clocks in the test's hand. The wall is in Los Angeles;
/// it is Monday 2 November 2026, 8:08, when nothing else is said.
final class AgendaBench: Sendable {
  static let zone = TimeZone(identifier: "America/Los_Angeles") ?? .gmt

  /// An instant of November 2026 there, after the clocks have gone back.
  static func at(_ day: Int, _ time: String) -> Date {
    let parts = time.split(separator: ":").compactMap { Int($0) }
    return Date(timeIntervalSince1970: Double(1_793_491_200 + ((day - 1) * 24 + parts[0] + 8) * 3600 + parts[1] * 60))
  }

  private struct State {
    /// What the server says; nil: there is no connection.
    var answer: Answer?
    var requests: [(at: Date, tag: String?)] = []
    var lines: [String] = []
    var sounds: [Date] = []
    var isTrusted = true
    var zone = AgendaBench.zone
  }

  private final class Box: Sendable { let state = Mutex(State()) }

  let folder: String
  let time: ManualTime
  let service: AgendaService
  private let box = Box()
  /// One for each subscription, and the plan's.
  private let loops: Int
  private let isFolderMine: Bool

  /// - Parameters:
  ///   - calendars: the configuration's `sources.calendars`, with paths from the bench's folder.
  ///   - folder: of an earlier bench; nil: a new one.
  ///   - files: written there first, by name.
  init(_ calendars: String, at now: Date = at(2, "8:08"), folder: String? = nil, files: [String: String] = [:]) throws {
    let path = folder ?? FileManager.default.temporaryDirectory.path + "/agenda-" + UUID().uuidString.prefix(8)
    self.folder = path
    isFolderMine = folder == nil
    try FileManager.default.createDirectory(atPath: path + "/state", withIntermediateDirectories: true)
    for (name, text) in files { try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)")) }
    let (time, box) = (ManualTime(now: now), box)
    self.time = time
    let log = Log { _, line in box.state.withLock { $0.lines.append(line) } }
    let exchange = Exchange { request in
      let tag = request.headers.first { $0.name == "If-None-Match" }?.value
      return try box.state.withLock { state throws(Fault) -> Answer in
        state.requests.append((time.now(), tag))
        guard var answer = state.answer else { throw .noConnection }
        if let tag, tag == answer.entityTag {
          answer.status = 304
          answer.body = []
        }
        return answer
      }
    }
    let configuration = try Configuration.parse(
      Array("{ stateDirectory: 'state', sources: { calendars: \(calendars) } }".utf8), folder: path)
    let subscriptions = CalendarSubscription.all(
      of: configuration, exchange: exchange, time: time, boot: "boot", log: log)
    loops = subscriptions.count + 1
    service = AgendaService(
      configuration.calendars,
      shelf: CalendarShelf(configuration.calendars, stateDirectory: configuration.stateDirectory),
      subscriptions: subscriptions, time: time, log: log
    ) { box.state.withLock { $0.sounds.append(time.now()) } }
  }

  deinit { if isFolderMine { try? FileManager.default.removeItem(atPath: folder) } }

  // MARK: The world

  func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"), options: .atomic)
  }

  /// - Parameter text: nil: there is no connection.
  func serve(_ text: String?, tag: String? = nil, status: Int = 200) {
    var answer = text.map { Answer(status: status, body: Array($0.utf8)) }
    answer?.entityTag = tag
    let served = answer
    box.state.withLock { $0.answer = served }
  }

  func trust(_ isTrusted: Bool) { box.state.withLock { $0.isTrusted = isTrusted } }
  func move(to zone: TimeZone) { box.state.withLock { $0.zone = zone } }

  var requests: [(at: Date, tag: String?)] { box.state.withLock { $0.requests } }
  /// What went into the log.
  var lines: [String] { box.state.withLock { $0.lines } }
  /// When reminders were heard.
  var sounds: [Date] { box.state.withLock { $0.sounds } }

  // MARK: The wall

  func look() -> Snapshot {
    let (isTrusted, zone) = box.state.withLock { ($0.isTrusted, $0.zone) }
    var input = WallInput(
      agent: "t", boot: "r", now: time.now(), zone: zone, language: "en", clockTrusted: isTrusted,
      reader: .init(state: "ready"))
    _ = service.contribute(to: &input, at: time.uptime())
    return input.snapshot(v: 1)
  }

  var titles: [String] { look().agenda.map(\.title) }
  var message: String? { look().sources.first?.message }

  // MARK: The agent

  /// Runs the service while `body` lets time pass.
  func running<T>(_ body: () async throws -> T) async rethrows -> T {
    _ = look()
    let service = service
    let run = Task { try await service.run {} }
    defer { run.cancel() }
    await rest()
    return try await body()
  }

  /// Waits for what the service does on threads of its own.
  func until(_ condition: () -> Bool) async {
    while !condition(), !Task.isCancelled { await Task.yield() }
  }

  /// Lets time pass, stopping wherever the service waits for something.
  func pass(_ duration: Duration) async {
    let end = time.uptime() + duration
    while !Task.isCancelled {
      await rest()
      guard let next = time.nextDeadline, next <= end else { break }
      time.advance(by: max(next - time.uptime(), .zero))
    }
    time.advance(by: end - time.uptime())
  }

  /// All of the service's loops sleep, and none of them is due.
  private func rest() async {
    repeat {
      await time.waitForSleepers(loops)
    } while (time.nextDeadline ?? .zero) <= time.uptime() && !Task.isCancelled
  }
}

/// A calendar of events.
func calendarText(_ events: String...) -> String {
  (["BEGIN:VCALENDAR", "VERSION:2.0"] + events + ["END:VCALENDAR", ""]).joined(separator: "\r\n")
}

/// An event of November 2026 by the clocks of Los Angeles: `eventText("Dentist", "02T0900", "02T1000")`.
func eventText(_ title: String, _ start: String, _ end: String, _ more: String...) -> String {
  ([
    "BEGIN:VEVENT", "UID:\(title)@example.org", "SUMMARY:\(title)",
    "DTSTART;TZID=America/Los_Angeles:202611\(start)00", "DTEND;TZID=America/Los_Angeles:202611\(end)00",
  ] + more + ["END:VEVENT"]).joined(separator: "\r\n")
}
