/// Programs of others that get in the way.
package enum Script {
  /// Takes contexts until pcscd gives no more.
  package static let manyContexts = """
    import ctypes, time
    lib = ctypes.CDLL('libpcsclite.so.1')
    taken = []
    while len(taken) < 1000:
        context = ctypes.c_long()
        if lib.SCardEstablishContext(ctypes.c_ulong(2), None, None, ctypes.byref(context)) != 0: break
        taken.append(context)
    print('full', flush=True)
    time.sleep(600)
    """

  /// Connects to the first reader's tag and lets nobody else.
  package static let exclusiveClient = """
    import ctypes, time
    lib = ctypes.CDLL('libpcsclite.so.1')
    context, card, size, protocol = ctypes.c_long(), ctypes.c_long(), ctypes.c_ulong(1024), ctypes.c_ulong()
    names = ctypes.create_string_buffer(1024)
    assert lib.SCardEstablishContext(ctypes.c_ulong(2), None, None, ctypes.byref(context)) == 0
    assert lib.SCardListReaders(context, None, names, ctypes.byref(size)) == 0
    while lib.SCardConnect(context, names, ctypes.c_ulong(1), ctypes.c_ulong(3), ctypes.byref(card),
        ctypes.byref(protocol)) != 0: time.sleep(0.05)
    print('held', flush=True)
    time.sleep(600)
    """

  /// Takes connections on a unix socket and says nothing.
  package static let silentListener = """
    import socket, sys, time
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen(64)
    print('listening', flush=True)
    time.sleep(600)
    """

  /// Serves a calendar of 200 MB whose length it does not tell, and says on which port.
  package static let longCalendar = """
    import http.server
    class Long(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_): pass
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'BEGIN:VCALENDAR\\r\\n')
            try:
                for _ in range(200): self.wfile.write(b'X-CANARY:1\\r\\n' * 83334)
            except OSError: pass
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Long)
    print('port', server.server_port, flush=True)
    server.serve_forever()
    """

  /// Takes a port of this machine and says which.
  package static let portHolder = """
    import socket, time
    listener = socket.socket()
    listener.bind(('127.0.0.1', 0))
    listener.listen(8)
    print('port', listener.getsockname()[1], flush=True)
    time.sleep(600)
    """

  /// Holds the right to write into a database.
  package static let ledgerHolder = """
    import sqlite3, sys, time
    database = sqlite3.connect(sys.argv[1], isolation_level=None)
    database.execute('BEGIN IMMEDIATE')
    print('held', flush=True)
    time.sleep(600)
    """

  /// Runs SQL on a database.
  package static let sql = """
    import sqlite3, sys, time
    database = sqlite3.connect(sys.argv[1], isolation_level=None)
    database.executescript(sys.argv[2])
    database.close()
    print('done', flush=True)
    time.sleep(600)
    """

  /// Keeps a page open and says what it has painted, as a browser does; ends with the agent.
  package static let openPage = """
    import json, socket, sys, time
    host, port = sys.argv[1].strip('[]'), int(sys.argv[2])
    name = sys.argv[1] + ':' + sys.argv[2]
    def ask(head, body=b''):
        with socket.create_connection((host, port)) as connection:
            lines = [head + ' HTTP/1.1', 'Host: ' + name, 'Origin: http://' + name, 'Connection: close',
                'Content-Type: application/json', 'Content-Length: %d' % len(body)]
            connection.sendall('\\r\\n'.join(lines + ['', '']).encode() + body)
            return connection.makefile('rb').read().partition(b'\\r\\n\\r\\n')[2]
    page = socket.create_connection((host, port))
    page.sendall(('GET /events HTTP/1.1\\r\\nHost: ' + name + '\\r\\n\\r\\n').encode())
    wall = {}
    while 'boot' not in wall: wall = json.loads(ask('GET /api/wall'))
    page.settimeout(1)
    painted = 0
    while True:
        if time.monotonic() - painted >= 10:
            ask('POST /display/ack', json.dumps({'v': wall['v'], 'boot': wall['boot'], 'w': 1080, 'h': 1920,
                'vis': 'visible', 't0': False}).encode())
            if not painted: print('opened', flush=True)
            painted = time.monotonic()
        try:
            if not page.recv(65536): break
        except TimeoutError: pass
    """
}
