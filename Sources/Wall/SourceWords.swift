/// The words of one language for what is fetched.
struct SourceWords: Sendable {
  /// By source id.
  var names: [String: String]
  var asOf: @Sendable (_ time: String) -> String
  var nothingSince: @Sendable (_ time: String) -> String
  var nothing: String
  var repeatsTooOften: @Sendable (_ events: Int) -> String
  /// What is wrong, and what to do where somebody at the wall can do something.
  var problems: [SourceFacts.Problem: String]
}

extension Words {
  var source: SourceWords { language == "de" ? .german : .english }
}

extension SourceWords {
  static let english = SourceWords(
    names: [
      "onebusaway": "Buses", "gtfs": "Timetables", "trafiklab": "Departures", "bell": "School day",
      "lunch": "Lunch menu",
    ],
    asOf: { "as of \($0)" }, nothingSince: { "no data since \($0)" }, nothing: "no data",
    repeatsTooOften: {
      "\($0 == 1 ? "1 event repeats" : "\($0) events repeat") too often, not every time is shown"
    },
    problems: [
      .noKey: "no key: ask oba_api_key@soundtransit.org for a key",
      .badKeyFile: "the file with the key cannot be used: run kiosk-agent --diagnose",
      .keyRejected: "the key is refused: ask oba_api_key@soundtransit.org for a key",
      .notConnected: "no connection", .slow: "the server does not answer",
      .notSecure: "no secure connection", .webPage: "the network wants a log-in",
      .unreadable: "the answer cannot be understood", .tooMany: "asked too often, waiting",
      .broken: "the server is out of order", .notFound: "the server does not know it: run kiosk-agent --diagnose",
      .timetableExpired: "the timetable has expired", .noFile: "its file cannot be read",
      .badFile: "its file has a mistake", .other: "does not work: run kiosk-agent --diagnose",
    ])

  static let german = SourceWords(
    names: [
      "onebusaway": "Busse", "gtfs": "Fahrpläne", "trafiklab": "Abfahrten", "bell": "Schultag", "lunch": "Speiseplan",
    ],
    asOf: { "Stand \($0)" }, nothingSince: { "keine Daten seit \($0)" }, nothing: "keine Daten",
    repeatsTooOften: {
      "\($0 == 1 ? "1 Termin wiederholt" : "\($0) Termine wiederholen") sich zu oft, nicht alle Male werden gezeigt"
    },
    problems: [
      .noKey: "kein Schlüssel: oba_api_key@soundtransit.org vergibt einen",
      .badKeyFile: "die Schlüsseldatei ist unbrauchbar: kiosk-agent --diagnose aufrufen",
      .keyRejected: "der Schlüssel wird abgelehnt: oba_api_key@soundtransit.org vergibt einen",
      .notConnected: "keine Verbindung", .slow: "der Server antwortet nicht",
      .notSecure: "keine sichere Verbindung", .webPage: "das Netz verlangt eine Anmeldung",
      .unreadable: "die Antwort ist unverständlich", .tooMany: "zu oft gefragt, gleich wieder",
      .broken: "der Server ist gestört", .notFound: "dem Server unbekannt: kiosk-agent --diagnose aufrufen",
      .timetableExpired: "der Fahrplan ist abgelaufen", .noFile: "die Datei ist nicht lesbar",
      .badFile: "die Datei hat einen Fehler", .other: "geht nicht: kiosk-agent --diagnose aufrufen",
    ])
}
