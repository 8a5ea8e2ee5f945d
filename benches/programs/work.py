"""What the benchmarks debug: six frames over a loop, with values of several kinds."""


class Node:
    def __init__(self, number):
        self.name = f"node-{number}"
        self.number = number
        self.children = [number + 1, number + 2]


def loop(start, items):
    total = 0
    text = "hello world"
    ratio = start / 7.0
    flags = {"a": True, "b": None, "c": [1, 2, 3]}
    node = Node(start)
    data = b"\x00\x01\x02"
    for turn in range(4000):
        total += turn  # MARK: loop
        items[turn % len(items)] = total
    return total, text, ratio, flags, node, data


def third(start):
    items = list(range(50))
    return loop(start, items)


def second(start):
    extra = 2
    return third(start + extra)


def first(start):
    depth = 1
    return second(start + depth)


def main():
    value = first(40)
    print("done", value[0])


main()
