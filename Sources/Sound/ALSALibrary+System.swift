internal import CALSA
internal import Glibc
internal import Linux

/// The version of alsa-lib in use, such as 1.2.8.
package enum ALSALibraryVersion {
  package static var text: String { unsafe String(cString: snd_asoundlib_version()) }
}

extension ALSALibrary {
  /// The real library.
  package static let system: ALSALibrary = {
    _ = kiosk_silence_alsa()
    return ALSALibrary(
      open: { name, rate, channels throws(Failure) in try openDevice(name, rate: rate, channels: channels) },
      close: { pcm in _ = unsafe snd_pcm_close(pointer(pcm)) },
      prepare: { pcm throws(Failure) in try check(unsafe snd_pcm_prepare(pointer(pcm)), "snd_pcm_prepare") },
      drop: { pcm in _ = unsafe snd_pcm_drop(pointer(pcm)) },
      write: { pcm, samples, channels throws(Failure) -> Int in
        let count = unsafe samples.withUnsafeBufferPointer { buffer in
          unsafe snd_pcm_writei(pointer(pcm), buffer.baseAddress, snd_pcm_uframes_t(buffer.count / max(channels, 1)))
        }
        try check(Int32(clamping: min(count, 0)), "snd_pcm_writei")
        return count
      },
      delay: { pcm throws(Failure) in
        var frames = snd_pcm_sframes_t()
        try check(unsafe snd_pcm_delay(pointer(pcm), &frames), "snd_pcm_delay")
        return max(frames, 0)
      },
      drain: { pcm throws(Failure) in try check(unsafe snd_pcm_drain(pointer(pcm)), "snd_pcm_drain") },
      state: { pcm in State(unsafe snd_pcm_state(pointer(pcm))) },
      wait: { pcm, interest, wake, atMost in waitForDevice(pcm, interest, wake, atMost) },
      mixer: { name in MixerControl.all(of: name) }, forbiddenNode: { DeviceNodes.forbidden(in: "/dev/snd") })
  }()

  /// Half a second: a machine that an SD card holds up for less is not heard. A newer result throws it away, so it costs
  /// no time.
  private static let bufferMicroseconds: UInt32 = 500_000
  private static let periodMicroseconds: UInt32 = 50_000

  private static func pointer(_ pcm: PCM) -> OpaquePointer? { unsafe OpaquePointer(bitPattern: pcm) }

  private static func check(_ code: Int32, _ call: String) throws(Failure) {
    if code < 0 { throw Failure(errno: 0 &- code, call: call) }
  }

  private static func openDevice(_ name: String, rate: Int, channels: Int) throws(Failure) -> Device {
    // What it read of cards and configuration at the last try is kept otherwise: a speaker plugged in stays unknown.
    _ = snd_config_update_free_global()
    var opened: OpaquePointer?
    try check(
      unsafe snd_pcm_open(&opened, name, SND_PCM_STREAM_PLAYBACK, Int32(SND_PCM_NONBLOCK)), "snd_pcm_open")
    guard let pcm = unsafe opened else { throw Failure(errno: ENODEV, call: "snd_pcm_open") }
    do throws(Failure) {
      let (card, names) = unsafe identity(of: pcm)
      var device = Device(
        pcm: UInt(bitPattern: pcm), rate: rate, channels: channels, period: 0, card: card, names: names)
      try unsafe setHardware(pcm, &device)
      try unsafe setSoftware(pcm, device)
      try check(unsafe snd_pcm_prepare(pcm), "snd_pcm_prepare")
      return device
    } catch {
      unsafe snd_pcm_close(pcm)
      throw error
    }
  }

  private static func setHardware(_ pcm: OpaquePointer, _ device: inout Device) throws(Failure) {
    var parameters: OpaquePointer?
    try check(unsafe snd_pcm_hw_params_malloc(&parameters), "snd_pcm_hw_params_malloc")
    defer { unsafe snd_pcm_hw_params_free(parameters) }
    try check(unsafe snd_pcm_hw_params_any(pcm, parameters), "snd_pcm_hw_params_any")
    try check(
      unsafe snd_pcm_hw_params_set_access(pcm, parameters, SND_PCM_ACCESS_RW_INTERLEAVED),
      "snd_pcm_hw_params_set_access")
    try check(
      unsafe snd_pcm_hw_params_set_format(pcm, parameters, SND_PCM_FORMAT_S16_LE), "snd_pcm_hw_params_set_format")
    var channels = UInt32(clamping: device.channels)
    try check(
      unsafe snd_pcm_hw_params_set_channels_near(pcm, parameters, &channels), "snd_pcm_hw_params_set_channels_near")
    var rate = UInt32(clamping: device.rate)
    try check(unsafe snd_pcm_hw_params_set_rate_near(pcm, parameters, &rate, nil), "snd_pcm_hw_params_set_rate_near")
    var bufferTime = bufferMicroseconds
    try check(
      unsafe snd_pcm_hw_params_set_buffer_time_near(pcm, parameters, &bufferTime, nil),
      "snd_pcm_hw_params_set_buffer_time_near")
    var periodTime = periodMicroseconds
    try check(
      unsafe snd_pcm_hw_params_set_period_time_near(pcm, parameters, &periodTime, nil),
      "snd_pcm_hw_params_set_period_time_near")
    try check(unsafe snd_pcm_hw_params(pcm, parameters), "snd_pcm_hw_params")
    var buffer = snd_pcm_uframes_t()
    var period = snd_pcm_uframes_t()
    try check(unsafe snd_pcm_get_params(pcm, &buffer, &period), "snd_pcm_get_params")
    device.rate = max(Int(rate), 1)
    device.channels = max(Int(channels), 1)
    device.period = Int(clamping: period)
  }

  private static func setSoftware(_ pcm: OpaquePointer, _ device: Device) throws(Failure) {
    var parameters: OpaquePointer?
    try check(unsafe snd_pcm_sw_params_malloc(&parameters), "snd_pcm_sw_params_malloc")
    defer { unsafe snd_pcm_sw_params_free(parameters) }
    try check(unsafe snd_pcm_sw_params_current(pcm, parameters), "snd_pcm_sw_params_current")
    // The first write starts the sound; by default a full buffer does.
    try check(
      unsafe snd_pcm_sw_params_set_start_threshold(pcm, parameters, 1), "snd_pcm_sw_params_set_start_threshold")
    try check(
      unsafe snd_pcm_sw_params_set_avail_min(pcm, parameters, snd_pcm_uframes_t(max(device.period, 1))),
      "snd_pcm_sw_params_set_avail_min")
    try check(unsafe snd_pcm_sw_params(pcm, parameters), "snd_pcm_sw_params")
  }

  private static func identity(of pcm: OpaquePointer) -> (card: Int?, names: String) {
    var info: OpaquePointer?
    guard unsafe snd_pcm_info_malloc(&info) == 0 else { return (nil, "") }
    defer { unsafe snd_pcm_info_free(info) }
    guard unsafe snd_pcm_info(pcm, info) == 0 else { return (nil, "") }
    let texts = unsafe [snd_pcm_info_get_id(info), snd_pcm_info_get_name(info)]
    var names = unsafe texts.map { unsafe $0.map { unsafe String(cString: $0) } ?? "" }
    let card = unsafe snd_pcm_info_get_card(info)
    guard card >= 0 else { return (nil, names.joined(separator: " ")) }
    var cardName: UnsafeMutablePointer<CChar>?
    if unsafe snd_card_get_name(card, &cardName) == 0, let name = unsafe cardName {
      unsafe names.append(String(cString: name))
      unsafe free(name)
    }
    return (Int(card), names.joined(separator: " "))
  }

  private static func waitForDevice(
    _ pcm: PCM?, _ interest: Interest, _ wake: Int32, _ atMost: Duration
  ) -> WaitResult {
    var descriptors = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
    if let pcm {
      let count = max(unsafe snd_pcm_poll_descriptors_count(pointer(pcm)), 0)
      var own = [pollfd](repeating: pollfd(fd: -1, events: 0, revents: 0), count: Int(count))
      let filled = unsafe snd_pcm_poll_descriptors(pointer(pcm), &own, UInt32(own.count))
      // Without events poll still reports POLLERR and POLLHUP: that is how an idle device says that it was unplugged.
      descriptors += own.prefix(Int(max(filled, 0))).map { descriptor in
        interest == .room ? descriptor : pollfd(fd: descriptor.fd, events: 0, revents: 0)
      }
    }
    // Rounded up: a wait that ends a moment early would be asked again at once.
    let milliseconds = Int32(clamping: max(atMost, .zero).inMilliseconds + 1)
    let ready = unsafe poll(&descriptors, nfds_t(descriptors.count), milliseconds)
    guard ready > 0 else { return ready == 0 ? .timedOut : .woken }
    if descriptors[0].revents != 0 { return .woken }
    guard let pcm, interest == .room else { return .fault }
    var own = Array(descriptors.dropFirst())
    var events: UInt16 = 0
    let status = unsafe snd_pcm_poll_descriptors_revents(pointer(pcm), &own, UInt32(own.count), &events)
    if status < 0 || Int32(events) & (POLLERR | POLLHUP | POLLNVAL) != 0 { return .fault }
    return .room
  }
}

extension ALSALibrary.State {
  fileprivate init(_ state: snd_pcm_state_t) {
    switch state {
    case SND_PCM_STATE_SETUP: self = .ended
    case SND_PCM_STATE_PREPARED: self = .prepared
    case SND_PCM_STATE_RUNNING: self = .running
    case SND_PCM_STATE_DRAINING: self = .draining
    case SND_PCM_STATE_XRUN: self = .underrun
    case SND_PCM_STATE_DISCONNECTED: self = .disconnected
    default: self = .other
    }
  }
}
