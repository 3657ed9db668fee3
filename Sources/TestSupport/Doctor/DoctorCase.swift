internal import VirtualTag

/// A kiosk in some state, and what a technician is to be told first.
package struct DoctorCase: Sendable, CustomStringConvertible {
  /// How the agent is before the change.
  package enum Agent: Sendable {
    case neverRan
    /// It has recorded a tap and was switched off.
    case stopped
    case runs
  }

  /// What was done to the kiosk.
  package let description: String
  /// The id of the finding to start with; nil: nothing may be found.
  package let first: String?
  /// Another first finding that is as right; nil: none.
  package let alternative: String?
  /// Ids of findings of a healthy kiosk that are true and no fault: an agent that is switched off is told (V2).
  package let tolerated: Set<String>
  /// More words for `--diagnose`.
  package let words: [String]
  /// The planted machine has all that a kiosk in the field has; otherwise next to nothing.
  package let isComplete: Bool
  private let readers: [ReaderEntry]
  private let pcscdRuns: Bool
  private let agent: Agent
  private let showsPage: Bool
  private let clockOffset: Int64?
  private let change: @Sendable (Patient) throws -> Void

  /// - Parameters:
  ///   - showsPage: whether a browser shows the page of an agent that runs.
  ///   - clockOffset: seconds from the machine's clock to the kiosk's; nil: it has the machine's.
  ///   - change: comes from outside the program: processes, files, sockets, configuration.
  init(
    _ description: String, first: String?, or alternative: String? = nil, tolerated: Set<String> = [],
    words: [String] = [],
    readers: [ReaderEntry] = [.acr122], pcscdRuns: Bool = true, agent: Agent = .neverRan,
    showsPage: Bool = true, isComplete: Bool = false,
    clockOffset: Int64? = nil, change: @escaping @Sendable (Patient) throws -> Void = { _ in }
  ) {
    self.description = description
    self.first = first
    self.alternative = alternative
    self.tolerated = tolerated
    self.words = words
    self.readers = readers
    self.pcscdRuns = pcscdRuns
    self.agent = agent
    self.showsPage = showsPage
    self.isComplete = isComplete
    self.clockOffset = clockOffset
    self.change = change
  }

  /// Whether a technician who starts there starts right.
  package func isRight(_ id: String?) -> Bool { id == first || (alternative != nil && id == alternative) }

  /// A kiosk in that state.
  package func patient() throws -> Patient {
    let patient = try Patient(readers: readers, startsPcscd: pcscdRuns, clockOffset: clockOffset)
    if isComplete { try patient.plant.completeKiosk() }
    switch agent {
    case .neverRan: break
    case .stopped:
      try patient.startAgent()
      try patient.takeDose()
      try patient.stopAgent()
    case .runs: try patient.startAgent(showsPage: showsPage)
    }
    try change(patient)
    return patient
  }

  /// One fault for each first finding that needs no planted machine, and all that make a ledger unusable: for a run of a
  /// minute.
  package static var oneOfEach: [DoctorCase] {
    var ids: Set<String> = []
    return faults.filter { !$0.isComplete && (ids.insert($0.first ?? "").inserted || $0.first == "D4") }
  }

  /// All faults, in the order of the tap's path.
  package static let faults =
    usb + pcscd + readers + disk + ledger + clock + configuration + service + page + sound + network + feeds + school
}
