/* Interpreters that are none, or not one that is known: attaching is refused. Linked with -rdynamic,
 * so that the library finds these functions as it finds an interpreter's. */
#include "check.h"
#pragma weak highwater_python_attach

static const char *version;
static int is_initialised;

const char *Py_GetVersion(void) { return version; }
int Py_IsInitialized(void) { return is_initialised; }

int main(void) {
    static const struct {
        const char *version;
        int is_initialised, result;
    } cases[] = {
        {"3.11.7 (main, Dec  8 2023)", 0, -3},
        {"3.8.18 (default, Aug 25 2023)", 1, -4},
        {"3.15.0a1 (main)", 1, -4},
        {"2.7.18 (default)", 1, -4},
        {"31.1", 1, -4},
        {"", 1, -4},
        {"3.13.0 experimental free-threading build (main, Oct  7 2024)", 1, -5},
        {"3.14.0 free-threading build (main, Oct  7 2025)", 1, -5},
        /* A version that is known, but no allocator functions. */
        {"3.9.2 (default)", 1, -2},
        {"3.14.0+ (main)", 1, -2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        version = cases[i].version;
        is_initialised = cases[i].is_initialised;
        EXPECT(version, highwater_python_attach(), cases[i].result);
    }
    if (!failures)
        printf("refused\n");
    return failures != 0;
}
