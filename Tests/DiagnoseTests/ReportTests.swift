import Foundation
import Testing

@testable import Diagnose

/// What the technician reads.
struct ReportTests {
  private func outcome(_ id: String, _ finding: Finding, title: String = "Reader listed by pcscd") -> Outcome {
    Outcome(
      check: Check(id, title, needs: ["S4"], impact: .doses) { _ in finding }, finding: finding,
      took: .milliseconds(41))
  }

  private let failure = Finding.fail(
    [.init("readers", "none")], "No reader is plugged in, or its cable is broken, and this sentence is a long one.",
    "sudo systemctl reset-failed pcscd.socket pcscd.service kiosk-agent.service")

  private static let oddTexts = [
    "plain", "a/very/long/path/without/any/blank/that/is/longer/than/the/width/of/a/telephone/screen/in/the/kitchen",
    "tab\there\nline\rreturn\u{1B}[31mred\u{07}", "right\u{202E}to left\u{2066}", String(repeating: "読取り", count: 60),
    "💊👩‍👩‍👧‍👦 Grüße né\u{301}",
    String(repeating: "x", count: 5000), "", "   ", "\u{FFFD}\u{FFFD}\u{0000}",
  ]

  @Test(arguments: oddTexts)
  func `no line is longer than 60 columns or holds a control character, whatever was seen`(odd: String) {
    let finding = Finding.fail([.init("reader", odd)], odd, odd, "sudo chown root: \(odd)")
    let text = Report.text(outcome("R1", finding)) + "\n" + Report.ending([outcome("R1", finding)])
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      #expect(String(line).columns <= Report.width, "\(line.debugDescription)")
      #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }, "\(line.debugDescription)")
    }
    #expect(!text.contains("\u{202E}") && !text.contains("\u{1B}"))
  }

  @Test func `a failure says what was seen, what it means and what to do`() {
    #expect(
      Report.text(outcome("R1", failure)) == """
        FAIL    R1  Reader listed by pcscd                     41 ms
          seen:  readers: none
          means: No reader is plugged in, or its cable is broken,
                 and this sentence is a long one.
          do:    sudo systemctl reset-failed pcscd.socket \\
                 pcscd.service kiosk-agent.service
        """)
  }

  @Test func `what passed is one line, and what is not here says why`() {
    #expect(Report.text(outcome("S1", .pass([.init("version", "1.9.9")]))).split(separator: "\n").count == 1)
    #expect(Report.text(outcome("S2", .skip("No reader is on USB."))).hasSuffix("why:   No reader is on USB."))
  }

  @Test(arguments: [
    ([Finding.Status.pass, .skip], 0), ([.pass, .warn], 1), ([.warn, .fail], 2), ([.pass, .timeout], 2),
    ([.pass, .crash], 2), ([], 3), ([.crash, .crash, .skip], 3),
  ])
  func `exit codes are 0 all pass, 1 warnings, 2 failures, 3 nothing was looked at`(
    statuses: [Finding.Status], code: Int
  ) {
    #expect(Report.exitCode(statuses.map { outcome("R1", Finding($0)) }) == Int32(code))
  }

  @Test func `the first failure is where to start, before any warning`() {
    let outcomes = [outcome("U2", .warn([], "w", "x")), outcome("S3", failure), outcome("D1", failure)]
    #expect(Report.ending(outcomes).contains("START HERE: S3"))
    #expect(Report.first([outcome("U2", .warn([], "w", "x"))])?.check.id == "U2")
    #expect(Report.first([outcome("U2", .pass([]))]) == nil)
    #expect(Report.ending([outcome("U2", .pass([]))]).hasSuffix("This kiosk is ready."))
  }

  @Test func `every JSON line has every key`() throws {
    func object(_ text: String) throws -> [String: Any] {
      try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }
    let line = try object(Report.json(outcome("R1", .pass([.init("readers", "A")]))))
    #expect(Set(line.keys) == ["schema", "id", "title", "status", "ms", "seen", "means", "do", "needs", "impact"])
    #expect(line["means"] is NSNull)
    #expect(line["seen"] as? [String: String] == ["readers": "A"])
    let ending = try object(Report.jsonEnding([outcome("R1", failure), outcome("R2", .skip("x"))]))
    let summary = try #require(ending["summary"] as? [String: Any])
    #expect(Set(summary.keys) == ["pass", "warn", "fail", "skip", "timeout", "crash", "first", "exit"])
    #expect(summary["first"] as? String == "R1")
    #expect(summary["exit"] as? Int == 2)
  }
}

/// Nothing that is nobody's business leaves in a report.
struct RedactionTests {
  @Test(arguments: [
    ("read tag 04A1B2C3D4E5F6 ok", "04A1B2C3D4E5F6"), ("UID 04 A1 B2 C3 D4 E5 F6", "A1 B2 C3"),
    ("04:a1:b2:c3:d4:e5:f6", "a1:b2:c3"), ("api_key=abc123", "abc123"), ("Authorization: Bearer abc.def", "abc.def"),
    ("password hunter2", "hunter2"), ("psk=\"my home\"", "home"), ("token: s3cr3t", "s3cr3t"),
    ("fetch https://user:pw@feeds.example.org/private/ann.ics?x=1", "ann.ics"),
    ("https://user:pw@feeds.example.org/", "pw"), ("webcal://p12.example.org/published/2/MTIzNDU2", "MTIzNDU2"),
    ("value QWxhZGRpbjpvcGVuIHNlc2FtZQx1 seen", "QWxhZGRpbjpvcGVuIHNl"),
  ])
  func `a secret in somebody else's log line is gone`(line: String, secret: String) {
    #expect(!Redaction.line(line).contains(secret), "\(Redaction.line(line))")
  }

  @Test(arguments: [
    "ccid_usb.c:927:WriteUSB() write failed (1/6): LIBUSB_ERROR_NO_DEVICE", "is NOT authorized for action: access_pcsc",
  ])
  func `a log line without one stays as it is`(line: String) { #expect(Redaction.line(line) == line) }

  @Test func `a host stays, so that one knows which feed it was`() {
    #expect(Redaction.line("GET https://feeds.example.org/a?key=1 401").contains("https://feeds.example.org/…"))
  }

  @Test func `a problem of a file keeps names of keys and loses values`() {
    #expect(
      Redaction.problem(#"timeZone "SECRET" is no time zone (line 3)"#) == "timeZone \"…\" is no time zone (line 3)")
  }
}
