"""Values to look at as data."""
import dataclasses
import sys


@dataclasses.dataclass
class Order:
    id: int
    customer: str
    price: float


class Hangs:
    def __init__(self):
        self.total = 1

    def __repr__(self):
        while True:
            pass

    __str__ = __eq__ = __hash__ = __lt__ = __len__ = __repr__


class Raises:
    def __init__(self):
        self.total = 2

    def __getattribute__(self, name):
        raise ValueError(name)

    def __repr__(self):
        raise ValueError("called")


def stop():
    return None  # MARK: stop


orders = [{"id": i, "customer": f"cust{i}", "price": i * 1.5} for i in range(120)]
records = [Order(i, f"cust{i}", i * 1.5) for i in range(3)]
counts = {"a": 1, "b": 2}
columns = {"a": [1, 2], "b": [0.5, float("nan")]}
mixed = {"_": ["meow"], "c": True, "a": 1, "s": "x"}
late = [{"k": i} for i in range(60)] + ["last", None]
line = [1, 4, 2.5]
odd = [1, float("nan"), float("inf")]
nested = [[1, 2], [3, 4]]
text = '{"a": [1, 2]}'
hostile = [Hangs(), Raises()]
in_a_row = [{"x": Hangs()}, {"x": Raises()}]
control = [{"a\x1b[31m": "\x1b[2Jred\u202e"}]
wide = {str(i): [i] for i in range(1_000_000)}
changing = list(range(1000))

sys.path.extend(sys.argv[1:])
if "plain" not in sys.argv:
    import numpy as np
    import pandas as pd

    matrix = np.arange(12.0).reshape(3, 4)
    masked = np.ma.masked_array([1.0, np.inf, np.nan, 4.0, 5.0], mask=[0, 0, 0, 0, 1])
    picture = np.zeros((4, 6, 3), dtype="u1")
    picture[0, 0] = (255, 128, 0)
    million = 1_000_000
    frame = pd.DataFrame({f"c{i}": np.arange(million) * (i + 0.5) for i in range(7)})
    frame["name"] = pd.Series([f"n{i % 1000}" for i in range(million)])
    flags = pd.Series(([True] * 3 + [False] * 2) * 40_000)
    days = np.array(["2024-01-01", "NaT", "2024-03-01"], dtype="datetime64[D]")
    cube = np.arange(24, dtype="int16").reshape(2, 3, 4)
    pairs = np.array([(1, 0.5), (2, 1.5)], dtype=[("a", "i4"), ("b", "f8")])
    summed = pd.Series({"count": 3.0, "mean": 1.5})
    objects = pd.DataFrame({"o": pd.Series([Hangs(), Hangs()], dtype=object)})

stop()
