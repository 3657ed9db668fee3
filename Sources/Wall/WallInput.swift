package import Foundation

/// All that a snapshot is made of.
package struct WallInput: Sendable {
  package struct Dose: Equatable, Sendable {
    package var person: String
    package var medication: String
    package var dose: String?
    package var dueAt: Date

    package init(person: String, medication: String, dose: String?, dueAt: Date) {
      self.person = person
      self.medication = medication
      self.dose = dose
      self.dueAt = dueAt
    }
  }

  package struct Ended: Equatable, Sendable {
    package var dose: Dose
    package var closedAt: Date
    /// False: the wall could not know.
    package var isMissed: Bool
    /// The wall could not know because its records of that time may be lost, and not because it was off.
    package var isLost: Bool

    package init(dose: Dose, closedAt: Date, isMissed: Bool, isLost: Bool = false) {
      self.dose = dose
      self.closedAt = closedAt
      self.isMissed = isMissed
      self.isLost = isLost
    }
  }

  package struct Reader: Equatable, Sendable {
    /// A name of the snapshot: starting, ready, absent, unavailable, noService, unknown.
    package var state: String
    package var name: String?
    package var since: Date?
    package var isRefused: Bool
    package var tagLying: Bool
    /// `gone` or `hung`: a fault that stays until a restart mends it.
    package var fault: String?

    package init(
      state: String, name: String? = nil, since: Date? = nil, isRefused: Bool = false, tagLying: Bool = false,
      fault: String? = nil
    ) {
      self.state = state
      self.name = name
      self.since = since
      self.isRefused = isRefused
      self.tagLying = tagLying
      self.fault = fault
    }
  }

  package struct Shown: Equatable, Sendable {
    package var kind: TapFacts.Outcome
    package var texts: TapTexts
    package var until: Date

    package init(kind: TapFacts.Outcome, texts: TapTexts, until: Date) {
      self.kind = kind
      self.texts = texts
      self.until = until
    }
  }

  package var agent: String
  package var boot: String
  package var now: Date
  package var zone: TimeZone
  package var language: String
  package var clockTrusted: Bool
  package var reader: Reader
  package var overlay: Shown?
  /// Oldest first.
  package var late: [Dose] = []
  package var ended: [Ended] = []
  /// Doses cannot be recorded.
  package var ledgerFails = false
  /// The ledger had to be restored: rows since then may be missing; nil: it was not, or long ago.
  package var recordsLostSince: Date?
  /// The state of a speaker that is not well, such as `muted`; nil: it is.
  package var speakerFault: String?
  package var configurationFellBack = false
  /// A technician tries the reader: no tap counts now.
  package var isTesting = false
  /// The names of whose taps were stored before a power cut and have no time.
  package var tapsAtUnknownTime: [String] = []
  /// What can stand in the rail.
  package var rail = RailInput()
  /// The school day; nil: the household has none, or it is not known what time it is.
  package var period: PeriodInput?
  /// People's names by id, for what knows people by their ids only.
  package var names: [String: String] = [:]
  /// The ids of the rail's cards in the order people see them (`RailOrder`); those that are not named stand behind, as they
  /// rank.
  package var railOrder: [String] = []
  /// In order of their instants.
  package var arrivals: [ArrivalFacts] = []
  /// What takes place today and tomorrow; see `add(agenda:)`.
  package var agenda: [AgendaFacts] = []
  package var sources: [SourceFacts] = []
  package var night = NightHours.usual
  /// Whether a page gets it, for which what a snapshot weighs is bounded.
  package var isForPage = true
  /// The zone's name as the configuration writes it; nil: the zone's own.
  package var zoneName: String?

  package init(
    agent: String, boot: String, now: Date, zone: TimeZone, language: String, clockTrusted: Bool, reader: Reader
  ) {
    self.agent = agent
    self.boot = boot
    self.now = now
    self.zone = zone
    self.language = language
    self.clockTrusted = clockTrusted
    self.reader = reader
  }
}
