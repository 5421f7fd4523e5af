// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of items, for the control code of the examples: each gives 0, or 1 after a message.
#ifndef FILES_H
#define FILES_H

#include <stddef.h>
#include <stdio.h>

static inline int read_items(FILE *f, const char *path, void *items, size_t count, size_t size)
{
    if (f != NULL && fread(items, size, count, f) == count)
        return 0;
    fprintf(stderr, "error: '%s' is not a readable file with %zu more items of %zu bytes\n", path, count, size);
    return 1;
}

static inline int write_items(const char *path, const void *items, size_t count, size_t size)
{
    FILE *f = fopen(path, "wb");
    int ok = f != NULL && fwrite(items, size, count, f) == count;
    if (f != NULL && fclose(f) != 0)
        ok = 0;
    if (!ok)
        fprintf(stderr, "error: cannot write '%s'\n", path);
    return !ok;
}

#endif
