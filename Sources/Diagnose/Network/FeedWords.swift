internal import Feeds
internal import Foundation
internal import Linux

extension Fault {
  /// What a technician is told.
  ///
  /// - Parameters:
  ///   - thing: what was asked for, as people call it: an id may be somebody's name.
  ///   - setting: where its address is written.
  func told(of thing: String, on host: String, setting: String) -> (means: String, remedy: String) {
    switch self {
    // Other names are found (N3), so the name is wrong.
    case .noSuchName: return ("There is no host \(host).", "Correct its address: \(setting).")
    case .notFound: return ("\(host) does not have it.", "Is it still shared? Correct its address: \(setting).")
    case .redirectRefused(let to?):
      return ("\(host) sends elsewhere, to \(Redaction.line(to)).", "If that is right: correct \(setting).")
    default: return Redaction.sentence(sentence(source: thing, host: host, keyAdvice: nil))
    }
  }
}

extension Surroundings {
  /// What comes of some work within a time. nil: it takes longer; then it is cancelled, and a curl with it.
  func within<Value: Sendable>(_ limit: Duration, _ work: @escaping @Sendable () async -> Value) async -> Value? {
    await withTaskGroup(of: Value?.self) { group in
      group.addTask { await work() }
      group.addTask {
        try? await time.sleep(for: limit)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }
}
