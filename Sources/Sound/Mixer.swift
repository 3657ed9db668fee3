/// One playback control of a card, as `amixer` shows it.
package struct MixerControl: Equatable, Sendable {
  package var name: String
  /// nil: it has no switch. On when any channel is.
  package var isOn: Bool?
  /// 0 to 100 of its range, the loudest channel; nil: it has no volume.
  package var percent: Int?

  package init(name: String, isOn: Bool?, percent: Int?) {
    self.name = name
    self.isOn = isOn
    self.percent = percent
  }
}

/// What the controls of a card together do to a sound.
package enum MixerVerdict: Equatable, Sendable {
  /// It comes through, or the card has nothing that could hold it back.
  case audible
  case muted(control: String)
  case quiet(percent: Int, control: String)

  /// Below this, in percent, a chime is not heard across a kitchen.
  static let leastPercent = 5

  /// Sound runs through the master controls one after the other, so each of them can silence it; then through one of the
  /// outputs side by side (headphone, speaker, line), of which one that is open is enough.
  ///
  /// Names are those that drivers use; beside them a control that is neither (a beep, a digital output) does nothing to
  /// us, nor does a microphone's monitor.
  /// A volume of 0 counts as muted: many cards have no switch.
  package init(_ controls: [MixerControl]) {
    let heard = controls.filter { !$0.name.lowercased().contains("mic") }
    let masters = heard.filter { Self.masters.contains($0.name.lowercased()) }
    var outputs = heard.filter { control in Self.outputs.contains { control.name.lowercased().hasPrefix($0) } }
    // USB devices name their only control after themselves.
    if masters.isEmpty && outputs.isEmpty { outputs = heard.filter { $0.percent != nil } }
    if let off = masters.first(where: \.isSilent) ?? (outputs.allSatisfy(\.isSilent) ? outputs.first : nil) {
      self = .muted(control: off.name)
      return
    }
    let loudest = outputs.filter { !$0.isSilent }.max { ($0.percent ?? 100) < ($1.percent ?? 100) }
    let path = masters + [loudest].compactMap { $0 }
    let faintest = path.min { ($0.percent ?? 100) < ($1.percent ?? 100) }
    if let faintest, let percent = faintest.percent, percent < Self.leastPercent {
      self = .quiet(percent: percent, control: faintest.name)
    } else {
      self = .audible
    }
  }

  private static let masters: Set<String> = ["master", "pcm", "digital", "wave", "playback", "softmaster"]
  private static let outputs = [
    "speaker", "headphone", "headset", "front", "line out", "lineout", "hdmi", "earpiece", "hp", "dac",
  ]
}

extension MixerControl {
  fileprivate var isSilent: Bool { isOn == false || percent == 0 }
}
