import Dispatch
import Foundation
import Glibc
import Linux
import TestSupport
import Testing

@testable import HTTP

/// The limits of display 3.6 under people who mean harm: the wall stays as quick as it is, and nothing grows.
extension SocketTests {
  @Suite struct AttackTests {
    private let scale = AttackScale()

    @Test func `two hundred connections that never end their heads do not keep the wall from opening`() throws {
      let server = try TestServer { [scale] in $0.head = scale.dawdling.head }
      let outcome = try underAttack("slowloris", server) { [scale] port in
        let patient = try Dawdlers(port: port, count: 200).dawdle(scale.dawdling.seconds / 2, comesBack: false)
        let pushing = try Dawdlers(port: port, count: 200).dawdle(scale.dawdling.seconds / 2, comesBack: true)
        return [patient, pushing]
      }
      // Who is over the limit is told so at once, who is within it at the deadline.
      #expect(outcome[0].opened == 200 && outcome[0].closed == 200 && outcome[0].statuses == ["408", "503"])
      #expect(outcome[1].opened > 400 && outcome[1].statuses.isSubset(of: ["408", "503"]))
      let longest = outcome.map(\.longest).max() ?? 0
      #expect(longest < scale.dawdling.head.inSeconds + 1.5, "a head took \(longest) s")
    }

    @Test func `thousands who want an event stream get 128 and the wall keeps its own`() throws {
      let room = Resources.allowDescriptors(scale.streams + 1000)
      let count = min(scale.streams, room - 1000)
      #expect(count > 500, "this process may have only \(room) descriptors")
      let server = try TestServer()
      let outcome = try underAttack("event streams", server) { port in
        let request = Array("GET /events HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n".utf8)
        var held: [Peer] = []
        var sentAway = 0
        while held.count + sentAway < count {
          let burst = try (0..<min(200, count - held.count - sentAway)).map { _ in try Peer(port: port, says: request) }
          for page in burst {
            if try page.read(until: "\n\n").contains("retry: 30000\n") { sentAway += 1 } else { held.append(page) }
          }
        }
        let isKept = try held.allSatisfy { page in
          if !page.isQuiet(forMilliseconds: 0) { try page.read(until: "\n\n") }
          return true
        }
        return StreamOutcome(held: isKept ? held.count : 0, sentAway: sentAway)
      }
      #expect(outcome.held == ServerLimits().streams - 1, "one is the wall's")
      #expect(outcome.held + outcome.sentAway == count)
    }

    @Test func `pages that never read cost one snapshot each and are dropped`() throws {
      let server = try TestServer { [scale] in $0.stall = scale.deafness.stall }
      let dropped = try underAttack("pages that never read", server) { [scale] port in
        let request = Array("GET /events HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n".utf8)
        let pages = try (0..<100).map { _ in try Peer(port: port, says: request) }
        let start = DispatchTime.now().uptimeNanoseconds
        while Double(DispatchTime.now().uptimeNanoseconds - start) < scale.deafness.seconds * 1e9 {
          _ = poll(nil, 0, 50)
        }
        // What the kernel took before the server gave up, and then the end.
        return try pages.count { page in try page.dropAll() > 0 }
      }
      #expect(dropped == 100)
    }

    @Test func `ten thousand requests on one connection are answered in order and hold up nobody`() throws {
      let server = try TestServer()
      let count = scale.isFull ? 10_000 : 2000
      let answers = try underAttack("pipelining", server) { port in
        let host = "Host: localhost:\(port)\r\n"
        let round = (0..<10).map { "GET /\($0 == 0 ? "wall" : "none/\($0)") HTTP/1.1\r\n\(host)\r\n" }.joined()
        let greedy = try Peer(port: port, says: [])
        var answers = 0
        for index in 0..<(count / 10) {
          let isLast = index == count / 10 - 1
          try greedy.say(round + (isLast ? "GET / HTTP/1.1\r\n\(host)Connection: close\r\n\r\n" : ""))
          if !isLast {
            let text = try greedy.read(until: "</html>")
            answers += text.components(separatedBy: "HTTP/1.1 200 OK").count - 1
            answers += text.components(separatedBy: "HTTP/1.1 404 ").count - 1
          }
        }
        let rest = try greedy.readToEnd()
        answers += rest.components(separatedBy: "HTTP/1.1 200 OK").count - 1
        answers += rest.components(separatedBy: "HTTP/1.1 404 ").count - 1
        return answers
      }
      #expect(answers == count + 1)
    }

    @Test func `what is huge, odd or foreign is refused by its own status`() throws {
      let server = try TestServer()
      let wrong = try underAttack("odd requests", server) { [scale] port in
        var wrong: [String] = []
        for _ in 0..<scale.rounds {
          for odd in OddRequest.all(port: port) {
            let peer = try Peer(port: port, says: [])
            // The answer may come and the connection go before all is said.
            try? peer.say(odd.bytes)
            if odd.endsSpeech { peer.endsSpeech() }
            let answer = String(decoding: try peer.readBytes().prefix(12), as: UTF8.self)
            if answer != odd.answer { wrong.append("\(odd.name): \(answer)") }
          }
        }
        return wrong
      }
      #expect(wrong.isEmpty, "\(Set(wrong))")
    }
  }

  struct StreamOutcome: Sendable, CustomStringConvertible {
    /// Streams that were given.
    let held: Int
    /// Those who were told to come back later.
    let sentAway: Int

    var description: String { "\(held) held, \(sentAway) sent away for 30 s" }
  }
}
