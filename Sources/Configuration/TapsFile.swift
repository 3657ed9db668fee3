package import Foundation
package import Reminders

/// The taps of a replay (DESIGN 4.1): JSON lines, in order.
package struct TapsFile: Equatable, Sendable {
  package struct Tap: Equatable, Sendable {
    package var at: Date
    /// nil: it could not be read, for `unreadable`.
    package var uid: TagUID?
    package var unreadable: String?
  }

  package static let limit = 64 << 20

  package static func parse(_ bytes: [UInt8]) throws(DocumentError) -> [Tap] {
    var taps: [Tap] = []
    var number = 0
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      let text = line.last == 0x0D ? line.dropLast() : line
      if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
      let tap: Tap
      do {
        tap = try parse(line: Array(text))
      } catch {
        throw DocumentError(problems: error.problems.map { "line \(number): \($0)" })
      }
      if let last = taps.last, tap.at < last.at {
        throw DocumentError(problems: ["line \(number): at goes backwards"])
      }
      taps.append(tap)
    }
    return taps
  }

  private static func parse(line: [UInt8]) throws(DocumentError) -> Tap {
    let value: JSON5Value
    do { value = try JSON5Parser.parse(line) } catch { throw DocumentError(problems: [error.problem]) }
    let problems = DocumentReader.Problems()
    let reader = DocumentReader(value, problems: problems, keys: ["at", "uid", "unreadable"])
    let at = reader.required("at").flatMap { InstantFormat.parse($0) }
    let uid = reader.text("uid").flatMap { TagUID(hex: $0) }
    let unreadable = reader.text("unreadable", limit: 40)
    // The line of one tap is the line of the file, which the caller names.
    var wrong = problems.all.map { $0.replacingOccurrences(of: " (line 1)", with: "") }
    if wrong.isEmpty {
      if at == nil { wrong.append("at is no instant with an offset") }
      if reader.has("uid") == reader.has("unreadable") { wrong.append("say either uid or unreadable") }
      if reader.has("uid"), uid == nil { wrong.append("uid must be hex of 4, 7, 8 or 10 bytes") }
    }
    guard wrong.isEmpty, let at else { throw DocumentError(problems: wrong) }
    return Tap(at: at, uid: uid, unreadable: unreadable)
  }
}
