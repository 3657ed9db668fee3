internal import CPCSCLite

/// A card that is connected to.
package struct CardHandle: Equatable, Sendable {
  package let number: Int
  package let usesT0: Bool

  package init(number: Int, usesT0: Bool) {
    self.number = number
    self.usesT0 = usesT0
  }
}

/// libpcsclite as a table: the functions that are used, typed. Tests put another table in its place.
///
/// Calls on one context never overlap (a second one would wait for the first), except `cancel`.
package struct PCSCLibrary: Sendable {
  package typealias Context = Int

  package var establish: @Sendable () throws(PCSCError) -> Context
  package var release: @Sendable (Context) -> Void
  package var listReaders: @Sendable (Context) throws(PCSCError) -> [String]
  /// Waits at most so many milliseconds for a state other than the known one, and answers what pcscd says then, after a
  /// time-out too: a counter may have moved that pcscd does not compare. The time is pcscd's to keep: a frozen pcscd keeps
  /// none.
  package var statusChange: @Sendable (Context, Int, [ReaderStatus]) throws(PCSCError) -> [ReaderStatus]
  package var cancel: @Sendable (Context) -> Void
  package var connect: @Sendable (Context, String) throws(PCSCError) -> CardHandle
  package var reconnect: @Sendable (CardHandle, _ reset: Bool) throws(PCSCError) -> CardHandle
  package var transmit: @Sendable (CardHandle, [UInt8]) throws(PCSCError) -> [UInt8]
  /// Leaves the card powered as it is.
  package var disconnect: @Sendable (CardHandle) -> Void

  package init(
    establish: @escaping @Sendable () throws(PCSCError) -> Context, release: @escaping @Sendable (Context) -> Void,
    listReaders: @escaping @Sendable (Context) throws(PCSCError) -> [String],
    statusChange: @escaping @Sendable (Context, Int, [ReaderStatus]) throws(PCSCError) -> [ReaderStatus],
    cancel: @escaping @Sendable (Context) -> Void,
    connect: @escaping @Sendable (Context, String) throws(PCSCError) -> CardHandle,
    reconnect: @escaping @Sendable (CardHandle, Bool) throws(PCSCError) -> CardHandle,
    transmit: @escaping @Sendable (CardHandle, [UInt8]) throws(PCSCError) -> [UInt8],
    disconnect: @escaping @Sendable (CardHandle) -> Void
  ) {
    self.establish = establish
    self.release = release
    self.listReaders = listReaders
    self.statusChange = statusChange
    self.cancel = cancel
    self.connect = connect
    self.reconnect = reconnect
    self.transmit = transmit
    self.disconnect = disconnect
  }

  /// How many readers one wait can watch: PCSCLITE_MAX_READERS_CONTEXTS, the pseudo reader for hotplug among them.
  package static let watchLimit = 16

  /// The version of pcsc-lite that this was built with, such as 1.9.9.
  package static let version = PCSCLITE_VERSION_NUMBER
}

extension PCSCLibrary {
  /// The real library.
  package static let system = PCSCLibrary(
    establish: { () throws(PCSCError) -> Context in
      var context = SCARDCONTEXT()
      try PCSCError.check(
        unsafe SCardEstablishContext(DWORD(SCARD_SCOPE_SYSTEM), nil, nil, &context), "SCardEstablishContext")
      return context
    },
    release: { _ = SCardReleaseContext($0) },
    listReaders: { context throws(PCSCError) -> [String] in
      // One call with a buffer that holds more readers than pcscd allows: the list may grow between two calls.
      var buffer = [CChar](repeating: 0, count: 8192)
      var count = DWORD(buffer.count)
      do throws(PCSCError) {
        try PCSCError.check(unsafe SCardListReaders(context, nil, &buffer, &count), "SCardListReaders")
      } catch  where error.code == .noReaders {
        return []
      }
      return buffer.prefix(Int(count)).split(separator: 0).map { name in
        String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      }
    },
    statusChange: { context, milliseconds, readers throws(PCSCError) -> [ReaderStatus] in
      let names = ReaderNames(readers.map(\.name))
      var states = unsafe names.states(readers)
      do throws(PCSCError) {
        try PCSCError.check(
          unsafe SCardGetStatusChange(context, DWORD(milliseconds), &states, DWORD(states.count)),
          "SCardGetStatusChange")
      } catch  where error.code == .timeout {}
      return unsafe zip(readers, states).map { reader, state in
        unsafe ReaderStatus(name: reader.name, known: reader.known, event: UInt(state.dwEventState))
      }
    },
    cancel: { _ = SCardCancel($0) },
    connect: { context, reader throws(PCSCError) -> CardHandle in
      var card = SCARDHANDLE()
      var protocolInUse = DWORD()
      try PCSCError.check(
        unsafe SCardConnect(
          context, reader, DWORD(SCARD_SHARE_SHARED), DWORD(SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1), &card,
          &protocolInUse), "SCardConnect")
      return CardHandle(number: card, usesT0: protocolInUse == DWORD(SCARD_PROTOCOL_T0))
    },
    reconnect: { card, reset throws(PCSCError) -> CardHandle in
      var protocolInUse = DWORD()
      try PCSCError.check(
        unsafe SCardReconnect(
          card.number, DWORD(SCARD_SHARE_SHARED), DWORD(SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1),
          DWORD(reset ? SCARD_RESET_CARD : SCARD_LEAVE_CARD), &protocolInUse), "SCardReconnect")
      return CardHandle(number: card.number, usesT0: protocolInUse == DWORD(SCARD_PROTOCOL_T0))
    },
    transmit: { card, command throws(PCSCError) -> [UInt8] in
      // As long as any answer can be: an extended one has 65,538 bytes.
      var answer = [UInt8](repeating: 0, count: 65_544)
      var count = DWORD(answer.count)
      try PCSCError.check(
        unsafe SCardTransmit(
          card.number, kiosk_pci(DWORD(card.usesT0 ? SCARD_PROTOCOL_T0 : SCARD_PROTOCOL_T1)), command,
          DWORD(command.count), nil, &answer, &count), "SCardTransmit")
      return Array(answer.prefix(Int(count)))
    },
    disconnect: { _ = SCardDisconnect($0.number, DWORD(SCARD_LEAVE_CARD)) })
}

/// C copies of reader names that live as long as this object.
@safe
private final class ReaderNames {
  private let pointers: [UnsafeMutablePointer<CChar>]

  init(_ names: [String]) {
    unsafe pointers = names.map { name in
      let bytes = Array(name.utf8CString)
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
      unsafe copy.initialize(from: bytes, count: bytes.count)
      return unsafe copy
    }
  }

  deinit {
    for index in unsafe pointers.indices { unsafe pointers[index].deallocate() }
  }

  func states(_ readers: [ReaderStatus]) -> [SCARD_READERSTATE] {
    unsafe zip(readers, pointers).map { reader, pointer in
      var state = unsafe SCARD_READERSTATE()
      unsafe state.szReader = UnsafePointer(pointer)
      unsafe state.dwCurrentState = DWORD(reader.known)
      return unsafe state
    }
  }
}
