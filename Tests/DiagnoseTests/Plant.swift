import Configuration
import Foundation
import Glibc
import Linux
import PCSC
import TestSupport

@testable import Diagnose

/// A folder that stands for a machine: /sys, /proc, /etc and programs are what a test plants there.
final class Plant {
  let root = NSTemporaryDirectory() + "plant-\(UUID().uuidString.prefix(8))"

  /// A machine that has nothing but a writable ext4, pcscd and time zones.
  init() throws {
    try write(
      "/proc/self/mountinfo", "1 0 8:1 / / rw,relatime - ext4 /dev/root rw\n2 1 0:5 / /run rw - tmpfs tmpfs rw\n")
    try program(
      "/usr/sbin/pcscd", "echo 'pcsc-lite version 1.9.9.'; echo 'Enabled features: Linux serial usb libudev filter'")
    try write("/usr/share/zoneinfo/tzdata.zi", "# version 2026a\n")
    try write("/usr/share/zoneinfo/America/Los_Angeles", "")
    // Sockets are the kernel's; the port of a test's agent is looked up there.
    try FileManager.default.createSymbolicLink(atPath: root + "/proc/net", withDestinationPath: "/proc/net")
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func write(_ path: String, _ text: String) throws {
    let file = root + path
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: file))
  }

  func link(_ path: String, to target: String) throws {
    let file = root + path
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: target)
  }

  func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: root + path) }

  func program(_ path: String, _ script: String) throws {
    try write(path, "#!/bin/sh\n\(script)\n")
    unsafe chmod(root + path, 0o755)
  }

  /// An ACR122U on port 1-1, as the kernel lists it when all is well.
  func reader(port: String = "1-1", number: Int = 4) throws {
    let device = "/sys/bus/usb/devices/\(port)"
    for (name, value) in [
      ("idVendor", "072f"), ("idProduct", "2200"), ("product", "ACR122U PICC Interface"), ("busnum", "1"),
      ("devnum", "\(number)"), ("power/control", "on"), ("power/persist", "0"), ("power/runtime_status", "active"),
    ] {
      try write("\(device)/\(name)", value + "\n")
    }
    try write("\(device):1.0/bInterfaceClass", "0b\n")
    try link("/sys/bus/usb/devices/\(port):1.0/driver", to: "/sys/bus/usb/drivers/usbfs")
    try write("/dev/bus/usb/001/00\(number)", "")
    try write("/dev/kiosk-reader", "")
  }

  /// systemd with these properties of units, and a journal.
  func systemd(_ units: [String: String], journal: [String: [String]] = [:]) throws {
    try write("/run/systemd/system/x", "")
    try write("/var/log/journal/x", "")
    let cases = units.map { "\($0.key)) cat <<'END'\n\($0.value)\nEND\n;;" }.joined(separator: "\n")
    try program("/usr/bin/systemctl", "case \"$2\" in\n\(cases)\n*) exit 1;; esac")
    let logs = journal.map { "*\"\($0.key)\"*) cat <<'END'\n\($0.value.joined(separator: "\n"))\nEND\n;;" }
      .joined(separator: "\n")
    try program("/usr/bin/journalctl", "case \" $* \" in\n\(logs)\n*) true;; esac")
  }

  /// What checks look at here.
  func surroundings(
    _ configuration: Configuration? = Configuration(stateDirectory: "/nowhere"), time: any TimeSource = SystemTime(),
    clock: ClockFacts = ClockFacts(synchronised: true, hasHardwareClock: true, timeServiceRuns: true),
    pcsc: PCSCLibrary = .silent, environment: [String: String] = [:]
  ) -> Surroundings {
    Surroundings(
      root: root, environment: environment,
      found: .init(path: root + "/kiosk-agent.json5", isNamed: true, isThere: false, configuration: configuration),
      sounds: (root + "/success.wav", root + "/failure.wav"), time: time, clock: clock, pcsc: pcsc)
  }

  /// Runs one check here, in this process.
  func run(_ id: String, _ surroundings: Surroundings? = nil) async throws -> Finding {
    guard let check = Check.all.first(where: { $0.id == id }) else { throw CocoaError(.keyValueValidation) }
    return await check.run(surroundings ?? self.surroundings())
  }
}

extension PCSCLibrary {
  /// A pcscd that is not there.
  static let silent = fake(readers: [], establish: .noService)

  /// A pcscd with these readers and states.
  static func fake(readers: [(name: String, event: UInt)], establish: PCSCError.Code? = nil) -> PCSCLibrary {
    let events = Dictionary(readers.map { ($0.name, $0.event) }) { first, _ in first }
    let names = readers.map(\.name)
    return PCSCLibrary(
      establish: { () throws(PCSCError) -> Context in
        if let establish { throw PCSCError(establish, call: "SCardEstablishContext") }
        return 1
      }, release: { _ in }, listReaders: { _ throws(PCSCError) -> [String] in names },
      statusChange: { _, _, known throws(PCSCError) -> [ReaderStatus] in
        known.map { ReaderStatus(name: $0.name, known: $0.known, event: events[$0.name] ?? 0) }
      }, cancel: { _ in },
      connect: { _, _ throws(PCSCError) -> CardHandle in throw PCSCError(.noCard, call: "SCardConnect") },
      reconnect: { card, _ throws(PCSCError) -> CardHandle in card },
      transmit: { _, _ throws(PCSCError) -> [UInt8] in [] }, disconnect: { _ in })
  }
}
