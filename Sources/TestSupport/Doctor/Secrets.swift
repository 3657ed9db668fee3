internal import Foundation

/// What a family and its installer would not have in a report, planted in every kiosk that is looked at. None of it may be
/// in any output, whatever is broken.
package enum Secrets {
  /// One of them, by what it is; its value is in no message.
  package struct Secret: Sendable {
    package let what: String
    fileprivate let text: String

    fileprivate init(_ what: String, _ text: String) {
      self.what = what
      self.text = text
    }
  }

  /// A key in the agent's environment.
  package static let environmentKey = Secret("API key in the environment", "envCanary7Qx9vLmN2pR4")
  /// A key in a file of its own.
  package static let fileKey = Secret("API key in its file", "fileCanary3Tz8wBcD5sF6")
  /// A key that somebody wrote where it does not belong.
  package static let misplacedKey = Secret("API key in the wrong place", "misplacedCanary6Hj4kLp1Zx")
  static let token = Secret("token in a calendar's address", "icsCanary2Vb5nM8qW1eR4")
  static let query = Secret("token in the query of a calendar's address", "queryCanary8Gh2jK6tY")
  static let event = Secret("title of an event", "Canary hearing about Bob")
  static let uidOfEvent = Secret("mail address in an event's UID", "annabelle.canary@family.invalid")
  package static let schoolToken = Secret("token in a school's address", "schoolCanary4Rt6yU8iO")
  package static let school = Secret("name of a school", "Canary Creek Elementary")
  static let password = Secret("password in a calendar's address", "passCanary9Ui3oP")
  static let calendar = Secret("name of a calendar", "Canary custody days")
  static let passphrase = Secret("Wi-Fi passphrase", "pskCanary-kitchen-door-1987")
  static let address = Secret("MAC address", "a4:cf:12:9b:7e:31")
  static let person = Secret("name of a person", "Annabelle")
  static let medication = Secret("name of a medication", "Canarythyroxine")
  static let label = Secret("label of a tag", "canary box")
  static let tag = Secret("UID of a tag", "04A1B2C3D4E5F6")

  package static let all = [
    environmentKey, fileKey, misplacedKey, token, query, event, uidOfEvent, schoolToken, school, password, calendar,
    passphrase, address, person, medication, label,
    tag,
  ]

  /// Another tag for the same dose: it is answered where the first would bounce.
  package static let secondUID: [UInt8] = [0x04, 0x2B, 0x2B, 0x2B, 0x2B, 0x2B, 0x2B]

  /// The bytes of the planted tag.
  package static let uid: [UInt8] = [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]

  /// Which of them a text gives away, in any case, and numbers with whatever stands between their digits.
  package static func found(in text: String) -> [String] {
    let digits = text.filter { !" :-".contains($0) }
    return all.filter { secret in
      if text.localizedCaseInsensitiveContains(secret.text) { return true }
      guard secret.what == tag.what || secret.what == address.what else { return false }
      // Most of it is as bad as all of it.
      let bare = secret.text.filter { $0 != ":" }
      return digits.localizedCaseInsensitiveContains(bare.dropFirst(2).dropLast(4))
    }.map(\.what)
  }

  // MARK: Where they are planted

  /// The section of a right configuration; the key's file is to be written.
  /// - Parameters:
  ///   - buses: the address of a OneBusAway server.
  ///   - calendars: that of a calendar's, without its path.
  static func sources(keyFile: String, buses: String, calendars: String) -> String {
    let login = calendars.replacing("://", with: "://ann:\(password.text)@")
    return """
      sources: { onebusaway: { baseURL: '\(buses)', keyFile: '\(keyFile)' }, trafiklab: {},
        calendars: [{ id: 'family', name: '\(calendar.text)',
          url: '\(login)\(calendarPath)?key=\(query.text)' }] }
      """
  }

  /// Where the calendar is, which nobody may learn.
  static var calendarPath: String { "/private-\(token.text)/basic.ics" }

  /// One dose whose window holds now, and a bus.
  /// - Parameters:
  ///   - stop: where the bus is watched for.
  ///   - route: the bus.
  static func household(
    now: Date = Date(), stop: String = "1_75403", route: String = "1_100225"
  ) -> String {
    let minutes = Int(now.timeIntervalSince1970) / 60 - 10
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(identifier: "America/Los_Angeles") ?? .gmt
    let due = calendar.dateComponents([.hour, .minute], from: Date(timeIntervalSince1970: Double(minutes * 60)))
    let at = String(format: "%02d:%02d", due.hour ?? 0, due.minute ?? 0)
    return """
      { people: [{ id: 'ann', name: '\(person.text) Canary' }],
        medications: [{ id: 'levo', person: 'ann', name: '\(medication.text)', dose: '1 tablet',
          times: [{ at: '\(at)', opensBefore: 120, closesAfter: 240, since: '2026-01-01T00:00:00-08:00' }] }],
        tags: [{ uid: '\(tag.text)', label: '\(label.text)', medications: ['levo'] },
          { uid: '\(secondUID.map { String(format: "%02X", $0) }.joined())', medications: ['levo'] }],
        watches: [{ id: 'school', label: '\(person.text) to school', source: 'onebusaway', stop: '\(stop)',
          route: '\(route)' }] }
      """
  }

  /// What a kernel that is well says, on a machine where people are careless.
  static let kernelLog = [
    "usb 1-1: new full-speed USB device number 4", "wlan0: authenticate with \(address.text)",
    "brcmfmac: psk=\"\(passphrase.text)\"",
  ]

  /// What pcscd may say when it has trouble, with what else was in the line.
  package static let pcscdTrouble = [
    "readerfactory.c:1110 LIBUSB_ERROR_TIMEOUT while reading \(tag.text)",
    "APDU: FF CA 00 00 00 SW: 04 A1 B2 C3 D4 E5 F6 90 00", "token=\(token.text) LIBUSB_ERROR_IO",
    "wpa_supplicant: psk=\"\(passphrase.text)\" for \(address.text)",
    "wpa_supplicant: passphrase: \(passphrase.text)",
    "GET https://u:\(password.text)@calendar.invalid/\(token.text).ics",
    "API key \(misplacedKey.text) for \(address.text)",
  ]
}

extension Secrets.Secret {
  /// For what writes it into a file of a kiosk.
  package var planted: String { text }
}
