internal import Configuration
internal import Foundation
internal import Linux

extension AgentRun {
  /// Exit 69 once a fault: while the marker names it, the same fault is a steady one on the wall (DESIGN 5.1). The marker
  /// holds one line for each kind of fault that an exit was spent on.
  func watchFaults(_ kiosk: Kiosk) async -> Int32? {
    let marker = configuration.stateDirectory + "/reader-fault"
    var saidThatItStays = false
    var seen: TapSourceFault?
    while !Task.isCancelled {
      try? await time.sleep(for: .seconds(2))
      let fault = tapSource.fault()
      defer { seen = fault }
      guard let fault else {
        saidThatItStays = false
        await kiosk.note(fault: nil)
        if await kiosk.readerIsReady, FileManager.default.fileExists(atPath: marker) {
          try? FileManager.default.removeItem(atPath: marker)
        }
        continue
      }
      // Twice in a row: a machine that has just been woken has all its beats old, and the threads need a moment.
      guard fault == seen else { continue }
      let (name, kind) =
        switch fault {
        case .gone(let name): (name, "gone")
        case .hung(let name): (name, "hung")
        }
      await kiosk.note(fault: kind)
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
}
