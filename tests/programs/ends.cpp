// Ways in which a program ends that tells why, for debuggers.
// usage: ends-cpp [throw | assert | free]
#undef NDEBUG
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

static int shelf(int number) {
  if (number > 3) throw std::runtime_error("no such shelf");  // MARK: throw
  return number;
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
  if (std::strcmp(how, "assert") == 0) assert(count == 3);  // MARK: assert
  char *twice = static_cast<char *>(std::malloc(8));
  std::free(twice);
  std::free(twice);  // MARK: free
  return count;
}
