internal import Foundation

/// N1 and N2: the way out of this machine and out of the house, as the kernel has it.
enum LinkChecks {
  static let all = [
    Check("N1", "Network link", impact: .wall, eyes: .service, usesNetwork: true) { link($0) },
    Check("N2", "Way to the Internet", needs: ["N1"], impact: .wall, eyes: .service, usesNetwork: true) {
      route($0)
    },
  ]

  // MARK: Link

  /// dBm below which a connection comes and goes.
  private static let weakSignal = -75

  private struct Interface {
    var name: String
    var isUp: Bool
    var isWireless: Bool
    /// dBm; nil: no wireless one, or not told.
    var signal: Int?
  }

  private static func link(_ box: Surroundings) -> Finding {
    guard !box.outside.isEmpty else { return Surroundings.nothingOutside }
    let interfaces = interfaces(box)
    guard !interfaces.isEmpty else { return .skip("The kernel lists no network interface.") }
    let seen = interfaces.map { interface in
      Finding.Fact(
        interface.name, (interface.isUp ? "up" : "down") + (interface.signal.map { ", \($0) dBm" } ?? ""))
    }
    let up = interfaces.filter(\.isUp)
    guard !up.isEmpty else {
      return .fail(
        seen, "This machine is connected to no network.",
        interfaces.contains(where: \.isWireless)
          ? "Plug in the network cable, or enter the Wi-Fi's password." : "Plug in the network cable at both ends.")
    }
    if up.allSatisfy({ ($0.signal ?? 0) < weakSignal }) {
      return .warn(
        seen, "The Wi-Fi is weak here.", "Move the kiosk or the access point, or lay a cable.")
    }
    return .pass(seen)
  }

  /// The devices; where there is none, as in a container, all that is not loopback.
  private static func interfaces(_ box: Surroundings) -> [Interface] {
    let folder = "/sys/class/net"
    let names = box.names(folder).filter { $0 != "lo" }
    let devices = names.filter { box.exists("\(folder)/\($0)/device") }
    let signals = signals(box.text("/proc/net/wireless") ?? "")
    return (devices.isEmpty ? names : devices).map { name in
      let state = box.value("\(folder)/\(name)/operstate")
      // Some drivers never say more than "unknown" (kernel, operstates.rst).
      let isUp = state == "up" || state == "unknown" && box.value("\(folder)/\(name)/carrier") == "1"
      return Interface(
        name: name, isUp: isUp,
        isWireless: signals[name] != nil || box.exists("\(folder)/\(name)/wireless")
          || box.exists("\(folder)/\(name)/phy80211"), signal: isUp ? signals[name] : nil)
    }
  }

  /// The levels of /proc/net/wireless, dBm.
  static func signals(_ table: String) -> [String: Int] {
    var signals: [String: Int] = [:]
    for line in table.split(separator: "\n") {
      // wlan0: 0000   54.  -56.  -256        0      0      0      0      0        0
      let words = line.split(separator: " ")
      guard words.count >= 4, words[0].hasSuffix(":"), let level = Double(words[3]), level < 0, level > -200 else {
        continue
      }
      signals[String(words[0].dropLast())] = Int(level)
    }
    return signals
  }

  // MARK: Route

  private static func route(_ box: Surroundings) -> Finding {
    guard !box.outside.isEmpty else { return Surroundings.nothingOutside }
    let tables = (box.text("/proc/net/route"), box.text("/proc/net/ipv6_route"))
    guard tables.0 != nil || tables.1 != nil else { return .skip("The kernel does not list its routes.") }
    let routes = IPv4Route.all(in: tables.0 ?? "")
    let ways = routes.filter(\.isDefault).map { "\($0.interface) (IPv4)" } + defaultIPv6(in: tables.1 ?? "")
    if !ways.isEmpty { return .pass([.init("by", ways.joined(separator: ", "))]) }
    let seen = [Finding.Fact("default route", "none")]
    return routes.contains(where: \.isOfRouter)
      ? .fail(seen, "There is no way out of the house.", "Is the router switched on? Restart it, then this machine.")
      : .fail(
        seen, "The network gave this machine no address.",
        "Restart the router; then plug the cable in anew, or join the Wi-Fi again.")
  }

  /// A row of /proc/net/route; numbers in hex, addresses in the machine's byte order.
  struct IPv4Route: Equatable {
    let interface: String
    let isDefault: Bool
    /// Of a network that was given to this machine, not one that it made up for want of a router (RFC 3927).
    let isOfRouter: Bool

    static func all(in table: String) -> [IPv4Route] {
      table.split(separator: "\n").dropFirst().compactMap { line in
        // Iface Destination Gateway Flags RefCnt Use Metric Mask …; flag 1 is RTF_UP, 200 RTF_REJECT.
        let words = line.split(whereSeparator: \.isWhitespace)
        guard words.count >= 8, words[0] != "lo", let flags = Int(words[3], radix: 16), flags & 1 == 1,
          flags & 0x200 == 0, let destination = UInt32(words[1], radix: 16), let mask = UInt32(words[7], radix: 16)
        else { return nil }
        let isDefault = destination == 0 && mask == 0
        let bytes = UInt32(bigEndian: destination)
        return IPv4Route(
          interface: String(words[0]), isDefault: isDefault, isOfRouter: !isDefault && bytes >> 16 != 0xA9FE)
      }
    }
  }

  /// The default routes of /proc/net/ipv6_route: destination, prefix, …, flags, interface.
  private static func defaultIPv6(in table: String) -> [String] {
    table.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count >= 10, words[0].allSatisfy({ $0 == "0" }), words[1] == "00", words[9] != "lo",
        let flags = Int(words[8], radix: 16), flags & 1 == 1, flags & 0x200 == 0
      else { return nil }
      return "\(words[9]) (IPv6)"
    }
  }
}
