internal import Configuration
internal import Linux
internal import PCSC
internal import Synchronization
internal import TagReader

/// What pcscd says when it is asked once. Blocks for as long as pcscd pleases; a check is killed.
struct ReaderProbe: ~Copyable {
  private let library: PCSCLibrary
  let context: PCSCLibrary.Context

  init(_ library: PCSCLibrary) throws(PCSCError) {
    self.library = library
    context = try library.establish()
  }

  deinit { library.release(context) }

  func names() throws(PCSCError) -> [String] { try library.listReaders(context) }

  /// The states of slots now, without waiting.
  func states(_ names: [String]) throws(PCSCError) -> [ReaderStatus] {
    try library.statusChange(context, 0, names.map { ReaderStatus(name: $0) })
  }

  /// A name as it is shown: without pcscd's numbers, and short.
  static func shown(_ name: String) -> String {
    let name = Redaction.clean(ReaderSummary.displayName(name))
    return name.count > 60 ? name.prefix(59) + "…" : name
  }

  /// The tag slots that pcscd lists, for a check that can do without: nil when it does not answer within 1 s.
  static func namesSoon(_ box: Surroundings) -> [String]? {
    let settings = box.readerSettings
    let library = box.pcsc
    let shared = Shared()
    Threads.start(name: "probe") {
      if let probe = try? ReaderProbe(library), let names = try? probe.names() {
        shared.names.withLock { $0 = names.filter(settings.isTagSlot) }
      }
      shared.done.signal()
    }
    guard shared.done.wait(atMost: .seconds(1)) else { return nil }
    return shared.names.withLock { $0 }
  }

  private final class Shared: Sendable {
    let names = Mutex<[String]?>(nil)
    let done = TimedSemaphore()
  }
}

extension Surroundings {
  /// How the agent uses readers.
  var readerSettings: ReaderSettings {
    guard let reader = configuration?.reader else { return ReaderSettings() }
    return ReaderSettings(
      match: reader.match, exclude: reader.exclude, decodeAttempts: reader.decodeAttempts,
      buffer: .seconds(reader.bufferSeconds), failAfter: .seconds(reader.failAfterSeconds))
  }
}
