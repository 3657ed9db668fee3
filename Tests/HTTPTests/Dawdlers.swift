import Dispatch
import Glibc
import TestSupport

@testable import HTTP

/// Connections that begin a head and never end it, a byte at a time.
final class Dawdlers {
  struct Outcome: Sendable, CustomStringConvertible {
    var opened = 0
    var closed = 0
    /// The longest that one lived, in seconds.
    var longest = 0.0
    /// What they were told; empty: nothing.
    var statuses: Set<String> = []

    var description: String {
      "\(opened) opened, \(closed) closed by the server, the longest after "
        + "\((longest * 10).rounded() / 10) s, told \(statuses.sorted())"
    }
  }

  private struct Dawdler {
    let peer: Peer
    let opened: Double
  }

  private let port: UInt16
  private var dawdlers: [Dawdler] = []
  private var outcome = Outcome()

  init(port: UInt16, count: Int) throws {
    self.port = port
    for _ in 0..<count { dawdlers.append(try another()) }
  }

  /// Says a byte on every connection about ten times a second, for so many seconds.
  /// - Parameter comesBack: one that the server closes is opened again.
  func dawdle(_ seconds: Double, comesBack: Bool) throws -> Outcome {
    let end = Self.now + seconds
    while Self.now < end {
      let over = dawdlers.filter { !$0.peer.isQuiet(forMilliseconds: 0) || !$0.peer.says("a") }
      for dawdler in over { note(dawdler) }
      dawdlers.removeAll { dawdler in over.contains { $0.peer === dawdler.peer } }
      if comesBack { for _ in over { dawdlers.append(try another()) } }
      _ = poll(nil, 0, 100)
    }
    return outcome
  }

  private func another() throws -> Dawdler {
    outcome.opened += 1
    return Dawdler(peer: try Peer(port: port, says: Array("GET / HTTP/1.1\r\nX-A: ".utf8)), opened: Self.now)
  }

  private func note(_ dawdler: Dawdler) {
    outcome.closed += 1
    outcome.longest = max(outcome.longest, Self.now - dawdler.opened)
    let answer = (try? dawdler.peer.readToEnd()) ?? ""
    outcome.statuses.insert(String(answer.dropFirst("HTTP/1.1 ".count).prefix(3)))
  }

  private static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
}

extension Peer {
  /// False: the connection is gone.
  fileprivate func says(_ text: String) -> Bool { (try? say(text)) != nil }
}
