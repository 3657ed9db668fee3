package import Wall

/// What stands on the wall beside doses: buses, the school day, the agenda.
///
/// The kiosk asks while a tap may be waiting: nothing here may wait for a network, a disk or a lock that is held while
/// something is parsed.
package protocol WallSource: Sendable {
  /// Adds what is to be shown at `input.now`.
  ///
  /// - Parameter uptime: of the same instant.
  /// - Returns: the uptime at which it next changes by the passing of time alone; nil: never.
  func contribute(to input: inout WallInput, at uptime: Duration) -> Duration?

  /// The sections of the household that the ledger keeps as JSON text, by name: at the start, and whenever they change.
  func household(_ documents: [String: String])
}
