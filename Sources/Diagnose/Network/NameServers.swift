internal import Foundation
internal import Glibc
internal import Linux
internal import Synchronization

/// The name servers that are configured, asked directly: a name that is not found does not say whose fault that is.
enum NameServers {
  /// Those of resolv.conf(5), which uses the first three.
  static func all(in text: String) -> [String] {
    text.split(separator: "\n").compactMap { line in
      let words = line.split(whereSeparator: \.isWhitespace)
      return words.count >= 2 && words[0] == "nameserver" ? String(words[1]) : nil
    }.prefix(3).map { $0 }
  }

  /// Asks each for a name and goes on.
  static func ask(_ servers: [String], for name: String, time: any TimeSource) -> Inquiry {
    let answers = Inquiry(servers.count, until: time.uptime() + .milliseconds(2500), time)
    for (index, server) in servers.enumerated() {
      Threads.start(name: "name-server") {
        let answer = ask(server, question(name), time)
        answers.times.withLock { $0[index] = answer }
        answers.done.signal()
      }
    }
    return answers
  }

  /// Questions that are under way.
  final class Inquiry: Sendable {
    fileprivate let times: Mutex<[Duration?]>
    fileprivate let done = TimedSemaphore()
    private let deadline: Duration
    private let time: any TimeSource

    fileprivate init(_ count: Int, until deadline: Duration, _ time: any TimeSource) {
      times = Mutex(Array(repeating: nil, count: count))
      self.deadline = deadline
      self.time = time
    }

    /// The time that each server's answer took, whatever it is; nil: it said nothing within 2 s. In the order of the servers.
    /// Waits for that.
    func answers() -> [Duration?] {
      for _ in times.withLock({ $0 }) { _ = done.wait(atMost: deadline - time.uptime()) }
      return times.withLock { $0 }
    }
  }

  private static func ask(_ server: String, _ question: [UInt8], _ time: any TimeSource) -> Duration? {
    let started = time.uptime()
    guard case .found(let addresses) = SocketAddress.resolve(server, port: 53, numericOnly: true),
      let (descriptor, code) = addresses.first?.begin(SOCK_DGRAM)
    else { return nil }
    defer { close(descriptor) }
    guard code == 0, unsafe send(descriptor, question, question.count, Int32(MSG_NOSIGNAL)) == question.count else {
      return nil
    }
    while true {
      let left = (started + .seconds(2) - time.uptime()).inMilliseconds
      var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard left > 0, unsafe poll(&wait, 1, Int32(clamping: left)) > 0 else { return nil }
      var answer = [UInt8](repeating: 0, count: 512)
      let count = unsafe recv(descriptor, &answer, answer.count, 0)
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      // Refused, or somebody else's words.
      guard count >= 12, answer.starts(with: question.prefix(2)) else { return nil }
      return time.uptime() - started
    }
  }

  /// A question for an IPv4 address (RFC 1035 4.1).
  static func question(_ name: String) -> [UInt8] {
    // The number only tells our answer from a stranger's; the socket takes none but this server's.
    var bytes: [UInt8] = [0x4B, 0x41, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    for label in name.split(separator: ".") {
      let label = Array(label.utf8.prefix(63))
      bytes.append(UInt8(label.count))
      bytes += label
    }
    return bytes + [0, 0, 1, 0, 1]
  }
}
