/// Who waits for taps, and the one place where a tap waits for somebody (DESIGN 5.1). Pure: every method returns what
/// the caller has to do, and the caller does it outside its lock.
///
/// A claim is live while it is held or somebody waits with it. While enrolment is held no tap goes to the tap loop, not
/// even between two waits of the enrolment: a tap that was meant for it must not become a dose.
struct WaiterQueue<Event> {
  typealias ID = UInt64

  enum Action {
    case resume(ID, Event)
    case cancelled(ID)
  }

  /// The rules that make up the queue; tests take them away one by one to see that each is needed.
  struct Guards: OptionSet {
    let rawValue: Int
    static var highestClaimFirst: Guards { Guards(rawValue: 1) }
    static var longestWaitingFirst: Guards { Guards(rawValue: 2) }
    static var cancelDeregisters: Guards { Guards(rawValue: 4) }
    static var bufferExpires: Guards { Guards(rawValue: 8) }
    static var successIsKept: Guards { Guards(rawValue: 16) }
    static var staleSuccessYields: Guards { Guards(rawValue: 32) }
    static var claimsEmptyTheBuffer: Guards { Guards(rawValue: 64) }
    static var heldClaimKeepsOthersOut: Guards { Guards(rawValue: 128) }
    static var cancelBeforeWaitIsRemembered: Guards { Guards(rawValue: 256) }
    static var all: Guards { Guards(rawValue: 511) }
  }

  private struct Waiter {
    let id: ID
    let claim: Claim
  }

  private struct Buffered {
    let event: Event
    let isSuccess: Bool
    let until: Duration
  }

  private let buffer: Duration
  private let isSuccess: (Event) -> Bool
  private let guards: Guards
  private var waiters: [Waiter] = []
  private var held: [Claim] = []
  private var buffered: Buffered?
  private var cancelledEarly: Set<ID> = []

  init(buffer: Duration, guards: Guards = .all, isSuccess: @escaping (Event) -> Bool) {
    self.buffer = buffer
    self.guards = guards
    self.isSuccess = isSuccess
  }

  /// Somebody waits. What is buffered and fresh is theirs at once, when no higher claim is live.
  mutating func wait(_ id: ID, claim: Claim, at now: Duration) -> [Action] {
    if cancelledEarly.remove(id) != nil, guards.contains(.cancelBeforeWaitIsRemembered) { return [.cancelled(id)] }
    if let buffered, claim >= (highestLiveClaim ?? claim) {
      self.buffered = nil
      if now < buffered.until || !guards.contains(.bufferExpires) { return [.resume(id, buffered.event)] }
    }
    waiters.append(Waiter(id: id, claim: claim))
    return []
  }

  /// A cancelled waiter is answered at once and never takes an event; a cancel that comes before the wait is remembered.
  mutating func cancel(_ id: ID) -> [Action] {
    guard let index = waiters.firstIndex(where: { $0.id == id }) else {
      cancelledEarly.insert(id)
      return []
    }
    if guards.contains(.cancelDeregisters) { waiters.remove(at: index) }
    return [.cancelled(id)]
  }

  /// The waiter is gone for good; forgets a cancel that came after its answer.
  mutating func finished(_ id: ID) { cancelledEarly.remove(id) }

  /// A tap goes to exactly one: the highest live claim, the longest waiting first; with none there it waits itself.
  mutating func deliver(_ event: Event, at now: Duration) -> [Action] {
    if let index = recipient {
      return [.resume(waiters.remove(at: index).id, event)]
    }
    let fresh = Buffered(event: event, isSuccess: isSuccess(event), until: now + buffer)
    if let buffered, guards.contains(.successIsKept), buffered.isSuccess, !fresh.isSuccess,
      now < buffered.until || !guards.contains(.staleSuccessYields)
    {
      return []
    }
    buffered = fresh
    return []
  }

  /// Holds a claim from now on: what was tapped before is not meant for it.
  mutating func take(_ claim: Claim) {
    held.append(claim)
    if guards.contains(.claimsEmptyTheBuffer) { buffered = nil }
  }

  /// Gives a claim back: what was tapped during it is not meant for the others.
  mutating func end(_ claim: Claim) {
    if let index = held.firstIndex(of: claim) { held.remove(at: index) }
    if guards.contains(.claimsEmptyTheBuffer) { buffered = nil }
  }

  private var highestLiveClaim: Claim? {
    let holders = guards.contains(.heldClaimKeepsOthersOut) ? held : []
    return (holders + waiters.map(\.claim)).max()
  }

  private var recipient: Int? {
    guard let highest = highestLiveClaim else { return nil }
    let candidates = waiters.indices.filter { index in
      guards.contains(.highestClaimFirst) ? waiters[index].claim == highest : true
    }
    return guards.contains(.longestWaitingFirst) ? candidates.first : candidates.last
  }
}
