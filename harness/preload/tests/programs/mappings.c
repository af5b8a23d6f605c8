/* Anonymous mappings: counted apart, by the page, and never as heap. */
#define _GNU_SOURCE
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096L
#define PRIVATE (MAP_PRIVATE | MAP_ANONYMOUS)
#define ACCESS (PROT_READ | PROT_WRITE)

static highwater_reading start;

static void expect(const char *what, long pages) {
    highwater_reading now = reading();
    EXPECT(what, now.mapped - start.mapped, pages * PAGE);
    EXPECT("heap", now.live - start.live, 0);
}

int main(void) {
    int file = open("/proc/self/exe", O_RDONLY);
    start = reading();
    char *a = mmap(NULL, 100 * PAGE, ACCESS, PRIVATE, -1, 0);
    expect("mapped", 100);
    char *b = mmap64(NULL, PAGE + 1, ACCESS, PRIVATE, -1, 0);
    expect("rounded up to pages", 102);
    munmap(a + 10 * PAGE, 20 * PAGE);
    expect("a part unmapped", 82);
    munmap(a, 40 * PAGE);
    expect("unmapped with a hole in it", 62);
    mmap(a + 50 * PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0);
    expect("a file over it", 61);
    mmap(a + 50 * PAGE, PAGE, ACCESS, PRIVATE | MAP_FIXED, -1, 0);
    mmap(a + 51 * PAGE, PAGE, ACCESS, PRIVATE | MAP_FIXED, -1, 0);
    expect("mapped twice", 62);
    char *c = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, file, 0);
    munmap(c, PAGE);
    expect("files", 62);
    b = mremap(b, 2 * PAGE, 50 * PAGE, MREMAP_MAYMOVE);
    expect("grown", 110);
    b = mremap(b, 50 * PAGE, 5 * PAGE, 0);
    expect("shrunk", 65);
    EXPECT("refused", mmap(NULL, 0, ACCESS, PRIVATE, -1, 0) == MAP_FAILED, 1);
    EXPECT("refused", munmap(b + 1, PAGE), -1);
    EXPECT("refused", mremap(b, 5 * PAGE, 1L << 60, 0) == MAP_FAILED, 1);
    expect("refused", 65);
    munmap(a, 100 * PAGE);
    munmap(b, 5 * PAGE);
    expect("unmapped", 0);
    a = mmap(NULL, 1L << 33, PROT_NONE, PRIVATE | MAP_NORESERVE, -1, 0);
    expect("8 GiB reserved", (1L << 33) / PAGE);
    munmap(a, 1L << 33);
    expect("8 GiB given back", 0);
    EXPECT("lost", reading().lost, 0);
    if (!failures)
        printf("exact\n");
    return failures != 0;
}
