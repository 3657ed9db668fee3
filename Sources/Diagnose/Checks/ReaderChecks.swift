internal import Linux
internal import PCSC
internal import TagReader

/// R: the readers as pcscd has them, and taps on them.
enum ReaderChecks {
  static let all = [
    Check("R1", "Reader listed by pcscd", needs: ["U1", "U4", "S2", "S4"], impact: .doses, eyes: .service) {
      listed($0)
    },
    Check("R2", "Reader state", needs: ["R1"], impact: .doses, eyes: .service) { state($0) },
    Check("R3", "Reader identity", needs: ["R2"], impact: .upkeep, eyes: .service) { identity($0) },
    Check("R4", "No tag left on the reader", needs: ["R2"], impact: .doses, eyes: .service) { stuckTag($0) },
    TapTest.check,
    Check("R6", "Taps that were too short", needs: ["R2"], impact: .doses, eyes: .service) { missedTaps($0) },
  ]

  /// Runs `body` with what pcscd says of the tag slots; an error of pcscd is a finding.
  private static func withSlots(
    _ box: Surroundings, _ body: (borrowing ReaderProbe, [ReaderStatus]) throws(PCSCError) -> Finding
  ) -> Finding {
    do throws(PCSCError) {
      let probe = try ReaderProbe(box.pcsc)
      let names = try probe.names().filter(box.readerSettings.isTagSlot)
      guard !names.isEmpty else { return .skip("No reader is listed (R1).") }
      return try body(probe, try probe.states(names))
    } catch {
      return .fail(
        [.init("answer", error.description)], "pcscd answers with an error.", "sudo systemctl restart pcscd")
    }
  }

  private static func listed(_ box: Surroundings) -> Finding {
    let all: [String]
    do throws(PCSCError) {
      all = try ReaderProbe(box.pcsc).names()
    } catch {
      return .fail(
        [.init("answer", error.description)], "pcscd answers with an error.", "sudo systemctl restart pcscd")
    }
    let slots = all.filter(box.readerSettings.isTagSlot)
    let seen = [Finding.Fact("readers", slots.isEmpty ? "none" : slots.map(ReaderProbe.shown).joined(separator: ", "))]
    if let first = slots.first {
      guard slots.count > 1, box.readerSettings.match.isEmpty else { return .pass(seen) }
      return .warn(
        seen, "Taps count on each of these readers.",
        "Unplug what is not meant, or set reader.match to \"\(ReaderProbe.shown(first))\".")
    }
    guard all.isEmpty else {
      return .fail(
        seen + [.init("left out", all.map(ReaderProbe.shown).joined(separator: ", "))],
        "reader.match and reader.exclude leave out every reader there is.",
        "Correct reader.match in \(box.found.path).")
    }
    let isOnUSB = !USBDevice.readers(box).isEmpty
    return .fail(
      seen, isOnUSB ? "The reader is on USB and pcscd does not have it." : "pcscd has no reader.",
      isOnUSB ? "Unplug the reader for 10 s and plug it in again." : "Plug a reader in.", "sudo systemctl restart pcscd"
    )
  }

  private static func state(_ box: Surroundings) -> Finding {
    withSlots(box) { _, slots in
      let seen = slots.map { Finding.Fact(ReaderProbe.shown($0.name), words(for: $0.event)) }
      func has(_ flag: UInt) -> Bool { slots.contains { $0.event & flag != 0 } }
      if has(ReaderStatus.unavailable | ReaderStatus.unknown) {
        return .fail(
          seen, "The reader is plugged in and does not answer.", "Unplug the reader for 10 s and plug it in again.",
          "sudo systemctl restart pcscd")
      }
      if has(ReaderStatus.exclusive) {
        return .fail(seen, "Another program holds the reader for itself.", "Close that program.")
      }
      if has(ReaderStatus.mute) {
        return .warn(
          seen, "A tag lies there and does not answer.",
          "Lift it and tap again; if it stays silent, take another tag. Metal behind the reader? Use a spacer.")
      }
      // The agent itself uses a tag for a moment at each tap.
      if has(ReaderStatus.inUse), box.agent == nil {
        return .warn(seen, "Another program uses the tag.", "Close that program.")
      }
      return .pass(seen)
    }
  }

  private static func words(for event: UInt) -> String {
    let names: [(UInt, String)] = [
      (ReaderStatus.unknown, "unknown"), (ReaderStatus.unavailable, "does not answer"), (ReaderStatus.empty, "empty"),
      (ReaderStatus.present, "a tag is there"), (ReaderStatus.mute, "mute"), (ReaderStatus.inUse, "in use"),
      (ReaderStatus.exclusive, "held by one program"),
    ]
    return names.filter { event & $0.0 != 0 }.map(\.1).joined(separator: ", ")
  }

  private static func identity(_ box: Surroundings) -> Finding {
    withSlots(box) { probe, slots throws(PCSCError) in
      guard let slot = slots.first(where: { $0.event & ReaderStatus.present == 0 }) else {
        return .skip("A tag is on the reader.")
      }
      let identity = try ReaderIdentity.of(slot.name, in: probe.context)
      let seen = [("maker", identity.vendor), ("firmware", identity.firmware), ("serial", identity.serial)]
        .compactMap { name, value in value.map { Finding.Fact(name, String(Redaction.clean($0).prefix(40))) } }
      return seen.isEmpty ? .skip("The reader's driver does not tell.") : .pass(seen)
    }
  }

  /// How long a tag has been there only the agent knows, which watches all the time.
  private static func stuckTag(_ box: Surroundings) -> Finding {
    let limit = 300
    if let status = box.agentStatus() {
      guard let seconds = status.tagSeconds else { return .pass([.init("tag", "none")]) }
      let seen = [Finding.Fact("a tag for", "\(seconds) s")]
      return seconds <= limit ? .pass(seen) : lying(seen)
    }
    return withSlots(box) { _, slots in
      slots.contains { $0.event & ReaderStatus.present != 0 }
        ? .skip("A tag is there; for how long only a running agent knows.") : .pass([.init("tag", "none")])
    }
  }

  private static func lying(_ seen: [Finding.Fact]) -> Finding {
    .warn(seen, "A tag lies on the reader: no other can be read.", "Take it away.")
  }

  private static func missedTaps(_ box: Surroundings) -> Finding {
    guard let status = box.agentStatus() else { return Surroundings.noAgent }
    let seen: [Finding.Fact] = [
      .init("taps", status.taps), .init("unreadable", status.unreadable), .init("too short", status.tooShort),
    ]
    guard status.tooShort > 0 else { return .pass(seen) }
    let means = "Tags are taken away before they are seen, or the contact flickers."
    let remedy = "Hold the tag for a second; then look at the reader's cable."
    // A few hasty hands are no fault of the reader's.
    return status.tooShort >= 3 && status.tooShort * 100 >= status.taps
      ? .fail(seen, means, remedy) : .warn(seen, means, remedy)
  }
}
