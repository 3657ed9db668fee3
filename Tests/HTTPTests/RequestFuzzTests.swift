import Foundation
import Glibc
import Testing

@testable import HTTP

/// A fuzzer that needs no sanitizer: whole requests, damaged, through real sockets, each answer held against what the
/// reader and the gate say of the same bytes.
extension SocketTests {
  @Suite struct RequestFuzzTests {
    @Test func `damaged requests are answered as the rules say, whole and in order`() throws {
      let environment = ProcessInfo.processInfo.environment
      let seed = environment["KIOSK_FUZZ_SEED"].flatMap { UInt64($0) } ?? 0x5EED_2026
      let count = AttackScale().requests
      print("seed \(seed): KIOSK_FUZZ_SEED tries another")
      let server = try TestServer()
      let outcome = try underAttack("mutated requests", server) { port in
        var mutator = RequestMutator(seed: seed, port: port)
        var outcome = Outcome()
        for index in 0..<count {
          let bytes = mutator.next()
          let peer = try Peer(port: port, says: [])
          let cut = index % 2 == 0 ? bytes.count : mutator.below(bytes.count + 1)
          for part in [bytes[..<cut], bytes[cut...]] where !part.isEmpty { try? peer.say(Array(part)) }
          peer.endsSpeech()
          outcome.compare(try peer.readBytes(), with: Expected(bytes, port: port), "\(index): \(bytes)")
        }
        return outcome
      }
      #expect(outcome.wrong.isEmpty, "seed \(seed): \(outcome.wrong.joined(separator: "\n"))")
      #expect(outcome.statuses.keys.count(where: { $0 >= 400 }) >= 8, "too tame: \(outcome)")
      #expect(outcome.statuses[200, default: 0] > count / 50, "too wild: \(outcome)")
    }
  }
}

extension SocketTests.RequestFuzzTests {
  /// The answers that the rules give to the bytes of one connection.
  struct Expected {
    /// In order, with whether the body is left out.
    var answers: [(status: Int, isHead: Bool)] = []

    init(_ bytes: [UInt8], port: UInt16) {
      let gate = Gate(port: port)
      var reader = RequestReader()
      reader.append(bytes)
      while true {
        switch reader.next() {
        case .idle, .needsHead, .needsBody: return
        case .refuse(let status):
          answers.append((status, false))
          return
        case .request(let request):
          let refusal = gate.refusal(request) ?? Self.routing(request)
          answers.append((refusal ?? 200, request.method == "HEAD"))
          if refusal != nil && refusal != 404 || request.path == "/events" || !request.keepsAlive { return }
        }
      }
    }

    /// What `TestServer` says to who is let in; nil: 200.
    private static func routing(_ request: Request) -> Int? {
      if request.path == "/events" { return request.method == "POST" ? 405 : nil }
      return ["/", "/wall", "/display/ack"].contains(request.path) ? nil : 404
    }
  }

  struct Outcome: Sendable, CustomStringConvertible {
    var statuses: [Int: Int] = [:]
    /// Connections that ended without an answer: half of a request.
    var silent = 0
    var wrong: [String] = []

    var description: String {
      let counts = statuses.sorted { $0.key < $1.key }.map { "\($0.key)×\($0.value)" }.joined(separator: " ")
      return "\(counts), half a request ×\(silent), wrong \(wrong.count)"
    }

    mutating func compare(_ answer: [UInt8], with expected: Expected, _ request: String) {
      if expected.answers.isEmpty { silent += 1 }
      var rest = answer[...]
      for (status, isHead) in expected.answers {
        statuses[status, default: 0] += 1
        guard let taken = Self.length(of: rest, status, isHead) else {
          let start = String(decoding: rest.prefix(40), as: UTF8.self)
          if wrong.count < 5 {
            wrong.append("\(status) is right, not \(start.debugDescription), to request \(request)")
          }
          return
        }
        rest = rest.dropFirst(taken)
      }
      if !rest.isEmpty, wrong.count < 5 { wrong.append("\(rest.count) bytes too many to request \(request)") }
    }

    /// The bytes of the answer that `rest` begins with; nil: it is not whole or has another status.
    private static func length(of rest: ArraySlice<UInt8>, _ status: Int, _ isHead: Bool) -> Int? {
      guard rest.starts(with: "HTTP/1.1 \(status) ".utf8),
        let end = rest.indices.first(where: { rest[$0...].starts(with: "\r\n\r\n".utf8) })
      else { return nil }
      let head = String(decoding: rest[..<end], as: UTF8.self)
      let headLength = end + 4 - rest.startIndex
      if head.contains("text/event-stream") { return isHead ? headLength : rest.count }
      let length = head.components(separatedBy: "\r\n").first { $0.hasPrefix("Content-Length: ") }
        .flatMap { Int($0.dropFirst("Content-Length: ".count)) }
      guard let length, isHead || length <= rest.count - headLength else { return nil }
      return isHead ? headLength : headLength + length
    }
  }
}
