/// Moves a virtual tag in and out of a virtual reader's field and makes the reader fail, through its control socket.
///
/// Every method returns after the reader has taken the command, or throws within 5 s (a tap: 5 s more than it lasts). The
/// commands and their limits are described in VirtualReader.h. Calls block the thread.
package struct VirtualTag: Sendable {
  /// How often a fault strikes from now on.
  package enum Times: Sendable, Equatable {
    case off
    case always
    /// 1 to 1 000 000.
    case times(Int)
  }

  /// When the field changed.
  package struct Moment: Sendable, Equatable {
    /// CLOCK_MONOTONIC, ns.
    package let nanoseconds: Int64

    /// False when pcscd had not yet dealt with the change before this one, after 2 s of waiting for it: the two may be
    /// one to it.
    package let noticed: Bool
  }

  package let socketPath: String

  package init(socketPath: String) { self.socketPath = socketPath }

  /// A tag enters the field, or takes the place of the one that is there.
  /// - Parameters:
  ///   - uid: 0 to 32 bytes.
  ///   - atr: 1 to 33 bytes; by default that of a storage card (NTAG).
  /// - Returns: the moment since which pcscd can see it.
  @discardableResult
  package func enter(uid: [UInt8], atr: [UInt8]? = nil) throws(VirtualTagError) -> Moment {
    try moments("in " + Self.words(uid, atr), count: 1)[0]
  }

  @discardableResult
  package func leave() throws(VirtualTagError) -> Moment { try moments("out", count: 1)[0] }

  /// A whole tap: in, `milliseconds` (0 to 60 000) later out. Returns when the tag is out. The reader keeps the time, so
  /// the tag leaves even if the caller is gone by then.
  @discardableResult
  package func tap(
    uid: [UInt8], atr: [UInt8]? = nil, milliseconds: Int
  ) throws(VirtualTagError) -> (entered: Moment, left: Moment) {
    let both = try moments("tap \(milliseconds) " + Self.words(uid, atr), count: 2, lasting: milliseconds)
    return (both[0], both[1])
  }

  /// Power-ups fail though a tag is present. `.times(n)`: it becomes readable at the power-up after.
  package func mute(_ times: Times) throws(VirtualTagError) { try ask("mute", times) }

  /// Transmits fail with a communication error.
  package func failTransmits(_ times: Times) throws(VirtualTagError) { try ask("comm", times) }

  /// Transmits succeed with only 0 or 1 bytes.
  package func tear(_ times: Times, bytes: Int = 0) throws(VirtualTagError) { try ask("torn", times, "\(bytes)") }

  /// Transmits take longer, 1 to 60 000 ms; nothing interrupts them.
  package func slow(_ times: Times, milliseconds: Int = 1) throws(VirtualTagError) {
    try ask("slow", times, "\(milliseconds)")
  }

  /// Requests for the UID are answered with these 1 to 1024 bytes, the status word included.
  package func answer(_ times: Times, _ bytes: [UInt8] = [0x63, 0x00]) throws(VirtualTagError) {
    try ask("answer", times, Hex.text(bytes))
  }

  /// Requests for the UID are answered with `count` bytes (2 to 65 538), the last two 90 00.
  package func fill(_ times: Times, count: Int = 2) throws(VirtualTagError) { try ask("fill", times, "\(count)") }

  /// Asking for the tag's presence is a communication error.
  package func failStatus(_ on: Bool) throws(VirtualTagError) { _ = try ask("status \(on ? "on" : "off")") }

  /// The reader stays listed but no longer answers its host, as a USB reader with a loose plug.
  package func unavailable(_ on: Bool) throws(VirtualTagError) { _ = try ask("unavailable \(on ? "on" : "off")") }

  /// Ends every fault and takes the tag away.
  package func reset() throws(VirtualTagError) { _ = try ask("reset") }

  /// Any command in its own words, at most 4096 bytes.
  /// - Parameter lasting: how long the command itself takes, ms; the answer's deadline is 5 s later.
  /// - Returns: the answer after `ok`.
  @discardableResult
  package func ask(_ command: String, lasting: Int = 0) throws(VirtualTagError) -> String {
    let answer = try ControlSocket.ask(socketPath, command, within: 5000 + max(0, min(lasting, 60_000)))
    if answer == "ok" { return "" }
    if answer.hasPrefix("ok ") || answer.hasPrefix("ok\n") { return String(answer.dropFirst(3)) }
    if answer.hasPrefix("error: ") { throw .refused(command: command, reason: String(answer.dropFirst(7))) }
    throw .unexpectedAnswer(command: command, answer: answer)
  }

  private func ask(_ command: String, _ times: Times, _ rest: String? = nil) throws(VirtualTagError) {
    switch times {
    case .off: try ask("\(command) off")
    case .always: try ask(([command, "on"] + [rest].compactMap(\.self)).joined(separator: " "))
    case .times(let count): try ask(([command, "\(count)"] + [rest].compactMap(\.self)).joined(separator: " "))
    }
  }

  private func moments(_ command: String, count: Int, lasting: Int = 0) throws(VirtualTagError) -> [Moment] {
    let answer = try ask(command, lasting: lasting)
    let words = answer.split(separator: " ")
    let times = words.prefix(count).compactMap { Int64($0) }
    guard times.count == count else { throw .unexpectedAnswer(command: command, answer: answer) }
    let noticed = words.count == count
    return times.map { Moment(nanoseconds: $0, noticed: noticed) }
  }

  private static func words(_ uid: [UInt8], _ atr: [UInt8]?) -> String {
    ([Hex.text(uid)] + [atr.map(Hex.text)].compactMap(\.self)).joined(separator: " ")
  }
}
