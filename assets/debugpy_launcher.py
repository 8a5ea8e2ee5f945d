"""Starts a debug adapter that is a Python module, with its TCP sockets acknowledging at once.

Usage: python -c THIS-FILE MODULE [ARGUMENT...]

The debuggee's side of the connection sends each message in two pieces and waits for the first to be
acknowledged (Nagle's algorithm), while the kernel on this side holds the acknowledgement back for about
40 ms. Asking for quick acknowledgements around each read takes that wait away; the option is not sticky,
so it is set again every time. The debuggee itself is not touched.
"""

import sys

# `-c` put the current directory first on the path: before anything else is imported, so that no file of the
# user's project stands in for a module of the adapter or of Python itself.
sys.path[:] = [entry for entry in sys.path if entry != ""]

import runpy
import socket

_QUICK_ACK = getattr(socket, "TCP_QUICKACK", None)
_TCP_FAMILIES = (socket.AF_INET, socket.AF_INET6)


class _PromptSocket(socket.socket):
    def _option(self, option):
        if option is None or self.family not in _TCP_FAMILIES:
            return
        try:
            self.setsockopt(socket.IPPROTO_TCP, option, 1)
        except OSError:
            pass  # Not a TCP socket, or already closed: being slower is no reason to fail.

    def accept(self):
        connection, address = super().accept()
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
