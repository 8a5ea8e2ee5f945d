"""Leaves a program under debugpy to the debugger where coverage wants to trace it: Python lets one trace at a time, and whoever comes
second takes it from the first without a word, so that no breakpoint would be met any more.

coverage has a tracer in C that cannot be kept away, and one in Python that asks `sys.settrace`: that one is chosen, and is not let in.
"""


def install_tracing():
    import os, pydevd, sys

    if hasattr(pydevd, "omp_debug_tracing"):
        return  # Forked, or somebody was here before.
    pydevd.omp_debug_tracing = True
    os.environ.setdefault("COVERAGE_CORE", "pytrace")
    theirs, told = sys.settrace, []

    def settrace(function):
        caller = str(sys._getframe(1).f_globals.get("__name__"))
        if not caller.startswith("coverage."):
            return theirs(function)
        if not told:
            told.append(True)
            print("omp-debug: coverage measures nothing while the program is debugged.", file=sys.__stderr__)

    sys.settrace = settrace


try:
    install_tracing()
except (ImportError, AttributeError):
    pass  # Another debugpy: coverage takes its place, as it always did.
