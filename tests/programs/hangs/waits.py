"""Merely waits: for an item of a queue, with a lock that another thread wants; and tasks that wait for a queue and a lock of theirs. The
main thread waits for one that wants a lock which another function took, in another thread; one waits for who comes."""
import asyncio
import queue
import selectors
import socket
import threading

items, lock, entered = queue.Queue(), threading.RLock(), threading.Event()
taken_elsewhere, taken = threading.Lock(), threading.Event()


def worker():
    with lock:
        entered.set()
        items.get()


def behind():
    entered.wait()
    with lock:
        pass


def take():
    taken_elsewhere.acquire()
    taken.set()


def holder():
    take()
    items.get()


def wants():
    taken.wait()
    with taken_elsewhere:
        pass


def serves():
    with socket.create_server(("127.0.0.1", 0)) as door, selectors.DefaultSelector() as events:
        events.register(door, selectors.EVENT_READ)
        events.select()


async def consumer(numbers, door):
    async with door:
        await numbers.get()


async def main():
    numbers, door = asyncio.Queue(), asyncio.Lock()
    await asyncio.gather(consumer(numbers, door), consumer(numbers, door))


for work in (worker, behind, holder, serves, lambda: asyncio.run(main())):
    threading.Thread(target=work, name=work.__name__).start()
last = threading.Thread(target=wants, name="wants")
last.start()
last.join()
