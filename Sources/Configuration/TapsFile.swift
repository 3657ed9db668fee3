package import Foundation
package import Reminders

/// The taps of a replay (DESIGN 4.1): JSON lines, in order.
package enum TapsFile {
  /// Either `uid` or `unreadable` is there.
  package struct Tap: Equatable, Sendable {
    package var at: Date
    /// nil: it could not be read, for `unreadable`.
    package var uid: TagUID?
    /// The reason's name, such as `mute`.
    package var unreadable: String?
  }

  /// The largest file, in bytes.
  package static let limit = 64 << 20

  /// The taps of a file; a line without anything is none. Every error names its line.
  package static func parse(_ bytes: [UInt8]) throws(DocumentError) -> [Tap] {
    var taps: [Tap] = []
    var number = 0
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      if line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { continue }
      let tap = try parse(Array(line), line: number)
      if let last = taps.last, tap.at < last.at {
        throw DocumentError(problems: ["at goes backwards (line \(number))"])
      }
      taps.append(tap)
    }
    return taps
  }

  private static func parse(_ bytes: [UInt8], line: Int) throws(DocumentError) -> Tap {
    let value: JSON5Value
    do { value = try JSON5Parser.parse(bytes, firstLine: line) } catch { throw DocumentError(error) }
    let reader = DocumentReader(value, keys: ["at", "uid", "unreadable"])
    var at: Date?
    if let text = reader.required("at") {
      at = InstantFormat.parse(text)
      if at == nil { reader.report("at", "is no instant with an offset: say 2026-11-02T08:01:00-08:00") }
    }
    var uid: TagUID?
    if let text = reader.text("uid") {
      uid = TagUID(hex: text)
      if uid == nil { reader.report("uid", "must be hex of 4, 7, 8 or 10 bytes") }
    }
    let unreadable = reader.text("unreadable", limit: 40)
    if reader.has("uid") == reader.has("unreadable") {
      reader.report("uid", reader.has("uid") ? "stands beside unreadable: a tap has one" : "or unreadable is missing")
    }
    guard reader.problems.all.isEmpty, let at else { throw DocumentError(problems: reader.problems.all) }
    return Tap(at: at, uid: uid, unreadable: unreadable)
  }
}
