import Foundation
import Glibc

/// `make bench`: what the budgets of the design speak of, each beside its yardstick, all in one run on the virtual reader.
@main
enum Bench {
  static func main() async {
    var report = Report()
    do {
      say(machine)
      if isWanted("uid") { try await UIDBench.run(taps: 200, into: &report) }
      if isWanted("tap") { try TapBench.run(rounds: 10, into: &report) }
      if isWanted("feeds") { try FeedBench.run(rounds: 10, into: &report) }
      if isWanted("snapshot") { try SnapshotBench.run(watches: 20, into: &report) }
      if isWanted("school") { try CalendarBench.school(rounds: 20, into: &report) }
      if isWanted("agenda") { try CalendarBench.agenda(rounds: 10, into: &report) }
      if isWanted("service") { try await ServiceBench.run(idleSeconds: 60, into: &report) }
      if isWanted("start") { try await ServiceBench.start(history: 10_000, into: &report) }
    } catch {
      FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
      exit(70)
    }
    say(report.isWithinBudget ? "Every budget was kept." : "A budget was missed, see above.")
    // The tag reader's threads may still be in libpcsclite, whose end at `exit` they must not see.
    _exit(0)
  }

  /// `bench tap start` measures these parts only.
  private static func isWanted(_ part: String) -> Bool {
    CommandLine.arguments.count < 2 || CommandLine.arguments.dropFirst().contains(part)
  }

  private static var machine: String {
    let cpu = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let model = cpu.split(separator: "\n").first { $0.hasPrefix("model name") || $0.hasPrefix("Model") }
      .map { $0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces) }
    return "\(model ?? "unknown CPU"), \(ProcessInfo.processInfo.activeProcessorCount) cores, "
      + "temporary folder \(FileManager.default.temporaryDirectory.path)"
  }
}
