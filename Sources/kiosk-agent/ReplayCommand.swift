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
    let ledger = Ledger(inMemory: .none)
    _ = try await ledger.importHousehold(update(file), at: .distantPast.asStored) { _ in [] }
    let rules = TapRules(
      zone: setting.zone, language: setting.configuration.wall.language,
      recording: [DateInterval(start: .distantPast, end: .distantFuture)])
    var debounce = Debounce()
    let start = taps.first?.at ?? .distantPast
    for tap in taps {
      let at = tap.at.asStored
      let uptime = Duration.milliseconds(Int64((at.timeIntervalSince(start) * 1000).rounded()))
      let answered = try await decide(tap, at: at, uptime: uptime, ledger, rules, &debounce)
      try Output.line(
        json ? JSONLines.text(answered, in: setting.zone) : JSONLines.readable(answered, in: setting.zone))
    }
  }

  private static func decide(
    _ tap: TapsFile.Tap, at: Date, uptime: Duration, _ ledger: Ledger, _ rules: TapRules, _ debounce: inout Debounce
  ) async throws -> JSONLines.Answered {
    let entry = TapEntry(
      uid: tap.uid, at: at, zoneOffset: rules.zone.secondsFromGMT(for: at), uptime: uptime, boot: "replay",
      clockTrusted: true, unreadable: tap.unreadable)
    guard let uid = tap.uid else {
      let decided = rules.unreadable(tap.unreadable ?? "mute", at: at).decided
      return JSONLines.Answered(try await ledger.recordTap(entry) { _ in decided })
    }
    // The reader would have seen each earlier tap leave at once.
    if debounce.isBounce(uid, presentAt: uptime, seenBefore: nil) {
      let verdict = TapVerdict(outcome: .ignored)
      return JSONLines.Answered(
        at: at, uid: uid, decided: DecidedTap(verdict: verdict, message: "", sound: .none))
    }
    let record = try await ledger.recordTap(entry) { rules.decide(uid, at: at, view: $0).decided }
    debounce.answered(uid, record.decided.verdict.outcome, at: uptime)
    return JSONLines.Answered(record)
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
