/* Blocks that cross the border to a library which allocates past the hooks. */
#define _GNU_SOURCE
#include "check.h"
#include <dlfcn.h>
#include <string.h>

enum { COUNT = 1000, SIZE = 1000 };

int main(int argc, char **argv) {
    (void)argc;
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_DEEPBIND);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    void *(*foreign_malloc)(size_t) = (void *(*)(size_t))dlsym(library, "foreign_malloc");
    void (*foreign_free)(void *) = (void (*)(void *))dlsym(library, "foreign_free");

    highwater_reading start = reading();
    for (int i = 0; i < COUNT; i++) {
        char *block = foreign_malloc(SIZE);
        memset(block, 0xAB, SIZE);
        if (i % 2)
            block = realloc(block, 2 * SIZE);
        free(block);
    }
    highwater_reading end = reading();
    EXPECT("foreign blocks freed here", end.live - start.live, 0);
    EXPECT("foreign blocks freed here", end.blocks - start.blocks, 0);

    /* Each block dies unseen and its address comes back at once: all but the last are found. */
    start = reading();
    for (int i = 0; i < COUNT; i++) {
        char *block = malloc(SIZE);
        memset(block, 0xAB, SIZE);
        foreign_free(block);
    }
    end = reading();
    EXPECT("blocks freed there", end.live - start.live, SIZE);
    EXPECT("healed", end.healed - start.healed, COUNT - 1);
    free(malloc(SIZE));
    EXPECT("after reuse", reading().live - start.live, 0);
    if (!failures)
        printf("exact\n");
    return failures != 0;
}
