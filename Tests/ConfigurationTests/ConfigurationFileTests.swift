import Foundation
import Testing

@testable import Configuration

struct ConfigurationFileTests {
  private func parse(_ text: String) throws(DocumentError) -> Configuration {
    try Configuration.parse(Array(text.utf8), folder: "/etc/kiosk-agent")
  }

  private func problems(_ text: String) -> [String] {
    do {
      _ = try parse(text)
      return []
    } catch { return error.problems }
  }

  @Test func `an empty file has every default`() throws {
    let configuration = try parse("{}")
    #expect(configuration.stateDirectory == "/var/lib/kiosk-agent")
    #expect(configuration.reader.exclude == ["SAM"])
    #expect(configuration.wall.port == 8437)
    #expect(configuration.sound.device == "default")
  }

  @Test func `an unknown key names itself, its line and the nearest right key`() {
    let found = problems("{\n  wall: {\n    listn: '127.0.0.1:8437',\n  },\n}")
    #expect(found.count == 1)
    #expect(found[0].contains("wall.listn"))
    #expect(found[0].contains("line 3"))
    #expect(found[0].contains("listen"))
  }

  @Test(arguments: [
    "0.0.0.0:8437", "192.168.1.2:8437", "[::]:8437", "127.0.0.1.evil.example:80", "8437", "127.0.0.1:99999",
  ])
  func `the wall is not served off loopback`(listen: String) {
    #expect(!problems("{ wall: { listen: '\(listen)' } }").isEmpty)
  }

  @Test(arguments: [
    "{ reader: [] }", "{ timeZone: 'Mars/Olympus' }", "{ stateDirectory: 7 }", "[", "", "{ a: 1 } b",
    "{ wall: { panelInches: -1 } }",
  ])
  func `a wrong file is refused with a sentence`(text: String) {
    #expect(!problems(text).isEmpty)
  }

  @Test func `no bytes make the parser trap`() {
    let seed = Array(
      "{ people: [{ id: 'ann', name: \"Ann\\u00e9\" }], /* c */ n: [1, -0x1F, .5e3, null, true,], }".utf8)
    var state: UInt64 = 20_261_130
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    var accepted = 0
    for _ in 0..<20_000 {
      var bytes = seed
      for _ in 0...random(4) {
        let index = random(bytes.count)
        switch random(3) {
        case 0: bytes[index] = UInt8(random(256))
        case 1: bytes.remove(at: index)
        default: bytes.insert(UInt8(random(256)), at: index)
        }
      }
      if (try? JSON5Parser.parse(bytes)) != nil { accepted += 1 }
    }
    #expect(accepted > 0 && accepted < 20_000)
  }
}
