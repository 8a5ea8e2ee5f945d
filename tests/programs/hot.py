"""Three functions that take 70, 20 and 10 percent of the time, for profilers.

usage: hot.py SECONDS
       hot.py rounds N      does so much and prints the seconds it took
"""

import sys
import time


def seventy(seed, length):
    for _ in range(7 * length):
        seed = (seed * 33 + 17) % 1000003
    return seed


def twenty(seed, length):
    for _ in range(2 * length):
        seed = (seed * 33 + 17) % 1000003
    return seed


def ten(seed, length):
    for _ in range(1 * length):
        seed = (seed * 33 + 17) % 1000003
    return seed


def round_of(seed):
    """No two are of one length: rounds in step with a sampler's clock would show it the same places again and again."""
    length = 100 * (1 + seed % 199)
    return seventy(twenty(ten(seed, length), length), length)


def main(seconds):
    end = time.monotonic() + seconds
    seed = 1
    while time.monotonic() < end:
        seed = round_of(seed)
    print(seed)


def rounds(count):
    begin = time.perf_counter()
    seed = 1
    for _ in range(count):
        seed = round_of(seed)
    print(f"{time.perf_counter() - begin:.6f} {seed}")


if sys.argv[1:2] == ["rounds"]:
    rounds(int(sys.argv[2]))
else:
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 5.0)
