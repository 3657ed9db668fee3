internal import Configuration
internal import Foundation
internal import Glibc
internal import Linux
internal import Sound

/// A: from the sound card to the ear.
enum SoundChecks {
  static let all = [
    Check("A1", "Sound card", impact: .sound) { card($0) },
    Check("A2", "Sound card may be used", needs: ["A1"], impact: .sound, eyes: .service) { permission($0) },
    Check("A3", "Sound device opens", needs: ["A1", "A2"], impact: .sound, eyes: .service) { opens($0) },
    Check("A4", "Volume", needs: ["A3"], impact: .sound, eyes: .service) { volume($0) },
    SoundTest.check,
  ]

  /// `Device` of `plughw:CARD=Device,DEV=0`; nil: the device is not named by a card.
  static func cardName(in device: String) -> String? {
    device.firstMatch(of: #/CARD=([^,]+)/#).map { String($0.1) }
      ?? device.firstMatch(of: #/^(?:plug)?hw:([^,=]+)/#).map { String($0.1) }
  }

  private static func card(_ box: Surroundings) -> Finding {
    guard let configuration = box.configuration else { return Surroundings.noConfiguration }
    guard let table = box.text("/proc/asound/cards") else { return .skip("This kernel has no sound (/proc/asound).") }
    // " 1 [Device         ]: USB-Audio - USB Audio Device"
    let cards = table.matches(of: #/(?m)^\s*(\d+) \[(\S+)\s*\]/#).map { (number: String($0.1), name: String($0.2)) }
    let device = configuration.sound.device
    let seen: [Finding.Fact] = [
      .init("device", device),
      .init("cards", cards.isEmpty ? "none" : cards.map(\.name).joined(separator: ", ")),
    ]
    guard !cards.isEmpty else { return .fail(seen, "There is no sound card.", "Plug the speaker in.") }
    guard let wanted = cardName(in: device), !cards.contains(where: { $0.name == wanted || $0.number == wanted }) else {
      return .pass(seen)
    }
    return .fail(
      seen, "The card that the configuration names is not there.", "Plug the speaker in.",
      "Or name another: sound.device in \(box.found.path)")
  }

  private static func permission(_ box: Surroundings) -> Finding {
    let controls = box.names("/dev/snd").filter { $0.hasPrefix("controlC") }
    guard !controls.isEmpty else { return .skip("There is no /dev/snd.") }
    let refused = controls.filter { unsafe access("\(box.root)/dev/snd/\($0)", R_OK | W_OK) != 0 }
    let user = box.serviceUser.name
    let seen: [Finding.Fact] = [
      .init("user", user), .init("refused", refused.isEmpty ? "none" : refused.joined(separator: ", ")),
    ]
    guard refused.count == controls.count else { return .pass(seen) }
    // alsa-lib says "no such device" then, which sends people to the wrong place.
    return .fail(
      seen, "The agent's user may not use the sound card.", "sudo usermod -aG audio \(user)",
      "sudo systemctl restart kiosk-agent")
  }

  private static func opens(_ box: Surroundings) -> Finding {
    guard let device = box.configuration?.sound.device else { return Surroundings.noConfiguration }
    // Hardware is open once: the agent has it, and knows.
    if let status = box.agentStatus(), ["ok", "quiet", "hdmi", "muted", "badFile"].contains(status.sound) {
      return .pass([.init("device", device), .init("open", "by the agent (\(status.sound))")])
    }
    var seen = [Finding.Fact("device", device)]
    do throws(ALSALibrary.Failure) {
      // As the player does: with the rate and the channels of the sound of success.
      let sounds = box.decodedSounds
      let open = try box.alsa.open(device, sounds.first?.sound.rate ?? 48_000, sounds.first?.sound.channels ?? 1)
      box.alsa.close(open.pcm)
      seen.append(.init("open", "yes"))
      for (name, sound) in sounds where sound.rate != open.rate {
        seen.append(.init("resampled", "\(name) from \(sound.rate) to \(open.rate) Hz"))
      }
      return .pass(seen)
    } catch {
      seen.append(.init("open", "\(StateChecks.errorText(error.errno)) (errno \(error.errno))"))
      if error.errno == EBUSY {
        let holder = busyHolder(box)
        guard holder == nil || holder != box.agent else { return .pass(seen + [.init("held by", "the agent")]) }
        seen.append(.init("held by", holder.map { "process \($0) (\(box.programName(of: $0)))" } ?? "not told"))
        return .warn(seen, "Another program has the sound device.", "sudo fuser -v /dev/snd/*")
      }
      let health = SoundHealth.of(error, wasThere: false, forbiddenNode: box.alsa.forbiddenNode)
      return .fail(
        seen, "No sound will be heard.", health.sentence(device: device) ?? "Plug the speaker in again.")
    }
  }

  /// The process that plays on a card; the kernel tells.
  private static func busyHolder(_ box: Surroundings) -> Int32? {
    for card in box.names("/proc/asound") where card.hasPrefix("card") {
      for pcm in box.names("/proc/asound/\(card)") where pcm.hasPrefix("pcm") && pcm.hasSuffix("p") {
        for sub in box.names("/proc/asound/\(card)/\(pcm)") where sub.hasPrefix("sub") {
          let status = box.text("/proc/asound/\(card)/\(pcm)/\(sub)/status") ?? ""
          if let match = status.firstMatch(of: #/owner_pid\s*:\s*(\d+)/#) { return Int32(match.1) }
        }
      }
    }
    return nil
  }

  private static func volume(_ box: Surroundings) -> Finding {
    guard let device = box.configuration?.sound.device else { return Surroundings.noConfiguration }
    let card = cardName(in: device).map { "hw:\($0)" } ?? device
    guard let controls = box.alsa.mixer(card), !controls.isEmpty else {
      return .skip("The sound device has no volume.")
    }
    let seen = controls.prefix(6).map { control in
      let level = [control.isOn.map { $0 ? "on" : "off" }, control.percent.map { "\($0) %" }].compactMap { $0 }
      return Finding.Fact(control.name, level.joined(separator: ", "))
    }
    func remedy(_ control: String) -> String { "amixer -D \(card) sset '\(control)' 80% unmute" }
    switch MixerVerdict(controls) {
    case .muted(let control): return .fail(seen, "The speaker is muted.", remedy(control))
    case .quiet(_, let control): return .fail(seen, "The speaker is nearly silent.", remedy(control))
    case .audible: break
    }
    // Heard in a quiet room and not across a kitchen.
    if let low = controls.first(where: { ($0.percent ?? 100) < 20 && $0.isOn != false }), controls.count == 1 {
      return .warn(seen, "The speaker is quiet.", remedy(low.name))
    }
    return .pass(seen)
  }
}

/// A5: a sound that somebody listens to. Through the running agent, whose device it is; without one by ourselves.
package enum SoundTest {
  package static let id = "A5"

  static let check = Check(
    id, "Sound test", needs: ["A3", "C3"], impact: .sound, eyes: .service, deadline: .seconds(25),
    overdue: ("The sound device hangs.", "Unplug the speaker and plug it in again.")
  ) { box in
    guard box.playsSound else { return .skip("Asked for with --sound.") }
    guard let device = box.configuration?.sound.device else { return Surroundings.noConfiguration }
    let expected = box.lengthOfSuccess ?? 0
    guard box.agent == nil else {
      guard let answer: SoundAnswer = box.ask(#"{"command":"sound"}"#, within: .seconds(20)) else {
        return .fail([.init("agent", "no answer")], "The agent does not play.", "sudo systemctl restart kiosk-agent")
      }
      return finding(
        started: answer.startedMilliseconds, lasted: answer.lastedMilliseconds, expected: expected,
        problem: answer.problem)
    }
    let trial = SoundTrial(time: box.time)
    let player = Player(
      device: device, success: box.sounds.success, failure: box.sounds.failure, library: box.alsa, time: box.time,
      log: .none, event: { trial.note($0) })
    let outcome = trial.play(on: player, within: .seconds(15))
    return finding(
      started: outcome.started?.inMilliseconds, lasted: outcome.lasted?.inMilliseconds, expected: expected,
      problem: player.health.sentence(device: device))
  }

  static func finding(started: Int?, lasted: Int?, expected: Int, problem: String?) -> Finding {
    let seen: [Finding.Fact] = [
      .init("first sample after", started.map { "\($0) ms" } ?? "never"),
      .init("lasted", lasted.map { "\($0) ms" } ?? "not to its end"), .init("by its file", "\(expected) ms"),
    ]
    guard started != nil, let lasted else {
      return .fail(seen, "Nothing was played.", problem ?? "Look at the speaker's plug.")
    }
    // A device that takes a second of sound in no time is none that anybody hears.
    guard lasted * 2 >= expected else {
      return .warn(seen, "The sound went to a device without a speaker.", "Name another card: sound.device.")
    }
    return .pass(seen)
  }

  /// With what the person said who listened; nil: nobody was asked.
  package static func heard(_ answer: Bool?, after finding: Finding) -> Finding {
    guard finding.status == .pass else { return finding }
    let seen = finding.seen + [.init("heard", answer.map { $0 ? "yes" : "no" } ?? "nobody was asked")]
    switch answer {
    case true?: return .pass(seen)
    case false?:
      return .fail(seen, "The sound was played and not heard.", "Look at the speaker's power, volume and plug.")
    case nil: return .warn(seen, "Nobody said whether it was heard.", "Run it in a terminal and listen.")
    }
  }
}

extension Surroundings {
  /// ms; nil: the file cannot be read.
  var lengthOfSuccess: Int? {
    decodedSounds.first { $0.name == "success" }.map { $0.sound.frames * 1000 / $0.sound.rate }
  }

  /// Those that can be played; success first.
  var decodedSounds: [(name: String, sound: WAV)] {
    [("success", sounds.success), ("failure", sounds.failure)].compactMap { name, path in
      FileManager.default.contents(atPath: path).flatMap { try? WAV.decode(Array($0)) }.map { (name, $0) }
    }
  }
}
