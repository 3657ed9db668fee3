"""Runs a program where the only name server hears and never answers: blackhole.py RESOLV_CONF PROGRAM ARGUMENT...

Needs a network and a mount namespace of its own (unshare -n -m).
"""
import fcntl, os, socket, struct, subprocess, sys

listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
# SIOCSIFFLAGS, IFF_UP: without it there is no loopback in a new namespace.
fcntl.ioctl(listener, 0x8914, struct.pack('16sH14x', b'lo', 1))
listener.bind(('127.0.0.1', 53))
# It stays open, with nobody who reads: nothing tells the program that nobody is there.
listener.set_inheritable(True)
with open(sys.argv[1], 'w') as file:
    file.write('nameserver 127.0.0.1\n')
subprocess.run(['mount', '--bind', sys.argv[1], '/etc/resolv.conf'], check=True)
os.execv(sys.argv[2], sys.argv[2:])
