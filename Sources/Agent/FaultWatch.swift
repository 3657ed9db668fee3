internal import Foundation
internal import Linux

/// Decides which fault of a reader ends the agent: exit 69 once a fault (DESIGN 5.1). While the marker names it, the same
/// fault is a steady one on the wall.
struct FaultWatch: Sendable {
  static let markerName = "reader-fault"

  /// A machine that has just been woken has all its beats old, and the threads need a moment.
  static let confirmation: Duration = .seconds(2)

  private let source: any TapSource
  private let time: any TimeSource
  private let log: Log
  private let marker: String
  private let note: @Sendable (String?) async -> Void

  /// - Parameters:
  ///   - marker: the path of a file with one line for each kind of fault that an exit was spent on.
  ///   - note: takes the kind of the fault that stands, nil when none does.
  init(
    source: any TapSource, time: any TimeSource, log: Log, marker: String,
    note: @escaping @Sendable (String?) async -> Void
  ) {
    self.source = source
    self.time = time
    self.log = log
    self.marker = marker
    self.note = note
  }

  /// Looks whenever the readers have something to report.
  /// - Returns: 69 when only a restart can mend the reader; nil when cancelled.
  func run() async -> Int32? {
    var saidThatItStays = false
    for await report in source.reports() {
      guard let fault = await confirmedFault() else {
        saidThatItStays = false
        await note(nil)
        if report.state == .ready { try? FileManager.default.removeItem(atPath: marker) }
        continue
      }
      let (name, kind) =
        switch fault {
        case .gone(let name): (name, "gone")
        case .hung(let name): (name, "hung")
        }
      await note(kind)
      let spent = (try? String(contentsOfFile: marker, encoding: .utf8)) ?? ""
      if saidThatItStays || spent.split(separator: "\n").contains(Substring(kind)) { continue }
      // Without the marker every start would end in another exit.
      guard (try? Data("\(spent)\(kind)\n".utf8).write(to: URL(filePath: marker))) != nil else {
        log.error("the reader \(name) is \(kind), and \(marker) cannot be written: plug the reader in again")
        saidThatItStays = true
        continue
      }
      log.error("the reader \(name) is \(kind): the agent ends so that systemd starts it again")
      return 69
    }
    return nil
  }

  /// The fault that two looks in a row agree on.
  private func confirmedFault() async -> TapSourceFault? {
    var seen = source.fault()
    while let fault = seen {
      guard (try? await time.sleep(for: Self.confirmation)) != nil else { return nil }
      seen = source.fault()
      if seen == fault { return fault }
    }
    return nil
  }
}
