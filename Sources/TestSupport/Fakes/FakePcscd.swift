internal import Foundation
internal import Linux
package import PCSC
internal import Synchronization

/// A pcscd behind a table of functions: readers, tags, counters and faults as a test wants them. Waits end at a change, at a
/// cancel, or when their time is over: after 20 ms whatever it was, or on the test's clock.
package final class FakePcscd: Sendable {
  package struct Reader: Sendable {
    package var tag: [UInt8]?
    package var counter: UInt16 = 0
    package var isWedged = false
    /// Answers of the next connects and exchanges; then the tag's own.
    package var connects: [PCSCError.Code?] = []
    package var answers: [[UInt8]] = []
    package var exchanges = 0
    /// The exchange does not come back while this holds.
    package var isHung = false
  }

  package struct State: Sendable {
    package var readers: [String: Reader] = [:]
    package var isRunning = true
    package var refuses = false
    package var nextContext = 1
    package var contexts: Set<Int> = []
    /// SCardGetStatusChange does not come back while this holds.
    package var isFrozen = false
    /// The time of a wait does not end: the wall clock, by which libpcsclite counts it, was set back.
    package var isStretched = false
    /// A wait has seen that it is frozen or stretched, and is in it for as long as that holds.
    package var hasCaughtWait = false
    /// Cancels that were begun.
    package var cancels = 0
    package var waits = 0
    /// The uptime at which the wait of the monitor is over; nil: none is under way. Only on the test's clock.
    package var waitsUntil: Duration?
    /// Waits return at once as if something had changed.
    package var spins = false
    package var isCancelled: Set<Int> = []
    /// Which reader each open handle belongs to.
    package var cards: [Int: String] = [:]
    package var establishes = 0
    /// When the last one was refused, or nobody was there; nil: it was not so, or there is no test's clock.
    package var askedInVainAt: Duration?
    package var mostReadersAsked = 0
  }

  private let condition = NSCondition()
  private let state = Mutex(State())
  private let time: ManualTime?

  /// - Parameter time: the clock of its waits, which then need `timePassed`; nil: they last 20 ms of the machine's time.
  package init(time: ManualTime? = nil) { self.time = time }

  /// To be told after the clock was moved.
  package func timePassed() { change { _ in } }

  /// Changes what the test wants changed and wakes all waits.
  package func change<R: Sendable>(_ body: (inout State) -> R) -> R {
    condition.lock()
    defer { condition.unlock() }
    let result = state.withLock { state in
      // Whoever waits has to look first.
      state.waitsUntil = nil
      state.hasCaughtWait = false
      return body(&state)
    }
    condition.broadcast()
    return result
  }

  package var now: State { state.withLock { $0 } }

  package func plug(_ name: String = FakePcscd.name) { change { $0.readers[name] = Reader() } }
  package func unplug(_ name: String = FakePcscd.name) { change { $0.readers[name] = nil } }

  package func put(_ uid: [UInt8], on name: String = FakePcscd.name) {
    change { state in
      state.readers[name]?.tag = uid
      state.readers[name]?.counter &+= 1
    }
  }

  package func lift(_ name: String = FakePcscd.name) {
    change { state in
      state.readers[name]?.tag = nil
      state.readers[name]?.counter &+= 1
    }
  }

  /// In and out again before any look.
  package func tapUnseen(_ name: String = FakePcscd.name) { change { $0.readers[name]?.counter &+= 2 } }

  /// Kills it: waits end with a lost connection, contexts are dead, counters begin anew.
  package func stop() {
    change { state in
      state.isRunning = false
      state.contexts = []
      state.cards = [:]
      for (name, reader) in state.readers { state.readers[name]?.counter = reader.tag == nil ? 0 : 1 }
    }
  }

  package func start() { change { $0.isRunning = true } }

  package static let name = "ACS ACR122U PICC Interface 00 00"

  package var library: PCSCLibrary {
    PCSCLibrary(
      establish: { () throws(PCSCError) in try self.establish() },
      release: { context in self.change { _ = $0.contexts.remove(context) } },
      listReaders: { context throws(PCSCError) in
        try self.alive(context, "SCardListReaders").readers.keys.sorted()
      },
      statusChange: { context, milliseconds, asked throws(PCSCError) in
        try self.statusChange(context, milliseconds, asked)
      },
      cancel: { self.cancel($0) },
      connect: { context, name throws(PCSCError) in try self.connect(context, name) },
      reconnect: { card, _ throws(PCSCError) in card },
      transmit: { card, _ throws(PCSCError) in try self.transmit(card) },
      disconnect: { card in self.change { $0.cards[card.number] = nil } })
  }

  private func establish() throws(PCSCError) -> Int {
    let context: Result<Int, PCSCError> = change { state in
      state.establishes += 1
      state.askedInVainAt = state.refuses || !state.isRunning ? time?.uptime() : nil
      if state.refuses { return .failure(PCSCError(.refused, call: "SCardEstablishContext")) }
      guard state.isRunning else { return .failure(PCSCError(.noService, call: "SCardEstablishContext")) }
      state.nextContext += 1
      state.contexts.insert(state.nextContext)
      return .success(state.nextContext)
    }
    return try context.get()
  }

  private func alive(_ context: Int, _ call: String) throws(PCSCError) -> State {
    let state = now
    guard state.contexts.contains(context) else { throw PCSCError(.noService, call: call) }
    return state
  }

  /// Ends the wait that is under way, and is forgotten when there is none. A frozen pcscd does not answer it.
  private func cancel(_ context: Int) {
    change { state in
      state.cancels += 1
      state.isCancelled.insert(context)
    }
    condition.lock()
    while now.isFrozen { condition.wait() }
    condition.unlock()
  }

  private func statusChange(_ context: Int, _ milliseconds: Int, _ asked: [ReaderStatus]) throws(PCSCError)
    -> [ReaderStatus]
  {
    condition.lock()
    defer { condition.unlock() }
    state.withLock { state in
      state.waits += 1
      state.isCancelled.remove(context)
      state.mostReadersAsked = max(state.mostReadersAsked, asked.count)
    }
    let end = Date(timeIntervalSinceNow: milliseconds == 0 ? 0 : 0.02)
    let deadline = time.map { $0.uptime() + .milliseconds(milliseconds) }
    defer { if milliseconds > 0 { state.withLock { $0.waitsUntil = nil } } }
    while true {
      let state = now
      guard state.contexts.contains(context) else {
        throw PCSCError(state.isRunning ? .noService : .connectionLost, call: "SCardGetStatusChange")
      }
      if state.isFrozen {
        self.state.withLock { $0.hasCaughtWait = true }
        condition.wait()
        continue
      }
      if state.isCancelled.contains(context) { throw PCSCError(.cancelled, call: "SCardGetStatusChange") }
      var answers = asked
      for index in asked.indices where asked[index].name != ReaderStatus.hotplug {
        guard let reader = state.readers[asked[index].name] else {
          throw PCSCError(.unknownReader, call: "SCardGetStatusChange")
        }
        let flags = reader.tag == nil ? ReaderStatus.empty : ReaderStatus.present
        answers[index].event =
          reader.isWedged ? ReaderStatus.unavailable : flags | UInt(reader.counter) << 16
      }
      // The counter is compared only when the old one was not 0, as pcscd does it.
      let isChanged = zip(asked, answers).contains { asked, answer in
        let old = asked.known >> 16
        let difference = asked.known ^ answer.event
        return asked.name != ReaderStatus.hotplug
          && (asked.known == 0 || difference & 0xFFFF != 0 || (old != 0 && difference >> 16 != 0))
      }
      if isChanged || state.spins {
        for index in answers.indices { answers[index].event |= ReaderStatus.changed }
        return answers
      }
      if let time, let deadline {
        if time.uptime() >= deadline { return answers }
        self.state.withLock { $0.waitsUntil = deadline }
        condition.wait()
      } else if state.isStretched {
        self.state.withLock { $0.hasCaughtWait = true }
        condition.wait()
      } else if !condition.wait(until: end) {
        return answers
      }
    }
  }

  private func connect(_ context: Int, _ name: String) throws(PCSCError) -> CardHandle {
    let state = try alive(context, "SCardConnect")
    guard let reader = state.readers[name] else { throw PCSCError(.unknownReader, call: "SCardConnect") }
    if reader.isWedged { throw PCSCError(.readerUnavailable, call: "SCardConnect") }
    if reader.tag == nil { throw PCSCError(.noCard, call: "SCardConnect") }
    let code: PCSCError.Code? = change { state in
      guard let connects = state.readers[name]?.connects, !connects.isEmpty else { return nil }
      return state.readers[name]?.connects.removeFirst() ?? nil
    }
    if let code { throw PCSCError(code, call: "SCardConnect") }
    let number = change { state in
      state.nextContext += 1
      state.cards[state.nextContext] = name
      return state.nextContext
    }
    return CardHandle(number: number, usesT0: false)
  }

  private func transmit(_ card: CardHandle) throws(PCSCError) -> [UInt8] {
    let answer: [UInt8]?? = change { state in
      guard let name = state.cards[card.number] else { return .none }
      state.readers[name]?.exchanges += 1
      if let answers = state.readers[name]?.answers, !answers.isEmpty {
        return state.readers[name]?.answers.removeFirst()
      }
      return .some(state.readers[name]?.tag.map { $0 + [0x90, 0x00] })
    }
    condition.lock()
    while now.cards[card.number].flatMap({ now.readers[$0]?.isHung }) == true { condition.wait() }
    condition.unlock()
    guard now.cards[card.number] != nil, let answer else { throw PCSCError(.noService, call: "SCardTransmit") }
    guard let answer else { throw PCSCError(.cardRemoved, call: "SCardTransmit") }
    return answer
  }
}
