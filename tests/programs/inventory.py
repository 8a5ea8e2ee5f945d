"""A warehouse, for debuggers: functions, a loop, nested data, exceptions, threads, children.

usage: inventory.py [stock | caught | uncaught | exit CODE | read | print N | count FILE | threads | child | exec | login]
"""

import subprocess
import sys
import threading
import time


class Address:
    def __init__(self, street, city):
        self.street = street
        self.city = city


class Supplier:
    def __init__(self, name, address):
        self.name = name
        self.address = address


def price_of(item, quantity):
    price = item["price"] * quantity  # MARK: price
    return price  # MARK: price-return


def total_of(items):
    total = 0
    for index, item in enumerate(items):
        cost = price_of(item, item["quantity"])  # MARK: loop-call
        total += cost  # MARK: loop
    return total  # MARK: total


def stock():
    supplier = Supplier("Ada & Söhne", Address("Hauptstraße 1", "Köln"))
    items = [
        {"name": "bolt", "price": 2, "quantity": 10, "supplier": supplier},
        {"name": "nut", "price": 1, "quantity": 25, "supplier": supplier},
        {"name": "gear", "price": 40, "quantity": 3, "supplier": supplier},
    ]
    nested = {"a": {"b": {"c": [1, (2, 3), {"d": None}]}}, "empty": {}, 7: "seven"}
    numbers = list(range(100_000))
    escapes = "\x1b[31mred\x1b[0m\x07 \u202eright to left"
    total = total_of(items)  # MARK: call
    print(f"total {total}")  # MARK: print
    return total, nested, numbers[-1], escapes  # MARK: stock-return


def caught():
    try:
        {}["missing"]  # MARK: raise-caught
    except KeyError as error:
        print(f"caught {error!r}")  # MARK: caught


def uncaught():
    shelf = ["bolt"]
    raise ValueError(f"no such shelf: {len(shelf)}")  # MARK: raise-uncaught


def read():
    for line in sys.stdin:
        print(f"read {line.rstrip()}", flush=True)  # MARK: read


def count(path):
    """Counts in a file until it is ended: for attach and pause, and to see that it runs on."""
    number = 0
    while True:
        number += 1  # MARK: count
        with open(path, "w") as file:
            file.write(str(number))
        time.sleep(0.01)


def threads():
    def work(name):
        for step in range(3):
            print(f"{name} step {step}")  # MARK: worker

    workers = [threading.Thread(target=work, args=(f"worker-{n}",), name=f"worker-{n}") for n in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()  # MARK: join


def login():
    user = {"name": "ada", "password": "wolf-hound-77"}
    api_key = user["password"] + "-key"
    passenger = "wolf-cub-12"
    print(f"login with password={user['password']} for passenger={passenger}", flush=True)
    return user, api_key, passenger  # MARK: login


def main():
    mode, *rest = sys.argv[1:] or ["stock"]
    if mode == "stock":
        stock()
    elif mode == "caught":
        caught()
    elif mode == "uncaught":
        uncaught()
    elif mode == "exit":
        sys.exit(int(rest[0]))
    elif mode == "read":
        read()
    elif mode == "print":
        for number in range(int(rest[0])):
            print(f"line {number}")
    elif mode == "count":
        count(rest[0])
    elif mode == "threads":
        threads()
    elif mode == "login":
        login()
    elif mode == "child":
        print("child exited", subprocess.call([sys.executable, __file__, "stock"]))
    elif mode == "exec":
        import os

        os.execv(sys.executable, [sys.executable, __file__, "stock"])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()  # MARK: main
