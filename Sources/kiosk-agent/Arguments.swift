internal import Diagnose
internal import Foundation

/// What the command line asks for (DESIGN 4.1).
struct Arguments: Equatable {
  enum Command: Equatable {
    case run
    case importHousehold(file: String)
    case export
    case history(days: Int)
    case agenda(from: String?, to: String?)
    case wall(at: String?, refreshes: Bool)
    case bus(BusQuestion)
    case period(PeriodQuestion)
    case replay(taps: String, household: String)
    case backup(file: String)
    case restore(file: String)
    case diagnose(DiagnoseOptions)
    case version
    case help
  }

  var command: Command
  /// `--config`; nil: the default place, which may be missing.
  var configuration: String?
  /// `--json`: machine-readable instead of a table.
  var json: Bool
}

/// A command line that cannot be understood: exit 64.
struct UsageError: Error, Equatable {
  let problem: String
  let remedy: String
}

extension Arguments {
  static let usage = """
    usage: kiosk-agent COMMAND [--config FILE] [--json]
      run                             the agent, in the foreground
      import FILE                     household file into the ledger
      export                          household file out of the ledger
      history [--days N]              what happened, newest last (default 7 days)
      agenda [--from DAY] [--to DAY]  what the calendars have, today and tomorrow or from a day up to another
      wall [--at INSTANT] [--refresh] what the wall shows, or would show then; fetched anew
      bus                             the watches of the household
      bus stop CODE                   a stop by the number on its sign or its id, and its routes
      bus test                        whether OneBusAway answers and knows every watch
      period [--at INSTANT]           the school day now, or then
      period override TYPE            what today is, until it ends, such as "Late Arrival"
        [--day DAY] [--until T]       another day; only up to a time of it, such as 12:00
      period clear                    no override any more
      replay TAPS --household FILE    decide taps from a file, without hardware
      backup FILE                     consistent copy of the ledger
      restore FILE                    put a copy back (the agent must not run)
      --diagnose                      the technician's checks (also: diagnose)
        --list-checks                 their ids
        --only ID,… --skip ID,…       ids, or letters of groups
        --no-network                  none that asks beyond this machine
        --watch                       again and again until nothing fails, then a beep
        --tap [N]                     try N taps (default 3); they are not recorded
        --sound                       play a sound and ask whether it was heard
        --root FOLDER                 look for /sys, /proc, /run, /etc, /usr, /dev there
      version                         versions of the agent and its libraries
    """

  /// - Parameter words: the command line without the program's name.
  static func parse(_ words: [String]) throws(UsageError) -> Arguments {
    var words = Words(words)
    let configuration = try words.take(option: "--config")
    let json = words.take(flag: "--json")
    guard let name = words.take(flag: "--diagnose") ? "diagnose" : words.takeFirst() else {
      throw UsageError(
        problem: "no command",
        remedy: "say one of run, import, export, history, wall, bus, agenda, period, replay, backup, restore, version"
      )
    }
    let command: Command
    switch name {
    case "run": command = .run
    case "import": command = .importHousehold(file: try words.takeFile(for: name))
    case "export": command = .export
    case "history": command = .history(days: try words.takeDays())
    case "agenda": command = .agenda(from: try words.take(option: "--from"), to: try words.take(option: "--to"))
    case "wall": command = .wall(at: try words.take(option: "--at"), refreshes: words.take(flag: "--refresh"))
    case "bus": command = .bus(try words.takeBusQuestion())
    case "period": command = .period(try words.takePeriodQuestion())
    case "replay":
      guard let household = try words.take(option: "--household") else {
        throw UsageError(problem: "replay needs a household", remedy: "add --household FILE")
      }
      command = .replay(taps: try words.takeFile(for: name), household: household)
    case "backup": command = .backup(file: try words.takeFile(for: name))
    case "restore": command = .restore(file: try words.takeFile(for: name))
    case "diagnose": command = .diagnose(try words.takeDiagnoseOptions())
    case "version", "--version": command = .version
    case "help", "--help", "-h": command = .help
    default:
      throw UsageError(problem: "unknown command \(name.debugDescription)", remedy: "see kiosk-agent help")
    }
    if let left = words.takeFirst() {
      throw UsageError(
        problem: "\(name) does not take \(left.debugDescription)", remedy: "see kiosk-agent help")
    }
    if json, [.run, .help].contains(command) {
      throw UsageError(problem: "\(name) does not take --json", remedy: "leave it out")
    }
    return Arguments(command: command, configuration: configuration, json: json)
  }
}

/// What `--diagnose` is to do.
struct DiagnoseOptions: Equatable {
  var selection = Selection()
  var listsChecks = false
  var watches = false
  /// How many taps are tried; 0: none.
  var taps = 0
  var playsSound = false
  /// Stands before /sys, /proc and the like.
  var root = ""
  /// Only this check, in this process: how a run starts its own parts.
  var check: String?
}

/// The words of a command line, taken one by one in any order.
private struct Words {
  private var rest: [String]

  init(_ words: [String]) { rest = words }

  mutating func takeFirst() -> String? { rest.isEmpty ? nil : rest.removeFirst() }

  mutating func take(flag: String) -> Bool {
    guard let index = rest.firstIndex(of: flag) else { return false }
    rest.remove(at: index)
    return true
  }

  /// `--name VALUE` or `--name=VALUE`, once.
  mutating func take(option: String) throws(UsageError) -> String? {
    guard let index = rest.firstIndex(where: { $0 == option || $0.hasPrefix(option + "=") }) else { return nil }
    let word = rest.remove(at: index)
    if word != option { return String(word.dropFirst(option.count + 1)) }
    guard index < rest.count, !rest[index].hasPrefix("--") else {
      throw UsageError(problem: "\(option) has no value", remedy: "write \(option) VALUE")
    }
    return rest.remove(at: index)
  }

  mutating func takeDiagnoseOptions() throws(UsageError) -> DiagnoseOptions {
    var options = DiagnoseOptions()
    options.selection.only = try takeList("--only")
    options.selection.skip = try takeList("--skip")
    options.selection.usesNetwork = !take(flag: "--no-network")
    options.listsChecks = take(flag: "--list-checks")
    options.watches = take(flag: "--watch")
    options.taps = try takeTaps()
    options.playsSound = take(flag: "--sound")
    options.root = try take(option: "--root") ?? ""
    options.check = try take(option: "--check")
    let unknown =
      options.selection.unknown(among: Check.all)
      + [options.check].compactMap { id in
        Check.all.contains { $0.id == id } ? nil : id
      }
    if let unknown = unknown.first {
      throw UsageError(
        problem: "there is no check \(unknown.debugDescription)", remedy: "see kiosk-agent --diagnose --list-checks")
    }
    return options
  }

  private mutating func takeList(_ option: String) throws(UsageError) -> [String] {
    try take(option: option)?.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } ?? []
  }

  /// `--tap`, `--tap 5` or `--tap=5`; 0 without it.
  private mutating func takeTaps() throws(UsageError) -> Int {
    guard let index = rest.firstIndex(where: { $0 == "--tap" || $0.hasPrefix("--tap=") }) else { return 0 }
    let word = rest.remove(at: index)
    var number = word.hasPrefix("--tap=") ? String(word.dropFirst(6)) : nil
    if number == nil, index < rest.count, rest[index].first?.isNumber == true { number = rest.remove(at: index) }
    guard let number else { return 3 }
    guard let taps = Int(number), (1...100).contains(taps) else {
      throw UsageError(problem: "--tap \(number.debugDescription) is no number of taps", remedy: "say 1 to 100")
    }
    return taps
  }

  /// Nothing, `stop CODE` or `test`.
  mutating func takeBusQuestion() throws(UsageError) -> BusQuestion {
    switch takeFirst() {
    case nil: return .watches
    case "test": return .test
    case "stop":
      guard let code = takeFirst(), !code.isEmpty else {
        throw UsageError(problem: "bus stop needs a stop", remedy: "write the number that stands on its sign")
      }
      return .stop(code)
    case let word?:
      throw UsageError(problem: "bus does not take \(word.debugDescription)", remedy: "say bus stop CODE or bus test")
    }
  }

  /// Nothing, `override TYPE` or `clear`, each with its own options.
  mutating func takePeriodQuestion() throws(UsageError) -> PeriodQuestion {
    let at = try take(option: "--at")
    let day = try take(option: "--day")
    let until = try take(option: "--until")
    let question: PeriodQuestion
    switch takeFirst() {
    case nil: question = .show(at: at)
    case "clear": question = .clear
    case "override":
      guard let type = takeFirst(), !type.isEmpty, !type.hasPrefix("--") else {
        throw UsageError(
          problem: "period override needs a day type",
          remedy: "write one of the school's file, such as \"Late Arrival\"")
      }
      question = .override(type: type, day: day, until: until)
    case let word?:
      throw UsageError(
        problem: "period does not take \(word.debugDescription)",
        remedy: "say period override TYPE or period clear; quote a type of two words")
    }
    let isOverride = if case .override = question { true } else { false }
    let isShow = if case .show = question { true } else { false }
    if !isOverride, day != nil || until != nil {
      throw UsageError(problem: "only period override takes --day and --until", remedy: "see kiosk-agent help")
    }
    if !isShow, at != nil {
      throw UsageError(problem: "only period alone takes --at", remedy: "see kiosk-agent help")
    }
    return question
  }

  mutating func takeFile(for command: String) throws(UsageError) -> String {
    guard let file = takeFirst(), !file.isEmpty else {
      throw UsageError(problem: "\(command) needs a file", remedy: "write kiosk-agent \(command) FILE")
    }
    guard !file.hasPrefix("--") else {
      throw UsageError(problem: "\(command) does not take \(file.debugDescription)", remedy: "see kiosk-agent help")
    }
    return file
  }

  mutating func takeDays() throws(UsageError) -> Int {
    guard let text = try take(option: "--days") else { return 7 }
    guard let days = Int(text), (1...3660).contains(days) else {
      throw UsageError(problem: "--days \(text.debugDescription) is no number of days", remedy: "say 1 to 3660")
    }
    return days
  }
}
