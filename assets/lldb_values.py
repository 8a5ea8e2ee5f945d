# Runs inside LLDB's own Python: values of C, libstdc++ and libc++ that LLDB itself does not find the parts of, or takes for text.
# It is one command of LLDB, which would evaluate what stands between backquotes.
import re

import lldb

# Nodes of what is hashed are found one after the other.
MOST_NODES = 10000
MOST_SHOWN_BYTES = 100
MOST_TEXT = 1024
ESCAPES = str.maketrans({'"': '\\"', "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


class _Unreadable(Exception):
    pass


def _member(value, *path):
    for name in path:
        value = value.GetChildMemberWithName(name).GetNonSyntheticValue()
    if not value.IsValid() or value.GetError().Fail():
        raise _Unreadable
    return value


def _symbol(value):
    """The name of the function that a pointer points to."""
    target = value.GetTarget()
    symbol = target.ResolveLoadAddress(value.GetValueAsUnsigned()).GetSymbol()
    return symbol.GetName() or "" if symbol.IsValid() else ""


def _arguments(text):
    """What stands between angle brackets at the beginning of a text, one by one."""
    found, depth, start = [], 0, 1
    for at, letter in enumerate(text):
        opens, closes = letter in "<({[", letter in ">)}]"
        if (closes and depth == 1) or (letter == "," and depth == 1):
            found.append(text[start:at].strip())
            start = at + 1
        depth += opens - closes
        if closes and depth == 0:
            break
    return found


class _Parts:
    """The parts of a value, found when it is looked at: find gives their number and may raise."""

    def __init__(self, valobj, _dict=None):
        self.valobj = valobj
        self.update()

    def update(self):
        self.parts, self.size, self.is_readable = [], 0, True
        try:
            self.find(self.valobj.GetNonSyntheticValue())
        except Exception:
            self.size, self.is_readable = 0, False

    def has_children(self):
        return self.size > 0

    def num_children(self, _most=0):
        return self.size

    def get_child_index(self, name):
        number = name.strip("[]")
        return int(number) if number.isdecimal() and int(number) < self.size else -1

    def get_child_at_index(self, index):
        return self.part(index) if 0 <= index < self.size else None


class OmpDebugHashed(_Parts):
    """What is hashed is one list of nodes, each a pointer to the next and then what it holds."""

    def find(self, value):
        table = _member(value, "_M_h")
        self.of = table.GetType().GetCanonicalType().GetTemplateArgumentType(1)
        size = _member(table, "_M_element_count").GetValueAsUnsigned()
        if not self.of.IsValid():
            raise _Unreadable
        self.pointer = value.GetTarget().GetAddressByteSize()
        align = max(self.pointer, self.of.GetByteAlign() if hasattr(self.of, "GetByteAlign") else 0)
        self.offset = -(-self.pointer // align) * align
        self.next = _member(table, "_M_before_begin", "_M_nxt").GetValueAsUnsigned()
        # Before it is made the count may be anything.
        if size and not self._follow():
            raise _Unreadable
        self.told, self.size = size, min(size, MOST_NODES)

    def _follow(self):
        error = lldb.SBError()
        address = self.next
        after = self.valobj.GetProcess().ReadPointerFromMemory(address, error) if address else 0
        if not address or error.Fail():
            return False
        self.parts.append(address)
        self.next = after
        return True

    def part(self, index):
        while len(self.parts) <= index:
            if not self._follow():
                return None
        return self.valobj.CreateValueFromAddress("[%d]" % index, self.parts[index] + self.offset, self.of)


class OmpDebugTuple(_Parts):
    """Each element is a base class, _Head_base, of the one that holds it and those after it."""

    def find(self, value):
        rest = value.GetChildAtIndex(0).GetNonSyntheticValue()
        while rest.IsValid():
            bases = [rest.GetChildAtIndex(i).GetNonSyntheticValue() for i in range(rest.GetNumChildren())]
            named = [(re.sub(r"^std::", "", base.GetName() or ""), base) for base in bases]
            head = next((base for name, base in named if name.startswith("_Head_base<")), None)
            if head is None:
                break
            element = head.GetChildMemberWithName("_M_head_impl")
            self.parts.append(element if element.IsValid() else head.GetChildAtIndex(0))
            rest = next((base for name, base in named if name.startswith("_Tuple_impl<")), lldb.SBValue())
        self.size = len(self.parts)

    def part(self, index):
        element = self.parts[index]
        address = element.GetLoadAddress()
        name = "[%d]" % index
        if address == lldb.LLDB_INVALID_ADDRESS:
            return self.valobj.CreateValueFromData(name, element.GetData(), element.GetType())
        return self.valobj.CreateValueFromAddress(name, address, element.GetType())


class OmpDebugSpan(_Parts):
    """Where it begins and how long it is, if that is not in its type."""

    def find(self, value):
        names = [value.GetChildAtIndex(i).GetName() for i in range(value.GetNumChildren())]
        self.pointer = _member(value, "__data_" if "__data_" in names else "_M_ptr")
        fixed = re.search(r", (\d+)(UL|ul)?>$", value.GetType().GetCanonicalType().GetName())
        if "__size_" in names:
            self.told = _member(value, "__size_").GetValueAsUnsigned()
        elif fixed and int(fixed.group(1)) < 1 << 62:
            self.told = int(fixed.group(1))
        else:
            self.told = _member(value, "_M_extent", "_M_extent_value").GetValueAsUnsigned()
        self.size = min(self.told, MOST_NODES)

    def part(self, index):
        of = self.pointer.GetType().GetPointeeType()
        address = self.pointer.GetValueAsUnsigned() + index * of.GetByteSize()
        return self.valobj.CreateValueFromAddress("[%d]" % index, address, of)


class OmpDebugSequence(_Parts):
    """A slice of D, or a seq or string of Nim, whose elements lie behind its length. What is no struct, or no more than a null pointer, is
    what LLDB shows of it: an array of C has such a name as well."""

    told = length = None

    def find(self, value):
        if value.GetType().IsPointerType() and value.GetValueAsUnsigned():
            value = value.Dereference().GetNonSyntheticValue()
        if value.GetType().GetCanonicalType().GetTypeClass() != lldb.eTypeClassStruct:
            return
        if value.GetChildAtIndex(0).GetName() == "length":
            elements, length = _member(value, "ptr"), _member(value, "length")
            self.address, self.of = elements.GetValueAsUnsigned(), elements.GetType().GetPointeeType()
        else:
            elements, length = _member(value, "data"), _member(value, "Sup", "len")
            self.address, self.of = elements.GetLoadAddress(), elements.GetType().GetArrayElementType()
        self.told = length.GetValueAsUnsigned()
        # Before it is made its length may be anything.
        if self.told and not self.read(1):
            raise _Unreadable
        self.length, self.size = length, min(self.told, MOST_NODES)

    def has_children(self):
        return self.size > 0 or self.is_readable and self.told is None

    # D has a name for it, behind the elements.
    def get_child_index(self, name):
        return self.size if name == "length" else super().get_child_index(name)

    def get_child_at_index(self, index):
        return self.length if index == self.size else super().get_child_at_index(index)

    def part(self, index):
        return self.valobj.CreateValueFromAddress("[%d]" % index, self.address + index * self.of.GetByteSize(), self.of)

    def read(self, size):
        return self.valobj.GetProcess().ReadMemory(self.address, size, lldb.SBError()) if size else b""


class OmpDebugAny(_Parts):
    """What it holds is known by the function that copies it, GCC's or Clang's."""

    LAYOUTS = (
        ("_M_manager", r"::_Manager_(internal|external)(<.*>)::_S_manage", ("_M_storage", "_M_buffer"), ("_M_storage", "_M_ptr")),
        ("__h_", r"::_(Small|Large)Handler(<.*>)::__handle", ("__s_", "__buf"), ("__s_", "__ptr")),
    )

    def find(self, value):
        manager, pattern, inside, outside = self.LAYOUTS[value.GetChildAtIndex(0).GetName() == "__h_"]
        manager = _member(value, manager)
        if not manager.GetValueAsUnsigned():
            return
        known = re.search(pattern, _symbol(manager))
        name = _arguments(known.group(2))[0] if known else ""
        target = value.GetTarget()
        spellings = name, re.sub(r">(?=>)", "> ", name), name.replace("std::__1::", "std::")
        self.of = next((of for of in map(target.FindFirstType, spellings) if of.IsValid()), None)
        if self.of is None:
            raise _Unreadable
        if known.group(1) in ("internal", "Small"):
            self.address = _member(value, *inside).GetLoadAddress()
        else:
            self.address = _member(value, *outside).GetValueAsUnsigned()
        self.size = 1

    def get_child_index(self, name):
        return 0 if name == "Value" and self.size else -1

    def part(self, _index):
        return self.valobj.CreateValueFromAddress("Value", self.address, self.of)


def _counted(of):
    def summary(valobj, _dict):
        parts = of(valobj)
        return "size=%d" % parts.told if parts.is_readable else "<not readable>"

    return summary


omp_debug_hashed, omp_debug_span = _counted(OmpDebugHashed), _counted(OmpDebugSpan)
ENCODINGS = {1: "utf-8", 2: "utf-16", 4: "utf-32"}


def omp_debug_sequence(valobj, _dict):
    parts = OmpDebugSequence(valobj)
    if not parts.is_readable:
        return "<not readable>"
    return "" if parts.told is None else "size=%d" % parts.told


def omp_debug_text(valobj, _dict):
    """A text of D or Nim."""
    text = OmpDebugSequence(valobj)
    if text.is_readable and text.told is None and not valobj.GetType().GetName().startswith("NimStr"):
        # C's programs call a pointer so, too.
        return valobj.Cast(valobj.GetType().GetCanonicalType()).GetSummary() or ""
    if not text.is_readable or text.told is None:
        return omp_debug_sequence(valobj, _dict)
    wide = text.of.GetByteSize()
    shown = min(text.told, MOST_TEXT)
    data = (text.read(shown * wide) or b"").decode(ENCODINGS[wide], "replace").encode()
    return '"%s"%s' % (_escaped(data), "..." if text.told > shown else "")


def omp_debug_any(valobj, _dict):
    held = OmpDebugAny(valobj)
    if not held.is_readable:
        return "<not readable>"
    return " Active Type = %s " % held.of.GetName() if held.size else " No Value "


def omp_debug_function(valobj, _dict):
    value = valobj.GetNonSyntheticValue()
    try:
        if not _member(value, "_M_manager").GetValueAsUnsigned():
            return "calls nothing"
        known = re.search(r"^std::_Function_handler(<.*>)::_M_invoke", _symbol(_member(value, "_M_invoker")))
        called = _arguments(known.group(1))[1] if known else ""
        if "(*)" in called:
            called = _symbol(_member(value, "_M_functor", "_M_unused", "_M_function_pointer"))
        return "calls %s" % called if called else "<not readable>"
    except (_Unreadable, IndexError):
        return "<not readable>"


# LLDB reads it up to the first zero.
def omp_debug_string(valobj, _dict):
    value = valobj.Dereference() if valobj.GetType().IsPointerType() else valobj
    value = value.GetNonSyntheticValue()
    try:
        text = _member(value, "_M_dataplus", "_M_p")
        try:
            size = _member(value, "_M_string_length").GetValueAsUnsigned()
        except _Unreadable:
            # Before C++11's.
            return text.GetSummary()
        own = value.GetChildMemberWithName("_M_local_buf")
        is_own = own.GetLoadAddress() == text.GetValueAsUnsigned()
        room = 15 if is_own else _member(value, "_M_allocated_capacity").GetValueAsUnsigned()
        if size > room:
            return "<not readable>"
        error = lldb.SBError()
        shown = min(size, MOST_TEXT)
        data = value.GetProcess().ReadMemory(text.GetValueAsUnsigned(), shown, error) if shown else b""
        if error.Fail():
            return "<not readable>"
        return '"%s"%s' % (_escaped(data), "..." if size > shown else "")
    except _Unreadable:
        return "<not readable>"


def _escaped(data):
    text = data.decode(errors="surrogateescape").translate(ESCAPES)
    numbers = lambda found: "\\%03o" % (ord(found.group()) & 0xFF)
    return re.sub("[\0-\x1f\x7f\udc80-\udcff]", numbers, text)


def omp_debug_bytes(valobj, _dict):
    """Text only where it is one: bytes that are no letters are numbers, and Rust's always."""
    value = valobj.GetNonSyntheticValue()
    of = value.GetType().GetCanonicalType()
    if of.GetName().endswith("[]"):
        # It takes GCC's last array of a union for one without a length.
        return "<of a length that LLDB does not know>"
    size = min(of.GetByteSize(), MOST_SHOWN_BYTES)
    data = value.GetData().ReadRawData(lldb.SBError(), 0, size) if size else b""
    if not data and size:
        return "<not readable>"
    text, _, rest = data.partition(b"\0")
    is_text = text and not rest.strip(b"\0") and all(byte >= 32 and byte != 127 or byte in b"\t\n\r" for byte in text)
    if is_text and value.GetFrame().GuessLanguage() != lldb.eLanguageTypeRust:
        shown = text.decode(errors="replace").translate(ESCAPES)
        return '"%s"%s' % (shown, "..." if of.GetByteSize() > size else "")
    is_signed = of.GetArrayElementType().GetCanonicalType().GetBasicType() != lldb.eBasicTypeUnsignedChar
    numbers = [str(byte - 256 if is_signed and byte > 127 else byte) for byte in data]
    return "[%s]" % ", ".join(numbers + ["…"] * (of.GetByteSize() > size))


# Not what ends with "char[]", which is a text of C.
for kind, parts, summary in (
    (r"^std::(__debug::)?unordered_(multi)?(map|set)<.*>$", "OmpDebugHashed", "omp_debug_hashed"),
    (r"^std::tuple<.*>$", "OmpDebugTuple", None),
    (r"^std::(__1::)?span<.*>$", "OmpDebugSpan", "omp_debug_span"),
    (r"^std::(__1::)?any$", "OmpDebugAny", "omp_debug_any"),
    (r"^std::function<.*>$", None, "omp_debug_function"),
    (r"^([^ ]*([^ r]|[^a]r|[^h]ar|[^c]har)\[\]|tySequence_.*)$", "OmpDebugSequence", "omp_debug_sequence"),
    (r"^([wd]?string|NimStringDesc( ?\*)?)$", None, "omp_debug_text"),
    (r"^((un)?signed char|u?int8_t) ?\[[0-9]*\]$", None, "omp_debug_bytes"),
):
    if parts:
        lldb.debugger.HandleCommand("type synthetic add -l %s -w omp-debug -x '%s'" % (parts, kind))
    if summary:
        lldb.debugger.HandleCommand("type summary add -F %s -e -p -r -w omp-debug -x '%s'" % (summary, kind))
lldb.debugger.HandleCommand("type summary add -F omp_debug_string -w omp-debug -x '^std::(__cxx11::)?basic_string<char[,>]'")
# A number, and no letter.
for kind, how in ("uint8_t", "u"), ("int8_t", "d"):
    lldb.debugger.HandleCommand("type format add -f %s -w omp-debug %s" % (how, kind))
lldb.debugger.HandleCommand("type category enable omp-debug")


# To LLDB's own any name is that of what they hold: what is written behind one, a call too, would be taken for it.
try:
    from lldb.formatters.cpp import gnu_libstdcpp as _own

    for _name in "StdOptionalSynthProvider", "VariantSynthProvider":
        if hasattr(_own, _name):
            getattr(_own, _name).get_child_index = lambda self, name: 0 if name == "Value" else -1
except ImportError:
    pass
