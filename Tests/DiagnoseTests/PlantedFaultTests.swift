import Configuration
import Foundation
import Glibc
import Linux
import PCSC
import TestSupport
import Testing

@testable import Diagnose

/// Faults planted in a folder, one check at a time: what each says, and that nothing missing breaks it.
@Suite(.timeLimit(.minutes(5))) struct PlantedFaultTests {
  @Test(arguments: Check.all.filter { $0.id != "A3" && $0.id != "C3" }.map(\.id))
  func `on a machine that has nothing every check says what is missing and none breaks`(id: String) async throws {
    let plant = try Plant()
    try plant.remove("/proc")
    try plant.remove("/usr")
    let found = try await plant.run(id)
    #expect(found.status != .crash)
    if found.status == .skip { #expect(found.means?.isEmpty == false) }
    if found.status.blocks || found.status == .warn { #expect(!found.remedies.isEmpty) }
  }

  // MARK: USB

  @Test func `a reader that is well passes all of U`() async throws {
    let plant = try Plant()
    try plant.reader()
    try plant.systemd([:], journal: [" -k ": ["usb 1-1: new full-speed USB device number 4"]])
    for id in ["U1", "U2", "U3", "U4", "U5"] {
      let found = try await plant.run(id)
      #expect(found.status == .pass, "\(id): \(found)")
    }
    #expect(try await plant.run("U1").seen == [.init("1-1", "ACR122U PICC Interface (072f:2200)")])
  }

  struct USBFault: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let id: String
    let status: Finding.Status
    let plant: @Sendable (Plant) throws -> Void
  }

  static let usbFaults = [
    USBFault(testDescription: "no reader on the bus", id: "U1", status: .fail) { plant in
      for name in FileManager.default.subpaths(atPath: plant.root + "/sys/bus/usb/devices") ?? []
      where !name.contains("/") {
        try plant.remove("/sys/bus/usb/devices/\(name)")
      }
    },
    USBFault(testDescription: "two readers", id: "U1", status: .warn) { try $0.reader(port: "1-2", number: 5) },
    USBFault(testDescription: "a few disconnects", id: "U2", status: .warn) { plant in
      try plant.systemd(
        [:], journal: [" -k ": Array(repeating: "usb 1-1: USB disconnect, device number 4", count: 4)])
    },
    USBFault(testDescription: "a dozen errors", id: "U2", status: .fail) { plant in
      try plant.systemd(
        [:], journal: [" -k ": Array(repeating: "usb 1-1: device descriptor read/64, error -71", count: 12)])
    },
    USBFault(testDescription: "errors of another device", id: "U2", status: .pass) { plant in
      try plant.systemd(
        [:], journal: [" -k ": Array(repeating: "usb 1-10: device descriptor read/64, error -71", count: 12)])
    },
    USBFault(testDescription: "overcurrent", id: "U2", status: .warn) { plant in
      try plant.write("/sys/bus/usb/devices/1-0:1.0/usb1-port1/over_current_count", "2\n")
    },
    USBFault(testDescription: "autosuspend", id: "U3", status: .warn) { plant in
      try plant.write("/sys/bus/usb/devices/1-1/power/control", "auto\n")
    },
    USBFault(testDescription: "persist", id: "U3", status: .warn) { plant in
      try plant.write("/sys/bus/usb/devices/1-1/power/persist", "1\n")
    },
    USBFault(testDescription: "the kernel's NFC driver", id: "U4", status: .fail) { plant in
      try plant.remove("/sys/bus/usb/devices/1-1:1.0/driver")
      try plant.link("/sys/bus/usb/devices/1-1:1.0/driver", to: "../../../bus/usb/drivers/pn533_usb")
    },
    USBFault(testDescription: "no driver at all is free", id: "U4", status: .pass) { plant in
      try plant.remove("/sys/bus/usb/devices/1-1:1.0/driver")
    },
    USBFault(testDescription: "no device node", id: "U5", status: .fail) { try $0.remove("/dev/bus/usb/001/004") },
    USBFault(testDescription: "no symlink", id: "U5", status: .warn) { try $0.remove("/dev/kiosk-reader") },
  ]

  @Test(arguments: usbFaults) func `a fault on USB is found`(fault: USBFault) async throws {
    let plant = try Plant()
    try plant.reader()
    try fault.plant(plant)
    let found = try await plant.run(fault.id)
    #expect(found.status == fault.status, "\(found)")
  }

  @Test func `a reader that pcscd has without USB is no missing reader`() async throws {
    let plant = try Plant()
    try plant.write("/sys/bus/usb/devices/usb1/idVendor", "1d6b\n")
    let pcsc = PCSCLibrary.fake(readers: [("Serial Reader 00 00", 0x10)])
    #expect(try await plant.run("U1", plant.surroundings(pcsc: pcsc)).status == .skip)
    #expect(try await plant.run("U1").status == .fail)
  }

  // MARK: pcscd and readers

  @Test func `a driver's list is read pair by pair`() async throws {
    let plant = try Plant()
    try plant.reader()
    let list = """
      <dict><key>ifdVendorID</key><array><string>0x08E6</string><string>0x072F</string></array>
      <key>ifdProductID</key><array><string>0x2200</string><string>0x2200</string></array>
      <key>ifdFriendlyName</key><array><string>x</string></array></dict>
      """
    #expect(DriverBundle.devices(in: list) == ["08e6:2200", "072f:2200"])
    #expect(try await plant.run("S2").status == .fail)
    try plant.write("/usr/lib/pcsc/drivers/ifd-ccid.bundle/Contents/Info.plist", list)
    #expect(try await plant.run("S2").status == .pass)
    try plant.write("/usr/lib/pcsc/drivers/ifd-acsccid.bundle/Contents/Info.plist", list)
    #expect(try await plant.run("S2").status == .warn)
  }

  @Test(arguments: [("1.9.9", Finding.Status.pass), ("2.3.3", .pass), ("1.9.1", .warn)])
  func `an old pcscd is a warning`(version: String, status: Finding.Status) async throws {
    let plant = try Plant()
    try plant.program("/usr/sbin/pcscd", "echo 'pcsc-lite version \(version).'")
    #expect(try await plant.run("S1").status == status)
    try plant.remove("/usr/sbin/pcscd")
    #expect(try await plant.run("S1").status == .fail)
  }

  @Test func `three refusals are a missing rule, or one that cannot be read`() async throws {
    let plant = try Plant()
    let time = ManualTime()
    let box = plant.surroundings(time: time, pcsc: .fake(readers: [], establish: .refused))
    let finding = Task { try await plant.run("S4", box) }
    for _ in 0..<2 {
      await time.waitForSleepers()
      time.advance(by: .seconds(1))
    }
    let found = try await finding.value
    #expect(found.status == .fail)
    #expect(found.remedies.first?.contains("49-kiosk-agent.rules") == true)
  }

  @Test(arguments: [
    (0x0008 as UInt, Finding.Status.fail), (0x0004, .fail), (0x0090, .fail), (0x0222, .warn), (0x0010, .pass),
    (0x0020, .pass), (0x0120, .warn),
  ])
  func `what pcscd says of a slot is judged`(event: UInt, status: Finding.Status) async throws {
    let plant = try Plant()
    let box = plant.surroundings(pcsc: .fake(readers: [("ACS ACR122U 00 00", event)]))
    #expect(try await plant.run("R2", box).status == status)
  }

  @Test func `readers that the configuration leaves out are named as the cause`() async throws {
    let plant = try Plant()
    let configuration = try Configuration.parse(Array("{ reader: { match: ['Omnikey'] } }".utf8), folder: "/")
    let pcsc = PCSCLibrary.fake(readers: [("ACS ACR122U 00 00", 0x10)])
    let found = try await plant.run("R1", plant.surroundings(configuration, pcsc: pcsc))
    #expect(found.status == .fail)
    #expect(found.means?.contains("reader.match") == true)
    #expect(try await plant.run("R1", plant.surroundings(pcsc: pcsc)).status == .pass)
    let two = PCSCLibrary.fake(readers: [("A 00 00", 0x10), ("B 01 00", 0x10)])
    #expect(try await plant.run("R1", plant.surroundings(pcsc: two)).status == .warn)
  }

  @Test func `pcscd's log is counted and its last line told without a UID`() async throws {
    let plant = try Plant()
    try plant.systemd([:], journal: ["pcscd": ["first", "tag 04A1B2C3D4E5F6 LIBUSB_ERROR_TIMEOUT"]])
    let found = try await plant.run("S6")
    #expect(found.status == .warn)
    #expect(!"\(found)".contains("A1B2C3"))
    try plant.systemd([:], journal: ["pcscd": ["LIBUSB_ERROR_BUSY"]])
    #expect(try await plant.run("S6").status == .fail)
    try plant.systemd([:])
    #expect(try await plant.run("S6").status == .pass)
  }

  // MARK: Disk

  @Test(arguments: [
    ("9 1 8:2 / STATE rw,noatime - ext4 /dev/sda2 rw", Finding.Status.pass),
    ("9 1 8:2 / STATE ro - ext4 /dev/sda2 rw", .fail),
    ("9 1 8:2 / STATE rw - ext4 /dev/sda2 ro,errors=remount-ro", .fail), ("9 1 0:9 / STATE rw - tmpfs tmpfs rw", .fail),
    ("9 1 8:2 / STATE rw - vfat /dev/sda2 rw", .warn),
    ("9 1 0:9 / STATE rw - overlay overlay rw,lowerdir=/a,upperdir=/run/up,workdir=/w", .fail),
    ("9 1 0:9 / STATE rw - overlay overlay rw,lowerdir=/a,upperdir=/data/up,workdir=/w", .warn),
    ("9 1 0:9 / / rw - overlay overlay rw,lowerdir=/a,upperdir=/var/lib/docker/up,workdir=/w", .warn),
  ])
  func `what holds the state is judged by what survives a power cut`(line: String, status: Finding.Status) async throws
  {
    let plant = try Plant()
    let state = "/srv/kiosk state"
    let base = line.contains(" / / ") ? "" : "1 0 8:1 / / rw - ext4 /dev/root rw\n2 1 0:5 / /run rw - tmpfs tmpfs rw\n"
    try plant.write(
      "/proc/self/mountinfo",
      base + line.replacingOccurrences(of: "STATE", with: state.replacingOccurrences(of: " ", with: "\\040")) + "\n")
    let found = try await plant.run("D2", plant.surroundings(Configuration(stateDirectory: state)))
    #expect(found.status == status, "\(found)")
  }

  // MARK: Clock

  @Test(arguments: [
    (1_600_000_000.0, false as Bool?, Finding.Status.fail), (1_600_000_000, true, .pass), (1_800_000_000, false, .warn),
    (1_800_000_000, nil, .warn),
  ])
  func `a clock is synchronised, believable or wrong`(now: Double, synchronised: Bool?, status: Finding.Status)
    async throws
  {
    let plant = try Plant()
    let box = plant.surroundings(
      time: ManualTime(now: Date(timeIntervalSince1970: now)),
      clock: ClockFacts(synchronised: synchronised, hasHardwareClock: false, timeServiceRuns: true))
    #expect(try await plant.run("T1", box).status == status)
  }

  @Test(arguments: [
    (#"{ timeZone: "America/Los_Angeles" }"#, "# version 2026a", Finding.Status.pass),
    (#"{ timeZone: "America/Los_Angeles" }"#, "# version 2024b", .warn),
    (#"{ timeZone: "Europe/Paris" }"#, "# version 2026a", .fail),
  ])
  func `a zone must be known to the system too, and zones be less than two years old`(
    text: String, version: String, status: Finding.Status
  ) async throws {
    let plant = try Plant()
    try plant.write("/usr/share/zoneinfo/tzdata.zi", version + "\n")
    let configuration = try Configuration.parse(Array(text.utf8), folder: "/")
    let time = ManualTime(now: Date(timeIntervalSince1970: 1_796_000_000))
    let found = try await plant.run("T2", plant.surroundings(configuration, time: time))
    #expect(found.status == status, "\(found)")
    if status == .pass { #expect(found.seen.contains(.init("next change", "2027-03-14T03:00:00-07:00"))) }
  }

  // MARK: Service

  @Test(arguments: [
    ("V1", "LoadState=loaded\nUnitFileState=enabled\nDropInPaths=\nNeedDaemonReload=no", Finding.Status.pass),
    ("V1", "LoadState=loaded\nUnitFileState=disabled\nDropInPaths=\nNeedDaemonReload=no", .fail),
    ("V1", "LoadState=masked\nUnitFileState=masked\nDropInPaths=\nNeedDaemonReload=no", .fail),
    ("V1", "LoadState=not-found\nUnitFileState=\nDropInPaths=\nNeedDaemonReload=no", .fail),
    ("V1", "LoadState=loaded\nUnitFileState=enabled\nDropInPaths=/etc/x.conf\nNeedDaemonReload=no", .warn),
    ("V1", "LoadState=loaded\nUnitFileState=enabled\nDropInPaths=\nNeedDaemonReload=yes", .warn),
    (
      "V2", "LoadState=loaded\nActiveState=active\nSubState=running\nResult=success\nNRestarts=0\nExecMainStatus=0",
      .pass
    ),
    (
      "V2", "LoadState=loaded\nActiveState=active\nSubState=running\nResult=success\nNRestarts=2\nExecMainStatus=0",
      .warn
    ),
    (
      "V2", "LoadState=loaded\nActiveState=active\nSubState=running\nResult=signal\nNRestarts=9\nExecMainStatus=4",
      .fail
    ),
    (
      "V2", "LoadState=loaded\nActiveState=failed\nSubState=failed\nResult=exit-code\nNRestarts=0\nExecMainStatus=78",
      .fail
    ),
    (
      "V2", "LoadState=loaded\nActiveState=inactive\nSubState=dead\nResult=success\nNRestarts=0\nExecMainStatus=0",
      .fail
    ),
  ])
  func `a unit is judged by what systemd says`(id: String, properties: String, status: Finding.Status) async throws {
    let plant = try Plant()
    try plant.systemd(["kiosk-agent.service": properties])
    let found = try await plant.run(id)
    #expect(found.status == status, "\(found)")
    if properties.contains("ExecMainStatus=78") { #expect(found.means?.contains("C1") == true) }
  }

  // MARK: Configuration

  @Test(arguments: [
    ("KEY", 0o600, Finding.Status.pass), ("KEY\n", 0o600, .pass), ("KEY", 0o644, .fail), ("", 0o600, .fail),
    (" \n", 0o600, .fail), ("\u{FEFF}KEY", 0o600, .fail), ("KEY\nTWO\n", 0o600, .fail), ("KEY", 0o640, .pass),
  ])
  func `a key's file is judged, and the key never told`(text: String, mode: Int, status: Finding.Status) async throws {
    let plant = try Plant()
    try plant.write("/key", text)
    unsafe chmod(plant.root + "/key", mode_t(mode))
    let configuration = try Configuration.parse(
      Array("{ sources: { onebusaway: { keyFile: '\(plant.root)/key' } } }".utf8), folder: "/")
    let found = try await plant.run("C2", plant.surroundings(configuration))
    #expect(found.status == status, "\(found)")
    #expect(!"\(found)".contains("KEY"))
  }

  @Test func `a key is found in the environment, in a credential, or missed; in an address it is out of place`()
    async throws
  {
    let plant = try Plant()
    func status(_ text: String, _ environment: [String: String] = [:]) async throws -> Finding.Status {
      let configuration = try Configuration.parse(Array(text.utf8), folder: "/")
      return try await plant.run("C2", plant.surroundings(configuration, environment: environment)).status
    }
    #expect(try await status("{}") == .skip)
    #expect(try await status("{ sources: { trafiklab: {} } }") == .warn)
    #expect(try await status("{ sources: { trafiklab: {} } }", ["KIOSK_AGENT_TRAFIKLAB_KEY": "x"]) == .pass)
    #expect(try await status("{ sources: { trafiklab: { baseURL: 'https://x.org/?key=S' } } }") == .warn)
    try plant.systemd(["kiosk-agent.service": "LoadCredential=trafiklab-key:/etc/x"])
    #expect(try await status("{ sources: { trafiklab: {} } }") == .pass)
  }

  // MARK: Sound

  @Test(arguments: [
    ("plughw:CARD=Device,DEV=0", Finding.Status.pass), ("hw:1", .pass), ("default", .pass), ("hw:CARD=Other", .fail),
  ])
  func `the card that is named must be there`(device: String, status: Finding.Status) async throws {
    let plant = try Plant()
    try plant.write(
      "/proc/asound/cards", " 1 [Device         ]: USB-Audio - USB Audio Device\n                      at usb-1\n")
    var configuration = Configuration(stateDirectory: "/nowhere")
    configuration.sound.device = device
    #expect(try await plant.run("A1", plant.surroundings(configuration)).status == status)
    try plant.write("/proc/asound/cards", "--- no soundcards ---\n")
    #expect(try await plant.run("A1", plant.surroundings(configuration)).status == .fail)
  }

  // MARK: Tap test

  @Test(arguments: [
    ([40, 50, 60], Finding.Status.pass), ([40, 50, 400], .warn), ([40, 50], .warn), ([], .warn),
  ])
  func `taps are good when all are read within 300 ms`(times: [Int], status: Finding.Status) {
    let readings = times.map {
      TapReading(tag: "…E5F6", bytes: 7, unreadable: nil, milliseconds: $0, isKnown: true)
    }
    #expect(TapTest.finding(readings, asked: 3).status == status)
    let mute = TapReading(tag: nil, bytes: nil, unreadable: "mute", milliseconds: 600, isKnown: false)
    #expect(TapTest.finding([mute, mute, mute], asked: 3).status == .fail)
  }

  @Test func `a sound that takes no time was heard by nobody, and a person has the last word`() {
    #expect(SoundTest.finding(started: 3, lasted: 600, expected: 600, problem: nil).status == .pass)
    #expect(SoundTest.finding(started: 3, lasted: 0, expected: 600, problem: nil).status == .warn)
    #expect(SoundTest.finding(started: nil, lasted: nil, expected: 600, problem: "muted").status == .fail)
    let played = SoundTest.finding(started: 3, lasted: 600, expected: 600, problem: nil)
    #expect(SoundTest.heard(true, after: played).status == .pass)
    #expect(SoundTest.heard(false, after: played).status == .fail)
    #expect(SoundTest.heard(nil, after: played).status == .warn)
  }
}
