# Data breakpoints, which gdb's adapter does not offer: they are gdb's own watchpoints, those of the processor only. Without them gdb would run
# the program instruction by instruction. And which breakpoints stop a program, of several at one address; in which language one of a program
# that is still to be loaded has its condition; all of the ends of a function of Rust's; and the signal of a stop.
import inspect
import linecache
import sys

import gdb
import gdb.dap.breakpoint as _of_gdb
import gdb.dap.events as events
import gdb.dap.server
from gdb.dap.frames import frame_for_id
from gdb.dap.varref import find_variable

_COMMANDS = {"write": "watch", "read": "rwatch", "readWrite": "awatch"}
# Places of 8 bytes that processors can watch at a time; with more of them gdb would not let the program go on.
_MOST_PLACES = 4
# What was asked for: the address with its type, the name and the frame of each, by the id that was told; the last two, and how many places
# it takes, by numbers of watchpoints.
_known, _names, _places = {}, {}, {}
# Frames that are looked through for the one that a variable is in.
_MOST_FRAMES = 64
# What a function keeps below its stack pointer, on x86.
_RED_ZONE = 128


def _frame_of(address):
    """The frame in whose part of the stack an address is; none for what is elsewhere in memory."""
    # Where the part of `main` ends, the frame below says.
    with gdb.with_parameter("backtrace past-main", True):
        return _holding(address, gdb.selected_frame())


def _holding(address, frame):
    begin = int(frame.read_register("sp")) - _RED_ZONE
    for _ in range(_MOST_FRAMES):
        older = frame.older()
        end = int(older.read_register("sp")) if older else 0
        if begin <= address < end:
            return frame
        if not older:
            break
        frame, begin = older, end
    return None


def _wanted(name, reference, frame_id):
    if reference:
        parent = find_variable(reference)
        if name not in parent._by_name:
            list(parent.fetch_children(0, 0))
        return parent.find_child_by_name(name)._value
    if frame_id is not None:
        frame_for_id(frame_id).inferior_frame().select()
    # A function that is called would tell everybody that the program goes on.
    with gdb.with_parameter("may-call-functions", False):
        value = gdb.parse_and_eval(name)
    # What is written with an & is the place itself.
    return value.dereference() if name.startswith("&") else value


def _info(*, name: str, variablesReference: int = 0, frameId=None, **_rest):
    try:
        value = _wanted(name, variablesReference, frameId)
        address = value.address
        if address is None:
            raise gdb.GdbError("%s is in no memory" % name)
    except Exception as error:
        return {"dataId": None, "description": str(error)}
    known = "0x%x/%d" % (int(address), value.type.sizeof)
    _known[known] = address, (name.lstrip("&"), _frame_of(int(address)))
    return {"dataId": known, "description": name, "accessTypes": list(_COMMANDS), "canPersist": False}


def _as_in_c(type):
    """A type of C's for the values of another language's, where C has one; its bytes otherwise."""
    bare, whole = type.strip_typedefs(), ("signed char", "short", "int", "long")
    scalars = dict.fromkeys((gdb.TYPE_CODE_INT, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_RANGE, gdb.TYPE_CODE_CHAR), whole)
    scalars[gdb.TYPE_CODE_FLT] = "float", "double"
    alike = (gdb.lookup_type(name) for name in scalars.get(bare.code, ()))
    return next((one for one in alike if one.sizeof == bare.sizeof), gdb.lookup_type("char").array(bare.sizeof - 1))


def _watch(*, dataId, accessType):
    if dataId not in _known:
        raise gdb.GdbError("it is a place of an earlier run: choose it again")
    address, name = _known[dataId]
    command = _COMMANDS[accessType or "write"] + " -location *$_watched"
    try:
        gdb.set_convenience_variable("_watched", address)
        # Of a place in memory, which outlives its scope, only the command makes one.
        gdb.execute(command, to_string=True)
    except gdb.error:
        # It spells the place out as C does, also in a language that has another way.
        with gdb.with_parameter("language", "c"):
            gdb.set_convenience_variable("_watched", address.cast(_as_in_c(address.type.target()).pointer()))
            gdb.execute(command, to_string=True)
    made = max(gdb.breakpoints(), key=lambda known: known.number)
    size = address.type.target().sizeof
    places = (int(address) + size - 1) // 8 - int(address) // 8 + 1
    if made.type == gdb.BP_WATCHPOINT or places > _MOST_PLACES:
        made.delete()
        raise gdb.GdbError("%d bytes are more than the processor can watch: choose a part of it" % size)
    if places + sum(_places.get(other.number, 0) for other in gdb.breakpoints()) > _MOST_PLACES:
        made.delete()
        raise gdb.GdbError("the processor watches %d places of 8 bytes at a time: take another one away" % _MOST_PLACES)
    _places[made.number] = places
    _names[made.number] = name
    return made


def _set(*, breakpoints: list = (), **_rest):
    wanted = [frozenset((key, asked.get(key)) for key in ("dataId", "accessType")) for asked in breakpoints]
    # First what is wanted no more: it has a place. A program that has ended takes them with it.
    with _of_gdb.suppress_new_breakpoint_event():
        for spec, alike in _of_gdb._breakpoint_map.get("data", {}).items():
            for one in alike if spec not in wanted else ():
                one.delete()
            alike[:] = [one for one in alike if one.is_valid()]
    specs = [{key: asked.get(key) for key in ("dataId", "accessType", "condition", "hitCondition")} for asked in breakpoints]
    return {"breakpoints": _placed("data", specs, _watch)}


class _Beside(gdb.Breakpoint):
    """A place of a breakpoint that gdb left out."""

    def __init__(self, whole, address):
        super().__init__("*%d" % address, internal=True)
        self.whole = whole
        self.enabled, self.condition, self.ignore_count = whole.enabled, whole.condition, whole.ignore_count

    def stop(self):
        # What prints and goes on does so here.
        return self.whole.stop() if hasattr(self.whole, "stop") else True


# Such places, by numbers of the breakpoints that they belong to.
_beside = {}


def _ends(breakpoint):
    """Addresses of the line at which a function of Rust's ends, without those that the breakpoint has. gdb takes the first of the line in each
    block, which may be where a panic unwinds through: then nothing would stop where the function returns."""
    own = {place.address for place in breakpoint.locations}
    for place in breakpoint.locations:
        name, line = place.source or ("", 0)
        path = place.fullname or name
        if path.endswith(".rs") and linecache.getline(path, line).lstrip().startswith("}"):
            table = gdb.find_pc_line(place.address).symtab.linetable()
            others = {entry.pc for entry in table.line(line) or ()} - own
            yield from gdb.omp_debug_ways(place.address, others)


def _see_ends(breakpoint):
    """Stops at these as well. Only where a program runs: when it starts it is moved, and while gdb moves breakpoints none may be made."""
    if breakpoint.type != gdb.BP_BREAKPOINT or breakpoint.number < 0 or breakpoint.pending or not gdb.selected_inferior().pid:
        return
    known = _beside.setdefault(breakpoint.number, {})
    try:
        for address in set(_ends(breakpoint)) - set(known):
            known[address] = _Beside(breakpoint, address)
    except (gdb.error, RuntimeError):
        # It stops where gdb has it, then.
        pass


def _see_all_ends(_event=None):
    for breakpoint in gdb.breakpoints():
        _see_ends(breakpoint)


def _forget_ends(breakpoint):
    for beside in _beside.pop(breakpoint.number, {}).values():
        beside.delete()


def _forget_all_ends(_event):
    for beside in (one for all in _beside.values() for one in all.values()):
        beside.delete()
    _beside.clear()


# Hits and hits to pass over, by numbers of breakpoints; those that were met since the last stop.
_hit_counts, _met = {}, set()


# Breakpoints with a condition that wait for their place, by numbers.
_waiting = set()


def _modified(breakpoint):
    # gdb disables such a one for good when it has not found its place the first time. It is not looked at while it is disabled.
    if breakpoint.pending and breakpoint.condition and breakpoint.enabled:
        _waiting.add(breakpoint.number)
        breakpoint.enabled = False
    elif breakpoint.number in _waiting and not breakpoint.pending:
        _waiting.discard(breakpoint.number)
        breakpoint.enabled = True
    for beside in _beside.get(breakpoint.number, {}).values():
        beside.enabled, beside.condition = breakpoint.enabled, breakpoint.condition
    hits, passed = _hit_counts.get(breakpoint.number, (0, 0))
    now = _hit_counts[breakpoint.number] = breakpoint.hit_count, breakpoint.ignore_count
    # A hit that is passed over is counted as well.
    if now[0] > hits and now[1] >= passed:
        _met.add(breakpoint.number)


class _OfSignal(gdb.Function):
    """What the system says of a signal, in words that every language has."""

    def __init__(self, name, read):
        super().__init__(name)
        self._read = read

    def invoke(self):
        return int(self._read(gdb.convenience_variable("_siginfo")))


def _fault(told):
    # Where a process has sent it, its number is there instead; where the kernel does not know the address, nothing is.
    if not 0 < told["si_code"] < 0x80:
        raise gdb.GdbError("the address is not known")
    return told["_sifields"]["_sigfault"]["si_addr"]


_OfSignal("_signal_number", lambda told: told["si_signo"])
_OfSignal("_fault_address", _fault)


def _watched(event):
    """What the value of a watchpoint was and is, at a stop there."""
    details = getattr(event, "details", {})
    value = details.get("value") or {}
    number = next((what.get("number") for what in details.values() if isinstance(what, dict) and "exp" in what), None)
    now = value.get("new", value.get("value"))
    if number not in _names or now is None:
        return {}
    name, frame = _names[number]
    if frame and not frame.is_valid():
        return {"text": "%s: its function has returned, and something else has its place" % name}
    return {"text": "%s: %s \u2192 %s" % (name, value["old"], now) if "old" in value else "%s is read: %s" % (name, now)}


def _stopped(event, told=getattr(events, "_on_stop", None), send=getattr(events, "send_event", None)):
    """Says with a stop what a watchpoint saw, and of all breakpoints at the address those that were met."""
    said, met = _watched(event), set(_met)
    _met.clear()

    def send_more(what, body, *rest):
        there = body.get("hitBreakpointIds") or ()
        whole = {beside.number: number for number, all in _beside.items() for beside in all.values()}
        hits = [whole.get(number, number) for number in there if number in met or number in whole]
        send(what, dict(body, **said, **({"hitBreakpointIds": hits} if hits else {})), *rest)

    events.send_event = send_more
    try:
        told(event)
    finally:
        events.send_event = send


def _without_ours(news, tell):
    """Nobody is told of breakpoints that were made here."""
    news.disconnect(tell)
    news.connect(lambda breakpoint: tell(breakpoint) if breakpoint.number > 0 else None)


# Languages of sources by their ends.
_LANGUAGES = {"rs": "rust", "c": "c", "m": "objective-c", "d": "d", "go": "go", "adb": "ada", "ads": "ada", "f90": "fortran", "pas": "pascal", "nim": "c"}


def _in_its_language(kind, specs, *creators):
    """Makes breakpoints in the language of their place. gdb reads a condition in the language that is current when its breakpoint is made,
    whenever it reads it again: while no program is loaded that is C, and a member or a reference of C++ would be no name at all."""
    ends = kind.rpartition(".")[2] if kind.startswith("source:") else "rs" if "of_rust" in globals() else ""
    if gdb.objfiles():
        return _set_all(kind, specs, *creators)
    with gdb.with_parameter("language", _LANGUAGES.get(ends.lower(), "c++")):
        return _set_all(kind, specs, *creators)


_placed = _set_all = getattr(_of_gdb, "_set_breakpoints", None)
if _set_all:
    _of_gdb._set_breakpoints = _in_its_language
# `gdb.dap.server` is the server itself by now, and no module.
_server = sys.modules["gdb.dap.server"]
# Versions before 15 answer requests in a thread that must not touch the program.
_in_its_thread = "on_dap_thread" in inspect.signature(_server.request).parameters
if _placed and _in_its_thread and "supportsDataBreakpoints" not in _server._capabilities:
    _server.request("dataBreakpointInfo")(_server.capability("supportsDataBreakpoints")(_info))
    _server.request("setDataBreakpoints", expect_stopped=False)(_set)
if _placed and _in_its_thread and hasattr(events, "_on_stop"):
    gdb.events.stop.disconnect(events._on_stop)
    gdb.events.stop.connect(_stopped)
    for what in ("created", "modified", "deleted"):
        _without_ours(getattr(gdb.events, "breakpoint_" + what), getattr(_of_gdb, "_bp_" + what))
    gdb.events.breakpoint_created.connect(_see_ends)
    gdb.events.breakpoint_modified.connect(_modified)
    gdb.events.breakpoint_deleted.connect(_forget_ends)
    gdb.events.new_objfile.connect(_see_all_ends)
    gdb.events.exited.connect(_forget_all_ends)
