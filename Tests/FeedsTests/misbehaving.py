"""A small HTTP server that misbehaves by path, for the tests of Feeds. Standard library only.

Prints `port N.`, then serves until its standard input closes: plain, or with two arguments, a certificate and its key, TLS. Every
request is remembered; /log gives them as a JSON list of {path, agent, ifNoneMatch, ifModifiedSince}.
"""
import gzip, json, os, socket, ssl, struct, sys, threading, time, zlib
from email.utils import formatdate

GOOD = b'{"good":true}'
log, lock = [], threading.Lock()


def head(status, *headers):
    return ('HTTP/1.1 %s\r\n' % status + ''.join(h + '\r\n' for h in headers) + '\r\n').encode()


def whole(c, status, body, *headers):
    c.sendall(head(status, 'Content-Length: %d' % len(body), 'Connection: close', *headers) + body)


def forever(c, piece, pause=0):
    while True:
        c.sendall(piece)
        if pause:
            time.sleep(pause)


def mute(c, r):
    time.sleep(3600)


def mute_after_head(c, r):
    c.sendall(head('200 OK', 'Content-Length: 100'))
    time.sleep(3600)


def drip(c, r):
    c.sendall(head('200 OK', 'Content-Length: 100000'))
    forever(c, b' ', 1)


def drip_head(c, r):
    c.sendall(b'HTTP/1.1 200 OK\r\nX-A: ')
    forever(c, b'a', 1)


def pour(c):
    """300 MB in small pieces: the kernel copies each on this machine's cores, and lets nobody else in while it does."""
    for _ in range(30_000):
        c.sendall(b' ' * 10_000)


def huge(c, r):
    c.sendall(head('200 OK', 'Content-Length: 300000000'))
    pour(c)


def huge_without_length(c, r):
    c.sendall(head('200 OK', 'Connection: close'))
    pour(c)


def packed(zeros, times):
    """So many times so many zeros in gzip (RFC 1952), of which one block is packed and repeated."""
    piece = b'\0' * zeros
    pack = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = pack.compress(piece) + pack.flush(zlib.Z_FULL_FLUSH)
    sum = 0
    for _ in range(times):
        sum = zlib.crc32(piece, sum)
    return b'\x1f\x8b\x08\0\0\0\0\0\2\xff' + block * times + b'\3\0' + struct.pack('<II', sum, zeros * times)


BOMB = packed(1_000_000, 300)


def bomb(c, r):
    """300 MB in 300 kB."""
    whole(c, '200 OK', BOMB, 'Content-Encoding: gzip')


def endless_head(c, r):
    c.sendall(b'HTTP/1.1 200 OK\r\n')
    forever(c, b'X-A: ' + b'a' * 1000 + b'\r\n')


def endless_head_line(c, r):
    c.sendall(b'HTTP/1.1 200 OK\r\nX-A: ')
    forever(c, b'a' * 1000)


def reset(c, r):
    c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))


def reset_in_body(c, r):
    c.sendall(head('200 OK', 'Content-Length: 1000') + b'{"good"')
    time.sleep(0.2)
    reset(c, r)


def cut(c, r):
    c.sendall(head('200 OK', 'Content-Length: 1000') + b'{"good"')


def validated(c, r):
    tag = '"v \\1"'
    if r['ifNoneMatch'] == tag:
        c.sendall(head('304 Not Modified', 'ETag: ' + tag, 'Date: ' + formatdate(usegmt=True)))
    else:
        whole(c, '200 OK', GOOD, 'ETag: ' + tag, 'Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT',
              'Date: ' + formatdate(usegmt=True))


def echo_key(c, r):
    key = r['path'].partition('key=')[2]
    whole(c, '500 ' + key, ('no such key: ' + key).encode(), 'ETag: "%s"' % key, 'X-Key: ' + key)


def echo_key_away(c, r):
    key = r['path'].partition('key=')[2]
    whole(c, '302 Found', b'', 'Location: https://%s.example.org/?key=%s' % (key, key))


PAGES = {
    '/good': lambda c, r: whole(c, '200 OK', GOOD, 'Date: Sun, 01 Nov 2026 16:00:00 GMT', 'Age: 7'),
    '/plain': lambda c, r: whole(c, '200 OK', GOOD),
    '/gzip': lambda c, r: whole(c, '200 OK', gzip.compress(GOOD), 'Content-Encoding: gzip'),
    '/damaged-gzip': lambda c, r: whole(c, '200 OK', b'\x1f\x8b no', 'Content-Encoding: gzip'),
    '/unknown-encoding': lambda c, r: whole(c, '200 OK', GOOD, 'Content-Encoding: rot13'),
    '/html': lambda c, r: whole(c, '200 OK', b'\xef\xbb\xbf\n<!DOCTYPE html><title>Log in</title>'),
    '/empty': lambda c, r: whole(c, '200 OK', b''),
    '/null': lambda c, r: whole(c, '200 OK', b'null'),
    '/latin1': lambda c, r: whole(c, '200 OK', b'{"good":"\xe9"}'),
    '/interim': lambda c, r: (c.sendall(head('103 Early Hints', 'Link: </a>')), whole(c, '200 OK', GOOD)),
    '/not-http': lambda c, r: c.sendall(b'220 ready\r\n'),
    '/mute': mute, '/mute-after-head': mute_after_head, '/drip': drip, '/drip-head': drip_head,
    '/huge': huge, '/huge-without-length': huge_without_length, '/bomb': bomb,
    '/endless-head': endless_head, '/endless-head-line': endless_head_line,
    '/reset': reset, '/reset-in-body': reset_in_body, '/cut': cut, '/silent': lambda c, r: None,
    '/loop': lambda c, r: whole(c, '302 Found', b'', 'Location: /loop'),
    '/moved': lambda c, r: whole(c, '301 Moved', b'', 'Location: /good?moved'),
    '/away': lambda c, r: whole(c, '302 Found', b'', 'Location: https://portal.example.org/login'),
    '/away-plain': lambda c, r: whole(c, '302 Found', b'', 'Location: http://10.0.0.1/'),
    '/away-file': lambda c, r: whole(c, '302 Found', b'', 'Location: file:///etc/passwd'),
    '/nowhere': lambda c, r: whole(c, '302 Found', b''),
    '/validated': validated, '/echo-key': echo_key, '/echo-key-away': echo_key_away,
    '/always-304': lambda c, r: c.sendall(head('304 Not Modified')),
    '/busy': lambda c, r: whole(c, '429 Too Many', b'{}', 'Retry-After: 120'),
    '/log': lambda c, r: whole(c, '200 OK', json.dumps(log).encode()),
}
for status in (204, 206, 401, 403, 404, 410, 418, 500, 503):
    PAGES['/%d' % status] = lambda c, r, s=status: whole(c, '%d Said' % s, b'' if s == 204 else b'{"good":true}')


def serve(c):
    try:
        data = b''
        while b'\r\n\r\n' not in data:
            piece = c.recv(4096)
            if not piece:
                return
            data += piece
            if data[0] == 0x16:
                # A TLS greeting on a plain port: as other servers answer it.
                return c.sendall(head('400 Bad Request'))
        lines = data.decode('latin1').split('\r\n')
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(':') for line in lines[1:])}
        request = {'path': lines[0].split(' ')[1], 'agent': headers.get('user-agent'),
                   'ifNoneMatch': headers.get('if-none-match'),
                   'ifModifiedSince': headers.get('if-modified-since')}
        path = request['path'].partition('?')[0]
        if path != '/log':
            with lock:
                log.append(request)
        PAGES.get(path, lambda c, r: whole(c, '404 Not Found', b'nothing'))(c, request)
    except OSError:
        pass
    finally:
        c.close()


listener = socket.socket()
listener.bind(('127.0.0.1', 0))
listener.listen(50)
context = None
if len(sys.argv) == 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
print('port %d.' % listener.getsockname()[1], flush=True)


def end_with_input():
    sys.stdin.read()
    os._exit(0)


def accept(c):
    try:
        serve(context.wrap_socket(c, server_side=True) if context else c)
    except OSError:
        c.close()


threading.Thread(target=end_with_input, daemon=True).start()
while True:
    connection, _ = listener.accept()
    threading.Thread(target=accept, args=(connection,), daemon=True).start()
