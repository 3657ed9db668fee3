internal import Synchronization

/// One at a time, in the order of arrival. One who is cancelled while waiting goes at once and takes no turn.
final class Turnstile: Sendable {
  private struct State {
    var isTaken = false
    var nextID: UInt64 = 0
    var waiting: [(id: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    /// Cancelled before they stood in the row.
    var cancelled: Set<UInt64> = []
  }

  private let state = Mutex(State())

  /// How many stand in the row.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Returns when it is the caller's turn, who must then `leave`.
  func enter() async throws(CancellationError) {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let isIn = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
        let answer = state.withLock { state -> Bool? in
          if state.cancelled.remove(id) != nil { return false }
          if state.isTaken {
            state.waiting.append((id, continuation))
            return nil
          }
          state.isTaken = true
          return true
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
        guard let index = state.waiting.firstIndex(where: { $0.id == id }) else {
          state.cancelled.insert(id)
          return nil
        }
        return state.waiting.remove(at: index).continuation
      }
      waiter?.resume(returning: false)
    }
    _ = state.withLock { $0.cancelled.remove(id) }
    guard isIn else { throw CancellationError() }
  }

  /// Lets the next one in.
  func leave() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      if state.waiting.isEmpty {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume(returning: true)
  }
}
