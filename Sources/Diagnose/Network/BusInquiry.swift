internal import Agent
internal import Configuration
internal import Feeds
internal import Linux
internal import Transit

/// Questions to OneBusAway as the agent asks them, within a time for all of them.
struct BusInquiry: Sendable {
  /// Why there is no answer.
  enum Refusal: Error {
    /// None within the time.
    case mute
    case refused(OneBusAwayFeed.Trouble)

    /// Whether it helps to ask again in a moment. The running agent uses the same key, of which servers want 100 ms between
    /// two requests; old ones call a second one within them a wrong key.
    var isOfHaste: Bool {
      guard case .refused(let trouble) = self else { return false }
      switch trouble.error {
      case .keyRejected, .tooManyRequests: return true
      default: return false
      }
    }
  }

  private let source: Configuration.Source
  private let environment: [String: String]
  /// Keeps the distance between all questions.
  private let exchange: Exchange
  private let time: any TimeSource
  private let deadline: Duration

  /// - Parameter limit: for all questions together.
  init(_ box: Surroundings, _ source: Configuration.Source, within limit: Duration) {
    self.source = source
    environment = box.feedEnvironment
    exchange = .curl(agent: "kiosk-agent/diagnose").paced(box.time)
    time = box.time
    deadline = box.time.uptime() + limit
  }

  /// The answer and how long it took.
  func ask<Value: Sendable>(
    _ request: OneBusAwayRequest, parse: @escaping @Sendable (OneBusAwayReply) throws(OneBusAwayError) -> Value
  ) async -> Result<(value: Value, took: Duration), Refusal> {
    var result = await once(request, parse)
    for _ in 0..<2 {
      guard case .failure(let refusal) = result, refusal.isOfHaste else { break }
      guard (try? await time.sleep(for: .seconds(1))) != nil else { break }
      result = await once(request, parse)
    }
    return result
  }

  private func once<Value: Sendable>(
    _ request: OneBusAwayRequest, _ parse: @escaping @Sendable (OneBusAwayReply) throws(OneBusAwayError) -> Value
  ) async -> Result<(value: Value, took: Duration), Refusal> {
    // One of its own for each question: it holds no back-off, and stores nothing.
    let feed = OneBusAwayFeed(
      source, copies: nil, exchange: exchange, environment: environment, time: time, boot: BootID.current(),
      log: .none)
    let started = time.uptime()
    let outcome = await withTaskGroup(of: OneBusAwayFeed.Outcome<Value>?.self) { group in
      group.addTask { try? await feed.ask(request, parse: parse) }
      group.addTask {
        try? await time.sleep(untilUptime: deadline)
        return nil
      }
      // The other one is cancelled, and a curl with it.
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
    switch outcome {
    case .new(let value, _), .old(let value, _): return .success((value, time.uptime() - started))
    case .nothing(let trouble): return .failure(.refused(trouble))
    case nil: return .failure(.mute)
    }
  }
}
