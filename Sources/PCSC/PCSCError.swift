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

  /// The call, what its answer means and what to do, and the number by which public reports can be found.
  package var description: String { "\(call): \(code.meaning) (\(code.hexadecimal))" }

  /// The one place where a status becomes an error (values of pcsclite.h). A LONG has 64 bits on 64-bit machines and is
  /// negative on others: only its low 32 bits count.
  static func check(_ status: Int, _ call: String) throws(PCSCError) {
    let number = UInt32(truncatingIfNeeded: status)
    if number == 0 { return }
    throw PCSCError(names[number] ?? .other(number), call: call)
  }

  fileprivate static let names: [UInt32: Code] = [
    0x8010_001D: .noService, 0x8010_0013: .connectionLost, 0x8010_001E: .serviceStopped, 0x8010_0003: .invalidHandle,
    0x8010_006A: .refused, 0x8010_0002: .cancelled, 0x8010_000A: .timeout, 0x8010_002E: .noReaders,
    0x8010_0009: .unknownReader, 0x8010_0017: .readerUnavailable, 0x8010_000C: .noCard, 0x8010_0069: .cardRemoved,
    0x8010_0067: .mute, 0x8010_0066: .mute, 0x8010_0068: .cardReset, 0x8010_000B: .sharingViolation,
    0x8010_0016: .notTransacted,
  ]
}

extension PCSCError.Code {
  /// What the status means and what to do.
  var meaning: String {
    switch self {
    case .noService: "pcscd does not run: systemctl enable --now pcscd.socket"
    case .connectionLost: "pcscd died during the call: look at journalctl -u pcscd"
    case .serviceStopped: "pcscd stopped, or its version differs from libpcsclite's: install both from the distribution"
    case .invalidHandle: "the connection to pcscd is dead: connect anew"
    case .refused:
      "pcscd refuses this user or has too many clients: install the polkit rule, run kiosk-agent --diagnose"
    case .cancelled: "cancelled"
    case .timeout: "nothing happened in time"
    case .noReaders: "there is no reader: plug it in, and see that pn533_usb does not hold it"
    case .unknownReader: "the reader is gone: list the readers again"
    case .readerUnavailable: "the reader does not answer: unplug it and plug it in again"
    case .noCard, .cardRemoved: "the tag is gone: tap again and hold"
    case .mute: "the tag does not answer: tap again and hold"
    case .cardReset: "another program reset the tag: connect again"
    case .sharingViolation: "another program holds the tag for itself: close it"
    case .notTransacted: "the reader lost the command: send it again"
    case .other: "an unexpected answer: look the number up in pcsclite.h"
    }
  }

  /// As pcsclite.h writes it; for a meaning that two numbers share, the one that pcsc-lite uses.
  fileprivate var hexadecimal: String {
    let number: UInt32 =
      switch self {
      case .other(let number): number
      case .mute: 0x8010_0067
      default: PCSCError.names.first { $0.value == self }?.key ?? 0
      }
    let digits = String(number, radix: 16, uppercase: true)
    return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
  }
}
