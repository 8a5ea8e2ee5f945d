"""Fees of a day's card payments: a share of the amount, by the bracket that the amount falls into."""

from bisect import bisect_right

LIMITS = [500, 2_000, 10_000]  # cents: where each bracket begins
SHARES = [30, 20, 12]  # per thousand


def payments(count):
    seed = 12_345
    for number in range(count):
        seed = (seed * 1_103_515_245 + 12_345) % 2**31
        yield number, 480 if number == 700 else 500 + seed // 65_536 % 20_000


def fee(amount):
    bracket = bisect_right(LIMITS, amount) - 1
    return amount * SHARES[bracket] // 1_000


def settle(count):
    total = 0
    for number, amount in payments(count):
        total += fee(amount)
    return total


print("fees:", settle(1_000))
