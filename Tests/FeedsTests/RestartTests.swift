import Foundation
import Glibc
import Linux
import TestSupport
import Testing

@testable import Feeds

/// The last good copy after a restart of the agent or of the machine.
@Suite(.timeLimit(.minutes(1)))
struct RestartTests {
  private let noon = Date(timeIntervalSince1970: 1_793_548_800)
  private let folder = TemporaryFolder()
  private let book = LogBook()
  private let server = ScriptedServer()

  /// A source of a new process over the same folder.
  private func source(
    _ time: ManualTime, boot: String = "boot", limit: Int = 1000, isReadOnly: Bool = false
  ) -> Source {
    var settings = FeedSettings(id: "onebusaway")
    settings.limit = limit
    return Bench.source(
      settings, exchange: server.exchange, time: time, folder: folder, boot: boot, isReadOnly: isReadOnly, book)
  }

  private func fetchOnce(at resource: Resource = .stop()) async throws {
    server.says(.success(.good("one", date: noon, tag: "\"a\"")))
    _ = try await source(ManualTime(now: noon + 3, uptime: .seconds(1000))).fetch(resource, parse: words)
  }

  @Test func `a restarted agent shows the copy with its age and asks with its validators`() async throws {
    try await fetchOnce()
    // The clock was set by a year meanwhile.
    let time = ManualTime(now: noon + 3e7, uptime: .seconds(1100))
    let source = source(time)
    let reading = await source.latest(.stop(), parse: words)
    #expect(reading.value == "one" && reading.standing.fault == nil)
    #expect(reading.standing.age(at: time.uptime(), now: time.now()) == .known(.seconds(100)))
    #expect(reading.standing.state(at: time.uptime(), now: time.now()) == .aging)
    #expect(reading.standing.serverNow(at: time.uptime()) == noon + 100)
    server.says(.success(Answer(status: 304, date: noon + 100)))
    time.step(by: .seconds(-30_000_000))
    #expect(try await source.fetch(.stop(), parse: words).value == "one")
    #expect(server.requests[1].headers.map(\.value) == ["\"a\""])
  }

  @Test func `a confirmation survives the restart too`() async throws {
    try await fetchOnce()
    server.says(.success(Answer(status: 304, date: noon + 100)))
    _ = try await source(ManualTime(now: noon + 100, uptime: .seconds(1100))).fetch(.stop(), parse: words)
    let later = ManualTime(now: noon + 110, uptime: .seconds(1110))
    let standing = await source(later).latest(.stop(), parse: words).standing
    #expect(standing.age(at: later.uptime(), now: later.now()) == .known(.seconds(10)))
  }

  @Test func `after a new start of the machine the age is by the server's clock`() async throws {
    try await fetchOnce()
    let time = ManualTime(now: noon + 500, uptime: .seconds(20))
    let reading = await source(time, boot: "next").latest(.stop(), parse: words)
    #expect(reading.value == "one")
    #expect(reading.standing.age(at: time.uptime(), now: time.now()) == .known(.seconds(500)))
    #expect(reading.standing.serverNow(at: time.uptime()) == nil)
    let clockless = ManualTime(now: Date(timeIntervalSince1970: 1000), uptime: .seconds(20))
    let unknown = await source(clockless, boot: "next").latest(.stop(), parse: words).standing
    #expect(unknown.age(at: clockless.uptime(), now: clockless.now()) == .atLeast(.seconds(20)))
    #expect(unknown.state(at: clockless.uptime(), now: clockless.now()) == .stale)
  }

  @Test func `a copy of another address, a damaged one and one beyond the limit are not shown`() async throws {
    try await fetchOnce()
    let time = ManualTime(now: noon, uptime: .seconds(1100))
    let moved = Resource.stop(at: "https://api.other.org/stop")
    #expect(await source(time).latest(moved, parse: words).value == nil)
    let path = "\(folder.path)/feeds/onebusaway/stop"
    #expect(unsafe truncate(path, 40) == 0)
    let reading = await source(time).latest(.stop(), parse: words)
    #expect(reading.value == nil && reading.standing.fault == .notAsked)
    server.says(.success(.good("two", tag: "\"b\"")))
    #expect(try await source(time).fetch(.stop(), parse: words).value == "two")
    #expect(server.requests[1].headers.isEmpty)
  }

  @Test func `a copy that the parser does not take is none`() async throws {
    try await fetchOnce()
    let time = ManualTime(now: noon, uptime: .seconds(1100))
    let source = source(time)
    let reading = await source.latest(.stop()) { _ throws(Objection) -> String in throw .notAWord }
    #expect(reading.value == nil && reading.standing.fetchedAt == nil)
    #expect(reading.standing.state(at: time.uptime(), now: time.now()) == .off)
  }

  @Test func `where no copy can be written the feed goes on, and that is said once`() async throws {
    try Data().write(to: URL(filePath: "\(folder.path)/feeds"))
    let time = ManualTime()
    let source = source(time)
    server.says(.success(.good("one")))
    for _ in 1...3 {
      #expect(try await source.fetch(.stop(), parse: words).value == "one")
      time.advance(by: .seconds(30))
    }
    #expect(server.requests.count == 3)
    #expect(book.lines.count == 1)
    #expect(book.lines.first?.contains("the last good copy") == true)
  }

  /// The first copy fits, the second does not.
  @Test(arguments: ["full", "read-only"]) func `a full or read-only disk loses the new copy, not the feed`(kind: String)
    async throws
  {
    func mount(_ arguments: String...) throws -> Bool {
      try ChildProcess.run("/bin/mount", arguments, environment: [:], deadline: .seconds(10)).end == .exited(0)
    }
    guard try mount("-t", "tmpfs", "-o", "size=64k", "tmpfs", folder.path) else {
      return print("SKIP a \(kind) disk: needs root and the right to mount")
    }
    defer { _ = try? ChildProcess.run("/bin/umount", ["-l", folder.path], environment: [:], deadline: .seconds(10)) }
    let time = ManualTime()
    let source = source(time)
    server.says(.success(.good("one")))
    #expect(try await source.fetch(.stop(), parse: words).value == "one")
    #expect(try kind == "full" || mount("-o", "remount,ro", folder.path))
    let long = String(repeating: "x", count: 100_000)
    server.says(.success(.good(long)))
    for _ in 1...3 {
      time.advance(by: .seconds(30))
      let reading = try await source.fetch(.stop(), parse: words)
      #expect(reading.value == long && reading.standing.fault == nil)
    }
    #expect(book.lines.count == 1)
    let why = kind == "full" ? "No space left on device" : "Read-only file system"
    #expect(book.lines.first?.contains(why) == true, "\(book.lines)")
    // The old one is still whole.
    #expect(await self.source(time).latest(.stop(), parse: words).value == "one")
  }

  @Test func `a source of its own over the same folder fetches at once, and stores nothing`() async throws {
    try await fetchOnce()
    let before = folder.content
    let time = ManualTime(now: noon + 90, uptime: .seconds(1090))
    // The agent is in the middle of a back-off.
    let agent = source(time)
    server.says(.failure(.noConnection))
    #expect(try await agent.fetch(.stop(), parse: words).standing.nextAttempt > time.uptime())
    server.says(.success(.good("two", date: noon + 90)))
    let once = source(time, isReadOnly: true)
    let reading = try await once.fetch(.stop(), parse: words)
    #expect(reading.value == "two" && reading.standing.fetchedAt == noon + 90)
    #expect(folder.content == before)
    // And where nothing comes, the agent's last good copy answers with its age.
    server.says(.failure(.noSuchName))
    let failed = try await source(time, isReadOnly: true).fetch(.stop(), parse: words)
    #expect(failed.value == "one" && failed.standing.fault == .noSuchName)
    #expect(failed.standing.age(at: time.uptime(), now: time.now()) == .known(.seconds(90)))
  }

  @Test func `without a folder nothing is stored`() async throws {
    server.says(.success(.good("one")))
    let source = Source(
      FeedSettings(id: "onebusaway"), keys: nil, copies: nil, exchange: server.exchange, time: ManualTime(),
      boot: "boot",
      log: .none)
    #expect(try await source.fetch(.stop(), parse: words).value == "one")
    #expect(await source.latest(.stop(), parse: words).value == "one")
    #expect(folder.content.isEmpty)
  }
}
