import Foundation
import TagReader
import Testing
import Wall

/// What one room names and another must know.
struct WiringTests {
  @Test(arguments: ["en", "de"])
  func `every reason of the reader has words of its own on the wall`(language: String) {
    let texts = UnreadableReason.allCases.map { reason in
      var facts = TapFacts(outcome: .unreadable, at: Date(timeIntervalSince1970: 0))
      facts.unreadable = reason.rawValue
      return TapTextWriter(language: language, zone: .gmt).texts(facts).detail
    }
    var unknown = TapFacts(outcome: .unreadable, at: Date(timeIntervalSince1970: 0))
    unknown.unreadable = "no such reason"
    let otherwise = TapTextWriter(language: language, zone: .gmt).texts(unknown).detail
    #expect(!texts.contains(otherwise), "\(texts)")
  }
}
