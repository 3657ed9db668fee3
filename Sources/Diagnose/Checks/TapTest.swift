internal import Linux
internal import TagReader

/// R5: taps tried by hand. Through the running agent, which credits nothing meanwhile; without one by ourselves.
package enum TapTest {
  package static let id = "R5"

  /// How long the technician has, s.
  static let window = 60

  static let check = Check(
    id, "Tap test", needs: ["R2"], impact: .doses, eyes: .service, deadline: .seconds(window + 10),
    overdue: ("The test did not end by itself.", "sudo systemctl restart kiosk-agent")
  ) { box in
    guard box.taps > 0 else { return .skip("Asked for with --tap.") }
    return await box.agent == nil ? direct(box) : throughAgent(box)
  }

  private static func throughAgent(_ box: Surroundings) -> Finding {
    guard let socket = box.controlSocket else { return Surroundings.noConfiguration }
    var readings: [TapReading] = []
    do throws(ControlError) {
      // Leaving ends the window at once.
      try ControlSocket.follow(
        socket, "{\"command\":\"tapTest\",\"seconds\":\(window)}", within: .seconds(window + 5), time: box.time
      ) { line in
        if line.contains("\"open\"") {
          box.tell("Tap \(box.taps) times within \(window) s. Nothing is recorded.")
        } else if let reading: TapReading = Surroundings.decode(line) {
          readings.append(reading)
          box.tell(words(for: reading, number: readings.count))
        }
        return readings.count < box.taps
      }
    } catch {
      return .fail(
        [.init("agent", error.sentence)], "The running agent does not let the reader be tried.",
        "sudo systemctl restart kiosk-agent")
    }
    return finding(readings, asked: box.taps)
  }

  private static func direct(_ box: Surroundings) async -> Finding {
    let monitor = SlotMonitor(library: box.pcsc, settings: box.readerSettings, time: box.time, log: .none)
    let readings = await withTaskGroup(of: [TapReading]?.self) { group in
      group.addTask {
        await monitor.run()
        return nil
      }
      group.addTask {
        try? await box.time.sleep(for: .seconds(window))
        return []
      }
      group.addTask { await collect(from: monitor, box) }
      var readings: [TapReading] = []
      if let first = await group.next(), let first { readings = first }
      group.cancelAll()
      while let more = await group.next() { if let more, more.count > readings.count { readings = more } }
      return readings
    }
    return finding(readings, asked: box.taps)
  }

  private static func collect(from monitor: SlotMonitor, _ box: Surroundings) async -> [TapReading] {
    // What lies there or comes before the first look is no tap.
    for await summary in monitor.summaries() where summary.condition == .ready { break }
    box.tell("Tap \(box.taps) times within \(window) s. No agent runs: nothing is recorded.")
    var readings: [TapReading] = []
    while readings.count < box.taps, let event = try? await monitor.nextEvent(claim: .testWindow) {
      let reading =
        switch event {
        case .read(let read):
          TapReading(
            tag: Redaction.uid(read.uid), bytes: read.uid.count, unreadable: nil,
            milliseconds: (read.readAt - read.presentAt).inMilliseconds, isKnown: false)
        case .unreadable(let tag):
          TapReading(
            tag: nil, bytes: nil, unreadable: tag.reason.rawValue,
            milliseconds: (tag.gaveUpAt - tag.presentAt).inMilliseconds, isKnown: false)
        }
      readings.append(reading)
      box.tell(words(for: reading, number: readings.count))
    }
    return readings
  }

  private static func words(for reading: TapReading, number: Int) -> String {
    if let reason = reading.unreadable { return "tap \(number): not read (\(reason)), \(reading.milliseconds) ms" }
    return "tap \(number): tag \(reading.tag ?? "?"), \(reading.bytes ?? 0) bytes, \(reading.milliseconds) ms"
  }

  /// 3 of 3 in less than 300 ms each is a good reader.
  static func finding(_ readings: [TapReading], asked: Int) -> Finding {
    let read = readings.filter { $0.unreadable == nil }
    let slowest = read.map(\.milliseconds).max() ?? 0
    let tags = Set(read.compactMap(\.tag))
    let seen: [Finding.Fact] = [
      .init("read", "\(read.count) of \(asked)"), .init("slowest", "\(slowest) ms"),
      .init("tags", tags.isEmpty ? "none" : tags.sorted().joined(separator: " ")),
    ]
    if readings.isEmpty {
      return Finding(.warn, seen: seen, means: "Nobody tapped.", remedies: ["Run it again and tap."])
    }
    let hold = "Hold the tag flat for a second in the middle. Metal behind the reader? Use the spacer."
    if read.isEmpty { return .fail(seen, "No tap was read.", hold) }
    if read.count < asked || slowest >= 300 { return .warn(seen, "Some taps were slow or not read.", hold) }
    return .pass(seen)
  }
}
