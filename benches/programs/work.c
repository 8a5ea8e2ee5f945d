/* What the benchmarks debug: six frames over a loop, a flood of output, a long list.
 *
 * usage: work-c [steps | flood N | list]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    char name[16];
    int number;
    int children[2];
    struct node *next;
};

static int loop(int start, int *items) {
    int total = 0;
    const char *text = "hello world";
    double ratio = start / 7.0;
    struct node node = {"node", start, {start + 1, start + 2}, NULL};
    unsigned char data[3] = {0, 1, 2};
    for (int turn = 0; turn < 4000; turn++) {
        total += turn; /* MARK: loop */
        items[turn % 50] = total % 1000 + node.number + data[1] + (int)ratio + text[0];
    }
    return total;
}

static int third(int start) {
    int items[50] = {0};
    return loop(start, items);
}

static int second(int start) {
    int extra = 2;
    return third(start + extra);
}

static int first(int start) {
    int depth = 1;
    return second(start + depth);
}

static int steps(void) {
    int value = first(40);
    printf("done %d\n", value);
    return 0;
}

static int flood(int lines) {
    for (int line = 0; line < lines; line++) {
        printf("line %07d the quick brown fox jumps over the lazy dog\n", line);
    }
    return 0;
}

static int list(void) {
    int numbers[100000];
    for (int index = 0; index < 100000; index++) {
        numbers[index] = index;
    }
    return numbers[99999] == 0; /* MARK: list */
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "steps";
    if (strcmp(mode, "flood") == 0) return flood(argc > 2 ? atoi(argv[2]) : 1000000);
    if (strcmp(mode, "list") == 0) return list();
    return steps();
}
