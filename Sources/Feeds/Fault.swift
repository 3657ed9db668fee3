internal import Foundation

/// Why there is nothing new from a source, each with its own remedy. Nothing in it is secret: hosts and numbers, no
/// addresses, no keys.
package enum Fault: Error, Equatable, Sendable {
  /// What is wrong with a certificate (X509_verify_cert's numbers; `other` carries curl's exit code).
  package enum Certificate: Equatable, Sendable {
    case expired, notYetValid, untrusted, wrongName
    case other(Int32)
  }

  // MARK: Nothing is asked

  /// Nobody has asked since the start.
  case notAsked
  /// There is no usable key.
  case noKey(KeyStore.Fault)

  // MARK: On the way

  case noSuchName
  case noConnection
  /// Not within the deadline: mute, dripping, or a name server that does not answer.
  case overdue(Duration)
  /// The connection broke before the answer was whole, or the answer is no HTTP.
  case broken
  case certificate(Certificate)
  /// More than the limit, in bytes after decompression.
  case tooLarge(limit: Int)
  /// A compression that was not asked for, or damaged.
  case badEncoding
  case redirectLoop
  /// To a host that is not in the list, or away from https.
  case redirectRefused(to: String?)
  /// curl(1) cannot be started.
  case noCurl(errno: Int32)
  /// curl(1) ended in a way that has no name here: its exit code, or minus the signal.
  case curl(Int32)

  // MARK: What the provider says

  /// The provider does not accept the key.
  case keyRejected
  /// 401 or 403 where no key is used.
  case forbidden(status: Int)
  /// Too many requests; how long it wants us to wait, when it says so.
  case tooMany(retryAfter: Duration?)
  case notFound
  /// The provider says that it is broken.
  case serverError(status: Int, retryAfter: Duration?)
  case unexpected(status: Int)

  // MARK: What is in the answer

  case empty
  /// HTML: often the login page of a network.
  case webPage
  /// It is not what it should be, or says itself what is wrong.
  case objection(Objection)

  /// Whether it concerns all that comes from the source, not one document of it.
  var isOfSource: Bool {
    switch self {
    case .noKey, .noSuchName, .noConnection, .overdue, .certificate, .noCurl, .keyRejected, .tooMany, .webPage: true
    case .objection(let objection): objection.scope != .document
    default: false
    }
  }

  /// Whether the key is to blame.
  var isOfKey: Bool {
    switch self {
    case .keyRejected: true
    case .objection(let objection): objection.scope == .key
    default: false
    }
  }

  /// Whether it is there before anything was asked: back-off does not apply.
  var isBeforeAsking: Bool {
    switch self {
    case .notAsked, .noKey: true
    default: false
    }
  }

  /// What the provider wants us to wait.
  var retryAfter: Duration? {
    switch self {
    case .tooMany(let wait), .serverError(_, let wait): wait
    case .objection(let objection): objection.retryAfter
    default: nil
    }
  }

  /// At most 300 characters of one line, or nil: what comes from outside may be long or hold control characters.
  static func printable(_ text: String) -> String? {
    let line = String(
      text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.map(Character.init).prefix(300))
    return line.isEmpty ? nil : line
  }
}

extension Fault {
  /// What is wrong: what to do. One sentence of English, for the log, the commands and the wall's strip.
  /// - Parameters:
  ///   - source: its id.
  ///   - host: that was asked.
  ///   - keyAdvice: how to get a key from this provider.
  package func sentence(source: String, host: String, keyAdvice: String?) -> String {
    let advice = keyAdvice.map { "; \($0)" } ?? ""
    switch self {
    case .notAsked: return "\(source) was not asked yet: wait a moment"
    case .noKey(.missing(let source, let variable)):
      return KeyStore.Fault.missing(source: source, variable: variable).sentence + advice
    case .noKey(let fault): return fault.sentence
    case .noSuchName: return "the name \(host) is not found: check the network and its name server"
    case .noConnection: return "no connection to \(host): check the network and whether a firewall blocks it"
    case .overdue(let limit):
      return
        "\(host) did not answer within \(limit.components.seconds) s: it is tried again; check the network if it stays"
    case .broken: return "the answer of \(host) broke off: it is tried again; check the network if it stays"
    case .certificate(let what): return Self.sentence(certificate: what, host)
    case .tooLarge(let limit): return "\(host) sends more than \(limit) bytes: check the address of \(source)"
    case .badEncoding:
      return "the answer of \(host) is compressed in a way that cannot be read: check the address of \(source)"
    case .redirectLoop: return "\(host) redirects without end: check the address of \(source)"
    case .redirectRefused(let target):
      let to = target.map { "to \($0)" } ?? "to nowhere"
      return
        "\(host) redirects \(to), which is not followed: if that is right, put the new address into the configuration"
    case .noCurl(let errno): return "/usr/bin/curl cannot be started (errno \(errno)): install the package curl"
    case .curl(let code): return "curl failed with \(code): see curl(1), EXIT CODES, and check the address of \(source)"
    case .keyRejected: return "\(host) rejects the key of \(source): check it" + (keyAdvice.map { ", or \($0)" } ?? "")
    case .forbidden(let status): return "\(host) refuses access (\(status)): check the address of \(source)"
    case .tooMany: return "\(host) says that it is asked too often: it is asked again later"
    case .notFound: return "\(host) does not have what is asked for: check the ids and the address of \(source)"
    case .serverError(let status, _):
      return "\(host) is broken (\(status)): it is tried again; its owner must repair it"
    case .unexpected(let status): return "\(host) answers with status \(status): check the address of \(source)"
    case .empty: return "\(host) sends an empty answer: it is tried again; check the address of \(source) if it stays"
    case .webPage:
      return
        "\(host) sends a web page in place of data: log this network in if it wants that, or check the address of \(source)"
    case .objection(let objection): return objection.sentence
    }
  }

  private static func sentence(certificate: Certificate, _ host: String) -> String {
    switch certificate {
    case .expired: "the certificate of \(host) has expired: check this machine's date; its owner must renew it"
    case .notYetValid: "the certificate of \(host) is not valid yet: set this machine's date"
    case .untrusted:
      "the certificate of \(host) is not trusted: install ca-certificates; a filter or a login page may stand between"
    case .wrongName: "the certificate of \(host) is for another name: a filter or a login page may stand between"
    case .other(let code): "no secure connection to \(host) (curl \(code)): a filter or a login page may stand between"
    }
  }
}
