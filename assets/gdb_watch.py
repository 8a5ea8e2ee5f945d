# Data breakpoints, which gdb's adapter does not offer: they are gdb's own watchpoints, those of the processor only. Without them gdb would run
# the program instruction by instruction.
import sys

import gdb
import gdb.dap.breakpoint as breakpoints
import gdb.dap.events as events
import gdb.dap.server
from gdb.dap.frames import frame_for_id
from gdb.dap.varref import find_variable

_COMMANDS = {"write": "watch", "read": "rwatch", "readWrite": "awatch"}
# What was asked for: the address with its type and the name of each, by the id that was told; names by numbers of watchpoints.
_known, _names = {}, {}


def _inferior_frame(frame_id):
    frame = frame_for_id(frame_id)
    return frame if isinstance(frame, gdb.Frame) else frame.inferior_frame()


def _wanted(name, reference, frame_id):
    if reference:
        parent = find_variable(reference)
        if name not in parent._by_name:
            list(parent.fetch_children(0, 0))
        return parent.find_child_by_name(name)._value
    if frame_id is not None:
        _inferior_frame(frame_id).select()
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
    _known[known] = address, name.lstrip("&")
    return {"dataId": known, "description": name, "accessTypes": list(_COMMANDS), "canPersist": False}


def _watch(*, dataId, accessType):
    if dataId not in _known:
        raise gdb.GdbError("nothing is known as %s" % dataId)
    address, name = _known[dataId]
    gdb.set_convenience_variable("_watched", address)
    # Of a place in memory, which outlives its scope, only the command makes one.
    gdb.execute(_COMMANDS[accessType or "write"] + " -location *$_watched", to_string=True)
    made = max(gdb.breakpoints(), key=lambda known: known.number)
    if made.type == gdb.BP_WATCHPOINT:
        made.delete()
        raise gdb.GdbError("%s bytes are more than the processor can watch: choose a part of it" % dataId.partition("/")[2])
    _names[made.number] = name
    return made


def _set(*, breakpoints: list = (), **_rest):
    # A program that has ended takes them with it.
    for alike in _kept().values():
        alike[:] = [kept for kept in alike if kept.is_valid()]
    wanted = ("dataId", "accessType", "condition", "hitCondition")
    specs = [{key: asked.get(key) for key in wanted} for asked in breakpoints]
    return {"breakpoints": _placed("data", specs, _watch)}


def _kept():
    return breakpoints._breakpoint_map.get("data", {})


def _stopped(event, told=getattr(events, "_on_stop", None), send=getattr(events, "send_event", None)):
    """Says with a stop at one of them what the value was and is."""
    details = getattr(event, "details", {})
    value = details.get("value") or {}
    name = _names.get(next((what.get("number") for what in details.values() if isinstance(what, dict) and "exp" in what), None))
    now = value.get("new", value.get("value"))
    if name is None or now is None:
        return told(event)
    said = "%s: %s \u2192 %s" % (name, value["old"], now) if "old" in value else "%s is read: %s" % (name, now)
    events.send_event = lambda what, body, *rest: send(what, dict(body, text=said), *rest)
    try:
        told(event)
    finally:
        events.send_event = send


_placed = getattr(breakpoints, "_set_breakpoints", None)
# `gdb.dap.server` is the server itself by now, and no module.
_server = sys.modules["gdb.dap.server"]
if _placed and "supportsDataBreakpoints" not in getattr(_server, "_capabilities", {"supportsDataBreakpoints": None}):
    _server.request("dataBreakpointInfo")(_server.capability("supportsDataBreakpoints")(_info))
    _server.request("setDataBreakpoints", expect_stopped=False)(_set)
    if hasattr(events, "_on_stop"):
        gdb.events.stop.disconnect(events._on_stop)
        gdb.events.stop.connect(_stopped)
