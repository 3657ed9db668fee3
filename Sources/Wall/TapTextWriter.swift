package import Foundation

/// Puts the facts of a tap into words. States facts and never advises taking or skipping (DESIGN 5.2).
package struct TapTextWriter: Sendable {
  private let words: Words
  private let zone: TimeZone

  /// What a wall can be set to.
  package static let languages = ["en", "de"]

  /// How many of a tag's doses are named before the rest is a number.
  private static let mostParts = 8

  /// - Parameters:
  ///   - language: one of `languages`.
  ///   - zone: the wall's.
  package init(language: String, zone: TimeZone) {
    words = Words.of(language)
    self.zone = zone
  }

  /// What the wall says about a tap. For `ignored` only when the answer before it is too old to be shown again.
  package func texts(_ facts: TapFacts) -> TapTexts {
    let person = Self.bounded(facts.person ?? "")
    switch facts.outcome {
    case .taken: return taken(facts, person)
    case .alreadyTaken:
      return TapTexts(headline: words.alreadyTaken(person), detail: lastAndNext(facts), style: .warn)
    case .wrongWindow:
      func named(_ dose: TapFacts.Dose) -> String {
        "\(Self.bounded(dose.medication)) \(times.named(dose.dueAt, from: facts.at))"
      }
      let missed = facts.missed.map(named)
      let notKnown = facts.notKnown.map(named)
      let parts =
        [facts.nextFrom.map { words.nextFrom(times.time($0, from: facts.at)) } ?? words.nothingNext]
        + (missed.isEmpty ? [] : [words.wasMissed(listed(missed, separator: ", ", most: 3))])
        + (notKnown.isEmpty ? [] : [words.notKnown(listed(notKnown, separator: ", ", most: 3))])
      return TapTexts(headline: words.wrongWindow(person), detail: parts.joined(separator: "; "), style: .warn)
    case .unknownTag:
      return facts.isRandomUID
        ? TapTexts(headline: words.randomTag, detail: words.randomTagDetail, style: .bad)
        : TapTexts(
          headline: words.unknownTag, detail: words.unknownTagDetail(Self.bounded(facts.uid ?? "")), style: .bad)
    case .unreadable:
      let reason = facts.unreadable.flatMap { words.unreadableReasons[$0] } ?? words.unreadableOtherwise
      return TapTexts(headline: words.unreadable, detail: "\(reason): \(words.tapAgain)", style: .bad)
    case .notRecorded:
      return TapTexts(
        headline: words.notRecorded,
        detail: words.notRecordedDetail(facts.cause.flatMap { words.causes[$0] } ?? words.ledgerBanner), style: .bad)
    case .pendingTime: return TapTexts(headline: words.pending(person), detail: words.pendingDetail, style: .good)
    case .ignored: return TapTexts(headline: words.stillThere, detail: words.stillThereDetail, style: .warn)
    }
  }

  /// The answer to a tap in a technician's test, which counts for nothing.
  /// - Parameters:
  ///   - milliseconds: from presence to UID.
  ///   - reason: why it could not be read; nil: it was.
  package func test(milliseconds: Int, unreadable reason: String?) -> TapTexts {
    let detail = reason.map { words.unreadableReasons[$0] ?? words.unreadableOtherwise } ?? words.testRead(milliseconds)
    return TapTexts(headline: words.testHeadline, detail: detail, style: .warn)
  }

  /// Names what was credited and what was not and why; amber when any was already taken or too soon.
  private func taken(_ facts: TapFacts, _ person: String) -> TapTexts {
    var parts = facts.credited.map { dose in
      let amount = dose.dose.map { ", " + Self.bounded($0) } ?? ""
      return "\(Self.bounded(dose.medication))\(amount) (\(words.due(times.named(dose.dueAt, from: facts.at))))"
    }
    parts += facts.refused.map { refused in
      let name = Self.bounded(refused.medication)
      let at = refused.at.map { times.time($0, from: facts.at) }
      return switch refused.reason {
      case .alreadyTaken: words.refusedTaken(name, at ?? "")
      case .tooSoon: words.refusedTooSoon(name, at ?? "")
      case .notDue: words.refusedNotDue(name, at)
      }
    }
    let paused = facts.isPaused ? [words.paused] : []
    let isMixed = facts.refused.contains { $0.reason != .notDue }
    return TapTexts(
      headline: words.taken(person),
      detail: (paused + [listed(parts, separator: "; ", most: Self.mostParts)]).joined(separator: "; "),
      style: isMixed ? .warn : .good)
  }

  private func lastAndNext(_ facts: TapFacts) -> String {
    [
      facts.lastTakenAt.map { words.lastTaken(times.time($0, from: facts.at)) },
      facts.nextFrom.map { words.nextFrom(times.time($0, from: facts.at)) },
      facts.isPaused ? words.paused : nil,
    ].compactMap { $0 }.joined(separator: "; ")
  }

  private var times: LocalTimes { LocalTimes(zone: zone, words: words) }

  private func listed(_ parts: [String], separator: String, most: Int) -> String {
    let more = parts.count > most ? ["+\(parts.count - most) \(words.more)"] : []
    return (parts.prefix(most) + more).joined(separator: separator)
  }

  /// Names are data: at most 60 characters and 120 bytes of one reach a page, and no control character.
  static func bounded(_ name: String) -> String { bounded(name, characters: 60, bytes: 120) }

  /// Whether a name, or a dose, is shown whole.
  package static func isShownWhole(_ name: String) -> Bool { bounded(name) == name }

  /// The beginning of a text that is data, and "…" where it goes on; control characters become spaces.
  static func bounded(_ name: String, characters: Int, bytes: Int) -> String {
    var result = ""
    // More scalars than bytes are shown: the rest need not be looked at, however long it is.
    for (count, character) in String(name.unicodeScalars.prefix(bytes + 8)).enumerated() {
      let scalars = character.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
      let clean = String(String.UnicodeScalarView(scalars))
      guard count < characters, result.utf8.count + clean.utf8.count <= bytes - 3 else { return result + "…" }
      result += clean
    }
    return result
  }
}
