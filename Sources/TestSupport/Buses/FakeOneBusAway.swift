internal import Foundation
internal import HTTP
package import Linux
internal import Synchronization

/// A OneBusAway server on loopback, with the real one's rules.
package final class FakeOneBusAway: Sendable {
  private struct State {
    var buses: SimulatedBuses
    var rules: OneBusAwayRules
    /// What it says instead; nil: the truth.
    var instead: (status: Int, body: [UInt8])?
  }

  private final class Box: Sendable {
    let state: Mutex<State>
    init(_ state: State) { self.state = Mutex(state) }
  }

  private let box: Box
  private let server: Server
  /// `http://127.0.0.1:PORT`.
  package let address: String

  /// - Parameters:
  ///   - port: 0: any free one.
  ///   - time: its clocks.
  package init(_ buses: SimulatedBuses, key: String = "TEST", port: UInt16 = 0, time: any TimeSource) throws {
    let box = Box(State(buses: buses, rules: OneBusAwayRules(key: key)))
    self.box = box
    server = Server(
      settings: ServerSettings(address: "127.0.0.1", port: port, boot: "buses", asset: "", timeZone: "UTC"), time: time
    ) { request in
      let (now, uptime) = (time.now(), time.uptime())
      let query = OneBusAwayRules.parameters(request.query)
      return box.state.withLock { state in
        if let code = state.rules.admit(request.path, key: query["key"], at: uptime) {
          let refusal = SimulatedBuses.failure(code, at: now)
          return .json(refusal.body, status: refusal.status)
        }
        if let instead = state.instead {
          return Response(status: instead.status, type: "application/json", body: instead.body)
        }
        let answer = state.buses.answer(request.path, query: query, at: now)
        return .json(answer.body, status: answer.status)
      }
    }
    address = "http://127.0.0.1:\(try server.start())"
  }

  /// How many requests came too early: each is a fault of whoever asks.
  package var refused: Int { box.state.withLock { $0.rules.refused } }

  /// By method, such as `arrivals-and-departures-for-stop`.
  package var requests: [String: Int] { box.state.withLock { $0.rules.requests } }

  package func change(_ buses: (inout SimulatedBuses) -> Void) { box.state.withLock { buses(&$0.buses) } }

  /// Answers everything with this from now on; nil: with the truth again.
  package func say(_ body: [UInt8]?, status: Int = 200) {
    box.state.withLock { $0.instead = body.map { (status, $0) } }
  }

  package func stop() { server.stop() }
}
