import PCSC
import Testing

@testable import TagReader

/// How long a tag has been on a reader, tapped or not.
struct TagSinceTests {
  private let reader = "ACS ACR122U 00 00"

  /// dwEventState with a counter.
  private func state(_ flags: UInt, _ counter: UInt) -> UInt { flags | counter << 16 }

  @Test func `it counts from the first sight, goes on without a break, and ends when the tag is lifted`() {
    let board = ReaderBoard(settings: ReaderSettings(), now: .zero)
    board.connected()
    _ = board.list([reader], at: .zero)
    // Lying at the start.
    _ = board.observe(reader, state(ReaderStatus.present, 1), at: .seconds(10))
    _ = board.observe(reader, state(ReaderStatus.present, 1), at: .seconds(20))
    #expect(board.summary(at: .seconds(20)).tagSince == .seconds(10))
    _ = board.observe(reader, state(ReaderStatus.empty, 2), at: .seconds(30))
    #expect(board.summary(at: .seconds(30)).tagSince == nil)
    _ = board.observe(reader, state(ReaderStatus.present, 3), at: .seconds(40))
    #expect(board.summary(at: .seconds(41)).tagSince == .seconds(40))
    // Out and in again unseen: another tap.
    _ = board.observe(reader, state(ReaderStatus.present, 5), at: .seconds(50))
    #expect(board.summary(at: .seconds(51)).tagSince == .seconds(50))
    _ = board.list([], at: .seconds(60))
    #expect(board.summary(at: .seconds(60)).tagSince == nil)
  }

  @Test func `nothing is known of it while pcscd is away`() {
    let board = ReaderBoard(settings: ReaderSettings(), now: .zero)
    board.connected()
    _ = board.list([reader], at: .zero)
    _ = board.observe(reader, state(ReaderStatus.present, 1), at: .seconds(10))
    board.disconnected(refused: false, at: .seconds(20))
    #expect(board.summary(at: .seconds(20)).tagSince == nil)
  }
}
