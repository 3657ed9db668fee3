internal import CPCSCLite

/// What a reader says of itself, as far as its driver passes it on.
package struct ReaderIdentity: Equatable, Sendable {
  package var vendor: String?
  /// Major and minor number, such as `2.14`.
  package var firmware: String?
  package var serial: String?

  /// Asks without a tag, in a connection that excludes nobody. Blocks for as long as the driver takes.
  package static func of(_ reader: String, in context: PCSCLibrary.Context) throws(PCSCError) -> ReaderIdentity {
    var card = SCARDHANDLE()
    var protocolInUse = DWORD()
    try PCSCError.check(
      unsafe SCardConnect(context, reader, DWORD(SCARD_SHARE_DIRECT), 0, &card, &protocolInUse), "SCardConnect")
    defer { _ = SCardDisconnect(card, DWORD(SCARD_LEAVE_CARD)) }
    var identity = ReaderIdentity()
    identity.vendor = try attribute(kiosk_attribute_vendor, of: card).map(text)
    identity.serial = try attribute(kiosk_attribute_serial, of: card).map(text)
    if let version = try attribute(kiosk_attribute_version, of: card), version.count >= 4 {
      // A DWORD 0xMMmmbbbb, least byte first.
      identity.firmware = "\(version[3]).\(version[2])"
    }
    return identity
  }

  /// nil: the driver does not know it.
  private static func attribute(_ id: DWORD, of card: SCARDHANDLE) throws(PCSCError) -> [UInt8]? {
    var value = [UInt8](repeating: 0, count: 264)
    var count = DWORD(value.count)
    let status = unsafe SCardGetAttrib(card, id, &value, &count)
    // SCARD_E_UNSUPPORTED_FEATURE, and what pcscd makes of a driver's other refusals.
    if [0x8010_001F, 0x8010_0022, 0x8010_0016].contains(UInt32(truncatingIfNeeded: status)) { return nil }
    try PCSCError.check(status, "SCardGetAttrib")
    return count == 0 ? nil : Array(value.prefix(Int(count)))
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
}
