extension Words {
  static let german = Words(
    language: "de",
    yesterday: "gestern", tomorrow: "morgen",
    weekdays: ["Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"], shortDay: 2,
    months: [
      "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
      "Dezember",
    ],
    dayAndMonth: { "\($0). \($1)" },
    taken: { $0.isEmpty ? "Danke" : "Danke, \($0)" },
    paused: "Erinnerungen sind ausgesetzt; die Einnahme ist gespeichert",
    alreadyTaken: { $0.isEmpty ? "Schon gespeichert" : "\($0): schon gespeichert" },
    lastTaken: { "zuletzt \($0)" },
    nextFrom: { "wieder ab \($0)" },
    nothingNext: "keine weitere Einnahme ist vorgesehen",
    wrongWindow: { $0.isEmpty ? "Jetzt ist nichts fällig" : "\($0): jetzt ist nichts fällig" },
    wasMissed: { "versäumt: \($0)" },
    unknownTag: "Unbekannter Anhänger",
    unknownTagDetail: { "\($0) gehört noch niemandem" },
    randomTag: "Kein Anhänger",
    randomTagDetail: "Ein Telefon oder eine Bankkarte zeigt jedes Mal eine neue Nummer und taugt nicht dafür",
    unreadable: "Nicht gelesen",
    unreadableReasons: [
      "mute": "der Anhänger hat nicht geantwortet", "torn": "die Antwort des Anhängers brach ab",
      "tooShort": "das war zu schnell",
      "communicationError": "der Leser hat den Anhänger verloren", "refused": "der Anhänger nennt keine Nummer",
      "malformed": "die Antwort des Anhängers ergibt keinen Sinn", "inUse": "ein anderes Programm hält den Leser",
      "serviceLost": "der Kartendienst ist weg", "removedTooSoon": "der Anhänger war zu früh weg",
      "resetByOther": "ein anderes Programm hat den Leser gestört", "timedOut": "der Leser hat zu lange gebraucht",
    ],
    unreadableOtherwise: "der Anhänger war nicht zu lesen",
    tapAgain: "noch einmal auflegen und halten",
    stillThere: "Bitte noch einmal antippen",
    stillThereDetail: "Der Anhänger lag noch auf dem Leser: kurz hochheben, dann antippen",
    notRecorded: "NICHT gespeichert",
    notRecordedDetail: { "\($0). Bitte aufschreiben und Bescheid geben" },
    causes: [
      "full": "Der Speicher ist voll", "readOnly": "Der Speicher lässt sich nicht beschreiben",
      "locked": "Ein anderes Programm hält die Aufzeichnungen",
      "damaged": "Die Aufzeichnungen lassen sich nicht öffnen",
      "newerSchema": "Die Aufzeichnungen lassen sich nicht öffnen",
      "cannotOpen": "Die Aufzeichnungen lassen sich nicht öffnen",
      "notFound": "Die Aufzeichnungen lassen sich nicht öffnen",
      "replaced": "Die Aufzeichnungen lassen sich nicht öffnen", "io": "Der Speicher arbeitet nicht",
    ],
    pending: { $0.isEmpty ? "Gespeichert" : "Gespeichert, \($0)" },
    pendingDetail: "die Uhrzeit wird noch bestätigt: die Uhr ist nicht gestellt",
    due: { "fällig \($0)" },
    refusedTaken: { "\($0) schon gespeichert \($1)" },
    refusedTooSoon: { "\($0) nicht vor \($1)" },
    refusedNotDue: { medication, time in time.map { "\(medication) ab \($0)" } ?? "\(medication) nicht vorgesehen" },
    lateBy: { hours, minutes in hours == 0 ? "\(minutes) Min. überfällig" : "\(hours) Std. \(minutes) Min. überfällig"
    },
    missed: { "versäumt \($0)" },
    notKnown: { "\($0) nicht erfasst: die Wand war aus" },
    lost: { "\($0) nicht bekannt: die Aufzeichnung ist vielleicht verloren" },
    lateHeading: "Überfällig", missedHeading: "Versäumt", more: "weitere",
    clockWrong: "Die Uhr ist noch nicht gestellt: Einnahmen werden gespeichert, Erinnerungen warten",
    readerStates: [
      "starting": "Leser startet", "ready": "Leser bereit", "absent": "Kein Leser",
      "unavailable": "Leser antwortet nicht",
      "noService": "Kein Kartendienst", "unknown": "Leser nicht gefragt",
    ],
    tagLying: "Anhänger abheben und noch einmal auflegen",
    readerBanners: [
      "absent": "Kein Leser angeschlossen: Einnahmen können nicht gespeichert werden",
      "unavailable": "Der Leser antwortet nicht: Einnahmen können nicht gespeichert werden",
      "noService": "Der Kartendienst läuft nicht: Einnahmen können nicht gespeichert werden",
      "refused": "Der Kartendienst verweigert sich: Einnahmen können nicht gespeichert werden",
      "gone": "Der Leser ist weg: Einnahmen können nicht gespeichert werden",
      "hung": "Der Leser kommt von einem Befehl nicht zurück: Einnahmen können nicht gespeichert werden",
    ],
    ledgerBanner: "Einnahmen können gerade nicht gespeichert werden",
    recordsLost: { since in
      "\(since.map { "Aufzeichnungen seit \($0)" } ?? "Frühere Aufzeichnungen") sind vielleicht verloren: "
        + "Einnahmen dieser Zeit sind nicht bekannt"
    },
    unknownTime: { names in
      "\(names.isEmpty ? "" : "\(names): ")aufgelegt zu unbekannter Zeit, vor dem Neustart"
    },
    soundBanner: { state in
      switch state {
      case "muted": "Der Lautsprecher ist stumm geschaltet"
      case "quiet": "Der Lautsprecher ist fast unhörbar"
      case "hdmi": "Der Ton geht an den Bildschirm und endet, wenn er schläft"
      case "badFile": "Eine Tondatei fehlt oder ist kaputt: ein einfacher Ton ist zu hören"
      case "busy": "Kein Ton: ein anderes Programm hält den Lautsprecher"
      case "noPermission": "Kein Ton: der Lautsprecher darf nicht benutzt werden"
      case "failing", "hung": "Kein Ton: der Lautsprecher antwortet nicht"
      default: "Kein Ton: der Lautsprecher ist nicht da"
      }
    },
    configurationBanner: "Die Einstellungen haben einen Fehler: die letzten guten gelten",
    testBanner: "TEST: Jetzt wird nichts eingetragen",
    testHeadline: "TEST",
    testRead: { "Tag in \($0) ms gelesen; nichts wird eingetragen" },
    hiddenRows: { "\($0) weitere überfällige oder versäumte Einnahmen stehen hier nicht" },
    connectionLost: "Die Wand hat keine Verbindung seit",
    restarting: "Die Wand startet neu", updated: "Stand")
}
