"""Has Python tell debugpy of what it is to stop at, where it would not.

Before 3.12 Python lets one trace at a time, and whoever comes second takes it from the first without a word, so that no breakpoint would
be met any more. coverage has a tracer in C that cannot be kept away, and one in Python that asks `sys.settrace`: that one is chosen, and is
not let in. From 3.12 on debugpy says which events it wants when it begins; a forked child has begun already, in its parent, and would
hear of no exception.
"""


def install_tracing():
    import os, sys
    from _pydevd_bundle.pydevd_constants import PYDEVD_USE_SYS_MONITORING
    from pydevd_tracing import TracingFunctionHolder

    if PYDEVD_USE_SYS_MONITORING or hasattr(sys.settrace, "omp_debug"):
        return  # Or somebody was here before.
    os.environ.setdefault("COVERAGE_CORE", "pytrace")
    theirs, told = sys.settrace, []

    def settrace(function):
        caller = str(sys._getframe(1).f_globals.get("__name__"))
        if caller.startswith("coverage."):
            if not told:
                told.append(True)
                print("omp-debug: coverage measures nothing while the program is debugged.", file=sys.__stderr__)
        # debugpy knows these two by who called it, and warns of all others.
        elif caller == "threading":
            (TracingFunctionHolder._original_tracing or theirs)(function)
        elif function or caller != "gevent.threadpool":
            theirs(function)

    settrace.omp_debug = True
    sys.settrace = settrace


def install_events():
    from _pydevd_bundle.pydevd_api import PyDevdAPI
    from _pydevd_bundle.pydevd_constants import PYDEVD_USE_SYS_MONITORING

    if not PYDEVD_USE_SYS_MONITORING or hasattr(PyDevdAPI, "omp_debug_events"):
        return
    from _pydevd_sys_monitoring import pydevd_sys_monitoring

    PyDevdAPI.omp_debug_events = True
    run = PyDevdAPI.run

    def let_run(self, py_db):
        run(self, py_db)
        pydevd_sys_monitoring.update_monitor_events()

    PyDevdAPI.run = let_run


for each in (install_tracing, install_events):
    try:
        each()
    except (ImportError, AttributeError):
        pass  # Another debugpy: it is told what it always was.
