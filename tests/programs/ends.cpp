// Ways in which a program ends that tells why, for debuggers.
// usage: ends-cpp [throw | assert | free | kinds | null | deep | abort]
#undef NDEBUG
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

static int shelf(int number) {
  if (number > 3) throw std::runtime_error("no such shelf");  // MARK: throw
  return number;
}

struct Missing : std::out_of_range {
  using std::out_of_range::out_of_range;
};

struct Refused {
  int code;
};

// One kind of exception after the other, each caught.
static void kinds() {
  for (int kind = 0; kind < 4; ++kind) {
    try {
      if (kind == 0) throw Missing("gone");
      if (kind == 1) throw Refused{7};
      if (kind == 2) throw std::string("text");
      throw 42;
    } catch (...) {
    }
  }
}

static int deep(int level) {
  char much[4096];
  much[level % 4096] = 1;
  return deep(level + 1) + much[0];  // MARK: deep
}

int main(int, char **words) {
  try {
    shelf(4);
  } catch (const std::exception &error) {
    std::printf("caught: %s\n", error.what());
  }
  const char *how = words[1];
  if (std::strcmp(how, "throw") == 0) return shelf(5);
  int count = shelf(2);
  if (std::strcmp(how, "kinds") == 0) return kinds(), 0;
  if (std::strcmp(how, "null") == 0) *reinterpret_cast<volatile int *>(0x10) = count;  // MARK: null
  if (std::strcmp(how, "deep") == 0) return deep(0);
  if (std::strcmp(how, "abort") == 0) std::abort();  // MARK: abort
  if (std::strcmp(how, "assert") == 0) assert(count == 3);  // MARK: assert
  char *twice = static_cast<char *>(std::malloc(8));
  std::free(twice);
  std::free(twice);  // MARK: free
  return count;
}
