package import Foundation
package import Ledger
package import Linux
package import Reminders
package import Wall

/// The wall's state and everything that changes it: taps, the passing of time, readers, speaker, clock.
///
/// What is shown is recomputed from the ledger and the rules every time; nothing lives only in a timer (DESIGN §3 "Time").
package actor Kiosk {
  /// What the kiosk works with.
  package struct Parts: Sendable {
    package var ledger: Ledger
    package var time: any TimeSource
    package var log: Log
    package var speaker: any Speaker
    /// Names the agent's version and this run.
    package var agent: String
    package var run: String
    /// The kernel's name of this boot: boot times of another one mean nothing.
    package var boot: String
    /// The wall's zone, asked anew every time: the system's may change.
    package var zone: @Sendable () -> TimeZone
    /// Keeps the zone for the next run.
    package var keepZone: @Sendable (TimeZone) -> Void
    /// Keeps what is known of the clock for the next run of this boot.
    package var keepClock: @Sendable (ClockTrust.Memory) -> Void
    package var language: String
    package var clockFacts: @Sendable () -> ClockFacts
    package var publish: @Sendable (Snapshot) -> Void
    /// Takes what `/healthz` says, and a line for `systemctl status`, whenever one of them may have changed.
    package var report: @Sendable (WallEndpoints.Health, String) -> Void
    package var configurationFellBack: Bool
    /// The zone's name as the configuration writes it; nil: the system's zone.
    package var zoneName: String?
    /// What stands on the wall beside doses.
    package var sources: [any WallSource]
    package var night: NightHours

    package init(
      ledger: Ledger, time: any TimeSource, log: Log, speaker: any Speaker, agent: String, run: String, boot: String,
      zone: @escaping @Sendable () -> TimeZone, keepZone: @escaping @Sendable (TimeZone) -> Void,
      keepClock: @escaping @Sendable (ClockTrust.Memory) -> Void = { _ in }, language: String,
      clockFacts: @escaping @Sendable () -> ClockFacts,
      publish: @escaping @Sendable (Snapshot) -> Void,
      report: @escaping @Sendable (WallEndpoints.Health, String) -> Void, configurationFellBack: Bool,
      zoneName: String? = nil, sources: [any WallSource] = [], night: NightHours = .usual
    ) {
      self.ledger = ledger
      self.time = time
      self.log = log
      self.speaker = speaker
      self.agent = agent
      self.run = run
      self.boot = boot
      self.zone = zone
      self.keepZone = keepZone
      self.keepClock = keepClock
      self.language = language
      self.clockFacts = clockFacts
      self.publish = publish
      self.report = report
      self.configurationFellBack = configurationFellBack
      self.zoneName = zoneName
      self.sources = sources
      self.night = night
    }
  }

  /// A pause between two looks that is longer than this was none of ours.
  static let sleep: Duration = .seconds(120)

  let parts: Parts
  let wake = Wake()
  nonisolated let turns: Turns

  var trust: ClockTrust
  var keptClock: ClockTrust.Memory?
  var clockTrusted = false
  /// No row is known to be newer; nil: not asked yet.
  var newestTrusted: Date?
  /// Under the clock that is believed now, what an earlier one left open has been decided.
  var clockIsSettled = false
  var debounce = Debounce()
  var overlay = OverlayState()
  var spans = RecordingSpans()
  /// What the ledger kept of earlier runs is among `spans`.
  var spansAreRecalled = false
  var keptSpanAt: Duration?
  /// The uptime of the last look at the clock; nil: there was none.
  var lookedAt: Duration?
  /// Taps that came and that nobody was told of yet.
  var untold: [TapSighting] = []
  /// The rows of taps that were answered as unreadable and may still be read.
  var unreadableRows: [UInt64: Int64] = [:]
  var reader: ReaderReport
  var readerFault: String?
  var speakerReport: SpeakerReport?
  /// Why doses cannot be recorded; nil: they can.
  var ledgerFault: LedgerError?
  /// What the ledger said last: the wall goes on with it when the ledger fails.
  var lastView = LedgerView(household: Household(), log: DoseLog(), pending: [])
  /// Whose taps of an ended boot have no time; people's ids.
  var tapsAtUnknownTime: [String] = []
  /// The household's sections that are the sources'; nil: to be read from the ledger.
  var documents: [String: String]?
  var lastSnapshot: Snapshot?
  var publishedOverlay: OverlayState.Answer?
  var railOrder = RailOrder()
  /// The zone that the past was judged in; nil: not known.
  private var settledZone: TimeZone?
  var lastHealth: (health: WallEndpoints.Health, line: String)?
  private var nextRefresh: Duration = .zero
  /// Technicians' tests that are under way, and the taps that were theirs: those never credit.
  var testWindows = 0
  var testPresences: Set<UInt64> = []

  /// - Parameters:
  ///   - zone: that of the last run; nil: not known.
  ///   - clock: what an earlier run of this boot knew of the clock; nil: there was none.
  package init(
    _ parts: Parts, zone: TimeZone? = nil, clock: ClockTrust.Memory? = nil
  ) {
    self.parts = parts
    trust = ClockTrust(clock ?? ClockTrust.Memory())
    keptClock = clock
    turns = Turns(time: parts.time)
    settledZone = zone
    reader = ReaderReport(state: .starting, since: parts.time.uptime())
  }

  /// Keeps the wall current until cancelled: sleeps until the next thing changes, or until something happens.
  package func run() async throws {
    while true {
      await refresh()
      try await parts.time.sleep(nextRefresh - parts.time.uptime(), orUntil: wake)
    }
  }

  /// Something outside has changed (a clock step, a change of the zone).
  package nonisolated func changed() { wake.wake() }

  package func note(_ report: ReaderReport) {
    if reader.state != report.state {
      parts.log.notice("reader: \(report.state.rawValue)\(report.name.map { " (\($0))" } ?? "")")
    }
    let isNews = report != reader
    reader = report
    // A tap makes the readers report, and must not wait for a look at what has not changed.
    if isNews { wake.wake() }
  }

  package func note(_ report: SpeakerReport) {
    if speakerReport != report, let sentence = report.sentence { parts.log.warning("sound: \(sentence)") }
    speakerReport = report
    wake.wake()
  }

  /// A fault that only a restart mends; nil: there is none any more. What the readers report does not end it: pcscd says
  /// "ready" of a reader that hangs.
  package func note(fault: String?) async {
    guard readerFault != fault else { return }
    readerFault = fault
    await refresh()
  }

  /// When the kiosk last showed that it is not stuck (in the disk, above all); uptime.
  package nonisolated func heartbeat() -> Duration { turns.heartbeat() }

  /// The rules as they are now.
  func rules(at now: Date) -> TapRules {
    TapRules(zone: parts.zone(), language: parts.language, recording: spans.all(until: now))
  }

  /// Brings ledger and wall up to now. A tap does not wait for it: it begins anew after the tap.
  package func refresh() async {
    while await turns.take({ await bringUpToNow(givingWay: true) }) == false {}
  }

  /// `refresh`, for who has the turn already.
  ///
  /// - Parameter givingWay: a tap that waits is answered first, and the wall is not brought up to now. What is known of
  ///   the ledger is: should the disk hang at that tap, the wall goes on with it.
  /// - Returns: whether it is.
  @discardableResult
  func bringUpToNow(givingWay: Bool = false) async -> Bool {
    await catchUp()
    let now = parts.time.now().asStored
    let uptime = parts.time.uptime()
    overlay.expire(at: uptime)
    await updateView(at: now)
    if givingWay, givesWay { return false }
    await noteRecording(at: now, uptime: uptime)
    await updateSources()
    return showState(at: now, uptime: uptime, givingWay: givingWay)
  }

  /// Works out what there is to see from what is known now, and shows it: `bringUpToNow` without the ledger.
  @discardableResult
  func showState(at now: Date, uptime: Duration, givingWay: Bool = false) -> Bool {
    let status = DoseStatus.of(
      lastView.household, log: lastView.log, now: now, zone: parts.zone(), clockTrusted: clockTrusted)
    if givingWay, givesWay { return false }
    let (input, changesAt) = wallInput(status, at: now, uptime: uptime)
    if givingWay, givesWay { return false }
    // First, so that whoever sees the wall change finds `/healthz` saying the same.
    reportHealth(status)
    show(input)
    nextRefresh = nextChange(status, input, at: now, uptime: uptime, sources: changesAt)
    return true
  }

  /// Whether a tap waits for this look to end. An answer that nobody has seen yet is shown before the next one.
  private var givesWay: Bool { turns.isClaimed && lastSnapshot != nil && publishedOverlay == overlay.shown }

  private func updateSources() async {
    guard documents == nil, let read = try? await parts.ledger.export().documents else { return }
    documents = read
    for source in parts.sources { source.household(read) }
  }

  private func updateView(at now: Date) async {
    do {
      // Asked every time, and not only after a tap has failed: who looks at the wall must know before they tap.
      try await parts.ledger.checkWritable()
      if ledgerFault != nil { parts.log.notice("the ledger can be written again") }
      ledgerFault = nil
      if clockTrusted { try await settleZone(at: now) }
      let rules = rules(at: now)
      lastView =
        clockTrusted
        ? try await parts.ledger.advance(at: now) { rules.advance($0, to: now) } : try await parts.ledger.view(at: now)
      if clockTrusted {
        newestTrusted = max(newestTrusted ?? now, now)
        tapsAtUnknownTime = try await parts.ledger.tapsAtUnknownTime(boot: parts.boot, at: now)
      }
    } catch {
      fail(error)
      await goOnWithoutWriting(at: now)
    }
  }

  /// A ledger that cannot be written, or not even read, stops nobody's reminders: what would be written is worked out anew
  /// at every look.
  private func goOnWithoutWriting(at now: Date) async {
    if let view = try? await parts.ledger.view(at: now) { lastView = view }
    advanceInMemory(to: now)
  }

  func advanceInMemory(to now: Date) {
    guard clockTrusted else { return }
    lastView.log = lastView.log.applying(rules(at: now).advance(lastView, to: now), at: now)
  }

  /// Up to a change of the zone the past was that of the old one: a dose that closed there in the new zone's time was never
  /// asked for, and is not missed.
  private func settleZone(at now: Date) async throws {
    let zone = parts.zone()
    guard let old = settledZone, old != zone else {
      if settledZone == nil { parts.keepZone(zone) }
      settledZone = zone
      return
    }
    let rules = TapRules(zone: old, language: parts.language, recording: spans.all(until: now))
    _ = try await parts.ledger.advance(at: now, settles: true) { rules.advance($0, to: now) }
    parts.log.notice("the wall's zone is \(zone.identifier) now; it was \(old.identifier)")
    parts.keepZone(zone)
    settledZone = zone
  }

  /// The ledger could not do something: said once, shown until it can again.
  func fail(_ error: any Error) {
    let fault = error as? LedgerError ?? LedgerError(kind: .other, doing: "\(error)")
    if ledgerFault?.kind != fault.kind { parts.log.error(fault.sentence) }
    ledgerFault = fault
  }

  private func nextChange(
    _ status: DoseStatus, _ input: WallInput, at now: Date, uptime: Duration, sources: Duration?
  ) -> Duration {
    let instants = [status.nextChange, input.nextTextChange].compactMap { $0 }.min() ?? now + 60
    // A wall clock may be wrong by years; never sleep longer than a minute on its word.
    let pause = min(max(instants.timeIntervalSince(now), 0.005), 60)
    var deadlines = [uptime + .milliseconds(Int64((pause * 1000).rounded(.up)))]
    if let until = overlay.shown?.until { deadlines.append(until) }
    if ledgerFault != nil { deadlines.append(uptime + .seconds(5)) }
    if let changesAt = railOrder.changesAt { deadlines.append(changesAt) }
    if let sources { deadlines.append(max(sources, uptime + .milliseconds(5))) }
    return deadlines.min() ?? uptime + .seconds(60)
  }
}
