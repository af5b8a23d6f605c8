/* A library that is loaded with RTLD_DEEPBIND, and so allocates past the hooks. */
#include <stdlib.h>

void *foreign_malloc(size_t size) { return malloc(size); }
void foreign_free(void *block) { free(block); }
