"""A tree of processes, for debuggers.

usage: tree.py fork LEVELS | spawn LEVELS | many COUNT | exec | late FILE | wait FILE
"""

import multiprocessing
import os
import sys
import time


def visit(level):
    name = f"level {level}"
    return name  # MARK: visit


def grow(levels, method):
    done = visit(levels)
    if levels > 1:
        context = multiprocessing.get_context(method)
        child = context.Process(target=grow, args=(levels - 1, method))
        child.start()
        child.join()  # MARK: join
        print(f"level {levels - 1} exited with {child.exitcode}", flush=True)
    return done  # MARK: back


def many(count):
    for _ in range(count):
        pid = os.fork()
        if pid == 0:
            visit(0)
            os._exit(0)
    ends = [os.waitpid(-1, 0)[1] for _ in range(count)]
    print(f"{ends.count(0)} of {count} ended well", flush=True)


def leave(path, text):
    with open(path + ".part", "w") as file:
        file.write(text)
    os.rename(path + ".part", path)


def wait_for(path):
    while not os.path.exists(path):
        time.sleep(0.01)


def late(path):
    """Makes a child when told to, and says what came of it."""
    wait_for(path + ".go")
    pid = os.fork()
    if pid == 0:
        visit(0)
        leave(path + ".child", str(os.getpid()))
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    leave(path, str(status))


def wait(path):
    """Has a child when told to; both end when told to."""
    wait_for(path + ".fork")
    pid = os.fork()
    if pid == 0:
        wait_for(path + ".go")
        visit(0)
        os._exit(0)
    wait_for(path + ".go")
    _, status = os.waitpid(pid, 0)
    leave(path, str(status))


def main(words):
    if words[0] in ("fork", "spawn"):
        grow(int(words[1]), words[0])
    elif words[0] == "many":
        many(int(words[1]))
    elif words[0] == "exec":
        os.execv(sys.executable, [sys.executable, __file__, "spawn", "1"])
    elif words[0] == "fork-exec":
        if os.fork() == 0:
            os.execv(sys.executable, [sys.executable, __file__, "spawn", "0"])
        print(f"it ended with {os.wait()[1]}", flush=True)
    elif words[0] == "late":
        late(words[1])
    elif words[0] == "wait":
        wait(words[1])


if __name__ == "__main__":
    main(sys.argv[1:])
