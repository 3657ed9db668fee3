internal import Configuration
internal import Foundation

/// What the reader of TAPS files promises.
enum TapsPromises {
  static func check(_ bytes: [UInt8]) throws(BrokenPromise) {
    let taps: [TapsFile.Tap]
    do throws(DocumentError) { taps = try TapsFile.parse(bytes) } catch {
      try DocumentPromises.check(error)
      return
    }
    for tap in taps {
      try expect((tap.uid == nil) != (tap.unreadable == nil), "a tap that is both read and unreadable, or neither")
      try expect(tap.at.timeIntervalSince1970.isFinite, "a tap at no instant")
    }
    try expect(zip(taps, taps.dropFirst()).allSatisfy { $0.at <= $1.at }, "taps go backwards")
    try expect(taps.count <= bytes.count(where: { $0 == 0x0A }) + 1, "more taps than lines")
  }
}
