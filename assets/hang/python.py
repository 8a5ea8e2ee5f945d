# Runs inside the debuggee, and only looks: which threads and asyncio tasks there are, where each stands, and what it waits for. Nothing is
# imported that is not there, no attribute runs code, and all of it is gone when the answer is given. `result` is that answer, as JSON.
import sys


def look(most_waiters, most_frames):
    modules = sys.modules
    re, json, _thread = modules["re"], modules["json"], modules["_thread"]
    threading = modules.get("threading")
    linecache, tasks_of = modules.get("linecache"), modules.get("asyncio.tasks")
    lock_type, rlock_type = _thread.LockType, _thread.RLock
    hold = re.compile(r"[/\\](debugpy|pydevd\w*|_pydevd_\w+|_debugpy)[/\\.]|^<debugpy_")
    debugger = re.compile(hold.pattern + r"|[/\\]runpy\.py$|^<frozen ")
    library = re.compile(r"[/\\](lib[/\\]python[\d.]+|site-packages|dist-packages)[/\\]|^<")
    simple = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$")

    def field(value, name):
        """An attribute as it is stored: no property and no `__getattr__` runs."""
        try:
            own = object.__getattribute__(value, "__dict__")
            if name in own:
                return own[name]
        except AttributeError:
            pass
        for kind in type(value).__mro__:
            if name in vars(kind):
                stored = vars(kind)[name]
                slot = type(stored).__name__ in ("member_descriptor", "getset_descriptor")
                return stored.__get__(value) if slot else stored
        return None

    def value_of(frame, path):
        if not simple.match(path):
            return None
        first, *rest = path.split(".")
        here = frame.f_locals
        value = here[first] if first in here else frame.f_globals.get(first)
        for name in rest:
            value = field(value, name)
        return value

    def lock_of(value):
        if isinstance(value, (lock_type, rlock_type)):
            return value
        kind = type(value).__name__
        if kind == "_RLock":
            return value
        inner = field(value, "_lock") if kind == "Condition" else None
        if inner is None:
            return value if tasks_of and type(value).__module__ == "asyncio.locks" and kind == "Lock" else None
        return lock_of(inner)

    def lines_of(frame):
        return linecache.getlines(frame.f_code.co_filename, frame.f_globals) if linecache else []

    def enters(frame):
        """Whether a frame stands at the beginning of a `with`, and not in it on the same line. Since 3.14 that cannot be told."""
        known = getattr(modules.get("opcode"), "opmap", {})
        begin = [known[name] for name in ("SETUP_WITH", "BEFORE_WITH") if name in known]
        return not begin or frame.f_code.co_code[frame.f_lasti] in begin

    def items(text, entering=False):
        """What a `with` enters, or an `acquire` takes. Below a `with` of one line it is left again."""
        block = re.match(r"\s*(?:async )?with\s+([^:#]+)" + ("" if entering else r":?\s*(#|$)"), text)
        if block:
            parts = block.group(1).strip("()").split(",")
            return [re.sub(r"\s+as\s.*", "", part).strip() for part in parts]
        # One that gives up by itself is no wait for ever.
        return re.findall(r"([A-Za-z_][\w.]*)\.acquire\(\)", text)

    def held(frame):
        """Locks that the lines above this one took and did not give back: (lock, line)."""
        lines, now = lines_of(frame), frame.f_lineno
        first = frame.f_code.co_firstlineno
        # Not those of functions in it. Before 3.10 they cannot be told.
        numbers = getattr(frame.f_code, "co_lines", None)
        its_own = {line for _, _, line in numbers()} if numbers else range(first, now + 1)
        taken, indent = [], 10_000
        for at in range(min(now, len(lines)), first, -1):
            text = lines[at - 1]
            bare = text.strip()
            depth = len(text) - len(text.lstrip())
            if not bare or bare.startswith("#") or at not in its_own:
                continue
            if depth < indent:
                indent = depth
                if at < now and re.match(r"(async )?with\b", bare):
                    taken += [(path, at, True) for path in items(text)]
            if at < now:
                for awaited, path in re.findall(r"(await\s+)?\b([A-Za-z_][\w.]*)\.acquire\(", text):
                    given = path + ".release("
                    if not any(given in lines[later] for later in range(at, min(now - 1, len(lines)))):
                        taken.append((path, at, bool(awaited)))
        found = [(lock_of(value_of(frame, path)), at, has_waited) for path, at, has_waited in taken]
        # An `acquire()` of asyncio's takes nothing until it is awaited.
        is_taken = lambda lock, has_waited: has_waited or type(lock).__module__ != "asyncio.locks"
        return [(lock, at) for lock, at, has_waited in found if lock is not None and is_taken(lock, has_waited)]

    def shown(frame):
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        own = not library.search(code.co_filename)
        return {"name": name, "path": code.co_filename, "line": ended.get(id(frame), frame.f_lineno), "own": own}

    def is_own(frame):
        return not library.search(frame.f_code.co_filename)

    # Lines of frames that have ended, where the error was thrown that left them.
    ended = {}

    def left(holding, living):
        """The frames that the error left which a thread is held for, where it was thrown first."""
        held_for = (value for frame in holding for value in frame.f_locals.values() if isinstance(value, tuple) and len(value) == 3)
        at, frames = next((value[2] for value in held_for if type(value[2]).__name__ == "traceback"), None), []
        while at is not None:
            frames.insert(0, at.tb_frame)
            if at.tb_frame not in living:
                ended[id(at.tb_frame)] = at.tb_lineno
            at = at.tb_next
        return frames

    def without_hold(frames):
        """A thread's frames without those in which the debugger holds it, and whether it does."""
        files = [frame.f_code.co_filename for frame in frames]
        first = next((at for at, file in enumerate(files) if hold.search(file)), len(files))
        if not all(library.search(file) for file in files[:first]):
            return frames, False
        gone = left((frame for frame, file in zip(frames[first:], files[first:]) if hold.search(file)), frames)
        if gone and gone[0] not in frames:
            caught = frames.index(gone[-1]) if gone[-1] in frames else first
            return gone + frames[caught + 1 :], True
        goes_on = not all(debugger.search(file) for file in files[first:])
        return (frames[first:], True) if goes_on else (frames, False)

    waiters, frames_of, standing = [], {}, set()

    def add(key, kind, name, frames, **more):
        frames = [frame for frame in frames if not debugger.search(frame.f_code.co_filename)][:most_frames]
        frames_of[key] = frames
        waiters.append(dict(key=key, kind=kind, name=name, frames=[shown(frame) for frame in frames], **more))

    names = {thread.ident: thread for thread in list(getattr(threading, "_active", {}).values())}
    loops = []
    for ident, frame in sys._current_frames().items():
        thread, stack = names.get(ident), []
        if ident == _thread.get_ident() or getattr(thread, "is_pydev_daemon_thread", False) or getattr(thread, "pydev_do_not_trace", False):
            continue
        while frame is not None and len(stack) < most_frames * 4:
            if frame.f_code.co_name == "run_forever" and "self" in frame.f_locals:
                loops.append(frame.f_locals["self"])
            stack.append(frame)
            frame = frame.f_back
        name = thread.name if thread else "thread %d" % ident
        stack, is_held = without_hold(stack)
        if is_held:
            standing.add("thread %d" % ident)
        add("thread %d" % ident, "thread", name, stack, lwp=getattr(thread, "native_id", None))

    tasks, limited = {}, set()
    for loop in loops if tasks_of else []:
        for timer in list(getattr(loop, "_scheduled", ())):
            owner = getattr(getattr(timer, "_callback", None), "__self__", None)
            limited.add(id(getattr(owner, "_task", None)))
        for task in tasks_of.all_tasks(loop):
            stack, coroutine = [], task.get_coro()
            while coroutine is not None and len(stack) < most_frames:
                frame = next((f for f in (getattr(coroutine, n, None) for n in ("cr_frame", "gi_frame", "ag_frame")) if f), None)
                if frame is not None:
                    stack.insert(0, frame)
                coroutine = next((c for c in (getattr(coroutine, n, None) for n in ("cr_await", "gi_yieldfrom", "ag_await")) if c), None)
            tasks[id(task)] = key = "task %x" % id(task)
            add(key, "asyncio task", task.get_name(), stack, task=task)

    holders = {}
    for waiter in waiters:
        for frame in frames_of[waiter["key"]]:
            for lock, at in held(frame) if is_own(frame) and id(frame) not in ended else ():
                holders.setdefault(id(lock), []).append((waiter["key"], frame, at))

    def lock_wait(key, lock, called):
        what = "%s %s" % ("RLock" if "RLock" in type(lock).__name__ else "Lock", called)
        owner = re.search(r"owner=(\d+)", repr(lock)) if isinstance(lock, rlock_type) else None
        ident = int(owner.group(1)) if owner else field(lock, "_owner") if type(lock).__name__ == "_RLock" else None
        if ident:
            return dict(what=what, holders=["thread %d" % ident], how="its owner field", certain=True)
        known = holders.get(id(lock), [])
        if not (lock.locked() if hasattr(lock, "locked") else known):
            return None
        how = "; ".join("taken at %s:%d" % (frame.f_code.co_filename.replace("\\", "/").split("/")[-1], at) for _, frame, at in known)
        return dict(what=what, holders=list(dict.fromkeys(holder for holder, _, _ in known)), how=how, certain=False, lock=True)

    def thread_wait(key, frames):
        top = frames[0]
        code, here = top.f_code, top.f_locals
        if is_own(top):
            lines = lines_of(top)
            for path in items(lines[top.f_lineno - 1], enters(top)) if top.f_lineno <= len(lines) else ():
                lock = lock_of(value_of(top, path))
                wait = lock_wait(key, lock, path) if isinstance(lock, (lock_type, rlock_type)) else None
                if wait:
                    return wait
            sleeps = top.f_lineno <= len(lines) and re.search(r"\bsleep\(", lines[top.f_lineno - 1])
            return dict(what="a time (it sleeps)") if sleeps else None
        if code.co_filename.replace("\\", "/").endswith("/threading.py"):
            me = here.get("self")
            ident = field(me, "_ident")
            if code.co_name in ("join", "_wait_for_tstate_lock") and ident:
                limit = here.get("timeout", -1)
                ends = dict(holders=["thread %d" % ident], how="it joins it", certain=True) if limit in (None, -1) else {}
                return dict(what="the end of the thread %s" % field(me, "_name"), **ends)
            if code.co_name in ("acquire", "__enter__") and lock_of(me) is not None:
                return lock_wait(key, lock_of(me), "of a " + type(me).__name__)
            outer = next((f.f_code for f in frames[1:] if f.f_code.co_filename.replace("\\", "/").endswith(("/queue.py", "/threading.py"))), code)
            words = {"get": "an item of a queue", "put": "room in a queue", "join": "the end of a queue's work"}
            return dict(what=words.get(outer.co_name, "a condition variable or an event"))
        if code.co_name in ("select", "poll", "_poll") and any(f.f_code.co_name == "run_forever" for f in frames):
            return dict(what="events: the event loop has nothing to do")
        place = code.co_filename.replace("\\", "/").split("/")[-1], code.co_name
        what = {
            ("selectors.py", "select"): "events of files and sockets",
            ("socket.py", "accept"): "a connection",
            ("socket.py", "readinto"): "data of a socket",
            ("subprocess.py", "_try_wait"): "the end of a process",
        }.get(place)
        return what and dict(what=what)

    def task_wait(key, frames, task):
        on = field(task, "_fut_waiter")
        if on is None or id(task) in limited:
            return None
        if id(on) in tasks:
            name = on.get_name()
            return dict(what="the task %s" % name, holders=[tasks[id(on)]], how="it awaits it", certain=True)
        children = [child for child in getattr(on, "_children", None) or () if not child.done()]
        if children:
            known = [tasks.get(id(child), "?") for child in children]
            return dict(what="%d tasks that it gathers" % len(children), holders=known, all=True, how="it awaits them", certain=True)
        top = frames[0] if frames else None
        me = top.f_locals.get("self") if top else None
        place = top.f_code.co_filename.replace("\\", "/").split("/")[-1] if top and "asyncio" in top.f_code.co_filename else ""
        if place == "locks.py" and type(me).__name__ == "Lock":
            return lock_wait(key, me, "of asyncio") or dict(what="an asyncio.Lock")
        words = {"queues.py": "a queue", "tasks.py": "a timer", "locks.py": "a %s of asyncio" % type(me).__name__, "streams.py": "a stream"}
        return dict(what=words.get(place, "a future"))

    for waiter in waiters:
        frames, task = frames_of[waiter["key"]], waiter.pop("task", None)
        if waiter["key"] in standing:
            continue
        try:
            wait = task_wait(waiter["key"], frames, task) if task is not None else thread_wait(waiter["key"], frames) if frames else None
        except Exception as error:
            wait = dict(what="something that could not be read (%s)" % type(error).__name__)
        if wait:
            waiter["wait"] = wait
    # Whoever is at the end may be left out.
    waits_for = {waiter["key"]: waiter.get("wait", {}).get("holders", ()) for waiter in waiters}
    held = {key for keys in waits_for.values() for key in keys}
    waiters.sort(key=lambda waiter: (waiter["key"] not in standing, not waits_for[waiter["key"]] and waiter["key"] not in held))
    return json.dumps({"waiters": waiters[:most_waiters], "left_out": max(0, len(waiters) - most_waiters)})
