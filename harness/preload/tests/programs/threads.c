/* 20,000 threads, one after the other and in groups: exact, and no memory per thread that was. */
#include "check.h"
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 20000, GROUP = 20 };

static pthread_key_t late_key;

/* Allocates after this thread's counters were given back. */
static void late(void *block) {
    free(block);
    free(malloc(50));
}

static void *work(void *unused) {
    void *volatile block = malloc(100);
    free(block);
    pthread_setspecific(late_key, malloc(200));
    return unused;
}

static void *leave_one(void *unused) {
    (void)unused;
    return malloc(1000);
}

static long resident_kib(void) {
    char text[4096];
    int file = open("/proc/self/status", O_RDONLY);
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = 0;
    char *line = strstr(text, "VmRSS:");
    return line ? atol(line + 6) : -1;
}

static void run(int groups, int size) {
    pthread_t threads[GROUP];
    for (int group = 0; group < groups; group++) {
        for (int i = 0; i < size; i++)
            pthread_create(&threads[i], NULL, work, NULL);
        for (int i = 0; i < size; i++)
            pthread_join(threads[i], NULL);
    }
}

int main(void) {
    pthread_key_create(&late_key, late);
    run(10, GROUP); /* stacks and the like, once */
    highwater_reading start = reading();
    long resident = resident_kib();
    run(THREADS / 2, 1);
    run(THREADS / 2 / GROUP, GROUP);
    highwater_reading end = reading();
    /* The C library keeps the thread-local storage of some stacks for later threads. */
    EXPECT("live after threads", llabs(end.live - start.live) < 10000, 1);
    EXPECT("allocations by threads", end.allocations - start.allocations >= 3 * THREADS, 1);
    EXPECT("KiB after threads", resident_kib() - resident < 1024, 1);

    /* A block that outlives its thread is freed by another. */
    start = reading();
    pthread_t thread;
    void *block;
    pthread_create(&thread, NULL, leave_one, NULL);
    pthread_join(thread, &block);
    EXPECT("left by a thread", reading().live - start.live, 1000);
    free(block);
    EXPECT("freed by another", reading().live - start.live, 0);
    EXPECT("lost", end.lost, 0);
    if (!failures)
        printf("exact\n");
    return failures != 0;
}
