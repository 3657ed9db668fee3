package import Configuration
internal import Foundation
internal import Glibc
internal import HTTP
package import Ledger
package import Linux
internal import Reminders
internal import Synchronization
internal import Wall

/// The agent, run: wires the services, keeps them running and ends with an exit code (DESIGN 4.1).
package struct AgentRun: Sendable {
  package var configuration: Configuration
  package var configurationFellBack: Bool
  package var ledger: Ledger
  package var tapSource: any TapSource
  package var speaker: any Speaker
  package var time: any TimeSource
  package var log: Log
  package var notify: NotifySocket
  package var ways: WallSources.Ways
  /// systemd's `RUNTIME_DIRECTORY`; nil: started by hand.
  package var runtimeDirectory: String?
  package var version: String
  package var bootID: String
  package var clockFacts: @Sendable () -> ClockFacts
  /// nil: there is nothing that a technician could try.
  package var bench: (any TestBench)?
  /// Takes the exit code as soon as it is known, and ends the process with it even when a service does not come to its end.
  package var lastResort: @Sendable (Int32) -> Void

  package init(
    configuration: Configuration, configurationFellBack: Bool, ledger: Ledger, tapSource: any TapSource,
    speaker: any Speaker, time: any TimeSource, log: Log, notify: NotifySocket, ways: WallSources.Ways,
    runtimeDirectory: String?,
    version: String, bootID: String,
    clockFacts: @escaping @Sendable () -> ClockFacts, bench: (any TestBench)? = nil,
    lastResort: @escaping @Sendable (Int32) -> Void
  ) {
    self.configuration = configuration
    self.configurationFellBack = configurationFellBack
    self.ledger = ledger
    self.tapSource = tapSource
    self.speaker = speaker
    self.time = time
    self.log = log
    self.notify = notify
    self.ways = ways
    self.runtimeDirectory = runtimeDirectory
    self.version = version
    self.bootID = bootID
    self.clockFacts = clockFacts
    self.bench = bench
    self.lastResort = lastResort
  }

  /// Runs until a signal says stop, or until only a restart can mend the reader.
  /// - Returns: 0 or 69.
  package func run(signals: AsyncStream<Signal>) async -> Int32 {
    let run = String(UInt64(time.now().timeIntervalSince1970 * 1000), radix: 36)
    let page = Page(
      language: configuration.wall.language, viewingDistance: configuration.wall.viewingDistance,
      panelInches: configuration.wall.panelInches)
    let holder = ServerHolder()
    let endpoints = WallEndpoints(page: page, time: time) { holder.server?.streamCount ?? 0 }
    let sources = WallSources(configuration, ways, time: time, boot: bootID, log: log) { [speaker] in
      speaker.play(.reminder)
    }
    let kept = KeptFiles(directory: configuration.stateDirectory, boot: bootID)
    let kiosk = makeKiosk(run: run, endpoints: endpoints, holder: holder, sources: sources, kept: kept)
    let control = serveControl(kiosk, holder: holder)
    let code = await withTaskGroup(of: Int32?.self) { group -> Int32 in
      group.addTask {
        await Supervisor(time: time, log: log).run(
          services(kiosk, endpoints: endpoints, holder: holder, run: run) + sources.services { kiosk.changed() })
        return nil
      }
      group.addTask { await waitForEnd(signals) }
      group.addTask {
        await FaultWatch(
          source: tapSource, time: time, log: log, marker: configuration.stateDirectory + "/" + FaultWatch.markerName
        ) { await kiosk.note(fault: $0) }.run()
      }
      var result: Int32?
      while result == nil, let ended = await group.next() { result = ended }
      group.cancelAll()
      notify.stopping()
      lastResort(result ?? 0)
      holder.server?.stop()
      return result ?? 0
    }
    control?.stop()
    await kept.flush()
    await ledger.close()
    log.notice("stopped with exit code \(code)")
    return code
  }

  private func makeKiosk(
    run: String, endpoints: WallEndpoints, holder: ServerHolder, sources: WallSources, kept: KeptFiles
  ) -> Kiosk {
    let configured = configuration.timeZone
    return Kiosk(
      Kiosk.Parts(
        ledger: ledger, time: time, log: log, speaker: speaker, agent: version, run: run, boot: bootID,
        zone: {
          if let configured { return configured }
          NSTimeZone.resetSystemTimeZone()
          return .current
        }, keepZone: { kept.keep($0) }, keepClock: { kept.keep($0) }, language: configuration.wall.language,
        clockFacts: clockFacts,
        publish: { snapshot in
          let json = snapshot.json
          endpoints.set(snapshot, json: json)
          holder.server?.publish(v: snapshot.v, json: json, now: snapshot.now, clockTrusted: snapshot.clock.trusted)
        },
        report: { health, status in
          endpoints.set(health)
          notify.status(status)
        }, configurationFellBack: configurationFellBack, zoneName: configuration.timeZoneName,
        sources: sources.all, night: configuration.wall.night),
      zone: kept.zone, clock: kept.clock)
  }

  private func services(_ kiosk: Kiosk, endpoints: WallEndpoints, holder: ServerHolder, run: String)
    -> [Supervisor.Service]
  {
    let readiness = Readiness()
    return [
      .init("readers") { try await tapSource.run() },
      .init("taps") { try await kiosk.answerTaps(from: tapSource) },
      .init("wall") { try await kiosk.run() },
      .init("clock steps") {
        for await _ in ClockSteps.watch() { kiosk.changed() }
        try await time.sleep(for: .seconds(3600))
      },
      .init("reader reports") {
        for await report in tapSource.reports() { await kiosk.note(report) }
        try Task.checkCancellation()
      },
      .init("speaker reports") {
        for await report in speaker.reports() { await kiosk.note(report) }
        try Task.checkCancellation()
      },
      .init("mixer") {
        while true {
          await speaker.checkMixer()
          try await time.sleep(for: .seconds(300))
        }
      },
      .init("page") { try await servePage(endpoints, holder, run: run, kiosk: kiosk, readiness: readiness) },
      .init("backups") { try await backUpDaily(kiosk) },
      .init("watchdog") {
        try await Watchdog(
          notify: notify, time: time, log: log,
          beats: {
            await kiosk.tellWhenStuck()
            return beats(holder, kiosk)
          }, leave: { names in leaveSilent(names) }
        ).run()
      },
    ]
  }

  /// For systemd's `reader-recover`, which restarts pcscd only when a thread that talks to it was silent.
  private func leaveSilent(_ names: [String]) {
    guard let runtimeDirectory else { return }
    try? Data(names.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: runtimeDirectory + "/silent"))
  }

  /// When everything that must not stand still last moved.
  private func beats(_ holder: ServerHolder, _ kiosk: Kiosk) -> [String: Duration] {
    var beats = tapSource.heartbeats().merging(speaker.heartbeats()) { first, _ in first }
    beats["http"] = holder.server?.heartbeat(at: time.uptime()) ?? time.uptime()
    beats["kiosk"] = kiosk.heartbeat()
    return beats
  }

  private func waitForEnd(_ signals: AsyncStream<Signal>) async -> Int32? {
    for await signal in signals {
      switch signal {
      case .terminate, .interrupt: return 0
      case .hangUp: log.notice("SIGHUP: the configuration is read at the next start")
      }
    }
    return nil
  }

  /// Serves the page; a port that is taken is tried again, and taps go on meanwhile.
  private func servePage(
    _ endpoints: WallEndpoints, _ holder: ServerHolder, run: String, kiosk: Kiosk, readiness: Readiness
  ) async throws {
    let wall = configuration.wall
    var said = false
    // Nobody must be served a wall that has not been looked at yet, nor systemd told that it is ready.
    await kiosk.firstLook()
    while true {
      let server = Server(
        settings: ServerSettings(
          address: wall.address, port: wall.port, boot: run, asset: Page.hash,
          timeZone: configuration.timeZoneName ?? TimeZone.current.identifier), time: time,
        instant: { InstantText.text(time.now(), in: configuration.timeZone ?? .current) }, answer: endpoints.answer)
      do throws(Server.BindError) {
        let port = try server.start()
        holder.set(server, port: port)
        log.notice("the wall is on http://\(wall.address == "::1" ? "[::1]" : wall.address):\(port)/")
        await kiosk.republish()
        readiness.tell(notify)
        try? await time.sleep(for: .seconds(1_000_000_000))
        server.stop()
        return
      } catch {
        if !said { log.error("\(Self.problem(error, port: wall.port)): taps go on, the page is tried again every 5 s") }
        said = true
        // The main job is the tap: without its page the service is up all the same.
        readiness.tell(notify)
        try await time.sleep(for: .seconds(5))
      }
    }
  }

  private static func problem(_ error: Server.BindError, port: UInt16) -> String {
    switch error {
    case .inUse: "port \(port) is in use"
    case .other(let errno): "the wall cannot listen on port \(port) (\(unsafe String(cString: strerror(errno))))"
    }
  }

  private func backUpDaily(_ kiosk: Kiosk) async throws {
    while true {
      let zone = configuration.timeZone ?? .current
      let now = time.now()
      let day = Schedule(zone: zone).day(of: now)
      do {
        if try await ledger.backupDaily(day, at: await kiosk.clockTrusted ? now : nil) {
          log.info("backup of \(day) made")
        }
      } catch {
        log.error("backup: \(error)")
      }
      try await time.sleep(for: .seconds(3600))
    }
  }

  /// nil when it cannot be had: commands that write then need the agent stopped.
  private func serveControl(_ kiosk: Kiosk, holder: ServerHolder) -> ControlServer? {
    let desk = TechnicianDesk(
      kiosk: kiosk, bench: bench, time: time, version: version, holder: holder, beats: { beats(holder, kiosk) })
    do throws(ControlError) {
      return try ControlServer(
        configuration.stateDirectory + "/" + ControlSocket.name, streams: { desk.tapTest($0) }
      ) { line in
        if let answer = await desk.answer(line) { return [answer] }
        return [await kiosk.control(line)]
      }
    } catch {
      log.error("commands that write need the agent stopped: \(error.sentence)")
      return nil
    }
  }
}

/// Tells systemd that the service is up: once, however often the page is served anew.
final class Readiness: Sendable {
  private let isTold = Mutex(false)

  func tell(_ notify: NotifySocket) {
    let isFirst = isTold.withLock { told in
      defer { told = true }
      return !told
    }
    if isFirst { notify.ready() }
  }
}

/// The server that is up now.
final class ServerHolder: Sendable {
  private let box = Mutex<(server: Server, port: UInt16)?>(nil)

  var server: Server? { box.withLock { $0?.server } }

  /// Where it serves; nil: nothing is served yet.
  var port: UInt16? { box.withLock { $0?.port } }

  func set(_ server: Server, port: UInt16) { box.withLock { $0 = (server, port) } }
}
