// Values to look at as data.
#include <list>
#include <map>
#include <string>
#include <vector>

struct Order {
    int id;
    std::string customer;
    double price;
};

int main() {
    std::vector<Order> orders;
    for (int i = 0; i < 120; i++) {
        orders.push_back({i, "cust" + std::to_string(i), i * 1.5});
    }
    std::map<std::string, int> counts{{"a", 1}, {"b", 2}};
    std::vector<double> line{1, 4, 2.5};
    Order plain[3] = {{1, "x", 2}, {2, "y", 3}, {3, "z", 4}};
    std::vector<Order *> chosen{&orders[1], &orders[2]};
    std::vector<std::list<int>> grid{{1, 2}, {}, {3}};
    int done = static_cast<int>(orders.size() + counts.size() + line.size() + chosen.size()) + plain[0].id + grid[0].front();
    return done > 0 ? 0 : 1; // MARK: stop
}
