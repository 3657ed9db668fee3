internal import Foundation
internal import Glibc
internal import Linux

/// The main thread only waits for signals (STYLE 2.6); everything else runs detached.
@main
struct Main {
  static func main() {
    Signal.block()
    let arguments: Arguments
    do {
      arguments = try Arguments.parse(Array(CommandLine.arguments.dropFirst()))
    } catch {
      Output.error("\(error.problem): \(error.remedy)")
      exit(ExitCode.usage.rawValue)
    }
    let (signals, arrivals) = AsyncStream<Signal>.makeStream()
    let isRun = arguments.command == .run
    // Not `exit`: libpcsclite frees its state there, under a thread that may hang in a call. Nothing is buffered.
    Task.detached { _exit(await Commands.run(arguments, signals: signals)) }
    while true {
      let signal = Signal.wait()
      // A command has nothing to end in order: it ends.
      if !isRun { exit(128 + signal.rawValue) }
      arrivals.yield(signal)
    }
  }
}
