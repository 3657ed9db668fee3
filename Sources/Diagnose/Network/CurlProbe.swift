internal import Foundation
internal import Linux

/// curl(1) without a key and without the path of anything: what stands between this machine and a server.
///
/// As the agent's curl it inherits nothing: no proxy, no .curlrc, no other certificates than the system's.
struct CurlProbe {
  let time: any TimeSource

  /// How a secure connection came out.
  enum Handshake: Equatable, Sendable {
    /// Who signed the certificate, and how long it is still valid; nil: this curl does not tell.
    case good(issuer: String?, expires: Date?)
    case expired
    case notYetValid
    /// Signed by nobody we know, or for another name; by whom.
    case untrusted(issuer: String?)
    /// No TLS at all (curl's exit code).
    case none(Int32)
    /// No connection, or no answer in time.
    case noAnswer(Int32)
    case noCurl

    var isGood: Bool { if case .good = self { true } else { false } }
  }

  /// What a plain page says.
  enum Page: Equatable, Sendable {
    case answer(status: Int, redirect: String?, body: String)
    case nothing
  }

  // MARK: Asking

  func handshake(_ endpoint: Endpoint) -> Handshake {
    let report = "%{stderr}%{ssl_verify_result}\\n%{time_appconnect}\\n%{certs}"
    let lines = ["proto = \"=https\"", "max-time = \"4\"", "head", "output = \"/dev/null\""]
    guard let result = run(endpoint.address, lines, report: report) else { return .noCurl }
    let shaken = Self.handshake(result)
    guard case .untrusted = shaken else { return shaken }
    // Who stands between is told only by whom we do not believe; nothing is sent but an address without a path.
    let unbelieved = run(endpoint.address, lines + ["insecure"], report: report)
    return .untrusted(issuer: unbelieved.flatMap { Self.issuer(in: $0.errorText) })
  }

  func page(_ address: String) -> Page {
    let lines = ["proto = \"=http\"", "max-time = \"3\""]
    guard let result = run(address, lines, report: "%{stderr}%{http_code}\\n%{redirect_url}\\n"),
      result.end == .exited(0)
    else { return .nothing }
    let said = result.errorText.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard said.count >= 2, let status = Int(said[0]), status >= 100 else { return .nothing }
    return .answer(status: status, redirect: said[1].isEmpty ? nil : said[1], body: result.text)
  }

  private func run(_ address: String, _ lines: [String], report: String) -> ChildProcess.Result? {
    let configuration = ["url = \"\(address)\"", "globoff", "silent", "write-out = \"\(report)\""] + lines
    // In our group, so that it ends with this check.
    return try? ChildProcess.run(
      "/usr/bin/curl", ["-q", "-K", "-"], environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C"],
      input: Array((configuration.joined(separator: "\n") + "\n").utf8), deadline: .seconds(5), limit: 1 << 17,
      group: .ours, time: time)
  }

  // MARK: What it says

  /// curl(1), EXIT CODES.
  static func handshake(_ result: ChildProcess.Result) -> Handshake {
    let said = result.errorText.split(separator: "\n", omittingEmptySubsequences: false)
    let isShaken = said.count > 1 && (Double(said[1]) ?? 0) > 0
    // What a server says to a question without a path, or that it says nothing, is not looked at.
    if isShaken, result.end != .exited(60) {
      return .good(issuer: issuer(in: result.errorText), expires: expiry(in: result.errorText))
    }
    guard case .exited(let code) = result.end else { return .noAnswer(28) }
    switch code {
    case 60:
      // X509_verify_cert's numbers (openssl-verification-options(1)).
      switch said.first.flatMap({ Int($0) }) {
      case 9: return .notYetValid
      case 10: return .expired
      default: return .untrusted(issuer: nil)
      }
    case 5, 6, 7, 28: return .noAnswer(code)
    default: return .none(code)
    }
  }

  /// Of the server's own certificate, which comes first: the organisation, or the name.
  private static func issuer(in report: String) -> String? {
    guard let line = report.firstMatch(of: #/(?m)^Issuer:(.*)$/#)?.1 else { return nil }
    let name = line.firstMatch(of: #/\bO ?= ?"?([^,"]+)/#)?.1 ?? line.firstMatch(of: #/\bCN ?= ?"?([^,"]+)/#)?.1
    return name.map { String(Redaction.line(String($0)).prefix(40)) }
  }

  /// `Expire date:Nov 29 04:44:50 2028 GMT`
  private static func expiry(in report: String) -> Date? {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard let found = report.firstMatch(of: #/(?m)^Expire date: ?(\w{3}) +(\d+) [\d:]+ (\d{4})/#),
      let month = months.firstIndex(of: String(found.1)), let day = Int(found.2), let year = Int(found.3)
    else { return nil }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar.date(from: DateComponents(year: year, month: month + 1, day: day))
  }
}

extension ChildProcess.Result {
  fileprivate var errorText: String { String(decoding: errors, as: UTF8.self) }
}
