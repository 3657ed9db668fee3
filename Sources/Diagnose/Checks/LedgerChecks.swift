internal import Foundation
internal import Glibc
internal import Ledger
internal import Linux

/// D4–D7: the ledger itself. Only read, beside the agent that writes.
enum LedgerChecks {
  static let opens = Check("D4", "Ledger opens", needs: ["D1"], impact: .doses, eyes: .service) { opens($0) }
  static let integrity = Check(
    "D5", "Ledger is whole", needs: ["D4"], impact: .doses, eyes: .service, deadline: .seconds(15)
  ) { integrity($0) }
  static let durability = Check(
    "D6", "Ledger takes doses safely", needs: ["D3", "D5"], impact: .doses, eyes: .service
  ) { await durability($0) }
  static let witness = Check(
    "D7", "Ledger has all witnessed taps", needs: ["D5"], impact: .doses, eyes: .service
  ) { witness($0) }

  /// A larger ledger takes longer than a technician waits.
  private static let largest = 50 << 20

  private static let noLedger = Finding.skip("There is no ledger yet: the agent makes it at its first start.")

  static func restoring(_ box: Surroundings) -> [String] {
    let backup = box.stateDirectory.flatMap { LedgerExamination.backups(in: $0).first } ?? "FILE"
    return [
      "sudo systemctl stop kiosk-agent", "sudo kiosk-agent restore \(backup)", "sudo systemctl start kiosk-agent",
    ]
  }

  /// What an error of the ledger is as a finding.
  private static func finding(_ error: LedgerError, _ box: Surroundings) -> Finding {
    let path = box.stateDirectory.map(LedgerExamination.path) ?? ""
    let seen: [Finding.Fact] = [.init("ledger", error.kind.rawValue), .init("while", error.doing)]
    // Even to read it SQLite makes a file beside it; without space that fails as an error of the disk (4874).
    if [.full, .io, .cannotOpen].contains(error.kind), box.stateDirectory.map(StateChecks.isFull) == true {
      return .skip("The disk is full (D3).")
    }
    return switch error.kind {
    case .damaged, .notFound:
      Finding(.fail, seen: seen, means: "The ledger cannot be used.", remedies: restoring(box))
    case .newerSchema:
      .fail(seen, "A newer kiosk-agent wrote this ledger.", "Install that version again.")
    case .locked: .fail(seen, "Another program holds the ledger.", "sudo fuser -v \(path)")
    case .readOnly, .cannotOpen:
      .fail(seen, "The agent's user cannot open the ledger.", "sudo chown \(box.serviceUser.name): \(path)")
    default: .fail(seen, error.sentence, "sudo systemctl restart kiosk-agent")
    }
  }

  private static func opens(_ box: Surroundings) -> Finding {
    guard let directory = box.stateDirectory else { return Surroundings.noConfiguration }
    let path = LedgerExamination.path(in: directory)
    var info = stat()
    guard unsafe stat(path, &info) == 0 else {
      guard box.agent != nil || LedgerExamination.hasHistory(in: directory) else { return noLedger }
      return Finding(
        .fail, seen: [.init("missing", path)], means: "Doses were recorded here, and the ledger is gone.",
        remedies: restoring(box))
    }
    do throws(LedgerError) {
      let ledger = try LedgerExamination(directory: directory)
      let seen: [Finding.Fact] = [
        .init("version", ledger.version),
        .init("owner", Account.name(of: info.st_uid)),
      ]
      let user = box.serviceUser.name
      guard unsafe access(path, W_OK) == 0, info.st_mode & 0o200 != 0 else {
        return .fail(
          seen + [.init("mode", String(info.st_mode & 0o777, radix: 8))], "The ledger may not be written.",
          "sudo chown \(user): \(path)", "sudo chmod 600 \(path)")
      }
      if info.st_uid != box.serviceUser.user {
        return .warn(seen, "The ledger belongs to somebody else than the agent.", "sudo chown \(user): \(path)")
      }
      if ledger.version < LedgerExamination.newestVersion {
        return .warn(
          seen, "An older version: the agent brings it up to date at its start.", "sudo systemctl restart kiosk-agent")
      }
      return .pass(seen)
    } catch { return finding(error, box) }
  }

  private static func integrity(_ box: Surroundings) -> Finding {
    guard let directory = box.stateDirectory else { return Surroundings.noConfiguration }
    let path = LedgerExamination.path(in: directory)
    var info = stat()
    guard unsafe stat(path, &info) == 0 else { return noLedger }
    guard info.st_size <= largest else { return .skip("It is larger than \(largest >> 20) MB.") }
    do throws(LedgerError) {
      let ledger = try LedgerExamination(directory: directory)
      guard let damage = try ledger.firstDamage() else {
        return .pass([.init("size", "\(info.st_size >> 10) KB"), .init("taps", try ledger.tapCount())])
      }
      return Finding(
        .fail, seen: [.init("damage", Redaction.line(damage))], means: "Pages of the ledger are broken.",
        remedies: restoring(box))
    } catch { return finding(error, box) }
  }

  private static func durability(_ box: Surroundings) async -> Finding {
    guard let directory = box.stateDirectory else { return Surroundings.noConfiguration }
    let path = LedgerExamination.path(in: directory)
    if let holder = await lastingWriter(directory, box) {
      return .fail(
        [.init("held by", "process \(holder) (\(box.programName(of: holder)))")],
        "Another program holds the ledger: doses cannot be recorded.", "sudo fuser -v \(path)")
    }
    do throws(LedgerError) {
      let mode: String
      do throws(LedgerError) {
        mode = try LedgerExamination(directory: directory).journalMode()
      } catch  where error.kind == .notFound { return noLedger }
      var info = stat()
      let log = unsafe stat(path + "-wal", &info) == 0 ? Int(info.st_size) >> 20 : 0
      let seen: [Finding.Fact] = [.init("journal", mode), .init("log", "\(log) MB")]
      if let problem = box.agentStatus()?.ledger {
        return .fail(
          seen + [.init("agent", Redaction.line(problem))], "The agent cannot record doses.",
          "sudo systemctl restart kiosk-agent")
      }
      // A ledger that was just put back is switched by the agent when it opens it.
      guard mode == "wal" || box.agent == nil else {
        return .fail(seen, "Commits are not safe against a power cut.", "sudo systemctl restart kiosk-agent")
      }
      guard log >= 16 else { return .pass(seen) }
      let means = "A program reads the ledger without end, so its log only grows."
      return log >= 64
        ? .fail(seen, means, "sudo fuser -v \(path)") : .warn(seen, means, "sudo fuser -v \(path)")
    } catch { return finding(error, box) }
  }

  /// A process other than the agent that holds the right to write for longer than any of its commits take: 1.5 s.
  private static func lastingWriter(_ directory: String, _ box: Surroundings) async -> Int32? {
    var holder: Int32?
    for attempt in 0..<4 {
      if attempt > 0 { try? await box.time.sleep(for: .milliseconds(500)) }
      guard let writer = LedgerExamination.writer(in: directory), writer != box.agent,
        holder == nil || holder == writer
      else { return nil }
      holder = writer
    }
    return holder
  }

  private static func witness(_ box: Surroundings) -> Finding {
    guard let directory = box.stateDirectory else { return Surroundings.noConfiguration }
    do throws(LedgerError) {
      // The witness first: what the agent writes meanwhile is then in the ledger at least.
      let witnessed = LedgerExamination.witnessed(50, in: directory)
      let backup = LedgerExamination.backups(in: directory).first
      let ledger: LedgerExamination
      do throws(LedgerError) {
        ledger = try LedgerExamination(directory: directory)
      } catch  where error.kind == .notFound { return noLedger }
      let saved = try backup.map { file throws(LedgerError) in try LedgerExamination(file: file).newestTaps(20) } ?? []
      let lost = Set(try ledger.missing(witnessed) + ledger.missing(saved))
      let age = backup.flatMap { ageInHours(of: $0, box) }
      let seen: [Finding.Fact] = [
        .init("witnessed taps looked for", witnessed.count), .init("not in the ledger", lost.count),
        .init("newest backup", age.map { "\($0) h old" } ?? "none"),
      ]
      guard lost.isEmpty else {
        return Finding(
          .fail, seen: seen, means: "The ledger went back in time: taps are missing.",
          remedies: ["Change nothing; call whoever looks after this kiosk."])
      }
      if box.agent != nil, let age, age > 26 {
        return .warn(seen, "The daily backup was not made.", "Look at journalctl -u kiosk-agent.")
      }
      return .pass(seen)
    } catch { return finding(error, box) }
  }

  private static func ageInHours(of file: String, _ box: Surroundings) -> Int? {
    var info = stat()
    guard unsafe stat(file, &info) == 0 else { return nil }
    return (Int(box.time.now().timeIntervalSince1970) - info.st_mtim.tv_sec) / 3600
  }
}

extension Surroundings {
  /// What a process is called; "?" when that is not told.
  func programName(of process: Int32) -> String {
    Self.read("/proc/\(process)/comm", limit: 64)?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "?"
  }
}
