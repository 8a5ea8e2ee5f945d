// One variable of every kind that a program has, for debuggers: what each row shows is in a table of the tests.
#include <any>
#include <array>
#include <atomic>
#include <bitset>
#include <chrono>
#include <complex>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stack>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

struct Order {
  int id;
  std::string customer;
  double price;
};

struct Node {
  std::string name;
  std::vector<Node> kids;
  Node *up = nullptr;
};

struct Base {
  virtual ~Base() = default;
  int base = 1;
};

struct Derived : Base {
  int own = 2;
};

enum Color { RED, GREEN };
enum class Level { Low, High };

union Both {
  int number;
  char bytes[4];
};

struct Bits {
  unsigned low : 3;
  unsigned high : 5;
};

int main() {
  int count = 42;
  bool yes = true;
  char letter = 'x';
  double pi = 3.5;
  const char *text = "hello";
  char buffer[8] = "buf";
  Color color = GREEN;
  Level level = Level::High;
  std::string owned = "röot";
  std::string zero("a\0b", 3);
  std::string_view view = owned;
  std::string_view part("hello world", 5);
  std::vector<int> list = {3, 1, 2};
  std::vector<Order> orders;
  for (int i = 0; i < 100; i++) orders.push_back({i, "cust" + std::to_string(i), i * 1.5});
  std::array<int, 3> array = {1, 2, 3};
  int plain[3] = {1, 2, 3};
  std::deque<int> queue = {1, 2};
  std::list<int> linked = {1, 2};
  std::forward_list<int> forward = {1, 2};
  std::set<int> sorted = {1, 2};
  std::unordered_set<int> set = {5};
  std::map<std::string, int> map = {{"a", 1}};
  std::multimap<int, int> multi = {{1, 2}};
  std::unordered_map<std::string, std::vector<int>> hashed = {{"x", {4, 5}}};
  std::pair<int, std::string> pair = {1, "one"};
  std::tuple<int, std::string, double> tuple = {1, "two", 3.0};
  std::optional<int> some = 5;
  std::optional<int> nothing;
  std::variant<int, std::string> variant = std::string("var");
  std::any any = 7;
  std::unique_ptr<int> up = std::make_unique<int>(7);
  std::unique_ptr<Order> none;
  std::shared_ptr<Order> shared = std::make_shared<Order>(Order{2, "two", 3.0});
  std::weak_ptr<Order> weak = shared;
  std::atomic<int> atomic{6};
  std::chrono::milliseconds pause{1500};
  std::filesystem::path path = "/tmp/x";
  std::complex<double> complex{1, 2};
  std::bitset<4> bits{5};
  std::span<int> span{list};
  std::function<int(int)> function = [count](int x) { return x + count; };
  Node root{"root", {{"leaf", {}, nullptr}}, nullptr};
  Order order = orders[3];
  Order &reference = order;
  Order *pointer = &order;
  const int &counted = count;
  Derived derived;
  Base *base = &derived;
  std::unique_ptr<Base> kind = std::make_unique<Derived>();
  std::stack<int> pile(std::deque<int>{1, 2});
  std::chrono::system_clock::time_point when{std::chrono::seconds(1700000000)};
  Both both{65};
  Bits packed{5, 3};
  int Order::*member = &Order::id;
  void *opaque = &count;
  std::printf("%d\n", function(1));
  std::printf("%d\n", count);  // MARK: values
  opaque = &count;  // MARK: conditions
  opaque = &count;
  opaque = &count;
  opaque = &count;
  opaque = &count;
  opaque = &count;
  opaque = &count;
  opaque = &count;
  opaque = &count;
  opaque = &count;
  opaque = &count;
  opaque = &count;
  opaque = &count;
  opaque = &count;
  opaque = &count;
  opaque = &count;
  opaque = &count;
  opaque = &count;
  opaque = &count;
  opaque = &count;
  for (int round = 0; round < 300; round++) {
    opaque = &round;  // MARK: rounds
  }
  return (yes ? 0 : 1) + (letter == 'y') + (pi < 0) + (text == buffer) + (view.size() == 99) + (plain[0] == 9) +
         (color == RED && level == Level::Low) + (any.has_value() && none) + (pointer == nullptr) + (opaque == nullptr) +
         (reference.*member < 0) + (base == nullptr) + both.number * 0 + packed.low * 0 + (complex.real() < 0);
}
