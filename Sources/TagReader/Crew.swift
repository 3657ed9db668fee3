internal import Linux
internal import Synchronization

/// The threads of a run, so that it can wait for them to leave libpcsclite: the library frees what they use when the
/// process exits, and one that is still inside then takes the process down with a signal instead of its exit code.
final class Crew: Sendable {
  /// How long a run waits for them. A cancel that was lost costs a slice; one that hangs in a call never comes.
  static let patience: Duration = .seconds(2)

  private let count = Mutex(0)
  private let (gone, leaving) = AsyncStream<Void>.makeStream()

  func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
    count.withLock { $0 += 1 }
    Threads.start(name: name) { [self] in
      body()
      if count.withLock({ left in
        left -= 1
        return left == 0
      }) {
        leaving.finish()
      }
    }
  }

  /// Returns when all have ended, or patience has. Not cancelled by the caller's cancellation, which is why it is asked.
  func waitForAll(time: any TimeSource) async {
    await Task.detached { [self] in
      await withTaskGroup(of: Void.self) { group in
        group.addTask { for await _ in self.gone {} }
        group.addTask { try? await time.sleep(for: Self.patience) }
        await group.next()
        group.cancelAll()
      }
    }.value
  }
}
