internal import CALSA

/// alsa-lib as a table: the calls that are used, typed by their negative errno. Tests put another table in its place.
package struct ALSALibrary: Sendable {
  package struct Failure: Error, Equatable, Sendable {
    /// As errno: ENODEV, EBUSY, EPIPE …
    package let errno: Int32
    package let call: String

    package init(errno: Int32, call: String) {
      self.errno = errno
      self.call = call
    }
  }

  /// What a mixer says of a card's output.
  package struct Mixer: Equatable, Sendable {
    package var isOn: Bool
    /// 0 to 100.
    package var percent: Int

    package init(isOn: Bool, percent: Int) {
      self.isOn = isOn
      self.percent = percent
    }
  }

  /// A PCM as an opaque number.
  package typealias PCM = UInt

  package var open: @Sendable (String) throws(Failure) -> PCM
  /// 16 bit, interleaved, with a buffer of about 100 ms; the rate is converted where the device asks for it.
  package var configure: @Sendable (PCM, _ rate: Int, _ channels: Int) throws(Failure) -> Void
  /// Frames taken now; EAGAIN when there is no room.
  package var write: @Sendable (PCM, _ samples: ArraySlice<Int16>, _ channels: Int) throws(Failure) -> Int
  /// Waits for room, at most so many milliseconds.
  package var wait: @Sendable (PCM, _ milliseconds: Int) -> Void
  package var prepare: @Sendable (PCM) throws(Failure) -> Void
  package var drop: @Sendable (PCM) -> Void
  /// True once everything was heard.
  package var isDrained: @Sendable (PCM) throws(Failure) -> Bool
  package var close: @Sendable (PCM) -> Void
  /// The driver's name of the PCM, in which HDMI shows.
  package var name: @Sendable (PCM) -> String
  /// nil: the card has no mixer, or it cannot be read.
  package var mixer: @Sendable (String) -> Mixer?

  package init(
    open: @escaping @Sendable (String) throws(Failure) -> PCM,
    configure: @escaping @Sendable (PCM, Int, Int) throws(Failure) -> Void,
    write: @escaping @Sendable (PCM, ArraySlice<Int16>, Int) throws(Failure) -> Int,
    wait: @escaping @Sendable (PCM, Int) -> Void, prepare: @escaping @Sendable (PCM) throws(Failure) -> Void,
    drop: @escaping @Sendable (PCM) -> Void, isDrained: @escaping @Sendable (PCM) throws(Failure) -> Bool,
    close: @escaping @Sendable (PCM) -> Void, name: @escaping @Sendable (PCM) -> String,
    mixer: @escaping @Sendable (String) -> Mixer?
  ) {
    self.open = open
    self.configure = configure
    self.write = write
    self.wait = wait
    self.prepare = prepare
    self.drop = drop
    self.isDrained = isDrained
    self.close = close
    self.name = name
    self.mixer = mixer
  }
}

/// The version of alsa-lib in use, such as 1.2.8.
package enum ALSALibraryVersion {
  package static var text: String { unsafe String(cString: snd_asoundlib_version()) }
}

extension ALSALibrary {
  private static func pointer(_ pcm: PCM) -> OpaquePointer? { unsafe OpaquePointer(bitPattern: pcm) }

  private static func check(_ code: Int32, _ call: String) throws(Failure) {
    if code < 0 { throw Failure(errno: -code, call: call) }
  }

  /// The real library.
  package static let system = ALSALibrary(
    open: { name throws(Failure) -> PCM in
      kiosk_silence_alsa()
      // What it read of cards and configuration at the last try is kept otherwise: a speaker plugged in stays unknown.
      _ = snd_config_update_free_global()
      var pcm: OpaquePointer?
      try check(unsafe snd_pcm_open(&pcm, name, SND_PCM_STREAM_PLAYBACK, Int32(SND_PCM_NONBLOCK)), "snd_pcm_open")
      return UInt(bitPattern: pcm)
    },
    configure: { pcm, rate, channels throws(Failure) in
      try check(
        unsafe snd_pcm_set_params(
          pointer(pcm), SND_PCM_FORMAT_S16_LE, SND_PCM_ACCESS_RW_INTERLEAVED, UInt32(channels), UInt32(rate), 1,
          100_000), "snd_pcm_set_params")
    },
    write: { pcm, samples, channels throws(Failure) -> Int in
      let count = unsafe samples.withUnsafeBufferPointer { buffer in
        unsafe snd_pcm_writei(pointer(pcm), buffer.baseAddress, snd_pcm_uframes_t(buffer.count / channels))
      }
      try check(Int32(clamping: min(count, 0)), "snd_pcm_writei")
      return count
    },
    wait: { pcm, milliseconds in _ = unsafe snd_pcm_wait(pointer(pcm), Int32(milliseconds)) },
    prepare: { pcm throws(Failure) in try check(unsafe snd_pcm_prepare(pointer(pcm)), "snd_pcm_prepare") },
    drop: { pcm in _ = unsafe snd_pcm_drop(pointer(pcm)) },
    isDrained: { pcm throws(Failure) -> Bool in
      let code = unsafe snd_pcm_drain(pointer(pcm))
      if code == -EAGAIN { return false }
      try check(code, "snd_pcm_drain")
      return true
    },
    close: { pcm in _ = unsafe snd_pcm_close(pointer(pcm)) },
    name: { pcm in
      var info: OpaquePointer?
      guard unsafe snd_pcm_info_malloc(&info) == 0 else { return "" }
      defer { unsafe snd_pcm_info_free(info) }
      guard unsafe snd_pcm_info(pointer(pcm), info) == 0 else { return "" }
      let texts = unsafe [snd_pcm_info_get_id(info), snd_pcm_info_get_name(info)]
      return unsafe texts.map { unsafe $0.map { unsafe String(cString: $0) } ?? "" }.joined(separator: " ")
    }, mixer: { MixerReader.read($0) })
}

/// Reads the output level of a card.
private enum MixerReader {
  private static let wanted = ["Master", "PCM", "Speaker", "Headphone", "Digital"]

  static func read(_ card: String) -> ALSALibrary.Mixer? {
    var mixer: OpaquePointer?
    guard unsafe snd_mixer_open(&mixer, 0) == 0 else { return nil }
    defer { unsafe snd_mixer_close(mixer) }
    guard unsafe snd_mixer_attach(mixer, card) == 0, unsafe snd_mixer_selem_register(mixer, nil, nil) == 0,
      unsafe snd_mixer_load(mixer) == 0
    else { return nil }
    var best: (rank: Int, element: OpaquePointer)?
    var element = unsafe snd_mixer_first_elem(mixer)
    while let current = unsafe element {
      if unsafe snd_mixer_selem_has_playback_volume(current) != 0 {
        let name = unsafe String(cString: snd_mixer_selem_get_name(current))
        let rank = wanted.firstIndex(of: name) ?? wanted.count
        if unsafe rank < (best?.rank ?? Int.max) { unsafe best = (rank, current) }
      }
      unsafe element = snd_mixer_elem_next(current)
    }
    guard let chosen = unsafe best?.element else { return nil }
    return unsafe level(chosen)
  }

  private static func level(_ element: OpaquePointer) -> ALSALibrary.Mixer {
    var least = 0
    var most = 0
    var value = 0
    unsafe snd_mixer_selem_get_playback_volume_range(element, &least, &most)
    unsafe snd_mixer_selem_get_playback_volume(element, SND_MIXER_SCHN_FRONT_LEFT, &value)
    var on: Int32 = 1
    if unsafe snd_mixer_selem_has_playback_switch(element) != 0 {
      unsafe snd_mixer_selem_get_playback_switch(element, SND_MIXER_SCHN_FRONT_LEFT, &on)
    }
    return .init(isOn: on != 0, percent: most > least ? (value - least) * 100 / (most - least) : 100)
  }
}
