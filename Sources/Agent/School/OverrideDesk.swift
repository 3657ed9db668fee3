package import BellSchedule
internal import Configuration
package import Foundation
package import Ledger
internal import Linux

/// A request of `period override` or `period clear` to the running agent, as one line on `control.sock`.
package struct BellRequest: Codable, Equatable, Sendable {
  /// `bellOverride` or `bellClear`.
  private var command: String
  /// The ledger's document with the one override.
  private var override: String?

  /// - Parameter said: nil: nothing that was said counts any more.
  package init(_ said: BellOverride?) {
    command = said == nil ? "bellClear" : "bellOverride"
    override = said.map { BellOverrides.document([$0]) }
  }

  package var line: String {
    (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  /// nil: the request is another's.
  static func parse(_ line: String) -> BellRequest? {
    guard let request = try? JSONDecoder().decode(BellRequest.self, from: Data(line.utf8)),
      request.command == "bellClear" || request.command == "bellOverride" && request.said != nil
    else { return nil }
    return request
  }

  fileprivate var said: BellOverride? { BellOverrides.parse(override).first }
}

/// Puts what somebody says about a day of school into the ledger: the same for the running agent and for a command without
/// one.
package enum OverrideDesk {
  /// How much can be said of one day: one after the other, each behind the one that ends before it.
  static let most = 4

  /// What is said of the days once more is said.
  ///
  /// What was said of the same day and ends later counts again when this has ended; what ends no later would never count. Who
  /// says the same type once more corrects when it ends.
  ///
  /// - Parameter live: what has not ended, in the order in which it was said.
  /// - Returns: nil when so much is said of the day that a part of it would have to be forgotten.
  static func adding(_ said: BellOverride, to live: [BellOverride]) -> [BellOverride]? {
    var before = live.filter { $0.day == said.day && said.until < $0.until }
    while before.last?.type == said.type { before.removeLast() }
    guard before.count < most else { return nil }
    return live.filter { $0.day != said.day } + before + [said]
  }

  /// - Parameters:
  ///   - said: counts before what was said of its day (`adding`); nil: nothing that was said of any day counts any more.
  ///   - zone: what the answer's instants are written in.
  package static func keep(_ said: BellOverride?, ledger: Ledger, zone: TimeZone, now: Date) async -> ControlAnswer {
    do {
      let before = BellOverrides.parse(try await ledger.export().documents[BellOverrides.name])
      let live = before.filter { now < $0.until }
      guard let after = said.map({ adding($0, to: live) }) ?? [] else {
        return ControlAnswer(
          code: 65,
          sentence: "nothing was changed: too much is said of that day: say period clear, then what the day is")
      }
      if after != before {
        let update = RegistryUpdate(documents: [BellOverrides.name: BellOverrides.document(after)])
        _ = try await ledger.importHousehold(update, at: now) { _ in [] }
      }
      guard let said else {
        return ControlAnswer(code: 0, sentence: live.isEmpty ? "there was no override" : "cleared")
      }
      let others = after.dropLast().last { $0.day == said.day }.map { ", then \($0.type)" } ?? ""
      return ControlAnswer(
        code: 0, sentence: "\(said.day) is \(said.type) until \(InstantFormat.text(said.until, in: zone))\(others)")
    } catch let error as LedgerError {
      return ControlAnswer(code: error.kind == .conflict ? 70 : 74, sentence: error.sentence)
    } catch {
      return ControlAnswer(code: 70, sentence: "\(error): report this as a fault of kiosk-agent")
    }
  }
}

extension Kiosk {
  /// Answers `period override` and `period clear`; the wall shows it before they have their answer.
  func keep(_ request: BellRequest) async -> ControlAnswer {
    await turns.take {
      await weighClock()
      guard clockTrusted else {
        return ControlAnswer(
          code: 75, sentence: "nothing was changed: the wall's clock is not set, so that no day is known: set it first")
      }
      let answer = await OverrideDesk.keep(
        request.said, ledger: parts.ledger, zone: parts.zone(), now: parts.time.now().asStored)
      parts.log.notice("bell: \(answer.code == 0 ? answer.sentence : "an override was not stored")")
      documents = nil
      await bringUpToNow()
      return answer
    }
  }
}
