# What of gdb's adapter is about the program and not about its values: names of threads and functions, calls and steps that fail, what a program
# prints and how it ends, which of several programs goes on, and methods that gdb calls in it.
import codecs
import collections
import os
import re
import sys

import gdb.dap.breakpoint
import gdb.dap.evaluate
import gdb.dap.events
import gdb.dap.next
import gdb.dap.startup
import gdb.dap.state
import gdb.dap.threads
import gdb.dap.varref
import gdb.xmethod
from gdb.FrameDecorator import FrameDecorator
from gdb.dap.server import Server, send_event

# Words of C and C++ that gdb does not know, or not in both.
for _word in "NULL 0", "nullptr 0", "true (1 == 1)", "false (1 == 0)":
    gdb.execute("macro define " + _word)


def _readable(read, thread):
    """A thread may call itself by bytes that are no text, which gdb's Python refuses: what cannot be read of them is replaced."""
    try:
        return read(thread)
    except UnicodeDecodeError as error:
        return error.object.decode(error.encoding, "replace")


# How many threads have a name; and the numbers of those that are asked for next in a list of all, the next one last.
_named, _following = collections.Counter(), []


def _own_name(thread):
    return _readable(lambda thread: thread.name, thread)


_decorator = next(kind for kind in FrameDecorator.__mro__ if "function" in vars(kind))


def _function_name(self, function=_decorator.function):
    """A method of a trait by its type and its trait, in place of a number of the block that it is in."""
    name = function(self)
    if not isinstance(name, str) or "{impl#" not in name:
        return name
    symbol = self.inferior_frame().function()
    told = gdb.execute("demangle -l rust -- %s" % symbol.linkage_name, to_string=True).strip() if symbol else ""
    return told if told.startswith("<") else name


_decorator.function = _function_name


def _thread_name(thread, name_of=gdb.dap.threads._thread_name):
    """A name that several threads have says which of them it is by the system's number."""
    lwp, own = thread.ptid[1], _own_name(thread)
    is_nameless = lwp and own is None and _readable(lambda thread: thread.details, thread) is None
    name = "LWP %d" % lwp if is_nameless else _readable(name_of, thread)
    # Counted once a list: to read all names again for each takes seconds with hundreds of threads.
    if not _following or _following.pop() != thread.num:
        threads = gdb.selected_inferior().threads()
        _named.clear()
        _named.update(map(_own_name, threads))
        _following[:] = reversed([other.num for other in threads])
        while _following and _following.pop() != thread.num:
            pass
    alike = lwp and own is not None and _named[name] > (own == name)
    return "%s#%d" % (name, lwp) if alike else name


gdb.dap.threads._thread_name = _thread_name


def _evaluated(*args, evaluate=getattr(gdb.dap.startup, "parse_and_eval", None), **named):
    """Of a call within a call (malloc makes the text of `strlen("abc")`) gdb's adapter hears two beginnings and one end, and believes ever after
    that the program runs."""
    runs = getattr(gdb.dap.events, "inferior_running", True)
    try:
        return evaluate(*args, **named)
    finally:
        if not runs and gdb.dap.events.inferior_running:
            gdb.dap.events.inferior_running = False
            if thread := gdb.selected_thread():
                send_event("stopped", {"threadId": thread.global_num, "allThreadsStopped": True, "reason": "function call"})


for _user in gdb.dap.startup, gdb.dap.evaluate, gdb.dap.breakpoint:
    if hasattr(_user, "parse_and_eval"):
        _user.parse_and_eval = _evaluated


def _stands_unnoticed():
    """The threads of a program that stands while gdb's adapter believes that it runs."""
    threads = gdb.selected_inferior().threads()
    believed = getattr(gdb.dap.events, "inferior_running", False)
    return threads if believed and not any(thread.is_running() for thread in threads) else ()


def _moved(command, *args, move=getattr(gdb.dap.next, "exec_and_expect_stop", None), **named):
    """A program that cannot move: a breakpoint is at an address that it does not have, or what an instruction does cannot be recorded. Of a
    step nobody hears the error."""
    try:
        move(command, *args, **named)
    except Exception as error:
        why = str(error)
        if why == "Command aborted.":
            why += " A breakpoint may be at an address that the program does not have."
        if threads := _stands_unnoticed():
            gdb.dap.events.inferior_running = False
            if not command.endswith("&"):
                send_event("stopped", {"threadId": threads[0].global_num, "allThreadsStopped": True, "reason": "error", "description": why})
        # Versions before 15 tell any error.
        told = getattr(gdb.dap.startup, "DAPException", RuntimeError)
        raise told(why) from error


if hasattr(gdb.dap.next, "exec_and_expect_stop"):
    gdb.dap.next.exec_and_expect_stop = _moved


def _run_on():
    if threads := _stands_unnoticed():
        threads[0].switch()
        gdb.execute("continue &", to_string=True)


# A step whose thread ends is given up: all threads are halted then, and nobody is told.
gdb.events.thread_exited.connect(lambda _event: gdb.post_event(_run_on))


def _read_anew(_event):
    for kept in gdb.dap.varref.all_variables:
        kept.reset_children()


# What a command of GDB's own changes it would not read again before the next stop.
gdb.events.memory_changed.connect(_read_anew)
gdb.events.register_changed.connect(_read_anew)


# What libraries' printers say before what a collection has in it.
_LENGTHS = re.compile(r"\bstd::[\w:]+ (?:of length|with) \d+(?:, capacity \d+)?(?: elements?)? = |\b[A-Z]\w+\(size=\d+\) = ")


def _evaluated_text(expression):
    """Pointers of Rust are what they point to, as everywhere else, where that can be read."""
    try:
        value = target = gdb.parse_and_eval(expression)
        while target.type.strip_typedefs().code == gdb.TYPE_CODE_PTR and gdb.selected_frame().language() == "rust":
            target = target.dereference()
        try:
            return _LENGTHS.sub("", str(target))
        except gdb.MemoryError:
            return _LENGTHS.sub("", str(value))
    except Exception as error:
        return _said(error)


def _logged(self):
    parts = (_evaluated_text(part) if index % 2 else part for index, part in enumerate(self._message))
    send_event("output", {"category": "console", "output": "".join(parts)})
    return False


if hasattr(getattr(gdb.dap.breakpoint, "_PrintBreakpoint", None), "stop"):
    gdb.dap.breakpoint._PrintBreakpoint.stop = _logged


def _read_output(self, read=getattr(Server, "_read_inferior_output", None)):
    """What the program prints, as it comes and whatever it is: gdb's own way ends at the first byte that its encoding has not."""
    stream = getattr(self, "_child_stream", None) or getattr(self, "child_stream", None)
    # Versions before 16 have the one, later ones the other.
    send = getattr(self, "send_event", None) or getattr(self, "send_event_maybe_later", None)
    if not (stream and send):
        return read(self)
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    printed = True
    while printed:
        printed = os.read(stream.fileno(), 1 << 16)
        if text := decode(printed, not printed):
            send("output", {"category": "stdout", "output": text})


Server._read_inferior_output = _read_output


class _Ended:
    """The end of a program as a shell tells it: gdb's adapter says 0 of one that a signal ended."""

    def __init__(self, event):
        signal_of = gdb.convenience_variable("_exitsignal")
        self.exit_code = getattr(event, "exit_code", 0 if signal_of is None else 128 + int(signal_of))


def _child_of(event):
    """What a program goes on as that gdb has left for its child (`set follow-fork-mode child`)."""
    return next((other for other in gdb.inferiors() if other.pid and other != event.inferior), None)


def _exited(event):
    if child := _child_of(event):
        send_event("process", {"name": child.progspace.filename, "systemProcessId": child.pid, "startMethod": "launch"})
    else:
        _on_exit(_Ended(event))


def _set_thread(number, set_thread=getattr(gdb.dap.state, "set_thread", None)):
    """gdb's adapter gives numbers that count the threads of all programs to a command that counts those of one."""
    threads = [thread for inferior in gdb.inferiors() for thread in inferior.threads()] if len(gdb.inferiors()) > 1 else ()
    meant = next((thread for thread in threads if thread.global_num == number), None)
    set_thread(number) if meant is None else meant.switch()


for _module in [module for name, module in sys.modules.items() if name.startswith("gdb.dap.") and hasattr(module, "set_thread")]:
    _module.set_thread = _set_thread


_on_exit = getattr(gdb.dap.events, "_on_exit", None)
if _on_exit:
    gdb.events.exited.disconnect(_on_exit)
    gdb.events.exited.connect(_exited)


# A program has GDB's own standard output: what GDB says would come into the midst of its lines. Once it runs, that goes another way.
_outputs = {}


def _say_to(name):
    gdb.flush()
    for output in 1, 2:
        os.dup2(_outputs[name], output)


def _tell(own):
    for line in open(own, errors="replace"):
        send_event("output", {"category": "console", "output": line})


def _begun(_event):
    gdb.events.new_thread.disconnect(_begun)
    if not _outputs:
        own, _outputs["own"] = os.pipe()
        _outputs["program"] = os.dup(1)
        gdb.dap.startup.start_thread("own output", _tell, (own,))
    _say_to("own")


def _over(event):
    if _outputs and not _child_of(event):
        _say_to("program")
        gdb.events.new_thread.connect(_begun)


gdb.events.new_thread.connect(_begun)
gdb.events.exited.connect(_over)


# libstdc++'s matcher of methods raises for lambdas, and gdb prints the traceback into the program's output: then it knows no method.
# And its use_count() of a shared_ptr creates itself again, without end.
class _NoMethod(Exception):
    pass


_hook = sys.excepthook
sys.excepthook = lambda kind, error, trace: kind is _NoMethod or _hook(kind, error, trace)
_register_matcher = gdb.xmethod.register_xmethod_matcher


def _register(locus, matcher, *rest, **named):
    match = matcher.match

    def found(of, method):
        try:
            return match(of, method)
        except Exception:
            # gdb crashes when it calls a method of a class without a name.
            if of.tag is None:
                raise _NoMethod from None

    matcher.match = found
    counts = getattr(sys.modules.get(type(matcher).__module__), "SharedPtrUseCountWorker", None)
    if counts:
        counts.__init__, counts._supports = lambda *_: None, lambda *_: True
    _register_matcher(locus, matcher, *rest, **named)


gdb.xmethod.register_xmethod_matcher = _register
