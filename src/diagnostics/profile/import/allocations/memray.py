# Prints what is in a recording of memray, a line of JSON for each stack. Exit status 3: this Python has no memray.
import json
import sys

sys.path = [folder for folder in sys.path if folder]
try:
    import memray
except ImportError:
    sys.exit(3)


def tell(kind, *values):
    sys.stdout.write(json.dumps({kind: values}) + "\n")


def text(word):
    return (word or "").encode("utf-8", "replace").decode("utf-8")


def stack(record):
    return [[text(name) or "?", text(file), line] for name, file, line in record.stack_trace()]


try:
    reader = memray.FileReader(sys.argv[1])
    tell("about", memray.__version__, text(reader.metadata.command_line))
    count = 0
    for record in reader.get_high_watermark_allocation_records(merge_threads=True):
        tell("peak", record.size, record.n_allocations, stack(record))
        count += 1
    if "AGGREGATED" not in str(reader.metadata.file_format):
        reader = memray.FileReader(sys.argv[1])
    for record in reader.get_leaked_allocation_records(merge_threads=True):
        tell("leaked", record.size, record.n_allocations, stack(record))
        count += 1
    sys.stdout.write(json.dumps({"end": count}) + "\n")
    sys.stdout.flush()
except Exception as error:
    sys.exit(f"{type(error).__name__}: {error}")
