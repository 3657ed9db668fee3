internal import Foundation
internal import Glibc

extension DoctorCase {
  static let disk: [DoctorCase] = [
    DoctorCase("a file stands where the state folder belongs", first: "D1", agent: .stopped) { patient in
      try FileManager.default.moveItem(atPath: patient.state, toPath: patient.state + ".old")
      try Data().write(to: URL(filePath: patient.state))
    },
    DoctorCase("nobody may write into the state folder", first: "D1", agent: .stopped) {
      try $0.freeze(folder: $0.state)
    },
    DoctorCase("the state folder was given to root", first: "D1") { patient in
      try patient.startAgentAsOrdinaryUser()
      unsafe chown(patient.state, 0, 0)
      unsafe chmod(patient.state, 0o700)
    },
    DoctorCase("everybody may look into the state folder", first: "D1", agent: .runs) {
      unsafe chmod($0.state, 0o755)
    },
    DoctorCase("the state folder was deleted under the agent", first: "D1", agent: .runs) {
      try FileManager.default.removeItem(atPath: $0.state)
    },
    DoctorCase("the disk is read-only", first: "D2", agent: .stopped) { patient in
      try patient.usesRealMounts()
      try patient.mount(["--bind", patient.state], at: patient.state)
      try patient.mount(["-o", "remount,ro,bind"], at: patient.state)
    },
    DoctorCase("the state is kept in memory", first: "D2", agent: .stopped) { patient in
      try patient.usesRealMounts()
      try patient.moveState(toDiskWith: "size=1g")
    },
    DoctorCase("the disk is full", first: "D3", agent: .stopped) { patient in
      try patient.moveState(toDiskWith: "size=3m")
      fill(patient.state)
    },
    DoctorCase("the disk filled up under the agent", first: "D3", agent: .stopped) { patient in
      try patient.moveState(toDiskWith: "size=8m")
      try patient.startAgent()
      fill(patient.state)
    },
    DoctorCase("the disk has no inode left", first: "D3", agent: .stopped) { patient in
      try patient.moveState(toDiskWith: "size=300m,nr_inodes=40")
      var number = 0
      while FileManager.default.createFile(atPath: "\(patient.state)/filler-\(number)", contents: nil) { number += 1 }
    },
  ]

  private static func fill(_ folder: String) {
    guard let handle = FileHandle(forWritingAtPath: made("\(folder)/filler")) else { return }
    let block = Data(count: 4096)
    while (try? handle.write(contentsOf: block)) != nil {}
    try? handle.close()
  }

  private static func made(_ path: String) -> String {
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    return path
  }

  static let ledger: [DoctorCase] = [
    DoctorCase("the ledger's header is zeros", first: "D4", agent: .stopped) {
      try overwrite($0.ledger, with: Data(count: 100), at: 0)
    },
    DoctorCase("the ledger has no byte left", first: "D4", agent: .stopped) {
      try Data().write(to: URL(filePath: $0.ledger))
    },
    DoctorCase("the ledger is gone", first: "D4", agent: .stopped) {
      try FileManager.default.removeItem(atPath: $0.ledger)
    },
    DoctorCase("another program's database is in the ledger's place", first: "D4", agent: .stopped) { patient in
      try FileManager.default.removeItem(atPath: patient.ledger)
      try patient.bring(
        python: Script.sql, patient.ledger, "CREATE TABLE album (title TEXT); INSERT INTO album VALUES ('x')",
        untilItSays: "done")
    },
    DoctorCase("a newer version wrote the ledger", first: "D4", agent: .stopped) {
      try $0.bring(python: Script.sql, $0.ledger, "PRAGMA user_version = 999", untilItSays: "done")
    },
    DoctorCase("the ledger is marked read-only", first: "D4", agent: .stopped) { unsafe chmod($0.ledger, 0o400) },
    DoctorCase("pages of the ledger are broken", first: "D5", agent: .stopped) { try breakPages($0.ledger) },
    DoctorCase("a tag's number stands in a broken page", first: "D5", agent: .stopped) {
      try breakPages($0.ledger, with: "\(Secrets.person.planted) \(Secrets.tag.planted) ")
    },
    DoctorCase("another program holds the ledger", first: "D6", agent: .stopped) {
      try $0.bring(python: Script.ledgerHolder, $0.ledger, untilItSays: "held")
    },
    DoctorCase("another program holds the ledger under the agent", first: "D6", agent: .runs) { patient in
      try patient.takeDose()
      try patient.bring(python: Script.ledgerHolder, patient.ledger, untilItSays: "held")
    },
    DoctorCase("an older copy was put in the ledger's place", first: "D7") { patient in
      let early = patient.kiosk.folder + "/early.sqlite"
      try patient.command("backup", early)
      try patient.startAgent()
      try patient.takeDose()
      try patient.stopAgent()
      // By hand, past `restore`.
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: patient.ledger + suffix) }
      try FileManager.default.copyItem(atPath: early, toPath: patient.ledger)
    },
  ]

  private static func overwrite(_ path: String, with data: Data, at offset: UInt64) throws {
    let handle = try FileHandle(forUpdating: URL(filePath: path))
    try handle.seek(toOffset: offset)
    try handle.write(contentsOf: data)
    try handle.close()
  }

  /// The second half of the file, which is behind the schema's pages.
  private static func breakPages(_ path: String, with text: String = "Z") throws {
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? UInt64 ?? 0
    let page = Data(String(repeating: text, count: 4096 / text.utf8.count + 1).utf8).prefix(4096)
    for index in (size / 4096 / 2)..<(size / 4096) { try overwrite(path, with: page, at: index * 4096) }
  }

  private static let day: Int64 = 86_400

  static let clock: [DoctorCase] = [
    DoctorCase("the clock began long ago", first: "T1", agent: .runs, clockOffset: -1_500_000_000) {
      $0.kernelSays("unset")
    },
    DoctorCase("the clock is days behind the last dose", first: "T1", agent: .stopped, clockOffset: 0) {
      $0.kiosk.setClock(offset: -3 * day)
      $0.kernelSays("unset")
    },
    DoctorCase("the system does not know the wall's zone", first: "T2", agent: .runs) { patient in
      try patient.configure("timeZone: 'Europe/Paris',")
    },
    DoctorCase("doses were recorded under a clock that was ahead", first: "T3", agent: .stopped, clockOffset: 2 * day) {
      patient in
      patient.kiosk.setClock(offset: 0)
      patient.kernelSays("set")
    },
  ]
}

extension Patient {
  /// Checks find the kernel's clock synchronised (`set`) or, as after a start without a network, not (`unset`).
  fileprivate func kernelSays(_ state: String) { kiosk.variables["KIOSK_FAKE_CLOCK_STATE"] = state }

  /// The planted machine has this machine's mounts.
  fileprivate func usesRealMounts() throws {
    try plant.remove("/proc/self/mountinfo")
    try plant.link("/proc/self/mountinfo", to: "/proc/self/mountinfo")
  }
}
