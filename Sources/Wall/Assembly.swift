package import Foundation

extension WallInput {
  /// How many rows of a list go out; the rest is a number. Keeps a snapshot small whatever a household is.
  private static let mostRows = 12

  /// - Parameter v: the snapshot's number in this run.
  package func snapshot(v: Int) -> Snapshot {
    let words = Words.of(language)
    let times = LocalTimes(zone: zone, words: words)
    return Snapshot(
      agent: agent, boot: boot, v: v, now: InstantText.text(now, in: zone), timeZone: zone.identifier,
      clock: .init(
        trusted: clockTrusted, text: clockTrusted ? times.time(now) : "--:--",
        dateText: clockTrusted ? times.date(now) : ""),
      reader: .init(
        state: reader.state, name: reader.name.map(TapTextWriter.bounded),
        since: reader.since.map { InstantText.text($0, in: zone) }, message: readerMessage(words)),
      overlay: overlay.map { shown in
        .init(
          kind: shown.kind.rawValue, headline: shown.texts.headline, detail: shown.texts.detail,
          style: shown.texts.style.rawValue, until: InstantText.text(shown.until, in: zone))
      }, late: late.prefix(Self.mostRows).map { lateRow($0, words, times) },
      missed: ended.prefix(Self.mostRows).map { missedRow($0, words, times) }, banners: banners(words),
      rail: .init(cards: [], more: 0), arrivals: [], period: nil, agenda: [], sources: [], mode: "day",
      texts: PageTexts(
        language: words.language, lateHeading: words.lateHeading, missedHeading: words.missedHeading, more: words.more,
        connectionLost: words.connectionLost, restarting: words.restarting))
  }

  /// The earliest instant after `now` at which a text changes by the passing of time alone.
  package var nextTextChange: Date {
    let times = LocalTimes(zone: zone, words: Words.of(language))
    let minutes = late.map { dose in
      // A lateness changes at whole minutes after due, which need not be those of the clock.
      dose.dueAt + ((now.timeIntervalSince(dose.dueAt) / 60).rounded(.down) + 1) * 60
    }
    return min(times.nextMinute(after: now), minutes.min() ?? .distantFuture)
  }

  private func lateRow(_ dose: Dose, _ words: Words, _ times: LocalTimes) -> Snapshot.Late {
    let minutes = max(0, Int((now.timeIntervalSince(dose.dueAt) / 60).rounded(.down)))
    return Snapshot.Late(
      person: TapTextWriter.bounded(dose.person), medication: TapTextWriter.bounded(dose.medication),
      dose: dose.dose.map(TapTextWriter.bounded), dueAt: InstantText.text(dose.dueAt, in: zone), minutesLate: minutes,
      text: "\(words.due(times.time(dose.dueAt, from: now))) · \(words.lateBy(minutes / 60, minutes % 60))")
  }

  private func missedRow(_ ended: Ended, _ words: Words, _ times: LocalTimes) -> Snapshot.Missed {
    let due = times.time(ended.dose.dueAt, from: now)
    return Snapshot.Missed(
      person: TapTextWriter.bounded(ended.dose.person), medication: TapTextWriter.bounded(ended.dose.medication),
      dose: ended.dose.dose.map(TapTextWriter.bounded), dueAt: InstantText.text(ended.dose.dueAt, in: zone),
      closedAt: InstantText.text(ended.closedAt, in: zone), state: ended.isMissed ? "missed" : "unknown",
      text: ended.isMissed ? words.missed(due) : words.notKnown(due))
  }

  private func readerMessage(_ words: Words) -> String {
    if reader.tagLying { return words.tagLying }
    return words.readerStates[reader.state] ?? reader.state
  }

  /// What stops recording comes first, then what the household should know.
  private func banners(_ words: Words) -> [Snapshot.Banner] {
    var banners: [Snapshot.Banner] = []
    if ledgerFails { banners.append(.init(id: "ledger", text: words.ledgerBanner)) }
    let readerFault = reader.fault ?? (reader.isRefused ? "refused" : reader.state)
    if let text = words.readerBanners[readerFault] { banners.append(.init(id: "reader", text: text)) }
    if reader.tagLying { banners.append(.init(id: "tag", text: words.tagLying)) }
    if !clockTrusted { banners.append(.init(id: "clock", text: words.clockWrong)) }
    if let speakerFault { banners.append(.init(id: "sound", text: words.soundBanner(speakerFault))) }
    if configurationFellBack { banners.append(.init(id: "configuration", text: words.configurationBanner)) }
    return banners
  }
}

/// Instants of the snapshot: `2026-11-01T01:30:00-07:00` (DESIGN 4.1).
package enum InstantText {
  /// Whole seconds rounded down, a numeric offset, never Z.
  package static func text(_ instant: Date, in zone: TimeZone) -> String {
    let seconds = instant.timeIntervalSince1970.rounded(.down)
    let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds))
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let local = calendar.dateComponents(
      [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: seconds + Double(offset)))
    return String(
      format: "%04d-%02d-%02dT%02d:%02d:%02d%@%02d:%02d", local.year ?? 0, local.month ?? 0, local.day ?? 0,
      local.hour ?? 0, local.minute ?? 0, local.second ?? 0, offset < 0 ? "-" : "+", abs(offset) / 3600,
      abs(offset) / 60 % 60)
  }
}
