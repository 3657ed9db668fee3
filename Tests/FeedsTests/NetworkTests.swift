import Foundation
import Glibc
import Linux
import Testing

@testable import Feeds

/// The real curl(1) and what may be wrong between it and the server.
@Suite(.timeLimit(.minutes(1)))
struct NetworkTests {
  @Test func `a name server that never answers costs the deadline and no more`() async throws {
    let folder = TemporaryFolder()
    let spaces = "/usr/bin/unshare --net --mount"
    guard
      try ChildProcess.run("/bin/sh", ["-c", "\(spaces) true"], environment: [:], deadline: .seconds(10)).end
        == .exited(0)
    else { return print("SKIP a name server that never answers: needs root for a network of its own") }
    let program = try script(
      "exec \(spaces) /usr/bin/env python3 \(RealServer.folder)/blackhole.py \(folder.path)/resolv.conf /usr/bin/curl \"$@\"",
      in: folder)
    let bench = RealBench(try RealServer.plain.get(), deadline: .seconds(2), program: program)
    let asked = bench.time.uptime()
    let reading = try await bench.fetch("https://api.example.org/")
    #expect(reading.standing.fault == .overdue(.seconds(2)))
    let took = bench.time.uptime() - asked
    #expect(took >= .seconds(2) && took < .seconds(6), "\(took)")
  }

  // MARK: Certificates

  /// Makes `good`, `expired`, `other` (for another name) and `unknown`, each with its key, as certificates of themselves.
  private static let recipe = """
    set -e; cd "$0"; : > index
    cat > ca.cnf <<END
    [ca]
    default_ca = self
    [self]
    database = index
    new_certs_dir = .
    rand_serial = yes
    default_md = sha256
    policy = any
    [any]
    commonName = supplied
    [here]
    subjectAltName = IP:127.0.0.1
    [elsewhere]
    subjectAltName = DNS:elsewhere.example.org
    END
    make() {
      openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout $1.key -out $1.req -subj /CN=$1
      openssl ca -batch -selfsign -config ca.cnf -extensions $2 -keyfile $1.key -in $1.req -out $1 \\
        -startdate 20200101000000Z -enddate $3 -notext
    }
    make good here 20990101000000Z; make expired here 20200201000000Z
    make other elsewhere 20990101000000Z; make unknown here 20990101000000Z
    """

  @Test func `only a certificate that is valid, trusted and of that name is believed`() async throws {
    guard unsafe access("/usr/bin/openssl", X_OK) == 0 else { return print("SKIP certificates: needs openssl") }
    let folder = TemporaryFolder()
    let made = try ChildProcess.run(
      "/bin/sh", ["-c", Self.recipe, folder.path], environment: ["PATH": "/usr/bin:/bin"], deadline: .seconds(20))
    try #require(made.end == .exited(0), "\(String(decoding: made.errors, as: UTF8.self))")
    for (name, trusted, fault) in [
      ("good", "good", nil), ("expired", "expired", .certificate(.expired)),
      ("other", "other", .certificate(.wrongName)),
      ("unknown", "good", .certificate(.untrusted)),
    ] as [(String, String, Fault?)] {
      let environment = ["PATH": "/usr/bin:/bin", "SSL_CERT_FILE": "\(folder.path)/\(trusted)"]
      let bench = RealBench(try RealServer(certificate: "\(folder.path)/\(name)"), environment: environment)
      let reading = try await bench.fetch("/plain")
      #expect(reading.standing.fault == fault, "\(name)")
      #expect((reading.value == RealBench.good) == (fault == nil))
    }
  }

  @Test func `a server without TLS on a port of https is no secure connection`() async throws {
    let server = try RealServer.plain.get()
    let reading = try await RealBench(server).fetch(server.origin.replacing("http:", with: "https:") + "/plain")
    #expect(reading.standing.fault == .certificate(.other(35)))
  }
}
