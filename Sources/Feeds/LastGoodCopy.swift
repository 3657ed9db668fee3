internal import Foundation
internal import Linux

/// A body that parsed, with what is needed to ask for a newer one and to know its age.
struct LastGoodCopy: Equatable, Sendable {
  var body: [UInt8]
  /// When the server last said that this is what it has.
  var origin: Origin
  /// When the body itself came, in true time.
  var bodySince: Date
  var entityTag: String?
  var lastModified: String?
  /// Of the headers, those that the parser needs.
  var headers: [String: String] = [:]
  /// Which address it came from, as a checksum: a copy from another provider must not be shown.
  var address: UInt64

  static func mark(_ address: Address) -> UInt64 { Checksum.of(Array(address.text.utf8)) }
}

/// Tells a file that a power cut has torn; no defence against anybody.
enum Checksum {
  /// FNV-1a, eight bytes at a time.
  static func of(_ bytes: [UInt8]) -> UInt64 {
    var sum: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(bytes.count)
    unsafe bytes.withUnsafeBytes { bytes in
      var index = 0
      while index < bytes.count {
        var word: UInt64 = 0
        if bytes.count - index >= 8 {
          word = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
          index += 8
        } else {
          word = unsafe UInt64(bytes[index])
          index += 1
        }
        sum = (sum ^ word) &* 0x100_0000_01B3
        sum ^= sum >> 32
      }
    }
    return sum
  }
}

extension LastGoodCopy {
  /// The first line of a file, before the checksum of all that follows.
  private static let mark = "kiosk-agent last good copy 1 "

  /// The second line.
  private struct Head: Codable {
    var uptime: Int
    var boot: String
    var instant: Int64
    var isServers: Bool
    var cachedFor: Int
    var bodySince: Int64
    var entityTag: String?
    var lastModified: String?
    var headers: [String: String]
    var address: UInt64
  }

  /// As a file.
  var file: [UInt8] {
    let head = Head(
      uptime: origin.uptime.inMilliseconds, boot: origin.boot, instant: Self.milliseconds(origin.instant),
      isServers: origin.isServers, cachedFor: origin.cachedFor.inMilliseconds,
      bodySince: Self.milliseconds(bodySince), entityTag: entityTag, lastModified: lastModified, headers: headers,
      address: address)
    // Codable of numbers and texts does not fail; a head that is not there would only make the copy unreadable.
    let rest = Array((try? JSONEncoder().encode(head)) ?? Data()) + [0x0A] + body
    return Array((Self.mark + String(Checksum.of(rest), radix: 16) + "\n").utf8) + rest
  }

  /// nil: torn, of another version, or no copy at all.
  init?(file: [UInt8]) {
    guard let end = file.firstIndex(of: 0x0A) else { return nil }
    let first = String(decoding: file[..<end], as: UTF8.self)
    let rest = Array(file[(end + 1)...])
    guard first.hasPrefix(Self.mark), UInt64(first.dropFirst(Self.mark.count), radix: 16) == Checksum.of(rest),
      let split = rest.firstIndex(of: 0x0A),
      let head = try? JSONDecoder().decode(Head.self, from: Data(rest[..<split]))
    else { return nil }
    body = Array(rest[(split + 1)...])
    origin = Origin(
      uptime: .milliseconds(head.uptime), boot: head.boot, instant: Self.date(head.instant),
      isServers: head.isServers, cachedFor: .milliseconds(head.cachedFor))
    bodySince = Self.date(head.bodySince)
    entityTag = head.entityTag
    lastModified = head.lastModified
    headers = head.headers
    address = head.address
  }

  private static func milliseconds(_ date: Date) -> Int64 {
    Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) ?? 0
  }
  private static func date(_ milliseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

extension LastGoodCopy {
  /// For the parser.
  func delivery(boot: String) -> Delivery {
    Delivery(
      body: body, status: 200, instant: origin.instant, receivedAt: origin.boot == boot ? origin.uptime : nil,
      toldAgo: .zero, headers: headers, retryAfter: nil, sinceSuccess: nil)
  }
}
