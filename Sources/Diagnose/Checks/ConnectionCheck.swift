internal import Glibc
internal import Linux

/// N4: whether servers can be reached at all, by IPv4 and by IPv6. Fails when none can.
enum ConnectionCheck {
  static let check = Check(
    "N4", "Connections to the Internet", needs: ["N3", "N6"], impact: .wall, eyes: .service, deadline: .seconds(8),
    usesNetwork: true, overdue: ("Nothing outside answers.", "Let this machine out to port 443 (router, firewall).")
  ) { await look($0) }

  /// How a connection came out.
  enum Way: Equatable, Sendable {
    case open(Duration)
    case refused
    case mute
    /// This machine has no such way: no address of the kind.
    case absent
  }

  struct Attempt: Equatable, Sendable {
    var endpoint: Endpoint
    var isIPv6: Bool
    var way: Way
  }

  private static func look(_ box: Surroundings) async -> Finding {
    let endpoints = box.outside
    guard !endpoints.isEmpty else { return Surroundings.nothingOutside }
    return finding(connect(endpoints, within: .seconds(3), box.time), proxy: box.proxy)
  }

  /// - Parameter proxy: the host of one that this machine should use.
  static func finding(_ attempts: [Attempt], proxy: String?) -> Finding {
    var seen = attempts.compactMap { attempt -> Finding.Fact? in
      let name = "\(attempt.endpoint.shown), \(attempt.isIPv6 ? "IPv6" : "IPv4")"
      return switch attempt.way {
      case .open(let took): .init(name, "\(took.inMilliseconds) ms")
      case .refused: .init(name, "refused")
      case .mute: .init(name, "no answer in 3 s")
      case .absent: nil
      }
    }
    let isOpen = { (attempt: Attempt) in if case .open = attempt.way { true } else { false } }
    guard attempts.contains(where: isOpen) else {
      if let proxy {
        seen.append(.init("proxy", proxy))
        return .fail(
          seen, "Nothing outside can be reached without the proxy, which the agent does not use.",
          "Let this machine out to port 443 without the proxy.")
      }
      return .fail(
        seen, "Nothing outside can be reached: a firewall blocks HTTPS.",
        "Let this machine out to port 443 (router, parental control).")
    }
    for isIPv6 in [true, false] {
      let mine = attempts.filter { $0.isIPv6 == isIPv6 && $0.way != .absent }
      if !mine.isEmpty, !mine.contains(where: isOpen) {
        let name = isIPv6 ? "IPv6" : "IPv4"
        return .warn(
          seen, "\(name) does not get through: requests wait for it in vain.",
          "Repair \(name) in the router, or switch it off there.")
      }
    }
    return .pass(seen)
  }

  // MARK: Connecting

  /// Connects to the first address of each kind of every server, all at one time.
  private static func connect(_ endpoints: [Endpoint], within limit: Duration, _ time: any TimeSource) -> [Attempt] {
    var attempts: [Attempt] = []
    var open: [(index: Int, descriptor: Int32)] = []
    defer { for (_, descriptor) in open { close(descriptor) } }
    let started = time.uptime()
    for endpoint in endpoints {
      guard case .found(let addresses) = SocketAddress.resolve(endpoint.host, port: endpoint.port) else { continue }
      for isIPv6 in [false, true] {
        guard let address = addresses.first(where: { $0.isIPv6 == isIPv6 }),
          let (descriptor, code) = address.begin(SOCK_STREAM)
        else { continue }
        attempts.append(Attempt(endpoint: endpoint, isIPv6: isIPv6, way: .mute))
        if code == EINPROGRESS {
          open.append((attempts.count - 1, descriptor))
        } else {
          attempts[attempts.count - 1].way = way(code, time.uptime() - started)
          close(descriptor)
        }
      }
    }
    var left = open
    while !left.isEmpty {
      let milliseconds = (started + limit - time.uptime()).inMilliseconds
      guard milliseconds > 0 else { break }
      var waits = left.map { pollfd(fd: $0.descriptor, events: Int16(POLLOUT), revents: 0) }
      guard unsafe poll(&waits, nfds_t(waits.count), Int32(clamping: milliseconds)) > 0 else { continue }
      for (entry, wait) in zip(left, waits) where wait.revents != 0 {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        unsafe getsockopt(entry.descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
        attempts[entry.index].way = way(code, time.uptime() - started)
      }
      left = zip(left, waits).filter { $0.1.revents == 0 }.map(\.0)
    }
    return attempts
  }

  private static func way(_ code: Int32, _ took: Duration) -> Way {
    switch code {
    case 0: .open(took)
    case ENETUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT: .absent
    case ETIMEDOUT: .mute
    default: .refused
    }
  }
}
