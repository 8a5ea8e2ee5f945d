"""Three functions that take 70, 20 and 10 percent of the time, for profilers.

usage: hot.py SECONDS
       hot.py rounds N      does so much and prints the seconds it took
"""

import sys
import time


def seventy(seed):
    for _ in range(70000):
        seed = (seed * 33 + 17) % 1000003
    return seed


def twenty(seed):
    for _ in range(20000):
        seed = (seed * 33 + 17) % 1000003
    return seed


def ten(seed):
    for _ in range(10000):
        seed = (seed * 33 + 17) % 1000003
    return seed


def main(seconds):
    end = time.monotonic() + seconds
    seed = 1
    while time.monotonic() < end:
        seed = seventy(twenty(ten(seed)))
    print(seed)


def rounds(count):
    begin = time.perf_counter()
    seed = 1
    for _ in range(count):
        seed = seventy(twenty(ten(seed)))
    print(f"{time.perf_counter() - begin:.6f} {seed}")


if sys.argv[1:2] == ["rounds"]:
    rounds(int(sys.argv[2]))
else:
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 5.0)
