// Orders from a pool of slots that are used again.
#include <cstdio>
#include <string>
#include <vector>

struct Order {
    int number;
    int cents;
    int discount;  // in percent
    bool open;
};

class Pool {
public:
    Order *take(int number, int cents) {
        for (Order &slot : slots_) {
            if (!slot.open) {
                slot.number = number;
                slot.cents = cents;
                slot.open = true;
                return &slot;
            }
        }
        return nullptr;
    }
    void give_back(Order *order) { order->open = false; }

private:
    std::vector<Order> slots_ = std::vector<Order>(4);
};

static int to_pay(const Order &order) {
    return order.cents - order.cents * order.discount / 100;
}

static int day(Pool &pool) {
    int total = 0;
    for (int number = 1; number <= 6; number++) {
        Order *order = pool.take(number, 1000 * number);
        if (number == 2) {
            order->discount = 35;
        }
        total += to_pay(*order);
        if (number % 2 == 0) {
            pool.give_back(order);
        }
    }
    return total;
}

int main() {
    Pool pool;
    std::printf("total: %d\n", day(pool));
}
