import Foundation
import Glibc
import TestSupport
import Testing
import VirtualTag

extension RealKiosk {
  /// `kiosk-agent --diagnose` itself: faults made outside the program, and the first cause that it names.
  @Suite(.serialized, .timeLimit(.minutes(5)))
  struct DoctorTests {
    // MARK: Health

    @Test func `a kiosk that is well has nothing to say, and is told so within 10 s`() throws {
      let patient = try Patient()
      try patient.startAgent()
      let diagnosis = try patient.diagnose()
      #expect(diagnosis.code == 0, "\(diagnosis.text)")
      #expect(diagnosis.first == nil)
      #expect(diagnosis.lines.count == 54)
      // The quickest of three: what another program takes from this machine is not the doctor's.
      var seconds = diagnosis.seconds
      for _ in 0..<2 where seconds >= 10 { seconds = min(seconds, try patient.diagnose().seconds) }
      #expect(seconds < 10)
      for id in [
        "S3", "S5", "R1", "R2", "D1", "D4", "D5", "D7", "D8", "T1", "C1", "C3", "V2", "V3", "W1", "W2", "W3", "W4",
        "A3",
        "C2", "F1", "F3",
      ] {
        #expect(diagnosis.status(id) == "PASS", "\(id): \(diagnosis.lines[id] ?? [:])")
      }
    }

    @Test func `an agent that does not run is a warning of its own, and everything else is looked at`() throws {
      let patient = try Patient()
      let diagnosis = try patient.diagnose()
      #expect(diagnosis.code == 1, "\(diagnosis.text)")
      #expect(diagnosis.first == "V2")
      #expect(diagnosis.status("R2") == "PASS")
      #expect(diagnosis.status("D5") == "PASS")
      #expect(diagnosis.status("W1") == "SKIP")
    }

    @Test func `what is fetched from this machine alone needs no network, and without feeds nothing is asked`() throws {
      let patient = try Patient()
      try patient.plant.network(isUp: false)
      let diagnosis = try patient.diagnose("--only", "N,F")
      #expect((1...6).allSatisfy { diagnosis.status("N\($0)") == "SKIP" }, "\(diagnosis.text)")
      #expect(diagnosis.status("F1") == "PASS")
      #expect(patient.buses.requests.count == 3 && patient.buses.refused == 0, "\(patient.buses.requests)")
      try patient.enter("{ watches: [] }")
      #expect(
        try patient.diagnose("--only", "F1").lines["F1"]?["means"] as? String
          == "The household watches no bus of OneBusAway.")
    }

    @Test func `a name server that is mute is told by its address, within the check's time`() throws {
      let patient = try Patient()
      do {
        try patient.useInternet(.muteNames)
      } catch let error as Patient.NotPossible {
        return print("SKIP a network of its own: \(error)")
      }
      let found = try patient.diagnose("--only", "N3").lines["N3"]
      #expect(found?["status"] as? String == "FAIL", "\(found ?? [:])")
      #expect((found?["seen"] as? [String: String])?["name server 127.0.0.1"] == "no answer")
    }

    @Test func `from the name server to the timetable everything is asked as the agent asks it`() throws {
      let patient = try Patient()
      do {
        try patient.useInternet(.well)
      } catch let error as Patient.NotPossible {
        return print("SKIP an Internet of its own: \(error)")
      }
      let diagnosis = try patient.diagnose("--only", "N,F")
      #expect(diagnosis.code == 0, "\(diagnosis.text)")
      #expect(diagnosis.lines.values.allSatisfy { $0["status"] as? String == "PASS" }, "\(diagnosis.text)")
      let secure = (diagnosis.lines["N5"]?["seen"] as? [String: String])?.values.first ?? ""
      #expect(secure.contains("signed by Kiosk Tests") && secure.contains("days left"), "\(secure)")
    }

    @Test func `the ledger is neither written nor checkpointed, and the agent goes on`() throws {
      let patient = try Patient()
      try patient.startAgent()
      try patient.takeDose()
      let before = try Data(contentsOf: URL(filePath: patient.ledger))
      let log = try Data(contentsOf: URL(filePath: patient.ledger + "-wal"))
      #expect(try patient.diagnose().code == 0)
      #expect(try Data(contentsOf: URL(filePath: patient.ledger)) == before)
      #expect(try Data(contentsOf: URL(filePath: patient.ledger + "-wal")) == log)
      #expect(patient.kiosk.process?.isRunning == true)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: patient.state).allSatisfy { !$0.hasPrefix(".diagnose") })
    }

    // MARK: Faults

    /// All of them are made by `make doctor-score`; those that are planted in a folder are in `PlantedFaultTests`, too.
    @Test(arguments: DoctorCase.oneOfEach)
    func `a fault made outside is the first cause, and nothing else fails`(fault: DoctorCase) throws {
      let patient: Patient
      do {
        patient = try fault.patient()
      } catch let error as Patient.NotPossible {
        print("SKIP: \(fault): \(error)")
        return
      }
      let diagnosis = try patient.diagnose(fault.words)
      #expect(fault.isRight(diagnosis.first), "\(diagnosis.text)")
      #expect(diagnosis.failed.allSatisfy { $0 == diagnosis.first }, "\(diagnosis.failed)")
      // Every check has a deadline of its own, of 25 s at most, and few wait for one that fails.
      #expect(diagnosis.seconds < 55)
      #expect(Secrets.found(in: diagnosis.text).isEmpty)
    }

    @Test
    func `with a school's file that is wrong neither its map nor its menu is asked for, and with --only they say why`()
      throws
    {
      let patient = try Patient()
      try patient.enterSchool { $0.replacing("13:35-15:25", with: "1:35-3:25") }
      let diagnosis = try patient.diagnose("--only", "F4,F5,F6")
      #expect(diagnosis.failed == ["F4"], "\(diagnosis.text)")
      #expect(diagnosis.text.contains("did you mean 13:35?"))
      for id in ["F5", "F6"] { #expect(diagnosis.lines[id]?["means"] as? String == "needs F4") }
      let alone = try patient.diagnose("--only", "F5,F6")
      for id in ["F5", "F6"] {
        #expect(alone.lines[id]?["means"] as? String == "The school's file cannot be used (F4).")
      }
    }

    @Test func `without a network the school's file is looked at, and what it publishes is not`() throws {
      let patient = try Patient()
      try patient.enterSchool()
      let offline = try patient.diagnose("--no-network", "--only", "F4,F5,F6")
      #expect(offline.status("F4") == "PASS", "\(offline.text)")
      for id in ["F5", "F6"] { #expect(offline.lines[id]?["means"] as? String == "Left out by --no-network.") }
      try patient.configure(sources: "sources: {}")
      try patient.enterSchool(at: "https://school.test")
      // Where the school publishes is known by what the agent keeps.
      try patient.startAgent()
      try patient.waitForSchool()
      try patient.plant.network(isUp: false)
      let unplugged = try patient.diagnose("--only", "N,F")
      #expect(unplugged.failed == ["N1"], "\(unplugged.text)")
      for id in ["F5", "F6"] { #expect(unplugged.lines[id]?["means"] as? String == "needs N1") }
    }

    @Test func `what hangs on a pcscd that is not there is not looked at`() throws {
      let diagnosis = try Patient(startsPcscd: false).diagnose()
      #expect((diagnosis.lines["R1"]?["means"] as? String) == "needs S3")
    }

    @Test func `a frozen pcscd is told with what to do, and the page is looked at all the same`() throws {
      let patient = try Patient()
      try patient.startAgent()
      patient.pcscd.freeze()
      let diagnosis = try patient.diagnose()
      #expect(diagnosis.status("S5") == "TIMEOUT")
      #expect(diagnosis.text.contains("sudo systemctl restart pcscd"))
      #expect(diagnosis.status("W2") == "PASS")
    }

    @Test func `a mute tag is named, and not the reader`() throws {
      let patient = try Patient()
      try patient.tag.mute(.always)
      try patient.tag.enter(uid: Secrets.uid)
      try Waiting.until("R2 tells it") {
        (try patient.diagnose("--only", "R2").lines["R2"]?["means"] as? String)?.contains("A tag lies there") == true
      }
    }

    @Test func `odd letters in a reader's name harm no line`() throws {
      let name = "Räder \u{202E}rednu\u{2066} 💊 \u{7F}\u{85}[31m " + String(repeating: "Ω", count: 20)
      let patient = try Patient(readers: [ReaderEntry(name: name)])
      for line in try patient.report(["--only", "R"]).text.split(separator: "\n") {
        #expect(line.count <= 60)
        #expect(line.unicodeScalars.allSatisfy { ![.control, .format].contains($0.properties.generalCategory) })
      }
      #expect(try patient.diagnose("--only", "R1").status("R1") == "PASS")
    }

    @Test func `a ledger that belongs to somebody else is a warning where it can be written all the same`() throws {
      guard geteuid() == 0 else { return print("SKIP: only root can give a file away") }
      let patient = try Patient()
      unsafe chown(patient.ledger, 12345, 12345)
      let diagnosis = try patient.diagnose("--only", "D")
      #expect(diagnosis.first == "D4" && diagnosis.code == 1, "\(diagnosis.text)")
    }

    @Test func `a program that is in the way is told by its name`() throws {
      let patient = try Patient()
      try patient.bring(python: Script.ledgerHolder, patient.ledger, untilItSays: "held")
      #expect(try patient.diagnose("--only", "D6").text.contains("python3"))
    }

    @Test func `a configuration that broke is told with its line, and the rest is looked at with the last good one`()
      throws
    {
      let patient = try Patient()
      try patient.startAgent()
      try patient.stopAgent()
      try patient.kiosk.write(
        "kiosk-agent.json5", "{ stateDirectory: '\(patient.state)',\n  wall: { listn: '127.0.0.1:0' } }")
      let diagnosis = try patient.diagnose()
      #expect(diagnosis.text.contains("listn (line 2): did you mean listen?"))
      #expect(diagnosis.status("D5") == "PASS")
    }

    @Test(arguments: ["\u{0}\u{1}", "[]"])
    func `without any configuration readers are looked at`(text: String) throws {
      let patient = try Patient()
      try patient.kiosk.write("kiosk-agent.json5", text)
      let diagnosis = try patient.diagnose()
      #expect(diagnosis.failed == ["C1"], "\(diagnosis.text)")
      #expect(diagnosis.status("R2") == "PASS")
      #expect(diagnosis.status("D4") == "SKIP")
    }

    @Test func `a folder in the place of the configuration is told as one`() throws {
      let patient = try Patient()
      try FileManager.default.removeItem(atPath: patient.kiosk.configuration)
      try FileManager.default.createDirectory(atPath: patient.kiosk.configuration, withIntermediateDirectories: false)
      #expect(try patient.diagnose("--only", "C1").text.contains("not a file"))
    }

    // MARK: The command

    @Test func `what is asked for is what is run, and a wrong word is 64`() throws {
      let patient = try Patient()
      #expect(try Set(patient.diagnose("--only", "S3,T").lines.keys) == ["S3", "T1", "T2", "T3"])
      #expect(try patient.diagnose("--skip", "U,S,R,D,T,C,V,W,N,F").lines.keys.allSatisfy { $0.hasPrefix("A") })
      let offline = try patient.diagnose("--no-network", "--only", "T2,N,F")
      #expect(offline.code == 0)
      #expect(offline.lines.count == 12)
      for id in ["F1", "F3", "F5", "F6"] {
        #expect(offline.lines[id]?["means"] as? String == "Left out by --no-network.")
      }
      #expect(offline.lines["F4"]?["means"] as? String == "The household has no school.")
      for words in [["--only", "X9"], ["--tap=0"], ["--tap=x"], ["extra"], ["--only"]] {
        #expect(try patient.doctor(words).waitForExit() == 64, "\(words)")
      }
      let list = try patient.doctor(["--list-checks"])
      #expect(try list.waitForExit() == 0)
      #expect(list.text.split(separator: "\n").count == 54)
    }

    @Test func `no line for people is longer than 60 columns, and START HERE comes last`() throws {
      let patient = try Patient(startsPcscd: false)
      try patient.kiosk.write("asound.conf", "pcm.!default { type hw card 77 }\n")
      let report = try patient.report([])
      #expect(report.code == 2)
      let lines = report.text.split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= 60 }, "\(lines.filter { $0.count > 60 })")
      #expect(report.text.contains("\nSTART HERE: S3 pcscd socket\n"))
    }

    @Test func `watching goes on until nothing fails, and then beeps`() throws {
      let patient = try Patient(startsPcscd: false)
      let program = try patient.doctor(["--watch", "--only", "S"])
      try program.waitFor("1 failed, first S3")
      try patient.pcscd.start()
      #expect(try program.waitForExit(within: 20) == 0)
      #expect(program.text.contains("\u{7}nothing fails"))
    }
  }
}
