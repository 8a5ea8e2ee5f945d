# Runs inside LLDB's own Python after Rust's formatters, and mends them where they do not tell the truth or take for ever.
# It is one command of LLDB, which would evaluate what stands between backquotes, and comes after lldb_values.py, whose names it uses.
import re
import sys

import lldb

# Before a String is made its length may be anything, and they would read that much memory and look at that many characters.
MOST_BYTES, MOST_PARTS = 1 << 20, 100
# Elements of a tree are found one after the other.
MOST_IN_TREES = 10000


def _read_memory(process, address, size, error, read=lldb.SBProcess.ReadMemory):
    return read(process, address, min(size, MOST_BYTES), error)


_all = lldb.SBValue.GetNumChildren


def _count(*value):
    return min(_all(*value), MOST_PARTS)


def _read(value, address, size):
    error = lldb.SBError()
    data = value.GetProcess().ReadMemory(address, size, error)
    if error.Fail() or len(data or b"") != size:
        raise _Unreadable
    return data


def _order(value):
    return "big" if value.GetProcess().GetByteOrder() == lldb.eByteOrderBig else "little"


# Enums: "$variants$" is a union of all variants, each named by its discriminant and the one that holds the niche by nothing. LLDB keeps only the
# lower 32 bits of a discriminant, so of what is wider the upper ones are known by the type whose niche it is.
NICHES = [
    (re.compile(r"NoHighBit$|^alloc::raw_vec::Cap$"), 1 << 63),
    (re.compile(r"NotAllOnes$"), 0xFFFFFFFF << 32),
    (re.compile(r"(^|::)Non(Null|Zero)"), 0),
]


def _upper_bits(type, offset, value, left):
    """What the upper bits of a niche are at this offset of this type; None if any may be."""
    left[0] -= 1
    if left[0] < 0:
        return None
    name = type.GetName() or ""
    for pattern, upper in NICHES:
        if pattern.search(name.split("<", 1)[0]):
            return upper
    type = type.GetCanonicalType()
    if type.IsPointerType() or type.IsReferenceType():
        return 0
    of = type.GetTypeClass()
    if of == lldb.eTypeClassArray:
        element = type.GetArrayElementType()
        return _upper_bits(element, offset % max(element.GetByteSize(), 1), value, left)
    if of == lldb.eTypeClassEnumeration:
        # One of its own values is none of a niche.
        members = type.GetEnumMembers()
        known = {members.GetTypeEnumMemberAtIndex(i).GetValueAsUnsigned() for i in range(members.GetSize())}
        return -1 if value in known else None
    for i in range(type.GetNumberOfFields()):
        field = type.GetFieldAtIndex(i)
        at, size = field.GetOffsetInBytes(), field.GetType().GetByteSize()
        if at <= offset < at + size and field.GetName() != "$discr$":
            upper = _upper_bits(field.GetType(), offset - at, value, left)
            if upper is not None:
                return upper
    return None


def _field(type, name):
    for i in range(type.GetNumberOfFields()):
        if type.GetFieldAtIndex(i).GetName() == name:
            return type.GetFieldAtIndex(i)
    raise _Unreadable


def _is_never(type, left):
    """Whether there is no value of it."""
    left[0] -= 1
    if left[0] < 0 or type.GetTypeClass() not in (lldb.eTypeClassStruct, lldb.eTypeClassUnion):
        return type.GetName() == "!"
    fields = [type.GetFieldAtIndex(i) for i in range(type.GetNumberOfFields())]
    if fields and fields[0].GetName() == "$variants$":
        variants = fields[0].GetType()
        return all(_is_never(variants.GetFieldAtIndex(i).GetType(), left) for i in range(variants.GetNumberOfFields()))
    return type.GetTypeClass() == lldb.eTypeClassStruct and any(_is_never(field.GetType(), left) for field in fields)


class _Enum:
    """The variant that an enum is in, or why it is in none."""

    def __init__(self, valobj, _dict=None):
        self.valobj = valobj
        self.update()

    def update(self):
        self.variant, self.value, self.why = None, None, "<not readable>"
        try:
            self._find()
        except _Unreadable:
            pass

    def _find(self):
        valobj = self.valobj.GetNonSyntheticValue()
        union = valobj.GetType().GetFieldAtIndex(0).GetType()
        variants, numbers, default = [], {}, []
        for i in range(union.GetNumberOfFields()):
            variants.append(union.GetFieldAtIndex(i).GetType())
            _, _, number = union.GetFieldAtIndex(i).GetName().rpartition("$")
            (numbers.setdefault(int(number), []) if number else default).append(i)
        if numbers:
            found = self._by_number(valobj, variants, numbers, default)
        else:
            self.why = "<no variant>"
            found = default if len(default) == 1 else [i for i in default if not _is_never(variants[i], [1000])]
        if len(found) > 1:
            self.why = "<%s>" % " or ".join(_variant_name(variants[i]) for i in found)
        elif found:
            self.variant = variants[found[0]]
            self.value = self._held(valobj, found[0]).GetSyntheticValue()

    def _held(self, valobj, i):
        field = _field(self.variant, "value")
        if field.GetOffsetInBytes() == 0:
            return _member(valobj.GetChildAtIndex(0).GetChildAtIndex(i), "value")
        # All of them begin where the enum does, whatever LLDB makes of it.
        address = valobj.GetLoadAddress()
        if address != lldb.LLDB_INVALID_ADDRESS:
            return valobj.CreateValueFromAddress("value", address, field.GetType())
        return valobj.CreateValueFromData("value", valobj.GetData(), field.GetType())

    def _by_number(self, valobj, variants, numbers, default):
        tag = _field(variants[next(iter(numbers.values()))[0]], "$discr$")
        # LLDB takes where it is for how many bits it has.
        at = tag.GetBitfieldSizeInBits() if tag.IsBitfield() else tag.GetOffsetInBytes()
        size = tag.GetType().GetByteSize()
        error = lldb.SBError()
        data = valobj.GetData().ReadRawData(error, at, size)
        if error.Fail() or len(data or b"") != size:
            raise _Unreadable
        is_signed = bool(tag.GetType().GetTypeFlags() & lldb.eTypeIsSigned)
        whole = int.from_bytes(data, _order(valobj), signed=is_signed)
        self.why = "<no variant: %d>" % whole
        # Of what is negative only those bytes that are needed are written down.
        needed = next((bits for bits in (8, 16, 32) if -1 << bits - 1 <= whole < 1 << bits - 1), 32) if is_signed else 32
        hits = [i for number in {whole & (1 << bits) - 1 for bits in (needed, 32)} for i in numbers.get(number, [])]
        if size > 4 and default:
            held = _field(variants[default[0]], "value").GetType()
            upper = _upper_bits(held, at, whole, [1000])
            if size > 8:
                # It has no number that is one.
                hits = [i for those in numbers.values() for i in those]
                if upper != 0 or len(hits) > 1:
                    return hits + default
                hits = [] if whole else hits
            elif upper is not None and whole >> 32 << 32 != upper:
                hits = []
        return hits or default

    def has_children(self):
        return self.value is not None and self.value.MightHaveChildren()

    def num_children(self):
        return 0 if self.value is None else _all(self.value)

    def get_child_index(self, name):
        return -1 if self.value is None else self.value.GetIndexOfChildWithName(name)

    def get_child_at_index(self, index):
        return None if self.value is None else self.value.GetChildAtIndex(index)


TUPLE_FIELD = re.compile(r"(__)?\d+$")
# Of one byte Rust has numbers only.
BYTES = {lldb.eBasicTypeUnsignedChar: "GetValueAsUnsigned"}
BYTES |= dict.fromkeys((lldb.eBasicTypeSignedChar, lldb.eBasicTypeChar), "GetValueAsSigned")


def _variant_name(type):
    return re.sub(r"\$Variant$", "", type.GetName().rsplit("::", 1)[-1])


def _enum_summary(valobj, _dict):
    if valobj.GetType().IsPointerType() or valobj.GetType().IsReferenceType():
        valobj = valobj.Dereference()
    enum = _Enum(valobj)
    if enum.value is None:
        return enum.why
    name = _variant_name(enum.variant)
    if enum.value.GetNumChildren() == 0:
        return name
    is_tuple = TUPLE_FIELD.match(enum.value.GetType().GetFieldAtIndex(0).GetName() or "")
    return name + (_tuple_summary(enum.value, _dict) if is_tuple else " " + _struct_summary(enum.value, _dict))


def _is_enum(type):
    return type.GetTypeClass() == lldb.eTypeClassStruct and type.GetFieldAtIndex(0).GetName() == "$variants$"


# How many parts may still be told of the value whose summary is made, however they are nested.
_budget = []
# The pointers that were followed on the way to a part.
_followed = []
MOST_FOLLOWED = 2
FOLLOWED = lldb.eTypeClassStruct, lldb.eTypeClassBuiltin


def _text(part, _dict):
    """What is said of a part in the summary of the whole."""
    type = part.GetType()
    number = BYTES.get(type.GetCanonicalType().GetBasicType())
    if _is_enum(type):
        return _enum_summary(part, _dict)
    if number and part.GetError().Success():
        return str(getattr(part, number)())
    if type.IsPointerType():
        if type.GetPointeeType().GetCanonicalType().GetBasicType() in BYTES:
            # Where a byte is no text begins.
            return part.GetValue()
        if type.GetPointeeType().GetTypeClass() in FOLLOWED and len(_followed) < MOST_FOLLOWED:
            target = part.Dereference()
            if part.GetValueAsUnsigned() and target.GetError().Success():
                _followed.append(part)
                try:
                    return _text(target, _dict)
                finally:
                    _followed.pop()
    if type.IsArrayType() and type.GetArrayElementType().GetCanonicalType().GetBasicType() in BYTES:
        return "[" + ", ".join(summary for _, summary in _part_summaries(part, _dict)) + "]"
    text = part.GetSummary() or part.GetValue()
    if text and type.GetCanonicalType().GetBasicType() == lldb.eBasicTypeChar32:
        # U+0x00000078 U'x'
        text = text[max(text.find("U'"), 0) :].lstrip("U")
    if text is not None:
        return text
    names = [part.GetChildAtIndex(n).GetName() or "" for n in range(part.GetNumChildren())]
    is_tuple = all(map(TUPLE_FIELD.match, names))
    return (_tuple_summary if is_tuple else _struct_summary)(part, _dict)


def _part_summaries(valobj, _dict):
    outermost = not _budget
    if outermost:
        _budget.append(MOST_PARTS)
    try:
        told = []
        for i in range(valobj.GetNumChildren()):
            _budget[0] -= 1
            if _budget[0] < 0:
                told.append((None, "…"))
                break
            child = valobj.GetChildAtIndex(i)
            told.append((child.GetName(), _text(child, _dict)))
        return told
    finally:
        if outermost:
            _budget.clear()


def _struct_summary(valobj, _dict):
    parts = (summary if name is None else "%s: %s" % (name, summary) for name, summary in _part_summaries(valobj, _dict))
    return "{" + ", ".join(parts) + "}"


def _tuple_summary(valobj, _dict):
    return "(" + ", ".join(summary for _, summary in _part_summaries(valobj, _dict)) + ")"


class _Tree:
    """A BTreeMap as values that are named by their keys, a BTreeSet as its elements."""

    # A node holds up to eleven, and more than 2^64 need a tree no higher than this.
    MOST_IN_NODE, HIGHEST = 11, 25

    def __init__(self, valobj, _dict=None):
        self.valobj = valobj
        self.update()

    def update(self):
        self.is_set = "::BTreeSet<" in self.valobj.GetTypeName()
        self.found, self.size = [], 0
        try:
            tree = self.valobj.GetNonSyntheticValue()
            tree = _member(tree, "map") if self.is_set else tree
            size = _member(tree, "length").GetValueAsUnsigned()
            if size:
                self._start(_member(tree, "root"), size)
            self.size, self.is_readable = size, True
        except _Unreadable:
            self.is_readable = False

    def _start(self, root, size):
        if _is_enum(root.GetType()):
            root = _Enum(root).get_child_at_index(0)
            if root is None:
                raise _Unreadable
            root = root.GetNonSyntheticValue()
        height = _member(root, "height").GetValueAsUnsigned()
        pointer = _member(root, "node", "pointer")
        node = pointer.GetType().GetPointeeType()
        self.node_size, self.pointer_size = node.GetByteSize(), pointer.GetByteSize()
        self.len_at = _field(node, "len").GetOffsetInBytes()
        self.columns = []
        for n, column in enumerate(["keys", "vals"][: 1 if self.is_set else 2]):
            field = _field(node, column)
            of = node.GetTemplateArgumentType(n)
            if not of.IsValid():
                raise _Unreadable
            self.columns.append((field.GetOffsetInBytes(), field.GetType().GetByteSize() // self.MOST_IN_NODE, of))
        self.order = _order(root)
        if height > self.HIGHEST or size >= (self.MOST_IN_NODE + 1) ** (height + 1):
            raise _Unreadable
        root = pointer.GetValueAsUnsigned()
        length, _ = self._node(root, height)
        if height == 0 and length != size:
            raise _Unreadable
        self.walk = self._elements(root, height)

    def _node(self, address, height):
        """How many are in a node, and where those below it are."""
        below = self.MOST_IN_NODE + 1 if height else 0
        data = _read(self.valobj, address, self.node_size + below * self.pointer_size)
        length = int.from_bytes(data[self.len_at : self.len_at + 2], self.order)
        if not 1 <= length <= self.MOST_IN_NODE:
            raise _Unreadable
        at = range(self.node_size, self.node_size + below * self.pointer_size, self.pointer_size)
        return length, [int.from_bytes(data[i : i + self.pointer_size], self.order) for i in at]

    def _elements(self, address, height):
        length, below = self._node(address, height)
        for i in range(length + 1):
            if height:
                yield from self._elements(below[i], height - 1)
            if i < length:
                yield [address + at + i * size for at, size, _ in self.columns]

    def has_children(self):
        return self.size > 0

    def num_children(self):
        return min(self.size, MOST_IN_TREES)

    def get_child_index(self, name):
        # What was shown is what is asked for.
        made = range(min(len(self.found), self.num_children()))
        return next((i for i in made if self._name(i) == name), -1)

    def _name(self, index):
        return "[%s]" % (index if self.is_set else _text(self._column("key", index, 0), {}))

    def _column(self, name, index, column):
        return self.valobj.CreateValueFromAddress(name, self.found[index][column], self.columns[column][2])

    def get_child_at_index(self, index):
        if not 0 <= index < self.num_children():
            return None
        try:
            while len(self.found) <= index:
                self.found.append(next(self.walk))
        except (StopIteration, _Unreadable):
            return None
        return self._column(self._name(index), index, -1)


def _is_tree(valobj):
    # LLDB before 19 knows nothing of what is in an enum.
    type = valobj.GetType()
    if not TREE.match(type.GetName() or ""):
        return False
    try:
        type = _field(type, "map").GetType() if "::BTreeSet<" in type.GetName() else type
        return _field(type, "root").GetType().GetNumberOfFields() > 0
    except _Unreadable:
        return False


def _tree_summary(valobj, _dict):
    tree = _Tree(valobj)
    if not tree.is_readable:
        return "<not readable>"
    return "%s(size=%d)" % ("BTreeSet" if tree.is_set else "BTreeMap", tree.size)


def _ip_summary(valobj, _dict):
    import ipaddress

    octets = _member(valobj.GetNonSyntheticValue(), "octets")
    data = octets.GetData().ReadRawData(lldb.SBError(), 0, octets.GetByteSize())
    return str(ipaddress.ip_address(bytes(data)))


TREE = re.compile(r"^alloc::([a-z_]+::)+BTree(Map|Set)<.+>$")
ROW = re.compile(r"^&(mut )?(str$|\[)|^alloc::([a-z_]+::)+Vec(Deque)?<|^std::collections::([a-z_]+::)+Hash(Map|Set)<")
# With no provider of theirs.
BOXED = re.compile(r"^alloc::boxed::Box<(str,|\[)")
IP = re.compile(r"^core::net::ip_addr::Ipv[46]Addr$")


class _Checked:
    """A provider of theirs, without parts if those are nowhere."""

    def __init__(self, make, valobj, _dict=None):
        self.make, self.valobj = make, valobj
        self.update()

    def update(self):
        try:
            self.of = self.make(self.valobj, {})
            self._look()
        except Exception:
            self.of = None

    def _look(self):
        if not hasattr(self.of, "data_ptr"):
            return
        count, size = self.of.num_children(), 1
        for name in "element_type_size", "element_size", "pair_type_size":
            size = getattr(self.of, name, size)
        if count * size == 0:
            return
        # They lie in a row, but for a queue and what is hashed, which say how many have room.
        room = getattr(self.of, "cap", count)
        if not hasattr(self.of, "valid_indices"):
            if count > room:
                raise _Unreadable
            _read(self.valobj, self.of.data_ptr.GetValueAsUnsigned() + room * size - 1, 1)

    def has_children(self):
        return self.of is not None and self.of.has_children()

    def num_children(self):
        return 0 if self.of is None else self.of.num_children()

    def get_child_index(self, name):
        return -1 if self.of is None else self.of.get_child_index(name)

    def get_child_at_index(self, index):
        return None if self.of is None else self.of.get_child_at_index(index)


def _update_hash(self):
    table = self.table()
    inner = table.GetChildMemberWithName("table")
    control = inner.GetChildMemberWithName("ctrl").GetChildAtIndex(0)
    self.size = inner.GetChildMemberWithName("items").GetValueAsUnsigned()
    self.pair_type = table.GetType().GetTemplateArgumentType(0)
    if self.pair_type.IsTypedefType():
        self.pair_type = self.pair_type.GetTypedefedType()
    self.pair_type_size = self.pair_type.GetByteSize()
    data = inner.GetChildMemberWithName("data")
    self.new_layout = not data.IsValid()
    self.data_ptr = control.Cast(self.pair_type.GetPointerType()) if self.new_layout else data.GetChildAtIndex(0)
    capacity = inner.GetChildMemberWithName("bucket_mask").GetValueAsUnsigned() + 1
    if capacity & capacity - 1 or capacity > MOST_BYTES or not self.pair_type.IsValid():
        raise _Unreadable
    held = _read(self.valobj, control.GetValueAsUnsigned(), capacity)
    self.valid_indices = [i for i, byte in enumerate(held) if byte & 128 == 0]
    if len(self.valid_indices) != self.size:
        raise _Unreadable


def _row_of(counted):
    """What a counted pointer to a row points to, of which theirs has the first element: Arc<str>, Rc<[T]>; none for any other."""
    pointer = counted.valobj.GetChildMemberWithName("ptr").GetChildMemberWithName("pointer")
    length, first = pointer.GetChildMemberWithName("length"), counted.first
    if not length.IsValid():
        return None
    if (pointer.GetTypeName() or "").endswith("Inner<str>"):
        # The pointer with its length is all that a reference to a text is.
        target, process = first.GetTarget(), first.GetProcess()
        words = [first.GetLoadAddress(), length.GetValueAsUnsigned()]
        data = lldb.SBData.CreateDataFromUInt64Array(process.GetByteOrder(), process.GetAddressByteSize(), words)
        return first.CreateValueFromData(first.GetName(), data, target.FindFirstType("&str"))
    kind = first.GetType().GetArrayType(length.GetValueAsUnsigned())
    return first.CreateValueFromAddress(first.GetName(), first.GetLoadAddress(), kind)


def _guarded(summary):
    # LLDB counts the arguments.
    def guarded(valobj, _dict):
        try:
            return summary(valobj, _dict)
        except Exception:
            return "<not readable>"

    return guarded


def omp_debug_no_text(_valobj, _dict):
    """Instead of LLDB's own summary."""
    return ""


def _mend(lookup, providers):
    synthetic_lookup, summary_lookup = lookup.synthetic_lookup, lookup.summary_lookup
    string, string_summary = lookup.StdStringSyntheticProvider, lookup.StdStringSummaryProvider
    str_summary, rc_summary = lookup.StdStrSummaryProvider, lookup.StdRcSummaryProvider

    def synthetic(valobj, _dict):
        if _is_tree(valobj):
            return _Tree(valobj)
        if BOXED.match(valobj.GetTypeName() or ""):
            return _Checked(lookup.StdSliceSyntheticProvider, valobj)
        if ROW.match(valobj.GetTypeName() or ""):
            return _Checked(synthetic_lookup, valobj)
        return synthetic_lookup(valobj, _dict)

    def summary(valobj, _dict):
        # What a pointer points to is looked up by the name of its type, too, and by that of the pointer not found.
        if valobj.GetType().IsPointerType():
            valobj = valobj.Dereference()
        if _is_tree(valobj):
            return _tree_summary(valobj, _dict)
        if IP.match(valobj.GetTypeName() or ""):
            return _ip_summary(valobj, _dict)
        if boxed := BOXED.match(valobj.GetTypeName() or ""):
            return '"%s"' % text(valobj) if boxed.group(1) == "str," else size(valobj, _dict)
        return summary_lookup(valobj, _dict)

    def checked(make, summary):
        def told(valobj, _dict):
            whole = valobj.GetNonSyntheticValue()
            whole = whole.Dereference() if whole.GetType().IsPointerType() else whole
            if whole.GetError().Fail() or _Checked(make, whole).of is None:
                raise _Unreadable
            return summary(valobj, _dict)

        return told

    def size(valobj, _dict):
        parts = synthetic(valobj.GetNonSyntheticValue(), _dict)
        if getattr(parts, "of", parts) is None:
            raise _Unreadable
        return "size=%d" % parts.num_children()

    def text(vec):
        row = synthetic(vec.GetNonSyntheticValue(), {})
        if row.of is None:
            raise _Unreadable
        length = min(row.num_children(), MOST_BYTES)
        data = _read(vec, row.of.data_ptr.GetValueAsUnsigned(), length) if length else b""
        return data.decode(errors="replace")

    def counts(valobj, _dict):
        counted = synthetic_lookup(valobj.GetNonSyntheticValue(), _dict)
        if counted.strong.GetError().Fail():
            raise _Unreadable
        return rc_summary(valobj, _dict)

    def from_uint(self, name, value, original=providers.ValueBuilder.from_uint):
        return original(self, name, max(value, 0))

    own = {
        "ClangEncodedEnumProvider": _Enum,
        "ClangEncodedEnumSummaryProvider": _enum_summary,
        "TupleSummaryProvider": _tuple_summary,
        "StructSummaryProvider": _struct_summary,
        "SizeSummaryProvider": size,
        "StdRcSummaryProvider": counts,
        "StdStringSyntheticProvider": lambda valobj, _dict: _Checked(string, valobj),
        "StdStringSummaryProvider": checked(string, string_summary),
        "StdStrSummaryProvider": checked(synthetic_lookup, str_summary),
        "vec_to_string": text,
        "synthetic_lookup": synthetic,
        "summary_lookup": summary,
    }
    providers.StdHashMapSyntheticProvider.update = _update_hash
    counted, update_counted = providers.StdRcSyntheticProvider, providers.StdRcSyntheticProvider.update

    def update_row(self):
        update_counted(self)
        self.first = getattr(self, "first", self.value)
        self.value = _row_of(self) or self.value

    borrow, update_borrow = providers.StdRefSyntheticProvider, providers.StdRefSyntheticProvider.update

    def update_target(self):
        update_borrow(self)
        # Theirs takes a wrapped pointer for a plain one.
        pointer = self.valobj.GetChildMemberWithName("value").GetChildMemberWithName("pointer")
        if pointer.IsValid():
            self.value = pointer.Dereference() if pointer.GetType().IsPointerType() else pointer

    counted.update, borrow.update = update_row, update_target
    providers.DefaultSyntheticProvider.num_children = lambda self: _all(self.valobj)
    providers.ValueBuilder.from_uint = from_uint
    for module in lookup, providers:
        for name in dir(module):
            it = own.get(name, getattr(module, name))
            is_summary = name == "summary_lookup" or name.endswith("SummaryProvider")
            setattr(module, name, _guarded(it) if is_summary else it)
    # LLDB takes bytes for characters of C, which in Rust they are not.
    lldb.debugger.HandleCommand('type format add -p -f u -w Rust "unsigned char" u8')
    lldb.debugger.HandleCommand('type format add -p -f d -w Rust "signed char" char i8')
    # Nor is what a reference to one points to a text.
    lldb.debugger.HandleCommand("type summary add -F omp_debug_no_text -w Rust -x '^((un)?signed char|[ui]8) ?[*]$'")
    # What has parts, in place of theirs for everything, which is taken away: numbers would have a call of Python each time they are shown.
    lldb.debugger.HandleCommand("type synthetic add -l lldb_lookup.synthetic_lookup -w Rust -x '[^a-z0-9 ]'")
    for known in IP, BOXED:
        lldb.debugger.HandleCommand("type summary add -F lldb_lookup.summary_lookup -x '%s' --category Rust" % known.pattern)


lldb.SBProcess.ReadMemory, lldb.SBValue.GetNumChildren = _read_memory, _count
if "lldb_lookup" in sys.modules:
    _mend(sys.modules["lldb_lookup"], sys.modules["lldb_providers"])
