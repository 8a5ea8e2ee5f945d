"""A value that is another one at the next stop, in the caller, and in another thread."""
import threading
import time


def look(rows, text, total):
    return total  # MARK: stop


def other(begun, go):
    rows = [{"id": 7, "price": 0.5}]
    begun.set()
    # In Python, where debugpy can hold it.
    while not go.is_set():
        time.sleep(0.01)
    return rows


def main():
    begun, go = threading.Event(), threading.Event()
    thread = threading.Thread(target=other, args=(begun, go))
    thread.start()
    begun.wait()
    first = [{"id": i, "price": i * 1.5} for i in range(5)]
    look(first, '{"a": 1, "b": [1, 2]}', 1)
    rows = [{"id": 100, "price": 0.0}, *map(dict, first)]
    rows[2]["price"] = 99.0
    del rows[4]
    look(rows, '{"a": 2, "b": [1, 2]}', 2)
    go.set()
    thread.join()


main()
