/* Three functions that take 70, 20 and 10 percent of the time, for profilers.
 *
 * usage: hot-c SECONDS [threads]
 *        hot-c rounds N      does so much and prints the seconds it took
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

#define WORK(name, share)                                              \
    __attribute__((noinline)) static unsigned name(unsigned seed,     \
                                                   int length) {        \
        for (int i = 0; i < share * length; i++) {                     \
            seed = seed * 1664525u + 1013904223u;                      \
            __asm__ volatile("" : "+r"(seed));                         \
        }                                                              \
        return seed;                                                   \
    }

WORK(seventy, 7)
WORK(twenty, 2)
WORK(ten, 1)

static double end;

/* No two are of one length: rounds in step with a sampler's clock would show it the same places again and again. */
__attribute__((noinline)) static unsigned round_of(unsigned seed) {
    int length = 1000 * (1 + (seed >> 26));
    return seventy(twenty(ten(seed, length), length), length);
}

static void *run(void *unused) {
    (void)unused;
    unsigned seed = 1;
    while (now() < end) {
        seed = round_of(seed);
    }
    printf("%u\n", seed);
    return NULL;
}

int main(int argc, char **argv) {
    if (argc > 2 && strcmp(argv[1], "rounds") == 0) {
        unsigned seed = 1;
        double begin = now();
        for (int i = atoi(argv[2]); i > 0; i--) {
            seed = round_of(seed);
        }
        printf("%.6f %u\n", now() - begin, seed);
        return 0;
    }
    end = now() + (argc > 1 ? atof(argv[1]) : 5);
    if (argc > 2 && strcmp(argv[2], "threads") == 0) {
        pthread_t other;
        pthread_create(&other, NULL, run, NULL);
        run(NULL);
        pthread_join(other, NULL);
    } else {
        run(NULL);
    }
    return 0;
}
