internal import Foundation
internal import Glibc
package import VirtualTag

/// What the C program `uid-monitor` sees of a pcscd: an independent witness of what reaches clients.
package final class UIDMonitor: Sendable {
  /// One line of it.
  package struct Sighting: Sendable, Equatable {
    package enum Kind: String, Sendable {
      case ready = "READY"
      case uid = "UID"
      case fail = "FAIL"
      case mute = "MUTE"
      case short = "SHORT"
      case removed = "REMOVED"
      case lying = "LYING"
      case unavailable = "UNAVAILABLE"
      case gone = "GONE"
    }

    package let kind: Kind

    /// The words behind the kind; what they are is written in uid-monitor's source.
    package let words: [String]

    /// CLOCK_MONOTONIC when it was known, ns; for READY the number of readers.
    package var nanoseconds: Int64 { Int64(words.first ?? "") ?? 0 }

    /// For UID: CLOCK_MONOTONIC when pcscd woke the program, ns.
    package var woken: Int64 { words.count > 2 ? Int64(words[2]) ?? 0 : 0 }

    /// For UID: the hex of it.
    package var uid: String { words.count > 1 ? words[1] : "" }

    /// A tag was noticed, whatever came of it.
    package var isTap: Bool { [.uid, .fail, .mute, .short].contains(kind) }
  }

  private let program: ChildProgram

  /// Starts it and waits until it watches the readers.
  package init(of pcscd: PrivatePcscd) throws {
    program = try ChildProgram(BuildProducts.path("uid-monitor"), [], environment: pcscd.environment)
    try program.waitFor("READY ")
  }

  /// All it has seen so far.
  package var sightings: [Sighting] {
    let text = program.text
    return text.prefix(through: text.lastIndex(of: "\n") ?? text.startIndex).split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ").map(String.init)
      return words.first.flatMap(Sighting.Kind.init).map { Sighting(kind: $0, words: Array(words.dropFirst())) }
    }
  }

  package func sightings(_ kind: Sighting.Kind) -> [Sighting] { sightings.filter { $0.kind == kind } }

  /// Ends it; what it has seen stays.
  package func stop() throws {
    program.signal(SIGKILL)
    _ = try program.waitForExit()
  }

  /// Waits until it has seen `count` things of the kind, and returns the last of them.
  @discardableResult
  package func waitFor(_ kind: Sighting.Kind, count: Int = 1, within seconds: Double = 10) throws -> Sighting {
    do {
      return try Waiting.value("\(count) \(kind.rawValue)", within: seconds) {
        let seen = sightings(kind)
        return seen.count >= count ? seen[count - 1] : nil
      }
    } catch { throw Waiting.TimedOut(description: "\(error) in: \(program.text.suffix(1000))") }
  }
}
