internal import CPCSCLite

/// What a call into libpcsclite answered other than success: a case for each thing that a caller does differently.
package struct PCSCError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Code: Equatable, Sendable {
    /// pcscd does not run, or its socket is not there.
    case noService
    /// pcscd died while it answered.
    case connectionLost
    /// pcscd and the library speak different versions.
    case serviceStopped
    case invalidHandle
    /// polkit refuses, or pcscd has no context left; also once while pcscd dies.
    case refused
    case cancelled
    case timeout
    case noReaders
    case unknownReader
    case readerUnavailable
    case noCard
    case cardRemoved
    /// The card gave no ATR: mute.
    case mute
    case cardReset
    case sharingViolation
    case notTransacted
    case other(UInt32)

    /// Whether the context is dead and a new one must be made.
    package var isServiceGone: Bool {
      switch self {
      case .noService, .connectionLost, .serviceStopped, .invalidHandle: true
      default: false
      }
    }
  }

  package let code: Code
  /// The C function.
  package let call: String

  package init(_ code: Code, call: String) {
    self.code = code
    self.call = call
  }

  package var description: String { "\(call): \(code)" }

  /// The one place where a status becomes an error (values of pcsclite.h).
  static func check(_ status: Int, _ call: String) throws(PCSCError) {
    let number = UInt32(truncatingIfNeeded: status)
    if number == 0 { return }
    throw PCSCError(names[number] ?? .other(number), call: call)
  }

  private static let names: [UInt32: Code] = [
    0x8010_001D: .noService, 0x8010_0013: .connectionLost, 0x8010_001E: .serviceStopped, 0x8010_0003: .invalidHandle,
    0x8010_006A: .refused, 0x8010_0002: .cancelled, 0x8010_000A: .timeout, 0x8010_002E: .noReaders,
    0x8010_0009: .unknownReader, 0x8010_0017: .readerUnavailable, 0x8010_000C: .noCard, 0x8010_0069: .cardRemoved,
    0x8010_0067: .mute, 0x8010_0066: .mute, 0x8010_0068: .cardReset, 0x8010_000B: .sharingViolation,
    0x8010_0016: .notTransacted,
  ]
}
