import Foundation
import Glibc
import Linux
import Synchronization
import TestSupport
import Transit

@testable import Feeds

/// A folder that goes with the test.
final class TemporaryFolder: Sendable {
  let path: String

  init() {
    path = FileManager.default.temporaryDirectory.appending(path: "feeds-\(UUID().uuidString)").path
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// All bytes of all files below.
  var content: String {
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return names.map {
      "\($0)\n" + String(decoding: FileManager.default.contents(atPath: "\(path)/\($0)") ?? Data(), as: UTF8.self)
    }
    .joined(separator: "\n")
  }
}

/// The lines that were logged.
final class LogBook: Sendable {
  private let written = Mutex<[String]>([])
  var lines: [String] { written.withLock { $0 } }
  var log: Log { Log { [self] priority, line in written.withLock { $0.append("\(priority): \(line)") } } }
}

/// A server that answers from a script, the last entry for ever.
final class ScriptedServer: Sendable {
  private struct State {
    var script: [Result<Answer, Fault>] = []
    var requests: [Request] = []
    var running = 0
    var mostRunning = 0
  }

  private let state = Mutex(State())
  /// Holds every request until it is opened.
  let isHeld = Atomic(false)

  /// - Parameter script: not empty.
  func says(_ script: [Result<Answer, Fault>]) { state.withLock { $0.script = script } }
  func says(_ script: Result<Answer, Fault>...) { says(script) }

  var requests: [Request] { state.withLock { $0.requests } }
  /// How many were asked at the same time, at most.
  var mostRunning: Int { state.withLock { $0.mostRunning } }

  var exchange: Exchange {
    Exchange { [self] request in
      let answer = state.withLock { state in
        state.requests.append(request)
        state.running += 1
        state.mostRunning = max(state.mostRunning, state.running)
        return state.script.count > 1 ? state.script.removeFirst() : state.script[0]
      }
      defer { state.withLock { $0.running -= 1 } }
      while isHeld.load(ordering: .acquiring) {
        try Task.checkCancellation()
        await Task.yield()
      }
      return try answer.get()
    }
  }
}

extension Exchange {
  /// With the distance between two requests that a provider wants, as the agent keeps it.
  func paced(_ time: any TimeSource) -> Exchange {
    let pacing = Mutex(RequestPacing())
    return Exchange { request in
      while true {
        switch pacing.withLock({ $0.turn(at: time.uptime()) }) {
        case .send:
          defer { pacing.withLock { $0.ended(at: time.uptime()) } }
          return try await perform(request)
        case .wait(let until): try await time.sleep(untilUptime: until)
        case .busy: preconditionFailure("a source asks one at a time")
        }
      }
    }
  }
}

extension Answer {
  static func good(
    _ text: String = "one", date: Date? = nil, tag: String? = nil, modified: String? = nil, status: Int = 200
  ) -> Answer {
    var answer = Answer(status: status, body: Array(text.utf8), date: date)
    answer.entityTag = tag
    answer.lastModified = modified
    return answer
  }

  static func redirect(_ location: String?) -> Answer {
    var answer = Answer(status: 302)
    answer.location = location
    return answer
  }

  static func busy(_ retryAfter: String?, status: Int = 429) -> Answer {
    var answer = Answer(status: status)
    answer.retryAfter = retryAfter
    return answer
  }
}

/// A parser that takes lower-case words.
@Sendable func words(_ delivery: Delivery) throws(Objection) -> String {
  let text = String(decoding: delivery.body, as: UTF8.self)
  guard !text.isEmpty, text.allSatisfy({ $0.isLowercase }) else { throw .notAWord }
  return text
}

extension Objection {
  static let notAWord = Objection("no word: check the address")
}

extension Resource {
  static func stop(_ name: String = "stop", interval: Duration = .seconds(30), at address: String? = nil) -> Resource {
    Resource(
      name: name, address: Address(address ?? "https://api.example.org/\(name)")!,  // The literals of these tests.
      freshness: Freshness(interval: interval, downAfter: .seconds(900)))
  }
}

/// A source over a scripted server and a manual clock.
struct Bench {
  let time = ManualTime()
  let server: ScriptedServer
  let book = LogBook()
  let folder = TemporaryFolder()
  let source: Source

  init(
    _ script: Result<Answer, Fault>..., key: String? = nil, keyFile: String? = nil, chance: Double = 1,
    paced: Bool = false, change: (inout FeedSettings) -> Void = { _ in }
  ) {
    server = ScriptedServer()
    server.says(script)
    var settings = FeedSettings(id: "onebusaway")
    if key != nil || keyFile != nil { settings.keyParameter = "key" }
    settings.keyAdvice = "ask the office for a key"
    change(&settings)
    let exchange = paced ? server.exchange.paced(time) : server.exchange
    source = Self.source(
      settings, key: key, keyFile: keyFile, exchange: exchange, time: time, folder: folder, boot: "boot",
      chance: chance, book)
  }

  static func source(
    _ settings: FeedSettings, key: String? = nil, keyFile: String? = nil, exchange: Exchange, time: any TimeSource,
    folder: TemporaryFolder, boot: String, chance: Double = 1, isReadOnly: Bool = false, _ book: LogBook
  ) -> Source {
    Source(
      settings,
      keys: KeyStore(
        source: settings.id, keyFile: keyFile, environment: key.map { ["KIOSK_AGENT_ONEBUSAWAY_KEY": $0] } ?? [:]),
      copies: CopyFolder(stateDirectory: folder.path, source: settings.id, isReadOnly: isReadOnly),
      exchange: exchange, time: time, boot: boot, chance: { chance }, log: book.log)
  }

  func fetch(_ resource: Resource = .stop()) async throws -> Reading<String> {
    try await source.fetch(resource, parse: words)
  }

  func state(_ reading: Reading<String>) -> Standing.State {
    reading.standing.state(at: time.uptime(), now: time.now())
  }
}
