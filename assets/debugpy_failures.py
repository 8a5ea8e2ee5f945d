"""Of what leaves the person's own code for a library's, only a test's failure stops a program that runs tests under debugpy.

debugpy's `userUnhandled` also stops for what a library catches and, up to Python 3.11, when a function returns whose `with` kept what was
raised. Where an exception ends is asked here of those who decide: Python, pytest and unittest. In doubt it is a failure.
"""


def install():
    import dis, functools, sys, threading, traceback
    from importlib.machinery import PathFinder
    from _pydev_bundle import pydev_log
    from _pydevd_bundle import pydevd_trace_dispatch
    from _pydevd_bundle.pydevd_constants import EXCEPTION_TYPE_USER_UNHANDLED, get_global_debugger

    LEAVES = ("RETURN_VALUE", "RETURN_CONST", "YIELD_VALUE")
    LOOKUPS = ("__getattr__", "__getattribute__")
    PARTS = {"unittest.case": ("TestCase", "subTest"), "_pytest.subtests": ("Subtests", "test"), "pytest_subtests.plugin": ("SubTests", "test")}
    # What `asyncio.gather` and, up to Python 3.11, `asyncio.wait_for` wait by.
    WAITERS = ("gather.<locals>._done_callback", "_release_waiter")
    # Its hook makes the modules of pytest's plugins, and stands before whoever else finds them.
    REWRITES = "_pytest.assertion.rewrite"
    stop = pydevd_trace_dispatch.handle_exception

    def is_own(debugger, frame):
        return not debugger.apply_files_filter(frame, frame.f_code.co_filename, True)

    def goes_on(frame):
        """Whether it returns or waits: what was raised in it came to its end there."""
        code, at = frame.f_code.co_code, frame.f_lasti
        first, second = (dis.opname[code[i]] if 0 <= i < len(code) else "" for i in (at, at + 2))
        # Up to 3.10 one that waits for another stands before the instruction.
        return first in LEAVES or second == "YIELD_FROM"

    def is_runner(frame):
        module = frame.f_globals.get("__name__")
        return module == "_pytest.runner" or module in ("unittest.case", "unittest.suite") and frame.f_code.co_name == "run"

    def is_skip(frame, error):
        pytest, case = sys.modules.get("pytest"), sys.modules.get("unittest.case")
        if pytest and isinstance(error, pytest.skip.Exception):
            # A whole file is only skipped when that was said; else pytest fails it.
            return frame.f_code.co_name != "<module>" or error.allow_module_level
        is_known = pytest and isinstance(error, pytest.xfail.Exception)
        return is_known or case and isinstance(error, (case.SkipTest, case._ShouldStop))

    def is_expected(runner, error):
        """Whether a runner was told that this test fails. None: it has no say in it."""
        known = runner.f_locals
        outcome = getattr(known.get("self"), "_outcome", None)
        if getattr(outcome, "expecting_failure", False):
            return True
        item, skipping = known.get("item"), sys.modules.get("_pytest.skipping")
        if item is None or skipping is None:
            return None
        try:
            mark = None if item.config.option.runxfail else skipping.evaluate_xfail_marks(item)
        except (AttributeError, sys.modules["_pytest.outcomes"].OutcomeException):
            return None  # A mark that cannot be read: pytest says so itself.
        raises = mark and mark.raises
        if raises is None:
            return mark is not None
        return raises.matches(error) if hasattr(raises, "matches") else isinstance(error, raises)

    def is_failed(frame, error):
        """Whether it fails a test when it comes out of this frame to a runner."""
        if is_skip(frame, error):
            return False
        is_known = None
        while frame is not None and is_known is None:
            is_known = is_expected(frame, error) if is_runner(frame) else None
            frame = frame.f_back
        return not is_known

    def is_awaited(frame):
        """Whether it ends a task of asyncio for which another waits: what was raised goes on there, and is judged there."""
        asyncio = sys.modules.get("asyncio")
        try:
            task = asyncio and asyncio.current_task()
        except RuntimeError:
            return False  # No loop runs in this thread.
        if not task or getattr(task.get_coro(), "cr_frame", None) is not frame:
            return False
        for callback, _ in task._callbacks or ():
            name = getattr(getattr(callback, "func", callback), "__qualname__", "")
            if isinstance(getattr(callback, "__self__", None), asyncio.Task) or name in WAITERS:
                return True
        return False

    def is_failure(debugger, frame, error):
        # That there is no such attribute is an answer, to `getattr(module, name, None)`.
        is_answer = isinstance(error, AttributeError) and frame.f_code.co_name in LOOKUPS
        outer = frame.f_back
        while outer is not None and not is_runner(outer):
            if is_own(debugger, outer):
                return False  # It is judged again if it leaves that.
            outer = outer.f_back
        return not is_answer and not goes_on(frame) and not is_awaited(frame) and is_failed(frame, error)

    def placed(raised):
        """Of a source that cannot be read, the text says where it is: it is on no stack."""
        kind, error, trace = raised
        if not isinstance(error, SyntaxError):
            return raised
        lines = traceback.format_exception_only(kind, error)
        return kind, Exception(str(error) + "\n" + "".join(lines).rstrip()), trace

    def judged(debugger, thread, frame, raised, kind):
        is_quiet = False
        try:
            if kind == EXCEPTION_TYPE_USER_UNHANDLED:
                is_quiet = not is_failure(debugger, frame, raised[1])
                raised = placed(raised)
        except Exception:
            pydev_log.exception()
        return False if is_quiet else stop(debugger, thread, frame, raised, kind)

    def noted(error, trace):
        """A part of a test that ends with it fails, and the test goes on."""
        debugger, frame = get_global_debugger(), sys._getframe(2)
        while debugger is not None and frame is not None and not is_own(debugger, frame):
            frame = frame.f_back
        kinds = getattr(debugger, "break_on_user_uncaught_exceptions", None)
        if frame is not None and kinds and debugger.get_exception_breakpoint(type(error), kinds) and is_failed(frame, error):
            # Or what stops it would be stopped.
            debugger.disable_tracing()
            try:
                stop(debugger, threading.current_thread(), frame, (type(error), error, trace), EXCEPTION_TYPE_USER_UNHANDLED)
            finally:
                debugger.enable_tracing()

    def watch(module):
        """Looks on as a part of a test ends, in those that `with` has to do with."""
        if module.__name__ == REWRITES:
            watch_hook(getattr(module, "AssertionRewritingHook", None))
            return
        owner, name = PARTS[module.__name__]
        make = getattr(getattr(module, owner, None), name, None)
        if make is None:
            return

        @functools.wraps(make)
        def made(*arguments, **named):
            part = make(*arguments, **named)
            kind = type(part)

            def leave(self, error_type, error, trace):
                try:
                    if error is not None:
                        noted(error, trace)
                except Exception:
                    pydev_log.exception()
                return kind.__exit__(self, error_type, error, trace)

            part.__class__ = type(kind.__name__, (kind,), {"__exit__": leave})
            return part

        setattr(getattr(module, owner), name, made)

    def watch_hook(hook):
        run = getattr(hook, "exec_module", None)
        if run is None:
            return

        def exec_module(self, module):
            run(self, module)
            if module.__name__ in PARTS:
                watch(module)

        hook.exec_module = exec_module

    class Loads:
        """Among those who find modules: watches what there is once it is there."""

        @staticmethod
        def find_spec(name, path=None, target=None):
            spec = PathFinder.find_spec(name, path, target) if name in PARTS or name == REWRITES else None
            if spec is not None:
                run = spec.loader.exec_module

                def exec_module(module):
                    run(module)
                    watch(module)

                spec.loader.exec_module = exec_module
            return spec

    for name in (REWRITES, *PARTS):
        if name in sys.modules:
            watch(sys.modules[name])
    sys.meta_path.insert(0, Loads)
    for name, module in list(sys.modules.items()):
        if "pydevd" in name and getattr(module, "handle_exception", None) is stop:
            module.handle_exception = judged


try:
    install()
except (ImportError, AttributeError):
    pass  # Another debugpy: it stops for all of that.
