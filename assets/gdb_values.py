# Runs inside gdb's own Python before its debug adapter: a value that cannot be read (optimised away, a formatter that fails) says so in its own
# row. Without this gdb answers for all variables of its scope with one error. And what stands behind something abstract says what it is: a trait
# object of Rust, an object of a derived class, a std::function. No formatter holds up the others: each value has its time, and parts are made
# when they are asked for (a container that was not made yet says that it holds millions).
import contextlib
import ipaddress
import itertools
import re
import signal
import sys

import gdb.dap.scopes
import gdb.dap.varref
import gdb.printing

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
