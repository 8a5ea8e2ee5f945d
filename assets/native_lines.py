# Runs inside GDB's or LLDB's own Python: one location per line and call. A line may have several locations in the machine's code (println! of Rust has
# three), and the debugger stops, counts and logs at every one. A location that can only be reached through another one is disabled. What a loop reaches
# again stays enabled, as do other functions and each place where a function was inlined.
import re


def _one_location_a_line():
    # Longer functions are not read, and keep their locations.
    most_bytes = 1 << 16
    jump = re.compile(r"(?:bnd |notrack )?(?:j\w+|b|b\.\w+|cbn?z|tbn?z)\s")
    call = re.compile(r"(?:callq?|blr?)\s")
    last_address = re.compile(r".*\b0x([0-9a-f]+)\b")
    end = re.compile(r"(?:bnd |notrack )?(?:jmpq?|retq?|ud2|hlt|br?|brk|udf)\b(?!\.)")

    def flow(code):
        """What may follow each instruction. Roots are those that nothing leads to: the function's beginning, and what tables and handlers know of."""
        follow = {}
        for (at, text), behind in zip(code, code[1:] + [(None, "")]):
            to = last_address.match(text.split("<")[0]) if jump.match(text) and "*" not in text else None
            follow[at] = [int(to[1], 16)] if to else []
            if not end.match(text):
                follow[at].append(behind[0])
        led_to = {to for all in follow.values() for to in all}
        roots = [(at, text) for at, text in code[1:] if at not in led_to]
        for at, text in roots:
            # Where unwinding must not come: a handler that goes on takes the exception first.
            if call.match(text):
                follow[at] = []
        return follow, [at for at, _ in roots] + [code[0][0]]

    def is_reachable(place, follow, roots, avoiding):
        waiting, seen = roots + follow[place], set(avoiding)
        while waiting:
            at = waiting.pop()
            if at == place:
                return True
            if at in follow and at not in seen:
                seen.add(at)
                waiting += follow[at]
        return False

    def redundant(places, code):
        """Of the addresses of one line in one function, the lowest first: those that are only reached through others."""
        follow, roots = flow(code)
        kept = places[:1]
        for place in places[1:]:
            if place in follow and not is_reachable(place, follow, roots, kept):
                yield place
            else:
                kept.append(place)

    def in_lldb(lldb):
        if not lldb.debugger:
            # It is on its way out.
            return
        target = lldb.debugger.GetSelectedTarget()
        # Where it was looked already, kept from one time to the next.
        seen = lldb.__dict__.setdefault("omp_debug_lines", {})

        def number(address):
            """Where it is loaded, or else in its file, as the disassembly names it."""
            loaded = address.GetLoadAddress(target)
            return address.GetFileAddress() if loaded == lldb.LLDB_INVALID_ADDRESS else loaded

        def one_location(breakpoint):
            calls = {}
            for location in breakpoint:
                address = location.GetAddress()
                function, inlined = address.GetFunction(), address.GetBlock().GetContainingInlinedBlock()
                start, stop = function.GetStartAddress(), function.GetEndAddress()
                if function.IsValid() and location.IsEnabled() and number(stop) - number(start) <= most_bytes:
                    call = number(start), inlined.IsValid() and number(inlined.GetRangeStartAddress(0))
                    calls.setdefault(call, (function, {}))[1][number(address)] = location
            for function, locations in calls.values():
                if len(locations) > 1:
                    code = [(number(i.GetAddress()), f"{i.GetMnemonic(target)} {i.GetOperands(target)}") for i in function.GetInstructions(target)]
                    for place in redundant(sorted(locations), code):
                        locations[place].SetEnabled(False)

        def enabled(breakpoint):
            return [number(location.GetAddress()) for location in breakpoint if location.IsEnabled()]

        for breakpoint in target.breakpoint_iter():
            if breakpoint.GetNumLocations() > 1 and seen.get(breakpoint.GetID()) != enabled(breakpoint):
                one_location(breakpoint)
                seen[breakpoint.GetID()] = enabled(breakpoint)

    def in_gdb(gdb):
        # Where it was looked already. Addresses are others once the program is loaded, and all locations are on again.
        seen = {}

        def blocks(address):
            """The function, or call that was inlined, and the function around it."""
            block, found = gdb.block_for_pc(address), []
            while block and not block.is_static:
                found += [block] if block.function else []
                block = block.superblock
            return found[:1] + found[-1:]

        def passed(function, places):
            read = gdb.selected_inferior().architecture().disassemble(function.start, function.end - 1)
            return redundant(sorted(places), [(i["addr"], i["asm"]) for i in read])

        def ways(place, others):
            """Of other addresses of a line, those of the same function to which ways lead that do not pass the place."""
            function = (blocks(place) or [None])[-1]
            inside = [other for other in others if function and function.start <= other < function.end]
            if not inside or function.end - function.start > most_bytes:
                return []
            return set(inside) - set(passed(function, [place, *inside]))

        # For breakpoints of which gdb leaves out such addresses.
        gdb.omp_debug_ways = ways

        def one_location(breakpoint):
            calls = {}
            for location in breakpoint.locations:
                around = blocks(location.address) if location.enabled else []
                if around and around[1].end - around[1].start <= most_bytes:
                    call = around[0].start, around[0].end
                    calls.setdefault(call, (around[1], {}))[1][location.address] = location
            for function, locations in calls.values():
                if len(locations) > 1:
                    for place in passed(function, locations):
                        locations[place].enabled = False

        def look(breakpoints):
            for breakpoint in breakpoints:
                if breakpoint.type != gdb.BP_BREAKPOINT or breakpoint.pending:
                    continue
                enabled = [location.address for location in breakpoint.locations if location.enabled]
                if len(enabled) > 1 and seen.get(breakpoint.number) != enabled:
                    try:
                        one_location(breakpoint)
                    except (gdb.error, RuntimeError):
                        # It stops at each, then.
                        pass
                    seen[breakpoint.number] = [location.address for location in breakpoint.locations if location.enabled]

        # Not when one is modified: GDB goes through its locations then.
        gdb.events.breakpoint_created.connect(lambda created: look([created]))
        gdb.events.new_objfile.connect(lambda _: look(gdb.breakpoints() or ()))
        gdb.events.stop.connect(lambda stop: look(getattr(stop, "breakpoints", ())))

    try:
        import gdb
    except ImportError:
        import lldb

        in_lldb(lldb)
    else:
        in_gdb(gdb)


try:
    _one_location_a_line()
except KeyboardInterrupt:
    # The program is let go meanwhile: what was not looked at keeps its locations.
    pass
