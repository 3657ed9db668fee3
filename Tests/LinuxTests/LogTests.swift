import Linux
import Testing

@testable import Linux

struct LogTests {
  @Test func `a line break in a reader's name cannot forge a second log line`() {
    #expect(Log.oneLine("ACS\n<3>forged\u{1B}[2J") == "ACS <3>forged [2J")
  }

  @Test func `a UID shows its last four digits and no more`() {
    #expect(Log.redacted(uid: [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]) == "…E5F6")
  }
}
