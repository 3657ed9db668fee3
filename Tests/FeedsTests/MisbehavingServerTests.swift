import Foundation
import Glibc
import Linux
import Testing

@testable import Feeds

/// The real curl(1) against a server that misbehaves: whatever comes, it ends in time, within its memory, with its own
/// name, and the last good body stays with its age.
@Suite(.timeLimit(.minutes(1)))
struct MisbehavingServerTests {
  private let server: RealServer

  init() throws { server = try RealServer.plain.get() }

  /// In less memory than what they send: the limit is 1 MB.
  static let limited = "ulimit -v 200000; exec /usr/bin/curl \"$@\""

  private func expect(_ path: String, _ fault: Fault, deadline: Duration = .seconds(30)) async throws {
    let programs = TemporaryFolder()
    let bench = RealBench(server, deadline: deadline, program: try script(Self.limited, in: programs))
    // A machine that is busy may need more than a short deadline for its first.
    var first = try await bench.fetch("/plain")
    for _ in 1...5 where first.value == nil { first = try await bench.fetch("/plain") }
    let origin = try #require(first.standing.origin)
    #expect(first.value == RealBench.good)
    let asked = bench.time.uptime()
    let reading = try await bench.fetch(path)
    let took = bench.time.uptime() - asked
    #expect(took < deadline + .seconds(10), "\(path) took \(took)")
    #expect(reading.standing.fault == fault)
    #expect(reading.value == RealBench.good)
    #expect(reading.standing.origin == origin)
    let age = reading.standing.age(at: bench.time.uptime(), now: bench.time.now())
    guard case .known(let age) = age else { throw Trouble("no age") }
    #expect(age >= took)
    let message = try #require(reading.standing.message)
    #expect(bench.book.lines.last == "warning: onebusaway: \(message)")
    #expect(try await bench.fetch("/plain").value == RealBench.good)
  }

  @Test(
    arguments: [
      ("/html", .webPage), ("/empty", .empty), ("/silent", .broken), ("/null", .objection(.notAWord)),
      ("/latin1", .objection(.notAWord)), ("/cut", .broken), ("/reset", .broken), ("/reset-in-body", .broken),
      ("/not-http", .broken), ("/damaged-gzip", .badEncoding), ("/unknown-encoding", .badEncoding),
      ("/huge", .tooLarge(limit: 1 << 20)), ("/huge-without-length", .tooLarge(limit: 1 << 20)),
      ("/bomb", .tooLarge(limit: 1 << 20)),
      ("/loop", .redirectLoop), ("/nowhere", .redirectRefused(to: nil)),
      ("/away", .redirectRefused(to: "portal.example.org")), ("/away-plain", .redirectRefused(to: "10.0.0.1")),
      ("/away-file", .redirectRefused(to: nil)),
      ("/busy", .tooMany(retryAfter: .seconds(120))), ("/always-304", .unexpected(status: 304)),
      ("/204", .unexpected(status: 204)), ("/206", .unexpected(status: 206)), ("/401", .forbidden(status: 401)),
      ("/403", .forbidden(status: 403)), ("/404", .notFound), ("/410", .notFound),
      ("/418", .unexpected(status: 418)), ("/500", .serverError(status: 500, retryAfter: nil)),
      ("/503", .serverError(status: 503, retryAfter: nil)),
    ] as [(String, Fault)]) func `what is no answer is told by its name, and the last good one stays`(
      path: String, fault: Fault
    ) async throws
  {
    try await expect(path, fault)
  }

  @Test(arguments: ["/mute", "/mute-after-head", "/drip", "/drip-head"])
  func `what does not come within the deadline is given up`(path: String) async throws {
    try await expect(path, .overdue(.seconds(2)), deadline: .seconds(2))
  }

  @Test(arguments: ["/endless-head", "/endless-head-line"])
  func `headers without end are given up, in little memory`(path: String) async throws {
    try await expect(path, .broken)
  }

  @Test(arguments: ["/plain", "/gzip", "/interim", "/moved"])
  func `a good answer is taken, in whatever form HTTP allows`(path: String) async throws {
    let reading = try await RealBench(server).fetch(path)
    #expect(reading.value == RealBench.good && reading.standing.fault == nil)
  }

  @Test func `the server's clock and the age in a cache are read`() async throws {
    let standing = try await RealBench(server).fetch("/good").standing
    #expect(standing.origin?.instant == Date(timeIntervalSince1970: 1_793_548_807))
    #expect(standing.origin?.cachedFor == .seconds(7))
  }

  @Test func `a body is confirmed by its validators, and evaluated anew`() async throws {
    let own = try RealServer()
    let bench = RealBench(own)
    let first = try await bench.fetch("/validated")
    let origin = try #require(first.standing.origin)
    let reading = try await bench.fetch("/validated") { delivery throws(Objection) in try json(delivery) + " anew" }
    #expect(reading.value == RealBench.good + " anew" && reading.standing.fault == nil)
    #expect(try #require(reading.standing.origin).uptime > origin.uptime)
    let log = try #require(try await bench.fetch("/log", parse: text).value)
    #expect(log.contains(#""ifNoneMatch": "\"v \\1\"""#), "\(log)")
    #expect(log.contains(#""ifModifiedSince": "Sun, 06 Nov 1994 08:49:37 GMT""#))
    #expect(log.contains(#""agent": "kiosk-agent/test""#))
  }

  @Test func `where nobody listens there is no connection`() async throws {
    // tcpmux, which is nowhere in use.
    #expect(try await RealBench(server).fetch("http://127.0.0.1:1/").standing.fault == .noConnection)
  }

  @Test func `a name that does not exist is told`() async throws {
    #expect(try await RealBench(server).fetch("https://nobody.invalid/").standing.fault == .noSuchName)
  }

  @Test func `without curl the package is named`() async throws {
    let reading = try await RealBench(server, program: "/no/such/curl").fetch("/plain")
    #expect(reading.standing.fault == .noCurl(errno: ENOENT))
    #expect(reading.standing.message?.contains("install the package curl") == true)
  }

  @Test func `a curl that hangs is killed with all that it has started`() async throws {
    let programs = TemporaryFolder()
    let bench = RealBench(server, deadline: .milliseconds(300), program: try script("sleep 97534; :", in: programs))
    let asked = bench.time.uptime()
    #expect(try await bench.fetch("/plain").standing.fault == .overdue(.milliseconds(300)))
    #expect(bench.time.uptime() - asked < .seconds(5))
  }

  @Test func `a cancelled fetch kills its curl at once`() async throws {
    let programs = TemporaryFolder()
    let mark = "\(programs.path)/started"
    let program = try script(
      "echo $$ > \(mark).draft; mv \(mark).draft \(mark); exec /usr/bin/curl \"$@\"", in: programs)
    let bench = RealBench(server, deadline: .seconds(50), program: program)
    let fetch = Task { try await bench.fetch("/mute") }
    let pid = try await eventually {
      (try? String(contentsOfFile: mark, encoding: .utf8)).flatMap { Int32($0.dropLast()) }
    }
    fetch.cancel()
    await #expect(throws: CancellationError.self) { try await fetch.value }
    // Killed and reaped.
    #expect(kill(pid, 0) == -1 && errno == ESRCH)
    #expect(try await bench.fetch("/plain").value == RealBench.good)
  }

  // MARK: Secrets

  @Test func `the key reaches the server alone`() async throws {
    let programs = TemporaryFolder()
    let seen = "\(programs.path)/seen"
    let program = try script("cat /proc/$$/cmdline /proc/$$/environ > \(seen); exec /usr/bin/curl \"$@\"", in: programs)
    let own = try RealServer()
    let bench = RealBench(own, key: "S3CR3T", program: program) { $0.keyAdvice = "ask the office" }
    var messages: [String] = []
    for path in ["/echo-key?a=b", "/echo-key-away", "/401", "/html", "/cut", "/good"] {
      let reading = try await bench.fetch(path)
      messages.append("\(reading) \(reading.standing.message ?? "")")
    }
    // Without a key parameter, so that only the log's own lines hold it.
    let log = try #require(try await RealBench(own).fetch("/log", parse: text).value)
    #expect(log.split(separator: "key=S3CR3T").count == 7)
    #expect(messages[1].contains("redirectRefused") && messages[2].contains("keyRejected"))
    #expect(try String(decoding: Data(contentsOf: URL(filePath: seen)), as: UTF8.self).contains("-K"))
    let everywhere =
      messages + bench.book.lines + [bench.folder.content]
      + [String(decoding: try Data(contentsOf: URL(filePath: seen)), as: UTF8.self)]
    for place in everywhere { #expect(!place.localizedCaseInsensitiveContains("S3CR3T"), "\(place)") }
  }
}

/// A parser that takes any text.
@Sendable func text(_ delivery: Delivery) throws(Objection) -> String { String(decoding: delivery.body, as: UTF8.self) }

/// Lets others run until there is a value; the suite's time limit is the deadline.
func eventually<Value>(_ value: () -> Value?) async throws -> Value {
  while true {
    if let value = value() { return value }
    try await SystemTime().sleep(for: .milliseconds(5))
  }
}
