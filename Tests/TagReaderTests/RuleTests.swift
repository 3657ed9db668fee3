import Testing

@testable import TagReader

struct AbsencesTests {
  @Test func `a reader that was never there is no fault`() {
    var absences = Absences()
    absences.update(available: [], at: .zero)
    #expect(absences.gone(for: .seconds(30), at: .seconds(10_000)) == nil)
  }

  @Test func `a reader that was there is one after the time, and not before`() {
    var absences = Absences()
    absences.update(available: ["ACS"], at: .zero)
    absences.update(available: [], at: .seconds(5))
    absences.update(available: [], at: .seconds(20))
    #expect(absences.gone(for: .seconds(30), at: .milliseconds(34_999)) == nil)
    #expect(absences.gone(for: .seconds(30), at: .seconds(35)) == "ACS")
    absences.update(available: ["ACS"], at: .seconds(36))
    #expect(absences.gone(for: .seconds(30), at: .seconds(10_000)) == nil)
  }

  @Test func `the time without pcscd does not count`() {
    var absences = Absences()
    absences.update(available: ["ACS"], at: .zero)
    absences.update(available: [], at: .seconds(5))
    absences.pause(at: .seconds(25))
    #expect(absences.gone(for: .seconds(30), at: .seconds(10_000)) == nil)
    absences.update(available: [], at: .seconds(10_000))
    #expect(absences.gone(for: .seconds(30), at: .milliseconds(10_009_999)) == nil)
    #expect(absences.gone(for: .seconds(30), at: .seconds(10_010)) == "ACS")
  }

  @Test func `of two alike the missing one is missed`() {
    var absences = Absences()
    absences.update(available: ["ACS", "ACS"], at: .zero)
    absences.update(available: ["ACS"], at: .seconds(1))
    #expect(absences.gone(for: .seconds(30), at: .seconds(31)) == "ACS")
  }
}

struct RefusalsTests {
  @Test func `three refusals over three seconds are polkit's, fewer or faster ones a dying pcscd's`() {
    var refusals = Refusals()
    for milliseconds in [0, 50, 150] { refusals.count(true, at: .milliseconds(milliseconds)) }
    #expect(!refusals.isCertain)
    refusals.count(true, at: .milliseconds(3000))
    #expect(refusals.isCertain)
    refusals.count(false, at: .milliseconds(3100))
    #expect(!refusals.isCertain)
    refusals.count(true, at: .seconds(4))
    refusals.count(true, at: .seconds(8))
    #expect(!refusals.isCertain)
  }
}

struct SpinGuardTests {
  @Test func `fifty empty returns within a second are let pass, the next one pauses`() {
    var spin = SpinGuard()
    let pauses = (0..<102).filter { spin.turned(isNews: false, at: .seconds(5) + .milliseconds($0)) }
    #expect(pauses == [50, 101])
  }

  @Test func `news and time begin the count anew`() {
    var spin = SpinGuard()
    for step in 0..<2000 {
      let pauses = spin.turned(isNews: step % 50 == 0, at: .milliseconds(step))
      #expect(!pauses)
    }
    var slow = SpinGuard()
    let pauses = (0..<200).filter { slow.turned(isNews: false, at: .milliseconds($0 * 25)) }
    #expect(pauses.isEmpty)
  }
}

struct SightingsTests {
  static let a: [UInt8] = [1, 2, 3, 4]
  static let b: [UInt8] = [5, 6, 7, 8]

  @Test func `a tag is last seen when it was lifted`() {
    var sightings = Sightings()
    let first = sightings.read(Self.a, on: "r", presence: 1, presentAt: .seconds(1))
    #expect(first == nil)
    sightings.lifted(from: "r", at: .seconds(9))
    let other = sightings.read(Self.b, on: "r", presence: 2, presentAt: .seconds(10))
    #expect(other == nil)
    sightings.lifted(from: "r", at: .seconds(11))
    let again = sightings.read(Self.a, on: "other", presence: 3, presentAt: .seconds(12))
    #expect(again == .seconds(9))
  }

  @Test func `one that never left was seen until now`() {
    var sightings = Sightings()
    _ = sightings.read(Self.a, on: "r", presence: 1, presentAt: .seconds(1))
    let here = sightings.read(Self.a, on: "other", presence: 2, presentAt: .seconds(7))
    #expect(here == .seconds(7))
  }

  @Test func `phones with a new number each time do not fill the memory`() {
    var sightings = Sightings()
    _ = sightings.read(Self.a, on: "r", presence: 0, presentAt: .zero)
    for tap in 1..<1000 {
      sightings.lifted(from: "r", at: .seconds(tap))
      _ = sightings.read([8, 0, UInt8(tap / 256), UInt8(tap % 256)], on: "r", presence: UInt64(tap), presentAt: .zero)
    }
    let forgotten = sightings.read(Self.a, on: "r", presence: 9999, presentAt: .seconds(2000))
    #expect(forgotten == nil)
  }
}

struct ReadingsTests {
  static let job = Readings.Job(reader: "r", presence: 5, presentAt: .seconds(10), counter: 1)

  @Test func `a call past its deadline is told once`() {
    var readings = Readings()
    readings.add(Self.job, at: .seconds(10))
    let inTime = readings.overdue(at: .seconds(15))
    #expect(inTime == [])
    #expect(readings.lateReader(at: .seconds(15)) == nil)
    let late = readings.overdue(at: .milliseconds(15_001))
    #expect(late == [Self.job])
    let again = readings.overdue(at: .seconds(20))
    #expect(again == [])
    #expect(readings.lateReader(at: .seconds(20)) == "r")
    // It comes back after all: the read answers the failure, a second failure is no news.
    #expect(readings.resolves(Self.job) == 5)
    let isNews = readings.reportUnreadable(Self.job)
    #expect(!isNews)
    readings.callEnded(Self.job)
    #expect(readings.lateReader(at: .seconds(20)) == nil)
  }

  @Test func `waiting between two tries is no call`() {
    var readings = Readings()
    readings.add(Self.job, at: .seconds(10))
    readings.callEnded(Self.job)
    let waiting = readings.overdue(at: .seconds(100))
    #expect(waiting == [])
    readings.callBegins(Self.job, at: .seconds(100))
    #expect(readings.oldestCall == .seconds(100))
    let inTime = readings.overdue(at: .seconds(105))
    #expect(inTime == [])
    let late = readings.overdue(at: .seconds(106))
    #expect(late == [Self.job])
  }

  @Test func `a tap that was told unreadable is not told again when its later try hangs`() {
    var readings = Readings()
    readings.add(Self.job, at: .seconds(10))
    let isNews = readings.reportUnreadable(Self.job)
    #expect(isNews)
    readings.callBegins(Self.job, at: .seconds(12))
    let late = readings.overdue(at: .seconds(20))
    #expect(late == [])
    #expect(readings.lateReader(at: .seconds(20)) == "r")
    readings.close(Self.job)
    #expect(readings.lateReader(at: .seconds(20)) == nil)
  }
}

struct ReaderBoardTests {
  @Test func `a reader is absent only when pcscd has said so, also after a restart of it`() {
    let board = ReaderBoard(settings: ReaderSettings(), now: .zero)
    for _ in 0..<2 {
      board.connected()
      #expect(board.summary(at: .zero).condition == .starting)
      _ = board.list([], at: .zero)
      #expect(board.summary(at: .zero).condition == .absent)
      board.disconnected(refused: false, at: .zero)
      #expect(board.summary(at: .zero).condition == .noService)
    }
  }
}

struct ReaderNameTests {
  static let names: [(String, Bool)] = [
    ("ACS ACR122U PICC Interface 00 00", true), ("ACS ACR122U 01 00", true),
    ("ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] 00 00", true),
    ("ACS ACR1252 Dual Reader [ACR1252 Dual Reader SAM] 01 00", false),
    // Both slots under one interface name.
    ("ACS ACR1252 Dual Reader 00 00", true), ("ACS ACR1252 Dual Reader 00 01", false),
    ("ACS ACR1552 1S CL Reader 00 01", false), ("HID OMNIKEY 5022 CL 00 01", true),
  ]

  @Test(arguments: names) func `a SAM slot is never a tag slot`(_ name: String, _ isTagSlot: Bool) {
    #expect(ReaderSettings().isTagSlot(name) == isTagSlot)
    #expect(ReaderSettings(exclude: []).isTagSlot(name) == isTagSlot, "whatever else is excluded")
  }

  @Test func `match and exclude are parts of names`() {
    let settings = ReaderSettings(match: ["ACR122U", "5022"], exclude: ["01 00"])
    #expect(settings.isTagSlot("ACS ACR122U PICC Interface 00 00"))
    #expect(!settings.isTagSlot("ACS ACR122U PICC Interface 01 00"))
    #expect(settings.isTagSlot("HID OMNIKEY 5022 CL 02 00"))
    #expect(!settings.isTagSlot("Virtual PCD 00 00"))
  }

  @Test func `people see names without pcscd's numbers`() {
    #expect(ReaderSummary.displayName("ACS ACR122U PICC Interface 00 0A") == "ACS ACR122U PICC Interface")
    #expect(ReaderSummary.displayName("Reader") == "Reader")
  }
}
