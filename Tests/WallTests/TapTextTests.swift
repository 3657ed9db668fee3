internal import Foundation
internal import Testing

@testable internal import Wall

/// What people read after a tap, word for word.
@Suite struct TapTextTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var facts: TapFacts
    var style: TapTexts.Style
    var english: (headline: String, detail: String)
    var german: (headline: String, detail: String)

    init(
      _ name: String, _ outcome: TapFacts.Outcome, at now: Date = at(2, "8:07"), person: String? = "Ann",
      _ style: TapTexts.Style, en english: (String, String), de german: (String, String),
      _ fill: (inout TapFacts) -> Void = { _ in }
    ) {
      self.name = name
      facts = TapFacts(outcome: outcome, at: now)
      facts.person = person
      fill(&facts)
      self.style = style
      self.english = english
      self.german = german
    }

    var testDescription: String { name }
  }

  private static let morning = TapFacts.Dose(medication: "Levothyroxine", dose: "1 tablet", dueAt: at(2, "8:00"))

  private static func refused(_ reason: TapFacts.Refused.Reason, _ at: Date?) -> TapFacts.Refused {
    TapFacts.Refused(medication: "Iron", reason: reason, at: at)
  }

  static let taken = [
    Case(
      "one dose", .taken, .good, en: ("Thank you, Ann", "Levothyroxine, 1 tablet (due 8:00)"),
      de: ("Danke, Ann", "Levothyroxine, 1 tablet (fällig 8:00)")
    ) { $0.credited = [morning] },
    Case(
      "a dose of Saturday, after midnight", .taken, at: at(8, "0:30"), .good,
      en: ("Thank you, Ann", "Iron (due Sat 22:00)"), de: ("Danke, Ann", "Iron (fällig Sa 22:00)")
    ) { $0.credited = [.init(medication: "Iron", dose: nil, dueAt: at(7, "22:00"))] },
    Case(
      "another already taken", .taken, .warn,
      en: ("Thank you, Ann", "Levothyroxine, 1 tablet (due 8:00); Iron already recorded 6:30"),
      de: ("Danke, Ann", "Levothyroxine, 1 tablet (fällig 8:00); Iron schon gespeichert 6:30")
    ) {
      $0.credited = [morning]
      $0.refused = [refused(.alreadyTaken, at(2, "6:30"))]
    },
    Case(
      "another too soon", .taken, .warn,
      en: ("Thank you, Ann", "Levothyroxine, 1 tablet (due 8:00); Iron not before 10:00"),
      de: ("Danke, Ann", "Levothyroxine, 1 tablet (fällig 8:00); Iron nicht vor 10:00")
    ) {
      $0.credited = [morning]
      $0.refused = [refused(.tooSoon, at(2, "10:00"))]
    },
    Case(
      "another not due", .taken, .good,
      en: ("Thank you, Ann", "Levothyroxine, 1 tablet (due 8:00); Iron from tomorrow 6:00; Iron not planned"),
      de: ("Danke, Ann", "Levothyroxine, 1 tablet (fällig 8:00); Iron ab morgen 6:00; Iron nicht vorgesehen")
    ) {
      $0.credited = [morning]
      $0.refused = [refused(.notDue, at(3, "6:00")), refused(.notDue, nil)]
    },
    Case(
      "a paused person", .taken, .good,
      en: ("Thank you, Ann", "Reminders are paused; the dose is recorded; Levothyroxine, 1 tablet (due 8:00)"),
      de: (
        "Danke, Ann",
        "Erinnerungen sind ausgesetzt; die Einnahme ist gespeichert; Levothyroxine, 1 tablet (fällig 8:00)"
      )
    ) {
      $0.credited = [morning]
      $0.isPaused = true
    },
    Case(
      "a person who is gone", .taken, person: nil, .good, en: ("Thank you", "Levothyroxine, 1 tablet (due 8:00)"),
      de: ("Danke", "Levothyroxine, 1 tablet (fällig 8:00)")
    ) { $0.credited = [morning] },
  ]

  static let others = [
    Case(
      "already taken", .alreadyTaken, .warn, en: ("Ann: already recorded", "last recorded 7:02; next from 18:00"),
      de: ("Ann: schon gespeichert", "zuletzt 7:02; wieder ab 18:00")
    ) {
      $0.lastTakenAt = at(2, "7:02")
      $0.nextFrom = at(2, "18:00")
    },
    Case(
      "already taken, the night before", .alreadyTaken, at: at(3, "0:10"), .warn,
      en: ("Ann: already recorded", "last recorded yesterday 23:50; next from Thu 6:00"),
      de: ("Ann: schon gespeichert", "zuletzt gestern 23:50; wieder ab Do 6:00")
    ) {
      $0.lastTakenAt = at(2, "23:50")
      $0.nextFrom = at(5, "6:00")
    },
    Case(
      "already taken, the clock not set", .alreadyTaken, .warn, en: ("Ann: already recorded", ""),
      de: ("Ann: schon gespeichert", "")),
    Case(
      "wrong time", .wrongWindow, .warn, en: ("Ann: no dose is due now", "next from tomorrow 6:00"),
      de: ("Ann: jetzt ist nichts fällig", "wieder ab morgen 6:00")
    ) { $0.nextFrom = at(3, "6:00") },
    Case(
      "wrong time, and missed ones", .wrongWindow, .warn,
      en: (
        "Ann: no dose is due now",
        "no further dose is planned; missed: Levothyroxine 8:00, Iron Sun 22:00, Iron Sun 21:00, +1 more"
      ),
      de: (
        "Ann: jetzt ist nichts fällig",
        "keine weitere Einnahme ist vorgesehen; versäumt: Levothyroxine 8:00, Iron So 22:00, Iron So 21:00, +1 weitere"
      )
    ) {
      $0.missed =
        [morning] + ["22:00", "21:00", "20:00"].map { .init(medication: "Iron", dose: nil, dueAt: at(1, $0)) }
    },
    Case(
      "unknown tag", .unknownTag, person: nil, .bad, en: ("Unknown tag", "04A1B2C3D4E5F6 belongs to nobody yet"),
      de: ("Unbekannter Anhänger", "04A1B2C3D4E5F6 gehört noch niemandem")
    ) { $0.uid = "04A1B2C3D4E5F6" },
    Case(
      "a phone", .unknownTag, person: nil, .bad,
      en: ("Not a tag", "A phone or bank card shows a new number at every tap and cannot be used"),
      de: ("Kein Anhänger", "Ein Telefon oder eine Bankkarte zeigt jedes Mal eine neue Nummer und taugt nicht dafür")
    ) {
      $0.uid = "08123456"
      $0.isRandomUID = true
    },
    Case(
      "mute", .unreadable, person: nil, .bad, en: ("Not read", "the tag did not answer: tap again and hold"),
      de: ("Nicht gelesen", "der Anhänger hat nicht geantwortet: noch einmal auflegen und halten")
    ) { $0.unreadable = "mute" },
    Case(
      "a reason of a later version", .unreadable, person: nil, .bad,
      en: ("Not read", "the tag could not be read: tap again and hold"),
      de: ("Nicht gelesen", "der Anhänger war nicht zu lesen: noch einmal auflegen und halten")
    ) { $0.unreadable = "somethingNew" },
    Case(
      "full disk", .notRecorded, .bad,
      en: ("NOT recorded", "The disk is full. Write it down and tell whoever looks after this wall"),
      de: ("NICHT gespeichert", "Der Speicher ist voll. Bitte aufschreiben und Bescheid geben")
    ) { $0.cause = "full" },
    Case(
      "not recorded, cause not known", .notRecorded, .bad,
      en: ("NOT recorded", "Doses cannot be recorded now. Write it down and tell whoever looks after this wall"),
      de: (
        "NICHT gespeichert", "Einnahmen können gerade nicht gespeichert werden. Bitte aufschreiben und Bescheid geben"
      )),
    Case(
      "clock not set", .pendingTime, .good,
      en: ("Recorded, Ann", "the time is to be confirmed: the clock is not set yet"),
      de: ("Gespeichert, Ann", "die Uhrzeit wird noch bestätigt: die Uhr ist nicht gestellt")),
    Case(
      "a bounce", .ignored, .warn,
      en: ("Please tap once more", "The tag was still on the reader: lift it off for a moment, then tap"),
      de: ("Bitte noch einmal antippen", "Der Anhänger lag noch auf dem Leser: kurz hochheben, dann antippen")),
  ]

  @Test(arguments: taken + others)
  func `the answer is told in both languages`(example: Case) {
    for (language, expected) in [("en", example.english), ("de", example.german)] {
      let texts = TapTextWriter(language: language, zone: losAngeles).texts(example.facts)
      #expect(texts.headline == expected.headline)
      #expect(texts.detail == expected.detail)
      #expect(texts.style == example.style)
      #expect(texts.message == [expected.headline, expected.detail].filter { !$0.isEmpty }.joined(separator: ": "))
    }
  }

  @Test func `every outcome has a case, a sound and a stay`() {
    #expect(Set((Self.taken + Self.others).map(\.facts.outcome)) == Set(TapFacts.Outcome.allCases))
    let table = TapFacts.Outcome.allCases.map { "\($0.rawValue) \($0.sound) \($0.stay.components.seconds)" }
    #expect(
      table == [
        "taken success 6", "alreadyTaken failure 6", "wrongWindow failure 8", "unknownTag failure 8",
        "unreadable failure 6",
        "notRecorded failure 60", "pendingTime success 8", "ignored none 8",
      ])
  }

  @Test(arguments: Words.english.unreadableReasons.keys.sorted())
  func `every failed read has its own reason and the same advice`(reason: String) {
    for language in TapTextWriter.languages {
      let words = Words.of(language)
      #expect(Set(words.unreadableReasons.values).count == Words.english.unreadableReasons.count, "\(language)")
      var facts = TapFacts(outcome: .unreadable, at: at(2, "8:00"))
      facts.unreadable = reason
      let detail = TapTextWriter(language: language, zone: losAngeles).texts(facts).detail
      #expect(detail.hasSuffix(words.tapAgain))
      #expect(!detail.hasPrefix(words.unreadableOtherwise))
      #expect(words.unreadableReasons[reason].map { detail.hasPrefix($0) } == true)
    }
  }

  @Test func `a tag of many medications names eight and counts the rest`() {
    var facts = TapFacts(outcome: .taken, at: at(2, "8:00"))
    facts.credited = (1...200).map { .init(medication: "M\($0)", dose: nil, dueAt: at(2, "8:00")) }
    let detail = TapTextWriter(language: "en", zone: losAngeles).texts(facts).detail
    #expect(detail.hasPrefix("M1 (due 8:00); M2 (due 8:00)"))
    #expect(detail.hasSuffix("M8 (due 8:00); +192 more"))
  }

  @Test func `a paused person is told so even among many medications`() {
    var facts = TapFacts(outcome: .taken, at: at(2, "8:00"))
    facts.credited = (1...200).map { .init(medication: "M\($0)", dose: nil, dueAt: at(2, "8:00")) }
    facts.isPaused = true
    #expect(TapTextWriter(language: "en", zone: losAngeles).texts(facts).detail.contains("paused"))
  }

  @Test func `no text tells anyone to take or to skip a dose`() {
    let forbidden = ["take ", "skip", "einnehmen", "nehmen sie", "auslassen", "don't", "do not take"]
    for example in Self.taken + Self.others {
      for language in TapTextWriter.languages {
        let message = TapTextWriter(language: language, zone: losAngeles).texts(example.facts).message.lowercased()
        for word in forbidden { #expect(!message.contains(word), "\(example.name): \(message)") }
      }
    }
  }

  @Test(arguments: [
    ("Ann", "Ann"), ("", ""), (String(repeating: "a", count: 60), String(repeating: "a", count: 60)),
    (String(repeating: "a", count: 61), String(repeating: "a", count: 60) + "…"),
    (String(repeating: "王", count: 60), String(repeating: "王", count: 39) + "…"), ("A\nB\u{0}C", "A B C"),
    ("A" + String(repeating: "\u{301}", count: 5000), "…"),
  ])
  func `a name is bounded in characters and bytes`(name: String, bounded: String) {
    #expect(TapTextWriter.bounded(name) == bounded)
  }

  @Test(arguments: [("w", 60), ("錠", 39), ("💊", 29)])
  func `a dose of a usual length is told whole`(character: String, count: Int) {
    let dose = String(repeating: character, count: count)
    #expect(TapTextWriter.isShownWhole(dose))
    #expect(!TapTextWriter.isShownWhole(dose + character))
    var facts = TapFacts(outcome: .taken, at: at(2, "8:07"))
    facts.credited = [.init(medication: "Iron", dose: dose, dueAt: at(2, "8:00"))]
    #expect(TapTextWriter(language: "en", zone: losAngeles).texts(facts).detail == "Iron, \(dose) (due 8:00)")
  }
}
