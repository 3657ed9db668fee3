internal import Foundation
package import Linux

/// A check in a process of its own: the only defence against a call that never comes back (a frozen pcscd ignores every
/// time-out of its callers). The child says its finding in one line; the parent turns whatever else happens into one.
package struct CheckProcess: Sendable {
  /// Leads the line with the finding; lines without it are for the technician.
  static let mark = "finding "

  private let program: String
  private let arguments: [String]
  private let environment: [String: String]
  private let time: any TimeSource
  private let tell: @Sendable (String) -> Void

  /// - Parameters:
  ///   - program: our own, absolute.
  ///   - arguments: come before the check's id.
  ///   - tell: takes what the child says while it runs.
  package init(
    program: String, arguments: [String], environment: [String: String], time: any TimeSource,
    tell: @escaping @Sendable (String) -> Void
  ) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.time = time
    self.tell = tell
  }

  /// The child's side: its last line.
  package static func line(_ finding: Finding) -> String { mark + Report.encode(finding) }

  /// The parent's side.
  package func run(_ check: Check) async -> Finding {
    await withCheckedContinuation { continuation in
      // A thread of its own: it waits, and the child is to die with it.
      Threads.start(name: "check-\(check.id)") { continuation.resume(returning: runBlocking(check)) }
    }
  }

  private func runBlocking(_ check: Check) -> Finding {
    do throws(ChildProcess.Failure) {
      let result = try ChildProcess.run(
        program, arguments + [check.id], environment: environment, deadline: check.deadline,
        limit: 1 << 18, time: time
      ) { line in
        if !line.hasPrefix(Self.mark) { tell(line) }
      }
      return Self.finding(result, of: check)
    } catch {
      return Finding(.crash, seen: [.init("start", error.sentence)], means: "The check could not be started.")
    }
  }

  /// What a child's end means.
  static func finding(_ result: ChildProcess.Result, of check: Check) -> Finding {
    let said = result.text.split(separator: "\n").last { $0.hasPrefix(mark) }
    if result.end == .exited(0), let said,
      let finding = try? JSONDecoder().decode(Finding.self, from: Data(said.dropFirst(mark.count).utf8))
    {
      return finding
    }
    let seconds = check.deadline.inMilliseconds / 1000
    switch result.end {
    case .overdue:
      return Finding(
        .timeout, seen: [.init("answer", "none within \(seconds) s")], means: check.overdue.means,
        remedies: [check.overdue.remedy])
    case .talkative: return crash("it said more than can be read", result)
    case .stopped: return crash("it was stopped", result)
    case .signalled(let signal): return crash("signal \(signal)", result)
    case .exited(let code): return crash("exit code \(code)", result)
    }
  }

  private static func crash(_ how: String, _ result: ChildProcess.Result) -> Finding {
    let lines = String(decoding: result.errors, as: UTF8.self).split(separator: "\n")
    let last = lines.first { $0.contains("Fatal error") } ?? lines.last
    return Finding(
      .crash, seen: [.init("end", how)] + (last.map { [.init("said", Redaction.line(String($0)))] } ?? []),
      means: "The check itself broke; the others were run.", remedies: ["Report this as a fault of kiosk-agent."])
  }
}
