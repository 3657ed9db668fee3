extension Words {
  static let english = Words(
    language: "en",
    yesterday: "yesterday", tomorrow: "tomorrow",
    weekdays: ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"], shortDay: 3,
    months: [
      "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
      "December",
    ],
    dayAndMonth: { "\($0) \($1)" },
    taken: { $0.isEmpty ? "Thank you" : "Thank you, \($0)" },
    paused: "Reminders are paused; the dose is recorded",
    alreadyTaken: { $0.isEmpty ? "Already recorded" : "\($0): already recorded" },
    lastTaken: { "last recorded \($0)" },
    nextFrom: { "next from \($0)" },
    nothingNext: "no further dose is planned",
    wrongWindow: { $0.isEmpty ? "No dose is due now" : "\($0): no dose is due now" },
    wasMissed: { "missed: \($0)" },
    unknownTag: "Unknown tag",
    unknownTagDetail: { "\($0) belongs to nobody yet" },
    randomTag: "Not a tag",
    randomTagDetail: "A phone or bank card shows a new number at every tap and cannot be used",
    unreadable: "Not read",
    unreadableReasons: [
      "mute": "the tag did not answer", "torn": "the tag's answer was cut off", "tooShort": "that was too quick",
      "communicationError": "the reader lost the tag", "refused": "the tag gave no number",
      "malformed": "the tag's answer made no sense", "inUse": "another program holds the reader",
      "serviceLost": "the card service went away", "removedTooSoon": "the tag was taken away too soon",
      "resetByOther": "another program disturbed the reader", "timedOut": "the reader took too long",
    ],
    unreadableOtherwise: "the tag could not be read",
    tapAgain: "tap again and hold",
    stillThere: "Please tap once more",
    stillThereDetail: "The tag was still on the reader: lift it off for a moment, then tap",
    notRecorded: "NOT recorded",
    notRecordedDetail: { "\($0). Write it down and tell whoever looks after this wall" },
    causes: [
      "full": "The disk is full", "readOnly": "The disk cannot be written",
      "locked": "The records are in use by another program", "damaged": "The records cannot be opened",
      "newerSchema": "The records cannot be opened", "cannotOpen": "The records cannot be opened",
      "notFound": "The records cannot be opened", "replaced": "The records cannot be opened",
      "io": "The disk does not work",
    ],
    pending: { $0.isEmpty ? "Recorded" : "Recorded, \($0)" },
    pendingDetail: "the time is to be confirmed: the clock is not set yet",
    due: { "due \($0)" },
    refusedTaken: { "\($0) already recorded \($1)" },
    refusedTooSoon: { "\($0) not before \($1)" },
    refusedNotDue: { medication, time in time.map { "\(medication) from \($0)" } ?? "\(medication) not planned" },
    lateBy: { hours, minutes in hours == 0 ? "\(minutes) min late" : "\(hours) h \(minutes) min late" },
    missed: { "missed \($0)" },
    notKnown: { "\($0) not recorded: the wall was off" },
    lost: { "\($0) not known: the record may be lost" },
    lateHeading: "Late", missedHeading: "Missed", more: "more",
    clockWrong: "The clock is not set yet: taps are recorded, reminders wait",
    readerStates: [
      "starting": "Reader is starting", "ready": "Reader ready", "absent": "No reader",
      "unavailable": "Reader does not answer",
      "noService": "No card service", "unknown": "Reader not asked",
    ],
    tagLying: "Lift the tag and tap again",
    readerBanners: [
      "absent": "No reader is plugged in: taps cannot be recorded",
      "unavailable": "The reader does not answer: taps cannot be recorded",
      "noService": "The card service is not running: taps cannot be recorded",
      "refused": "The card service refuses the wall: taps cannot be recorded",
      "gone": "The reader has gone: taps cannot be recorded",
      "hung": "The reader does not come back from a command: taps cannot be recorded",
    ],
    ledgerBanner: "Doses cannot be recorded now",
    recordsLost: { since in
      "\(since.map { "Records since \($0)" } ?? "Earlier records") may be lost: doses of that time are not known"
    },
    unknownTime: { names in "\(names.isEmpty ? "A" : "\(names): a") tap at unknown time, from before the restart" },
    soundBanner: { state in
      switch state {
      case "muted": "The speaker is muted"
      case "quiet": "The speaker is nearly silent"
      case "hdmi": "Sound goes to the screen and ends when the screen sleeps"
      case "badFile": "A sound file is missing or broken: a plain tone is heard"
      case "busy": "No sound: another program holds the speaker"
      case "noPermission": "No sound: the speaker may not be used"
      case "failing", "hung": "No sound: the speaker does not answer"
      default: "No sound: the speaker is not there"
      }
    },
    configurationBanner: "The configuration has a mistake: the last good one is used",
    testBanner: "TEST: taps are not recorded now",
    testHeadline: "TEST",
    testRead: { "tag read in \($0) ms; nothing is recorded" },
    hiddenRows: { "\($0) more late or missed doses are not shown here" },
    connectionLost: "The wall has lost its connection for",
    restarting: "The wall is restarting", updated: "updated")
}
