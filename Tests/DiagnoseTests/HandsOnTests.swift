import Foundation
import Glibc
import TestSupport
import Testing
import VirtualTag

extension RealKiosk {
  /// `--tap` and `--sound`, beside the running agent and without one.
  @Suite(.serialized, .timeLimit(.minutes(5)))
  struct HandsOnTests {
    private func tapThrice(_ patient: Patient, _ program: ChildProgram) throws {
      try program.waitFor("Tap 3 times")
      for number in 1...3 {
        try patient.tag.tap(uid: Secrets.uid, milliseconds: 300)
        try program.waitFor("tap \(number): tag")
      }
    }

    @Test func `beside the agent test taps are told one by one and credit nothing`() throws {
      let patient = try Patient()
      try patient.startAgent()
      let program = try patient.doctor(["--only", "R5", "--tap", "3"])
      try tapThrice(patient, program)
      #expect(try program.waitForExit(within: 10) == 0, "\(program.text)")
      #expect(program.text.contains("tag …E5F6, 7 bytes"))
      #expect(!program.text.contains("A1B2"))
      #expect(try patient.kiosk.history().isEmpty)
      // The window is over: the next tap counts.
      try patient.kiosk.process?.waitFor("test is over")
      try patient.takeDose(with: Secrets.secondUID)
    }

    @Test func `a technician who goes away leaves no window open`() throws {
      let patient = try Patient()
      try patient.startAgent()
      let program = try patient.doctor(["--only", "R5", "--tap"])
      try program.waitFor("Tap 3 times")
      program.signal(SIGKILL)
      try patient.kiosk.process?.waitFor("test is over")
      try patient.takeDose()
    }

    @Test func `without an agent the reader is read directly`() throws {
      let patient = try Patient()
      let program = try patient.doctor(["--only", "R5", "--tap", "3", "--json"])
      try tapThrice(patient, program)
      #expect(try program.waitForExit(within: 10) == 0, "\(program.text)")
      #expect(try patient.kiosk.history().isEmpty)
    }

    @Test func `taps that are mute are told with their reason`() throws {
      let patient = try Patient()
      try patient.startAgent()
      try patient.tag.mute(.always)
      let program = try patient.doctor(["--only", "R5", "--tap=1"])
      try program.waitFor("Tap 1 times")
      try patient.tag.tap(uid: Secrets.uid, milliseconds: 1500)
      #expect(try program.waitForExit(within: 10) == 2)
      #expect(program.text.contains("not read (mute)"))
    }

    @Test(arguments: [true, false])
    func `a sound is played to its end, through the agent when it runs`(withAgent: Bool) throws {
      let patient = try Patient()
      if withAgent { try patient.startAgent() }
      let before = (try? Data(contentsOf: URL(filePath: patient.kiosk.folder + "/sound.raw")).count) ?? 0
      let diagnosis = try patient.diagnose("--only", "A5", "--sound")
      // A file is no speaker: it takes no time, and nobody is asked at a pipe.
      #expect(diagnosis.code == 1, "\(diagnosis.text)")
      #expect(try Data(contentsOf: URL(filePath: patient.kiosk.folder + "/sound.raw")).count > before)
    }
  }

  /// Twelve secrets are planted, and whatever happens none of them is printed.
  @Suite(.serialized, .timeLimit(.minutes(5)))
  struct SecretTests {
    private func expectClean(
      _ patient: Patient, _ words: [String] = [], _ where: String = "", _ source: SourceLocation = #_sourceLocation
    ) throws {
      for more in [[], ["--json"]] {
        let found = Secrets.found(in: try patient.report(words + more).text)
        #expect(found.isEmpty, "\(`where`)", sourceLocation: source)
      }
    }

    @Test func `every form of a secret is known again, and what is no secret is not`() {
      for text in ["annabelle", "x=ENVCANARY7QX9VLMN2PR4;", "04 a1 b2 c3 d4 e5 f6", "A1:B2:C3:D4", "a4-cf-12-9b-7e-31"]
      {
        #expect(Secrets.found(in: text).count == 1, "\(text)")
      }
      #expect(Secrets.found(in: "tag …E5F6, 7 bytes, 04 of 12").isEmpty)
    }

    @Test func `a secret that is written in any wrong place is not printed`() throws {
      let patient = try Patient()
      try patient.plant.completeKiosk()
      try patient.plant.systemd(Plant.units(), journal: ["pcscd": Secrets.pcscdTrouble])
      try patient.startAgent()
      try patient.takeDose()
      try expectClean(patient)
      try patient.stopAgent()
      let key = Secrets.misplacedKey.planted
      for sections in [
        "timeZone: '\(key)',", "reader: { match: '\(key)' },", "sound: { device: '\(key)', volume: '\(key)' },",
        "'\(key)': 1,", "\(key)", "'\(key)", "/* \(key)", "gtfs: { url: '\(key)' },",
      ] {
        try patient.configure(sections)
        try expectClean(patient, ["--only", "C,D"], sections)
      }
      for sources in [
        "sources: { \(key): {} }", "sources: { trafiklab: { baseURL: '\(key)' } }",
        "sources: { calendars: [{ id: '\(key)', file: '\(key)', url: '\(key)' }] }",
        "sources: { calendars: [{ id: 'a', url: 'ftp://\(key)' }, { id: 'a' }] }",
      ] {
        try patient.configure(sources: sources)
        try expectClean(patient, ["--only", "C,D"], sources)
      }
    }
  }
}
