"""A small shop checkout. Ada is a member and orders for more than 100, so she should get
5 % off as a member and 10 % off for a large order. Her bill says otherwise."""

from dataclasses import dataclass, field

LARGE_ORDER = 100.00
DISCOUNTS = {"member": 0.05, "large order": 0.10}


@dataclass
class Line:
    name: str
    price: float
    quantity: int

    def total(self):
        return self.price * self.quantity


@dataclass
class Cart:
    customer: str
    member: bool = False
    lines: list[Line] = field(default_factory=list)

    def add(self, name, price, quantity=1):
        self.lines.append(Line(name, price, quantity))

    def subtotal(self):
        return sum(line.total() for line in self.lines)


def discounts_for(cart):
    """The discounts this cart has earned."""
    earned = []
    subtotal = cart.subtotal()  # BREAK
    if cart.member:
        earned.append("member")
    if len(cart.lines) > LARGE_ORDER:
        earned.append("large order")
    return earned


def checkout(cart):
    earned = discounts_for(cart)
    total = cart.subtotal()
    for name in earned:
        total -= cart.subtotal() * DISCOUNTS[name]
    return round(total, 2)


def main():
    cart = Cart("Ada", member=True)
    cart.add("Mechanical keyboard", 89.00)
    cart.add("USB cable", 7.50, quantity=2)
    cart.add("Monitor", 149.00)

    total = checkout(cart)
    expected = round(cart.subtotal() * 0.85, 2)
    print(f"{cart.customer} orders {len(cart.lines)} things for {cart.subtotal():.2f}")
    print(f"To pay:   {total:8.2f}")
    print(f"Expected: {expected:8.2f}   <- 5 % as a member, 10 % for a large order")


if __name__ == "__main__":
    main()
