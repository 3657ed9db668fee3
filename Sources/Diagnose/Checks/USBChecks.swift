/// U: the reader on the bus, below pcscd.
enum USBChecks {
  static let all = [
    Check("U1", "Reader on USB", impact: .doses) { readerOnUSB($0) },
    Check("U2", "USB contact", needs: ["U1"], impact: .upkeep) { stability($0) },
    Check("U3", "USB autosuspend", needs: ["U1"], impact: .upkeep) { autosuspend($0) },
    Check("U4", "Kernel driver leaves the reader alone", needs: ["U1"], impact: .doses) { kernelDriver($0) },
    Check("U5", "Device node and udev rule", needs: ["U1"], impact: .doses) { deviceNode($0) },
  ]

  private static let noReader = Finding.skip("No reader is on USB.")

  private static func readerOnUSB(_ box: Surroundings) -> Finding {
    guard box.exists(USBDevice.folder) else { return .skip("This machine has no USB (\(USBDevice.folder)).") }
    let readers = USBDevice.readers(box)
    let seen = readers.map { Finding.Fact($0.port, "\($0.product) (\($0.vendorID):\($0.productID))") }
    switch readers.count {
    case 1: return .pass(seen)
    case 0:
      if let name = ReaderProbe.namesSoon(box)?.first {
        return .skip("The reader is not on USB: \(ReaderProbe.shown(name)).")
      }
      return .fail(
        [.init("readers", "none")], "No reader is plugged in, or its cable is broken.",
        "Push the plug home, try another port, then another cable.")
    default:
      return .warn(
        seen, "More than one reader: a tap counts on each of them.",
        "Unplug the one that is not meant, or name one in reader.match.")
    }
  }

  private static func stability(_ box: Surroundings) -> Finding {
    guard let reader = USBDevice.readers(box).first else { return noReader }
    let overloads = box.names(USBDevice.folder).flatMap { hub in
      box.names("\(USBDevice.folder)/\(hub)").compactMap { port in
        box.value("\(USBDevice.folder)/\(hub)/\(port)/over_current_count").flatMap { Int($0) }
      }
    }.reduce(0, +)
    let journal = box.journal("-k")
    guard journal != nil || overloads > 0 else { return .skip("The kernel's log cannot be read here.") }
    let words = ["disconnect", "reset ", "error -71", "error -110", "error -32", "device not accepting"]
    let faults = (journal ?? []).count { line in
      line.contains("usb \(reader.port):") && words.contains { line.contains($0) }
    }
    let seen: [Finding.Fact] = [.init("faults in 24 h", faults), .init("overcurrent", overloads)]
    let means = "The plug, the cable or the power of the reader is bad."
    let remedy = "Replace the cable, or use a hub with its own power."
    if faults > 10 { return .fail(seen, means, remedy) }
    return faults > 2 || overloads > 0 ? .warn(seen, means, remedy) : .pass(seen)
  }

  private static func autosuspend(_ box: Surroundings) -> Finding {
    guard let reader = USBDevice.readers(box).first else { return noReader }
    let control = box.value("\(reader.path)/power/control") ?? "on"
    let persist = box.value("\(reader.path)/power/persist") ?? "0"
    let seen: [Finding.Fact] = [
      .init("control", control), .init("persist", persist),
      .init("now", box.value("\(reader.path)/power/runtime_status") ?? "not told"),
    ]
    guard control != "on" || persist != "0" else { return .pass(seen) }
    return .warn(
      seen, "A reader that sleeps misses the first tap.", "sudo udevadm trigger -c add \(reader.path)",
      "If that does not last: put 93-kiosk-reader.rules back.")
  }

  private static func kernelDriver(_ box: Surroundings) -> Finding {
    guard let reader = USBDevice.readers(box).first else { return noReader }
    let drivers = Set(
      box.names(USBDevice.folder).filter { $0.hasPrefix("\(reader.port):") }
        .compactMap { box.linkTarget("\(USBDevice.folder)/\($0)/driver") })
    let seen = [Finding.Fact("driver", drivers.isEmpty ? "none" : drivers.sorted().joined(separator: ", "))]
    guard let thief = ["pn533_usb", "port100"].first(where: drivers.contains) else { return .pass(seen) }
    return .fail(
      seen, "The kernel's own NFC driver holds the reader, so pcscd cannot.", "sudo modprobe -r \(thief)",
      "Put kiosk-nfc.conf back into /etc/modprobe.d.")
  }

  private static func deviceNode(_ box: Surroundings) -> Finding {
    guard let reader = USBDevice.readers(box).first else { return noReader }
    let node = "/dev/bus/usb/\(reader.bus)/\(reader.number)"
    guard box.exists(node) else {
      return .fail(
        [.init("missing", node)], "The reader is on the bus and no program can open it.",
        "sudo udevadm trigger -c add \(reader.path)")
    }
    guard box.exists("/dev/kiosk-reader") else {
      return .warn(
        [.init("node", node), .init("missing", "/dev/kiosk-reader")], "The kiosk's udev rule did not see the reader.",
        "sudo udevadm control --reload", "sudo udevadm trigger -c add \(reader.path)")
    }
    return .pass([.init("node", node)])
  }
}

/// A smart card reader as the kernel lists it.
struct USBDevice: Equatable {
  static let folder = "/sys/bus/usb/devices"
  /// Readers that do not say so by their class: ACS.
  private static let vendors: Set<String> = ["072f"]

  /// Such as `1-1.4`.
  let port: String
  let vendorID: String
  let productID: String
  let product: String
  /// Three digits each, as in /dev/bus/usb.
  let bus: String
  let number: String

  var path: String { "\(Self.folder)/\(port)" }

  /// Devices with an interface of the class for smart cards (0b), or of a maker of readers.
  static func readers(_ box: Surroundings) -> [USBDevice] {
    let names = box.names(folder)
    return names.filter { !$0.contains(":") && $0.first?.isNumber == true }.compactMap { port in
      let path = "\(folder)/\(port)"
      guard let vendor = box.value("\(path)/idVendor")?.lowercased(), let id = box.value("\(path)/idProduct") else {
        return nil
      }
      let isReader = names.contains { name in
        name.hasPrefix("\(port):") && box.value("\(folder)/\(name)/bInterfaceClass")?.lowercased() == "0b"
      }
      guard isReader || vendors.contains(vendor) else { return nil }
      return USBDevice(
        port: port, vendorID: vendor, productID: id.lowercased(),
        product: String((box.value("\(path)/product") ?? "unnamed reader").prefix(60)),
        bus: threeDigits(box.value("\(path)/busnum")), number: threeDigits(box.value("\(path)/devnum")))
    }
  }

  private static func threeDigits(_ number: String?) -> String {
    let digits = number ?? "0"
    return String(repeating: "0", count: max(0, 3 - digits.count)) + digits
  }
}
