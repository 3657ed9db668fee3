internal import Foundation
internal import Linux
internal import VirtualTag

/// `serve DIR`: a private pcscd with virtual readers until SIGINT, SIGTERM or SIGHUP.
enum Serve {
  static func run(_ words: [String]) throws(Refusal) {
    let options = try Options(words, known: ["--readers"])
    guard let folder = options.rest.first, options.rest.count == 1 else {
      throw .usage("serve wants one folder: say `virtual-tag serve DIR`")
    }
    let count = try options.number("--readers", in: 1...8, default: 1)
    let pcscd: PrivatePcscd
    do throws(PrivatePcscdError) {
      pcscd = try PrivatePcscd(
        readers: Array(repeating: .acr122, count: count), libraries: libraries(), folder: absolute(folder))
      try pcscd.start()
    } catch { throw Refusal(error) }
    Output.write("pcscd \(pcscd.socketPath)")
    for index in 0..<count { Output.write("control \(pcscd.controlSocket(index))") }

    Threads.start(name: "pcscd") {
      pcscd.waitForEnd()
      if pcscd.pid == nil, !ending.isSet { fail(pcscd) }
    }
    _ = Signal.wait()
    ending.set()
    pcscd.stop()
  }

  private static let ending = Flag()

  private static func fail(_ pcscd: PrivatePcscd) {
    Output.write("virtual-tag: pcscd has ended: see \(pcscd.folder)/pcscd.log", to: 2)
    exit(69)
  }

  /// The libraries lie beside this program.
  private static func libraries() -> String {
    let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(filePath: program ?? "").deletingLastPathComponent().path(percentEncoded: false)
  }

  /// pcscd leaves the current folder.
  private static func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
  }
}
