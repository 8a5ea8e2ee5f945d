#!/usr/bin/env python3
"""Finds the fault of twelve programs in three ways, and says what each of them took.

    python3 tests/agent/agent.py [--only NAME] [--way mcp|prints|run] [--markdown] [--binary target/release/omp-debug]

A scripted agent tells the story of each case (`cases.py`) through `omp-debug mcp`, by prints that it puts into the source, and by
`omp-debug run`. Counted are calls (of a tool, of a program, an edit), bytes that a model would read, and seconds. Debug adapters are
those of the machine, or those of `tests/setup`. It fails where a faulty value was not seen, or was seen before the story's end.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from cases import CASES
from client import Client

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIMIT = 180
WAYS = ["mcp", "prints", "run"]


@dataclass
class Cost:
    """What a way took."""

    calls: int = 0
    read: int = 0
    seconds: float = 0.0
    found: bool = False

    def __add__(self, other):
        return Cost(self.calls + other.calls, self.read + other.read, self.seconds + other.seconds, self.found and other.found)


class Ground:
    """A folder with the programs, and surroundings in which nobody else's settings count."""

    def __init__(self, binary):
        self.binary = binary
        self.folder = Path(tempfile.mkdtemp(prefix="agent-"))
        self.work = self.folder / "work"
        home = Path(os.environ.get("OMP_DEBUG_TEST_HOME", ROOT / "target/test-home")).resolve()
        self.environment = dict(os.environ, LANG="C.UTF-8", NO_COLOR="1")
        for name in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"]:
            (self.folder / name).mkdir(mode=0o700)
            self.environment[name] = str(self.folder / name)
        if (home / "share").is_dir():
            self.environment["XDG_DATA_HOME"] = str(home / "share")
            self.environment["PATH"] = f"{home}/venv/bin:{home}/bin:{os.environ['PATH']}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def fresh(self):
        """The sources as they were."""
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(HERE / "programs", self.work)

    def build(self, case):
        """Makes the program; gives what the compiler says."""
        return self.command(case.build) if case.build else ""

    def command(self, words):
        done = subprocess.run(
            words, cwd=self.work, env=self.environment, timeout=LIMIT, text=True, errors="replace",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        return done.stdout

    def start(self, case):
        """The command that runs the program."""
        interpreters = {"Python": "python3", "JavaScript": "node"}
        return case.start or [interpreters[case.language], case.source]



def line_of(case, part=None):
    """The number of the only line of its source that has this part; else of the faulty one."""
    part = part or case.line
    lines = (HERE / "programs" / case.source).read_text().splitlines()
    found = [number for number, line in enumerate(lines, 1) if part in line]
    assert len(found) == 1, f"{part!r} is in the lines {found} of {case.source}"
    return found[0]


class Agent:
    """What a story of a case may do."""

    def __init__(self, ground, case):
        self.ground = ground
        self.case = case
        self.client = Client(ground.binary, ground.work, ground.environment)

    def call(self, tool, **arguments):
        return self.client.call(f"debug_{tool}", **arguments)

    def stop_at(self, part, **more):
        self.call("set_breakpoint", file=self.case.source, line=line_of(self.case, part), **more)

    def stop_on_exceptions(self, *filters):
        self.call("set_exception_breakpoints", filters=list(filters))

    def launch(self):
        text = self.call("launch", program=self.case.program or self.case.source)
        while "Program is running." in text:
            text = self.call("wait")

    def restart(self):
        self.call("restart")

    def resume(self):
        self.call("continue")

    def step(self):
        self.call("step_over")

    def look(self, expression, frame=None):
        """Reads a value, in the frame of a function that was told with the last stop."""
        more = {}
        if frame:
            numbers = re.findall(rf"(?m)^  #(\d+) {re.escape(frame)} ", "\n".join(self.client.seen))
            assert numbers, f"no frame of {frame} was told"
            more["frame_id"] = int(numbers[-1])
        self.call("evaluate_hover", expression=expression, **more)


def by_mcp(ground, case):
    """The story through the tools; what the debugger needs to be built is counted."""
    begin = time.monotonic()
    ground.build(case)
    agent = Agent(ground, case)
    try:
        case.mcp(agent)
        agent.call("terminate")
    finally:
        agent.client.close()
    client = agent.client
    found = named(case, "mcp", client.seen[:-1])
    return Cost(client.calls, client.read, time.monotonic() - begin, found), client.once


def by_prints(ground, case):
    """Each round is an edit and a run, from the sources as they were; at last the prints are taken out."""
    seen, calls, begin = [], 0, time.monotonic()
    for edits in case.prints:
        ground.fresh()
        path = ground.work / case.source
        lines = path.read_text().splitlines()
        for part, where, added in sorted(edits, key=lambda edit: -line_of(case, edit[0])):
            at = next(number for number, line in enumerate(lines) if part in line)
            indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
            lines.insert(at + (where == "after"), indent + added)
        path.write_text("\n".join(lines) + "\n")
        said = ground.build(case)
        seen.append(said + ground.command(ground.start(case)))
        calls += 2
        show("prints", [edits], seen[-1])
    read = sum(len(text.encode()) for text in seen)
    return Cost(calls + 1, read, time.monotonic() - begin, named(case, "prints", seen))


def by_run(ground, case):
    """Each round is one run."""
    seen, begin = [], time.monotonic()
    ground.build(case)
    for options in case.run:
        place = lambda match: f"{case.source}:{line_of(case, match[1])}"
        options = [re.sub(r"^\{(.*?)\}(?=$|[?#])", place, option) for option in options]
        words = [ground.binary, "run", "--compact", *options, case.program or case.source]
        seen.append(ground.command(words))
        show("run", words, seen[-1])
    read = sum(len(text.encode()) for text in seen)
    return Cost(len(seen), read, time.monotonic() - begin, named(case, "run", seen))


def named(case, way, seen):
    """Whether the faulty value was seen, and not before the end: the story would then be too long."""
    *earlier, last = case.seen[way]
    for text in seen[:-1]:
        assert not re.search(last, text), f"{case.name} by {way}: known before the end: {text}"
    return all(any(re.search(pattern, text) for text in seen) for pattern in earlier) and bool(re.search(last, seen[-1]))


def show(way, what, text):
    if os.environ.get("AGENT_SHOW"):
        print(f"--- {way} {json.dumps(what)}\n{text}\n")


def measure(ground, case, ways):
    costs = {}
    once = 0
    for way in ways:
        ground.fresh()
        if way == "mcp":
            costs[way], once = by_mcp(ground, case)
        else:
            costs[way] = {"prints": by_prints, "run": by_run}[way](ground, case)
        if not costs[way].found:
            print(f"{case.name}: {case.variable} was not seen by {way}", file=sys.stderr)
    return costs, once


def table(rows, ways, markdown):
    """Calls, bytes and seconds of each way beside each other."""
    heads = ["program", "language", *(f"{way}: {what}" for way in ways for what in ["calls", "bytes", "s"])]
    lines = [heads]
    for name, language, costs in rows:
        cells = [[str(c.calls), f"{c.read:,}", f"{c.seconds:.1f}"] for c in (costs[way] for way in ways)]
        lines.append([name, language, *(cell for three in cells for cell in three)])
    if markdown:
        lines.insert(1, ["---", "---", *["---:"] * (3 * len(ways))])
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)
    widths = [max(len(line[at]) for line in lines) for at in range(len(heads))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", action="append", metavar="NAME", help="this program; may be given several times")
    parser.add_argument("--way", action="append", choices=WAYS, help="this way; may be given several times")
    parser.add_argument("--markdown", action="store_true", help="the table as Markdown")
    parser.add_argument("--binary", default=ROOT / "target/release/omp-debug", type=Path)
    arguments = parser.parse_args()
    unknown = set(arguments.only or []) - {case.name for case in CASES}
    if unknown:
        parser.error(f"there is no {', '.join(unknown)}; there are {', '.join(case.name for case in CASES)}")
    binary = arguments.binary.resolve()
    if not binary.is_file():
        parser.error(f"there is no {binary}: cargo build --release, or --binary")
    ways = arguments.way or WAYS
    rows, once = [], 0
    with Ground(str(binary)) as ground:
        for case in CASES:
            if not arguments.only or case.name in arguments.only:
                costs, told = measure(ground, case, ways)
                once = once or told
                rows.append((case.name, case.language, costs))
    total = {way: sum((costs[way] for *_, costs in rows[1:]), rows[0][2][way]) for way in ways}
    if not arguments.markdown:
        for case in (case for case in CASES if case.name in {name for name, *_ in rows}):
            print(f"{case.name}: {case.variable} is {case.value} ({case.source}:{line_of(case)})")
        print()
    print(table([*rows, ("all", "", total)], ways, arguments.markdown))
    if once:
        print(f"\nThe list of tools and the server's instructions, once a session: {once:,} bytes.")
    return 0 if all(cost.found for cost in total.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
