import Foundation
import Wall

/// What the wall can look like: each assembled by `Wall` from facts, as the agent does it.
enum PageStates {
  static let zone = TimeZone(identifier: "America/Los_Angeles") ?? .gmt
  /// Monday, 30 November 2026, 8:08.
  static let now = Date(timeIntervalSince1970: 1_796_054_880)

  static let all: [String: WallInput] = [
    "calm": wall { _ in },
    "boot": wall {
      $0.clockTrusted = false
      $0.reader = .init(state: "starting")
    },
    "oneDose": wall { $0.rail.doses = [due("Ann", "Levothyroxine", in: 22)] },
    "full": wall(full),
    "stale": wall {
      full(&$0)
      for index in $0.rail.buses.indices {
        $0.rail.buses[index].state = .stale(minutes: 4, was: now + 360)
      }
      $0.rail.faults = [
        .init(source: "lunch", name: "Lunch menu", message: "no answer for an hour", since: now - 3600)
      ]
    },
    "silences": wall {
      let silences: [BusFacts.Silence] = [
        .noServiceToday, .noMoreToday(next: now + 80_000), .timetableExpired, .providerDown(since: now - 1200),
      ]
      $0.rail.buses = silences.enumerated().map { index, silence in
        BusFacts(id: "\(index)", name: "To school", route: "4\(index)", state: .silent(silence))
      }
    },
    "struck": wall {
      $0.rail.buses = [
        BusFacts(
          id: "1", name: "Garfield Station", route: "172", state: .canceled, at: now + 300, minutes: 5,
          then: now + 1500),
        BusFacts(id: "2", name: "Bellevue", route: "RapidRide B", state: .frequency(every: 10)),
      ]
    },
    "late": wall {
      full(&$0)
      $0.late = [dose("Ann", "Levothyroxine", minutesAgo: 8)]
    },
    "lateMany": wall {
      let people = ["Christopher", "Grandmother Elizabeth", "أحمد", "Jo", "Anna-Magdalena", "Zoe"]
      $0.late = people.map { dose($0, "Amoxicillin/Clavulanic acid", minutesAgo: 68) }
    },
    "lateLong": wall {
      $0.late = [
        dose("Christopher", clavulanic, longDose, minutesAgo: 68),
        dose("Grandmother Elizabeth", "Eye drops", "2 drops", minutesAgo: 44),
        dose("Anna-Magdalena", "Levothyroxine", longDose, minutesAgo: 10),
      ]
    },
    "lateOneLong": wall { $0.late = [dose("Grandmother Elizabeth", clavulanic, longDose, minutesAgo: 68)] },
    "lateGerman": wall(language: "de") {
      $0.late = [
        dose("Großmutter Wilhelmine", "Hydrochlorothiazid, Acetylsalicylsäure", germanDose, minutesAgo: 68),
        dose("Friedrich", "Schilddrüsenhormonersatzpräparat", "1 Tablette", minutesAgo: 31),
      ]
    },
    "missedLong": wall {
      $0.ended = [
        .init(dose: dose("Ann", clavulanic, longDose, minutesAgo: 700), closedAt: now - 9000, isMissed: true),
        .init(dose: dose("Bob", "Eye drops", "2 drops", minutesAgo: 900), closedAt: now - 9000, isMissed: false),
      ]
    },
    "missedGerman": wall(language: "de") {
      $0.ended = [
        .init(
          dose: dose("Großmutter Wilhelmine", "Hydrochlorothiazid, Acetylsalicylsäure", germanDose, minutesAgo: 700),
          closedAt: now - 9000, isMissed: true)
      ]
    },
    "missed": wall {
      full(&$0)
      $0.ended = [
        .init(dose: dose("Ann", "Levothyroxine", minutesAgo: 700), closedAt: now - 9000, isMissed: true),
        .init(dose: dose("Bob", "Eye drops", minutesAgo: 900), closedAt: now - 9000, isMissed: false),
      ]
      $0.reader = .init(state: "absent")
      $0.speakerFault = "muted"
    },
    "german": wall(language: "de") {
      full(&$0)
      $0.ledgerFails = true
      $0.rail.buses[0].name = "Donaudampfschifffahrtsgesellschaft"
      $0.rail.doses = [due("Großmutter Wilhelmine", "Hydrochlorothiazid, Acetylsalicylsäure", in: 22)]
    },
  ].merging(overlays) { $1 }

  static let clavulanic = "Amoxicillin/Clavulanic acid, film-coated, 875 mg/125 mg"
  static let longDose = "1 tablet with much water, right after the meal"
  /// Nearly as long as a text of a household is on the wall: 60 characters.
  static let germanDose = "1½ Tabletten, unzerkaut mit viel Flüssigkeit nach dem Essen"

  private static let overlays = [
    "taken": overlay(.taken) {
      $0.credited = [.init(medication: "Levothyroxine", dose: "1 tablet", dueAt: now)]
    },
    "alreadyTaken": overlay(.alreadyTaken) {
      $0.lastTakenAt = now - 600
      $0.nextFrom = now + 80_000
    },
    "unknownTag": overlay(.unknownTag) { $0.uid = "04A1B2C3D4E5F6" },
    "notRecorded": overlay(.notRecorded) { $0.cause = "full" },
  ]

  /// As the page gets it, with what the agent does not fill yet.
  static func json(_ input: WallInput, mode: String = "day") -> String {
    let text = input.snapshot(v: 1).json
    guard var object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else { return text }
    object["mode"] = mode
    if !input.rail.periodChanges.isEmpty,
      let filled = try? JSONSerialization.jsonObject(with: Data(school.utf8)) as? [String: Any]
    {
      object.merge(filled) { $1 }
    }
    guard let data = try? JSONSerialization.data(withJSONObject: object) else { return text }
    return String(decoding: data, as: UTF8.self)
  }

  private static let school = """
    {"period": {"text": "Period 2 · 4 min left · ends 8:12", "people": [
       {"id": "ann", "name": "Ann", "text": "Lunch A · 4 min left"},
       {"id": "bob", "name": "Bob", "text": "Period 2b · 14 min left"}]},
     "agenda": [
       {"text": "8:30", "title": "Dentist", "state": "next"},
       {"text": "10:00", "title": "Parent-teacher conference, room 12 with Mrs. Delgado",
        "note": "clashes with Swim practice, 5 min short after Dentist", "state": "later"},
       {"text": "15:30", "title": "Swim practice 🏊", "state": "later"},
       {"text": "18:00", "title": "Dinner", "state": "later"}],
     "sources": [{"id": "onebusaway", "state": "aging", "fetchedAt": null, "message": "Buses as of 8:05"}]}
    """

  /// Six cards: four and two more.
  private static func full(_ input: inout WallInput) {
    input.rail.buses = [
      BusFacts(
        id: "1", name: "Garfield Station", route: "172",
        state: .predicted(lateSeconds: 360, scheduledAt: now, age: nil), at: now + 420, minutes: 7),
      BusFacts(
        id: "2", name: "Jackson Park Express", route: "6",
        state: .predicted(lateSeconds: 0, scheduledAt: now + 540, age: 2), at: now + 540, minutes: 9,
        advice: .leave(inMinutes: 4), then: now + 1380),
      BusFacts(id: "3", name: "Midway", route: "55", state: .scheduled(heard: nil), at: now + 660, minutes: 11),
    ]
    input.rail.doses = [due("Ann", "Levothyroxine", in: 22)]
    input.rail.periodChanges = [.init(id: "3", title: "Period 3", at: now + 240)]
    input.rail.events = [.init(id: "dentist", title: "Dentist", start: now + 1320)]
  }

  private static func wall(language: String = "en", _ change: (inout WallInput) -> Void) -> WallInput {
    var input = WallInput(
      agent: "1.0", boot: "b1", now: now, zone: zone, language: language, clockTrusted: true,
      reader: .init(state: "ready", name: "ACS ACR122U", since: now - 3600))
    change(&input)
    return input
  }

  private static func overlay(_ outcome: TapFacts.Outcome, _ change: (inout TapFacts) -> Void) -> WallInput {
    var facts = TapFacts(outcome: outcome, at: now)
    facts.person = "Christopher"
    change(&facts)
    let texts = TapTextWriter(language: "en", zone: zone).texts(facts)
    return wall { $0.overlay = .init(kind: outcome, texts: texts, until: now + 6) }
  }

  private static func due(_ person: String, _ medication: String, in minutes: Double) -> RailInput.Dose {
    .init(personID: person, person: person, medication: medication, dueAt: now + minutes * 60, isLate: false)
  }

  private static func dose(
    _ person: String, _ medication: String, _ amount: String = "1 tablet", minutesAgo: Double
  ) -> WallInput.Dose {
    .init(person: person, medication: medication, dose: amount, dueAt: now - minutesAgo * 60)
  }
}
