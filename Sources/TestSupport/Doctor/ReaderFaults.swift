internal import Glibc
internal import VirtualTag

extension DoctorCase {
  private static let noReader: [ReaderEntry] = []

  static let usb: [DoctorCase] = [
    DoctorCase("the reader is not plugged in", first: "U1", readers: noReader, agent: .runs, isComplete: true) {
      try $0.plant.unplug()
    },
    DoctorCase("the cable has a bad contact", first: "U2", agent: .runs, isComplete: true) { patient in
      let line = "usb 1-1: device descriptor read/64, error -71"
      try patient.plant.systemd(Plant.units(), journal: [" -k ": Array(repeating: line, count: 12)])
    },
    DoctorCase("a rule of Debian's lets the reader sleep", first: "U3", agent: .runs, isComplete: true) {
      try $0.plant.write("/sys/bus/usb/devices/1-1/power/control", "auto\n")
    },
    DoctorCase("the kernel's NFC driver has the reader", first: "U4", readers: noReader, agent: .runs, isComplete: true)
    {
      try $0.plant.remove("/sys/bus/usb/devices/1-1:1.0/driver")
      try $0.plant.link("/sys/bus/usb/devices/1-1:1.0/driver", to: "../../../bus/usb/drivers/pn533_usb")
    },
    DoctorCase("the reader has no device node", first: "U5", agent: .runs, isComplete: true) {
      try $0.plant.remove("/dev/bus/usb/001/004")
    },
  ]

  static let pcscd: [DoctorCase] =
    [
      DoctorCase("pcscd is not installed", first: "S1", pcscdRuns: false, agent: .runs, isComplete: true) {
        try $0.plant.remove("/usr/sbin/pcscd")
      },
      DoctorCase("no driver knows the reader", first: "S2", readers: noReader, agent: .runs, isComplete: true) {
        try $0.plant.remove("/usr/lib/pcsc/drivers/ifd-ccid.bundle")
      },
      DoctorCase("pcscd was never started", first: "S3", pcscdRuns: false, agent: .runs),
      DoctorCase("pcscd was stopped under the agent", first: "S3", agent: .runs) { $0.pcscd.stop() },
      DoctorCase("pcscd was killed and left its socket", first: "S3", agent: .runs) { patient in
        if let pid = patient.pcscd.pid { kill(pid, SIGKILL) }
        patient.pcscd.waitForEnd()
      },
      DoctorCase("the agent's user may not open pcscd's socket", first: "S3") { patient in
        try patient.startAgentAsOrdinaryUser()
        unsafe chmod(patient.pcscd.socketPath, 0o600)
      },
      // It refuses some and drops others.
      DoctorCase("pcscd has no room for one more client", first: "S4", or: "S5") {
        try $0.bring(python: Script.manyContexts, untilItSays: "full")
      },
      DoctorCase("pcscd is frozen", first: "S5") { $0.pcscd.freeze() },
      DoctorCase("pcscd froze under the agent", first: "S5", agent: .runs) { $0.pcscd.freeze() },
      DoctorCase("what sits on pcscd's socket never answers", first: "S5", pcscdRuns: false) {
        try $0.bring(python: Script.silentListener, $0.pcscd.socketPath, untilItSays: "listening")
      },
    ]
    + Secrets.pcscdTrouble.enumerated().map { index, line in
      DoctorCase("pcscd had trouble (log \(index + 1))", first: "S6", agent: .runs, isComplete: true) {
        try $0.plant.systemd(Plant.units(), journal: ["pcscd": ["first", line]])
      }
    }

  static let readers: [DoctorCase] = [
    DoctorCase("pcscd has no reader", first: "R1", readers: noReader),
    DoctorCase(
      "a replugged reader is on USB and not in pcscd", first: "R1", readers: noReader, agent: .runs, isComplete: true),
    DoctorCase("reader.match names another maker", first: "R1", agent: .runs) { patient in
      try patient.stopAgent()
      try patient.configure("reader: { match: ['Omnikey'] },")
      try patient.kiosk.start()
    },
    DoctorCase(
      "two readers and no word which", first: "R1", readers: [.acr122, ReaderEntry(name: "ACS ACR1252 PICC")],
      agent: .runs),
    DoctorCase("the reader does not answer its host", first: "R2", agent: .runs) { patient in
      try patient.tag.unavailable(true)
      try patient.kiosk.waitForReader("unavailable")
    },
    DoctorCase("another program has the reader for itself", first: "R2") { patient in
      try patient.tag.enter(uid: Secrets.uid)
      try patient.bring(python: Script.exclusiveClient, untilItSays: "held")
    },
    DoctorCase("a mute tag lies on the reader", first: "R2", agent: .runs) { patient in
      try patient.tag.mute(.always)
      try patient.tag.enter(uid: Secrets.uid)
      try patient.kiosk.process?.waitFor("unreadable: mute")
    },
    DoctorCase("every transmit fails, and a tap is tried", first: "R5", words: ["--tap=1"], agent: .runs) { patient in
      try patient.tag.failTransmits(.always)
      try patient.bringTapping(milliseconds: 1500)
    },
    DoctorCase("tags are mute, and a tap is tried without the agent", first: "R5", words: ["--tap=1"]) { patient in
      try patient.tag.mute(.always)
      try patient.bringTapping(milliseconds: 1500)
    },
  ]
}

extension Plant {
  /// The bus without the reader; its hub stays.
  fileprivate func unplug() throws {
    for path in [
      "/sys/bus/usb/devices/1-1", "/sys/bus/usb/devices/1-1:1.0", "/dev/bus/usb/001/004", "/dev/kiosk-reader",
    ] { try remove(path) }
    try write("/sys/bus/usb/devices/usb1/idVendor", "1d6b\n")
  }
}
