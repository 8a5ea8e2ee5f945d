"""Twelve programs, each with one fault, and how somebody comes to it who knows the source and what was complained of, and no more.

A case is a story of hypotheses: what is suspected first, what is looked at for it, what that leads to. All three ways tell the same story:
a round is one hypothesis, and asks only for what a look at that place would be for. A round follows only where the one before does not
name the faulty value yet. Where a breakpoint has a condition, so has the print.
"""

from dataclasses import dataclass, field
from typing import Callable


@dataclass
class Case:
    name: str
    language: str
    # The source in `programs`; what is started, where that is something else; how it is built.
    source: str
    complaint: str
    # The faulty value: a name, what it is, a part of the line that makes it so or shows it.
    variable: str
    value: str
    line: str
    # By MCP: the story.
    mcp: Callable
    # By prints: in each round (part of a line, before or after it, what is put there).
    prints: list
    # By `run`: in each round the options; `{part of a line}` in them stands for its place.
    run: list
    # How it is written in what is read, by way: the last of them at the end, and not before.
    seen: dict = field(default_factory=dict)
    program: str = ""
    build: list = field(default_factory=list)
    start: list = field(default_factory=list)


def fees(agent):
    # Which payment gets a bracket that there is none for?
    agent.stop_at("return amount * SHARES", condition="not 0 <= bracket < len(SHARES)")
    agent.launch()
    # Which payment is that?
    agent.look("number", frame="settle")


def tags(agent):
    # Which counts is July's tag taken from?
    agent.stop_at("return max(sorted(counts)")
    agent.launch()
    agent.resume()
    # June's have May's tags among them: were they there before June was counted?
    agent.stop_at("words = chain")
    agent.resume()


def shipping(agent):
    # Which parcel has no price?
    agent.stop_at("return base + 0.5", condition="base <= 0")
    agent.launch()
    # Zone 3 has none: what does its line say?
    agent.stop_at("return 0.0")
    agent.restart()


def sensor(agent):
    # What is divided by what?
    agent.stop_at("(double)mean->sum")
    agent.launch()
    # A thousand samples of 100 are no 31,457: when does the sum become smaller?
    agent.stop_at("return mean->count", condition="mean->sum < sample")
    agent.restart()


def orders(agent):
    # Which orders have a discount?
    agent.stop_at("return order.cents", condition="order.discount != 0")
    agent.launch()
    agent.resume()
    # Nobody gave one to order 3: does its slot come with it?
    agent.stop_at("return &slot", condition="number == 3")
    agent.restart()
    agent.resume()


def queue(agent):
    # Which two are compared the wrong way round?
    agent.stop_at("return order;", condition="(a->due > b->due) != (order > 0)")
    agent.launch()


def crews(agent):
    # Is the late crew made wrong, or changed later?
    agent.stop_at("night := with")
    agent.launch()
    agent.step()


def timeouts(agent):
    # What is divided by what?
    agent.stop_at("c.patience / c.pause")
    agent.launch()


def stock(agent):
    # Which shelf is it, and how does it come to have no map? Go stops where a panic is raised.
    agent.launch()
    agent.resume()


def account(agent):
    # What is overwritten by what?
    agent.stop_at("store.balance = balance;")
    agent.launch()
    agent.resume()


def prices(agent):
    # What does one piece cost in the order that is wrong?
    agent.stop_at("total += each * count", condition="order.currency === 'SEK'")
    agent.launch()


def members(agent):
    # Which member has a plan that is none?
    agent.stop_on_exceptions("uncaught")
    agent.launch()


C = ["cc", "-g", "-O0", "-o"]
CPP = ["c++", "-std=c++17", "-g", "-O0", "-o"]

CASES = [
    Case(
        "fees", "Python", "fees.py", "the fees are 9 cents less than by hand",
        "bracket", "-1, of payment 700", "bracket = bisect_right",
        fees,
        prints=[
            [("return amount * SHARES", "before", "if not 0 <= bracket < len(SHARES): print(f'{amount=} {bracket=}')")],
            [("total += fee(amount)", "before", "if amount < LIMITS[0]: print(f'{number=} {amount=}')")],
        ],
        run=[
            ["-b", "{return amount * SHARES}?not 0 <= bracket < len(SHARES)", "--max-stops", "1"],
            ["-b", "{total += fee(amount)}?amount < LIMITS[0]", "--max-stops", "1"],
        ],
        seen={
            "mcp": [r"bracket = -1\b", r"Result: 700\b"],
            "prints": [r"bracket=-1\b", r"number=700\b"],
            "run": [r'"bracket":\{[^}]*"value":-1\b', r'"number":\{[^}]*"value":700\b'],
        },
    ),
    Case(
        "tags", "Python", "tags.py", "July's tag is python, and no article of July has it",
        "counts", "{'rust': 2, …} before anything is counted", "def count_tags(articles, counts={})",
        tags,
        prints=[
            [("return max(sorted(counts)", "before", "print(f'{articles=} {counts=}')")],
            [("words = chain", "before", "print(f'{counts=}')")],
        ],
        run=[
            ["-b", "{return max(sorted(counts)}"],
            ["-b", "{words = chain}#3", "--max-stops", "1"],
        ],
        seen={
            "mcp": [r"(?s)-> .* words = chain.*counts = \{'rust': 2, 'terminal': 1, 'python': 3"],
            "prints": [r"(?m)^counts=\{'rust': 2, 'terminal': 1, 'python': 3"],
            "run": [r'"function":"count_tags".*"counts":.*python'],
        },
    ),
    Case(
        "shipping", "Python", "shipping.py", "the bill is 22.40 too low",
        "price", "'11,20', for which 0.0 is taken", "zone 3 = 11,20",
        shipping,
        prints=[
            [("return base + 0.5", "before", "print(f'{parcel=} {base=}')")],
            [("return 0.0", "before", "print(f'{price=}')")],
        ],
        run=[
            ["-b", "{return base + 0.5}?base <= 0", "--max-stops", "1"],
            ["-b", "{return 0.0}", "--max-stops", "1"],
        ],
        seen={"mcp": [r"price = '11,20'"], "prints": [r"price='11,20'"], "run": [r'"price":\{[^}]*11,20']},
    ),
    Case(
        "sensor", "C", "sensor.c", "the mean of a thousand samples of about 100 is printed as 31.5",
        "mean->sum", "29, after 65475", "mean->sum += sample",
        sensor,
        prints=[
            [("(double)mean->sum", "before", 'fprintf(stderr, "sum %u count %u\\n", mean->sum, mean->count);')],
            [("return mean->count", "before", 'if (mean->sum < sample) fprintf(stderr, "sum %u sample %u count %u\\n", mean->sum, sample, mean->count);')],
        ],
        run=[
            ["-b", "{(double)mean->sum}", "-e", "mean->sum", "-e", "mean->count", "--max-stops", "1"],
            ["-b", "{return mean->count}?mean->sum < sample", "-e", "mean->sum", "--max-stops", "1"],
        ],
        seen={"mcp": [r"count: 676, sum: 29\b"], "prints": [r"sum 29 sample 90\b"], "run": [r'"mean->sum":\{"result":"29"']},
        program="sensor", build=[*C, "sensor", "sensor.c"], start=["./sensor"],
    ),
    Case(
        "orders", "C++", "orders.cpp", "order 3 has no discount and costs less than its price",
        "slot.discount", "35 in a slot that is handed out anew", "slot.open = true",
        orders,
        prints=[
            [("return order.cents", "before", 'if (order.discount) fprintf(stderr, "order %d discount %d\\n", order.number, order.discount);')],
            [("return &slot", "before", 'if (number == 3) fprintf(stderr, "taken: discount %d\\n", slot.discount);')],
        ],
        run=[
            ["-b", "{return order.cents}?order.discount != 0", "--max-stops", "2"],
            ["-b", "{return &slot}?number == 3", "--max-stops", "1"],
        ],
        seen={"mcp": [r"slot = Order \{number: 3, cents: 3000, discount: 35\b"], "prints": [r"taken: discount 35\b"], "run": [r'"slot":\{"type":"Order &","value":\{.*"discount":\{"type":"int","value":35\b']},
        program="orders", build=[*CPP, "orders", "orders.cpp"], start=["./orders"],
    ),
    Case(
        "queue", "C", "queue.c", "the next job is archive, which is due last",
        "order", "negative where a is due after b", "int order = (int)(a->due - b->due)",
        queue,
        prints=[[("return order;", "before", 'if ((a->due > b->due) != (order > 0)) fprintf(stderr, "a %u b %u order %d\\n", a->due, b->due, order);')]],
        run=[["-b", "{return order;}?(a->due > b->due) != (order > 0)", "--max-stops", "1"]],
        seen={"mcp": [r"order = -2044967296\b"], "prints": [r"order -2044967296\b"], "run": [r'"order":\{[^}]*"value":-2044967296\b']},
        program="queue", build=[*C, "queue", "queue.c"], start=["./queue"],
    ),
    Case(
        "crews", "Go", "crews/main.go", "the late crew has Timo in it, not Maja",
        "late", "[Ada Ben Cleo Timo], after [Ada Ben Cleo Maja]", 'night := with(base, "Timo")',
        crews,
        prints=[[
            ("night := with", "before", 'fmt.Println("before:", late)'),
            ("night := with", "after", 'fmt.Println("after:", late)'),
        ]],
        run=[["-b", "{night := with}", "-s", "1", "--capture-each-step", "--max-stops", "1"]],
        seen={"mcp": [r'late = .*"Timo"\] \[ref=\d+\]  \(was .*"Maja"'], "prints": [r"after: \[Ada Ben Cleo Timo\]"], "run": [r'"modified":\{"late"']},
        start=["go", "run", "./crews"],
    ),
    Case(
        "timeouts", "Go", "timeouts/main.go", "there are 15000 attempts where 15 would be right",
        "c.pause", "2000000 ns, and it is meant to be 2 s", "time.Millisecond",
        timeouts,
        prints=[[("c.patience / c.pause", "before", "fmt.Println(c.patience, c.pause)")]],
        run=[["-b", "{c.patience / c.pause}", "--max-stops", "1"]],
        seen={"mcp": [r"pause: 2000000\b"], "prints": [r"30s 2ms"], "run": [r'"pause":\{[^}]*"value":2000000\b']},
        start=["go", "run", "./timeouts"],
    ),
    Case(
        "stock", "Go", "stock/main.go", "panic: assignment to entry in nil map, in put",
        "place.items", "nil, since place.room is 0", "if room > 0",
        stock,
        prints=[[("place.items[item] += count", "before", "if place.items == nil { fmt.Println(name, place.room) }")]],
        run=[["--break-on-exception", "unrecovered-panic", "--max-stops", "1"]],
        seen={"mcp": [r"place = .*room: 0, items: .*nil"], "prints": [r"shelf 5 0\b"], "run": [r'"room":\{[^}]*"value":0\b']},
        start=["go", "run", "./stock"],
    ),
    Case(
        "account", "JavaScript", "account.js", "90 are left of 100 after 40, 25 and 10 were taken",
        "balance", "75, which overwrites 60", "const balance = await read()",
        account,
        prints=[[("store.balance = balance;", "before", "console.log(store.balance, '->', balance);")]],
        run=[["-b", "{store.balance = balance;}", "-e", "store.balance", "--max-stops", "2"]],
        seen={"mcp": [r"(?s)balance = 75\b.*store = \{balance: 60\}"], "prints": [r"60 -> 75\b"], "run": [r'"store.balance":\{"result":"60"']},
    ),
    Case(
        "prices", "JavaScript", "prices.js", "the order in SEK costs 337, a tenth of what it should",
        "each", "95, the price in EUR", "const key = item",
        prices,
        prints=[
            [("total += each * count", "before", "if (order.currency === 'SEK') console.log(item, each);")],
            [("return known.get(key)", "before", "if (currency === 'SEK') console.log(key, known);")],
        ],
        run=[["-b", "{total += each * count}?order.currency === 'SEK'", "--max-stops", "1"]],
        seen={"mcp": [r"(?s)each = 95\b.*known = Map\(3\).*chair => 95\b"], "prints": [r"chair Map\(3\) .*'chair' => 95\b"], "run": [r'"each":\{[^}]*"value":95\b']},
    ),
    Case(
        "members", "JavaScript", "members.js", "TypeError: Cannot read properties of undefined (reading 'price'), in due",
        "member.plan", "'plus ', with a space behind it", "const [id, plan, months]",
        members,
        prints=[[("return plan.price", "before", "if (!plan) console.log(member);")]],
        run=[["--break-on-exception", "uncaught", "--max-stops", "1"]],
        seen={"mcp": [r"member = \{id: 613, plan: 'plus '"], "prints": [r"\{ id: 613, plan: 'plus '"], "run": [r"'plus '"]},
    ),
]
