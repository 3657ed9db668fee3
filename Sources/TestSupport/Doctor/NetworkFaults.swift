internal import Foundation

extension DoctorCase {
  /// The whole report where the kernel tells the fault; else what is asked of the network, from within a namespace.
  private static let asked = ["--only", "N,F,C2"]

  static let network: [DoctorCase] = [
    DoctorCase("the network cable is out", first: "N1", agent: .runs) { patient in
      try patient.configureOutside()
      try patient.plant.network(isUp: false)
    },
    DoctorCase("the network cable is out, and only a school is fetched", first: "N1") { patient in
      try patient.configure(sources: "sources: {}")
      try patient.enter("{ watches: [] }")
      try patient.enterSchool(at: Internet.school)
      try patient.startAgent()
      try patient.waitForSchool()
      try patient.plant.network(isUp: false)
    },
    DoctorCase("the router gives no address", first: "N2", agent: .runs) { patient in
      try patient.configureOutside()
      try patient.plant.network(routes: "eth0\t0000FEA9\t00000000\t0001\t0\t0\t1000\t0000FFFF\t0\t0\t0\n")
    },
    DoctorCase("there is no way out of the house", first: "N2", agent: .stopped) { patient in
      try patient.configureOutside()
      try patient.plant.network(routes: "eth0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n")
    },
    DoctorCase("the name server is mute", first: "N3", words: asked) { try $0.useInternet(.muteNames) },
    DoctorCase("the name server knows no name", first: "N3", words: asked) { try $0.useInternet(.noNames) },
    DoctorCase("a firewall blocks HTTPS", first: "N4", words: asked) { try $0.useInternet(.noHTTPS) },
    DoctorCase("a filter signs all certificates itself", first: "N5", words: asked) { try $0.useInternet(.filter) },
    DoctorCase("the network wants a log-in", first: "N6", words: asked) { try $0.useInternet(.portal) },
  ]

  static let feeds: [DoctorCase] = [
    DoctorCase("OneBusAway refuses the key", first: "F1", agent: .runs) { patient in
      try patient.kiosk.write("key", Secrets.misplacedKey.planted + "\n")
    },
    DoctorCase("the stop that is watched does not exist", first: "F1", agent: .runs) {
      try $0.enter(Secrets.household(stop: "1_99999"))
    },
    DoctorCase("the route that is watched does not exist", first: "F1", agent: .runs) {
      try $0.enter(Secrets.household(route: "1_404"))
    },
    DoctorCase("the route that is watched stops elsewhere", first: "F1", agent: .runs) { patient in
      patient.buses.change { buses in
        var other = buses.lines[0]
        (other.stop, other.route, other.shortName) = ("1_1", "1_777", "77")
        buses.lines.append(other)
      }
      try patient.enter(Secrets.household(route: "1_777"))
    },
    DoctorCase("a web page comes in place of buses", first: "F1", agent: .runs) {
      $0.buses.say(Array("<!DOCTYPE html><html>\(Secrets.fileKey.planted)</html>".utf8))
    },
    DoctorCase("OneBusAway does not answer", first: "F1") { patient in
      let holder = try patient.bring(python: Script.portHolder, untilItSays: "\n")
      try patient.configure(
        sources: Secrets.sources(
          keyFile: patient.keyFile, buses: "http://127.0.0.1:\(holder.text.filter(\.isNumber))",
          calendars: patient.calendars.address))
      try patient.startAgent()
    },
    DoctorCase("a calendar is no longer shared", first: "F3", agent: .runs) { $0.calendars.say("", status: 404) },
    DoctorCase("a calendar's log-in page comes in its place", first: "F3", agent: .runs) {
      $0.calendars.say("<!DOCTYPE html><html>\(Secrets.token.planted)</html>")
    },
    DoctorCase("a calendar is cut off", first: "F3", agent: .runs) {
      $0.calendars.say(String(FakeCalendar.text.dropLast(20)))
    },
    DoctorCase("a calendar is of 20 MB", first: "F3", agent: .runs) {
      $0.calendars.say(FakeCalendar.text(of: String(repeating: "X-\(Secrets.event.planted):1\r\n", count: 700_000)))
    },
    DoctorCase("a calendar's file is gone", first: "F3") { patient in
      try patient.configure(sources: "sources: { calendars: [{ id: 'family', file: 'family.ics' }] }")
      try patient.enter("{ watches: [] }")
      try patient.startAgent()
    },
  ]
}
