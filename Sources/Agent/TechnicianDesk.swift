internal import Foundation
internal import HTTP
internal import Ledger
internal import Linux
internal import Reminders
internal import Wall

/// What `--diagnose` may ask of the running agent on `control.sock`: how it is, a window in which taps count for nothing, and
/// a sound.
struct TechnicianDesk: Sendable {
  private struct Request: Decodable {
    var command: String
    var seconds: Int?
  }

  /// How the agent is, as it knows it itself.
  private struct Status: Encodable {
    var version: String
    var process: Int32
    /// Where the wall is served; null: nowhere now.
    @Nullable var port: Int?
    var reader: String
    @Nullable var readerFault: String?
    /// Why doses cannot be recorded.
    @Nullable var ledger: String?
    var sound: String
    var clockTrusted: Bool
    var taps: Int
    var unreadable: Int
    var tooShort: Int
    /// How long a tag has been on a reader.
    @Nullable var tagSeconds: Int?
    /// Open event streams of pages.
    var pages: Int
    /// How long each thread has not moved, ms.
    var beats: [String: Int]
  }

  /// A tap in the test window.
  private struct Reading: Encodable {
    /// The end of the UID.
    @Nullable var tag: String?
    @Nullable var bytes: Int?
    @Nullable var unreadable: String?
    var milliseconds: Int
    /// Whether the tag belongs to somebody.
    var isKnown: Bool
  }

  private struct Opened: Encodable {
    /// How long taps count for nothing.
    var open: Int
  }

  /// The longest test window, s: a family's taps must not be lost to a test that was forgotten.
  static let longestWindow = 120

  let kiosk: Kiosk
  /// nil: there is nothing that could be tried.
  let bench: (any TestBench)?
  let time: any TimeSource
  let version: String
  let holder: ServerHolder
  let beats: @Sendable () -> [String: Duration]

  /// Answers `status` and `sound`; nil: the request is another's.
  func answer(_ line: String) async -> String? {
    guard let request = Self.parse(line), let bench else { return nil }
    switch request.command {
    case "status": return await status(bench)
    case "sound": return Self.encode(await bench.playSound())
    default: return nil
    }
  }

  /// The lines of a test window: that it is open, then each tap; nil: the request is another's.
  ///
  /// It ends by its own time, or with the stream.
  func tapTest(_ line: String) -> AsyncStream<String>? {
    guard let request = Self.parse(line), request.command == "tapTest", let bench else { return nil }
    let seconds = min(max(request.seconds ?? 60, 1), Self.longestWindow)
    return AsyncStream { continuation in
      let window = Task {
        await kiosk.testBegins()
        await withTaskGroup(of: Void.self) { group in
          group.addTask {
            try? await bench.testTaps {
              continuation.yield(Self.encode(Opened(open: seconds)))
            } each: { tap in
              let isKnown = await kiosk.showTest(tap)
              continuation.yield(Self.encode(Self.reading(tap, isKnown: isKnown)))
            }
          }
          group.addTask { try? await time.sleep(for: .seconds(seconds)) }
          await group.next()
          group.cancelAll()
        }
        await kiosk.testEnds()
        continuation.finish()
      }
      continuation.onTermination = { _ in window.cancel() }
    }
  }

  private func status(_ bench: any TestBench) async -> String {
    let health = await kiosk.lastHealth?.health ?? WallEndpoints.Health()
    let figures = bench.figures()
    let now = time.uptime()
    return Self.encode(
      Status(
        version: version, process: getpid(), port: holder.port.map(Int.init), reader: health.readerState,
        readerFault: health.readerFault, ledger: health.ledger, sound: health.soundState,
        clockTrusted: health.clockTrusted, taps: figures.taps, unreadable: figures.unreadable,
        tooShort: figures.tooShort, tagSeconds: figures.tagSince.map { Int((now - $0).components.seconds) },
        pages: holder.server?.streamCount ?? 0, beats: beats().mapValues { max(0, (now - $0).inMilliseconds) }))
  }

  private static func reading(_ tap: TapSighting, isKnown: Bool) -> Reading {
    let milliseconds = (tap.readAt - tap.presentAt).inMilliseconds
    return switch tap.content {
    case .uid(let uid):
      Reading(
        tag: Log.redacted(uid: uid), bytes: uid.count, unreadable: nil, milliseconds: milliseconds, isKnown: isKnown)
    case .unreadable(let reason):
      Reading(tag: nil, bytes: nil, unreadable: reason, milliseconds: milliseconds, isKnown: false)
    }
  }

  private static func parse(_ line: String) -> Request? {
    try? JSONDecoder().decode(Request.self, from: Data(line.utf8))
  }

  private static func encode(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}

extension Kiosk {
  /// A technician's test begins: the wall says that no tap counts.
  func testBegins() async {
    testWindows += 1
    parts.log.notice("a technician tries the reader: taps are not recorded")
    await refresh()
  }

  func testEnds() async {
    testWindows -= 1
    parts.log.notice("the technician's test is over: taps are recorded again")
    overlay.withdraw(testPresences)
    await refresh()
  }

  /// Answers a tap that counts for nothing: with the sound of failure, since any other would be a false thank-you.
  /// - Returns: whether the tag belongs to somebody.
  func showTest(_ tap: TapSighting) async -> Bool {
    if testPresences.count > 256 { testPresences = [] }
    testPresences.insert(tap.presence)
    var tag: [UInt8] = []
    var reason: String?
    switch tap.content {
    case .uid(let uid): tag = uid
    case .unreadable(let name): reason = name
    }
    let texts = TapTextWriter(language: parts.language, zone: parts.zone()).test(
      milliseconds: (tap.readAt - tap.presentAt).inMilliseconds, unreadable: reason)
    parts.speaker.play(.failure)
    overlay.show(.notRecorded, texts, presence: tap.presence, tag: tag, at: parts.time.uptime())
    publishOverlayAtOnce()
    return !tag.isEmpty && lastView.household.tags.contains { $0.uid == TagUID(tag) }
  }
}
