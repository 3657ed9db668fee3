internal import CALSA

extension MixerControl {
  /// Reads the playback controls of a mixer; nil when there is none, or it does not answer.
  static func all(of name: String) -> [MixerControl]? {
    var mixer: OpaquePointer?
    guard unsafe snd_mixer_open(&mixer, 0) == 0 else { return nil }
    defer { unsafe snd_mixer_close(mixer) }
    guard unsafe snd_mixer_attach(mixer, name) == 0, unsafe snd_mixer_selem_register(mixer, nil, nil) == 0,
      unsafe snd_mixer_load(mixer) == 0
    else { return nil }
    var controls: [MixerControl] = []
    var element = unsafe snd_mixer_first_elem(mixer)
    while let one = unsafe element {
      if let control = unsafe MixerControl(one) { controls.append(control) }
      unsafe element = snd_mixer_elem_next(one)
    }
    return controls
  }

  private init?(_ element: OpaquePointer) {
    let hasSwitch = unsafe snd_mixer_selem_has_playback_switch(element) != 0
    let hasVolume = unsafe snd_mixer_selem_has_playback_volume(element) != 0
    guard hasSwitch || hasVolume, unsafe snd_mixer_selem_is_active(element) != 0,
      let name = unsafe snd_mixer_selem_get_name(element)
    else { return nil }
    let channels = (0..<32).map { snd_mixer_selem_channel_id_t(rawValue: $0) }
      .filter { unsafe snd_mixer_selem_has_playback_channel(element, $0) != 0 }
    self.init(name: unsafe String(cString: name), isOn: nil, percent: nil)
    if hasSwitch {
      isOn = channels.contains { channel in
        var value: Int32 = 0
        return unsafe snd_mixer_selem_get_playback_switch(element, channel, &value) == 0 && value != 0
      }
    }
    var low = 0
    var high = 0
    if hasVolume, unsafe snd_mixer_selem_get_playback_volume_range(element, &low, &high) == 0, high > low {
      percent = channels.compactMap { channel -> Int? in
        var value = 0
        guard unsafe snd_mixer_selem_get_playback_volume(element, channel, &value) == 0 else { return nil }
        // Floating point: a driver's range may be as wide as its integers.
        let share = (Double(value) - Double(low)) / (Double(high) - Double(low))
        return Int((min(max(share, 0), 1) * 100).rounded())
      }.max()
    }
  }
}
