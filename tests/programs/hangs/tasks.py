"""Two tasks that await each other, one behind them, one that gives up by itself, and one that goes on."""
import asyncio

tasks = {}


async def order():
    await asyncio.sleep(0)
    await tasks["pay"]


async def pay():
    await asyncio.sleep(0)
    await tasks["order"]


async def patient():
    await asyncio.wait_for(asyncio.shield(tasks["pay"]), 1000)


async def tick():
    while True:
        await asyncio.sleep(0.1)


async def main():
    for work in (order, pay, patient, tick):
        tasks[work.__name__] = asyncio.create_task(work(), name=work.__name__)
    await asyncio.gather(*tasks.values())


asyncio.run(main())
