@testable import TagReader

/// DESIGN 5.1 read from the tap's side, over the whole history of steps; shares nothing with the queue.
struct WaiterSpecification {
  private struct Wait {
    let person: Person
    let start: Int
    var claim: Claim { person.claim }
  }

  private let steps: [Step]
  private let times: [Duration]
  private let waits: [Wait]

  init(_ steps: [Step]) {
    self.steps = steps
    var now = Duration.zero
    times = steps.map { step in
      if step == .time { now += Step.pause }
      return now
    }
    waits = steps.enumerated().compactMap { index, step in
      if case .wait(let person) = step { Wait(person: person, start: index) } else { nil }
    }
  }

  func conduct() -> Conduct {
    var conduct = Conduct()
    for (index, step) in steps.enumerated() {
      switch step {
      case .tap(let isSuccess):
        let floor = floor(before: index, conduct)
        let first = live(before: index, conduct).filter { $0.claim == floor }.min { $0.start < $1.start }
        if let first {
          conduct.deliveries.insert(
            .init(tap: Tap(step: index, isSuccess: isSuccess), wait: first.start, at: index))
        }
      case .wait(let person):
        guard person.claim >= floor(before: index, conduct) else { continue }
        let kept = (0..<index).compactMap { tap(at: $0) }.filter { isKept($0, until: index, conduct) }
        if let tap = kept.first { conduct.deliveries.insert(.init(tap: tap, wait: index, at: index)) }
      case .waitCancelled: conduct.cancelled.append(index)
      case .cancel(let person):
        if let wait = live(before: index, conduct).first(where: { $0.person == person }) {
          conduct.cancelled.append(wait.start)
        }
      case .time, .take, .end: break
      }
    }
    return conduct
  }

  private func tap(at step: Int) -> Tap? {
    if case .tap(let isSuccess) = steps[step] { Tap(step: step, isSuccess: isSuccess) } else { nil }
  }

  private func live(before index: Int, _ conduct: Conduct) -> [Wait] {
    waits.filter { wait in
      wait.start < index && !conduct.deliveries.contains { $0.wait == wait.start && $0.at < index }
        && !isCancelled(wait, before: index)
    }
  }

  /// A person waits once at a time, so the next cancel of that person is this wait's.
  private func isCancelled(_ wait: Wait, before index: Int) -> Bool {
    steps[wait.start..<index].contains(.cancel(wait.person))
  }

  private func isHeld(before index: Int) -> Bool {
    steps[..<index].last { $0 == .take || $0 == .end } == .take
  }

  private func floor(before index: Int, _ conduct: Conduct) -> Claim {
    var claims = live(before: index, conduct).map(\.claim)
    if isHeld(before: index) { claims.append(Step.heldClaim) }
    return claims.max() ?? .tapLoop
  }

  /// Whether the tap went to nobody when it came, and is still the one in the buffer, and fresh, when `index` comes.
  private func isKept(_ tap: Tap, until index: Int, _ conduct: Conduct) -> Bool {
    isInPlace(tap, until: index, conduct) && times[index] - times[tap.step] < .seconds(2)
  }

  /// Fresh or not: nothing has taken it out of the buffer before `index`, and nothing kept it from going in.
  private func isInPlace(_ tap: Tap, until index: Int, _ conduct: Conduct) -> Bool {
    if conduct.deliveries.contains(where: { $0.tap == tap && $0.at <= index }) { return false }
    // Kept out by a success that was fresh then.
    for earlier in (0..<tap.step).compactMap({ self.tap(at: $0) }) where earlier.isSuccess && !tap.isSuccess {
      if times[tap.step] - times[earlier.step] < .seconds(2), isInPlace(earlier, until: tap.step, conduct) {
        return false
      }
    }
    for step in tap.step + 1..<max(index + 1, tap.step + 1) {
      if isBoundary(step, conduct) { return false }
      guard step < index, let later = self.tap(at: step) else { continue }
      if conduct.deliveries.contains(where: { $0.tap == later && $0.at == step }) { continue }
      // It went into the buffer as well, unless this one, a fresh success, kept it out.
      let keepsOut = tap.isSuccess && !later.isSuccess && times[step] - times[tap.step] < .seconds(2)
      if !keepsOut { return false }
    }
    return true
  }

  /// Where a claim above the tap loop's begins or ends: held ones by name, others with their waits.
  private func isBoundary(_ step: Int, _ conduct: Conduct) -> Bool {
    switch steps[step] {
    case .take, .end: return true
    case .wait(let person): return isOwnClaim(person, at: step)
    case .cancel(let person):
      return isOwnClaim(person, at: step)
        && live(before: step, conduct).contains { $0.person == person }
    case .tap:
      return conduct.deliveries.contains { delivery in
        guard delivery.at == step, let wait = waits.first(where: { $0.start == delivery.wait }) else { return false }
        return isOwnClaim(wait.person, at: step)
      }
    case .time, .waitCancelled: return false
    }
  }

  private func isOwnClaim(_ person: Person, at step: Int) -> Bool {
    person.claim > .tapLoop && !(person.claim == Step.heldClaim && isHeld(before: step))
  }
}
