# Runs inside LLDB's own Python before Rust's formatters: before a String is made its length may be anything, and they would read that much
# memory and look at that many characters.
import lldb

MOST_BYTES, MOST_PARTS = 1 << 20, 100


def _read_memory(process, address, size, error, read=lldb.SBProcess.ReadMemory):
    return read(process, address, min(size, MOST_BYTES), error)


def _count(*value, count=lldb.SBValue.GetNumChildren):
    return min(count(*value), MOST_PARTS)


lldb.SBProcess.ReadMemory, lldb.SBValue.GetNumChildren = _read_memory, _count
