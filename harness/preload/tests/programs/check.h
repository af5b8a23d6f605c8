/* What the test programs share. The library is not linked to them: its functions are weak, and found
 * when it is preloaded. */
#include "highwater.h"
#pragma weak highwater_canary
#pragma weak highwater_section
#pragma weak highwater_read
#pragma weak highwater_record_create
#pragma weak highwater_mark
#pragma weak highwater_finish
#include <stdio.h>
#include <stdlib.h>

static int failures __attribute__((unused));

static inline highwater_reading reading(void) {
    highwater_reading out;
    int error = highwater_read(&out);
    if (error) {
        fprintf(stderr, "highwater_read: %d\n", error);
        exit(2);
    }
    return out;
}

#define EXPECT(what, got, want)                                                                    \
    do {                                                                                           \
        long long got_ = (long long)(got), want_ = (long long)(want);                              \
        if (got_ != want_) {                                                                       \
            failures++;                                                                            \
            fprintf(stderr, "%s: got %lld, want %lld\n", what, got_, want_);                       \
        }                                                                                          \
    } while (0)
