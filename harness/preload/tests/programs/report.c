/* Says whether the hooks count and what is inherited. */
#include "check.h"
#pragma weak highwater_python_attach

int main(void) {
    highwater_reading out;
    const char *preload = getenv("LD_PRELOAD"), *asked = getenv("HIGHWATER_PRELOAD");
    printf("read %d canary %d preload %s asked %s attach %d\n",
           highwater_read ? highwater_read(&out) : 1, highwater_canary ? highwater_canary() : 1, preload ? preload : "-", asked ? asked : "-",
           highwater_python_attach ? highwater_python_attach() : 1);
    return 0;
}
