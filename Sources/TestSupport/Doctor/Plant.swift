internal import Foundation
internal import Glibc

/// A folder that stands for a machine: /sys, /proc, /etc and programs are what a test plants there.
package final class Plant {
  /// What `--root` is to be.
  package let root = NSTemporaryDirectory() + "plant-\(UUID().uuidString.prefix(8))"

  /// A machine that has nothing but a writable ext4, pcscd and time zones.
  package init() throws {
    try write(
      "/proc/self/mountinfo", "1 0 8:1 / / rw,relatime - ext4 /dev/root rw\n2 1 0:5 / /run rw - tmpfs tmpfs rw\n")
    try program(
      "/usr/sbin/pcscd", "echo 'pcsc-lite version 1.9.9.'; echo 'Enabled features: Linux serial usb libudev filter'")
    try write("/usr/share/zoneinfo/tzdata.zi", "# version 2026a\n")
    try write("/usr/share/zoneinfo/America/Los_Angeles", "")
    // Sockets are the kernel's; the port of a test's agent is looked up there.
    try link("/proc/net", to: "/proc/net")
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  /// Writes a file and the folders above it.
  package func write(_ path: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: place(path)))
  }

  package func link(_ path: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: place(path), withDestinationPath: target)
  }

  package func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: root + path) }

  /// Writes a shell script that can be run.
  package func program(_ path: String, _ script: String) throws {
    try write(path + ".text", "#!/bin/sh\n\(script)\n")
    unsafe chmod(root + path + ".text", 0o755)
    // By another process: a child that this one starts meanwhile would hold the script open for writing, and then it
    // cannot be run (ETXTBSY).
    defer { try? remove(path + ".text") }
    let copy = try ChildProgram("/bin/cp", ["--force", root + path + ".text", root + path])
    guard try copy.waitForExit() == 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  private func place(_ path: String) throws -> String {
    let file = root + path
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    return file
  }

  // MARK: What kiosks have

  /// An ACR122U on port 1-1, as the kernel lists it when all is well.
  package func reader(port: String = "1-1", number: Int = 4) throws {
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

  /// The reader's driver, as libccid lists what it drives.
  package func driver() throws {
    try write(
      "/usr/lib/pcsc/drivers/ifd-ccid.bundle/Contents/Info.plist",
      """
      <dict><key>ifdVendorID</key><array><string>0x08E6</string><string>0x072F</string></array>
      <key>ifdProductID</key><array><string>0x2200</string><string>0x2200</string></array></dict>
      """)
  }

  /// systemd with these properties of units, and a journal: what is told to calls that hold the key.
  package func systemd(_ units: [String: String], journal: [String: [String]] = [:]) throws {
    try write("/run/systemd/system/x", "")
    try write("/var/log/journal/x", "")
    let cases = units.map { "\($0.key)) cat <<'END'\n\($0.value)\nEND\n;;" }.joined(separator: "\n")
    try program("/usr/bin/systemctl", "case \"$2\" in\n\(cases)\n*) exit 1;; esac")
    let logs = journal.map { "*\"\($0.key)\"*) cat <<'END'\n\($0.value.joined(separator: "\n"))\nEND\n;;" }
      .joined(separator: "\n")
    try program("/usr/bin/journalctl", "case \" $* \" in\n\(logs)\n*) true;; esac")
  }

  /// The units of a kiosk that is well, as `systemctl show` tells them.
  /// - Parameter changes: properties of the agent's service that are otherwise.
  package static func units(_ changes: [String: String] = [:]) -> [String: String] {
    let service = [
      "LoadState": "loaded", "UnitFileState": "enabled", "FragmentPath": "/usr/lib/systemd/system/kiosk-agent.service",
      "DropInPaths": "", "NeedDaemonReload": "no", "ActiveState": "active", "SubState": "running", "Result": "success",
      "NRestarts": "0", "ExecMainStatus": "0",
    ].merging(changes) { $1 }
    return [
      "kiosk-agent.service": service.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "\n"),
      "pcscd.socket": "ActiveState=active",
    ]
  }

  /// All that a kiosk in the field has, and well: the reader on USB and its driver, a sound card, a clock with a battery
  /// that was set, systemd with the service. The journal is that of a machine where nothing was redacted.
  package func completeKiosk() throws {
    try reader()
    try driver()
    try write(
      "/proc/asound/cards", " 0 [Device         ]: USB-Audio - USB Audio Device\n                      at usb-1\n")
    try write("/dev/snd/controlC0", "")
    try write("/sys/class/rtc/rtc0/name", "rtc-ds1307\n")
    try write("/run/systemd/timesync/synchronized", "")
    try systemd(Self.units(), journal: [" -k ": Secrets.kernelLog])
  }
}
