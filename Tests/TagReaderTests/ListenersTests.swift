import Dispatch
import Glibc
import Linux
import Synchronization
import Testing

@testable import TagReader

/// Who listens may go at any moment, also while it is told.
@Suite(.timeLimit(.minutes(1)))
struct ListenersTests {
  private func summary(_ since: Int) -> ReaderSummary {
    ReaderBoard(settings: ReaderSettings(), now: .seconds(since)).summary(at: .seconds(since))
  }

  @Test func `a listener that is cancelled while it is told holds up nobody`() async {
    let listeners = Listeners()
    let stop = Atomic(false)
    let isTelling = DispatchSemaphore(value: 0)
    let summaries = [summary(1), summary(2)]
    Threads.start(name: "telling") {
      var number = 0
      while !stop.load(ordering: .relaxed) {
        number += 1
        listeners.tell { summaries[number % 2] }
        // Lets the listeners come to rest, so that the next one wakes them.
        for _ in 0..<number % 7 { sched_yield() }
      }
      isTelling.signal()
    }
    for round in 0..<1500 {
      let listening = Task { for await _ in listeners.stream(beginningWith: { summaries[0] }) {} }
      for _ in 0..<round % 9 { await Task.yield() }
      listening.cancel()
      await listening.value
    }
    stop.store(true, ordering: .relaxed)
    #expect(
      await withCheckedContinuation { done in
        Threads.start(name: "wait") { done.resume(returning: isTelling.wait(timeout: .now() + 10) == .success) }
      })
  }

  /// Found by `make kills`: the wall said "Reader is starting" for good, of a reader that was ready.
  @Test func `what changes while a listener comes is told to it, too`() async {
    for _ in 0..<200 {
      let listeners = Listeners()
      let now = Mutex(summary(1))
      let change = Task.detached { [newer = summary(2)] in
        now.withLock { $0 = newer }
        listeners.tell { now.withLock { $0 } }
      }
      var told = listeners.stream {
        let older = now.withLock { $0 }
        // The change comes now, if it is let.
        for _ in 0..<50 { sched_yield() }
        return older
      }.makeAsyncIterator()
      var last = await told.next()
      if last != summary(2) { last = await told.next() }
      #expect(last == summary(2))
      await change.value
    }
  }

  @Test func `a listener gets what holds and then the newest, and nothing twice`() async {
    let listeners = Listeners()
    var told = listeners.stream(beginningWith: { summary(1) }).makeAsyncIterator()
    #expect(await told.next() == summary(1))
    for since in [2, 3, 3, 4] { listeners.tell { summary(since) } }
    #expect(await told.next() == summary(4))
    listeners.tell { summary(4) }
    listeners.tell { summary(5) }
    #expect(await told.next() == summary(5))
  }
}
