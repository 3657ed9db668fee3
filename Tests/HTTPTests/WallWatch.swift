import Foundation
import Glibc
import Linux
import Synchronization
import TestSupport
import Testing

@testable import HTTP

/// The family's browser during an attack: one open wall, and one that is opened anew again and again.
final class WallWatch {
  /// Milliseconds of many looks.
  struct Figures: CustomStringConvertible {
    var snapshots: [Double] = []
    var pages: [Double] = []
    /// By how much longer than asked for the one who looks has slept.
    var wakes: [Double] = []
    /// The most connections that the server held.
    var held = 0

    static func percentile(_ times: [Double], _ share: Double) -> Double {
      let sorted = times.sorted()
      return sorted.isEmpty ? .infinity : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }

    var description: String {
      [("snapshot", snapshots), ("page", pages), ("wake", wakes)].map { name, times in
        String(
          format: "%@ p50 %.1f p95 %.1f max %.1f ms (%d)", name, Self.percentile(times, 0.5),
          Self.percentile(times, 0.95), times.max() ?? .infinity, times.count)
      }.joined(separator: ", ")
    }
  }

  private let server: TestServer
  private let wall: Peer
  private var v = 0

  init(_ server: TestServer) throws {
    self.server = server
    server.publish(0, TestServer.snapshot(0))
    wall = try Peer(server, says: server.request("GET /events"))
    try wall.read(until: "\"end\":0}\n\n")
  }

  /// Looks at the wall, at least `count` times and until `isOver`: how long a new snapshot takes to the open one, and how
  /// long it takes to open another.
  func look(_ count: Int, until isOver: () -> Bool = { true }) throws -> Figures {
    var figures = Figures()
    while figures.pages.count < count || !isOver() {
      v += 1
      figures.snapshots.append(
        try milliseconds {
          server.publish(v, TestServer.snapshot(v))
          try wall.read(until: "\"end\":\(v)}\n\n")
        })
      figures.pages.append(
        try milliseconds {
          let answer = try server.probe.get("/wall")
          #expect(answer.status == 200 && answer.body.hasSuffix("</html>\n"), "the wall could not be opened")
        })
      figures.held = max(figures.held, server.server.connectionCount)
      // A person looks again after a while.
      figures.wakes.append(max(0, milliseconds { _ = wall.isQuiet(forMilliseconds: 5) } - 5))
    }
    return figures
  }
}

/// An attack on a thread of its own, while the wall is looked at.
///
/// The wall must not become slower than a person notices, descriptors must come back, and memory must not grow.
func underAttack<Outcome: Sendable>(
  _ name: String, _ server: TestServer, attack: @escaping @Sendable (UInt16) throws -> Outcome
) throws -> Outcome {
  let scale = AttackScale()
  let watch = try WallWatch(server)
  _ = try watch.look(20)
  let peace = try watch.look(scale.looks)
  let before = try Resources.now()
  let ending = Ending<Outcome>()
  let port = server.port
  Threads.start(name: "attack") { ending.set(Result { try attack(port) }) }
  let war = try watch.look(scale.looks / 2) { ending.result != nil }
  let outcome = try #require(ending.result).get()
  try Waiting.until("only the wall is connected") { server.server.connectionCount == 1 }
  try Waiting.until("every descriptor is back") { try Resources.now().descriptors <= before.descriptors }
  let growth = Double(try Resources.now().memory - before.memory) / Double(1 << 20)
  print("\(name) (\(scale.description)): \(outcome)")
  print("  in peace: \(peace)\n  attacked: \(war)")
  print("  at most \(war.held) connections; memory \(String(format: "%+.1f", growth)) MiB")
  let wake = WallWatch.Figures.percentile(war.wakes, 0.95)
  for (kind, calm, busy) in [("snapshot", peace.snapshots, war.snapshots), ("page", peace.pages, war.pages)] {
    let (calm, busy) = (WallWatch.Figures.percentile(calm, 0.95), WallWatch.Figures.percentile(busy, 0.95))
    // The attacker takes one of perhaps two cores; what a person notices begins at 100 ms. Server and browser wake each
    // other a few times, which takes what it takes on this machine just then, whoever is woken.
    #expect(
      busy <= max(100, 4 * calm) + 4 * wake, "\(kind): p95 \(busy) ms, \(calm) ms in peace, a wake \(wake) ms")
  }
  let limits = ServerLimits()
  #expect(war.held <= limits.streams + limits.others + limits.spare)
  #expect(growth < 16, "\(growth) MiB more")
  return outcome
}

/// What an attack ended with, handed from its thread to the test's.
private final class Ending<Outcome: Sendable>: Sendable {
  private let ended = Mutex<Result<Outcome, any Error>?>(nil)

  var result: Result<Outcome, any Error>? { ended.withLock { $0 } }

  func set(_ result: Result<Outcome, any Error>) { ended.withLock { $0 = result } }
}
