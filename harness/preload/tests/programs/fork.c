/* Children that are forked amid allocating threads: none hangs, and the parent counts on. */
#include "check.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, FORKS = 400 };

static atomic_int is_over;

static void *churn(void *seed) {
    void *slots[512] = {0};
    unsigned x = (unsigned)(size_t)seed * 2654435761u + 1;
    while (!is_over) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        free(slots[x % 512]);
        slots[x % 512] = malloc(16 + x % 2000);
    }
    for (int i = 0; i < 512; i++)
        free(slots[i]);
    return NULL;
}

static void in_child(void) {
    void *blocks[200];
    alarm(20); /* a hang ends by this signal */
    highwater_reading start = reading();
    for (int i = 0; i < 200; i++)
        blocks[i] = malloc(16 + i * 13);
    for (int i = 0; i < 200; i++)
        free(blocks[i]);
    highwater_reading end = reading();
    _exit(end.live != start.live || highwater_mark(4, 0, NULL) != -10 /* ECHILD */);
}

int main(int argc, char **argv) {
    (void)argc;
    EXPECT("record", highwater_record_create(argv[1], 8, "fork", "fork", "python", 1, 1, 0, "{}"), 0);
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, churn, (void *)(i + 1));
    int wrong = 0, hung = 0;
    for (int i = 0; i < FORKS && hung < 3; i++) {
        pid_t child = fork();
        if (child == 0)
            in_child();
        int status = 0;
        waitpid(child, &status, 0);
        hung += WIFSIGNALED(status);
        wrong += WIFEXITED(status) && WEXITSTATUS(status);
    }
    is_over = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    EXPECT("hung or crashed children", hung, 0);
    EXPECT("children that count wrong or write", wrong, 0);
    EXPECT("mark", highwater_mark(4, 0, NULL), 0);
    EXPECT("finish", highwater_finish(), 0);
    if (!failures)
        printf("no hangs\n");
    return failures != 0;
}
