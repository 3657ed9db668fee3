internal import Foundation
internal import Glibc

/// An Internet of a patient's own, in a network namespace: a name server, a page by http and servers by https. The technician
/// is run in it, and nothing of this machine's network is touched or seen.
package enum Internet: String, Sendable {
  case well
  /// The name server hears and never answers.
  case muteNames
  /// The name server knows no name.
  case noNames
  /// Whatever is asked for by http, a log-in page comes; https is not let through.
  case portal
  /// Nothing listens for https.
  case noHTTPS
  /// Certificates are signed by somebody unknown.
  case filter

  /// The host of the buses; the calendar's is another.
  static let buses = "https://api.buses.test"
  static let calendars = "https://calendar.test"
  /// The school's.
  static let school = "https://school.test"

  /// Runs a program in it: MODE FOLDER PROGRAM ARGUMENT...
  fileprivate static let script = """
    import fcntl, http.server, os, socket, ssl, struct, subprocess, sys, threading
    mode, folder = sys.argv[1], sys.argv[2]
    names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    # SIOCSIFFLAGS, IFF_UP: without it there is no loopback in a new namespace.
    fcntl.ioctl(names, 0x8914, struct.pack('16sH14x', b'lo', 1))
    names.bind(('127.0.0.1', 53))
    def answer_names():
        while True:
            question, asker = names.recvfrom(512)
            if mode == 'muteNames': continue
            end = question.index(b'\\0', 12) + 5
            isIPv4 = question[end - 4:end - 2] == b'\\0\\x01'
            known = mode != 'noNames'
            head = question[:2] + (b'\\x81\\x80' if known else b'\\x81\\x83') + struct.pack('>HHHH', 1, known and isIPv4, 0, 0)
            record = b'\\xc0\\x0c\\0\\x01\\0\\x01\\0\\0\\0\\x3c\\0\\x04\\x7f\\0\\0\\x01' if known and isIPv4 else b''
            names.sendto(head + question[12:end] + record, asker)
    class Files(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments): super().__init__(*arguments, directory=folder + '/web')
        def log_message(self, *_): pass
    class Plain(Files):
        def do_GET(self):
            body = b'<html>log in</html>' if mode == 'portal' else b'NetworkManager is online\\n'
            self.send_response(302 if mode == 'portal' else 200)
            if mode == 'portal': self.send_header('Location', 'http://login.hotel.test/?from=kiosk')
            self.send_header('Content-Length', str(len(body)))
            self.end_headers()
            self.wfile.write(body)
    servers = [http.server.ThreadingHTTPServer(('127.0.0.1', 80), Plain)]
    if mode not in ('portal', 'noHTTPS'):
        secure = http.server.ThreadingHTTPServer(('127.0.0.1', 443), Files)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder + '/certificate', folder + '/key')
        secure.socket = context.wrap_socket(secure.socket, server_side=True)
        servers.append(secure)
    for work in [answer_names] + [server.serve_forever for server in servers]:
        threading.Thread(target=work, daemon=True).start()
    for source, target in [('resolv.conf', '/etc/resolv.conf'), ('trusted', '/etc/ssl/certs/ca-certificates.crt')]:
        subprocess.run(['mount', '--bind', folder + '/' + source, os.path.realpath(target)], check=True)
    sys.exit(subprocess.call(sys.argv[3:]))
    """

  /// Makes a certificate and its key.
  fileprivate static func certificate(_ name: String, in folder: String, key: String) throws {
    let words = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "365", "-subj",
      "/O=Kiosk Tests/CN=\(name)", "-addext", "subjectAltName=DNS:api.buses.test,DNS:calendar.test,DNS:school.test",
      "-keyout",
      "\(folder)/\(key)", "-out", "\(folder)/\(name)",
    ]
    guard try Patient.run("/usr/bin/openssl", words) == 0 else {
      throw Patient.NotPossible("openssl makes no certificate")
    }
  }
}

extension Patient {
  /// Whatever is fetched comes from such an Internet from now on, as far as `--diagnose` sees; the agent itself is not in it.
  package func useInternet(_ internet: Internet) throws {
    let spaces = ["/usr/bin/unshare", "--net", "--mount"]
    guard try Self.run(spaces[0], spaces.dropFirst() + ["/bin/true"]) == 0,
      unsafe access("/usr/bin/openssl", X_OK) == 0, unsafe access("/etc/ssl/certs/ca-certificates.crt", F_OK) == 0
    else { throw NotPossible("a network of its own needs root, openssl and ca-certificates") }
    let folder = kiosk.folder + "/internet"
    try web(in: folder + "/web")
    try Internet.certificate("certificate", in: folder, key: "key")
    try Internet.certificate("stranger", in: folder, key: "stranger-key")
    try FileManager.default.moveItem(
      atPath: "\(folder)/\(internet == .filter ? "stranger" : "certificate")", toPath: "\(folder)/trusted")
    if internet == .filter {
      try FileManager.default.removeItem(atPath: "\(folder)/stranger-key")
    } else {
      try FileManager.default.copyItem(atPath: "\(folder)/trusted", toPath: "\(folder)/certificate")
    }
    try kiosk.write("internet/resolv.conf", "nameserver 127.0.0.1\n")
    try plant.write("/etc/resolv.conf", "nameserver 127.0.0.1\n")
    try plant.network()
    try configureOutside()
    try enterSchool(at: Internet.school)
    wrapper = spaces + ["/usr/bin/python3", "-c", Internet.script, internet.rawValue, folder]
  }

  /// The configuration names servers of the Internet.
  package func configureOutside() throws {
    try configure(
      sources: Secrets.sources(keyFile: keyFile, buses: Internet.buses, calendars: Internet.calendars))
  }

  /// The files that the servers have.
  private func web(in folder: String) throws {
    let buses = SimulatedBuses.sample
    let paths = [
      "/api/where/agencies-with-coverage.json", "/api/where/stop/1_75403.json",
      "/api/where/arrivals-and-departures-for-stop/1_75403.json",
    ]
    var files = paths.map { ($0, buses.answer($0, query: [:], at: Date()).body) }
    files.append((Secrets.calendarPath, FakeCalendar.text))
    files += FakeSchool.published(at: Date()).map { (FakeSchool.folder + $0.name, $0.text) }
    for (path, text) in files {
      let file = folder + path
      try FileManager.default.createDirectory(
        atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: URL(filePath: file))
    }
  }
}

extension SimulatedBuses {
  /// A bus every ten minutes, day and night, at the stop that patients watch.
  package static var sample: SimulatedBuses {
    SimulatedBuses(
      [Line(stop: "1_75403", route: "1_100225", shortName: "44", first: 0, last: 1430, every: 10)],
      zone: TimeZone(identifier: "America/Los_Angeles") ?? .gmt)
  }
}

extension Plant {
  /// A network card with a cable in it, and a router behind.
  /// - Parameters:
  ///   - isUp: whether the cable is in.
  ///   - routes: rows of /proc/net/route.
  package func network(isUp: Bool = true, routes: String = Plant.routes) throws {
    try write("/sys/class/net/eth0/operstate", isUp ? "up\n" : "down\n")
    try write("/sys/class/net/eth0/device/vendor", "0x14e4\n")
    try write("/sys/class/net/lo/operstate", "unknown\n")
    // The sockets stay the kernel's.
    try remove("/proc/net")
    for table in ["tcp", "tcp6"] { try link("/proc/net/\(table)", to: "/proc/net/\(table)") }
    try write("/proc/net/route", "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\n" + routes)
  }

  /// A house's network and the way out of it.
  package static let routes = """
    eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
    eth0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0

    """
}
