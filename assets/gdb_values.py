# Runs inside gdb's own Python before its debug adapter: a value that cannot be read (optimised away, a formatter that fails) says so in its own
# row. Without this gdb answers for all variables of its scope with one error. And what stands behind something abstract says what it is: a trait
# object of Rust, an object of a derived class, a std::function.
import re

import gdb.dap.varref
import gdb.printing

_reference = gdb.dap.varref.VariableReference


# Versions before 16 have nothing to do when a value changes.
_update = getattr(_reference, "_update_value", lambda self: None)


def _said(error):
    return "<%s>" % (str(error) or type(error).__name__)


class _Failed:
    def __init__(self, error):
        self._error = error

    def to_string(self):
        return _said(self._error)


def _derived(value):
    """What points to an object of a class with virtual functions, with the object's own class."""
    kind = value.type.strip_typedefs()
    if kind.code not in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        return value
    target = kind.target().strip_typedefs()
    if target.code != gdb.TYPE_CODE_STRUCT:
        return value
    if kind.code == gdb.TYPE_CODE_PTR:
        value = value.cast(target.pointer())
    own = value.dynamic_type
    return value if own == value.type else value.cast(own)


def _update_value(self, update=_update):
    try:
        # What is assigned goes to the one that the program has.
        self._declared = getattr(self, "_declared", self._value)
        self._value = _derived(self._declared)
    except Exception:
        # Not made yet, or its class has no debug information: it is what it is declared.
        pass
    try:
        update(self)
    except Exception as error:
        self.reset_children()
        self._printer = _Failed(error)
        self._child_cache, self.count = None, None


_trait_object = re.compile(r"^(?:&(?:mut )?|alloc::boxed::Box<)(dyn [^,>]+)")


_function = re.compile(r"^(?:const )?std::function<.*>(?: &)?$")
_handler = re.compile(r"_Function_handler<.*\), ?(.*)>::_M_invoke")


def _called(value):
    """What a std::function of libstdc++ calls."""
    if not int(value["_M_manager"]):
        return "calls nothing"
    functor = _handler.search(value["_M_invoker"].format_string(symbols=True)).group(1).strip()
    if functor.endswith(")"):
        target = value["_M_functor"]["_M_unused"]["_M_object"].format_string(symbols=True)
        named = re.search("<(.*)>", target)
        functor = named.group(1) if named else functor
    return "calls " + functor


def _concrete(value):
    if _function.match(str(value.type)):
        try:
            return _called(value)
        except Exception:
            return None
    trait = _trait_object.match(str(value.type))
    if not trait:
        return None
    try:
        gdb.set_convenience_variable("_concrete", value)
        inside = gdb.parse_and_eval("*$_concrete")
        text = inside.format_string(max_elements=8, max_depth=3)
        name = "" if text.startswith(str(inside.type)) else "%s " % inside.type
        return "%s \u2192 %s%s" % (trait.group(1), name, text)
    except Exception:
        # Its table of functions has no type.
        return None


def _to_object(self, to_object=_reference.to_object):
    try:
        told = to_object(self)
        if told["variablesReference"] and not told.get(self._result_name):
            told[self._result_name] = _concrete(self._value) or ""
        return told
    except Exception as error:
        told = {"variablesReference": 0, self._result_name: _said(error), "type": str(self._value.type)}
        if self._name is not None:
            told["name"] = str(self._name)
        return told


def _assign(self, value):
    getattr(self, "_declared", self._value).assign(value)
    self._update_value()


if hasattr(_reference, "_update_value"):
    _reference.assign = _assign
_reference._update_value, _reference.to_object = _update_value, _to_object
