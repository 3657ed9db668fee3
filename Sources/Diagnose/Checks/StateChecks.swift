internal import Foundation
internal import Glibc
internal import Linux

/// D1–D3, D8: the folder and the disk that doses are kept on.
enum StateChecks {
  static let directory = Check(
    "D1", "State directory", needs: ["D2"], impact: .doses, eyes: .service
  ) { directory($0) }
  static let fileSystem = Check("D2", "File system keeps what is written", impact: .doses) { fileSystem($0) }
  static let space = Check("D3", "Space on the disk", impact: .doses) { space($0) }
  static let flushing = Check(
    "D8", "Time of a write to the disk", needs: ["D1", "D3"], impact: .upkeep, eyes: .service, deadline: .seconds(20),
    overdue: ("The disk hangs.", "Replace the card with an industrial one; take a backup first.")
  ) { flushing($0) }

  private static func directory(_ box: Surroundings) -> Finding {
    guard let path = box.stateDirectory else { return Surroundings.noConfiguration }
    let user = box.serviceUser
    if box.agentOfDeletedDirectory != nil {
      return .fail(
        [.init("deleted", path)], "The agent's folder was deleted under it: what it records is lost.",
        "sudo systemctl restart kiosk-agent")
    }
    var info = stat()
    guard unsafe stat(path, &info) == 0 else {
      guard errno == ENOENT else {
        return .fail(
          [.init("folder", path), .init("stat", errorText(errno))], "The agent's user cannot get to its folder.",
          "sudo systemctl restart kiosk-agent")
      }
      return noFolder(path)
    }
    let mode = info.st_mode & 0o7777
    let seen: [Finding.Fact] = [
      .init("folder", path), .init("owner", Account.name(of: info.st_uid)), .init("mode", String(mode, radix: 8)),
    ]
    guard info.st_mode & S_IFMT == S_IFDIR else {
      return .fail(seen, "There is a file where the agent's folder belongs.", "sudo mv \(path) \(path).old")
    }
    if let problem = trial(in: path) {
      return .fail(
        seen + [.init("writing", problem)], "\(user.name) cannot write there: no dose can be recorded.",
        "sudo chown -R \(user.name): \(path)", "sudo systemctl restart kiosk-agent")
    }
    if info.st_uid != user.user {
      return .warn(
        seen, "The folder belongs to somebody else than the agent, \(user.name).", "sudo chown -R \(user.name): \(path)"
      )
    }
    if mode & 0o027 != 0 {
      return .warn(seen, "Others can look into what a family takes.", "sudo chmod 750 \(path)")
    }
    return .pass(seen)
  }

  private static func noFolder(_ path: String) -> Finding { .skip("No agent has run yet: \(path) is not there.") }

  /// Makes, flushes and removes an empty file; what went wrong, or nil. That no space is left is D3's finding.
  private static func trial(in folder: String) -> String? {
    let path = "\(folder)/.diagnose-\(getpid())"
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return errno == ENOSPC ? nil : errorText(errno) }
    defer {
      close(descriptor)
      unsafe unlink(path)
    }
    return fsync(descriptor) == 0 || errno == ENOSPC ? nil : errorText(errno)
  }

  static func errorText(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

  private static func fileSystem(_ box: Surroundings) -> Finding {
    guard let path = box.stateDirectory else { return Surroundings.noConfiguration }
    guard let table = box.text("/proc/self/mountinfo") else { return .skip("The kernel does not list its mounts.") }
    let mounts = Mount.all(in: table)
    guard let mount = Mount.of(path, in: mounts) else { return .skip("No mount holds \(path).") }
    let seen: [Finding.Fact] = [
      .init("folder", path), .init("on", mount.point), .init("type", mount.type),
      .init("mode", mount.isReadOnly ? "read-only" : "writable"),
    ]
    if mount.isReadOnly {
      return .fail(
        seen, "The disk is read-only: the kernel does that when it finds errors.", "sudo dmesg | grep -i ext4",
        "sudo mount -o remount,rw \(mount.point)")
    }
    let lost = "Doses would be lost when the power goes."
    let remedy = "Mount a disk of its own at \(path)."
    switch mount.type {
    case "tmpfs", "ramfs", "nfs", "nfs4", "cifs", "9p": return .fail(seen, lost, remedy)
    case "overlay":
      // What is kept is kept by the file system of the upper layer. That of a container is outside.
      let upper = mount.upper.flatMap { Mount.of($0, in: mounts) }
      if let upper, upper.type != "overlay" {
        let known = seen + [.init("upper layer on", upper.type)]
        return ["tmpfs", "ramfs"].contains(upper.type) ? .fail(known, lost, remedy) : .warn(known, lost, remedy)
      }
      return .warn(seen, "Whether doses outlive a power cut is up to the container's host.", remedy)
    case "vfat", "exfat", "f2fs", "ntfs", "fuseblk":
      return .warn(seen, "This file system loses more than others when the power goes.", "Use ext4 at \(path).")
    default: return .pass(seen)
    }
  }

  private static func space(_ box: Surroundings) -> Finding {
    guard let path = box.stateDirectory else { return Surroundings.noConfiguration }
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else { return noFolder(path) }
    let free = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue >> 20
    // Some file systems make inodes as they need them, and say 0.
    let inodes = status.f_files == 0 ? 100 : Int(clamping: status.f_favail * 100 / status.f_files)
    let seen: [Finding.Fact] = [.init("free", "\(free) MB"), .init("inodes free", "\(inodes) %")]
    let remedies = ["sudo journalctl --vacuum-size=32M", "sudo apt-get clean"]
    if free < 50 || inodes < 5 {
      return Finding(.fail, seen: seen, means: "The disk is full: doses cannot be recorded.", remedies: remedies)
    }
    if free <= 200 { return Finding(.warn, seen: seen, means: "The disk is nearly full.", remedies: remedies) }
    return .pass(seen)
  }

  /// Whether nothing at all can be added to the disk.
  static func isFull(_ path: String) -> Bool {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else { return false }
    return status.f_bavail == 0 || (status.f_files > 0 && status.f_favail == 0)
  }

  /// Twenty blocks as a commit writes them. A first bad result may be another program's burst: then once more.
  private static func flushing(_ box: Surroundings) -> Finding {
    guard let path = box.stateDirectory else { return Surroundings.noConfiguration }
    guard unsafe access(path, F_OK) == 0 else { return noFolder(path) }
    var slowest = Duration.seconds(3600)
    for _ in 0..<2 {
      guard let measured = flushTime(in: path, box.time) else { return .skip("\(path) cannot be written (D1).") }
      slowest = min(slowest, measured)
      if slowest < .milliseconds(100) { break }
    }
    let seen = [Finding.Fact("95 % within", "\(slowest.inMilliseconds) ms")]
    if slowest < .milliseconds(100) { return .pass(seen) }
    let remedy = "Replace the card with an industrial one; take a backup first."
    if slowest < .seconds(1) { return .warn(seen, "The disk is slow.", remedy) }
    return .fail(seen, "The disk is dying, or the card is a fake.", remedy)
  }

  /// The 19th of 20 times, sorted.
  private static func flushTime(in folder: String, _ time: any TimeSource) -> Duration? {
    let path = "\(folder)/.diagnose-\(getpid())"
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    defer {
      close(descriptor)
      unsafe unlink(path)
    }
    let block = [UInt8](repeating: 0xA5, count: 4096)
    var times: [Duration] = []
    for index in 0..<20 {
      let started = time.uptime()
      guard unsafe pwrite(descriptor, block, block.count, index * block.count) == block.count,
        fdatasync(descriptor) == 0
      else { return nil }
      times.append(time.uptime() - started)
    }
    return times.sorted()[18]
  }
}

/// A line of /proc/self/mountinfo (proc_pid_mountinfo(5)).
struct Mount: Equatable {
  let point: String
  let type: String
  let isReadOnly: Bool
  /// The folder of an overlay that takes what is written.
  let upper: String?

  static func all(in table: String) -> [Mount] {
    table.split(separator: "\n").compactMap { line in
      let halves = line.split(separator: " - ", maxSplits: 1).map(String.init)
      guard halves.count == 2 else { return nil }
      let before = halves[0].split(separator: " ")
      let after = halves[1].split(separator: " ", maxSplits: 2)
      guard before.count >= 6, after.count >= 2 else { return nil }
      let superOptions = after.count > 2 ? after[2].split(separator: ",") : []
      let options = before[5].split(separator: ",")
      return Mount(
        point: unescaped(String(before[4])), type: String(after[0]),
        isReadOnly: options.contains("ro") || superOptions.contains("ro"),
        upper: superOptions.first { $0.hasPrefix("upperdir=") }.map { String($0.dropFirst(9)) })
    }
  }

  /// The mount that holds `path`: the longest point above it, of equal ones the last, which lies over the others.
  static func of(_ path: String, in mounts: [Mount]) -> Mount? {
    let path =
      unsafe realpath(path, nil).map { pointer in
        defer { unsafe free(pointer) }
        return unsafe String(cString: pointer)
      } ?? path
    let above = mounts.filter { mount in
      mount.point == "/" || path == mount.point || path.hasPrefix(mount.point + "/")
    }
    let longest = above.map(\.point.utf8.count).max()
    return above.last { $0.point.utf8.count == longest }
  }

  /// Blanks and the like are written in octal.
  private static func unescaped(_ text: String) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")].reduce(text) {
      $0.replacingOccurrences(of: $1.0, with: $1.1)
    }
  }
}
