/* A warehouse, for debuggers: functions, a loop, nested data, a crash, threads, a counter.
 *
 * usage: prog-c [stock | crash | exit CODE | read | print N | count FILE | threads | child | exec]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct address {
    const char *street;
    const char *city;
};

struct item {
    const char *name;
    int price;
    int quantity;
    struct address from;
    struct item *next;
};

static int numbers[100000];
static int hits;

static int price_of(const struct item *item) {
    int price = item->price * item->quantity; /* MARK: price */
    return price;                             /* MARK: price-return */
}

static int total_of(const struct item *first) {
    int total = 0;
    for (const struct item *item = first; item != NULL; item = item->next) {
        int cost = price_of(item); /* MARK: loop-call */
        total += cost;             /* MARK: loop */
        hits++;
    }
    return total; /* MARK: total */
}

static int stock(void) {
    struct address street = {"Main Street 1", "Arlington"};
    struct item gear = {"gear", 40, 3, street, NULL};
    struct item nut = {"nut", 1, 25, street, &gear};
    struct item bolt = {"bolt", 2, 10, street, &nut};
    double ratio = 0.25;
    char text[32] = "caf\xc3\xa9";
    for (int i = 0; i < 100000; i++) {
        numbers[i] = i;
    }
    int total = total_of(&bolt);              /* MARK: call */
    printf("total %d\n", total);              /* MARK: print */
    return total > 0 && ratio > 0 ? 0 : *text; /* MARK: stock-return */
}

static int crash(void) {
    volatile int *nowhere = NULL;
    *nowhere = 7; /* MARK: crash */
    return 0;
}

static int read_lines(void) {
    char line[256];
    while (fgets(line, sizeof line, stdin) != NULL) {
        printf("read %s", line); /* MARK: read */
        fflush(stdout);
    }
    return 0;
}

/* Counts in a file until it is ended: for attach and pause, and to see that it runs on. */
static int count(const char *path) {
    for (long number = 1;; number++) {
        FILE *file = fopen(path, "w"); /* MARK: count */
        if (file == NULL) {
            return 1;
        }
        fprintf(file, "%ld", number);
        fclose(file);
        usleep(10000);
    }
}

static void *work(void *name) {
    for (int step = 0; step < 3; step++) {
        printf("%s step %d\n", (const char *)name, step); /* MARK: worker */
    }
    return NULL;
}

static int threads(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, work, "worker-0");
    pthread_create(&second, NULL, work, "worker-1");
    pthread_join(first, NULL); /* MARK: join */
    pthread_join(second, NULL);
    return 0;
}

static int child(void) {
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        execl("/proc/self/exe", "prog", "stock", (char *)NULL);
        _exit(1);
    }
    waitpid(pid, &status, 0);
    printf("child exited %d\n", WEXITSTATUS(status));
    return 0;
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "stock"; /* MARK: main */
    const char *argument = argc > 2 ? argv[2] : "";
    if (strcmp(mode, "stock") == 0) return stock();
    if (strcmp(mode, "crash") == 0) return crash();
    if (strcmp(mode, "exit") == 0) return atoi(argument);
    if (strcmp(mode, "read") == 0) return read_lines();
    if (strcmp(mode, "count") == 0) return count(argument);
    if (strcmp(mode, "threads") == 0) return threads();
    if (strcmp(mode, "child") == 0) return child();
    if (strcmp(mode, "exec") == 0) return execl("/proc/self/exe", argv[0], "stock", (char *)NULL);
    if (strcmp(mode, "print") == 0) {
        for (int number = 0; number < atoi(argument); number++) printf("line %d\n", number);
        return 0;
    }
    fprintf(stderr, "usage: %s [stock | crash | exit CODE | read | print N | count FILE | threads | child | exec]\n", argv[0]);
    return 2;
}
