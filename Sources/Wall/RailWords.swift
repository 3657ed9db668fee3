/// The rail's words of one language.
struct RailWords: Sendable {
  /// Less than a minute is left.
  var now: String
  /// Beside a number of minutes.
  var minutes: String
  var at: @Sendable (_ time: String) -> String

  var onTime: String
  var late: @Sendable (_ minutes: Int) -> String
  var early: @Sendable (_ minutes: Int) -> String
  /// Predicted, with no timetable to hold it against.
  var live: String
  var scheduledAt: @Sendable (_ time: String) -> String
  var heard: @Sendable (_ minutesAgo: Int) -> String
  var byTimetable: String
  /// The provider has stopped naming it.
  var unconfirmed: String
  var doesNotRun: String
  var every: @Sendable (_ minutes: Int) -> String
  var noData: @Sendable (_ minutes: Int) -> String
  var was: @Sendable (_ time: String) -> String
  var then: @Sendable (_ time: String) -> String
  var lastOfWindow: String
  var lastOfDay: String

  var leave: @Sendable (_ minutes: Int) -> String
  var leaveNow: String
  var run: String
  var notToBeCaught: String

  var nextAt: @Sendable (_ time: String) -> String
  var noServiceToday: String
  var noMoreToday: String
  var timetableExpired: String
  var noAnswerSince: @Sendable (_ time: String) -> String
  var noneUntil: @Sendable (_ time: String) -> String
}

extension Words {
  var rail: RailWords { language == "de" ? .german : .english }
}

extension RailWords {
  static let english = RailWords(
    now: "now", minutes: "min", at: { "at \($0)" },
    onTime: "on time", late: { "\($0) min late" }, early: { "\($0) min early" }, live: "live",
    scheduledAt: { "scheduled \($0)" }, heard: { "heard \($0) min ago" }, byTimetable: "by the timetable",
    unconfirmed: "not confirmed",
    doesNotRun: "does not run", every: { "every \($0) min" }, noData: { "no data for \($0) min" },
    was: { "was \($0)" }, then: { "then \($0)" }, lastOfWindow: "last one for now", lastOfDay: "last bus today",
    leave: { "leave in \($0) min" }, leaveNow: "leave now", run: "run", notToBeCaught: "too late to walk",
    nextAt: { "next \($0)" }, noServiceToday: "no service today", noMoreToday: "no more buses today",
    timetableExpired: "the timetable has expired", noAnswerSince: { "no answer since \($0)" },
    noneUntil: { "none until \($0)" })

  static let german = RailWords(
    now: "jetzt", minutes: "Min.", at: { "um \($0)" },
    onTime: "pünktlich", late: { "\($0) Min. verspätet" }, early: { "\($0) Min. zu früh" }, live: "live",
    scheduledAt: { "Plan \($0)" }, heard: { "vor \($0) Min. gemeldet" }, byTimetable: "nach Fahrplan",
    unconfirmed: "nicht bestätigt",
    doesNotRun: "fällt aus", every: { "alle \($0) Min." }, noData: { "seit \($0) Min. keine Daten" },
    was: { "zuletzt \($0)" }, then: { "danach \($0)" }, lastOfWindow: "vorerst der letzte",
    lastOfDay: "der letzte heute",
    leave: { "in \($0) Min. los" }, leaveNow: "jetzt los", run: "rennen", notToBeCaught: "nicht mehr zu schaffen",
    nextAt: { "nächster \($0)" }, noServiceToday: "heute kein Betrieb", noMoreToday: "heute keiner mehr",
    timetableExpired: "der Fahrplan ist abgelaufen", noAnswerSince: { "keine Antwort seit \($0)" },
    noneUntil: { "keiner bis \($0)" })
}
