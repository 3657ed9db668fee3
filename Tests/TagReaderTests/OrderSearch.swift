@testable import TagReader

/// A tap of the search, known by the step at which it came.
struct Tap: Hashable {
  var step: Int
  var isSuccess: Bool
}

/// Four people who wait, each at most once at a time.
enum Person: Int, CaseIterable {
  case loop, otherLoop, window, enrolment

  var claim: Claim {
    switch self {
    case .loop, .otherLoop: .tapLoop
    case .window: .testWindow
    case .enrolment: .enrolment
    }
  }
}

enum Step: Hashable {
  case tap(isSuccess: Bool)
  /// 1.5 s go by: two of them make a tap of before too old.
  case time
  case wait(Person)
  /// The task was cancelled before it came to wait.
  case waitCancelled(Person)
  case cancel(Person)
  case take, end

  static let pause: Duration = .milliseconds(1500)
  /// The claim that is held without waiting.
  static let heldClaim = Claim.testWindow
}

/// What the queue did, in a form that both sides can say. A wait is named by its step.
struct Conduct: Equatable {
  struct Delivery: Hashable {
    var tap: Tap
    var wait: Int
    var at: Int
  }
  var deliveries: Set<Delivery> = []
  var cancelled: [Int] = []
}

/// Runs all orders of steps through the queue, depth first, and compares each with the specification.
final class OrderSearch {
  private struct Run {
    var queue: WaiterQueue<Tap>
    var now: Duration = .zero
    var waiting: [Person: Int] = [:]
    var isHeld = false
    var steps: [Step] = []
    var conduct = Conduct()
    var taps: Set<Tap> = []
    var dropped: Set<Tap> = []
    var fault: String?
  }

  private let guards: WaiterQueue<Tap>.Guards
  private(set) var orders = 0

  init(guards: WaiterQueue<Tap>.Guards) { self.guards = guards }

  /// The first order with a fault, in words; nil: all orders are right.
  func firstFault(depth: Int) -> String? {
    search(Run(queue: WaiterQueue(buffer: .seconds(2), guards: guards) { $0.isSuccess }), depth)
  }

  private func search(_ run: Run, _ left: Int) -> String? {
    if left == 0 {
      orders += 1
      let due = WaiterSpecification(run.steps).conduct()
      return due == run.conduct ? nil : "\(run.steps): \(run.conduct), due: \(due)"
    }
    for step in enabled(run) {
      var next = run
      perform(step, on: &next)
      if let fault = next.fault ?? search(next, left - 1) { return fault }
    }
    return nil
  }

  private func enabled(_ run: Run) -> [Step] {
    var steps: [Step] = [.tap(isSuccess: true), .tap(isSuccess: false), .time, run.isHeld ? .end : .take]
    for person in Person.allCases {
      if run.waiting[person] != nil {
        steps.append(.cancel(person))
      } else if person != .otherLoop || run.waiting[.loop] != nil {
        steps.append(.wait(person))
      }
    }
    if run.waiting[.enrolment] == nil { steps.append(.waitCancelled(.enrolment)) }
    return steps
  }

  private func perform(_ step: Step, on run: inout Run) {
    let index = run.steps.count
    run.steps.append(step)
    let id = UInt64(index)
    switch step {
    case .tap(let isSuccess):
      let tap = Tap(step: index, isSuccess: isSuccess)
      run.taps.insert(tap)
      note(run.queue.deliver(tap, at: run.now), &run)
    case .time: run.now += Step.pause
    case .wait(let person):
      run.waiting[person] = index
      note(run.queue.wait(id, claim: person.claim, at: run.now), &run)
    case .waitCancelled(let person):
      run.waiting[person] = index
      note(run.queue.cancel(id), &run)
      note(run.queue.wait(id, claim: person.claim, at: run.now), &run)
      if run.waiting[person] != nil { run.fault = "\(run.steps): a cancelled wait goes on" }
    case .cancel(let person):
      guard let wait = run.waiting[person] else { return }
      note(run.queue.cancel(UInt64(wait)), &run)
      if run.waiting[person] != nil { run.fault = "\(run.steps): a cancelled waiter is not answered at once" }
    case .take:
      run.isHeld = true
      note(run.queue.take(Step.heldClaim), &run)
    case .end:
      run.isHeld = false
      note(run.queue.end(Step.heldClaim), &run)
    }
  }

  private func note(_ actions: [WaiterQueue<Tap>.Action], _ run: inout Run) {
    for action in actions {
      switch action {
      case .resume(let id, let tap):
        answer(id, &run)
        if run.dropped.contains(tap) { run.fault = "\(run.steps): a dropped tap is delivered" }
        run.conduct.deliveries.insert(.init(tap: tap, wait: Int(id), at: run.steps.count - 1))
      case .cancelled(let id):
        answer(id, &run)
        run.conduct.cancelled.append(Int(id))
      case .dropped(let tap):
        let isDelivered = run.conduct.deliveries.contains { $0.tap == tap }
        if !run.dropped.insert(tap).inserted || isDelivered { run.fault = "\(run.steps): a tap is dropped twice" }
      }
    }
  }

  private func answer(_ id: UInt64, _ run: inout Run) {
    guard let person = run.waiting.first(where: { $0.value == Int(id) })?.key else {
      run.fault = "\(run.steps): a waiter is answered twice"
      return
    }
    run.waiting[person] = nil
  }
}
