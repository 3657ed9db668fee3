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
      #expect(diagnosis.lines.count == 42)
      #expect(diagnosis.seconds < 10)
      for id in [
        "S3", "S5", "R1", "R2", "D1", "D4", "D5", "D7", "D8", "T1", "C1", "C3", "V2", "V3", "W1", "W2", "W3", "A3",
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

    @Test func `the ledger is neither written nor checkpointed, and the agent goes on`() throws {
      let patient = try Patient()
      try patient.startAgent()
      try patient.tag.tap(uid: Patient.uid, milliseconds: 200)
      try patient.agent?.waitFor("taken, 1 credited")
      let before = try Data(contentsOf: URL(filePath: patient.ledger))
      let log = try Data(contentsOf: URL(filePath: patient.ledger + "-wal"))
      #expect(try patient.diagnose().code == 0)
      #expect(try Data(contentsOf: URL(filePath: patient.ledger)) == before)
      #expect(try Data(contentsOf: URL(filePath: patient.ledger + "-wal")) == log)
      #expect(patient.agent?.isRunning == true)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: patient.state).allSatisfy { !$0.hasPrefix(".diagnose") })
    }

    // MARK: pcscd and reader

    @Test func `no pcscd is one finding, and what hangs on it is not looked at`() throws {
      let patient = try Patient(startsPcscd: false)
      try patient.startAgent()
      let diagnosis = try patient.diagnose()
      #expect(diagnosis.code == 2)
      #expect(diagnosis.failed == ["S3"], "\(diagnosis.text)")
      #expect(diagnosis.first == "S3")
      #expect((diagnosis.lines["R1"]?["means"] as? String) == "needs S3")
    }

    @Test func `a frozen pcscd is one finding within 25 s`() throws {
      let patient = try Patient()
      patient.pcscd.freeze()
      defer { patient.pcscd.thaw() }
      let diagnosis = try patient.diagnose()
      #expect(diagnosis.code == 2)
      #expect(diagnosis.failed == ["S5"], "\(diagnosis.text)")
      #expect(diagnosis.status("S5") == "TIMEOUT")
      #expect(diagnosis.text.contains("sudo systemctl restart pcscd"))
      #expect(diagnosis.seconds < 25)
    }

    @Test func `beside an agent that hangs in a frozen pcscd it is still pcscd`() throws {
      let patient = try Patient()
      try patient.startAgent()
      patient.pcscd.freeze()
      defer { patient.pcscd.thaw() }
      let diagnosis = try patient.diagnose()
      #expect(diagnosis.failed == ["S5"], "\(diagnosis.text)")
      #expect(diagnosis.status("W2") == "PASS")
      #expect(diagnosis.seconds < 25)
    }

    @Test func `a pcscd without a reader`() throws {
      let patient = try Patient(readers: [])
      let diagnosis = try patient.diagnose()
      #expect(diagnosis.failed == ["R1"], "\(diagnosis.text)")
    }

    @Test func `a reader that does not answer`() throws {
      let patient = try Patient()
      try patient.tag.unavailable(true)
      try Waiting.until("the first finding is R2") { try patient.diagnose("--only", "R").first == "R2" }
    }

    @Test func `a tag that is mute is named, and not the reader`() throws {
      let patient = try Patient()
      try patient.startAgent()
      try patient.tag.mute(.always)
      try patient.tag.enter(uid: Patient.uid)
      try patient.agent?.waitFor("unreadable: mute")
      let diagnosis = try patient.diagnose()
      #expect(diagnosis.code == 1, "\(diagnosis.text)")
      #expect(diagnosis.first == "R2")
      #expect((diagnosis.lines["R2"]?["means"] as? String)?.contains("does not answer") == true)
    }

    @Test func `odd letters in a reader's name harm no line`() throws {
      let name = "Räder \u{202E}rednu\u{2066} 💊 \u{7F}\u{85}[31m " + String(repeating: "Ω", count: 20)
      let patient = try Patient(readers: [ReaderEntry(name: name)])
      let program = try patient.doctor(["--only", "R"])
      _ = try program.waitForExit(within: 30)
      for line in program.text.split(separator: "\n") {
        #expect(line.count <= 60)
        #expect(line.unicodeScalars.allSatisfy { ![.control, .format].contains($0.properties.generalCategory) })
      }
      #expect(try patient.diagnose("--only", "R1").status("R1") == "PASS")
    }

    // MARK: Ledger

    struct LedgerFault: CustomTestStringConvertible, Sendable {
      let testDescription: String
      let id: String
      let harm: @Sendable (Patient) throws -> Void
    }

    static let ledgerFaults = [
      LedgerFault(testDescription: "a broken page", id: "D5") { patient in
        let handle = try FileHandle(forUpdating: URL(filePath: patient.ledger))
        let size = try handle.seekToEnd()
        // The middle of the pages behind the schema's.
        for page in stride(from: size / 4096 / 2, to: size / 4096, by: 1) {
          try handle.seek(toOffset: page * 4096)
          try handle.write(contentsOf: Data(repeating: 0x5A, count: 4096))
        }
        try handle.close()
      },
      LedgerFault(testDescription: "a header of zeros", id: "D4") { patient in
        let handle = try FileHandle(forUpdating: URL(filePath: patient.ledger))
        try handle.write(contentsOf: Data(count: 100))
        try handle.close()
      },
      LedgerFault(testDescription: "no byte left", id: "D4") { patient in
        try Data().write(to: URL(filePath: patient.ledger))
      },
      LedgerFault(testDescription: "gone, though taps were witnessed", id: "D4") { patient in
        try FileManager.default.removeItem(atPath: patient.ledger)
      },
      LedgerFault(testDescription: "another database", id: "D4") { patient in
        try FileManager.default.removeItem(atPath: patient.ledger)
        try Data("SQLite format 3\u{0}".utf8).write(to: URL(filePath: patient.ledger))
      },
      LedgerFault(testDescription: "marked read-only", id: "D4") { patient in
        unsafe chmod(patient.ledger, 0o400)
      },
      LedgerFault(testDescription: "a file where the folder belongs", id: "D1") { patient in
        try FileManager.default.moveItem(atPath: patient.state, toPath: patient.state + ".old")
        try Data().write(to: URL(filePath: patient.state))
      },
    ]

    /// A kiosk that has recorded a tap and was switched off.
    private func patientWithHistory() throws -> Patient {
      let patient = try Patient()
      try patient.startAgent()
      try patient.tag.tap(uid: Patient.uid, milliseconds: 200)
      try patient.agent?.waitFor("taken, 1 credited")
      try patient.stopAgent()
      return patient
    }

    @Test(arguments: ledgerFaults)
    func `harm to the ledger is found and is the first cause`(fault: LedgerFault) throws {
      let patient = try patientWithHistory()
      try fault.harm(patient)
      let diagnosis = try patient.diagnose()
      #expect(diagnosis.first == fault.id, "\(diagnosis.text)")
      #expect(diagnosis.failed == [fault.id], "\(diagnosis.failed)")
    }

    @Test func `a ledger that belongs to somebody else is a warning where it can be written all the same`() throws {
      guard geteuid() == 0 else { return print("SKIP: only root can give a file away") }
      let patient = try patientWithHistory()
      unsafe chown(patient.ledger, 12345, 12345)
      let diagnosis = try patient.diagnose("--only", "D")
      #expect(diagnosis.first == "D4" && diagnosis.code == 1, "\(diagnosis.text)")
    }

    @Test func `a ledger that another program holds is told with the program's name`() throws {
      let patient = try patientWithHistory()
      let script = """
        import sqlite3, sys, time
        c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('BEGIN IMMEDIATE'); print('held', flush=True)
        time.sleep(60)
        """
      let holder = try ChildProgram("/usr/bin/python3", ["-c", script, patient.ledger])
      defer { holder.signal(SIGKILL) }
      try holder.waitFor("held")
      let diagnosis = try patient.diagnose()
      #expect(diagnosis.failed == ["D6"], "\(diagnosis.text)")
      #expect(diagnosis.text.contains("python3"))
    }

    @Test func `a ledger that went back in time is told`() throws {
      let patient = try Patient()
      try patient.command("backup", patient.folder + "/early.sqlite")
      try patient.startAgent()
      try patient.tag.tap(uid: Patient.uid, milliseconds: 200)
      try patient.agent?.waitFor("taken, 1 credited")
      try patient.stopAgent()
      // Copied by hand, past `restore`.
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: patient.ledger + suffix) }
      try FileManager.default.copyItem(atPath: patient.folder + "/early.sqlite", toPath: patient.ledger)
      #expect(try patient.diagnose().failed == ["D7"])
    }

    @Test func `a full disk is told before what hangs on it`() throws {
      let patient = try patientWithHistory()
      let mounted = try ChildProgram("/bin/mount", ["-t", "tmpfs", "-o", "size=3m", "tmpfs", patient.state])
      guard try mounted.waitForExit() == 0 else {
        print("SKIP: nothing can be mounted here")
        return
      }
      defer { _ = try? ChildProgram("/bin/umount", [patient.state]).waitForExit() }
      unsafe chmod(patient.state, 0o700)
      let diagnosis = try patient.diagnose("--only", "D")
      #expect(diagnosis.first == "D3", "\(diagnosis.text)")
    }

    @Test func `a read-only disk is told by its mount`() throws {
      let patient = try patientWithHistory()
      try patient.plant.write("/proc/self/mountinfo", "1 0 8:1 / / ro,relatime - ext4 /dev/root ro\n")
      #expect(try patient.diagnose().failed == ["D2"])
    }

    // MARK: Configuration

    @Test func `a configuration that broke is told with its line, and the rest is looked at with the last good one`()
      throws
    {
      let patient = try patientWithHistory()
      try patient.write(
        "kiosk-agent.json5", "{ stateDirectory: '\(patient.state)',\n  wall: { listn: '127.0.0.1:0' } }")
      let diagnosis = try patient.diagnose()
      #expect(diagnosis.failed == ["C1"], "\(diagnosis.text)")
      #expect(diagnosis.text.contains("listn (line 2): did you mean listen?"))
      #expect(diagnosis.status("D5") == "PASS")
    }

    @Test(arguments: ["{ wall: ", "\u{0}\u{1}", "[]", ""])
    func `a configuration that is no configuration is the first cause, and readers are looked at`(text: String) throws {
      let patient = try Patient()
      try patient.write("kiosk-agent.json5", text)
      let diagnosis = try patient.diagnose()
      #expect(diagnosis.failed == ["C1"], "\(diagnosis.text)")
      #expect(diagnosis.status("R2") == "PASS")
      #expect(diagnosis.status("D4") == "SKIP")
    }

    @Test func `a folder in the place of the configuration is told as one`() throws {
      let patient = try Patient()
      try FileManager.default.removeItem(atPath: patient.configuration)
      try FileManager.default.createDirectory(atPath: patient.configuration, withIntermediateDirectories: false)
      let diagnosis = try patient.diagnose()
      #expect(diagnosis.failed == ["C1"], "\(diagnosis.text)")
      #expect(diagnosis.text.contains("not a file"))
    }

    @Test func `a sound file that is missing`() throws {
      let patient = try Patient()
      try patient.write(
        "kiosk-agent.json5",
        "{ stateDirectory: '\(patient.state)', sound: { success: '/no/such.wav' }, wall: { listen: '127.0.0.1:0' } }")
      #expect(try patient.diagnose().failed == ["C3"])
    }

    // MARK: Agent, page, sound

    @Test func `a port that another program has is told with that program`() throws {
      let holder = Holder()
      let patient = try Patient(port: holder.port)
      let agent = try ChildProgram(
        BuildProducts.path("kiosk-agent"), ["run", "--config", patient.configuration], environment: patient.environment)
      defer {
        agent.signal(SIGTERM)
        _ = try? agent.waitForExit()
      }
      try agent.waitFor("is in use")
      let diagnosis = try patient.diagnose()
      #expect(diagnosis.failed == ["W1"], "\(diagnosis.text)")
      #expect(diagnosis.text.contains("process \(getpid())"))
    }

    @Test func `an agent that stands still is told, and not its page`() throws {
      let patient = try Patient()
      try patient.startAgent()
      patient.agent?.signal(SIGSTOP)
      defer { patient.agent?.signal(SIGCONT) }
      let diagnosis = try patient.diagnose()
      #expect(diagnosis.first == "V3", "\(diagnosis.text)")
      #expect(diagnosis.seconds < 25)
    }

    @Test func `no sound device`() throws {
      let patient = try Patient()
      try patient.write("asound.conf", "pcm.!default { type hw card 77 }\nctl.!default { type hw card 77 }\n")
      #expect(try patient.diagnose().failed == ["A3"])
      try patient.startAgent()
      #expect(try patient.diagnose().failed == ["A3"])
    }

    // MARK: The command

    @Test func `what is asked for is what is run, and a wrong word is 64`() throws {
      let patient = try Patient()
      #expect(try Set(patient.diagnose("--only", "S3,T").lines.keys) == ["S3", "T1", "T2", "T3"])
      #expect(try patient.diagnose("--skip", "U,S,R,D,T,C,V,W").lines.keys.allSatisfy { $0.hasPrefix("A") })
      #expect(try patient.diagnose("--no-network", "--only", "T2").code == 0)
      for words in [["--only", "X9"], ["--tap=0"], ["--tap=x"], ["extra"], ["--only"]] {
        #expect(try patient.doctor(words).waitForExit() == 64, "\(words)")
      }
      let list = try patient.doctor(["--list-checks"])
      #expect(try list.waitForExit() == 0)
      #expect(list.text.split(separator: "\n").count == 42)
    }

    @Test func `no line for people is longer than 60 columns, and START HERE comes last`() throws {
      let patient = try Patient(startsPcscd: false)
      try patient.write("asound.conf", "pcm.!default { type hw card 77 }\n")
      let program = try patient.doctor([])
      #expect(try program.waitForExit(within: 30) == 2)
      let lines = program.text.split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= 60 }, "\(lines.filter { $0.count > 60 })")
      #expect(program.text.contains("\nSTART HERE: S3 pcscd socket\n"))
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

/// A port of this process.
private final class Holder {
  private let descriptor: Int32
  let port: UInt16

  init() {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, length)
        listen(descriptor, 8)
        unsafe getsockname(descriptor, $0, &length)
      }
    }
    self.descriptor = descriptor
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(descriptor) }
}
