import TestSupport
import Testing
import VirtualTag

struct TapTests {
  @Test func `a private pcscd starts and its reader answers`() throws {
    let pcscd = try PrivatePcscd.started()
    #expect(try pcscd.tag().state()["present"] == "0")
  }
}
