// Jobs in the order in which they are due.
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    const char *name;
    unsigned due;  // seconds since 1970
} Job;

static int by_due(const void *left, const void *right) {
    const Job *a = left, *b = right;
    int order = (int)(a->due - b->due);
    return order;
}

static const Job *first(Job *jobs, size_t count) {
    qsort(jobs, count, sizeof *jobs, by_due);
    return &jobs[0];
}

int main(void) {
    Job jobs[] = {
        {"backup", 1790000000u}, {"report", 1700000000u}, {"archive", 3900000000u},
        {"index", 1650000000u},  {"renew", 1720000000u},
    };
    size_t count = sizeof jobs / sizeof jobs[0];
    printf("next: %s\n", first(jobs, count)->name);
    return 0;
}
