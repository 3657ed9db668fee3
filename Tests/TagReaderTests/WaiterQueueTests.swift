import Testing

@testable import TagReader

/// Every order of taps, waits, cancels, claims and time to a depth, held against a specification that is written from the
/// tap's side: where must this tap go, given all that happened before and after.
struct WaiterQueueTests {
  @Test func `every order of steps gives each tap to whom the specification gives it`() {
    let search = OrderSearch(guards: .all)
    let fault = search.firstFault(depth: 6)
    #expect(fault == nil)
    print("WaiterQueue: \(search.orders) orders of 6 steps")
    #expect(search.orders > 100_000)
  }

  static let guards: [(String, WaiterQueue<Tap>.Guards)] = [
    ("highestClaimFirst", .highestClaimFirst), ("longestWaitingFirst", .longestWaitingFirst),
    ("cancelDeregisters", .cancelDeregisters), ("bufferExpires", .bufferExpires), ("successIsKept", .successIsKept),
    ("staleSuccessYields", .staleSuccessYields), ("takingEmptiesTheBuffer", .takingEmptiesTheBuffer),
    ("endingEmptiesTheBuffer", .endingEmptiesTheBuffer), ("heldClaimKeepsOthersOut", .heldClaimKeepsOthersOut),
    ("cancelBeforeWaitIsRemembered", .cancelBeforeWaitIsRemembered), ("eachTapOnce", .eachTapOnce),
  ]

  @Test(arguments: guards)
  func `without any one of its rules the queue is caught`(_ name: String, _ rule: WaiterQueue<Tap>.Guards) throws {
    let fault = try #require(
      OrderSearch(guards: WaiterQueue<Tap>.Guards.all.subtracting(rule)).firstFault(depth: 5), "\(name) is not needed")
    print("WaiterQueue without \(name): \(fault)")
  }

  @Test func `all rules are taken away once`() {
    let all = Self.guards.reduce(into: WaiterQueue<Tap>.Guards()) { $0.formUnion($1.1) }
    #expect(all == .all)
    #expect(all.rawValue.nonzeroBitCount == Self.guards.count)
  }

  @Test func `a tap waits for less than the buffer's time`() {
    for (age, taken) in [(Duration.milliseconds(1999), true), (.seconds(2), false)] {
      var queue = WaiterQueue<Int>(buffer: .seconds(2)) { _ in true }
      _ = queue.deliver(7, at: .seconds(10))
      let actions = queue.wait(1, claim: .tapLoop, at: .seconds(10) + age)
      switch actions.first {
      case .resume(1, 7): #expect(taken)
      case .dropped(7): #expect(!taken)
      default: Issue.record("\(actions) at age \(age)")
      }
    }
  }

  @Test func `a cancel that comes after the answer is forgotten with its waiter`() {
    var queue = WaiterQueue<Int>(buffer: .seconds(2)) { _ in true }
    _ = queue.wait(1, claim: .tapLoop, at: .zero)
    _ = queue.deliver(7, at: .zero)
    #expect(queue.cancel(1).isEmpty)
    queue.finished(1)
    #expect(queue.wait(1, claim: .tapLoop, at: .zero).isEmpty)
  }
}
