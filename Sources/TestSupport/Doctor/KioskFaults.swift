internal import Foundation
internal import Glibc

extension DoctorCase {
  static let configuration: [DoctorCase] = [
    DoctorCase("a key of the configuration is misspelt", first: "C1", agent: .stopped) {
      try $0.kiosk.write("kiosk-agent.json5", "{ stateDirectory: '\($0.state)',\n  wall: { listn: '127.0.0.1:0' } }")
    },
    DoctorCase("the configuration changed to a wrong one under the agent", first: "C1", agent: .runs) {
      try $0.configure("bell: {},")
    },
    DoctorCase("an API key stands where none belongs", first: "C1", agent: .stopped) {
      try $0.configure(sources: "sources: { onebusaway: { apiKey: '\(Secrets.misplacedKey.planted)' } }")
    },
    DoctorCase("an API key broke the configuration's grammar", first: "C1", agent: .stopped) {
      try $0.configure(sources: "sources: { onebusaway: \(Secrets.misplacedKey.planted) 'x' }")
    },
    DoctorCase("an API key stands in a wrong value", first: "C1", agent: .stopped) {
      try $0.configure(listen: Secrets.misplacedKey.planted)
    },
    DoctorCase("the configuration was cut off", first: "C1") { try $0.kiosk.write("kiosk-agent.json5", "{ wall: ") },
    DoctorCase("the configuration is empty", first: "C1") { try $0.kiosk.write("kiosk-agent.json5", "") },
    DoctorCase("the configuration is gone", first: "C1") {
      try FileManager.default.removeItem(atPath: $0.kiosk.configuration)
    },
    DoctorCase("a folder is in the configuration's place", first: "C1") {
      try FileManager.default.removeItem(atPath: $0.kiosk.configuration)
      try FileManager.default.createDirectory(atPath: $0.kiosk.configuration, withIntermediateDirectories: false)
    },
    DoctorCase("the agent's user may not read its configuration", first: "C1") { patient in
      try patient.startAgentAsOrdinaryUser()
      unsafe chown(patient.kiosk.configuration, 0, 0)
      unsafe chmod(patient.kiosk.configuration, 0o600)
    },
    DoctorCase("everybody may read a feed's key", first: "C2", agent: .runs) { unsafe chmod($0.keyFile, 0o644) },
    DoctorCase("a feed's key stands in its address", first: "C2", agent: .runs) {
      let address = "\($0.buses.address)/?key=\(Secrets.misplacedKey.planted)"
      try $0.configure(sources: "sources: { onebusaway: { baseURL: '\(address)' } }")
    },
    DoctorCase("a bus is watched and there is no key", first: "C2", agent: .runs) {
      try $0.configure(sources: "sources: { onebusaway: { baseURL: '\($0.buses.address)' } }")
    },
    DoctorCase("a sound file is gone", first: "C3", agent: .runs) {
      try $0.configure("sound: { success: '/no/such.wav' },")
    },
    DoctorCase("a sound file is an MP3", first: "C3", agent: .stopped) { patient in
      try patient.kiosk.write("failure.wav", "ID3\u{4}" + String(repeating: "mp3", count: 1000))
      try patient.configure("sound: { failure: '\(patient.kiosk.folder)/failure.wav' },")
    },
  ]

  static let service: [DoctorCase] = [
    DoctorCase("the service does not start with the machine", first: "V1", agent: .runs, isComplete: true) {
      try $0.plant.systemd(Plant.units(["UnitFileState": "disabled"]))
    },
    DoctorCase("the service is masked", first: "V1", agent: .stopped, isComplete: true) {
      try $0.plant.systemd(Plant.units(["LoadState": "masked", "UnitFileState": "masked", "ActiveState": "inactive"]))
    },
    DoctorCase("the agent ran out of memory", first: "V2", agent: .stopped, isComplete: true) {
      try $0.plant.systemd(
        Plant.units(["ActiveState": "failed", "SubState": "failed", "Result": "oom-kill", "ExecMainStatus": "9"]))
    },
    DoctorCase("the agent ends again and again", first: "V2", agent: .runs, isComplete: true) {
      try $0.plant.systemd(Plant.units(["Result": "signal", "NRestarts": "9", "ExecMainStatus": "11"]))
    },
    DoctorCase("the agent was killed where no systemd starts it again", first: "V2", agent: .runs) { patient in
      patient.kiosk.process?.signal(SIGKILL)
      _ = try patient.kiosk.process?.waitForExit()
    },
    DoctorCase("the agent stands still", first: "V3", agent: .runs) { $0.kiosk.process?.signal(SIGSTOP) },
    DoctorCase("another program has the page's port", first: "W1") { patient in
      let holder = try patient.bring(python: Script.portHolder, untilItSays: "\n")
      guard let port = UInt16(holder.text.filter(\.isNumber)) else { throw Patient.NotPossible(holder.text) }
      try patient.configure(listen: "127.0.0.1:\(port)")
      try patient.kiosk.startWithoutWaiting().waitFor("is in use", within: 20)
    },
  ]

  static let page: [DoctorCase] = [
    DoctorCase("nobody has opened the page", first: "W4", agent: .runs, showsPage: false),
    DoctorCase("the wall's browser does not start", first: "W4", agent: .runs, showsPage: false, isComplete: true) {
      let browser = ["kiosk-display.service": "LoadState=loaded\nUnitFileState=enabled\nActiveState=failed"]
      try $0.plant.systemd(Plant.units().merging(browser) { $1 })
    },
  ]

  private static let deadDevice = "pcm.!default { type hw card 77 }\nctl.!default { type hw card 77 }\n"

  static let sound: [DoctorCase] = [
    DoctorCase("there is no sound card", first: "A1", agent: .runs, isComplete: true) {
      try $0.plant.write("/proc/asound/cards", "--- no soundcards ---\n")
    },
    DoctorCase("the sound card that is named is not there", first: "A1", agent: .stopped, isComplete: true) {
      try $0.configure("sound: { device: 'plughw:CARD=Kitchen' },")
    },
    DoctorCase("the sound device does not open", first: "A3") { try $0.kiosk.write("asound.conf", deadDevice) },
    DoctorCase("the agent runs without its sound device", first: "A3", agent: .runs) { patient in
      try patient.stopAgent()
      try patient.kiosk.write("asound.conf", deadDevice)
      try patient.startAgent()
    },
    DoctorCase("ALSA's own configuration is broken", first: "A3") {
      try $0.kiosk.write("asound.conf", "pcm.!default {")
    },
  ]
}
