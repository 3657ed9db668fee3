internal import Foundation
internal import Glibc
internal import Linux

extension Exchange {
  /// By curl(1), one child a request, on a thread of its own that waits for it.
  ///
  /// The deadline and the limit hold whatever curl does: its own `max-time` comes first, and half a second later it is
  /// killed; the limit is ours because curl 7.88 ignores its own for an answer without a length. A cancelled request kills
  /// its curl. A tap goes before every feed: curl has what is left of the machine (`ChildProcess.Claim.spare`).
  ///
  /// - Parameters:
  ///   - agent: how we call ourselves, `kiosk-agent/1.2`.
  ///   - environment: the child's. Nothing is inherited: no proxy, no folder of the user with a .curlrc, no key.
  ///   - program: replaced by tests alone.
  package static func curl(
    agent: String, environment: [String: String] = ["PATH": "/usr/bin:/bin", "LC_ALL": "C"],
    program: String = "/usr/bin/curl"
  ) -> Exchange {
    Exchange { request in
      let stop = WakeSignal()
      let result: Result<Answer, Fault> = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          Threads.start(name: "curl") {
            continuation.resume(
              returning: Result { () throws(Fault) in
                try Curl.run(request, agent: agent, environment: environment, program: program, stop: stop)
              })
          }
        }
      } onCancel: {
        stop.signal()
      }
      try Task.checkCancellation()
      return try result.get()
    }
  }
}

/// What is said to curl(1), and what it says.
enum Curl {
  /// What `-w` writes, a line each and then the headers that the request wants, on its standard error. `http_code` is 000
  /// without an answer.
  static let report = [
    "%{http_code}", "%{ssl_verify_result}", "%{redirect_url}", "%header{date}", "%header{age}", "%header{etag}",
    "%header{last-modified}", "%header{retry-after}",
  ]

  /// Bytes of a body a second: as fast as most lines, and so slow that no server keeps a core, or the memory, busy.
  private static let pace = 2 << 20

  private static func report(_ request: Request) -> [String] { report + request.wanted.map { "%header{\($0)}" } }

  static func run(
    _ request: Request, agent: String, environment: [String: String], program: String, stop: WakeSignal
  ) throws(Fault) -> Answer {
    let result: ChildProcess.Result
    do throws(ChildProcess.Failure) {
      result = try ChildProcess.run(
        program, ["-q", "-K", "-"], environment: environment, input: Array(configuration(request, agent: agent).utf8),
        deadline: request.deadline + .milliseconds(500), limit: max(request.limit, 1 << 17),
        claim: .spare(bytesPerSecond: pace), stop: stop)
    } catch {
      throw .noCurl(errno: error.errno)
    }
    return try answer(result, of: request)
  }

  /// A configuration for `-K -` (curl(1)): the only place where an address stands with its key.
  static func configuration(_ request: Request, agent: String) -> String {
    let schemes = request.address.isOnLoopback ? "=http,https" : "=https"
    let milliseconds = max(1, request.deadline.inMilliseconds)
    var lines = [
      "url = \(quoted(request.address.text))",
      "proto = \(quoted(schemes))",
      "max-time = \(milliseconds / 1000).\(String(format: "%03d", milliseconds % 1000))",
      "user-agent = \(quoted(agent))",
      // Compressed bodies save a slow line two thirds; the limit is counted after decompression.
      "compressed",
      // Brackets and braces in an address are not ours to expand.
      "globoff",
      "silent",
      "write-out = \(quoted("%{stderr}" + report(request).joined(separator: "\\n") + "\\n"))",
    ]
    lines += request.headers.map { "header = \(quoted("\($0.name): \($0.value)"))" }
    return lines.joined(separator: "\n") + "\n"
  }

  /// In quotes, in which curl knows `\\` and `\"`; its -w then reads `\n` by itself.
  private static func quoted(_ text: String) -> String {
    "\"" + text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"") + "\""
  }

  /// What curl's end means.
  static func answer(_ result: ChildProcess.Result, of request: Request) throws(Fault) -> Answer {
    let said = result.errors.split(separator: 0x0A, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) }
    switch result.end {
    case .exited(0): break
    case .exited(let code): throw fault(exit: code, verification: said.count > 1 ? said[1] : "", request)
    case .overdue, .stopped: throw .overdue(request.deadline)
    // Errors are written once the transfer is over, and short unless a header is as long as a body.
    case .talkative: throw result.output.count > request.limit ? .tooLarge(limit: request.limit) : .broken
    case .signalled(let signal): throw .curl(-signal)
    }
    guard result.output.count <= request.limit else { throw .tooLarge(limit: request.limit) }
    guard said.count > report(request).count, let status = Int(said[0]), (100...599).contains(status) else {
      throw .broken
    }
    var answer = Answer(status: status, body: result.output, date: HTTPDate.parse(said[3]))
    answer.took = result.took
    answer.location = said[2].isEmpty ? nil : said[2]
    if let age = Int(said[4]), age > 0 { answer.cachedFor = .seconds(min(age, 86400)) }
    answer.entityTag = validator(said[5])
    answer.lastModified = validator(said[6])
    answer.retryAfter = said[7].isEmpty ? nil : said[7]
    for (name, value) in zip(request.wanted, said[report.count...]) where !value.isEmpty {
      answer.headers[name] = value
    }
    return answer
  }

  /// One that can be sent back as it is.
  private static func validator(_ text: String) -> String? {
    (1...512).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } ? text : nil
  }

  /// curl(1), EXIT CODES.
  private static func fault(exit code: Int32, verification: String, _ request: Request) -> Fault {
    switch code {
    case 6: .noSuchName
    case 7: .noConnection
    case 28: .overdue(request.deadline)
    // No HTTP, partial, empty reply, send and receive failures, HTTP/2 and HTTP/3 framing; headers that are too long are
    // 27 (a full buffer), 56 or 100.
    case 1, 8, 16, 18, 27, 52, 55, 56, 92, 95, 100: .broken
    case 61: .badEncoding
    case 60: .certificate(certificate(verification))
    case 35, 51, 53, 54, 58, 59, 64, 66, 77, 80, 82, 83, 90, 91, 98: .certificate(.other(code))
    default: .curl(code)
    }
  }

  /// `X509_verify_cert`'s numbers (openssl-verification-options(1)). A name that does not fit is found by curl itself,
  /// which then says 1 (7.88) or 0.
  private static func certificate(_ verification: String) -> Fault.Certificate {
    switch Int(verification) {
    case 10: .expired
    case 9: .notYetValid
    case 0, 1, 62: .wrongName
    default: .untrusted
    }
  }
}
