package import Foundation

extension WallInput {
  /// What a snapshot may weigh is 16 KiB; names, banners and overlay are bounded and leave this for the rows.
  private static let rowBytes = 9000

  /// Everything the wall shows now. Rows that do not fit are counted in a banner: the oldest ones go out.
  ///
  /// - Parameter v: the snapshot's number in this run.
  package func snapshot(v: Int) -> Snapshot {
    let words = Words.of(language)
    let times = LocalTimes(zone: zone, words: words)
    var room = Self.rowBytes
    let rail = railShown(words)
    room -= rail.cards.reduce(0) { $0 + $1.weight }
    let lateRows = Self.rows(of: late, in: &room) { lateRow($0, words, times) }
    let missedRows = Self.rows(of: ended, in: &room) { missedRow($0, words, times) }
    let school = clockTrusted ? period : nil
    let schoolWriter = periodWriter(words)
    var shownPeriod = school.map(schoolWriter.period)
    shownPeriod?.keep(&room, isBounded: isForPage)
    let menu = school.flatMap(schoolWriter.entry).flatMap { entry -> Snapshot.AgendaEntry? in
      room -= entry.weight
      return room >= 0 || !isForPage ? entry : nil
    }
    let agendaRows = agendaShown(words, in: &room)
    let arrivalRows = arrivalRows(in: &room)
    let sourceWriter = SourceWriter(now: now, zone: zone, words: words, names: names)
    let hidden = late.count - lateRows.count + ended.count - missedRows.count
    return Snapshot(
      agent: agent, boot: boot, v: v, now: InstantText.text(now, in: zone), timeZone: zoneName ?? zone.identifier,
      clock: .init(
        trusted: clockTrusted, text: clockTrusted ? times.time(now) : "--:--",
        dateText: clockTrusted ? times.date(now) : ""),
      reader: .init(
        state: reader.state, name: reader.name.map(TapTextWriter.bounded),
        since: reader.since.map { InstantText.text($0, in: zone) }, message: readerMessage(words)),
      overlay: overlay.map { $0.overlay(in: zone) }, late: lateRows, missed: missedRows,
      banners: banners(words, times, hiddenRows: hidden), rail: rail,
      arrivals: arrivalRows, period: shownPeriod, agenda: (menu.map { [$0] } ?? []) + agendaRows,
      sources: sources.map(sourceWriter.row),
      mode: clockTrusted && night.holds(now, in: zone) ? "night" : "day",
      texts: PageTexts(
        language: words.language, lateHeading: words.lateHeading, missedHeading: words.missedHeading, more: words.more,
        connectionLost: words.connectionLost, restarting: words.restarting, updated: words.updated))
  }

  private func arrivalRows(in room: inout Int) -> [Snapshot.Arrival] {
    var rows: [Snapshot.Arrival] = []
    for arrival in arrivals {
      let row = arrival.row(in: zone)
      room -= row.weight
      if room < 0, isForPage { break }
      rows.append(row)
    }
    return rows
  }

  /// The first rows, as many as there is room for.
  private static func rows<Item, Row: WeighedRow>(of items: [Item], in room: inout Int, _ row: (Item) -> Row) -> [Row] {
    var rows: [Row] = []
    for item in items {
      let row = row(item)
      room -= row.weight
      if room < 0 { break }
      rows.append(row)
    }
    return rows
  }

  /// The earliest instant after `now` at which a text changes by the passing of time alone.
  package var nextTextChange: Date {
    let times = LocalTimes(zone: zone, words: Words.of(language))
    let minutes = late.map { dose in
      // A lateness changes at whole minutes after due, which need not be those of the clock.
      dose.dueAt + ((now.timeIntervalSince(dose.dueAt) / 60).rounded(.down) + 1) * 60
    }
    let cards = clockTrusted ? railWriter(Words.of(language)).nextChange(of: railWithFaults) : nil
    let lessons = clockTrusted ? period.flatMap(periodWriter(Words.of(language)).nextChange) : nil
    return [times.nextMinute(after: now), minutes.min(), cards, lessons].compactMap { $0 }.min() ?? now + 60
  }

  private func lateRow(_ dose: Dose, _ words: Words, _ times: LocalTimes) -> Snapshot.Late {
    let minutes = max(0, Int((now.timeIntervalSince(dose.dueAt) / 60).rounded(.down)))
    return Snapshot.Late(
      person: TapTextWriter.bounded(dose.person), medication: TapTextWriter.bounded(dose.medication),
      dose: dose.dose.map(TapTextWriter.bounded), dueAt: InstantText.text(dose.dueAt, in: zone), minutesLate: minutes,
      text: "\(words.due(times.named(dose.dueAt, from: now))) · \(words.lateBy(minutes / 60, minutes % 60))")
  }

  private func missedRow(_ ended: Ended, _ words: Words, _ times: LocalTimes) -> Snapshot.Missed {
    let due = times.time(ended.dose.dueAt, from: now)
    return Snapshot.Missed(
      person: TapTextWriter.bounded(ended.dose.person), medication: TapTextWriter.bounded(ended.dose.medication),
      dose: ended.dose.dose.map(TapTextWriter.bounded), dueAt: InstantText.text(ended.dose.dueAt, in: zone),
      closedAt: InstantText.text(ended.closedAt, in: zone), state: ended.isMissed ? "missed" : "unknown",
      text: ended.isMissed ? words.missed(due) : ended.isLost ? words.lost(due) : words.notKnown(due))
  }

  private func readerMessage(_ words: Words) -> String {
    if reader.tagLying { return words.tagLying }
    return words.readerStates[reader.state] ?? reader.state
  }

  /// What stops recording comes first, then what the household should know.
  private func banners(_ words: Words, _ times: LocalTimes, hiddenRows: Int) -> [Snapshot.Banner] {
    var banners: [Snapshot.Banner] = []
    if isTesting { banners.append(.init(id: "test", text: words.testBanner)) }
    if ledgerFails { banners.append(.init(id: "ledger", text: words.ledgerBanner)) }
    if let since = recordsLostSince {
      // Nothing is known of a ledger that began anew: no time would be true.
      let named = since.timeIntervalSince1970 > 0 ? times.named(since, from: now) : nil
      banners.append(.init(id: "records", text: words.recordsLost(named)))
    }
    let readerFault = reader.fault ?? (reader.isRefused ? "refused" : reader.state)
    if let text = words.readerBanners[readerFault] { banners.append(.init(id: "reader", text: text)) }
    if reader.tagLying { banners.append(.init(id: "tag", text: words.tagLying)) }
    if !clockTrusted { banners.append(.init(id: "clock", text: words.clockWrong)) }
    if !tapsAtUnknownTime.isEmpty {
      let names = tapsAtUnknownTime.filter { !$0.isEmpty }.prefix(4).map(TapTextWriter.bounded)
      banners.append(.init(id: "unknownTime", text: words.unknownTime(names.joined(separator: ", "))))
    }
    if let speakerFault { banners.append(.init(id: "sound", text: words.soundBanner(speakerFault))) }
    if configurationFellBack { banners.append(.init(id: "configuration", text: words.configurationBanner)) }
    if hiddenRows > 0 { banners.append(.init(id: "rows", text: words.hiddenRows(hiddenRows))) }
    return banners
  }
}

extension WallInput.Shown {
  /// As a snapshot has it.
  package func overlay(in zone: TimeZone) -> Snapshot.Overlay {
    Snapshot.Overlay(
      kind: kind.rawValue, headline: texts.headline, detail: texts.detail, style: texts.style.rawValue,
      until: InstantText.text(until, in: zone))
  }
}

/// A row of a list that may be too long for a snapshot.
private protocol WeighedRow {
  var person: String { get }
  var medication: String { get }
  var dose: String? { get }
}

extension WeighedRow {
  /// Bytes of JSON, at most: keys, instants and words, and names whose every byte may be a quote.
  fileprivate var weight: Int { 320 + 2 * (person.utf8.count + medication.utf8.count + (dose ?? "").utf8.count) }
}

extension Snapshot.Period {
  /// Takes what it weighs out of the room; people that have none go, the last first.
  fileprivate mutating func keep(_ room: inout Int, isBounded: Bool) {
    // Keys, four instants and numbers; every byte of a text may be a quote.
    let texts = [state, dayType, name, next?.name, next?.dayType, text]
    room -= 480 + 2 * texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    people = Array(
      people.prefix { person in
        room -= 90 + 2 * (person.id.utf8.count + person.name.utf8.count + person.text.utf8.count)
        return room >= 0 || !isBounded
      })
  }
}

extension Snapshot.Late: WeighedRow {}
extension Snapshot.Missed: WeighedRow {}
