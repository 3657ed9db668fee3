/// The words of one language for the school day. Times and names come as they are shown.
struct PeriodWords: Sendable {
  /// By its number.
  var period: @Sendable (_ number: String) -> String
  var unknown: String
  var lunch: String
  var passing: String
  /// The whole minutes of a time, such as `12 min`; 0: less than one.
  var minutes: @Sendable (_ hours: Int, _ minutes: Int) -> String
  var left: @Sendable (_ time: String) -> String
  var inTime: @Sendable (_ time: String) -> String
  var ends: @Sendable (_ time: String) -> String
  var at: @Sendable (_ name: String, _ time: String) -> String
  var schoolStarts: @Sendable (_ time: String) -> String
  var over: String
  var next: @Sendable (_ day: String) -> String
  var noSchool: String
  var notKnown: String
  var notPublished: @Sendable (_ year: String) -> String
  var timesNotKnown: String
  var byHand: String
  var cycle: @Sendable (_ name: String) -> String
  var lunchAt: @Sendable (_ time: String) -> String
  var lunchIn: @Sendable (_ time: String) -> String

  // The titles of cards, by what happens then.
  var endOf: @Sendable (_ name: String) -> String
  var schoolEnds: String
  var schoolBegins: String

  var conflict: @Sendable (_ others: String) -> String
  var ignored: @Sendable (_ type: String) -> String
  var noOrder: @Sendable (_ type: String) -> String
  /// A school whose household names a lunch that no table has.
  var noSuchLunch: @Sendable (_ person: String, _ lunch: String) -> String
}

extension Words {
  var school: PeriodWords { language == "de" ? .german : .english }
}

extension PeriodWords {
  static let english = PeriodWords(
    period: { "Period \($0)" }, unknown: "Period ?", lunch: "Lunch", passing: "Passing",
    minutes: { hours, minutes in
      hours == 0
        ? minutes == 0 ? "less than 1 min" : "\(minutes) min"
        : minutes == 0 ? "\(hours) h" : "\(hours) h \(minutes) min"
    },
    left: { "\($0) left" }, inTime: { "in \($0)" }, ends: { "ends \($0)" }, at: { "\($0) at \($1)" },
    schoolStarts: { "School starts at \($0)" }, over: "School is out", next: { "next school day \($0)" },
    noSchool: "No school", notKnown: "School day not known", notPublished: { "schedule for \($0) not published" },
    timesNotKnown: "times not known", byHand: "set by hand", cycle: { "\($0) day" }, lunchAt: { "lunch at \($0)" },
    lunchIn: { "lunch in \($0)" },
    endOf: { "\($0) ends" }, schoolEnds: "School ends", schoolBegins: "School starts",
    conflict: { "also marked \($0)" }, ignored: { "\($0) on a weekend is ignored" },
    noOrder: { "the periods of \($0) are not known" },
    noSuchLunch: { "\($0)'s lunch \($1) is in no bell table" })

  static let german = PeriodWords(
    period: { "Stunde \($0)" }, unknown: "Stunde ?", lunch: "Mittagspause", passing: "Pause",
    minutes: { hours, minutes in
      hours == 0
        ? minutes == 0 ? "unter 1 Min." : "\(minutes) Min."
        : minutes == 0 ? "\(hours) Std." : "\(hours) Std. \(minutes) Min."
    },
    left: { "noch \($0)" }, inTime: { "in \($0)" }, ends: { "bis \($0)" }, at: { "\($0) um \($1)" },
    schoolStarts: { "Schulbeginn um \($0)" }, over: "Schule aus", next: { "nächster Schultag \($0)" },
    noSchool: "Schulfrei", notKnown: "Schultag nicht bekannt", notPublished: { "Plan für \($0) nicht veröffentlicht" },
    timesNotKnown: "Zeiten nicht bekannt", byHand: "von Hand gesetzt", cycle: { "Tag \($0)" },
    lunchAt: { "Mittagspause um \($0)" }, lunchIn: { "Mittagspause in \($0)" },
    endOf: { "Ende von \($0)" }, schoolEnds: "Schulschluss", schoolBegins: "Schulbeginn",
    conflict: { "auch als \($0) eingetragen" }, ignored: { "\($0) am Wochenende zählt nicht" },
    noOrder: { "die Stunden von \($0) sind nicht bekannt" },
    noSuchLunch: { "Mittagspause \($1) von \($0) steht in keiner Tabelle" })
}
