/// Who waits for taps, and the one place where a tap waits for somebody (DESIGN 5.1). Pure: every method returns what
/// the caller has to do, and the caller does it outside its lock.
///
/// The claim of the tap loop is always live, the higher ones while they are held or somebody waits with them. While
/// enrolment is held no tap goes to the tap loop, not even between two waits of the enrolment: what was tapped for it must
/// not become a dose.
struct WaiterQueue<Event> {
  typealias ID = UInt64

  enum Action {
    case resume(ID, Event)
    case cancelled(ID)
    /// Nobody took this tap.
    case dropped(Event)
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
    static var takingEmptiesTheBuffer: Guards { Guards(rawValue: 64) }
    static var endingEmptiesTheBuffer: Guards { Guards(rawValue: 128) }
    static var heldClaimKeepsOthersOut: Guards { Guards(rawValue: 256) }
    static var cancelBeforeWaitIsRemembered: Guards { Guards(rawValue: 512) }
    static var eachTapOnce: Guards { Guards(rawValue: 1024) }
    static var all: Guards { Guards(rawValue: 2047) }
  }

  private struct Waiter {
    let id: ID
    let claim: Claim
    /// It takes one tap after the other.
    let isStanding: Bool
  }

  private struct Buffered {
    let event: Event
    let isSuccess: Bool
    let until: Duration
  }

  private let buffer: Duration
  private let isSuccess: (Event) -> Bool
  private let guards: Guards
  /// The longest waiting first.
  private var waiters: [Waiter] = []
  private var held: [Claim] = []
  private var buffered: Buffered?
  private var cancelledEarly: Set<ID> = []

  /// - Parameter buffer: how long a tap waits; at exactly this age it is too old.
  init(buffer: Duration, guards: Guards = .all, isSuccess: @escaping (Event) -> Bool) {
    self.buffer = buffer
    self.guards = guards
    self.isSuccess = isSuccess
  }

  /// Somebody waits. What is buffered and fresh is theirs at once, when their claim is the highest live one. Waiting with a
  /// higher claim than the tap loop's that is not held takes it for as long as the wait.
  /// - Parameter isStanding: it goes on waiting after it has taken a tap, until it is cancelled: no tap comes in between.
  mutating func wait(_ id: ID, claim: Claim, isStanding: Bool = false, at now: Duration) -> [Action] {
    if cancelledEarly.remove(id) != nil, guards.contains(.cancelBeforeWaitIsRemembered) { return [.cancelled(id)] }
    var actions: [Action] = []
    if isTaken(by: claim), guards.contains(.takingEmptiesTheBuffer) { actions = empty() }
    if let buffered, claim == max(highestLiveClaim, claim) {
      if guards.contains(.eachTapOnce) { self.buffered = nil }
      let isFresh = now < buffered.until || !guards.contains(.bufferExpires)
      actions.append(isFresh ? .resume(id, buffered.event) : .dropped(buffered.event))
      if isFresh, !isStanding { return actions }
    }
    waiters.append(Waiter(id: id, claim: claim, isStanding: isStanding))
    return actions
  }

  /// A cancelled waiter is answered at once and never takes an event; a cancel that comes before the wait is remembered.
  mutating func cancel(_ id: ID) -> [Action] {
    guard let index = waiters.firstIndex(where: { $0.id == id }) else {
      cancelledEarly.insert(id)
      return []
    }
    let claim = waiters[index].claim
    if guards.contains(.cancelDeregisters) { waiters.remove(at: index) }
    return [.cancelled(id)] + (isTaken(by: claim) ? ended() : [])
  }

  /// The waiter is gone for good; forgets a cancel that came after its answer.
  mutating func finished(_ id: ID) { cancelledEarly.remove(id) }

  /// A tap goes to exactly one: the highest live claim, the longest waiting first; with none there it waits itself. A
  /// success is not replaced by a failure, and one that is too old stands in nobody's way.
  mutating func deliver(_ event: Event, at now: Duration) -> [Action] {
    if let index = recipient {
      let waiter = waiters[index]
      if guards.contains(.eachTapOnce), !waiter.isStanding { waiters.remove(at: index) }
      return [.resume(waiter.id, event)] + (isTaken(by: waiter.claim) ? ended() : [])
    }
    let fresh = Buffered(event: event, isSuccess: isSuccess(event), until: now + buffer)
    if let buffered, guards.contains(.successIsKept), buffered.isSuccess, !fresh.isSuccess,
      now < buffered.until || !guards.contains(.staleSuccessYields)
    {
      return [.dropped(event)]
    }
    defer { buffered = fresh }
    return empty()
  }

  /// Holds a claim from now on: what was tapped before is not meant for it.
  mutating func take(_ claim: Claim) -> [Action] {
    held.append(claim)
    return guards.contains(.takingEmptiesTheBuffer) ? empty() : []
  }

  /// Gives a claim back: what was tapped during it is not meant for the others.
  mutating func end(_ claim: Claim) -> [Action] {
    guard let index = held.firstIndex(of: claim) else { return [] }
    held.remove(at: index)
    return ended()
  }

  /// Whether a wait with this claim begins or ends it: the tap loop's is always there, a held one outlives its waits.
  private func isTaken(by claim: Claim) -> Bool { claim > .tapLoop && !held.contains(claim) }

  private mutating func ended() -> [Action] { guards.contains(.endingEmptiesTheBuffer) ? empty() : [] }

  private mutating func empty() -> [Action] {
    defer { buffered = nil }
    return buffered.map { [.dropped($0.event)] } ?? []
  }

  private var highestLiveClaim: Claim {
    let holders = guards.contains(.heldClaimKeepsOthersOut) ? held : []
    return (holders + waiters.map(\.claim)).max() ?? .tapLoop
  }

  private var recipient: Int? {
    let highest = highestLiveClaim
    let candidates = waiters.indices.filter { index in
      guards.contains(.highestClaimFirst) ? waiters[index].claim == highest : true
    }
    return guards.contains(.longestWaitingFirst) ? candidates.first : candidates.last
  }
}
