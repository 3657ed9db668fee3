internal import Foundation
internal import Glibc
internal import Linux
internal import PCSC

/// S: pcscd, its driver, its socket and whether it lets the agent in.
enum PcscdChecks {
  private static let restart = "sudo systemctl restart pcscd"

  static let all = [
    Check("S1", "pcscd installed", impact: .doses) { package($0) },
    Check("S2", "Driver for the reader", needs: ["U1", "S1"], impact: .doses) { driver($0) },
    Check("S3", "pcscd socket", needs: ["S1"], impact: .doses, eyes: .service) { socket($0) },
    Check("S4", "pcscd lets the agent in", needs: ["S5"], impact: .doses, eyes: .service) { await permission($0) },
    Check(
      "S5", "pcscd answers", needs: ["S3"], impact: .doses, eyes: .service,
      overdue: ("pcscd is frozen: it takes calls and answers none.", restart)
    ) { answerTime($0) },
    Check("S6", "pcscd log", needs: ["U4"], impact: .upkeep) { log($0) },
  ]

  private static func package(_ box: Surroundings) -> Finding {
    guard box.exists("/usr/sbin/pcscd") else {
      return .fail(
        [.init("missing", "/usr/sbin/pcscd")], "The card service is not installed.",
        "sudo apt-get install pcscd libccid")
    }
    guard let said = box.output(of: "pcscd", ["--version"])?.text,
      let match = said.firstMatch(of: #/version (\d+)\.(\d+)\.(\d+)/#)
    else { return .skip("pcscd does not tell its version.") }
    let version = [match.1, match.2, match.3].compactMap { Int($0) }
    let seen: [Finding.Fact] = [
      .init("version", version.map(String.init).joined(separator: ".")),
      .init("polkit", said.contains("polkit") ? "yes" : "no"),
    ]
    guard version.lexicographicallyPrecedes([1, 9, 9]) else { return .pass(seen) }
    return .warn(seen, "This version is older than any that was tried.", "sudo apt-get install pcscd libccid")
  }

  private static func driver(_ box: Surroundings) -> Finding {
    guard let reader = USBDevice.readers(box).first else { return .skip("No reader is on USB.") }
    let folder = "/usr/lib/pcsc/drivers"
    let claiming = box.names(folder).filter { bundle in
      guard let list = box.text("\(folder)/\(bundle)/Contents/Info.plist") else { return false }
      return DriverBundle.devices(in: list).contains("\(reader.vendorID):\(reader.productID)")
    }
    let seen: [Finding.Fact] = [
      .init("reader", "\(reader.vendorID):\(reader.productID)"),
      .init("drivers", claiming.isEmpty ? "none" : claiming.joined(separator: ", ")),
    ]
    switch claiming.count {
    case 0: return .fail(seen, "No driver knows this reader.", "sudo apt-get install libccid")
    case 1: return .pass(seen)
    default:
      return .warn(seen, "Two drivers want the reader; one is too many.", "sudo apt-get remove libacsccid1")
    }
  }

  private static func socket(_ box: Surroundings) -> Finding {
    let path = box.environment["PCSCLITE_CSOCK_NAME"] ?? box.root + "/run/pcscd/pcscd.comm"
    var seen = [Finding.Fact("socket", path)]
    if let state = box.properties(of: "pcscd.socket", "ActiveState")?["ActiveState"] {
      seen.append(.init("pcscd.socket", state))
    }
    switch LocalSocket.connect(to: path) {
    case 0: return .pass(seen)
    case ENOENT:
      return .fail(
        seen + [.init("connect", "no such file")], "pcscd is not running, and nothing would start it.",
        "sudo systemctl reset-failed pcscd.socket pcscd.service", "sudo systemctl start pcscd.socket")
    case ECONNREFUSED:
      return .fail(
        seen + [.init("connect", "refused")], "pcscd has ended and left its socket behind.",
        "sudo systemctl restart pcscd.socket")
    case EACCES:
      return .fail(
        seen + [.init("connect", "not permitted")], "The agent's user may not open pcscd's socket.",
        "sudo systemctl restart pcscd.socket")
    case let code:
      return .fail(seen + [.init("connect", "errno \(code)")], "pcscd cannot be reached.", restart)
    }
  }

  /// Asked three times, and the quickest answer counts: the first may have had to start pcscd.
  private static func answerTime(_ box: Surroundings) -> Finding {
    var best = Duration.seconds(3600)
    var says = "readers listed"
    for _ in 0..<3 {
      let started = box.time.uptime()
      do throws(PCSCError) {
        let probe = try ReaderProbe(box.pcsc)
        _ = try probe.names()
      } catch {
        // Whether it lets us in is another check's matter; here it is enough that it answers.
        guard !error.code.isServiceGone || error.code == .connectionLost else {
          return .fail(
            [.init("answer", error.description)],
            "pcscd takes connections and drops them: it cannot start, or has too many clients.", restart)
        }
        says = "it refuses"
      }
      best = min(best, box.time.uptime() - started)
    }
    let seen: [Finding.Fact] = [.init("answer", says), .init("after", "\(best.inMilliseconds) ms")]
    if best < .milliseconds(200) { return .pass(seen) }
    if best < .seconds(2) {
      return .warn(seen, "pcscd is slow: taps are seen late.", "Look at journalctl -u pcscd.")
    }
    return .fail(seen, "pcscd is so slow that taps are lost.", restart)
  }

  /// Three refusals a second apart are polkit's; one alone is a pcscd that is just ending.
  private static func permission(_ box: Surroundings) async -> Finding {
    let user = box.serviceUser.name
    var refusals = 0
    for attempt in 0..<3 {
      if attempt > 0 { try? await box.time.sleep(for: .seconds(1)) }
      do throws(PCSCError) {
        _ = try ReaderProbe(box.pcsc)
        let seen: [Finding.Fact] = [.init("user", user), .init("refusals", refusals)]
        guard refusals > 0 else { return .pass(seen) }
        return .warn(seen, "pcscd refused at first.", "Look at journalctl -u pcscd.")
      } catch {
        guard error.code == .refused else {
          return .fail([.init("answer", error.description)], "pcscd answers with an error.", restart)
        }
        refusals += 1
      }
    }
    let rule = ["/etc/polkit-1/rules.d", "/usr/share/polkit-1/rules.d"].flatMap { folder in
      box.names(folder).filter { $0.contains("kiosk-agent") }.map { "\(folder)/\($0)" }
    }.first
    let seen: [Finding.Fact] = [
      .init("user", user), .init("refusals", refusals), .init("polkit rule", rule ?? "not found"),
    ]
    if let rule {
      return .fail(
        seen, "pcscd refuses the agent though the rule is there: it may be unreadable, or pcscd has too many clients.",
        "sudo chmod 644 \(rule)", "sudo systemctl restart kiosk-agent")
    }
    return .fail(
      seen, "pcscd asks polkit, and no rule lets \(user) in.",
      "Install 49-kiosk-agent.rules into /etc/polkit-1/rules.d with mode 0644.")
  }

  private static func log(_ box: Surroundings) -> Finding {
    guard let lines = box.journal("-u", "pcscd", "-p", "3") else { return .skip("pcscd's log cannot be read here.") }
    guard let last = lines.last else { return .pass([.init("errors in 24 h", 0)]) }
    let seen: [Finding.Fact] = [.init("errors in 24 h", lines.count), .init("last", Redaction.line(last))]
    if lines.contains(where: { $0.contains("LIBUSB_ERROR_BUSY") }) {
      return .fail(seen, "Another program or driver holds the reader.", "sudo modprobe -r pn533_usb", restart)
    }
    if lines.count > 20 {
      return .fail(seen, "pcscd has trouble with the reader.", "Replace the cable, then the reader.")
    }
    return .warn(seen, "pcscd had trouble with the reader.", "Look at journalctl -u pcscd.")
  }
}

/// The list of devices in a driver's Info.plist.
enum DriverBundle {
  /// `vendor:product` in lower-case hex: the two arrays belong together entry by entry.
  static func devices(in list: String) -> Set<String> {
    let vendors = numbers(of: "ifdVendorID", in: list)
    let products = numbers(of: "ifdProductID", in: list)
    return Set(zip(vendors, products).map { "\($0):\($1)" })
  }

  private static func numbers(of key: String, in list: String) -> [String] {
    guard let name = list.range(of: "<key>\(key)</key>") else { return [] }
    let rest = list[name.upperBound...]
    let array = rest.range(of: "</array>").map { rest[..<$0.lowerBound] } ?? rest
    return array.matches(of: #/<string>\s*0[xX]([0-9A-Fa-f]{4})\s*<\/string>/#).map { $0.1.lowercased() }
  }
}

/// A unix socket, looked at by connecting.
enum LocalSocket {
  /// 0, or errno.
  static func connect(to path: String) -> Int32 {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return ENAMETOOLONG }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return result == 0 ? 0 : errno
  }
}
