internal import Foundation

extension DoctorCase {
  static let school: [DoctorCase] = [
    DoctorCase("an afternoon hour in the school's file is as people say it", first: "F4") { patient in
      try patient.enterSchool { $0.replacing("13:35-15:25", with: "1:35-3:25") }
      try patient.startAgent()
    },
    DoctorCase("the school's file breaks under the agent", first: "F4") { patient in
      try patient.enterSchool()
      try patient.startAgent()
      try patient.kiosk.write("school.json5", "{ \"\(Secrets.misplacedKey.planted)\": 1, regular: ")
    },
    DoctorCase("the school's file is gone", first: "F4") { patient in
      try patient.enterSchool()
      try patient.startAgent()
      try FileManager.default.removeItem(atPath: patient.schoolFile)
    },
    DoctorCase("the school's file is of years ago", first: "F4") { patient in
      try patient.enterSchool { file in
        file.replacing(#/years: .*/#, with: "years: [{ first: '2023-08-10', last: '2024-05-20' }],")
          .replacing(#/exceptions: .*/#, with: "").replacing(#/exceptionsURL: .*/#, with: "")
      }
      try patient.startAgent()
    },
    DoctorCase("the day map is another document", first: "F5") { patient in
      try patient.enterSchool()
      patient.school?.say(#"{"name":"\#(Secrets.person.planted)","version":"2.0.1"}"#, as: "days.json")
      try patient.startAgent()
    },
    DoctorCase("the day map has a day that does not exist", first: "F5") { patient in
      try patient.enterSchool()
      try patient.startAgent()
      patient.school?.say(#"{"No School":["2/30/2027"]}"#, as: "days.json")
    },
    DoctorCase("a log-in page comes in place of the menu", first: "F6") { patient in
      try patient.enterSchool()
      for (name, _) in FakeSchool.published(at: Date()) where name.hasPrefix("menu/") {
        patient.school?.say("<!DOCTYPE html><html>\(Secrets.password.planted)</html>", as: name)
      }
      try patient.startAgent()
    },
    DoctorCase("the school's server no longer has anything", first: "F5") { patient in
      try patient.enterSchool()
      for (name, _) in FakeSchool.published(at: Date()) { patient.school?.say("", as: name, status: 404) }
      try patient.startAgent()
    },
    DoctorCase("one station of the menu has a comma too many", first: "F6") { patient in
      try patient.enterSchool()
      try patient.startAgent()
      patient.school?.say(#"{"cadence":"weekly","data":["Ramen","Tacos",]}"#, as: "menu/soup.json")
    },
  ]
}
