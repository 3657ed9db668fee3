/// The taps that are being read, and how long the present call of each takes. Pure.
struct Readings {
  /// A tap to be read.
  struct Job: Equatable {
    let reader: String
    let presence: UInt64
    let presentAt: Duration
    /// The slot's counter with the tag there.
    let counter: UInt16
  }

  private struct Open {
    let job: Job
    /// Since when a call may be under way; nil while nothing is asked of the reader.
    var callSince: Duration?
    var isReported = false
    var isLate = false
  }

  private var open: [UInt64: Open] = [:]

  /// A tap is handed over; its time runs from now on, in the queue too.
  mutating func add(_ job: Job, at now: Duration) { open[job.presence] = Open(job: job, callSince: now) }

  mutating func callBegins(_ job: Job, at now: Duration) { open[job.presence]?.callSince = now }

  /// Waiting between two tries is no call.
  mutating func callEnded(_ job: Job) {
    open[job.presence]?.callSince = nil
    open[job.presence]?.isLate = false
  }

  /// So much of the time until now counts against no call.
  mutating func forgive(_ duration: Duration) {
    for (presence, reading) in open { open[presence]?.callSince = reading.callSince.map { $0 + duration } }
  }

  /// Whether the tap's failure is news: it may have been reported when its call was late.
  mutating func reportUnreadable(_ job: Job) -> Bool {
    guard let reading = open[job.presence], !reading.isReported else { return false }
    open[job.presence]?.isReported = true
    return true
  }

  /// The presence that a read answers: its own, when that was reported unreadable before.
  func resolves(_ job: Job) -> UInt64? { open[job.presence]?.isReported == true ? job.presence : nil }

  mutating func close(_ job: Job) { open[job.presence] = nil }

  /// The taps whose call has now passed its deadline, once each, and unless they were reported before.
  mutating func overdue(at now: Duration) -> [Job] {
    var news: [Job] = []
    for (presence, reading) in open.sorted(by: { $0.key < $1.key }) {
      guard let since = reading.callSince, now - since > ReaderFault.callDeadline, !reading.isLate else { continue }
      open[presence]?.isLate = true
      if reportUnreadable(reading.job) { news.append(reading.job) }
    }
    return news
  }

  /// The reader with a call past its deadline.
  func lateReader(at now: Duration) -> String? {
    open.values.filter { reading in reading.callSince.map { now - $0 > ReaderFault.callDeadline } ?? false }
      .min { $0.job.presence < $1.job.presence }?.job.reader
  }

  /// Since when the oldest call is under way; nil: none is.
  var oldestCall: Duration? { open.values.compactMap(\.callSince).min() }
}
