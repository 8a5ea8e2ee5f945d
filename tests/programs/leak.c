/* Keeps memory: for each number of kilobytes that it reads, it takes that much in blocks of different sizes, fills them, forgets
   them, and says how many bytes it has taken in all. "exit" ends it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *volatile last;

int main(void) {
    char line[64];
    size_t taken = 0;
    printf("ready\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "exit", 4) == 0) {
            return 0;
        }
        size_t left = (size_t)atol(line) << 10;
        while (left > 0) {
            /* Some go to the heap, some are mapped by themselves. */
            size_t size = rand() % 50 == 0 ? 200000 : 200 + rand() % 4000;
            if (size > left) {
                size = left;
            }
            last = malloc(size);
            if (last == NULL) {
                return 1;
            }
            memset(last, 1, size);
            left -= size;
            taken += size;
        }
        printf("%zu\n", taken);
        fflush(stdout);
    }
    return 0;
}
