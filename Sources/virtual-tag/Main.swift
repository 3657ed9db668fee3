internal import Foundation
internal import Glibc
internal import Linux
internal import VirtualTag

/// Taps a virtual reader, and serves one: `virtual-tag help`.
@main
struct Main {
  static let usage = """
    usage: virtual-tag tap [--socket PATH] [--uid HEX] [--hold MS] [--fault mute|torn|comm|slow|sw=HEX]
           virtual-tag send [--socket PATH] COMMAND...      any command of VirtualReader.h
           virtual-tag serve FOLDER                         a private pcscd with a virtual reader, until Ctrl-C
    PATH is by default in the environment as KIOSK_VIRTUAL_READER.
    """

  static func main() {
    Signal.block()
    do {
      try run(Array(CommandLine.arguments.dropFirst()))
    } catch let failure as Failure {
      fail(failure.code, failure.sentence)
    } catch {
      fail(69, "\(error)")
    }
  }

  struct Failure: Error {
    let code: Int32
    let sentence: String
  }

  private static func run(_ words: [String]) throws {
    var words = words
    let name = words.isEmpty ? "help" : words.removeFirst()
    func take(_ option: String) throws -> String? {
      guard let index = words.firstIndex(of: option) else { return nil }
      guard index + 1 < words.count else {
        throw Failure(code: 64, sentence: "\(option) has no value: see virtual-tag help")
      }
      words.remove(at: index)
      return words.remove(at: index)
    }
    switch name {
    case "serve":
      guard words.count == 1 else {
        throw Failure(code: 64, sentence: "serve needs a folder: virtual-tag serve FOLDER")
      }
      try serve(words[0])
    case "tap", "send":
      guard let path = try take("--socket") ?? ProcessInfo.processInfo.environment["KIOSK_VIRTUAL_READER"] else {
        throw Failure(code: 64, sentence: "no reader named: say --socket PATH or set KIOSK_VIRTUAL_READER")
      }
      let tag = VirtualTag(socket: path)
      if name == "send" {
        print(try tag.send(words.joined(separator: " ")))
        return
      }
      let uid = try take("--uid") ?? "04A1B2C3D4E5F6"
      let hold = try take("--hold") ?? "400"
      let fault = try take("--fault")
      guard words.isEmpty else {
        throw Failure(code: 64, sentence: "tap does not take \(words[0]): see virtual-tag help")
      }
      if let fault { try tag.send(try command(for: fault)) }
      defer {
        if fault != nil { for end in ["mute 0", "short 0 0", "fail 0", "slow 0 0", "sw 0"] { _ = try? tag.send(end) } }
      }
      try tag.send("tap \(uid) \(hold)")
    case "help", "--help", "-h": print(usage)
    default: throw Failure(code: 64, sentence: "unknown command \(name): see virtual-tag help")
    }
  }

  private static func command(for fault: String) throws -> String {
    switch fault {
    case "mute": return "mute -1"
    case "torn": return "short -1 0"
    case "comm": return "fail -1"
    case "slow": return "slow 1 2000"
    default:
      guard fault.hasPrefix("sw=") else {
        throw Failure(code: 64, sentence: "unknown fault \(fault): say mute, torn, comm, slow or sw=HEX")
      }
      return "sw -1 \(fault.dropFirst(3))"
    }
  }

  /// Prints where it listens, one `name path` a line, and waits for a signal.
  private static func serve(_ folder: String) throws {
    let program =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    let bin = (program as NSString).deletingLastPathComponent
    let pcscd = try PrivatePcscd(directory: folder, driver: bin + "/libVirtualReader.so")
    do { try pcscd.start() } catch { throw Failure(code: 69, sentence: "\(error)") }
    print("pcscd \(pcscd.socket)")
    print("control \(pcscd.tags[0].socket)")
    fflush(nil)
    _ = Signal.wait()
    pcscd.stop()
  }

  private static func fail(_ code: Int32, _ sentence: String) -> Never {
    FileHandle.standardError.write(Data("virtual-tag: \(sentence)\n".utf8))
    exit(code)
  }
}
