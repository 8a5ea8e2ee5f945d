"""Gives objects of classes without a text of their own one that says something, in a program under debugpy:
`Order(name='pen', price=1.5)` instead of `<shop.Order object at 0x7f2e9c41>`, also in lists, tuples and dicts. Tables and arrays
say what shape they have: `DataFrame 500 × 3: id, name, price`, `float64[500, 20] 0.5, 0.25, …`. A property that raises says what it
raised, and so does an expression in the text of a logpoint, among the others of that text. A property is called when it is asked for, and a
`__repr__` that takes too long is given up: nothing else would be answered until it ends. And makes two functions that read the same two.

Run once by the debug server, before the program's first line, or before it is looked at where it runs already. Nothing of the program is called for it: what an object keeps is
read as it lies there, and only values of Python's own plain types are written out.
"""


def install():
    import collections, ctypes, functools, io, itertools, signal, sys, threading, traceback
    from _pydevd_bundle import pydevd_constants, pydevd_resolver, pydevd_safe_repr, pydevd_suspended_frames, pydevd_xml

    FIELDS, ELEMENTS, DEEPEST, LONG, LONGEST = 8, 12, 2, 40, 300
    OF_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE: made by a class statement
    PLAIN = {bool, int, float, complex, str, bytes, bytearray, type(None)}
    LIBRARY = {"datetime", "decimal", "fractions", "uuid", "pathlib"}
    TABLES = {"pandas": {"DataFrame", "Series"}, "polars": {"DataFrame", "Series"}, "numpy": {"ndarray"}, "torch": {"Tensor"}}
    SMALL, NUMBERS, MOST = 8, "biufc", 100
    PATIENCE = 1  # Seconds.
    BRACKETS = {list: "[]", tuple: "()", dict: "{}"}
    slot_type = type(type("Slotted", (), {"__slots__": ("it",)}).it)
    dict_type = type(type("Plain", (), {}).__dict__["__dict__"])

    def is_kept(name, descriptor):
        # A property by the name of the dict would run the program.
        return type(descriptor) is slot_type or name == "__dict__" and type(descriptor) is dict_type

    def has_no_text(kind):
        is_bare = kind.__flags__ & OF_PYTHON and kind.__repr__ is object.__repr__ and kind.__str__ is object.__str__
        return is_bare and any(is_kept(*item) for each in kind.__mro__ for item in each.__dict__.items())

    def fields(it):
        for kind in type(it).__mro__:
            for name, descriptor in tuple(kind.__dict__.items()):
                if is_kept(name, descriptor):
                    try:
                        value = descriptor.__get__(it)
                    except AttributeError:
                        continue  # Not set yet.
                    yield from tuple(value.items()) if name == "__dict__" else [(name, value)]

    def first(it):
        return list(itertools.islice(it.values() if type(it) is dict else it, ELEMENTS))

    def is_ours(it, depth=0):
        kind = type(it)
        return has_no_text(kind) or kind in BRACKETS and depth < DEEPEST and any(is_ours(each, depth + 1) for each in first(it))

    def joined(texts, size):
        parts = list(itertools.islice(texts, size))
        return ", ".join(parts if len(parts) == size else [*parts, "…"])

    def short(texts):
        """Those that begin within the line that a value has."""
        size = 0
        for text in texts:
            if size > LONGEST:
                return
            size += len(text)
            yield text

    def field(it, depth):
        kind = type(it)
        if kind in PLAIN or kind.__module__ in LIBRARY:
            is_long = kind in (str, bytes, bytearray) and len(it) > LONG
            text = repr(it[:LONG] if is_long else it)
            if is_long:
                return text[:-1] + "…" + text[-1]
            return text if len(text) <= 2 * LONG else text[: 2 * LONG] + "…"
        if kind in BRACKETS:
            left, right = BRACKETS[kind]
            return left + ("…" + str(len(it)) if it else "") + right
        if depth < DEEPEST and has_no_text(kind):
            return whole(it, depth + 1)
        return kind.__name__ + "(…)"

    def whole(it, depth=0):
        known = list(fields(it))
        # Whoever writes into a dict of fields may take anything for a name.
        names = (name[:LONG] if type(name) is str else "…" for name, _ in known)
        texts = (name + "=" + field(value, depth) for name, (_, value) in zip(names, known[:FIELDS]))
        return type(it).__name__ + "(" + joined(short(texts), len(known)) + ")"

    def element(it, depth):
        if has_no_text(type(it)):
            return whole(it, depth)
        return elements(it, depth) if is_ours(it, depth) else pydevd_safe_repr.SafeRepr()(it)

    def elements(it, depth=0):
        left, right = BRACKETS[type(it)]
        names = ((field(name, DEEPEST) if type(name) in PLAIN else "…") + ": " for name in it) if type(it) is dict else itertools.repeat("")
        texts = (name + element(each, depth + 1) for name, each in zip(names, first(it)))
        return left + joined(short(texts), len(it)) + ("," if type(it) is tuple and len(it) == 1 else "") + right

    def begin(it, count):
        """The first values of a column."""
        return it.head(count).to_list()

    def value(it):
        is_library = type(it).__module__.partition(".")[0] in TABLES
        return str(it)[: 2 * LONG] if is_library else field(it, 0)

    def title(it):
        return it[: 2 * LONG] if type(it) is str else value(it)

    def is_table(kind):
        return kind.__name__ in TABLES.get(kind.__module__.partition(".")[0], ())

    def table(it):
        kind, shape = type(it).__name__, tuple(it.shape)
        if kind == "DataFrame":
            names = (str(name)[:LONG] for name in itertools.islice(it.columns, FIELDS))
            return "DataFrame " + " × ".join(map(str, shape)) + (": " + joined(short(names), shape[1]) if shape[1] else "")
        text = str(it.dtype).replace("torch.", "") + "[" + ", ".join(map(str, shape)) + "]"
        if kind == "Series":
            name = " " + repr(it.name) if it.name and type(it.name) is str else ""
            return "Series " + text + name + (" " + joined(short(map(value, begin(it, SMALL))), len(it)) if len(it) else "")
        if kind == "ndarray" and it.size <= SMALL:
            return None
        if kind == "ndarray" and it.dtype.kind in NUMBERS:
            text += " " + joined((repr(number) for number in it.flat[:SMALL].tolist()), it.size)
        return text

    class Raised(str):
        pass

    class Trouble(io.StringIO):
        """Where debugpy prints the traceback of a property that raised, to show that as its value."""

        def getvalue(self):
            kind, error, _ = sys.exc_info()
            text = traceback.format_exception_only(kind, error)[-1].strip()
            return type(kind.__name__, (Raised,), {})(text)

    late_ones = set()

    class Late(BaseException):
        pass

    def timed(work, it, what, key, patience):
        """What `work` says of it, if it does in time; there is less of that where it was late before."""
        lock, is_over, thread = threading.Lock(), [], threading.get_ident()
        # What waits is only ended by a signal: not where that would tell the program something.
        is_main = threading.current_thread() is threading.main_thread()
        signals = is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler

        def late():
            with lock:
                if not is_over and signals:
                    signal.pthread_kill(thread, signal.SIGINT)
                elif not is_over:
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Late))

        share = 0.1 if key in late_ones else 1
        try:
            try:
                tracker = pydevd_constants.get_global_debugger().timeout_tracker
                with tracker.call_on_timeout(patience * share, late):
                    return work(it)
            finally:
                with lock:
                    is_over.append(True)
                # What was thrown at the last moment comes out of a call: of this one, and of none of the program's.
                threading.get_ident()
        except (Late, KeyboardInterrupt):
            late_ones.add(key)
            return type("TimeoutError", (Raised,), {})("… its %s takes too long" % what)

    def text(work, it):
        return timed(work, it, "__repr__", type(it), PATIENCE)

    class Unread:
        """A property that nobody has asked for."""

        def __init__(self, of, name):
            self.of, self.name = of, name

        def read(self):
            return timed(self.get, self.of, "property", (type(self.of), self.name), 2.5 * PATIENCE)

        def get(self, of):
            try:
                return getattr(of, self.name)
            except Exception:
                return Trouble().getvalue()

    def is_called(it, name):
        for kind in type(it).__mro__:
            if name in kind.__dict__:
                found = kind.__dict__[name]
                return isinstance(found, property) or type(found) is functools.cached_property and name not in dict(fields(it))
        return False

    def bounded(it):
        return pydevd_safe_repr.SafeRepr()(it)[:-1] + ", maxlen=%d)" % it.maxlen

    class Texts:
        def can_provide(self, kind, name):
            is_own = kind in BRACKETS or kind in (collections.deque, Unread) or issubclass(kind, Raised)
            return is_own or has_no_text(kind) or is_table(kind)

        def get_str(self, it):
            if isinstance(it, Raised):
                return str.__str__(it)
            return "(...)" if type(it) is Unread else text(self.written, it)

        def written(self, it):
            if type(it) is collections.deque:
                return None if it.maxlen is None else bounded(it)
            if is_table(type(it)):
                return table(it)
            if type(it) not in BRACKETS:
                return whole(it)
            # None: as debugpy itself would.
            return elements(it) if is_ours(it) else None

        def get_str_in_context(self, it, context):
            # What is copied is wanted whole.
            return repr(it) if context == "clipboard" and is_table(type(it)) else self.get_str(it)

    class Parts:
        """Of a table its columns, of a column its first values, of a property its value. debugpy asks for all that their classes have: much of that is for their own
        use, and some is a copy of the whole that is made anew for whoever asks."""

        def can_provide(self, kind, name):
            return kind is Unread or is_table(kind) and kind.__name__ in ("DataFrame", "Series")

        def get_contents_debug_adapter_protocol(self, it, fmt=None):
            if type(it) is Unread:
                return [(it.name, it.read(), "")]
            if type(it).__name__ == "Series":
                of = ".iloc[%d]" if hasattr(it, "iloc") else "[%d]"
                labels = it.index[:MOST] if hasattr(it, "iloc") else itertools.count()
                return [(title(label), each, of % at) for at, (label, each) in enumerate(zip(labels, begin(it, MOST)))]
            column, of = (lambda at: it.iloc[:, at], ".iloc[:, %d]") if hasattr(it, "iloc") else (it.to_series, ".to_series(%d)")
            return [(title(name), column(at), of % at) for at, name in enumerate(itertools.islice(it.columns, MOST))]

        def get_dictionary(self, it):
            return {name: each for name, each, _ in self.get_contents_debug_adapter_protocol(it)}

        def resolve(self, it, name):
            return self.get_dictionary(it)[name]

    handler = pydevd_xml._TYPE_RESOLVE_HANDLER
    if not handler._initialized:
        handler._initialize()
    handler._str_providers = [Texts(), *handler._str_providers]
    handler._resolve_providers = [Parts(), *handler._resolve_providers]
    handler._type_to_str_provider_cache.clear()
    handler._type_to_resolver_cache.clear()
    pydevd_resolver.StringIO = Trouble

    default, variable = pydevd_resolver.DefaultResolver, pydevd_suspended_frames._AbstractVariable
    parts, data, details = default._get_py_dictionary, variable.get_var_data, pydevd_suspended_frames.get_variable_details

    def get_py_dictionary(self, it, names=None, used___dict__=False):
        if not names:
            names, used___dict__ = self.get_names(it)
        called = {name: Unread(it, name) for name in names if not used___dict__ and is_called(it, name)}
        names = [name for name in names if name not in called]
        known, used___dict__ = parts(self, it, names, used___dict__) if names else ({}, used___dict__)
        return {**known, **called}, used___dict__

    def get_var_data(self, *others, **named):
        told = data(self, *others, **named)
        if type(self.value) is Unread:
            told["presentationHint"] = {"lazy": True}
        return told

    def get_variable_details(it, evaluate_full_value=True, to_string=None, *others, **named):
        own = to_string if type(it) in PLAIN else to_string and (lambda it: text(to_string, it))
        return details(it, evaluate_full_value, own, *others, **named)

    default._get_py_dictionary, variable.get_var_data = get_py_dictionary, get_var_data
    pydevd_suspended_frames.get_variable_details = get_variable_details


def install_logpoints():
    import ast
    from _pydevd_bundle._debug_adapter.pydevd_schema import OutputEvent, OutputEventBody
    from _pydevd_bundle.pydevd_comm_constants import CMD_WRITE_TO_CONSOLE
    from _pydevd_bundle.pydevd_constants import get_global_debugger
    from _pydevd_bundle.pydevd_net_command import NetCommand

    written = ast.unparse

    def value(part, names):
        if isinstance(part, ast.Constant):
            return part.value
        try:
            whole = ast.copy_location(ast.JoinedStr([part]), part)
            return eval(compile(ast.Expression(whole), "<logpoint>", "eval"), *names)
        except Exception as error:
            return "<%s: %s: %s>" % (written(part.value), type(error).__name__, error)

    def text(expression, names):
        try:
            return eval(expression, *names)
        except BaseException as error:
            trouble = error
        try:
            # `'%s' % (f'…',)`
            parts = ast.parse(expression, mode="eval").body.right.elts[0].values
            return "".join(value(part, names) for part in parts)
        except Exception:
            return trouble

    def handle(self, breakpoint, info, frame):
        said = text(breakpoint.expression, (frame.f_globals, frame.f_locals))
        if said is None:
            return
        if not breakpoint.is_logpoint:
            info.pydev_message = str(said)
            return
        # debugpy would tell it as the program's own output, which reads the same where its text is a value alone.
        told = OutputEvent(OutputEventBody(str(said) + "\n", "console"))
        self.writer.add_command(NetCommand(CMD_WRITE_TO_CONSOLE, 0, told, is_json=True))
        info.pydev_message = ""

    type(get_global_debugger()).handle_breakpoint_expression = handle


def install_marks():
    """debugpy keeps by its code whether a function has breakpoints; Python takes the code of two functions that read the same for one,
    at one line of two files. So each of the person's own has its file among its constants."""
    import os, pydevd, sys, types
    from importlib.machinery import SourceFileLoader

    root = os.path.dirname(os.path.dirname(os.path.dirname(pydevd.__file__)))
    if not (getattr(sys.modules["__main__"], "__file__", None) or "").startswith(root):
        return  # The program runs already, and is not to be changed.
    LIBRARIES = ("site-packages", "dist-packages", os.path.dirname(os.__file__))
    own, replace = SourceFileLoader.get_code, types.CodeType.replace

    def marked(code, path):
        consts = tuple(marked(each, path) if type(each) is types.CodeType else each for each in code.co_consts)
        return replace(code, co_consts=(*consts, path))

    def get_code(self, name):
        code = own(self, name)
        is_own = code is not None and not any(library in code.co_filename for library in LIBRARIES)
        return marked(code, code.co_filename) if is_own else code

    # As its own, which Python leaves out of a traceback.
    get_code.__code__ = replace(get_code.__code__, co_filename=own.__code__.co_filename)
    SourceFileLoader.get_code = get_code


def install_groups():
    """Of a group of exceptions debugpy says how many it has, and not which."""
    import builtins, traceback
    from _pydevd_bundle import pydevd_comm, pydevd_net_command_factory_json
    from _pydevd_bundle._debug_adapter.pydevd_schema import ExceptionDetails

    GROUP, MOST, DEEPEST = builtins.BaseExceptionGroup, 20, 4
    own = pydevd_comm.build_exception_info_response

    def parts(error, depth=0):
        if not isinstance(error, GROUP) or depth >= DEEPEST:
            return None
        return [details(each, depth + 1) for each in BaseException.__getattribute__(error, "exceptions")[:MOST]]

    def details(error, depth):
        kind = type(error)
        try:
            message = str(error)
        except Exception as trouble:
            message = "<%s in its text>" % type(trouble).__name__
        name = kind.__name__ if kind.__module__ in ("builtins", "__main__") else kind.__module__ + "." + kind.__name__
        trace = "".join(traceback.format_tb(error.__traceback__))
        return ExceptionDetails(message=message, typeName=name, stackTrace=trace + name + ": " + message + "\n", innerException=parts(error, depth))

    def build(debugger, thread_id, *others, **named):
        answer = own(debugger, thread_id, *others, **named)
        frames = debugger.suspended_frames_manager.get_frames_list(thread_id)
        answer.body.details.innerException = parts(getattr(frames, "exc_desc", None))
        return answer

    pydevd_comm.build_exception_info_response = pydevd_net_command_factory_json.build_exception_info_response = build


def is_new():
    """Not in a child that was forked, nor where somebody came before."""
    import pydevd

    was_here, pydevd.omp_debug_values = hasattr(pydevd, "omp_debug_values"), True
    return not was_here


for each in (install, install_logpoints, install_marks, install_groups) if is_new() else ():
    try:
        each()
    except (ImportError, AttributeError):
        pass  # Another debugpy, or an older Python: it shows what it always did.
