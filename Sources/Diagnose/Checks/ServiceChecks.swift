internal import Linux

/// V: the agent as a service.
enum ServiceChecks {
  private static let unit = "kiosk-agent.service"

  static let all = [
    Check("V1", "Service installed", impact: .doses) { installed($0) },
    Check("V2", "Agent runs", needs: ["V1"], impact: .doses, eyes: .service) { running($0) },
    Check("V3", "Agent is alive", needs: ["V2", "D1"], impact: .doses, eyes: .service) { beats($0) },
  ]

  private static func installed(_ box: Surroundings) -> Finding {
    guard
      let unit = box.properties(
        of: unit, "LoadState,UnitFileState,FragmentPath,DropInPaths,NeedDaemonReload")
    else { return Surroundings.noSystemd }
    let load = unit["LoadState"] ?? "unknown"
    let enabled = unit["UnitFileState"] ?? ""
    let seen: [Finding.Fact] = [
      .init("unit", load), .init("at start-up", enabled.isEmpty ? "unknown" : enabled),
      .init("drop-ins", unit["DropInPaths"].flatMap { $0.isEmpty ? nil : $0 } ?? "none"),
    ]
    let enable = "sudo systemctl enable --now kiosk-agent"
    if load != "loaded" {
      if box.agent != nil {
        return .warn(seen, "The agent was started by hand: it ends with the next power cut.", enable)
      }
      return .fail(
        seen, load == "masked" ? "The service is masked." : "The service is not installed.",
        load == "masked" ? "sudo systemctl unmask kiosk-agent" : "Install kiosk-agent again.", enable)
    }
    if enabled == "disabled" { return .fail(seen, "The agent does not start with the machine.", enable) }
    if unit["NeedDaemonReload"] == "yes" {
      return .warn(seen, "The unit was changed and not read again.", "sudo systemctl daemon-reload")
    }
    if unit["DropInPaths"]?.isEmpty == false {
      return .warn(seen, "Somebody changed the service by drop-ins.", "sudo systemctl revert kiosk-agent")
    }
    return .pass(seen)
  }

  private static func running(_ box: Surroundings) -> Finding {
    let start = "sudo systemctl restart kiosk-agent"
    guard
      let unit = box.properties(of: unit, "LoadState,ActiveState,SubState,Result,NRestarts,ExecMainStatus"),
      unit["LoadState"] == "loaded"
    else {
      if let agent = box.agent { return .pass([.init("process", Int(agent)), .init("started", "by hand")]) }
      guard box.configuration != nil else { return Surroundings.noConfiguration }
      // Without a service nobody promised that it runs.
      return .warn([.init("process", "none")], "The agent does not run.", "kiosk-agent run")
    }
    let restarts = Int(unit["NRestarts"] ?? "") ?? 0
    let result = unit["Result"] ?? "unknown"
    let status = unit["ExecMainStatus"] ?? ""
    let seen: [Finding.Fact] = [
      .init("state", "\(unit["ActiveState"] ?? "unknown") (\(unit["SubState"] ?? ""))"), .init("result", result),
      .init("exit", status), .init("restarts", restarts),
    ]
    guard unit["ActiveState"] == "active" else { return .fail(seen, cause(result, status), start) }
    if restarts > 5 { return .fail(seen, cause(result, status), "Look at journalctl -u kiosk-agent.") }
    return restarts > 0
      ? .warn(seen, "The agent was started again after it had ended.", "Look at journalctl -u kiosk-agent.")
      : .pass(seen)
  }

  /// Where the end of the agent points to.
  private static func cause(_ result: String, _ status: String) -> String {
    switch (result, status) {
    case ("watchdog", _): "The agent hung; mostly in pcscd or the reader (S5, R2)."
    case ("oom-kill", _): "The machine had no memory left."
    case (_, "78"): "The configuration cannot be used (C1)."
    case (_, "69"): "The reader failed (U1, R1, R2)."
    case (_, "75"): "Another agent has the state directory, or it cannot be written (D1)."
    case ("core-dump", _), ("signal", _): "The agent crashed: report this with its log."
    default: "The agent does not run."
    }
  }

  /// The names that the agent's watchdog gives them.
  private static let readerThreads: Set<String> = ["reader monitor", "tag decoder"]

  private static func beats(_ box: Surroundings) -> Finding {
    guard box.agent != nil else { return Surroundings.noAgent }
    let restart = "sudo systemctl restart kiosk-agent"
    guard let status = box.agentStatus() else {
      return .fail([.init("control.sock", "no answer")], "The agent runs and does not answer.", restart)
    }
    var beats = status.beats
    // Threads that talk to a frozen pcscd stand still because of it, which is S5's finding.
    if ReaderProbe.namesSoon(box) == nil { beats = beats.filter { !readerThreads.contains($0.key) } }
    let oldest = beats.max { $0.value < $1.value }
    let seen: [Finding.Fact] = [
      .init("process", Int(status.process)),
      .init("oldest beat", oldest.map { "\($0.key), \($0.value) ms" } ?? "none"),
      .init("reader", status.readerFault ?? status.reader),
    ]
    guard let oldest, oldest.value >= 3000 else { return .pass(seen) }
    let means = "A part of the agent does not move: \(oldest.key)."
    return oldest.value >= 30_000 ? .fail(seen, means, restart) : .warn(seen, means, restart)
  }
}
