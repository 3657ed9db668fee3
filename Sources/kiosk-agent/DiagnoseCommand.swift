internal import Configuration
internal import Diagnose
internal import Foundation
internal import Glibc
internal import Linux

/// `--diagnose`: the technician's checks. Runs beside the agent or without it, and with whatever configuration there is.
enum DiagnoseCommand {
  /// - Parameter named: the configuration on the command line; nil: the default place.
  static func run(_ options: DiagnoseOptions, named: String?, json: Bool) async throws -> Int32 {
    if let id = options.check { return try await runHere(id, options, named: named) }
    if options.listsChecks {
      let checks = options.selection.of(Check.all)
      try Output.line(json ? Report.jsonList(checks) : Report.list(checks))
      return 0
    }
    return options.watches
      ? try await watch(options, named: named, json: json) : try await once(options, named: named, json: json)
  }

  // MARK: One check, in this process

  private static func runHere(_ id: String, _ options: DiagnoseOptions, named: String?) async throws -> Int32 {
    guard let check = Check.all.first(where: { $0.id == id }) else { return ExitCode.usage.rawValue }
    let box = surroundings(options, named: named)
    let user = box.serviceUser
    if check.eyes == .service, geteuid() == 0, user.user != 0 {
      do throws(Account.Failure) {
        try user.become()
      } catch {
        Output.error("cannot look with the eyes of \(error.name) (errno \(error.errno)): run as root")
        return ExitCode.internalFault.rawValue
      }
    }
    Lifetime.endWithParent()
    try Output.line(CheckProcess.line(await check.run(box)))
    return 0
  }

  private static func surroundings(_ options: DiagnoseOptions, named: String?) -> Surroundings {
    var environment = ProcessInfo.processInfo.environment
    // Without a configuration the agent's state is below its own home, not below root's.
    if geteuid() == 0, let account = Account.named(Surroundings.accountName) {
      environment["HOME"] = account.home
      environment["XDG_STATE_HOME"] = nil
    }
    let found = find(named, environment)
    let time = SystemTime()
    var box = Surroundings(
      root: options.root, environment: environment, found: found,
      sounds: SoundFiles.find((found.configuration ?? Configuration(stateDirectory: "")).sound), time: time,
      clock: ClockProbe(root: options.root).facts(at: time.uptime()), tell: { try? Output.line($0) })
    box.taps = options.taps
    box.playsSound = options.playsSound
    return box
  }

  /// What the agent would find, whatever is wrong with it.
  private static func find(_ named: String?, _ environment: [String: String]) -> Surroundings.Found {
    let path = named ?? Setting.defaultPath
    let folder = Files.folder(of: path)
    var found = Surroundings.Found(path: path, isNamed: named != nil, isThere: true, configuration: nil)
    let bytes: [UInt8]
    do throws(Files.Failure) {
      bytes = try Files.read(path, limit: JSON5Parser.limit)
    } catch {
      found.isThere = !error.isMissing
      if error.isMissing, named == nil {
        found.configuration = .withoutFile(environment: environment)
      } else {
        found.problem = .unreadable(error.reason)
        found.configuration = Setting.lastGood(for: nil, folder, environment)
      }
      return found
    }
    do throws(DocumentError) {
      found.configuration = try Configuration.parse(bytes, folder: folder)
    } catch {
      found.problem = .wrong(error.problems)
      found.configuration = Setting.lastGood(for: bytes, folder, environment)
    }
    return found
  }

  // MARK: All of them

  private static func once(_ options: DiagnoseOptions, named: String?, json: Bool) async throws -> Int32 {
    let show = { (outcome: Outcome) -> Void in try? Output.line(json ? Report.json(outcome) : Report.text(outcome)) }
    let perform = perform(options, named: named, json: json)
    let chosen = options.selection.of(Check.all)
    let isAsked = { (check: Check) in
      check.isInteractive && (check.id == TapTest.id ? options.taps > 0 : options.playsSound)
    }
    let quiet = chosen.filter { !isAsked($0) }
    var outcomes = await Examination(quiet, time: SystemTime(), perform: perform).run(each: show)
    // A hand and an ear come last, one at a time, when nothing else is printed.
    for check in chosen where isAsked(check) {
      let more = await Examination([check], known: outcomes, time: SystemTime()) { check in
        let finding = await perform(check)
        return check.id == SoundTest.id
          ? SoundTest.heard(json ? nil : askWhetherHeard(finding), after: finding) : finding
      }.run(each: show)
      outcomes += more
    }
    outcomes = Check.all.compactMap { check in outcomes.first { $0.check.id == check.id } }
    try Output.line(json ? Report.jsonEnding(outcomes) : Report.ending(outcomes))
    return Report.exitCode(outcomes)
  }

  /// Again and again until nothing fails, then a beep: for one who stands on a ladder and sees no screen.
  private static func watch(_ options: DiagnoseOptions, named: String?, json: Bool) async throws -> Int32 {
    let time = SystemTime()
    let perform = perform(options, named: named, json: json)
    let chosen = options.selection.of(Check.all).filter { !$0.isInteractive }
    while true {
      let outcomes = await Examination(chosen, time: time, perform: perform).run()
      let isGreen = Report.exitCode(outcomes) < 2
      if json {
        try Output.line(Report.jsonEnding(outcomes))
      } else {
        let clock = time.now().formatted(.dateTime.hour(.twoDigits(amPM: .omitted)).minute().second())
        try Output.line(isGreen ? "\(clock) \u{7}nothing fails" : "\(clock) \(Report.brief(outcomes))")
      }
      if isGreen { return Report.exitCode(outcomes) }
      guard (try? await time.sleep(for: .seconds(3))) != nil else { return Report.exitCode(outcomes) }
    }
  }

  /// Runs a check in a process of its own, unless the command line leaves it out.
  private static func perform(_ options: DiagnoseOptions, named: String?, json: Bool) -> Examination.Perform {
    let process = process(options, named: named, json: json)
    return { check in
      if let objection = options.selection.objection(to: check) { return objection }
      return await process.run(check)
    }
  }

  private static func process(_ options: DiagnoseOptions, named: String?, json: Bool) -> CheckProcess {
    let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    var arguments = ["diagnose"]
    if let named { arguments += ["--config", named] }
    if !options.root.isEmpty { arguments += ["--root", options.root] }
    if options.taps > 0 { arguments.append("--tap=\(options.taps)") }
    if options.playsSound { arguments.append("--sound") }
    return CheckProcess(
      program: program, arguments: arguments + ["--check"], environment: ProcessInfo.processInfo.environment,
      time: SystemTime(), tell: { try? Output.line(json ? Report.jsonNote($0) : Report.note($0)) })
  }

  /// nil: there is nobody at a terminal, or nobody answers within 30 s.
  private static func askWhetherHeard(_ finding: Finding) -> Bool? {
    guard finding.status == .pass, isatty(0) != 0, isatty(1) != 0 else { return nil }
    try? Output.line("Did you hear it? [y/n]")
    var wait = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&wait, 1, 30_000) > 0 else { return nil }
    switch readLine()?.lowercased().first {
    case "y", "j": return true
    case "n": return false
    default: return nil
    }
  }
}
