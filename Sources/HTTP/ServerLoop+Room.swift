/// Who gives way when more want in than there is room for.
///
/// A client that opens connections and dawdles (slowloris) costs only itself: a browser says its request in one piece and
/// takes its answer at once, and so is never the one that waits longest for its peer.
extension ServerLoop {
  /// Whether one more connection can be held: a descriptor more is one less for the ledger. Streams have their own limit
  /// and do not count here.
  var canAccept: Bool { count(.stream) + limits.others + limits.spare > connections.count || count(.lingering) > 0 }

  /// Keeps the limits before one more connection comes in.
  func makeRoom(at now: Duration) {
    if count(.request) >= limits.others, let idler = idler(at: now) { sendAway(idler, at: now) }
    guard connections.count - count(.stream) >= limits.others + limits.spare else { return }
    connections.values.filter { $0.kind == .lingering }.min { $0.since < $1.since }.map(drop)
  }

  /// The connection that its peer leaves waiting longest; nil: all peers are taking their answers.
  private func idler(at now: Duration) -> Connection? {
    func waits(_ connection: Connection) -> Duration? {
      guard connection.kind == .request else { return nil }
      // Half of a request is worse than none: a browser that has just connected may not have had the processor yet.
      guard connection.hasOutput else { return connection.since - (connection.isHalfSaid ? limits.patience : .zero) }
      // A slow reader is not yet an idle one.
      return connection.stalledSince.flatMap { now - $0 >= limits.patience ? $0 : nil }
    }
    return connections.values.compactMap { connection in waits(connection).map { (connection, $0) } }
      .min { $0.1 < $1.1 }?.0
  }

  /// Who has said half of a request is told why; who has said nothing, or takes nothing, is just closed.
  private func sendAway(_ connection: Connection, at now: Duration) {
    if connection.hasOutput || connection.reader.isEmpty || !refuse(connection, 503, at: now) { drop(connection) }
  }
}
