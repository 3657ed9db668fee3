internal import Foundation
package import Linux

/// Fetches the documents of one source: one request at a time, with back-off after failures, and keeps each document's
/// last good copy.
///
/// It knows bytes; what they mean is the caller's parser. A body counts as good only when the parser takes it, and only
/// then are its validators kept, so that a bad body is never confirmed by a 304. The parser runs on a queue of the source,
/// not on the pool on which taps are decided; it is run again on the last good copy whenever nothing new came, because
/// what a document says can depend on the instant.
///
/// To fetch once, whatever the back-off of a running agent, and to store nothing (`wall --refresh`, `bus`): a source of
/// one's own, with copies that are only read.
package actor Source {
  /// What is known of one document.
  struct Record {
    var copy: LastGoodCopy?
    /// Tries so far: one who waited for their turn sees that the document was fetched meanwhile.
    var attempts = 0
    /// When the last try began, in uptime.
    var lastAttempt: Duration?
    var backOff = BackOff()
    var fault: Fault?
    /// True time.
    var failingSince: Date?
  }

  /// A body this old is asked for without validators: some servers answer 304 to whatever validator they get
  /// (OpenMobilityData-Public#142).
  static let longestConfirmation: Double = 86400

  private let executor: QueueExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  let settings: FeedSettings
  let keys: KeyStore?
  let copies: CopyFolder?
  let exchange: Exchange
  let time: any TimeSource
  let boot: String
  let chance: @Sendable () -> Double
  let log: Log
  nonisolated let turnstile = Turnstile()

  var records: [String: Record] = [:]
  var backOff = BackOff()
  /// What is wrong with the source as a whole.
  var fault: Fault?
  /// Since when there is such a fault without a word of the provider's between, in true time.
  var failingSince: Date?
  var rejectedKey: FeedKey?
  /// The last good answer's key and uptime.
  var lastGood: (key: FeedKey?, at: Duration)?
  /// The server's clock and the uptime at which it said so.
  var serverClock: (instant: Date, at: Duration)?
  private var isWritingCopies = true

  /// - Parameters:
  ///   - keys: used when the settings name a key parameter.
  ///   - copies: nil: nothing is read from disk or stored.
  ///   - boot: of this boot, /proc/sys/kernel/random/boot_id.
  ///   - chance: 0 to 1, for the back-off.
  package init(
    _ settings: FeedSettings, keys: KeyStore?, copies: CopyFolder?, exchange: Exchange, time: any TimeSource,
    boot: String, chance: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }, log: Log
  ) {
    executor = QueueExecutor(label: "feed-\(settings.id)")
    self.settings = settings
    self.keys = keys
    self.copies = copies
    self.exchange = exchange
    self.time = time
    self.boot = boot
    self.chance = chance
    self.log = log
  }

  /// Asks for the document, unless it is too early (`Standing.nextAttempt`) or somebody else's request for it ended while
  /// this one waited for its turn. Then, as after a failure, the last good copy answers.
  ///
  /// Does not take longer than the deadline of the settings for its own request and for each that is before it.
  ///
  /// - Parameter parse: a body is good when it does not object.
  /// - Throws: `CancellationError` when the task is cancelled, and nothing else.
  package func fetch<Value: Sendable>(_ resource: Resource, parse: @Sendable (Delivery) throws(Objection) -> Value)
    async throws(CancellationError) -> Reading<Value>
  {
    let attempts = record(of: resource).attempts
    try await turnstile.enter()
    defer { turnstile.leave() }
    if record(of: resource).attempts == attempts, let value = try await attempt(resource, parse) {
      return Reading(value: value, standing: standing(of: resource))
    }
    return latest(resource, parse: parse)
  }

  /// What the last good copy says, without a request.
  package func latest<Value: Sendable>(_ resource: Resource, parse: @Sendable (Delivery) throws(Objection) -> Value)
    -> Reading<
      Value
    >
  {
    if let copy = record(of: resource).copy {
      if let value = try? parse(copy.delivery(boot: boot)) {
        return Reading(value: value, standing: standing(of: resource))
      }
      // Of an older version of the parser, or expired: it is no good copy any more.
      records[resource.name, default: Record()].copy = nil
    }
    return Reading(value: nil, standing: standing(of: resource))
  }

  /// How the document stands now.
  package func standing(of resource: Resource) -> Standing {
    let record = record(of: resource)
    let fault = self.fault ?? record.fault ?? (record.copy == nil ? .notAsked : nil)
    let isOwn = self.fault == nil || record.fault?.isOfSource == false
    return Standing(
      origin: record.copy?.origin, freshness: resource.freshness, fault: fault, failingSince: record.failingSince,
      ownFault: isOwn ? record.fault : nil, sourceFault: self.fault, sourceFailingSince: failingSince,
      message: fault.map { sentence($0, resource) }, nextAttempt: nextAttempt(resource, record), boot: boot)
  }

  /// The record, with the copy from disk when it is met for the first time.
  func record(of resource: Resource) -> Record {
    if let record = records[resource.name] { return record }
    var record = Record()
    if let copy = copies?.read(resource.name, limit: settings.limit),
      copy.address == LastGoodCopy.mark(resource.address)
    {
      record.copy = copy
    }
    records[resource.name] = record
    return record
  }

  func sentence(_ fault: Fault, _ resource: Resource) -> String {
    fault.sentence(source: settings.id, host: resource.address.host, keyAdvice: settings.keyAdvice)
  }

  private func nextAttempt(_ resource: Resource, _ record: Record) -> Duration {
    let waits = [backOff.notBefore, record.backOff.notBefore].compactMap(\.self)
    if let wait = waits.max() { return wait }
    guard let last = record.lastAttempt else { return time.uptime() }
    return last + resource.freshness.interval
  }

  /// Whether a request may be made now. A caller who keeps the interval may come a little early; one who asks twice within
  /// a tick gets what was fetched.
  func isDue(_ resource: Resource) -> Bool {
    let record = record(of: resource)
    let now = time.uptime()
    if let wait = [backOff.notBefore, record.backOff.notBefore].compactMap(\.self).max() { return now >= wait }
    guard let last = record.lastAttempt else { return true }
    return now >= last + resource.freshness.interval * 0.8
  }

  /// True time, as far as it is known.
  func trueNow() -> Date {
    guard let serverClock else { return time.now() }
    return serverClock.instant + (time.uptime() - serverClock.at).inSeconds
  }

  /// Keeps the copy on disk too; a full disk is said once and stops nothing.
  func store(_ copy: LastGoodCopy, of resource: Resource) {
    records[resource.name, default: Record()].copy = copy
    do throws(CopyFolder.Failure) {
      try copies?.write(copy, resource.name)
      isWritingCopies = true
    } catch {
      if isWritingCopies { log.warning("\(settings.id): \(error.sentence)") }
      isWritingCopies = false
    }
  }
}
