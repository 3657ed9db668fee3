import CLinux
import Foundation
import Glibc
import Linux
import TestSupport
import Testing

@testable import Feeds

/// misbehaving.py, until the test lets go of it.
final class RealServer: Sendable {
  private let program: ChildProgram
  /// Its end of the pipe that the program reads: it ends when this closes, at the latest with this process.
  private let life: Int32
  let origin: String

  static let folder = URL(filePath: #filePath).deletingLastPathComponent().path

  /// - Parameter certificate: the path of a certificate, whose key lies beside it as `.key`; nil: plain http.
  init(certificate: String? = nil) throws {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else { throw Trouble("no pipe: errno \(errno)") }
    defer { close(ends[0]) }
    life = ends[1]
    program = try ChildProgram(
      "/usr/bin/env",
      ["python3", "\(Self.folder)/misbehaving.py"] + (certificate.map { [$0, $0 + ".key"] } ?? []), input: ends[0])
    let sign = #/port (\d+)\./#
    let port = try Waiting.value("its port: \(program.text)") { [program] in try sign.firstMatch(in: program.text)?.1 }
    origin = "\(certificate == nil ? "http" : "https")://127.0.0.1:\(port)"
  }

  deinit { close(life) }

  /// One that all tests of this process share.
  static let plain = Result { try RealServer() }
}

/// A source with the real curl(1) behind it, and real time.
struct RealBench {
  /// What `{"good":true}` is.
  static let good = "{\"good\":true}"

  let folder = TemporaryFolder()
  let book = LogBook()
  let source: Source
  let time = SystemTime()
  private let server: RealServer

  init(
    _ server: RealServer, key: String? = nil, deadline: Duration = .seconds(10), program: String = "/usr/bin/curl",
    environment: [String: String] = ["PATH": "/usr/bin:/bin"], change: (inout FeedSettings) -> Void = { _ in }
  ) {
    self.server = server
    var settings = FeedSettings(id: "onebusaway")
    if key != nil { settings.keyParameter = "key" }
    settings.deadline = deadline
    settings.limit = 1 << 20
    // The next try may come at once.
    settings.backOff = .init(first: .zero, cap: .zero)
    change(&settings)
    source = Bench.source(
      settings, key: key, exchange: .curl(agent: "kiosk-agent/test", environment: environment, program: program),
      time: time, folder: folder, boot: "boot", book)
  }

  /// - Parameter path: on the server, or a whole address.
  func fetch(_ path: String, parse: @Sendable (Delivery) throws(Objection) -> String = json) async throws
    -> Reading<String>
  {
    let address = path.hasPrefix("/") ? server.origin + path : path
    return try await source.fetch(
      Resource(name: "document", address: try #require(Address(address)), freshness: Freshness(interval: .zero)),
      parse: parse)
  }
}

/// A test's own means that failed.
struct Trouble: Error {
  let what: String
  init(_ what: String) { self.what = what }
}

/// A parser that takes a JSON object.
@Sendable func json(_ delivery: Delivery) throws(Objection) -> String {
  guard (try? JSONSerialization.jsonObject(with: Data(delivery.body))) is [String: Any] else { throw .notAWord }
  return String(decoding: delivery.body, as: UTF8.self)
}

/// A program in the place of curl, with more around it.
func script(_ text: String, in folder: TemporaryFolder) throws -> String {
  let path = "\(folder.path)/curl"
  try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(filePath: path))
  guard unsafe chmod(path, 0o700) == 0 else { throw Trouble("no mode for \(path)") }
  return path
}
