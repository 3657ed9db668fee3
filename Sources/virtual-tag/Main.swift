internal import Glibc
internal import Linux
internal import VirtualTag

/// Moves virtual tags and serves virtual readers: `virtual-tag help`.
@main struct Main {
  static func main() {
    Signal.block()
    let words = Array(CommandLine.arguments.dropFirst())
    do throws(Refusal) {
      try run(words)
    } catch {
      Output.write("virtual-tag: \(error.message)", to: 2)
      exit(error.code)
    }
  }

  private static func run(_ words: [String]) throws(Refusal) {
    guard let name = words.first else {
      throw .usage(
        "no command: say one of tap, in, out, mute, state, log, reset, serve; `virtual-tag help` explains them")
    }
    switch name {
    case "help", "--help", "-h": Output.write(Help.text)
    case "serve": try Serve.run(Array(words.dropFirst()))
    default: try Play.run(name, Array(words.dropFirst()))
    }
  }
}

/// Why a command was not carried out: one line for people, `what: what to do`, and the exit code (DESIGN 4.1).
struct Refusal: Error {
  let code: Int32
  let message: String

  static func usage(_ message: String) -> Refusal { Refusal(code: 64, message: message) }

  init(code: Int32, message: String) {
    self.code = code
    self.message = message
  }

  init(_ error: VirtualTagError) {
    switch error {
    case .refused, .pathTooLong: code = 64
    case .notRunning, .noAnswer: code = 69
    case .unexpectedAnswer, .system: code = 70
    }
    message = error.description
  }

  init(_ error: PrivatePcscdError) {
    switch error {
    case .folderTooLong, .folder: code = 64
    case .noPcscd, .noLibrary, .didNotStart: code = 69
    case .system: code = 70
    }
    message = error.description
  }
}

/// Lines, written at once: whoever reads them from a pipe waits for them.
enum Output {
  static func write(_ line: String, to descriptor: Int32 = 1) {
    let bytes = Array("\(line)\n".utf8)
    _ = unsafe Glibc.write(descriptor, bytes, bytes.count)
  }
}

enum Help {
  static let text = """
    virtual-tag moves a tag at a virtual reader, so that the agent can be tried without hardware.

    virtual-tag serve DIR [--readers N]   run a pcscd of your own with N (1 to 8) virtual readers, living in DIR, until
                                          Ctrl-C; prints PCSCLITE_CSOCK_NAME for the agent and each reader's socket
    virtual-tag tap [--uid HEX] [--hold MS] [--fault FAULT]
                                          a tag comes and goes; FAULT is mute, torn, comm, status, unavailable, slow or
                                          sw=HEX (the answer to the UID request, such as sw=6300)
    virtual-tag in [--uid HEX] [--atr HEX]    a tag comes
    virtual-tag out                           and goes
    virtual-tag mute|comm on|off|N            the next N power-ups or transmits fail
    virtual-tag torn on|off|N 0|1             transmits end with 0 or 1 bytes
    virtual-tag slow on|off|N MS              transmits take MS longer
    virtual-tag answer on|off|N HEX           requests for the UID are answered with HEX, status word included
    virtual-tag fill on|off|N COUNT           … with COUNT bytes
    virtual-tag status|unavailable on|off     the reader itself fails
    virtual-tag reset                         all is well, no tag
    virtual-tag state | log [AFTER]           what is set; what happened

    All but serve take --socket PATH, the reader's control socket; by default KIOSK_VIRTUAL_READER from the environment.
    """
}
