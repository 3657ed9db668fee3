internal import Foundation
internal import VirtualTag

/// The commands that go to a reader's control socket.
enum Play {
  private static let sampleUID = "04A1B2C3D4E5F6"

  /// Those that go there word for word; the reader checks them.
  private static let plain = [
    "out", "mute", "comm", "torn", "slow", "answer", "fill", "status", "unavailable", "reset", "state", "log",
  ]

  static func run(_ name: String, _ words: [String]) throws(Refusal) {
    switch name {
    case "tap":
      let options = try Options(words, known: ["--socket", "--uid", "--hold", "--fault"])
      try noMore(options.rest)
      let uid = try bytes(options.values["--uid"] ?? sampleUID, "--uid", 0...32)
      let hold = try options.number("--hold", in: 0...60_000, default: 400)
      let fault = try options.values["--fault"].map { text throws(Refusal) in try Fault(text) }
      try ask(options) { tag throws(VirtualTagError) in
        try fault?.set(true, at: tag)
        let tap = Result { () throws(VirtualTagError) in try tag.tap(uid: uid, milliseconds: hold) }
        try fault?.set(false, at: tag)
        _ = try tap.get()
        return nil
      }
    case "in":
      let options = try Options(words, known: ["--socket", "--uid", "--atr"])
      try noMore(options.rest)
      let uid = try bytes(options.values["--uid"] ?? sampleUID, "--uid", 0...32)
      let atr = try options.values["--atr"].map { text throws(Refusal) in try bytes(text, "--atr", 1...33) }
      try ask(options) { tag throws(VirtualTagError) in
        try tag.enter(uid: uid, atr: atr)
        return nil
      }
    case _ where plain.contains(name):
      let options = try Options(words, known: ["--socket"])
      let shown = name == "state" || name == "log"
      try ask(options) { tag throws(VirtualTagError) in
        let answer = try tag.ask(([name] + options.rest).joined(separator: " "))
        return shown && !answer.isEmpty ? answer : nil
      }
    default:
      throw .usage("\(name) is no command: say one of tap, in, serve, \(plain.joined(separator: ", "))")
    }
  }

  private static func ask(
    _ options: Options, _ body: (VirtualTag) throws(VirtualTagError) -> String?
  ) throws(Refusal) {
    guard let path = options.values["--socket"] ?? ProcessInfo.processInfo.environment["KIOSK_VIRTUAL_READER"] else {
      throw .usage("no reader is named: give --socket PATH or set KIOSK_VIRTUAL_READER")
    }
    do throws(VirtualTagError) {
      if let answer = try body(VirtualTag(socketPath: path)) { Output.write(answer) }
    } catch { throw Refusal(error) }
  }

  private static func noMore(_ words: [String]) throws(Refusal) {
    if let word = words.first { throw .usage("\(word) is one word too many: leave it out") }
  }

  private static func bytes(_ text: String, _ name: String, _ range: ClosedRange<Int>) throws(Refusal) -> [UInt8] {
    guard let bytes = Hex.bytes(text), range.contains(bytes.count) else {
      throw .usage(
        "\(name) \(text) is not hex of \(range.lowerBound) to \(range.upperBound) bytes: give pairs of digits")
    }
    return bytes
  }
}

/// What goes wrong during one tap.
enum Fault: Equatable {
  case mute
  case torn
  case comm
  case status
  case unavailable
  case slow
  case answer([UInt8])

  init(_ text: String) throws(Refusal) {
    switch text {
    case "mute": self = .mute
    case "torn": self = .torn
    case "comm": self = .comm
    case "status": self = .status
    case "unavailable": self = .unavailable
    case "slow": self = .slow
    case _ where text.hasPrefix("sw="):
      guard let bytes = Hex.bytes(String(text.dropFirst(3))), (1...1024).contains(bytes.count) else {
        throw .usage("--fault \(text) is not hex of 1 to 1024 bytes: give pairs of digits, such as sw=6300")
      }
      self = .answer(bytes)
    default: throw .usage("--fault \(text) is unknown: use mute, torn, comm, status, unavailable, slow or sw=HEX")
    }
  }

  func set(_ on: Bool, at tag: VirtualTag) throws(VirtualTagError) {
    let times = on ? VirtualTag.Times.always : .off
    switch self {
    case .mute: try tag.mute(times)
    case .torn: try tag.tear(times)
    case .comm: try tag.failTransmits(times)
    case .status: try tag.failStatus(on)
    case .unavailable: try tag.unavailable(on)
    case .slow: try tag.slow(times, milliseconds: 2000)
    case .answer(let bytes): try tag.answer(times, bytes)
    }
  }
}
