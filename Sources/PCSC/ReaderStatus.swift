/// One line of SCardGetStatusChange: a reader, what we knew of it and what pcscd says now.
///
/// The whole event state is carried back, the counter in its upper half too: since 2.3.0 a PnP entry that is not carried
/// back makes every wait return at once.
package struct ReaderStatus: Equatable, Sendable {
  package var name: String
  /// dwCurrentState.
  package var known: UInt
  /// dwEventState.
  package var event: UInt

  package init(name: String, known: UInt = 0, event: UInt = 0) {
    self.name = name
    self.known = known
    self.event = event
  }

  /// The pseudo reader whose state changes when readers come and go.
  package static let hotplug = #"\\?PnP?\Notification"#

  package static let changed: UInt = 0x0002
  package static let unknown: UInt = 0x0004
  package static let unavailable: UInt = 0x0008
  package static let empty: UInt = 0x0010
  package static let present: UInt = 0x0020
  /// One program has it for itself.
  package static let exclusive: UInt = 0x0080
  package static let inUse: UInt = 0x0100
  package static let mute: UInt = 0x0200

  /// What the next call is to be told: the event state without its mark of change.
  package var carriedBack: ReaderStatus { ReaderStatus(name: name, known: event & ~Self.changed) }
}
