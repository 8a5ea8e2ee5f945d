"""Starts a debug adapter that is a Python module, with its TCP sockets acknowledging at once.

Usage: python -c THIS-FILE MODULE [ARGUMENT...]

The debuggee's side of the connection sends each message in two pieces and waits for the first to be
acknowledged (Nagle's algorithm), while the kernel on this side holds the acknowledgement back for about
40 ms. Asking for quick acknowledgements around each read takes that wait away; the option is not sticky,
so it is set again every time. The debuggee itself is not touched.

A port is open to all users of the machine, and the adapter's secret stands in command lines that all of them
read: whoever comes as another user is turned away, but for the one whose program is attached to.

Into a program that is attached to by its process id, debugpy comes by a call that gdb makes in it. For a signal, gdb leaves it in
the midst of that call, and it dies when the call returns; SIGPIPE comes whenever it writes to somebody who has gone, a Python that
ignores it notwithstanding. So gdb lets such signals pass. And it stands in the call until `configurationDone`, for ever if the
client dies before that: where the client's words end too early, they are said for it, `disconnect` when gdb has left.
"""

import sys

# `-c` put the current directory first on the path: before anything else is imported, so that no file of the
# user's project stands in for a module of the adapter or of Python itself.
sys.path[:] = [entry for entry in sys.path if entry != ""]

import io
import json
import os
import runpy
import socket
import subprocess
import time

_QUICK_ACK = getattr(socket, "TCP_QUICKACK", None)
_TCP_FAMILIES = (socket.AF_INET, socket.AF_INET6)


_users = {str(os.geteuid())}


def _expect(pid):
    """The program of this process id will come, whosever it is."""
    try:
        with open("/proc/%d/status" % pid) as status:
            _users.update(line.split()[4] for line in status if line.startswith("Uid:"))
    except OSError:
        pass  # It is gone.


def _is_ours(connection):
    """Whether the other end is of a user that is expected, by the kernel's table (proc(5)); yes where there is none."""

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
    return any(row[1:3] == ends and row[7] in _users and row[9] != "0" for row in rows)


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


# Runs what starts gdb. `--nx` leaves no other way to tell gdb something.
_ENTER = """
import runpy, subprocess, sys
check_call = subprocess.check_call
def patient(command, **named):
    signals = "-iex 'handle SIGPIPE SIGHUP SIGUSR1 SIGUSR2 nostop noprint pass' --batch"
    return check_call(command.replace("--batch", signals, 1), **named)
subprocess.check_call = patient
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


class _Popen(subprocess.Popen):
    def __init__(self, args, *others, **named):
        if isinstance(args, list) and "--pid" in args and "-c" not in args:
            args = [args[0], "-c", _ENTER, *args[1:]]
        super().__init__(args, *others, **named)


class _Input(io.BufferedReader):
    """What the client says, and what it would have said."""

    pid, said, rest = None, set(), io.BytesIO()
    PATIENCE = 10  # Seconds.

    def read(self, size=-1):
        data = self.rest.read(size) or super().read(size)
        # None of them is long, and they are looked for in nothing that is.
        if len(data) < 1 << 16 and any(word in data for word in (b'"attach"', b'"configurationDone"', b'"disconnect"')):
            try:
                message = json.loads(data)
                self.said.add(message["command"])
                if message["command"] == "attach":
                    self.pid = int(message["arguments"]["processId"])
                    _expect(self.pid)
            except (ValueError, TypeError, LookupError):
                pass  # The adapter says what is wrong with it.
        return data

    def readline(self, size=-1):
        line = self.rest.readline(size) or super().readline(size)
        if line or self.pid is None or "disconnect" in self.said:
            return line
        if "configurationDone" not in self.said:
            return self._say("configurationDone", {}, size)
        until = time.monotonic() + self.PATIENCE
        while (self._is_entered() or self._enters()) and time.monotonic() < until:
            time.sleep(0.02)
        # At the mere end of its input the adapter would stay for another client.
        return self._say("disconnect", {"terminateDebuggee": False}, size)

    def _say(self, command, arguments, size):
        self.said.add(command)
        word = json.dumps({"seq": 1 << 30, "type": "request", "command": command, "arguments": arguments})
        self.rest = io.BytesIO(("Content-Length: %d\r\n\r\n%s" % (len(word), word)).encode())
        return self.rest.readline(size)

    def _is_entered(self):
        try:
            with open("/proc/%d/status" % self.pid) as lines:
                return any(line.startswith("TracerPid:") and line.split()[1] != "0" for line in lines)
        except OSError:
            return False  # It has ended, or this system has other ways.

    def _enters(self):
        """Whether what starts gdb, our only child, is there still."""
        try:
            return os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
        except (AttributeError, OSError):
            return False


def _tell_of_children():
    """debugpy tells of no children of a program that it came into by its process id, and has them wait for ever. It knows by the
    request to attach, which has done its work by then."""
    from debugpy.adapter.clients import Client

    tell = Client.notify_of_subprocess

    def notify_of_subprocess(self, connection):
        if self.start_request is not None:
            self.start_request.arguments.pop("processId", None)
        tell(self, connection)

    Client.notify_of_subprocess = notify_of_subprocess


socket.socket = _PromptSocket
subprocess.Popen = _Popen
sys.stdin = sys.__stdin__ = io.TextIOWrapper(_Input(io.FileIO(0, closefd=False)))
try:
    _tell_of_children()
except (ImportError, AttributeError):
    pass  # Another adapter, or another debugpy.
sys.argv = sys.argv[1:]  # The module sees its own name first, as with `python -m`.
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
