internal import Configuration
package import Foundation
package import Ledger
package import Linux
internal import Reminders

/// A request of a command to the running agent, as one line of JSON on `control.sock`.
package struct ControlRequest: Codable, Equatable, Sendable {
  /// `import`.
  package var command: String
  /// The household file's text and the folder its paths are relative to.
  package var household: String
  package var folder: String

  package init(household: String, folder: String) {
    command = "import"
    self.household = household
    self.folder = folder
  }

  package var line: String {
    (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}

/// The answer to it.
package struct ControlAnswer: Codable, Equatable, Sendable {
  /// 0, or the exit code of the command.
  package var code: Int32
  /// What happened, or what is wrong and what to do.
  package var sentence: String

  package init(code: Int32, sentence: String) {
    self.code = code
    self.sentence = sentence
  }

  package var line: String {
    (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  package static func parse(_ line: String) -> ControlAnswer? {
    try? JSONDecoder().decode(ControlAnswer.self, from: Data(line.utf8))
  }
}

/// Puts a household file into the ledger: the same for the running agent and for a command without one.
package enum HouseholdImport {
  package static func run(
    _ text: [UInt8], folder: String, ledger: Ledger, zone: TimeZone, now: Date, clockTrusted: Bool
  ) async -> ControlAnswer {
    do {
      let existing = try await ledger.export().household
      let file = try HouseholdFile.parse(text, folder: folder, existing: existing)
      let update = RegistryUpdate(
        people: file.people, medications: file.medications, tags: file.tags, documents: file.documents)
      let recording = try await ledger.recordingSpans(since: now - 40 * 86_400)
      let rules = TapRules(zone: zone, language: "en", recording: recording)
      let changes = try await ledger.importHousehold(update, at: now) { view in
        clockTrusted ? rules.advance(view, to: now.asStored) : []
      }
      if changes.isEmpty { return ControlAnswer(code: 0, sentence: "nothing changed") }
      return ControlAnswer(
        code: 0, sentence: summary(changes) + (await backUp(ledger, zone, now: clockTrusted ? now : nil, day: now)))
    } catch let error as DocumentError {
      return ControlAnswer(code: 65, sentence: error.sentence)
    } catch let error as LedgerError {
      return ControlAnswer(code: error.kind == .conflict ? 70 : 74, sentence: error.sentence)
    } catch {
      return ControlAnswer(code: 70, sentence: "\(error): report this as a fault of kiosk-agent")
    }
  }
}

extension HouseholdImport {
  /// Whether the clock may be believed by a command that runs without an agent.
  package static func isClockTrusted(
    _ ledger: Ledger, directory: String, time: any TimeSource, facts: ClockFacts
  ) async -> Bool {
    let clockFile = directory + "/" + KeptClock.name
    var trust = ClockTrust(KeptClock.memory(in: clockFile, of: BootID.current()) ?? ClockTrust.Memory())
    return trust.evaluate(
      now: time.now(), uptime: time.uptime(), newestTrustedRow: try? await ledger.newestTrustedInstant(),
      synchronised: facts.synchronised, wasSynchronised: facts.wasSynchronised,
      hasHardwareClock: facts.hasHardwareClock, timeServiceRuns: facts.timeServiceRuns)
  }

  /// A damaged ledger is restored from a backup: what was imported must be in it.
  /// - Returns: what to add to the answer: nothing when it worked.
  private static func backUp(_ ledger: Ledger, _ zone: TimeZone, now: Date?, day: Date) async -> String {
    do {
      _ = try await ledger.backupDaily(Schedule(zone: zone).day(of: day), at: now, anew: true)
      return ""
    } catch {
      return "; but no backup could be made: \(error)"
    }
  }

  /// Such as "imported: people 2 added; tags 1 changed, 1 ended".
  private static func summary(_ changes: RegistryChanges) -> String {
    let sections = [
      ("people", changes.people), ("medications", changes.medications), ("tags", changes.tags),
      ("other sections", changes.documents),
    ]
    let parts = sections.compactMap { name, section -> String? in
      let counts = [(section.added, "added"), (section.changed, "changed"), (section.ended, "ended")]
        .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
      return counts.isEmpty ? nil : "\(name) \(counts.joined(separator: ", "))"
    }
    return "imported: " + parts.joined(separator: "; ")
  }
}

extension Kiosk {
  /// Answers one line from the control socket.
  package func control(_ line: String) async -> String {
    if let request = BellRequest.parse(line) { return await keep(request).line }
    guard let request = try? JSONDecoder().decode(ControlRequest.self, from: Data(line.utf8)),
      request.command == "import"
    else {
      return ControlAnswer(
        code: 64, sentence: "the running agent does not know this request: restart it after an update"
      ).line
    }
    return await turns.take {
      await weighClock()
      let answer = await HouseholdImport.run(
        Array(request.household.utf8), folder: request.folder, ledger: parts.ledger, zone: parts.zone(),
        now: parts.time.now().asStored, clockTrusted: clockTrusted)
      parts.log.notice("import: \(answer.code == 0 ? answer.sentence : "refused")")
      documents = nil
      await bringUpToNow()
      return answer.line
    }
  }
}
