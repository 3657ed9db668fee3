internal import Agent
internal import TagReader

/// The real readers as the agent's source of taps.
struct ReaderTaps: TapSource {
  let monitor: SlotMonitor

  func run() async throws {
    await monitor.run()
    try Task.checkCancellation()
  }

  func taps() -> AsyncStream<TapSighting> {
    let events = monitor.taps()
    return AsyncStream { continuation in
      let forwarding = Task {
        for await event in events { continuation.yield(Self.sighting(event)) }
        continuation.finish()
      }
      continuation.onTermination = { _ in forwarding.cancel() }
    }
  }

  static func sighting(_ event: TagEvent) -> TapSighting {
    switch event {
    case .read(let read):
      TapSighting(
        content: .uid(read.uid), presence: read.presence, presentAt: read.presentAt, readAt: read.readAt,
        lastSeen: read.lastSeen, resolves: read.resolvesUnreadable ? read.presence : nil)
    case .unreadable(let tag):
      TapSighting(
        content: .unreadable(tag.reason.rawValue), presence: tag.presence, presentAt: tag.presentAt,
        readAt: tag.gaveUpAt, lastLift: tag.lastLift)
    }
  }

  func reports() -> AsyncStream<ReaderReport> {
    let summaries = monitor.summaries()
    return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let forwarding = Task {
        for await summary in summaries { continuation.yield(Self.report(summary)) }
        continuation.finish()
      }
      continuation.onTermination = { _ in forwarding.cancel() }
    }
  }

  func fault() -> TapSourceFault? {
    switch monitor.fault() {
    case .gone(let name): .gone(name)
    case .hung(let name): .hung(name)
    case nil: nil
    }
  }

  func heartbeats() -> [String: Duration] { monitor.heartbeats() }

  private static func report(_ summary: ReaderSummary) -> ReaderReport {
    ReaderReport(
      state: ReaderReport.State(rawValue: summary.condition.rawValue) ?? .starting, name: summary.name,
      refused: summary.refused, tagLying: summary.tagLying, since: summary.since)
  }
}
