package import Linux

/// Keeps services running: one that fails is started again with back-off and said once, and the others never notice.
///
/// Cancellation is the only way to stop; a service that returns before it is cancelled counts as failed.
package struct Supervisor: Sendable {
  package struct Service: Sendable {
    package let name: String
    package let run: @Sendable () async throws -> Void

    package init(_ name: String, run: @escaping @Sendable () async throws -> Void) {
      self.name = name
      self.run = run
    }
  }

  private let time: any TimeSource
  private let log: Log

  package init(time: any TimeSource, log: Log) {
    self.time = time
    self.log = log
  }

  /// Runs every service until the task is cancelled, and returns when all have ended.
  package func run(_ services: [Service]) async {
    await withDiscardingTaskGroup { group in
      for service in services { group.addTask { await keep(service) } }
    }
  }

  private func keep(_ service: Service) async {
    var backOff = BackOff()
    while !Task.isCancelled {
      let started = time.uptime()
      do {
        try await service.run()
        if Task.isCancelled { return }
        log.error("\(service.name) ended by itself: it is started again")
      } catch is CancellationError {
        if Task.isCancelled { return }
        log.error("\(service.name) was cancelled from inside: it is started again")
      } catch {
        log.error("\(service.name) failed: \(error): it is started again")
      }
      let pause = backOff.next(ranFor: time.uptime() - started)
      try? await time.sleep(for: pause)
    }
  }

  /// 0.5 s, doubled to 30 s; a run of a minute starts from the beginning.
  struct BackOff {
    private var pause: Duration = .milliseconds(250)

    mutating func next(ranFor duration: Duration) -> Duration {
      pause = duration >= .seconds(60) ? .milliseconds(500) : min(pause * 2, .seconds(30))
      return pause
    }
  }
}
