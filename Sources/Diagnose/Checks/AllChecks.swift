extension Check {
  /// All checks in the order of the tap's path, which is the order of the report: the first failure is where to start.
  package static let all: [Check] =
    USBChecks.all + PcscdChecks.all + ReaderChecks.all
    + [
      StateChecks.directory, StateChecks.fileSystem, StateChecks.space, LedgerChecks.opens, LedgerChecks.integrity,
      LedgerChecks.durability, LedgerChecks.witness, StateChecks.flushing,
    ] + ClockChecks.all + ConfigurationChecks.all + ServiceChecks.all + PageChecks.all + [DisplayCheck.check]
    + SoundChecks.all + LinkChecks.all
    + [
      NameCheck.check, ConnectionCheck.check, SecureCheck.check, PortalCheck.check, BusFeedCheck.check,
      CalendarCheck.check, SchoolFileCheck.check, DayMapCheck.check, MenuCheck.check,
    ]

  /// The checks that need a hand or an ear; they come after the others, one at a time.
  package var isInteractive: Bool { id == TapTest.id || id == SoundTest.id }
}
