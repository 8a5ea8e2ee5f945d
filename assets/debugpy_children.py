"""Lets a program be on its own again when it is left: what it forks, starts and becomes from then on is nobody's to debug.

debugpy goes on to have each of them connect to where the debugger was, and ends those that find nobody there.
"""


def install_children():
    import pydevd
    from _pydev_bundle import pydev_monkey
    from _pydevd_bundle import pydevd_process_net_command_json, pydevd_comm

    Requests, Reader = pydevd_process_net_command_json.PyDevJsonCommandProcessor, pydevd_comm.ReaderThread
    # Children go where the first debugger was, that came and went long ago.
    debugger, setup = pydevd.get_global_debugger(), pydevd.SetupHolder.setup
    setup["client"], setup["port"] = debugger.reader.sock.getpeername()[:2]
    known = vars(pydev_monkey)
    if "omp_debug_left" in known:
        # Somebody was here before.
        return known["omp_debug_left"].clear()
    left = known["omp_debug_left"] = []
    leave, close, follows = Requests.on_disconnect_request, Reader._terminate_on_socket_close, pydev_monkey._get_apply_arg_patching

    def on_disconnect_request(self, py_db, request):
        left[:] = [True]
        return leave(self, py_db, request)

    def terminate_on_socket_close(self):
        left[:] = [True]
        # A child that was still to be told to begin is told by nobody else.
        self.py_db.ready_to_run = True
        return close(self)

    Requests.on_disconnect_request, Reader._terminate_on_socket_close = on_disconnect_request, terminate_on_socket_close
    pydev_monkey._get_apply_arg_patching = lambda: not left and follows()


try:
    install_children()
except (ImportError, AttributeError):
    pass  # Another debugpy: it follows them as it always did.
