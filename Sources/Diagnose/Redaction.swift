internal import Foundation

/// What may leave the machine in a report. Nothing here is a list of secrets: what comes from outside passes only in the
/// shapes that are known to be harmless.
package enum Redaction {
  /// The end of a UID, which is all of it that a report may hold.
  package static func uid(_ bytes: [UInt8]) -> String {
    "…" + bytes.suffix(2).map { String(format: "%02X", $0) }.joined()
  }

  /// A line of somebody else's log or of a crash: long runs of hex (UIDs, keys), what stands behind a word for a secret,
  /// and all of an address but its host go.
  package static func line(_ text: String) -> String {
    var line = clean(text)
    line = line.replacing(#/(https?|webcal):\/\/([^\/\s?#@]*@)?([^\/\s?#:]+)[^\s]*/#) { "\($0.1)://\($0.3)/…" }
    line = line.replacing(#/(?i)\b(authorization|bearer)\b.*/#) { "\($0.1)=…" }
    line = line.replacing(
      #/(?i)([\w\-]*(?:key|token|secret|password|passphrase|psk))\b["']?\s*[=:]?\s*("[^"]*"|\S+)/#
    ) { "\($0.1)=…" }
    line = line.replacing(#/\b[0-9A-Fa-f]{2}([ :\-]?[0-9A-Fa-f]{2}){3,}\b/#) { match in "…\(match.0.suffix(4))" }
    line = line.replacing(#/[A-Za-z0-9_\-+\/=]{24,}/#) { match in
      match.0.contains("/") ? String(match.0) : "…\(match.0.suffix(4))"
    }
    return String(line.prefix(300))
  }

  /// A problem of a configuration file: names of keys stay, quoted values go. A value in the wrong place may be a secret,
  /// even in that of a key; no key of ours is long and has a digit.
  package static func problem(_ text: String) -> String {
    clean(text).replacing(#/"[^"]*"/#, with: { _ in "\"…\"" })
      .replacing(#/[A-Za-z0-9_\-]{12,}/#) { $0.0.contains(where: \.isNumber) ? "…" : String($0.0) }
  }

  /// A sentence of ours, "what is wrong: what to do", in its two halves.
  package static func sentence(_ text: String) -> (means: String, remedy: String) {
    guard let colon = text.ranges(of: ": ").last else { return (text, "Look at it again later.") }
    let remedy = text[colon.upperBound...]
    return (text[..<colon.lowerBound] + ".", remedy.prefix(1).uppercased() + remedy.dropFirst() + ".")
  }

  /// Text on one line without what would move a terminal's cursor or turn its letters around.
  package static func clean(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: " "
          default: scalar
          }
        }))
  }
}
