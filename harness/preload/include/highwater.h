/* The C interface of the preloaded tracker.
 *
 * A process has these functions when the dynamic linker loaded the library that LD_PRELOAD names;
 * look them up with dlsym(RTLD_DEFAULT, ...). Counting also needs HIGHWATER_PRELOAD in the
 * environment, with any value.
 *
 * Functions that return an int return 0 when all is well and a negative number otherwise.
 */
#ifndef HIGHWATER_H
#define HIGHWATER_H

#include <stdint.h>

/* Version of this interface: 1. A caller that knows another one must not go on. */
uint32_t highwater_abi(void);

/* Version of the library, a static string. */
const char *highwater_version(void);

/* Allocates and frees known sizes through the process's malloc, calloc, realloc and posix_memalign,
 * and C++'s operator new where there is one, and checks that the counters follow.
 *  -1 not counting: HIGHWATER_PRELOAD was not set
 *  -2 the process's malloc or free is another one
 *  -3 malloc, -4 calloc, -5 realloc, -6 posix_memalign counted wrong
 *  -7 frees counted wrong
 *  -8 operator new does not come by malloc: another preloaded allocator serves it, uncounted
 *  -9 no memory for the canary
 */
int highwater_canary(void);

/* Counts CPython's mem and obj domains from now on, and takes the library out of the environment of
 * child processes. Calling it again only checks it. The interpreter's lock may be held or not.
 *  -1 not counting: HIGHWATER_PRELOAD was not set
 *  -2 no CPython in this process
 *  -3 the interpreter is not running
 *  -4 not CPython 3.9 to 3.14
 *  -5 a free-threaded build
 *  -6 debug hooks or tracemalloc stand in front of its allocators
 *  -7 attached, but blocks of known size are counted wrong
 */
int highwater_python_attach(void);

/* Has the calling thread allocate for the UDF (0) or the harness (1) from now on; returns for whom it
 * did before. A block stays in the account that it was allocated in, whoever frees it. */
int highwater_section(int account);

/* Requested bytes, and blocks, of the UDF's account unless said otherwise. */
typedef struct {
    int64_t live;             /* bytes allocated and not freed */
    int64_t blocks;           /* the same in blocks */
    int64_t peak_window;      /* highest live since the previous reading or mark */
    int64_t peak_run;         /* highest live of the run */
    int64_t allocations;      /* allocations since counting began */
    int64_t allocated;        /* bytes of those */
    int64_t harness_live;     /* live bytes of the harness's account */
    int64_t harness_blocks;   /* the same in blocks */
    int64_t mapped;           /* bytes in anonymous mappings that the process made itself */
    int64_t python_live;      /* the part of live that Python's domains handed out since attaching */
    int64_t python_blocks;    /* the same in blocks */
    int64_t native_live;      /* the rest of live */
    int64_t peak_error_bound; /* how far peak_window may be off */
    int64_t lost;             /* events not counted: unless 0, every figure is wrong */
    int64_t healed;           /* blocks that died unseen and were taken off the books later */
    int64_t reserved[5];      /* 0 */
} highwater_reading;

/* Reads all counters and starts a new peak window. */
int highwater_read(highwater_reading *out);

/* The UDF's live bytes, without a new peak window; INT64_MIN when not counting. */
int64_t highwater_live(void);

/* The functions of the record. Their negative numbers are -errno of the failed system call, or:
 *  -EINVAL a null pointer, a number out of range      -EILSEQ a text is not UTF-8
 *  -E2BIG  a text too long for the record             -EBADF  no record was made
 *  -EEXIST a record was made before, or the file is   -ECHILD the caller is a forked child
 *  -EBUSY  another thread is in one of them           -ENOTSUP not counting
 */

/* Makes the record, and takes the library out of the environment of child processes. capacity is the
 * number of marks to reserve room for; the record grows when it must. runtime is "python" or "rust". */
int highwater_record_create(const char *path, uint64_t capacity, const char *fixture,
                            const char *udf, const char *runtime, uint32_t asked_batches,
                            uint32_t rows, uint64_t seed, const char *environment_json);

/* What the caller knows about the step before a mark; INT64_MIN where it does not. */
typedef struct {
    int64_t arrow_live, arrow_max, live_before_collect, python_blocks;
    int64_t input_bytes, output_bytes, pickled_bytes /* of the result */, duration_ns;
    int64_t pickled_state_bytes;
    int64_t reserved[7];      /* INT64_MIN */
} highwater_extra;

/* Reads all counters, starts a new peak window and appends a mark: 1 process start, 2 before setup,
 * 3 after setup, 4 after batch, 5 after drop, 6 after warm-up, and after the experiments: 7 a
 * collection of everything, 8 malloc_trim, 9 the release of Arrow's pool, 10 emptying caches that
 * were still filling. extra may be null. */
int highwater_mark(uint32_t kind, uint32_t batch, const highwater_extra *extra);

/* What the worker does now: 1 starting, 2 confidence, 3 setup, 4 batch, 5 dropping, 6 done. */
int highwater_stage(uint32_t stage, uint32_t batch);

/* Ends the record with a message, or well. */
int highwater_fail(const char *message);
int highwater_finish(void);

#endif
