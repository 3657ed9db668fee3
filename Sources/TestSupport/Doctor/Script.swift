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

  /// Keeps a page open as a browser does.
  package static let openPage = """
    import socket, sys, time
    page = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
    page.sendall(b'GET /events HTTP/1.1\\r\\nHost: 127.0.0.1:' + sys.argv[1].encode() + b'\\r\\n\\r\\n')
    print('opened', flush=True)
    while page.recv(65536): pass
    """
}
