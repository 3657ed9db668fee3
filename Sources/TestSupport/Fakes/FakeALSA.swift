internal import Foundation
internal import Linux
package import Sound
internal import Synchronization

/// A sound card in memory that behaves as the kernel's do when they are opened without blocking: a buffer that empties as
/// the manual clock goes, and a drain that answers EAGAIN whatever it has done.
///
/// It moves the clock itself while a sound plays, so a second of sound takes no time. Waits for an order, for a fault or
/// for the next try end when the test says so: `reportFault` and `pass`. Or the test moves the clock, and tells it.
package final class FakeALSA: Sendable {
  package struct State {
    /// What the next openings give, as errno; empty: it opens.
    package var openings: [Int32] = []
    /// What every opening gives that `openings` says nothing of.
    package var isAbsent = false
    package var shape = ALSALibrary.Device(
      pcm: 0, rate: 48_000, channels: 1, period: 2400, card: 1, names: "USB Audio USB Audio Device")
    package let buffer = 24_000
    /// Errors of `write` once so many frames have been taken, in order.
    package var writeFaults: [(frames: Int, errno: Int32)] = []
    /// Runs in `write` once so many frames have been taken.
    package var writeHook: (frames: Int, run: @Sendable () -> Void)?
    /// Runs in the next `open`.
    package var openHook: (@Sendable () -> Void)?
    /// Runs in every look at the mixer.
    package var mixerHook: (@Sendable () -> Void)?
    /// It takes no more and plays nothing.
    package var isStuck = false
    /// It never leaves the drain by itself but runs empty, as dmix does.
    package var drainIsDeaf = false
    package var mixer: [MixerControl]? = []
    package var node: String?

    package var state = ALSALibrary.State.prepared
    package var queued = 0
    /// Since the last `forget`.
    package var taken: [Int16] = []
    /// Names of calls, without waits.
    package var calls: [String] = []
    package var names: [String] = []
    package var mixers: [String] = []
    /// Handles that are open; more than one is a leak.
    package var live: Set<ALSALibrary.PCM> = []
    package var mostLive = 0
    package var misuses: [String] = []
    /// How long each wait for an order was to last.
    package var rests: [Duration] = []
    /// The uptime at which the thread's wait is over; nil: it is not in one. Only on the test's clock.
    package var waitsUntil: Duration?
    /// How long the waits within a sound were to last at most.
    package var longestWait = Duration.zero
  }

  private let time: ManualTime
  private let movesClock: Bool
  private let state = Mutex(State())
  private let fault = WakeSignal()
  private let tick = WakeSignal()

  /// - Parameter movesClock: false: the clock is moved by the test, in steps of at most 100 ms while `isPlaying`.
  package init(time: ManualTime, movesClock: Bool = true) {
    self.time = time
    self.movesClock = movesClock
  }

  package func with<T: Sendable>(_ body: (inout sending State) -> sending T) -> T { state.withLock { body(&$0) } }

  /// Ends the rest of the thread with a fault of the device.
  package func reportFault() { fault.signal() }

  /// To be told after the clock was moved.
  package func timePassed() { tick.signal() }

  /// Something is being played.
  package var isPlaying: Bool { with { [.running, .draining].contains($0.state) && !$0.live.isEmpty } }

  /// Lets the time of the thread's rest pass.
  package func pass() { tick.signal() }

  /// Waits for the thread to come to rest for the `count`th time since the start.
  package func waitForRest(_ count: Int) throws {
    try Waiting.until("rest \(count)") { with { $0.rests.count } >= count }
  }

  package var restCount: Int { with { $0.rests.count } }

  package func forget() {
    with { state in
      state.taken = []
      state.calls = []
    }
  }

  package var library: ALSALibrary {
    ALSALibrary(
      open: { [self] name, _, _ throws(ALSALibrary.Failure) in try open(name) },
      close: { [self] pcm in close(pcm) },
      prepare: { [self] pcm throws(ALSALibrary.Failure) in try prepare(pcm) },
      drop: { [self] pcm in drop(pcm) },
      write: { [self] pcm, samples, channels throws(ALSALibrary.Failure) in try write(pcm, samples, channels) },
      delay: { [self] _ throws(ALSALibrary.Failure) in try delay() },
      drain: { [self] pcm throws(ALSALibrary.Failure) in try drain(pcm) },
      state: { [self] _ in with { $0.state } },
      wait: { [self] pcm, interest, wake, atMost in wait(pcm, interest, wake, atMost) },
      mixer: { [self] name in mixer(name) }, forbiddenNode: { [self] in with { $0.node } })
  }

  private func close(_ pcm: ALSALibrary.PCM) {
    use(pcm, "close") { state in _ = state.live.remove(pcm) }
  }

  private func prepare(_ pcm: ALSALibrary.PCM) throws(ALSALibrary.Failure) {
    let isGone = use(pcm, "prepare") { state -> Bool in
      if state.state == .disconnected { return true }
      state.state = .prepared
      state.queued = 0
      return false
    }
    if isGone { throw .init(errno: ENODEV, call: "snd_pcm_prepare") }
  }

  private func drop(_ pcm: ALSALibrary.PCM) {
    use(pcm, "drop") { state in
      state.state = .ended
      state.queued = 0
    }
  }

  private func delay() throws(ALSALibrary.Failure) -> Int {
    let (state, queued) = with { ($0.state, $0.queued) }
    if state == .underrun { throw .init(errno: EPIPE, call: "snd_pcm_delay") }
    return queued
  }

  private func drain(_ pcm: ALSALibrary.PCM) throws(ALSALibrary.Failure) {
    use(pcm, "drain") { state in
      if !state.drainIsDeaf { state.state = state.queued == 0 ? .ended : .draining }
    }
    throw .init(errno: EAGAIN, call: "snd_pcm_drain")
  }

  private func mixer(_ name: String) -> [MixerControl]? {
    let (mixer, hook) = with { state -> ([MixerControl]?, (@Sendable () -> Void)?) in
      state.mixers.append(name)
      return (state.mixer, state.mixerHook)
    }
    hook?()
    return mixer
  }

  @discardableResult
  private func use<T: Sendable>(_ pcm: ALSALibrary.PCM, _ call: String, _ body: (inout State) -> T) -> T {
    state.withLock { state in
      state.calls.append(call)
      if !state.live.contains(pcm) { state.misuses.append("\(call) on a closed handle") }
      return body(&state)
    }
  }

  private func open(_ name: String) throws(ALSALibrary.Failure) -> ALSALibrary.Device {
    let hook = with { state in
      state.calls.append("open")
      state.names.append(name)
      return state.openHook.take()
    }
    hook?()
    let result = with { state -> Result<ALSALibrary.Device, ALSALibrary.Failure> in
      let code = state.openings.isEmpty ? (state.isAbsent ? ENODEV : 0) : state.openings.removeFirst()
      if code != 0 { return .failure(.init(errno: code, call: "snd_pcm_open")) }
      state.state = .prepared
      state.queued = 0
      state.shape.pcm += 1
      state.live.insert(state.shape.pcm)
      state.mostLive = max(state.mostLive, state.live.count)
      return .success(state.shape)
    }
    return try result.get()
  }

  private func write(
    _ pcm: ALSALibrary.PCM, _ samples: ArraySlice<Int16>, _ channels: Int
  ) throws(ALSALibrary.Failure) -> Int {
    let copy = Array(samples)
    let (result, hook) = with { state -> (Result<Int, ALSALibrary.Failure>, (@Sendable () -> Void)?) in
      if !state.live.contains(pcm) { state.misuses.append("write on a closed handle") }
      if state.state == .underrun { return (.failure(.init(errno: EPIPE, call: "snd_pcm_writei")), nil) }
      if state.state == .disconnected { return (.failure(.init(errno: ENODEV, call: "snd_pcm_writei")), nil) }
      if state.state != .prepared && state.state != .running {
        state.misuses.append("write in the state \(state.state)")
      }
      let frames = state.taken.count / channels
      if let fault = state.writeFaults.first, frames >= fault.frames {
        state.writeFaults.removeFirst()
        if fault.errno == EPIPE { state.state = .underrun }
        if fault.errno == ENODEV { state.state = .disconnected }
        return (.failure(.init(errno: fault.errno, call: "snd_pcm_writei")), nil)
      }
      let room = state.isStuck ? 0 : min(state.buffer - state.queued, copy.count / channels)
      guard room > 0 else { return (.failure(.init(errno: EAGAIN, call: "snd_pcm_writei")), nil) }
      state.taken += copy.prefix(room * channels)
      state.queued += room
      state.state = .running
      guard let hook = state.writeHook, frames + room >= hook.frames else { return (.success(room), nil) }
      state.writeHook = nil
      return (.success(room), hook.run)
    }
    hook?()
    return try result.get()
  }

  private func wait(
    _ pcm: ALSALibrary.PCM?, _ interest: ALSALibrary.Interest, _ wake: Int32, _ atMost: Duration
  ) -> ALSALibrary.WaitResult {
    if !movesClock { return waitForClock(pcm, interest, wake, atMost) }
    if with({ $0.live.isEmpty }) || atMost > .seconds(1) { return rest(pcm, wake, atMost) }
    with { $0.longestWait = max($0.longestWait, atMost) }
    var descriptor = pollfd(fd: wake, events: Int16(POLLIN), revents: 0)
    if unsafe poll(&descriptor, 1, 0) > 0 { return .woken }
    let period = Duration.seconds(Double(with { $0.shape.period }) / 48_000)
    let step = max(interest == .room && pcm != nil ? min(period, atMost) : atMost, .milliseconds(1))
    time.advance(by: step)
    return with { state in
      guard !state.isStuck else { return .timedOut }
      if state.play(step), pcm != nil, interest == .faults { return .fault }
      return interest == .room ? .room : .timedOut
    }
  }

  /// A wait on the test's clock.
  private func waitForClock(
    _ pcm: ALSALibrary.PCM?, _ interest: ALSALibrary.Interest, _ wake: Int32, _ atMost: Duration
  ) -> ALSALibrary.WaitResult {
    var now = time.uptime()
    let end = now + max(atMost, .milliseconds(1))
    with { $0.waitsUntil = end }
    defer { with { $0.waitsUntil = nil } }
    while true {
      var descriptors = [wake, tick.descriptor, pcm == nil ? -1 : fault.descriptor].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      // The clock may have moved before the last wait ended.
      let moved = time.uptime() > now
      _ = unsafe poll(&descriptors, 3, moved ? 0 : -1)
      if descriptors[0].revents != 0 { return .woken }
      if descriptors[2].revents != 0 {
        fault.drain()
        return .fault
      }
      if descriptors[1].revents != 0 { tick.drain() }
      let before = now
      now = time.uptime()
      let isEmpty = with { state in
        state.state == .running || state.state == .draining ? state.play(now - before) : false
      }
      if pcm != nil, interest == .room, now > before { return .room }
      if pcm != nil, interest == .faults, isEmpty || with({ $0.state == .disconnected }) { return .fault }
      if now >= end { return .timedOut }
    }
  }

  private func rest(_ pcm: ALSALibrary.PCM?, _ wake: Int32, _ atMost: Duration) -> ALSALibrary.WaitResult {
    with { $0.rests.append(atMost) }
    var descriptors = [
      pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
      pollfd(fd: tick.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: pcm == nil ? -1 : fault.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    _ = unsafe poll(&descriptors, 3, -1)
    if descriptors[0].revents != 0 { return .woken }
    if descriptors[2].revents != 0 {
      fault.drain()
      return .fault
    }
    tick.drain()
    time.advance(by: atMost)
    return .timedOut
  }
}

extension FakeALSA.State {
  /// Lets so much of what is queued be heard. True: nothing is left.
  fileprivate mutating func play(_ duration: Duration) -> Bool {
    queued = max(queued - Int(duration.inSeconds * Double(shape.rate)), 0)
    guard queued == 0 else { return false }
    if state == .draining { state = .ended }
    if state == .running { state = .underrun }
    return true
  }
}
