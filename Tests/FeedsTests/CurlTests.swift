import Testing

@testable import Feeds
@testable import Linux

/// What curl(1) is told, and what its ends mean. `MisbehavingServerTests` runs the real one.
struct CurlTests {
  private let request: Request

  init() throws {
    request = Request(
      address: try #require(Address("https://example.org/a?key=SECRET")), headers: [("If-None-Match", #"W/"a\b""#)],
      wanted: ["x-data-expired"], deadline: .seconds(15), limit: 1000)
  }

  @Test func `the configuration says all that is needed and quotes what comes from outside`() {
    let lines = Set(Curl.configuration(request, agent: "kiosk-agent/1").split(separator: "\n").map(String.init))
    #expect(
      lines.isSuperset(of: [
        #"url = "https://example.org/a?key=SECRET""#, #"proto = "=https""#, "max-time = 15.000", "compressed",
        "globoff",
        "silent", #"user-agent = "kiosk-agent/1""#, #"header = "If-None-Match: W/\"a\\b\"""#,
      ]))
    #expect(!lines.contains { $0.hasPrefix("location") || $0.hasPrefix("insecure") })
  }

  private var plain: Answer {
    var answer = Answer(status: 200)
    answer.took = .seconds(1)
    return answer
  }

  private func end(
    _ end: ChildProcess.End, _ errors: String = "", output: Int = 0
  ) -> Result<Answer, Fault> {
    let result = ChildProcess.Result(
      end: end, output: [UInt8](repeating: 0x20, count: output), errors: Array(errors.utf8), took: .seconds(1))
    return Result { () throws(Fault) in try Curl.answer(result, of: request) }
  }

  @Test func `a report becomes an answer`() {
    let report = "304\n0\nhttps://example.org/b\nSun, 06 Nov 1994 08:49:37 GMT\r\n30\n\"tag\"\nyesterday\n120\ntrue\n"
    var answer = Answer(status: 304, body: [0x20, 0x20], date: HTTPDate.parse("Sun, 06 Nov 1994 08:49:37 GMT"))
    answer.location = "https://example.org/b"
    answer.cachedFor = .seconds(30)
    answer.took = .seconds(1)
    answer.entityTag = "\"tag\""
    answer.lastModified = "yesterday"
    answer.retryAfter = "120"
    answer.headers = ["x-data-expired": "true"]
    #expect(end(.exited(0), report, output: 2) == .success(answer))
    #expect(end(.exited(0), "200\n0\n\n\n\n\n\n\n\n") == .success(plain))
  }

  @Test func `what cannot be sent back or is nonsense is left out`() {
    let long = String(repeating: "t", count: 600)
    #expect(end(.exited(0), "200\n0\n\nnever\n-3\n\u{1}tag\n\(long)\n\n\n") == .success(plain))
  }

  @Test(
    arguments: [
      (6, .noSuchName), (7, .noConnection), (28, .overdue(.seconds(15))), (18, .broken), (52, .broken), (56, .broken),
      (27, .broken), (100, .broken), (61, .badEncoding), (35, .certificate(.other(35))), (77, .certificate(.other(77))),
      (3, .curl(3)),
      (127, .curl(127)),
    ] as [(Int32, Fault)]) func `exit codes have names`(code: Int32, fault: Fault)
  {
    #expect(end(.exited(code), "000\n0\n\n") == .failure(fault))
  }

  @Test(
    arguments: [
      ("10", .expired), ("9", .notYetValid), ("18", .untrusted), ("19", .untrusted), ("20", .untrusted),
      ("62", .wrongName),
      ("0", .wrongName), ("1", .wrongName), ("", .untrusted),
    ] as [(String, Fault.Certificate)]) func `certificates are refused for a reason`(
      code: String, reason: Fault.Certificate
    )
  {
    #expect(end(.exited(60), "000\n\(code)\n\n") == .failure(.certificate(reason)))
  }

  @Test func `a curl that was killed, died or said nothing is told apart`() {
    #expect(end(.overdue) == .failure(.overdue(.seconds(15))))
    #expect(end(.talkative, output: 1001) == .failure(.tooLarge(limit: 1000)))
    #expect(end(.talkative) == .failure(.broken))
    #expect(end(.signalled(11)) == .failure(.curl(-11)))
    #expect(end(.exited(0), "") == .failure(.broken))
    #expect(end(.exited(0), "000\n0\n\n\n\n\n\n\n\n") == .failure(.broken))
    #expect(end(.exited(0), "200\n0\n\n\n\n\n\n\n\n", output: 1001) == .failure(.tooLarge(limit: 1000)))
    #expect(throws: Never.self) { try end(.exited(0), "200\n0\n\n\n\n\n\n\n\n", output: 1000).get() }
  }
}
