internal import Agent
internal import Configuration
internal import Foundation
internal import Ledger
internal import Linux
internal import Reminders
internal import Wall

/// `replay`: decides taps from a file against a fresh ledger in memory, with the rules and the ledger of `run`.
///
/// The clock is trusted, the household was entered long ago, each tap is lifted at once (DESIGN 4.1).
enum ReplayCommand {
  static func run(taps path: String, household: String, _ setting: Setting, json: Bool) async throws {
    let file = try parse(household, "household file", limit: JSON5Parser.limit) { bytes throws(DocumentError) in
      try HouseholdFile.parse(bytes, folder: Files.folder(of: household))
    }
    let taps = try parse(path, "taps file", limit: TapsFile.limit) { bytes throws(DocumentError) in
      try TapsFile.parse(bytes)
    }
    let ledger = try Ledger(inMemory: .none)
    _ = try await ledger.importHousehold(update(file), at: .distantPast.asStored) { _ in [] }
    let rules = TapRules(
      zone: setting.zone, language: setting.configuration.wall.language,
      recording: [DateInterval(start: .distantPast, end: .distantFuture)])
    var debounce = Debounce()
    let start = taps.first?.at ?? .distantPast
    for tap in taps {
      let at = tap.at.asStored
      let uptime = Duration.milliseconds(Int64(at.timeIntervalSince(start) * 1000))
      let item = try await decide(tap, at: at, uptime: uptime, ledger, rules, &debounce)
      Output.line(json ? JSONLines.text(item, in: setting.zone) : JSONLines.readable(item, in: setting.zone))
    }
  }

  private static func decide(
    _ tap: TapsFile.Tap, at: Date, uptime: Duration, _ ledger: Ledger, _ rules: TapRules, _ debounce: inout Debounce
  ) async throws -> HistoryItem {
    let entry = TapEntry(
      uid: tap.uid, at: at, zoneOffset: rules.zone.secondsFromGMT(for: at), uptime: uptime, boot: "replay",
      clockTrusted: true, unreadable: tap.unreadable)
    guard let uid = tap.uid else {
      let decided = rules.unreadable(tap.unreadable ?? "mute", at: at).decided
      return item(try await ledger.recordTap(entry) { _ in decided })
    }
    // The reader would have seen each earlier tap leave at once.
    if debounce.isBounce(uid, presentAt: uptime, seenBefore: nil) {
      return HistoryItem(
        at: at,
        kind: .tap(
          .init(uid: uid, outcome: "ignored", credited: [], notCredited: [], message: "", sound: "none", resolves: nil))
      )
    }
    let record = try await ledger.recordTap(entry) { rules.decide(uid, at: at, view: $0).decided }
    debounce.answered(uid, record.decided.verdict.outcome, at: uptime)
    return item(record)
  }

  private static func item(_ record: TapRecord) -> HistoryItem {
    let verdict = record.decided.verdict
    return HistoryItem(
      at: record.entry.at,
      kind: .tap(
        .init(
          uid: record.entry.uid, outcome: verdict.outcome.rawValue,
          credited: verdict.credited.map { .init(medication: $0.key.medication, dueAt: $0.dueAt) },
          notCredited: verdict.notCredited, message: record.decided.message, sound: record.decided.sound,
          resolves: nil)))
  }

  private static func update(_ file: HouseholdFile) -> RegistryUpdate {
    RegistryUpdate(people: file.people ?? [], medications: file.medications ?? [], tags: file.tags ?? [])
  }

  private static func parse<T>(
    _ path: String, _ what: String, limit: Int, _ body: ([UInt8]) throws(DocumentError) -> T
  ) throws(CommandFailure) -> T {
    let bytes: [UInt8]
    do {
      bytes = try Files.read(path, limit: limit)
    } catch {
      throw CommandFailure(
        code: .badInput,
        sentence: "the \(what) \(path) cannot be read (\(error.reason)): name one that is there and readable")
    }
    do throws(DocumentError) { return try body(bytes) } catch {
      throw CommandFailure(code: .badInput, sentence: "the \(what) \(path) is wrong: \(error.sentence)")
    }
  }
}
