"""One variable of every kind that a program has, for debuggers: what each row shows is in a table of the tests."""

import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import pathlib
import re
import uuid


class Level(enum.Enum):
    HIGH = 1


@dataclasses.dataclass
class Node:
    name: str
    kids: list


class Plain:
    def __init__(self):
        self.size = 3


class Slotted:
    __slots__ = ("left", "unset")

    def __init__(self, left):
        self.left = left


class Sly:
    """Whoever asks what it keeps runs the program."""

    def __init__(self):
        self.kept = 1

    @property
    def __dict__(self):
        return {"asked": True}


def main():
    count = 42
    pi = 3.5
    yes = True
    none = None
    text = "röot 🎉"
    raw = b"hi"
    numbers = [3, 1, 2]
    many = list(range(100))
    pair = (1, "two")
    table = {"a": [1, 2, 3]}
    unique = {5}
    frozen = frozenset([1])
    root = Node("root", [Node("leaf", [])])
    plain = Plain()
    slotted = Slotted(Plain())
    sly = Sly()
    plains = [Plain(), {"one": Plain()}, "text"]
    itself = Plain()
    itself.size = itself
    wordy = {"k" * 1_000_000: Plain()}
    wide = Plain()
    wide.size = 10**4_000
    wide.text = "x" * 1_000_000
    wide.__dict__[7] = "no name"
    level = Level.HIGH
    queue = collections.deque([1, 2])
    tally = collections.Counter("aab")
    default = collections.defaultdict(int, a=1)
    Point = collections.namedtuple("Point", "x y")
    point = Point(1, 2)
    day = datetime.date(2026, 11, 24)
    pause = datetime.timedelta(seconds=1.5)
    price = decimal.Decimal("1.50")
    third = fractions.Fraction(1, 3)
    path = pathlib.PurePosixPath("/tmp/x")
    key = uuid.UUID(int=1)
    pattern = re.compile("a+")
    failure = ValueError("bad")
    span = range(3)
    cut = slice(1, 2)
    complexes = 1 + 2j
    function = main
    print(count)  # MARK: values
    return locals()


main()
