internal import Glibc

/// An Internet address and port as the kernel wants it.
struct SocketAddress: Equatable, Sendable {
  let isIPv6: Bool
  /// A `sockaddr_in` or `sockaddr_in6`.
  private let bytes: [UInt8]

  /// How a name was answered.
  enum Resolution: Equatable, Sendable {
    /// In the order in which they are to be tried.
    case found([SocketAddress])
    /// There is no such name.
    case unknown
    /// No name server gave an answer; in words.
    case failed(String)
  }

  /// Asks the system for the addresses of a name, or of an address in digits. Blocks for as long as the resolver pleases:
  /// 10 s for each name server that is mute.
  static func resolve(_ host: String, port: UInt16, numericOnly: Bool = false) -> Resolution {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    unsafe hints.ai_flags = numericOnly ? AI_NUMERICHOST : AI_ADDRCONFIG
    var list: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host, String(port), &hints, &list)
    defer { if unsafe list != nil { unsafe freeaddrinfo(list) } }
    // -5 is EAI_NODATA, which Glibc names only for GNU programs: the name is there and has no address.
    if code == EAI_NONAME || code == -5 { return .unknown }
    guard code == 0 else { return .failed(unsafe String(cString: gai_strerror(code))) }
    var found: [SocketAddress] = []
    var next = unsafe list
    while let entry = unsafe next {
      if let address = unsafe entry.pointee.ai_addr,
        unsafe entry.pointee.ai_family == AF_INET || entry.pointee.ai_family == AF_INET6
      {
        let raw = unsafe UnsafeRawBufferPointer(start: address, count: Int(entry.pointee.ai_addrlen))
        unsafe found.append(SocketAddress(isIPv6: entry.pointee.ai_family == AF_INET6, bytes: Array(raw)))
      }
      unsafe next = entry.pointee.ai_next
    }
    return found.isEmpty ? .unknown : .found(found)
  }

  private init(isIPv6: Bool, bytes: [UInt8]) {
    self.isIPv6 = isIPv6
    self.bytes = bytes
  }

  /// A socket that does not block, and how its `connect` began: 0, or errno. The caller closes it; nil: there is none.
  func begin(_ kind: __socket_type) -> (descriptor: Int32, errno: Int32)? {
    let descriptor = socket(
      isIPv6 ? AF_INET6 : AF_INET,
      Int32(kind.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    let result = unsafe bytes.withUnsafeBytes { raw in
      unsafe raw.withMemoryRebound(to: sockaddr.self) { pointer in
        unsafe connect(descriptor, pointer.baseAddress, socklen_t(bytes.count))
      }
    }
    return (descriptor, result == 0 ? 0 : Glibc.errno)
  }
}
