internal import Foundation
internal import Glibc
internal import Linux

/// A wall under taps, without reader, speaker and page: the real kiosk over the real ledger, for tests that watch or break
/// its disk (FaultyDisk).
///
///     ledger-load STATE SOUND TAPS [FAULTS MORE]
///
/// What the speaker would sound is a line of the file SOUND: the tap's number and its outcome. What stands there was
/// acknowledged. A tap that was not recorded is tapped again, once. After TAPS taps the faults of the file FAULTS end, and
/// MORE taps follow, without a restart.
@main
struct Main {
  static func main() async throws {
    Signal.block()
    let arguments = CommandLine.arguments
    guard arguments.count >= 4, let taps = Int(arguments[3]) else {
      FileHandle.standardError.write(Data("ledger-load STATE SOUND TAPS [FAULTS MORE]: say them\n".utf8))
      exit(64)
    }
    let load = Load(state: arguments[1], sound: arguments[2])
    try await load.begin()
    for number in 0..<taps { await load.tap(number) }
    if arguments.count >= 6, let more = Int(arguments[5]) {
      // The first number of the file is that of the first fault: with 0 there is none.
      let faults = try FileHandle(forUpdating: URL(filePath: arguments[4]))
      try faults.write(contentsOf: Data(repeating: 0, count: 8))
      await load.heal()
      for number in taps..<(taps + more) { await load.tap(number) }
    }
    await load.end()
  }
}
