"""Merely waits: for an item of a queue, with a lock that another thread wants; and tasks that wait for a queue and a lock of theirs."""
import asyncio
import queue
import threading

items, lock, entered = queue.Queue(), threading.RLock(), threading.Event()


def worker():
    with lock:
        entered.set()
        items.get()


def behind():
    entered.wait()
    with lock:
        pass


async def consumer(numbers, door):
    async with door:
        await numbers.get()


async def main():
    numbers, door = asyncio.Queue(), asyncio.Lock()
    await asyncio.gather(consumer(numbers, door), consumer(numbers, door))


for work in (worker, behind):
    threading.Thread(target=work, name=work.__name__).start()
asyncio.run(main())
