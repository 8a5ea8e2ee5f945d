// One variable of every kind that a program has, for debuggers: what each row shows is in a table of the tests.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

enum color { RED, GREEN = 5 };
enum flags { READ = 1, WRITE = 2 };

struct point {
  int x, y;
};

struct node {
  const char *name;
  struct node *next;
  struct point at;
};

union both {
  uint32_t number;
  char bytes[4];
};

struct shape {
  int kind;
  union {
    int whole;
    struct {
      short low, high;
    };
  };
  struct {
    int width, height;
  } size;
};

struct bits {
  unsigned low : 4, high : 4;
};

// As D and Nim have them: so many elements from a place on, or behind their number.
struct string {
  size_t length;
  const char *ptr;
};

struct TGenericSeq {
  long len, reserved;
};

struct NimStringDesc {
  struct TGenericSeq Sup;
  char data[];
};

struct tySequence_long {
  struct TGenericSeq Sup;
  long data[];
};

static int twice(int x) { return x * 2; }

int main(void) {
  int count = 42;
  long long big = -9000000000LL;
  unsigned char small = 200;
  size_t size = 7;
  double pi = 3.5;
  float half = 0.5f;
  bool yes = true;
  char letter = 'x';
  const char *text = "r\303\266ot";
  char buffer[16] = "buf";
  char escaped[] = "x\033y";
  char old[8] = "ab\0cd";
  wchar_t wide[] = L"wide";
  uint8_t octet = 65;
  uint8_t octets[4] = {0xde, 0xad, 0, 1};
  const char *none = NULL;
  enum color color = GREEN;
  enum flags both_flags = READ | WRITE;
  int plain[3] = {1, 2, 3};
  int grid[2][2] = {{1, 2}, {3, 4}};
  const char *words[2] = {"one", "two"};
  struct point point = {3, 4};
  struct point points[2] = {{1, 2}, {3, 4}};
  struct node leaf = {"leaf", NULL, {1, 1}};
  struct node root = {"root", &leaf, {0, 0}};
  struct node *pointer = &root;
  struct node **deep = &pointer;
  union both both = {.number = 65};
  struct shape shape = {1, {.whole = 7}, {3, 4}};
  struct bits packed = {5, 3};
  int (*function)(int) = twice;
  void *opaque = &count;
  struct string part = {5, "hello world"};
  struct string unmade = {1UL << 60, (const char *)8};
  struct NimStringDesc *told = malloc(sizeof *told + 4);
  told->Sup.len = 3;
  memcpy(told->data, "nim", 4);
  struct tySequence_long *row = malloc(sizeof *row + 3 * sizeof *row->data);
  row->Sup.len = 3;
  row->data[0] = 3, row->data[1] = 1, row->data[2] = 4;
  struct tySequence_long *no_row = NULL;
  int *heap = malloc(sizeof *heap);
  *heap = 9;
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
  printf("%d %zu\n", function(count), size);  // MARK: values
  free(heap);
  return (int)(big + small + pi + half) + yes + letter + (text == buffer) + (none == text) + color + both_flags + plain[0] +
         grid[0][0] + (words[0] == text) + point.x + points[0].x + (*deep)->at.x + (int)both.number + shape.kind + octet + octets[0] + escaped[0] + old[0] + (int)wide[0] + packed.low + (opaque == heap) + (int)part.length + (int)unmade.length + (int)told->Sup.len + (int)row->Sup.len + !no_row;
}
