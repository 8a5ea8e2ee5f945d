# Runs inside gdb's own Python before its debug adapter: a value that cannot be read (optimised away, a formatter that fails) says so in its own
# row. Without this gdb answers for all variables of its scope with one error. And what stands behind something abstract says what it is: a trait
# object of Rust, an object of a derived class, a std::function. No formatter holds up the others: each value has its time, and parts are made
# when they are asked for (a container that was not made yet says that it holds millions).
import codecs
import collections
import contextlib
import ipaddress
import itertools
import os
import re
import signal
import sys

import gdb.dap.breakpoint
import gdb.dap.evaluate
import gdb.dap.events
import gdb.dap.next
import gdb.dap.scopes
import gdb.dap.startup
import gdb.dap.state
import gdb.dap.threads
import gdb.dap.varref
import gdb.printing
import gdb.xmethod
from gdb.FrameDecorator import FrameDecorator
from gdb.dap.server import Server, send_event

_reference = gdb.dap.varref.VariableReference


# Versions before 16 have nothing to do when a value changes.
_update = getattr(_reference, "_update_value", lambda self: None)


def _said(error):
    return "<%s>" % (str(error) or type(error).__name__)


# For one value: seconds of the processor, so that a busy machine does not end what would be quick elsewhere, and seconds in all, for what
# waits for something. A type that needed more gets a tenth of it the next time.
_TIMERS = ((signal.SIGPROF, signal.ITIMER_PROF, 0.25), (signal.SIGALRM, signal.ITIMER_REAL, 2.5))
# Parts of a value that can be asked for: of an array, which is read in pages, of anything else that says how many it has, and of what has to
# make them to be counted (each of them may be such a value again).
_MOST_OF_ARRAY, _MOST, _MOST_UNCOUNTED = 1_000_000, 10_000, 1_000
_late_types = set()


class _Late(Exception):
    pass


def _late(_signal, _frame):
    raise _Late()


def _in_time(printer, value):
    """Ends what a formatter does when its time is over. What gdb shows by itself needs none, and is most of any array."""
    is_own = type(printer).__module__ == "gdb.printing"
    return contextlib.nullcontext() if is_own else _timed(str(value.type))


@contextlib.contextmanager
def _timed(kind):
    """Only the main thread, in which formatters run, can be told."""
    try:
        before = [signal.signal(number, _late) for number, _, _ in _TIMERS]
    except ValueError:
        yield
        return
    share = 0.1 if kind in _late_types else 1
    for _, timer, seconds in _TIMERS:
        signal.setitimer(timer, seconds * share)
    try:
        yield
    except _Late:
        _late_types.add(kind)
        raise gdb.GdbError("\u2026 its formatter takes too long")
    finally:
        for (number, timer, _), handler in zip(_TIMERS, before):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


class _NoPart(str):
    """What is said in place of a part."""


class _Text:
    """What is said in one line, without parts."""

    def __init__(self, said):
        self.to_string = lambda: said


def _derived(value):
    """What points to an object of a class with virtual functions, with the object's own class."""
    kind = value.type.strip_typedefs()
    if kind.code not in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        return value
    target = kind.target().strip_typedefs()
    if target.code != gdb.TYPE_CODE_STRUCT:
        return value
    if kind.code == gdb.TYPE_CODE_PTR:
        value = value.cast(target.pointer())
    own = value.dynamic_type
    return value if own == value.type else value.cast(own)


class _PointerToStruct:
    """A pointer whose parts are those of what it points to, without a row of its own between."""

    def __init__(self, pointer, target):
        self.to_string, self.children = pointer.to_string, target.children


_BYTE = re.compile(r"(^|::)u?int8_t$")


def _members(kind, value):
    """The members of a struct or union; in place of one without a name those that are in it, which are written in the same way."""
    for field in kind.fields():
        inner = field.type.strip_typedefs() if hasattr(field, "bitpos") else None
        if inner and field.name is not None:
            yield field.name, value[field]
        elif inner and inner.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
            yield from _members(inner, value[field])


def _array(value, kind):
    """An array that gdb would show falsely: bytes as a text, wide characters as bytes, one without a length as one element."""
    of = kind.target()
    if of.strip_typedefs().code == gdb.TYPE_CODE_CHAR and gdb.selected_frame().language() == "pascal":
        return _Text(value.format_string())
    if _BYTE.search(of.name or "") and kind.sizeof:
        return gdb.printing.NoOpArrayPrinter(kind, value)
    if of.name == "wchar_t":
        return _Text(value.format_string())
    return None if kind.sizeof else _Text("[\u2026]")


# Texts of Rust that have no printer.
_TEXT_WITH_LENGTH = re.compile(r"(alloc::boxed::Box<str|(&(mut )?|alloc::boxed::Box<)std::(path::Path|ffi::os_str::OsStr))\b")
_BORROW = re.compile(r"core::cell::Ref(Mut)?<")


_UTF_BYTES = "LE" if sys.byteorder == "little" else "BE"
# Texts by what the language calls one of their characters.
_CHARACTERS = {"char": "UTF-8", "wchar": "UTF-16" + _UTF_BYTES, "dchar": "UTF-32" + _UTF_BYTES}


class _Row(getattr(gdb, "ValuePrinter", object)):
    """Elements one behind the other, as many as the program says, which may be any number before it is made: not all are listed then."""

    def __init__(self, at, length, lowest=0):
        self._at, self._length, self._lowest = at, max(length, 0), lowest
        for end in {0, self._length - 1} if length > 0 else ():
            gdb.selected_inferior().read_memory(int(at(end).address), 1)

    def to_string(self):
        return "" if self._length else "[]"

    def display_hint(self):
        return "array"

    def num_children(self):
        return min(self._length, _MOST_OF_ARRAY + 1)

    def child(self, index):
        if index == _MOST_OF_ARRAY:
            return "\u2026", _NoPart("<%d more are not listed>" % (self._length - index))
        return "[%d]" % (self._lowest + index), self._at(index)

    def children(self):
        return map(self.child, range(self.num_children()))


def _row_from(first, length):
    return _Row(lambda index: (first + index).dereference(), length)


def _text_of(first, length, encoding):
    if length > 0:
        gdb.selected_inferior().read_memory(int(first), 1)
    # No more than that is shown of one, whatever it is.
    return _Text(first.lazy_string(encoding, length=max(0, min(length, _MOST_OF_ARRAY))))


def _slice_of_d(value, kind):
    """A slice of D, a text where it is one of characters."""
    first, length = value["ptr"], int(value["length"])
    if first.type.code != gdb.TYPE_CODE_PTR:
        return None
    encoding = _CHARACTERS.get(first.type.target().strip_typedefs().unqualified().name)
    if encoding:
        return _text_of(first, length, encoding)
    return _row_from(first, length) if kind.name.endswith("[]") else None


def _sequence_of_nim(value, kind):
    """A seq or a string of Nim: its elements lie behind its length, or behind a pointer beside that."""
    if "Sup" in kind:
        length, data = value["Sup"]["len"], value["data"]
    else:
        length, data = value["len"], value["p"].dereference()["data"]
    first = data.address.cast(data.type.target().pointer())
    return _text_of(first, int(length), "UTF-8") if kind.name.startswith("NimStr") else _row_from(first, int(length))


def _text_of_ada(value, _kind):
    shared = value["reference"].referenced_value()
    data = shared["data"]
    first = data.address.cast(data.type.strip_typedefs().target().pointer())
    return _text_of(first, int(shared["last"]), "ISO-8859-1")


def _vector_of_ada(value, _kind):
    elements = value["elements"]
    if not int(elements):
        return _Row(None, 0)
    elements = elements.referenced_value()["ea"]
    lowest = elements.type.range()[0]
    # By its place: gdb takes what is behind something as long as that says for its own copy, and would write elsewhere.
    return _Row(lambda index: elements[lowest + index].address.dereference(), int(value["last"]) - lowest + 1, lowest)


_OF_NIM = re.compile(r"^(tySequence_|NimStr)")
# What tells how long it is, by the names of its type and of its members.
_WITH_LENGTH = (
    (re.compile(r"\[\]$|^[wd]?string$"), ("length", "ptr"), _slice_of_d),
    (_OF_NIM, ("Sup", "data"), _sequence_of_nim),
    (_OF_NIM, ("len", "p"), _sequence_of_nim),
    (re.compile(r"^ada\.strings\.unbounded\.unbounded_string$"), ("_parent", "reference"), _text_of_ada),
    (re.compile(r"\.vector$"), ("_parent", "elements", "last", "tc"), _vector_of_ada),
)


def _with_length(value, kind):
    if kind.code == gdb.TYPE_CODE_STRUCT:
        for name, members, printer in _WITH_LENGTH:
            if name.search(kind.name or "") and tuple(field.name for field in kind.fields()) == members:
                return printer(value, kind)
    return None


class _Borrow:
    """What is borrowed from a RefCell: Rust's printer takes a wrapped pointer for a plain one."""

    def __init__(self, value):
        self._target, self._count = value["value"]["pointer"], int(value["borrow"]["borrow"]["value"]["value"])
        if self._target.type.code == gdb.TYPE_CODE_PTR:
            self._target = self._target.dereference()

    def to_string(self):
        return "Ref(%s=%d)" % ("borrow" if self._count >= 0 else "borrow_mut", abs(self._count))

    def children(self):
        yield "value", self._target


_COUNTED_ROW = re.compile(r"alloc::(rc::Rc|sync::Arc)<(str\b|\[)")


class _CountedRow:
    """A counted pointer to a row, of which Rust's printer has the first element: `Arc<str>`, `Rc<[T]>`."""

    def __init__(self, printer, value):
        self._printer, self._row = printer, value["ptr"]["pointer"]
        self._is_text = _COUNTED_ROW.match(value.type.strip_typedefs().name).group(2) == "str"
        self.to_string = printer.to_string

    def children(self):
        parts = dict(self._printer.children())
        first, length = parts["value"], int(self._row["length"])
        if self._is_text:
            # The pointer with its length is all that a `&str` is.
            address = int(first.address).to_bytes(8, sys.byteorder)
            parts["value"] = gdb.Value(address + length.to_bytes(8, sys.byteorder), gdb.lookup_type("&str"))
        elif length:
            row = first.type.array(length - 1)
            parts["value"] = first.address.cast(row.pointer()).dereference()
        else:
            parts["value"] = _NoPart("[]")
        return iter(parts.items())


def _visualizer(value, visualizer=getattr(gdb.printing, "make_visualizer", None)):
    kind = value.type.strip_typedefs()
    if _TEXT_WITH_LENGTH.match(kind.name or ""):
        text = value["data_ptr"].cast(gdb.lookup_type("u8").pointer())
        return _Text(text.lazy_string("utf-8", length=int(value["length"])))
    if kind.name == "core::net::ip_addr::Ipv6Addr":
        return _Text(str(ipaddress.IPv6Address(bytes(int(value["octets"][at]) for at in range(16)))))
    if _BORROW.match(kind.name or ""):
        return _Borrow(value)
    own = _array(value, kind) if kind.code == gdb.TYPE_CODE_ARRAY else _with_length(value, kind)
    if own:
        return own
    printer = visualizer(value)
    if _COUNTED_ROW.match(kind.name or "") and hasattr(printer, "_strong"):
        return _CountedRow(printer, value)
    is_pointer = isinstance(printer, getattr(gdb.printing, "NoOpPointerReferencePrinter", ()))
    if is_pointer and kind.code == gdb.TYPE_CODE_PTR and not int(value):
        # Where what it points to is as long as that says, gdb cannot even name that.
        return printer
    if kind.code == gdb.TYPE_CODE_PTR and kind.target().strip_typedefs().code in (gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_STRING):
        # Of bytes gdb takes it for a text that ends somewhere.
        return visualizer(value.referenced_value())
    if not is_pointer:
        return printer
    target = value.referenced_value()
    if _OF_NIM.match(kind.target().strip_typedefs().name or ""):
        return _with_length(target, target.type.strip_typedefs()) or printer
    inside = visualizer(target)
    if not isinstance(inside, gdb.printing.NoOpStructPrinter):
        return printer
    try:
        gdb.selected_inferior().read_memory(int(target.address), 1)
    except gdb.MemoryError as error:
        # Said once, and not of each part.
        return _Text("%s %s" % (printer.to_string(), _said(error))) if int(target.address) else printer
    return _PointerToStruct(printer, inside)


gdb.printing.make_visualizer = _visualizer
if hasattr(gdb.printing, "NoOpStructPrinter"):
    gdb.printing.NoOpStructPrinter.children = lambda self: _members(self._NoOpStructPrinter__ty, self._NoOpStructPrinter__value)


def _update_value(self, update=_update):
    try:
        # What is assigned goes to the one that the program has.
        self._declared = getattr(self, "_declared", self._value)
        self._value = _derived(self._declared)
    except Exception:
        # Not made yet, or its class has no debug information: it is what it is declared.
        pass
    try:
        update(self)
    except Exception as error:
        self.reset_children()
        self._printer = _Text(_said(error))
        self._child_cache, self.count = None, None


_trait_object = re.compile(r"^(?:&(?:mut )?|alloc::boxed::Box<)(dyn [^,>]+)")


_function = re.compile(r"^(?:const )?std::function<.*>(?: &)?$")
_handler = re.compile(r"_Function_handler<.*\), ?(.*)>::_M_invoke")


def _called(value):
    """What a std::function of libstdc++ calls."""
    if not int(value["_M_manager"]):
        return "calls nothing"
    functor = _handler.search(value["_M_invoker"].format_string(symbols=True)).group(1).strip()
    if functor.endswith(")"):
        target = value["_M_functor"]["_M_unused"]["_M_object"].format_string(symbols=True)
        named = re.search("<(.*)>", target)
        functor = named.group(1) if named else functor
    return "calls " + functor


def _concrete(value):
    if _function.match(str(value.type)):
        try:
            return _called(value)
        except Exception:
            return None
    trait = _trait_object.match(str(value.type))
    if not trait:
        return None
    try:
        gdb.set_convenience_variable("_concrete", value)
        inside = gdb.parse_and_eval("*$_concrete")
        text = inside.format_string(max_elements=8, max_depth=3)
        name = "" if text.startswith(str(inside.type)) else "%s " % inside.type
        return "%s \u2192 %s%s" % (trait.group(1), name, text)
    except Exception:
        # Its table of functions has no type.
        return None


def _to_object(self, to_object=_reference.to_object):
    try:
        with _in_time(self._printer, self._value):
            told = to_object(self)
        if told["variablesReference"] and not told.get(self._result_name):
            told[self._result_name] = _concrete(self._value) or ""
        return told
    except Exception as error:
        part = isinstance(self._value, _NoPart)
        told = {
            "variablesReference": 0,
            self._result_name: str(self._value) if part else _said(error),
            "type": "" if part else str(self._value.type),
        }
        if self._name is not None:
            told["name"] = str(self._name)
        return told


def _assign(self, value):
    getattr(self, "_declared", self._value).assign(value)
    self._update_value()


_counted = re.compile(r"(?: of length |with |\(size=)(\d+)\b")


def _is_counting(printer):
    return isinstance(printer, getattr(gdb, "ValuePrinter", ())) and hasattr(printer, "num_children")


def _hint(printer):
    return getattr(printer, "display_hint", str)()


# The longest name that a key gives to its value, in characters.
_LONGEST_KEY = 100
# A byte is told with the letter that it may be.
_byte = re.compile(r"(\d+) ('(\\\d{3})?.*')$")


def _keyed(key):
    """How the value is called that belongs to a key: the formatter gives both in turn."""
    text = key if isinstance(key, str) else gdb.Value(key).format_string(max_depth=2, max_elements=_LONGEST_KEY)
    byte = _byte.match(text)
    text = byte.group(1 if byte.group(3) else 2) if byte else text
    return "[%s]" % (text if len(text) <= _LONGEST_KEY else text[: _LONGEST_KEY - 1] + "\u2026")


def _child_count(self, child_count=_reference.child_count):
    """As the formatter says it in words, where it cannot be asked: to make all parts only to count them may take minutes."""
    units = 2 if _hint(self._printer) == "map" else 1
    if self.count == -1 and _is_counting(self._printer):
        self.count = child_count(self) // units
    elif self.count == -1:
        said = _counted.search(str(self._printer.to_string()))
        if said:
            count = int(said.group(1))
            most = _MOST_OF_ARRAY if _hint(self._printer) == "array" else _MOST
            # The last row says what is left out.
            self._left_out = "%d more" % (count - most) if count > most else None
        else:
            parts, most = len(self.cache_children()), _MOST_UNCOUNTED
            self._left_out = "more" if parts == most and next(self._parts, None) else None
            count = parts // units + bool(self._left_out)
        self.count = min(count, most + 1)
    return child_count(self)


def _cache_children(self, upto=_MOST_UNCOUNTED):
    if self._child_cache is None:
        self._child_cache, self._parts = [], iter(self._printer.children())
    missing = upto - len(self._child_cache)
    if missing > 0:
        self._child_cache.extend(itertools.islice(self._parts, missing))
    return self._child_cache


def _part(self, index):
    if _is_counting(self._printer) and hasattr(self._printer, "child"):
        return self._printer.child(index)
    parts = _cache_children(self, index + 1)
    return parts[index] if index < len(parts) else ("[%d]" % index, _NoPart("<its formatter has no such part>"))


def _fetch_one_child(self, index):
    left_out = getattr(self, "_left_out", None)
    if left_out and index + 1 == self.count:
        return "\u2026", _NoPart("<%s are not listed>" % left_out)
    try:
        with _in_time(self._printer, self._value):
            if _hint(self._printer) == "map":
                (_, key), (_, value) = _part(self, 2 * index), _part(self, 2 * index + 1)
                name = _keyed(key)
            else:
                name, value = _part(self, index)
    except Exception as error:
        self._parts = iter(())
        name, value = "[%d]" % index, _NoPart(_said(error))
    # GDB numbers the elements of an array, and looks for them by the text of that.
    return str(name), value if isinstance(value, (gdb.Value, _NoPart)) else gdb.Value(value)


_reference.child_count, _reference.cache_children = _child_count, _cache_children
_reference.fetch_one_child = _fetch_one_child
if hasattr(_reference, "_update_value"):
    _reference.assign = _assign
_reference._update_value, _reference.to_object = _update_value, _to_object


_registers = getattr(gdb.dap.scopes, "_RegisterReference", None)


def _fetch_registers(self, *page, fetch=getattr(_registers, "fetch_children", None)):
    """A register is no pointer, whatever is mostly in it; one that can be read in many ways is shown in the widest of its numbers."""
    for register in fetch(self, *page):
        kind, value = register._value.type.strip_typedefs(), register._value
        if kind.code == gdb.TYPE_CODE_PTR and value.format_string() == "0x0":
            register._printer, register.count = _Text("0"), None
        elif kind.code == gdb.TYPE_CODE_UNION:
            ways = [field for field in kind.fields() if field.type.strip_typedefs().code == gdb.TYPE_CODE_ARRAY]
            numbers = (part for _, part in gdb.printing.NoOpArrayPrinter(ways[-1].type, value[ways[-1]]).children()) if ways else ()
            said = ", ".join(number.format_string(format="x") for number in numbers)
            register._printer.to_string = lambda said=said: said
        yield register


if _registers:
    _registers.fetch_children = _fetch_registers


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
