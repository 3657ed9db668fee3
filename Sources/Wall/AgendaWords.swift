/// The agenda's words of one language.
struct AgendaWords: Sendable {
  var allDay: String
  var day: @Sendable (_ number: Int, _ count: Int) -> String
  var until: @Sendable (_ time: String) -> String
  var untitled: String
  var hidden: String
  var tentative: String
  var repeatsUnknown: String

  /// In the place of a title that there is none of, or that is nobody's business, within a sentence.
  var another: String
  var clash: @Sendable (_ other: String) -> String
  var tight: @Sendable (_ minutes: Int, _ other: String) -> String
  var leaveAt: @Sendable (_ time: String) -> String
  var leaveAbout: @Sendable (_ time: String) -> String
  var freeUntil: @Sendable (_ time: String) -> String
  /// Over what could be chosen.
  var comingHours: String
}

extension Words {
  var agenda: AgendaWords { language == "de" ? .german : .english }
}

extension AgendaWords {
  static let english = AgendaWords(
    allDay: "all day", day: { "day \($0)/\($1)" }, until: { "until \($0)" }, untitled: "No title", hidden: "Private",
    tentative: "maybe", repeatsUnknown: "repeats, not known when",
    another: "another event", clash: { "clashes with \($0)" }, tight: { "\($0) min short after \($1)" },
    leaveAt: { "leave at \($0)" },
    leaveAbout: { "leave about \($0)" }, freeUntil: { "then free until \($0)" }, comingHours: "Next 3 hours")

  static let german = AgendaWords(
    allDay: "ganztägig", day: { "Tag \($0)/\($1)" }, until: { "bis \($0)" }, untitled: "Ohne Titel", hidden: "Privat",
    tentative: "vielleicht", repeatsUnknown: "wiederholt sich, unklar wann",
    another: "einem anderen Termin", clash: { "gleichzeitig mit \($0)" }, tight: { "\($0) Min. zu knapp nach \($1)" },
    leaveAt: { "um \($0) los" },
    leaveAbout: { "etwa um \($0) los" }, freeUntil: { "danach frei bis \($0)" }, comingHours: "Nächste 3 Stunden")
}
