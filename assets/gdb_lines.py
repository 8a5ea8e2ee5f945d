# Runs inside GDB's own Python: one location a line and call. A line may have several (generic code of Rust), and GDB stops, counts and logs at every one.
# Where one cannot be come to but through another, it is switched off. What a loop's next turn comes to stays, as do other functions and each place that
# a function was inlined at.
import re

import gdb

# Longer functions are not read, and keep their locations.
_MOST_BYTES = 1 << 18
# A jump or call to a place that it names.
_JUMP = re.compile(r"\b0x([0-9a-f]+) <")
# What was looked at already: a breakpoint is told of anew at each hit.
_seen = {}


def _function(address):
    block = gdb.block_for_pc(address)
    while block and not block.function:
        block = block.superblock
    return block


def _one_location(breakpoint):
    places = [location.address for location in breakpoint.locations if location.enabled]
    if len(places) < 2 or _seen.get(breakpoint.number) == places:
        return
    calls = {}
    for location in breakpoint.locations:
        block = _function(location.address) if location.enabled else None
        if block and block.end - block.start <= _MOST_BYTES:
            calls.setdefault((block.start, block.end), []).append(location)
    for (start, end), locations in calls.items():
        if len(locations) < 2:
            continue
        found = ((i["addr"], _JUMP.search(i["asm"])) for i in gdb.selected_inferior().architecture().disassemble(start, end - 1))
        jumps = [(at, int(to[1], 16)) for at, to in found if to]
        locations.sort(key=lambda location: location.address)
        for before, location in zip(locations, locations[1:]):
            first, last = before.address, location.address
            if not any(first < to <= last and not first <= at < last for at, to in jumps):
                location.enabled = False
    _seen[breakpoint.number] = [location.address for location in breakpoint.locations if location.enabled]


def _changed(breakpoint, changing=[]):
    if breakpoint.type != gdb.BP_BREAKPOINT or changing:
        return
    changing.append(breakpoint)
    try:
        _one_location(breakpoint)
    except (gdb.error, RuntimeError):
        # It stops at each, then.
        pass
    finally:
        changing.clear()


gdb.events.breakpoint_created.connect(_changed)
gdb.events.breakpoint_modified.connect(_changed)
