/* Allocates known amounts by functions of known names: a hundred blocks of 64 KiB and a hundred of 1 KiB, of which a quarter of all, the first
   fifty of the large ones, is freed at the end; three hundred times 256 KiB that are freed at once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *kept[200];
static int at;

__attribute__((noinline)) char *keep_large(void) {
    char *block = malloc(64 * 1024);
    memset(block, 1, 64 * 1024);
    return block;
}

__attribute__((noinline)) char *keep_small(void) {
    char *block = malloc(1024);
    memset(block, 1, 1024);
    return block;
}

__attribute__((noinline)) void pass_by(void) {
    char *block = malloc(256 * 1024);
    /* What nobody looks at would be left out by the compiler. */
    *(volatile char *)block = 1;
    free(block);
}

__attribute__((noinline)) void branch(void) {
    for (int i = 0; i < 100; i++) kept[at++] = keep_large();
    for (int i = 0; i < 100; i++) kept[at++] = keep_small();
}

int main(void) {
    branch();
    for (int i = 0; i < 300; i++) pass_by();
    for (int i = 0; i < 50; i++) free(kept[i]);
    printf("kept %d\n", at - 50);
    return 0;
}
