internal import Foundation
internal import Glibc
internal import VirtualTag

extension DoctorCase {
  private static let off: Set<String> = ["V2"]

  /// Kiosks that nothing is wrong with, however they may look.
  package static let healthy: [DoctorCase] = [
    DoctorCase("the agent runs", first: nil, agent: .runs),
    DoctorCase("a complete kiosk in the field", first: nil, agent: .runs, isComplete: true),
    DoctorCase("a dose was taken just now", first: nil, agent: .runs) { try $0.takeDose() },
    DoctorCase("a tag is held to the reader", first: nil, agent: .runs) { patient in
      try patient.tag.enter(uid: Secrets.uid)
      try patient.kiosk.process?.waitFor("taken, 1 credited")
    },
    DoctorCase("somebody taps without end", first: nil, agent: .runs, isComplete: true) {
      try $0.bringTapping(milliseconds: 300)
    },
    DoctorCase("pcscd was restarted under the agent", first: nil, agent: .runs) { patient in
      try patient.pcscd.restart()
      try Waiting.until("the reader is back") {
        patient.kiosk.process?.text.ranges(of: "reader: ready").count ?? 0 > 1
      }
    },
    DoctorCase("a second browser shows the page", first: nil, agent: .runs) { patient in
      if let agent = patient.kiosk.process { try patient.openPage(of: agent) }
    },
    DoctorCase("nothing is fetched from anywhere", first: nil) { patient in
      try patient.configure(sources: "sources: {}")
      try patient.enter("{ watches: [] }")
      try patient.startAgent()
    },
    DoctorCase("a calendar is a file", first: nil) { patient in
      try patient.kiosk.write("family.ics", "\u{FEFF}BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n")
      try patient.configure(sources: "sources: { calendars: [{ id: 'family', file: 'family.ics' }] }")
      try patient.enter("{ watches: [] }")
      try patient.startAgent()
    },
    DoctorCase("a school publishes its days and its menu", first: nil) {
      try $0.enterSchool()
      try $0.startAgent()
    },
    DoctorCase("the school is all in its file", first: nil) { patient in
      try patient.enterSchool { file in file.replacing(#/(exceptionsURL|stationsURL): "[^"]*",?/#, with: "") }
      try patient.startAgent()
    },
    DoctorCase("feeds come from the Internet", first: nil, words: ["--only", "N,F,C2"]) { try $0.useInternet(.well) },
    DoctorCase(
      "a reader with a slot for SAMs", first: nil,
      readers: ["PICC", "SAM"].map { ReaderEntry(name: "ACS ACR1252 1S CL Reader [ACR1252 Dual Reader \($0)]") },
      agent: .runs),
    DoctorCase("two readers of which one is named", first: nil, readers: [.acr122, ReaderEntry(name: "Omnikey 5022")]) {
      try $0.configure("reader: { match: ['ACR122'] },")
      try $0.startAgent()
    },
    DoctorCase("the page is on IPv6", first: nil) {
      try $0.configure(listen: "[::1]:0")
      try $0.startAgent()
    },
    DoctorCase("the agent has a user of its own, and root asks", first: nil) { try $0.startAgentAsOrdinaryUser() },
    DoctorCase("the agent is switched off", first: nil, tolerated: off, agent: .stopped),
    DoctorCase("the kiosk was never started", first: nil, tolerated: off) {
      try FileManager.default.removeItem(atPath: $0.state)
    },
    DoctorCase("the power went and came back", first: nil, tolerated: off, agent: .runs) { patient in
      try patient.takeDose()
      patient.kiosk.process?.signal(SIGKILL)
      _ = try patient.kiosk.process?.waitForExit()
    },
    // What is or is not built into this machine is not judged.
    DoctorCase("this machine as it is", first: nil, words: ["--skip", "U,S2,S6,D2,V1,A1,A2,A4"], agent: .runs) {
      $0.usesPlant = false
    },
  ]
}
