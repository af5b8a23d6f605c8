/* Every allocation function: bytes and blocks as asked for, nothing left after the free. */
#define _GNU_SOURCE
#include "check.h"
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>

static highwater_reading before;
static int is_stacked; /* on an allocator that leaves errno alone */

static void counted(const char *what, void *block, long long bytes) {
    highwater_reading after = reading();
    if (!block) {
        failures++;
        fprintf(stderr, "%s: no block\n", what);
        return;
    }
    EXPECT(what, after.live - before.live, bytes);
    EXPECT(what, after.blocks - before.blocks, 1);
    EXPECT(what, after.allocations - before.allocations, 1);
    EXPECT(what, after.allocated - before.allocated, bytes);
    free(block);
    after = reading();
    EXPECT(what, after.live - before.live, 0);
    EXPECT(what, after.blocks - before.blocks, 0);
}

#define COUNTED(call, bytes)                                                                       \
    do {                                                                                           \
        before = reading();                                                                        \
        counted(#call, call, bytes);                                                               \
    } while (0)

static void *aligned(size_t alignment, size_t size) {
    void *block = NULL;
    return posix_memalign(&block, alignment, size) ? NULL : block;
}

/* A chain of resizes: after each, the last size is what lives. */
static void resizes(void) {
    static const size_t sizes[] = {1,      8,     9,     59,        60,        61,     119,  120,
                                   65535,  65536, 65537, 200000,    3u << 20,  1u << 28, 100,
                                   70000,  5,     1u << 20};
    highwater_reading start = reading();
    char *block = NULL;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        block = realloc(block, sizes[i]);
        highwater_reading now = reading();
        EXPECT("realloc", now.live - start.live, sizes[i]);
        EXPECT("realloc", now.blocks - start.blocks, 1);
    }
    free(block);
    EXPECT("realloc, freed", reading().live - start.live, 0);
}

/* The peak sees the larger of old and new, never both. */
static void resize_peak(void) {
    char *block = malloc(1000);
    highwater_reading start = reading();
    block = realloc(block, 1 << 20);
    highwater_reading now = reading();
    EXPECT("peak of a resize", now.peak_window - start.live, (1 << 20) - 1000);
    free(block);
}

static void refusals(void) {
    highwater_reading start = reading();
    volatile size_t huge = (size_t)1 << 62;
    errno = 0;
    void *block = calloc(huge, 16);
    EXPECT("calloc overflow", block == NULL && (errno == ENOMEM || is_stacked), 1);
    errno = 0;
    block = reallocarray(NULL, huge, 16);
    EXPECT("reallocarray overflow", block == NULL && (errno == ENOMEM || is_stacked), 1);
    block = malloc(huge);
    EXPECT("malloc too large", block == NULL, 1);
    char *kept = malloc(77);
    block = realloc(kept, huge);
    EXPECT("realloc too large", block == NULL, 1);
    EXPECT("realloc too large keeps the block", reading().live - start.live, 77);
    free(kept);
    EXPECT("posix_memalign of a bad alignment", posix_memalign(&block, 3, 10), EINVAL);
    free(NULL);
    highwater_reading now = reading();
    EXPECT("refused", now.live - start.live, 0);
    EXPECT("refused", now.blocks - start.blocks, 0);
}

/* glibc frees and returns null, others return a block of no size. */
static void resize_to_nothing(void) {
    highwater_reading start = reading();
    void *volatile block = malloc(100);
    block = realloc(block, 0);
    EXPECT("realloc to 0", reading().live - start.live, 0);
    free(block);
    EXPECT("realloc to 0", reading().blocks - start.blocks, 0);
}

/* Neighbours of every small size, so that two blocks never share a cell. */
static void neighbours(void) {
    enum { COUNT = 1000 };
    static void *blocks[COUNT];
    for (size_t size = 0; size <= 136; size++) {
        highwater_reading start = reading();
        for (int i = 0; i < COUNT; i++)
            blocks[i] = malloc(size);
        highwater_reading now = reading();
        EXPECT("neighbours", now.live - start.live, COUNT * size);
        for (int i = 0; i < COUNT; i += 2)
            free(blocks[i]);
        for (int i = 1; i < COUNT; i += 2)
            blocks[i] = realloc(blocks[i], size + 1);
        EXPECT("neighbours, halved", reading().live - start.live, COUNT / 2 * (size + 1));
        for (int i = 1; i < COUNT; i += 2)
            free(blocks[i]);
        now = reading();
        EXPECT("neighbours, freed", now.live - start.live, 0);
        EXPECT("neighbours, freed", now.blocks - start.blocks, 0);
    }
}

int main(int argc, char **argv) {
    is_stacked = argc > 1;
    int canary = highwater_canary();
    EXPECT("canary", canary, argc > 1 ? atoi(argv[1]) : 0);
    COUNTED(malloc(0), 0);
    COUNTED(malloc(1), 1);
    COUNTED(malloc(65536), 65536);
    COUNTED(malloc(5000000000u), 5000000000);
    COUNTED(calloc(3, 7), 21);
    COUNTED(calloc(1, 3), 3);
    COUNTED(calloc(0, 10), 0);
    COUNTED(calloc(1 << 20, 300), 300 << 20);
    COUNTED(realloc(NULL, 33), 33);
    COUNTED(reallocarray(NULL, 10, 11), 110);
    COUNTED(aligned(64, 1000), 1000);
    COUNTED(aligned(8, 4), 4);
    COUNTED(aligned_alloc(4096, 8192), 8192);
    COUNTED(memalign(256, 300), 300);
    COUNTED(memalign(1 << 21, 1 << 20), 1 << 20);
    COUNTED(valloc(5000), 5000);
    /* jemalloc has none, and would be given the C library's block to free, with or without us. */
    if (!dlsym(RTLD_DEFAULT, "malloc_stats_print"))
        COUNTED(pvalloc(5000), 5000);
    COUNTED(strdup("hello world"), 12);
    COUNTED(strndup("hello world", 5), 6);
    resizes();
    resize_peak();
    resize_to_nothing();
    refusals();
    neighbours();
    highwater_reading end = reading();
    EXPECT("lost", end.lost, 0);
    EXPECT("healed", end.healed, 0);
    char *big = malloc(100);
    EXPECT("usable size", malloc_usable_size(big) >= 100, 1);
    free(big);
    if (!failures)
        printf("exact\n");
    return failures != 0;
}
