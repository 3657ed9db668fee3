internal import Glibc

/// The socket calls of the server.
enum HTTPSockets {
  /// Connections that wait in the kernel until they are taken.
  ///
  /// Display 3.6 says 32. A burst of 200 is then too many: the kernel drops what does not fit without a word, and a browser
  /// that is among it tries again only after 1 s, with the wall blank meanwhile. A waiting one costs about 3 KiB.
  private static let backlog: Int32 = 512

  /// A listening socket on loopback and its port.
  static func listen(_ address: String, _ port: UInt16) throws(Server.BindError) -> (Int32, UInt16) {
    let isV6 = address == "::1"
    let listener = socket(
      isV6 ? AF_INET6 : AF_INET,
      Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard listener >= 0 else { throw .other(errno: errno) }
    var on: Int32 = 1
    unsafe setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, 4)
    let bound = isV6 ? bindV6(listener, port) : bindV4(listener, port)
    guard bound == 0, Glibc.listen(listener, backlog) == 0 else {
      let code = errno
      close(listener)
      throw code == EADDRINUSE ? .inUse : .other(errno: code)
    }
    return (listener, localPort(listener))
  }

  private static func bindV4(_ listener: Int32, _ port: UInt16) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private static func bindV6(_ listener: Int32, _ port: UInt16) -> Int32 {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    address.sin6_addr = in6addr_loopback
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
      }
    }
  }

  private static func localPort(_ listener: Int32) -> UInt16 {
    // The port stands at the same place in both families.
    var address = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    _ = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(listener, $0, &length) }
    }
    return UInt16(bigEndian: address.sin6_port)
  }

  /// The next connection, not blocking; nil when there is none.
  static func accept(_ listener: Int32) -> Int32? {
    let descriptor = Glibc.accept(listener, nil, nil)
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    var on: Int32 = 1
    unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, 4)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, 4)
    // The kernel would keep megabytes for a page that reads nothing; less of it shows the stall sooner.
    var size: Int32 = 65536
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, 4)
    var limit: UInt32 = 20_000
    unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &limit, 4)
    return descriptor
  }
}
