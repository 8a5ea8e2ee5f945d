# Runs inside LLDB's own Python after breakpoints were set: one location a line and call. A line has a location for each place of the machine's code that
# it begins at (println! of Rust has three), and LLDB stops, counts and logs at every one. Where one cannot be come to but through another, it is
# switched off. What a loop's next turn comes to stays, as do other functions and each place that a function was inlined at.
import lldb

# Longer functions are not read, and keep their locations.
MOST_BYTES = 1 << 18


def _number(address, target):
    """Of an address: where it is loaded, or else in its file, as the disassembly names it."""
    loaded = address.GetLoadAddress(target)
    return address.GetFileAddress() if loaded == lldb.LLDB_INVALID_ADDRESS else loaded


def _jumps(function, target):
    """From where the instructions of a function go to where, as far as they name it."""
    for instruction in function.GetInstructions(target):
        # The last operand is the place, a comment may follow.
        words = instruction.GetOperands(target).replace(",", " ").split() if instruction.DoesBranch() else []
        if words and words[-1].startswith("0x"):
            yield _number(instruction.GetAddress(), target), int(words[-1], 16)


def _calls(breakpoint, target):
    """The enabled locations of each function and inlined call, the lowest first."""
    calls = {}
    for location in breakpoint:
        address = location.GetAddress()
        function, inlined = address.GetFunction(), address.GetBlock().GetContainingInlinedBlock()
        if function.IsValid() and location.IsEnabled():
            block = _number(inlined.GetRangeStartAddress(0), target) if inlined.IsValid() else None
            call = (str(address.GetModule().GetFileSpec()), _number(function.GetStartAddress(), target), block)
            calls.setdefault(call, []).append((_number(address, target), location))
    return [sorted(found, key=lambda one: one[0]) for found in calls.values()]


def _one_location(breakpoint, target):
    for (first, location), *others in _calls(breakpoint, target):
        function = location.GetAddress().GetFunction()
        size = function.GetEndAddress().GetFileAddress() - function.GetStartAddress().GetFileAddress()
        if not others or size > MOST_BYTES:
            continue
        jumps = list(_jumps(function, target))
        for address, location in others:
            if not any(first < to <= address and not first <= at < address for at, to in jumps):
                location.SetEnabled(False)
            first = address


_target = lldb.debugger.GetSelectedTarget()
for _breakpoint in _target.breakpoint_iter():
    if _breakpoint.GetNumLocations() > 1:
        _one_location(_breakpoint, _target)
