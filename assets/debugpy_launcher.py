"""Starts a debug adapter that is a Python module, with its TCP sockets acknowledging at once.

Usage: python -c THIS-FILE MODULE [ARGUMENT...]

The debuggee's side of the connection sends each message in two pieces and waits for the first to be
acknowledged (Nagle's algorithm), while the kernel on this side holds the acknowledgement back for about
40 ms. Asking for quick acknowledgements around each read takes that wait away; the option is not sticky,
so it is set again every time. The debuggee itself is not touched.

A port is open to all users of the machine, and the adapter's secret stands in command lines that all of them
read: whoever comes as another user is turned away.
"""

import sys

# `-c` put the current directory first on the path: before anything else is imported, so that no file of the
# user's project stands in for a module of the adapter or of Python itself.
sys.path[:] = [entry for entry in sys.path if entry != ""]

import os
import runpy
import socket

_QUICK_ACK = getattr(socket, "TCP_QUICKACK", None)
_TCP_FAMILIES = (socket.AF_INET, socket.AF_INET6)


def _is_ours(connection):
    """Whether the other end is of our user, by the kernel's table (proc(5)); yes where there is none."""

    def spelled(address):
        ip = socket.inet_pton(connection.family, address[0])
        words = (int.from_bytes(ip[at : at + 4], sys.byteorder) for at in range(0, len(ip), 4))
        return "".join("%08X" % word for word in words) + ":%04X" % address[1]

    table = {socket.AF_INET: "/proc/self/net/tcp", socket.AF_INET6: "/proc/self/net/tcp6"}.get(connection.family)
    if table is None or not os.path.exists(table):
        return True
    ends = [spelled(connection.getpeername()), spelled(connection.getsockname())]
    with open(table) as lines:
        rows = [line.split() for line in lines]
    # A closed one belongs to nobody: it has no inode.
    return any(row[1:3] == ends and row[7] == str(os.geteuid()) and row[9] != "0" for row in rows)


class _PromptSocket(socket.socket):
    def _option(self, option):
        if option is None or self.family not in _TCP_FAMILIES:
            return
        try:
            self.setsockopt(socket.IPPROTO_TCP, option, 1)
        except OSError:
            pass  # Not a TCP socket, or already closed: being slower is no reason to fail.

    def accept(self):
        ours = False
        while not ours:
            connection, address = super().accept()
            try:
                ours = _is_ours(connection)
            except OSError:
                pass  # It went again already.
            if not ours:
                connection.close()
        connection._option(socket.TCP_NODELAY)
        connection._option(_QUICK_ACK)
        return connection, address

    def recv(self, *arguments):
        self._option(_QUICK_ACK)
        data = super().recv(*arguments)
        self._option(_QUICK_ACK)
        return data

    def recv_into(self, *arguments):
        self._option(_QUICK_ACK)
        size = super().recv_into(*arguments)
        self._option(_QUICK_ACK)
        return size


socket.socket = _PromptSocket
sys.argv = sys.argv[1:]  # The module sees its own name first, as with `python -m`.
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
