import Foundation
import Testing

/// Instants of a household's days at which there is something to see on its wall.
struct AgentPageState: Sendable, CustomTestStringConvertible {
  /// What is wrong with the world.
  enum Trouble: Sendable {
    /// The agent has not been heard by its page for so many seconds.
    case silent(Int)
    /// The buses have not been heard of for so many seconds; the machine slept, and its provider fails now.
    case staleBuses(Int64)
    case noReader
  }

  var name: String
  /// The wall's clock, in UTC.
  var at: String
  /// What the page must say, wherever; a number in braces is that of the state's own minute, and goes on with the clock.
  var says: [String]
  var language = "en"
  var household = family
  /// Seconds before, at which the household is imported.
  var importedBefore: Int64 = 120
  var overridden: String?
  /// Seconds that every bus is behind its timetable.
  var busesLate = 240
  var mode = "day"
  var trouble: Trouble?

  var testDescription: String { name }

  /// Whether the text says the words as they are at one of the minutes from the state's own up to so many after it.
  ///
  /// The clock of the agent goes on while it starts and four panels are looked at, which takes as long as the machine likes.
  static func isSaid(_ words: String, in text: String, minutesLater: Int) -> Bool {
    guard let number = words.firstMatch(of: #/\{(\d+)\}/#), let first = Int(number.1) else {
      return text.contains(words)
    }
    return (0...max(0, minutesLater)).contains { minute in
      text.contains(words.replacingCharacters(in: number.range, with: String(first + minute)))
    }
  }

  static let all = [
    AgentPageState(name: "period", at: "2026-12-01T09:40:00Z", says: ["Period 2", "min left", "ends 10:13"]),
    AgentPageState(name: "passing", at: "2026-12-01T10:14:30Z", says: ["Period 3", "10:18"]),
    AgentPageState(name: "lunch", at: "2026-12-01T12:10:00Z", says: ["Lunch", "Ann", "Bob", "Period 5"]),
    AgentPageState(name: "weekend", at: "2026-12-05T10:00:00Z", says: ["Weekend", "Mon"]),
    AgentPageState(
      name: "override", at: "2026-12-01T09:40:00Z", says: ["Late Arrival", "10:30"], overridden: "Late Arrival"),
    AgentPageState(
      name: "agenda", at: "2026-12-01T15:50:00Z", says: ["Dentist", "16:00", "Choir", "clashes with Choir"]),
    AgentPageState(name: "bus", at: "2026-12-01T07:01:00Z", says: ["45", "To school", "4 min late"]),
    AgentPageState(
      name: "stale", at: "2026-12-01T07:01:00Z", says: ["45", "To school", "heard {5} min ago"],
      trouble: .staleBuses(300)),
    // Its time in the timetable is over, and what was predicted is too old to be vouched for.
    AgentPageState(
      name: "noData", at: "2026-12-01T07:01:00Z", says: ["45", "To school", "–", "no data for", "was 7:10"],
      busesLate: 600, trouble: .staleBuses(285)),
    AgentPageState(name: "night", at: "2026-12-01T23:10:00Z", says: ["23:{10}"], mode: "night"),
    AgentPageState(
      name: "nightLate", at: "2026-12-01T23:10:00Z", says: ["Ann", "Levothyroxine", "1 tablet", "{10} min late"],
      household: onePatient(at: "23:00", closesAfter: 50), mode: "night"),
    AgentPageState(name: "german", at: "2026-12-01T09:40:00Z", says: ["Dienstag"], language: "de"),
    AgentPageState(name: "unset", at: "2020-01-01T00:00:00Z", says: ["--:--"]),
    AgentPageState(
      name: "full", at: "2026-12-01T10:09:00Z", says: ["4 min late", "more"], household: crowd),
    AgentPageState(
      name: "late", at: "2026-12-01T08:10:00Z", says: ["Ann", "Levothyroxine", "1 tablet", "{10} min"],
      household: onePatient()),
    AgentPageState(
      name: "lateMany", at: "2026-12-01T11:08:00Z", says: ["Grandmother", "أحمد", "Bob", "{48} min late"],
      household: crowd),
    AgentPageState(
      name: "missed", at: "2026-12-01T12:30:00Z", says: ["Levothyroxine", "8:00"], household: onePatient(),
      importedBefore: 7200),
    AgentPageState(
      name: "offline", at: "2026-12-01T09:40:00Z", says: ["The wall has lost its connection for", "Period 2"],
      trouble: .silent(26)),
    AgentPageState(
      name: "gone", at: "2026-12-01T09:40:00Z", says: ["The wall has lost its connection for", "--:--"],
      trouble: .silent(121)),
    AgentPageState(
      name: "noReader", at: "2026-12-01T09:40:00Z", says: ["No card service", "taps cannot be recorded"],
      trouble: .noReader),
  ]

  private static let family = """
    { people: [{ id: 'ann', name: 'Ann' }, { id: 'bob', name: 'Bob' }], medications: [], tags: [],
      watches: [{ id: 'school', label: 'To school', source: 'onebusaway', stop: '1_75403', route: '1_100225',
                  walkMinutes: 2 }],
      bell: { school: 'bell.json5', people: [{ id: 'ann', lunch: '5A', halfPeriods: true },
                                             { id: 'bob', lunch: '5B', halfPeriods: true }] } }
    """

  private static func onePatient(at time: String = "08:00", closesAfter minutes: Int = 240) -> String {
    """
    { people: [{ id: 'ann', name: 'Ann' }], tags: [],
      medications: [{ id: 'levo', person: 'ann', name: 'Levothyroxine', dose: '1 tablet',
                      times: [{ at: '\(time)', opensBefore: 120, closesAfter: \(minutes),
                                since: '2019-01-01T00:00:00+00:00' }] }] }
    """
  }

  /// Long names, names from right to left, and more to say than there is room for.
  private static let crowd = """
    { people: [{ id: 'ann', name: 'Ann' }, { id: 'bob', name: 'Bob' }, { id: 'eli', name: 'Grandmother Elizabeth' },
               { id: 'ahmad', name: 'أحمد' }, { id: 'noa', name: 'נועה' }], tags: [],
      medications: [
        { id: 'a', person: 'ann', name: 'Levothyroxine', dose: '1 tablet', times: [{ at: '10:30', \(window) }] },
        { id: 'b', person: 'bob', name: 'Eye drops', dose: '2 drops', times: [{ at: '10:20', \(window) }] },
        { id: 'c', person: 'eli', name: 'Amoxicillin/Clavulanic acid, film-coated', dose: '1 tablet with much water',
          times: [{ at: '10:40', \(window) }] },
        { id: 'd', person: 'ahmad', name: 'أموكسيسيلين', dose: '٥ مل', times: [{ at: '10:50', \(window) }] },
        { id: 'e', person: 'noa', name: 'אקמול', dose: '1', times: [{ at: '10:55', \(window) }] }],
      watches: [{ id: 'school', label: 'To school', source: 'onebusaway', stop: '1_75403', route: '1_100225',
                  walkMinutes: 2, window: { days: ['tue'], from: '06:00', to: '11:00' } },
                { id: 'long', label: 'Donaudampfschifffahrtsgesellschaftskapitänsplatz', source: 'onebusaway',
                  stop: '1_75404', route: '1_100226', window: { days: ['tue'], from: '06:00', to: '11:00' } },
                { id: 'rtl', label: 'إلى المدرسة', source: 'onebusaway', stop: '1_75405', route: '1_100227',
                  window: { days: ['tue'], from: '06:00', to: '11:00' } }],
      bell: { school: 'bell.json5', people: [{ id: 'ann', lunch: '5A', halfPeriods: true },
                                             { id: 'eli', lunch: '5B', halfPeriods: true },
                                             { id: 'ahmad', lunch: '5A', halfPeriods: false }] } }
    """

  private static let window = "opensBefore: 60, closesAfter: 60, since: '2019-01-01T00:00:00+00:00'"

  static let school = """
    { name: 'Hillside School', timeZone: 'UTC', regular: 'Standard',
      dayTypes: {
        'Standard': {
          periods: { '1': '8:30-9:21', '2': '9:26-10:13', '3': '10:18-11:05', '4': '11:10-11:57', '5': '12:02-12:49',
                     '6': '12:54-13:41' },
          halves: { '1A': '8:30-8:54', '1B': '9:01-9:21', '2A': '9:26-9:46', '2B': '9:53-10:13', '3A': '10:18-10:38',
                    '3B': '10:45-11:05', '4A': '11:10-11:30', '4B': '11:37-11:57', '5A': '12:02-12:22',
                    '5B': '12:29-12:49', '6A': '12:54-13:14', '6B': '13:21-13:41' } },
        'Late Arrival': { periods: { '1': '10:30-11:05', '2': '11:10-11:40', '3': '11:45-12:15', '4': '12:20-12:55' } },
        'No School': { periods: {} } },
      exceptions: { 'No School': ['2026-11-26'] },
      years: [{ first: '2026-08-12', last: '2027-05-27', breaks: [] }] }
    """

  /// Two at once for one person, one after the other, one of all day, one from right to left.
  static let calendar = """
    BEGIN:VCALENDAR\r
    VERSION:2.0\r
    PRODID:-//kiosk-agent//test//EN\r
    BEGIN:VEVENT\r
    UID:1\r
    DTSTART:20261201T160000Z\r
    DTEND:20261201T170000Z\r
    SUMMARY:Dentist\r
    LOCATION:Mill Road 12\r
    END:VEVENT\r
    BEGIN:VEVENT\r
    UID:2\r
    DTSTART:20261201T163000Z\r
    DTEND:20261201T180000Z\r
    SUMMARY:Choir\r
    LOCATION:Town Hall\r
    END:VEVENT\r
    BEGIN:VEVENT\r
    UID:3\r
    DTSTART;VALUE=DATE:20261201\r
    SUMMARY:Bins out\r
    END:VEVENT\r
    BEGIN:VEVENT\r
    UID:4\r
    DTSTART:20261201T190000Z\r
    DTEND:20261201T200000Z\r
    SUMMARY:Dinner with the neighbours from number twelve\r
    END:VEVENT\r
    BEGIN:VEVENT\r
    UID:5\r
    DTSTART:20261201T103000Z\r
    DTEND:20261201T104500Z\r
    SUMMARY:لقاء مع المعلمة\r
    END:VEVENT\r
    END:VCALENDAR\r

    """
}
