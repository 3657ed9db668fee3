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
        try patient.tag.tap(uid: Patient.uid, milliseconds: 300)
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
      #expect(try patient.history().isEmpty)
      // The window is over: the next tap counts.
      try patient.agent?.waitFor("test is over")
      usleep(3_100_000)
      try patient.tag.tap(uid: Patient.uid, milliseconds: 200)
      try patient.agent?.waitFor("taken, 1 credited")
    }

    @Test func `a technician who goes away leaves no window open`() throws {
      let patient = try Patient()
      try patient.startAgent()
      let program = try patient.doctor(["--only", "R5", "--tap"])
      try program.waitFor("Tap 3 times")
      program.signal(SIGKILL)
      try patient.agent?.waitFor("test is over")
      try patient.tag.tap(uid: Patient.uid, milliseconds: 200)
      try patient.agent?.waitFor("taken, 1 credited")
    }

    @Test func `without an agent the reader is read directly`() throws {
      let patient = try Patient()
      let program = try patient.doctor(["--only", "R5", "--tap", "3", "--json"])
      try tapThrice(patient, program)
      #expect(try program.waitForExit(within: 10) == 0, "\(program.text)")
      #expect(try patient.history().isEmpty)
    }

    @Test func `taps that are mute are told with their reason`() throws {
      let patient = try Patient()
      try patient.startAgent()
      try patient.tag.mute(.always)
      let program = try patient.doctor(["--only", "R5", "--tap=1"])
      try program.waitFor("Tap 1 times")
      try patient.tag.tap(uid: Patient.uid, milliseconds: 1500)
      #expect(try program.waitForExit(within: 10) == 2)
      #expect(program.text.contains("not read (mute)"))
    }

    @Test(arguments: [true, false])
    func `a sound is played to its end, through the agent when it runs`(withAgent: Bool) throws {
      let patient = try Patient()
      if withAgent { try patient.startAgent() }
      let before = (try? Data(contentsOf: URL(filePath: patient.folder + "/sound.raw")).count) ?? 0
      let diagnosis = try patient.diagnose("--only", "A5", "--sound")
      // A file is no speaker: it takes no time, and nobody is asked at a pipe.
      #expect(diagnosis.code == 1, "\(diagnosis.text)")
      #expect(try Data(contentsOf: URL(filePath: patient.folder + "/sound.raw")).count > before)
    }
  }

  /// Ten secrets are planted, and whatever happens none of them is printed.
  @Suite(.serialized, .timeLimit(.minutes(5)))
  struct CanaryTests {
    private static let canaries = [
      "CANARYONE", "CANARYTWO", "CANARYTHREE", "CANARYFOUR", "CANARYFIVE", "CANARYSIX", "Annabelle", "Canarythyroxine",
      "04A1B2C3D4E5F6", "canary box",
    ]

    private func expectClean(_ patient: Patient, _ words: [String] = [], _ source: SourceLocation = #_sourceLocation)
      throws
    {
      for more in [[], ["--json"]] {
        let program = try patient.doctor(words + more)
        _ = try program.waitForExit(within: 40)
        for canary in Self.canaries {
          #expect(!program.text.localizedCaseInsensitiveContains(canary), "\(canary)", sourceLocation: source)
        }
        #expect(!program.text.contains("A1B2C3") && !program.text.contains("a1b2c3"), sourceLocation: source)
      }
    }

    @Test func `no secret, no UID and no name is in any report, whatever is broken`() throws {
      let patient = try Patient()
      patient.environment["KIOSK_AGENT_TRAFIKLAB_KEY"] = "CANARYONE"
      try patient.write("key", "CANARYTWO\nCANARYTWO")
      let good = """
        { stateDirectory: '\(patient.state)', wall: { listen: '127.0.0.1:0' }, sources: {
          onebusaway: { baseURL: 'https://api.example.org/?key=CANARYTHREE', keyFile: '\(patient.folder)/key' }, trafiklab: {},
          calendars: [{ id: 'a', url: 'https://u:CANARYFOUR@p.example.org/CANARYFOUR.ics', name: 'CANARYFIVE' }] } }
        """
      try patient.write("kiosk-agent.json5", good)
      try patient.plant.systemd(
        ["kiosk-agent.service": "LoadState=loaded"],
        journal: [
          "pcscd": ["APDU: 04 A1 B2 C3 D4 E5 F6 90 00", "key=CANARYSIX"], "-k": ["usb 1-1: token CANARYSIX"],
        ])
      try patient.plant.reader()
      try patient.startAgent()
      try patient.tag.tap(uid: Patient.uid, milliseconds: 200)
      try patient.agent?.waitFor("taken, 1 credited")
      try expectClean(patient)
      try patient.stopAgent()
      try expectClean(patient)
      for broken in [
        good.replacingOccurrences(of: "stateDirectory", with: "stateDirectry"),
        good.replacingOccurrences(of: "'https://api", with: "CANARYTHREE 'https://api"),
        good.replacingOccurrences(of: "'127.0.0.1:0'", with: "'CANARYSIX'"),
        good.replacingOccurrences(of: "trafiklab: {}", with: "trafiklab: { baseURL: 'CANARYSIX' }"),
        good.replacingOccurrences(of: "id: 'a'", with: "id: 'CANARYSIX', file: 'CANARYSIX'"),
        good.replacingOccurrences(of: "wall: {", with: "timeZone: 'CANARYSIX', wall: {"),
      ] {
        try patient.write("kiosk-agent.json5", broken)
        try expectClean(patient, ["--only", "C,D"])
      }
      try patient.write("kiosk-agent.json5", good)
      let handle = try FileHandle(forUpdating: URL(filePath: patient.ledger))
      try handle.seek(toOffset: 8192)
      try handle.write(contentsOf: Data("Annabelle 04A1B2C3D4E5F6".utf8))
      try handle.close()
      try expectClean(patient)
    }
  }
}
