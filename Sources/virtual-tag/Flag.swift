internal import Synchronization

/// Raised once, by one thread for another.
final class Flag: Sendable {
  private let raised = Atomic(false)

  var isSet: Bool { raised.load(ordering: .acquiring) }
  func set() { raised.store(true, ordering: .releasing) }
}
