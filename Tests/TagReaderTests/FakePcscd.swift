import Foundation
import PCSC
import Synchronization

/// A pcscd behind a table of functions: readers, tags, counters and faults as a test wants them; waits end at a change, at
/// a cancel, or after 20 ms as if the slice were over.
final class FakePcscd: Sendable {
  struct Reader {
    var tag: [UInt8]?
    var counter: UInt16 = 0
    var isWedged = false
    /// Answers of the next connects and exchanges; then the tag's own.
    var connects: [PCSCError.Code?] = []
    var answers: [[UInt8]] = []
    var exchanges = 0
    /// The exchange does not come back while this holds.
    var isHung = false
  }

  struct State {
    var readers: [String: Reader] = [:]
    var isRunning = true
    var refuses = false
    var nextContext = 1
    var contexts: Set<Int> = []
    /// SCardGetStatusChange does not come back while this holds.
    var isFrozen = false
    /// The time of a wait does not end: the wall clock, by which libpcsclite counts it, was set back.
    var isStretched = false
    /// Cancels that were begun.
    var cancels = 0
    var waits = 0
    /// Waits return at once as if something had changed.
    var spins = false
    var isCancelled: Set<Int> = []
    /// Which reader each open handle belongs to.
    var cards: [Int: String] = [:]
    var establishes = 0
    var mostReadersAsked = 0
  }

  private let condition = NSCondition()
  private let state = Mutex(State())

  /// Changes what the test wants changed and wakes all waits.
  func change<R: Sendable>(_ body: (inout State) -> R) -> R {
    condition.lock()
    defer { condition.unlock() }
    let result = state.withLock { state in body(&state) }
    condition.broadcast()
    return result
  }

  var now: State { state.withLock { $0 } }

  func plug(_ name: String = FakePcscd.name) { change { $0.readers[name] = Reader() } }
  func unplug(_ name: String = FakePcscd.name) { change { $0.readers[name] = nil } }

  func put(_ uid: [UInt8], on name: String = FakePcscd.name) {
    change { state in
      state.readers[name]?.tag = uid
      state.readers[name]?.counter &+= 1
    }
  }

  func lift(_ name: String = FakePcscd.name) {
    change { state in
      state.readers[name]?.tag = nil
      state.readers[name]?.counter &+= 1
    }
  }

  /// In and out again before any look.
  func tapUnseen(_ name: String = FakePcscd.name) { change { $0.readers[name]?.counter &+= 2 } }

  /// Kills it: waits end with a lost connection, contexts are dead, counters begin anew.
  func stop() {
    change { state in
      state.isRunning = false
      state.contexts = []
      state.cards = [:]
      for (name, reader) in state.readers { state.readers[name]?.counter = reader.tag == nil ? 0 : 1 }
    }
  }

  func start() { change { $0.isRunning = true } }

  static let name = "ACS ACR122U PICC Interface 00 00"

  var library: PCSCLibrary {
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
    while true {
      let state = now
      guard state.contexts.contains(context) else {
        throw PCSCError(state.isRunning ? .noService : .connectionLost, call: "SCardGetStatusChange")
      }
      if state.isFrozen {
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
      if state.isStretched {
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
