internal import Glibc
internal import Linux
internal import Synchronization
package import VirtualTag

/// A tag for vsmartcard's reader driver (Debian package vsmartcard-vpcd): a reader that nobody here wrote.
///
/// That reader is polled: pcscd sees a tag 0 to 400 ms after it came, and may miss one that stays for less. On its TCP
/// connection each message is a length (2 bytes, big-endian) and as many bytes. A message of one byte is a control: 0 power
/// off, 1 power on, 2 reset, 4 give the ATR; only the last wants an answer. A longer one is an APDU.
package final class VpcdTag: Sendable {
  /// What the tag says to an APDU; nil: it is pulled out of the field instead. Never an empty answer: the driver would
  /// block pcscd for ever.
  package typealias Script = @Sendable (_ apdu: [UInt8]) -> [UInt8]?

  package static let driver = "/usr/lib/pcsc/drivers/serial/libifdvpcd.so"

  /// PC/SC part 3: a storage card, NTAG.
  package static let storageATR: [UInt8] = [
    0x3B, 0x8F, 0x80, 0x01, 0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06, 0x03, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00,
    0x68,
  ]

  private let port: UInt16
  private let atr: [UInt8]
  private let script: Script
  private let connection = Mutex<Int32?>(nil)
  private let heard = Mutex<[[UInt8]]>([])

  /// - Parameters:
  ///   - port: the reader's TCP port on this machine.
  ///   - atr: one of more than 33 bytes makes the tag mute.
  ///   - script: by default FF CA 00 00 is answered with `uid` and 90 00, all else with 6A 81.
  package init(port: UInt16, uid: [UInt8], atr: [UInt8] = VpcdTag.storageATR, script: Script? = nil) {
    self.port = port
    self.atr = atr
    self.script = script ?? { $0.starts(with: [0xFF, 0xCA, 0, 0]) ? uid + [0x90, 0x00] : [0x6A, 0x81] }
  }

  deinit { remove() }

  /// The APDUs so far.
  package var apdus: [[UInt8]] { heard.withLock { $0 } }

  /// The tag enters the field.
  package func insert() throws {
    remove()
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Waiting.TimedOut(description: "no socket: errno \(errno)") }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = unsafe withUnsafePointer(to: address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else {
      let code = errno
      close(descriptor)
      throw Waiting.TimedOut(description: "no vpcd reader at port \(port): errno \(code)")
    }
    connection.withLock { $0 = descriptor }
    let ends = dup(descriptor)
    // The thread holds the tag only while it answers, so that a forgotten tag leaves the field.
    Threads.start(name: "vpcd-tag") { [weak self] in
      while let message = Self.receive(ends), let answer = self?.answer(message) {
        if !answer.isEmpty, !Self.send(ends, answer) { break }
      }
      shutdown(ends, Int32(SHUT_RDWR))
      close(ends)
    }
  }

  /// The tag leaves the field.
  package func remove() {
    connection.withLock { descriptor in
      guard let open = descriptor else { return }
      shutdown(open, Int32(SHUT_RDWR))
      close(open)
      descriptor = nil
    }
  }

  /// Nil: hang up. Empty: say nothing.
  private func answer(_ message: [UInt8]) -> [UInt8]? {
    if message.count == 1 { return message == [4] ? atr : [] }
    heard.withLock { $0.append(message) }
    guard let answer = script(message), !answer.isEmpty else { return nil }
    return answer
  }

  private static func receive(_ descriptor: Int32) -> [UInt8]? {
    guard let head = receive(descriptor, count: 2) else { return nil }
    return receive(descriptor, count: Int(head[0]) << 8 | Int(head[1]))
  }

  private static func receive(_ descriptor: Int32, count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while bytes.count < count {
      // The driver leaves Nagle's algorithm on: without this each control byte waits 40 ms for a delayed acknowledgement.
      // The kernel forgets it, so it is said again before each read.
      var on: Int32 = 1
      unsafe setsockopt(
        descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &on, socklen_t(MemoryLayout<Int32>.size))
      let got = unsafe recv(descriptor, &buffer, count - bytes.count, 0)
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { return nil }
      bytes += buffer[..<got]
    }
    return bytes
  }

  private static func send(_ descriptor: Int32, _ answer: [UInt8]) -> Bool {
    let message = [UInt8(truncatingIfNeeded: answer.count >> 8), UInt8(truncatingIfNeeded: answer.count)] + answer
    return unsafe Glibc.send(descriptor, message, message.count, Int32(MSG_NOSIGNAL)) == message.count
  }
}

extension VpcdTag {
  /// A running pcscd with vpcd's two slots, and the port of the first. Nil when the driver is not installed.
  package static func pcscd() throws -> (pcscd: PrivatePcscd, port: UInt16)? {
    guard unsafe access(driver, R_OK) == 0 else { return nil }
    let port = try freePorts()
    let entry = ReaderEntry(
      name: "Virtual PCD",
      driver: .other(library: driver, device: "/dev/null:\(port)", channel: UInt32(port)))
    return (try PrivatePcscd.started(readers: [entry]), port)
  }

  private static let nextOffset = Atomic<UInt32>(0)

  /// Two neighbouring free TCP ports below those that the kernel gives away by itself; other tests of this process get
  /// others, and other processes begin elsewhere.
  private static func freePorts() throws -> UInt16 {
    try Waiting.value("two free TCP ports") {
      let offset = nextOffset.add(2, ordering: .relaxed).oldValue &+ UInt32(truncatingIfNeeded: getpid()) &* 16
      let port = UInt16(20_000 + offset % 10_000 & ~1)
      return isFree(port) && isFree(port + 1) ? port : nil
    }
  }

  private static func isFree(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    return unsafe withUnsafePointer(to: address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
