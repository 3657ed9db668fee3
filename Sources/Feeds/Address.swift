internal import Foundation

/// Where something is fetched from: https, or plain http on this machine (DESIGN 4.2).
///
/// The path and query may hold a secret (a private calendar's address is its key), so only the host is ever shown.
package struct Address: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
  /// All of it: for the request alone.
  let text: String
  /// Lower case.
  package let host: String
  /// As in the address, or the scheme's own.
  let port: Int
  let isOnLoopback: Bool

  /// nil: neither https nor http on loopback, or not an address. Spaces and the like must be percent-encoded already.
  package init?(_ text: String) {
    guard text.utf8.count <= 4096, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      let parts = URLComponents(string: text), let host = parts.host?.lowercased(), !host.isEmpty
    else { return nil }
    let scheme = parts.scheme?.lowercased()
    isOnLoopback = ["127.0.0.1", "localhost", "::1", "[::1]"].contains(host)
    guard scheme == "https" || scheme == "http" && isOnLoopback else { return nil }
    self.text = text
    self.host = host
    port = parts.port ?? (scheme == "https" ? 443 : 80)
  }

  /// With one more item in its query, whatever is in the query already.
  func adding(_ name: String, _ value: String) -> Address? {
    let item = "\(Self.encoded(name))=\(Self.encoded(value))"
    let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    return Address(parts[0] + (parts[0].contains("?") ? "&" : "?") + item)
  }

  /// Percent-encoded so that it stands for itself in a path segment or a query item.
  package static func encoded(_ text: String) -> String {
    let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
  }

  package var description: String { "(address on \(host))" }
  package var customMirror: Mirror { Mirror(self, children: [("host", host)]) }
}

/// Whether a redirect may be followed.
///
/// curl follows to anywhere, so we follow ourselves: to the same host and port, or to a host of the list, at most `limit`
/// times. That keeps a captive portal's page, and addresses inside the house, out of our answers.
enum Redirect {
  static let limit = 3
  static let statuses: Set<Int> = [301, 302, 303, 307, 308]

  /// - Parameters:
  ///   - target: as curl made it absolute; nil: the answer had none.
  ///   - first: the address that was asked for.
  ///   - hosts: others that may answer for it, lower case.
  static func follow(_ target: String?, from first: Address, hosts: Set<String>, hops: Int) throws(Fault) -> Address {
    guard hops < limit else { throw .redirectLoop }
    guard let target, !target.isEmpty else { throw .redirectRefused(to: nil) }
    guard let address = Address(target) else {
      // Plain http in the open, another scheme, or nonsense: the host is told when there is one.
      throw .redirectRefused(to: URLComponents(string: target)?.host.flatMap(Fault.printable))
    }
    let isSame = address.host == first.host && address.port == first.port
    guard isSame || hosts.contains(address.host) && address.isOnLoopback == first.isOnLoopback else {
      throw .redirectRefused(to: Fault.printable(address.host))
    }
    return address
  }
}
