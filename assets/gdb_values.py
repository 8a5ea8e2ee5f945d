# Runs inside gdb's own Python before its debug adapter: a value that cannot be read (optimised away, a formatter that fails) says so in its own
# row. Without this gdb answers for all variables of its scope with one error. And a trait object of Rust says what it is.
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


def _update_value(self, update=_update):
    try:
        update(self)
    except Exception as error:
        self.reset_children()
        self._printer = _Failed(error)
        self._child_cache, self.count = None, None


_trait_object = re.compile(r"^(?:&(?:mut )?|alloc::boxed::Box<)(dyn [^,>]+)")


def _concrete(value):
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


_reference._update_value, _reference.to_object = _update_value, _to_object
