# One page of a value, for whoever looks at it from outside: read, never changed. Nothing is imported that the program has not imported, no
# method of a class of the program's own is called, and nothing stays behind but the order of a table that was sorted or filtered, which
# lies with the debugger's own module. `page` gives JSON of ASCII.
import sys, json, types, time, math, base64, itertools

ABSENT, CUT, MOST_CELLS, MOST_NAMES, MOST_DISTINCT, PART = object(), 300, 20000, 2000, 1000, 100000
FAST = frozenset((int, float, str, bool, type(None), list, dict, tuple, bytes))


class Refused(Exception):
    pass


def lib(name):
    return sys.modules.get(name)


def is_a(x, module, *path):
    found = lib(module)
    for name in path:
        found = getattr(found, name, None)
    return isinstance(found, type) and issubclass(type(x), found)


def own(x):
    "The fields of an object, without its methods."
    t, out = type(x), {}
    if issubclass(t, tuple) and isinstance(t.__dict__.get("_fields"), tuple):
        return dict(zip(map(str, t.__dict__["_fields"]), tuple.__iter__(x)))
    for c in reversed(type.__dict__["__mro__"].__get__(t)):
        for name, d in type.__dict__["__dict__"].__get__(c).items():
            if type(d) is types.MemberDescriptorType and not name.startswith("__"):
                try:
                    out[name] = d.__get__(x)
                except AttributeError:
                    pass
    try:
        d = object.__getattribute__(x, "__dict__")
        out.update((k, v) for k, v in dict.items(d) if type(k) is str)
    except Exception:
        pass
    return out


SAFE = ("datetime", "decimal", "fractions", "uuid", "pathlib", "ipaddress", "numpy", "pandas", "polars", "pyarrow", "builtins", "re", "zoneinfo")


def is_known(t):
    "Whether a class is what it says it is: one of a library whose texts can be had."
    m = t.__module__ if type(t) is type else None
    if type(m) is not str or m.split(".")[0] not in SAFE:
        return False
    at = lib(m)
    return m == "pathlib" or getattr(at, t.__name__, None) is t or getattr(lib(m.split(".")[0]), t.__name__, None) is t


def shown(x, deep=2, most=8):
    "A value as a text of one line."
    t = type(x)
    if x is None or t is bool:
        return str(x)
    if t is float:
        return "NaN" if x != x else repr(x)
    if issubclass(t, int):
        x = int.__index__(x) if not own(x).get("_name_") else x
        if type(x) is not int:
            return "%s.%s" % (t.__name__, own(x)["_name_"])
        return int.__repr__(x) if x.bit_length() < 4096 else "int of %d bits" % x.bit_length()
    if issubclass(t, str):
        s = str.__getitem__(x, slice(0, CUT))
        return str.__repr__(s) + ("…" if str.__len__(x) > CUT else "")
    if issubclass(t, (bytes, bytearray)):
        return "%s(%d)" % (t.__name__, len(x)) if len(x) > 40 else repr(bytes(x))
    if issubclass(t, dict) or issubclass(t, (list, tuple, set, frozenset)):
        named = issubclass(t, tuple) and own(x)
        n = t.__len__(x) if t in (dict, list, tuple, set, frozenset) else len(list(itertools.islice(base(x).__iter__(x), 10**6)))
        o, c = ("{", "}") if issubclass(t, (dict, set, frozenset)) else ("[", "]") if issubclass(t, list) else ("(", ")")
        if n and not deep:
            return o + "…" + c
        if named:
            parts = ["%s=%s" % (k, shown(v, deep - 1)) for k, v in itertools.islice(named.items(), most)]
            o = t.__name__ + o
        elif issubclass(t, dict):
            parts = ["%s: %s" % (shown(k, deep - 1), shown(v, deep - 1)) for k, v in itertools.islice(dict.items(x), most)]
        else:
            parts = [shown(v, deep - 1) for v in itertools.islice(base(x).__iter__(x), most)]
        return o + ", ".join(parts) + (", …" if n > most else "") + c
    if is_known(t):
        if issubclass(t, type):
            return "class " + x.__name__
        shape = getattr(x, "shape", None)
        if type(shape) is tuple and shape:
            return "%s %s" % (t.__name__, " × ".join(map(str, shape)))
        return str(x)[:CUT]
    if t in (types.FunctionType, types.BuiltinFunctionType, types.ModuleType):
        return "%s %s" % (t.__name__, x.__name__)
    f = own(x)
    if "_name_" in f and "_value_" in f:
        return "%s.%s" % (t.__name__, f["_name_"])
    if not deep:
        return t.__name__ + "(…)"
    return "%s(%s%s)" % (t.__name__, ", ".join("%s=%s" % (k, shown(v, deep - 1)) for k, v in itertools.islice(f.items(), most)), ", …" if len(f) > most else "")


def base(x):
    return next((b for b in (dict, list, tuple, set, frozenset) if issubclass(type(x), b)), list)


def plain(x):
    "A value as Python has it, of one that numpy or another library has."
    t = type(x)
    if t in FAST:
        return x
    if is_a(x, "numpy", "generic") and t.__module__ == "numpy" and not t.__name__.startswith(("void", "datetime", "timedelta", "longdouble")):
        return x.item()
    if (is_a(x, "pandas", "NaT", "__class__") or t.__name__ == "NAType") and t.__module__.startswith("pandas"):
        return None
    if t.__module__ == "numpy" and t.__name__ in ("datetime64", "timedelta64") and x != x:
        return None  # A time that is none.
    return x


def cell(x):
    "A value as JSON: what has no form there is what it shows."
    x = plain(x)
    t = type(x)
    if x is None or t is bool:
        return x
    if x is ABSENT:
        return {"shown": ""}
    if t is int and -(2**53) < x < 2**53:
        return x
    if t is float and math.isfinite(x):
        return x
    if issubclass(t, str):
        s = str.__getitem__(x, slice(0, CUT))
        return str.__str__(s) if str.__len__(x) <= CUT else {"shown": str.__str__(s) + "…"}
    return {"shown": shown(x)}


def text(x):
    if type(x) is str:
        return x if len(x) <= CUT else x[:CUT] + "…"
    c = cell(x)
    return c["shown"] if type(c) is dict else "" if c is None else c if type(c) is str else str(c)


def number(x):
    if type(x) is str:
        return None
    x = plain(x)
    if type(x) in (int, float):
        try:
            x = float(x)
        except OverflowError:
            return None
        return x if x == x else None
    if is_a(x, "decimal", "Decimal"):
        return float(x)
    return None


def is_null(x):
    if type(x) is str:
        return False
    x = plain(x)
    return x is None or x is ABSENT or (type(x) is float and x != x)


class Clock:
    def __init__(self, seconds):
        self.end, self.seconds = time.monotonic() + seconds, seconds

    def over(self, items):
        for i, item in enumerate(items):
            if not i & 1023 and time.monotonic() > self.end:
                raise Refused("This takes longer than %s s." % self.seconds)
            yield item


class Rows:
    "What a table is read from: `n` rows, `width` columns with `names(a, b)` and `types(a, b)`, values by `take(rows, columns)` and `column(j)`."
    order = staticmethod(lambda column, descending: None)
    labels = staticmethod(lambda rows: None)
    full = False

    def __init__(self, **given):
        self.__dict__.update(given)

    def find(self, name):
        for j, known in enumerate(self.names(0, self.width)):
            if known == name:
                return j
        raise Refused("There is no column %r." % name)

    def take(self, rows, columns):
        of = [self.column(j) for j in columns]
        return [[c[i] for c in of] for i in rows]


def named(columns):
    return lambda a, b: [name if type(name) is str else text(name) for name in itertools.islice(columns, a, b)]


def kinds(rows, n):
    def of(a, b):
        found = []
        for j in range(a, min(b, rows.width)):
            seen = []
            for row in rows.take(range(min(n, 50)), [j]):
                v = plain(row[0])
                name = type(v).__name__
                if v is not None and v is not ABSENT and name not in seen:
                    seen.append(name)
            found.append("|".join(seen[:3]))
        return found
    return of


def parts_of_list(v):
    return dict(enumerate(base(v).__iter__(v))) if issubclass(type(v), (list, tuple)) else {}


def parts_of_dict(v):
    return v if issubclass(type(v), dict) else {}


def reader(v):
    "What gives the columns of a row; of a plain value there is none."
    t = type(v)
    if issubclass(t, dict):
        return parts_of_dict
    if issubclass(t, (list, tuple)) and not own(v):
        return parts_of_list
    if t not in (int, float, str, bool, bytes, type(None), type) and not is_known(t) and own(v) and "_name_" not in own(v):
        return own
    return None


def of_list(x):
    "A list of records, of lists or of plain values."
    b = base(x)
    x = x if b in (list, tuple) else list(itertools.islice(b.__iter__(x), 10**6))
    n, get = len(x) if type(x) in (list, tuple) else b.__len__(x), (list if issubclass(type(x), list) else tuple).__getitem__
    first = [get(x, i) for i in range(min(n, 50))]
    read = reader(next((v for v in first if v is not None), None))
    # One of each type stands for all: what has no columns would have an empty row.
    some = {id(type(v)): v for v in itertools.islice((list if issubclass(type(x), list) else tuple).__iter__(x), 10**6)} if read else {}
    if not read or any(v is not None and reader(v) is not read for v in some.values()):
        rows = Rows(n=n, width=1, names=named(["value"]), take=lambda rows, _: [[get(x, i)] for i in rows])
        rows.column = lambda j: x
        rows.types = kinds(rows, n)
        return rows
    keys = {}
    for v in first:
        for k in itertools.islice(dict.keys(read(v)), 10**6):
            if type(k) in (str, int, float, bool, tuple, bytes) or is_known(type(k)):
                keys.setdefault(k)
    keys = list(keys)
    rows = Rows(n=n, width=len(keys), names=named(keys))

    def take(at, columns):
        out = []
        for i in at:
            f = read(get(x, i))
            out.append([dict.get(f, keys[j], ABSENT) for j in columns])
        return out
    rows.take = take
    rows.column = lambda j: [dict.get(read(v), keys[j], ABSENT) for v in (list if issubclass(type(x), list) else tuple).__iter__(x)]
    rows.types = kinds(rows, n)
    return rows


def of_dict(x):
    "A dict of lists, or of records by their keys, or of plain values."
    some = next(iter(dict.values(x)), None)
    size = lambda v: base(v).__len__(v) if issubclass(type(v), (list, tuple)) else getattr(v, "shape", (None,))[0] if is_a(v, "numpy", "ndarray") and v.ndim == 1 else None
    if size(some) and all(size(v) == size(some) for v in itertools.islice(dict.values(x), 1000)):
        keys = list(dict.keys(x))
        rows = Rows(n=size(some), width=len(keys), names=named(keys), column=lambda j: dict.__getitem__(x, keys[j]))
    else:
        keys, values = list(dict.keys(x)), list(dict.values(x))
        rows = of_list(values)
        # A number and the text of it are two keys.
        quoted = any(type(k) is not str for k in keys)
        label = lambda k: repr(text(k)) if type(k) is str and (quoted or not k) else text(k) or shown(k)
        rows.labels = lambda at: [label(keys[i]) for i in at]
        return rows
    rows.types = kinds(rows, rows.n)
    return rows


def of_pandas(x):
    pd, np = lib("pandas"), lib("numpy")
    frame = is_a(x, "pandas", "DataFrame")
    column = (lambda j: x.iloc[:, j]) if frame else lambda j: x
    rows = Rows(n=len(x), width=x.shape[1] if frame else 1)
    rows.names = (lambda a, b: [text(v) for v in x.columns[a:b]]) if frame else named([text(x.name) if x.name is not None else "value"])
    rows.types = lambda a, b: [str(v) for v in (x.dtypes.iloc[a:b] if frame else [x.dtype])]
    rows.labels = lambda at: [text(v) for v in x.index.take(at)]
    rows.take = lambda at, columns: list(map(list, zip(*(column(j).iloc[at].array.astype(object) for j in columns))))

    def values(j):
        s = column(j)
        return s.to_numpy() if s.dtype.kind in "biuf" and hasattr(s.dtype, "itemsize") and type(s.dtype).__module__.startswith("numpy") else s.array.astype(object)
    rows.column = values

    def order(j, descending):
        s = column(j)
        return None if s.dtype == object else s.array.argsort(ascending=not descending, kind="stable", na_position="last")
    rows.order = order
    return rows


def of_numpy(x):
    names = x.dtype.names
    if names:
        rows = Rows(n=x.shape[0], width=len(names), names=named(names), column=lambda j: x[names[j]])
        rows.types = lambda a, b: [str(x.dtype[j]) for j in range(a, min(b, len(names)))]
    elif x.ndim > 2:
        # A row of each of its rows, which says where that is.
        place = lambda i: lib("numpy").unravel_index(int(i), x.shape[:-1])
        rows = Rows(n=math.prod(x.shape[:-1]), width=x.shape[-1], types=lambda a, b: [str(x.dtype)] * (min(b, rows.width) - a))
        rows.names = lambda a, b: [str(j) for j in range(a, min(b, rows.width))]
        rows.labels = lambda at: ["[%s]" % ", ".join(map(str, map(int, place(i)))) for i in at]
        rows.take = lambda at, columns: [[x[place(i)][j] for j in columns] for i in at]
        rows.column = lambda j: x[..., j].reshape(-1)
    else:
        rows = Rows(n=x.shape[0], width=x.shape[1] if x.ndim > 1 else 1)
        rows.names = lambda a, b: [str(j) if x.ndim > 1 else "value" for j in range(a, min(b, rows.width))]
        rows.types = lambda a, b: [str(x.dtype)] * (min(b, rows.width) - a)
        rows.column = lambda j: x[:, j] if x.ndim > 1 else x
    return rows


def of_polars(x):
    frame = is_a(x, "polars", "DataFrame")
    column = x.to_series if frame else lambda j: x
    rows = Rows(n=len(x), width=x.width if frame else 1, names=named(x.columns if frame else [x.name or "value"]))
    rows.types = lambda a, b: [str(t) for t in (x.dtypes[a:b] if frame else [x.dtype])]
    rows.take = lambda at, columns: list(map(list, zip(*(column(j).gather(list(map(int, at))).to_list() for j in columns))))
    rows.column = lambda j: column(j).to_numpy() if lib("numpy") and column(j).dtype.is_numeric() and not column(j).null_count() else column(j).to_list()
    rows.order = lambda j, descending: column(j).arg_sort(descending=descending, nulls_last=True).to_list()
    return rows


def of_arrow(x):
    rows = Rows(n=x.num_rows, width=x.num_columns, names=named(x.column_names), types=lambda a, b: [str(x.schema.field(j).type) for j in range(a, min(b, x.num_columns))])

    def take(at, columns):
        if len(at) and at[-1] - at[0] == len(at) - 1:
            return list(map(list, zip(*(x.column(j).slice(at[0], len(at)).to_pylist() for j in columns))))
        return [[x.column(j)[int(i)].as_py() for j in columns] for i in at]
    rows.take = take
    rows.column = lambda j: x.column(j).to_pylist()
    return rows


def table_of(x):
    if is_a(x, "pandas", "DataFrame") or is_a(x, "pandas", "Series"):
        return of_pandas(x)
    if is_a(x, "polars", "DataFrame") or is_a(x, "polars", "Series"):
        return of_polars(x)
    if is_a(x, "pyarrow", "Table") or is_a(x, "pyarrow", "RecordBatch"):
        return of_arrow(x)
    if is_a(x, "numpy", "ndarray"):
        return of_numpy(x) if x.ndim and (x.ndim < 3 or not x.dtype.names) else None
    if issubclass(type(x), dict):
        return of_dict(x)
    if issubclass(type(x), (list, tuple, set, frozenset)):
        return of_list(x)
    if type(x) is range or is_a(x, "array", "array"):
        rows = Rows(n=len(x), width=1, names=named(["value"]), column=lambda j: x, types=lambda a, b: [type(x[0]).__name__ if len(x) else ""])
        return rows
    if is_a(x, "collections", "deque"):
        return of_list(list(lib("collections").deque.__iter__(x)))
    return None


def rank(x, deepest=3):
    "What values of any kind are ordered by; those that are none come last. Of lists the first elements that differ, as in Python."
    f = number(x)
    if type(x) in (list, tuple) and deepest:
        return (2, 0, "", *(rank(v, deepest - 1) for v in x[:20]))
    return (0, f, "") if f is not None else (1, 0, text(x))


def is_array(c):
    return is_a(c, "numpy", "ndarray") and c.dtype.kind in "biuf"


def holds(op, value, clock, c, n):
    "At which rows a condition holds."
    is_none = value in ("None", "null", "nil", "undefined", "NaN")
    try:
        wanted = None if is_none else float(value)
    except ValueError:
        wanted = None
    ops = {"=": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}
    if is_array(c) and wanted is not None and op in ops:
        return set(ops[op](c, wanted).nonzero()[0].tolist())
    found, low = set(), value.lower()
    for i, v in clock.over(enumerate(c)):
        f = number(v) if wanted is not None else None
        if op == "~":
            ok = low in text(v).lower()
        elif f is not None:
            ok = ops[op](f, wanted)
        else:
            ok = op == ("=" if is_none else "!=") if is_null(v) else ops[op](text(v), value)
        if ok:
            found.add(i)
    return found


def ordered(rows, asked, clock):
    "The rows that are wanted, in their order: a range, or a list of numbers."
    at = range(rows.n)
    kept = None
    for name, op, value in asked["filter"]:
        columns = [rows.find(name)] if name else range(min(rows.width, 50))
        found = set()
        for j in columns:
            found |= holds(op, value, clock, rows.column(j), rows.n)
        kept = found if kept is None else kept & found
    sort = asked["sort"]
    if sort:
        j = rows.find(sort[0])
        c = rows.column(j)
        at = rows.order(j, sort[1])
        if at is None and is_array(c):
            np = lib("numpy")
            bad = np.isnan(c) if c.dtype.kind == "f" else np.zeros(len(c), bool)
            good = (~bad).nonzero()[0]
            at = good[np.argsort(c[good], kind="stable")]
            at = np.concatenate([at[::-1] if sort[1] else at, bad.nonzero()[0]])
        elif at is None:
            keys = [(None if is_null(v) else rank(v)) for v in clock.over(c)]
            good = [i for i, k in enumerate(keys) if k is not None]
            good.sort(key=keys.__getitem__, reverse=sort[1])
            at = good + [i for i, k in enumerate(keys) if k is None]
        at = at if type(at) is list else at.tolist()
        at = at if kept is None else [i for i in at if i in kept]
    elif kept is not None:
        at = sorted(kept)
    return at


def order_of(x, rows, asked, clock):
    if not asked["filter"] and not asked["sort"]:
        return range(rows.n)
    keep = getattr(lib("pydevd"), "__dict__", None) or getattr(lib("debugpy"), "__dict__", {})
    key = (asked["token"], id(x), rows.n, str(asked["sort"]), str(asked["filter"]))
    old = keep.get("_shown_order")
    if not old or old[0] != key:
        old = (key, ordered(rows, asked, clock))
        keep["_shown_order"] = old
    return old[1]


def limits(asked, total, most):
    a, b = (min(max(int(v), 0), total) for v in asked)
    return a, max(a, min(b, a + most))


def a_table(x, rows, asked, clock):
    at = order_of(x, rows, asked, clock)
    c, d = limits(asked["columns"], rows.width, MOST_NAMES)
    a, b = limits(asked["rows"], len(at), max(1, MOST_CELLS // max(1, d - c)))
    some = at[a:b]
    some = list(some) if type(some) is range else some
    cells = rows.take(some, range(c, d)) if some and d > c else [[] for _ in some]
    return {
        "columns": [{"name": n, "type": t} for n, t in zip(rows.names(c, d), rows.types(c, d))],
        "first_column": c, "width": rows.width, "first": a, "total": len(at), "all": rows.n,
        "labels": rows.labels(some) if rows.labels(some[:0]) is not None else [str(i) for i in some],
        "rows": [[cell(v) for v in clock.over(row)] for row in cells],
    }


def summary(c, at, n, clock):
    "Of a column: how many values, how many of them none, the smallest, the largest, their mean."
    if is_array(c):
        np = lib("numpy")
        c = c if type(at) is range else c[at]
        told = getattr(c, "compressed", lambda: c)()
        told = told[~np.isnan(told)] if c.dtype.kind == "f" else told
        good = told[np.isfinite(told)] if c.dtype.kind == "f" else told
        out = {"count": len(c), "none": len(c) - len(told)}
        if len(told):
            out.update(min=cell(told.min()), max=cell(told.max()))
        if len(good) and len(good) == len(told):
            out.update(mean=float(good.mean(dtype=float)), deviation=float(good.std(dtype=float)))
        seen, k = np.unique(told[:PART]), PART
        # Of few different ones all are counted, unless that takes what others need.
        while k < len(told) and len(seen) <= MOST_DISTINCT and time.monotonic() < clock.end - clock.seconds / 2:
            seen = np.union1d(seen, told[k:k + PART])
            k += PART
        return out, len(seen), k < len(told), good, len(told) - len(good)
    good, none, seen, low, high, count, endless = [], 0, set(), None, None, 0, 0
    for i, v in clock.over(enumerate(c) if type(at) is range else ((i, c[i]) for i in at)):
        count += 1
        if is_null(v):
            none += 1
            continue
        k = rank(v)
        low = (k, v) if low is None or k < low[0] else low
        high = (k, v) if high is None or k > high[0] else high
        if k[0] == 0 and math.isfinite(k[1]):
            good.append(k[1])
        elif k[0] == 0:
            endless += 1
        if len(seen) <= MOST_DISTINCT:
            seen.add(k)
    out = {"count": count, "none": none}
    if low:
        out.update(min=cell(low[1]), max=cell(high[1]))
    if good and len(good) == count - none:
        mean = math.fsum(good) / len(good)
        out.update(mean=mean, deviation=math.sqrt(math.fsum((v - mean) ** 2 for v in good) / len(good)))
    return out, len(seen), len(seen) > MOST_DISTINCT, good, endless


def a_summary(x, rows, asked, clock):
    at = order_of(x, rows, asked, clock)
    c, d = limits(asked["columns"], rows.width, 200)
    out = []
    for j, (name, kind) in enumerate(zip(rows.names(c, d), rows.types(c, d))):
        try:
            s, distinct, more, good, endless = summary(rows.column(c + j), at, rows.n, clock)
        except Refused as why:
            if not out:
                raise
            asked["notes"].append("%s There are %d columns more." % (why, rows.width - c - j))
            break
        if endless and len(good):
            asked["notes"].append("No mean of %s: %d infinite." % (name, endless))
        out.append(dict(s, name=name, type=kind, distinct=distinct, distinct_more=more))
    return out


def of_numbers(rows):
    "The first column of numbers."
    wide = range(min(rows.width, 50))
    first = rows.take(range(min(rows.n, 20)), wide)
    return next((j for j in wide if any(number(row[j]) is not None for row in first)), None)


def a_series(x, rows, asked, clock):
    at = order_of(x, rows, asked, clock)
    j = rows.find(asked["column"]) if asked["column"] else of_numbers(rows)
    c = rows.column(j)
    s, distinct, more, good, _ = summary(c, at, rows.n, clock)
    if not len(good):
        raise Refused("There are no numbers in this column.")
    n, most = len(at), max(1, asked["points"] // 2)
    step = -(-n // most)
    points = []
    for k in clock.over(range(0, n, step)):
        part = c[k:k + step] if type(at) is range and not is_a(c, "pandas", "Series") else [c[i] for i in at[k:k + step]]
        if is_array(part):
            part = part[lib("numpy").isfinite(part)] if part.dtype.kind == "f" else part
            points.append([float(part.min()), float(part.max())] if len(part) else None)
        else:
            part = [v for v in map(number, part) if v is not None and math.isfinite(v)]
            points.append([min(part), max(part)] if part else None)
    low, high, bins = float(min(good)) if type(good) is list else float(good.min()), float(max(good)) if type(good) is list else float(good.max()), [0] * 40
    wide = (high - low) / len(bins) or 1
    if type(good) is list:
        for v in clock.over(good):
            bins[min(int((v - low) / wide), len(bins) - 1)] += 1
    else:
        bins = lib("numpy").histogram(good, len(bins), (low, high if high > low else low + 1))[0].tolist()
    return dict(s, name=rows.names(j, j + 1)[0], type=rows.types(j, j + 1)[0], distinct=distinct, distinct_more=more, step=step, points=points, bins=bins, low=low, high=high)


def image_of(x):
    if is_a(x, "PIL.Image", "Image"):
        return x.size
    if is_a(x, "numpy", "ndarray") and x.dtype.kind in "biuf" and x.ndim in (2, 3) and min(x.shape[:2]) > 1:
        # Of three dimensions, what has the colours of a picture in them.
        if x.ndim == 2 or x.shape[2] in (1, 3, 4) and (x.dtype.kind == "f" or x.dtype.name == "uint8"):
            return x.shape[1], x.shape[0]
    return None


def an_image(x, asked):
    full = image_of(x)
    k = max(1, -(-full[0] // asked["pixels"][0]), -(-full[1] // asked["pixels"][1]))
    if is_a(x, "PIL.Image", "Image"):
        small = x.convert("RGB")
        small = small.resize((max(1, full[0] // k), max(1, full[1] // k)), 0) if k > 1 else small
        w, h, data = small.size[0], small.size[1], small.tobytes()
    else:
        np = lib("numpy")
        small = x[::k, ::k]
        small = small[:, :, None] if small.ndim == 2 else small
        small = small[:, :, :3] if small.shape[2] > 1 else np.repeat(small, 3, 2)
        if small.dtype != np.uint8:
            small = np.nan_to_num(small.astype(float), posinf=0, neginf=0)
            low, high = float(small.min()), float(small.max())
            if x.dtype.kind == "f" and low >= 0 and high <= 1:
                low, high = 0, 1
            small = ((small - low) * (255 / ((high - low) or 1))).astype(np.uint8)
        h, w, data = small.shape[0], small.shape[1], small.tobytes()
    return {"width": full[0], "height": full[1], "w": w, "h": h, "rgb": base64.b64encode(data).decode()}


def bytes_of(x):
    if issubclass(type(x), (bytes, bytearray)) or type(x) is memoryview:
        return memoryview(x).cast("B") if memoryview(x).contiguous else None
    if is_a(x, "numpy", "ndarray") and not is_a(x, "numpy", "ma", "MaskedArray") and x.dtype.kind in "biufcSV" and x.flags.c_contiguous and x.size and x.ndim:
        return memoryview(x.view(lib("numpy").uint8).reshape(-1))
    return None


def shape_of(x, rows):
    if is_a(x, "numpy", "ndarray"):
        return " × ".join(map(str, x.shape))
    return "%d × %d" % (rows.n, rows.width) if rows.width != 1 or type(x).__name__ in ("DataFrame", "Table", "RecordBatch") else "%d" % rows.n


def page(x, asked):
    asked = json.loads(asked)
    clock = Clock(asked["seconds"])
    t = type(x)
    out = {"kind": t.__name__, "views": [], "notes": []}
    asked["notes"] = out["notes"]
    try:
        views = out["views"]
        rows = None if issubclass(t, (str, bytes, bytearray)) else table_of(x)
        raw, picture = bytes_of(x), image_of(x)
        if issubclass(t, (str, bytes, bytearray)):
            views.append("text")
        if picture and not (is_a(x, "numpy", "ndarray") and x.ndim == 2):
            views.append("image")
        if rows:
            views += ["table", "stats"] + ["series"] * (of_numbers(rows) is not None)
            out["shape"] = shape_of(x, rows)
        if picture and "image" not in views:
            views.append("image")
        if raw:
            views.append("bytes")
        if picture:
            out["shape"] = "%d × %d" % picture if not rows else out["shape"]
        if issubclass(t, (str, bytes, bytearray)):
            out["shape"] = "%d" % (str if issubclass(t, str) else bytes if issubclass(t, bytes) else bytearray).__len__(x)
        view = asked["view"] or (views[0] if views else "tree")
        if view != "tree" and view not in views:
            raise Refused("This %s cannot be shown as %s%s." % (t.__name__, view, "; it can as " + ", ".join(views) if views else ""))
        out["view"] = view
        if view == "table":
            out["content"] = a_table(x, rows, asked, clock)
        elif view == "stats":
            out["content"] = a_summary(x, rows, asked, clock)
        elif view == "series":
            out["content"] = a_series(x, rows, asked, clock)
        elif view == "image":
            out["content"] = an_image(x, asked)
        elif view in ("text", "bytes"):
            if view == "text" and issubclass(t, str):
                a, b = limits(asked["rows"], str.__len__(x), 200000)
                out["content"] = {"first": a, "end": b, "total": str.__len__(x), "data": str.__str__(str.__getitem__(x, slice(a, b)))}
            else:
                a, b = limits(asked["rows"], len(raw), 200000)
                # A character's bytes are not cut apart.
                cut = lambda i: next((j for j in range(i, max(i - 4, -1), -1) if j >= len(raw) or raw[j] & 192 != 128), i) if view == "text" else i
                some = bytes(raw[cut(a):cut(b)])
                out["content"] = {"first": a, "end": b, "total": len(raw), "data": base64.b64encode(some).decode() if view == "bytes" else some.decode("utf-8", "replace")}
    except Refused as why:
        out["error"] = str(why)
    except Exception as why:
        out["error"] = "%s: %s" % (type(why).__name__, shown(getattr(why, "args", ())))
    return json.dumps(out)
