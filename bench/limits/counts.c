// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linked to an instrumented program: what it counted goes to the file that LIMITS_COUNTS names, when it ends. Copies by
// memcpy, memmove and memset, whose instructions are the C library's, are counted by their bytes.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const uint64_t limits_blocks, limits_entries;
extern uint64_t limits_counts[], limits_left, limits_places[], limits_places_left;
extern uint32_t limits_ring[];
static uint64_t copied, set;

void *__real_memcpy(void *to, const void *from, size_t n);
void *__real_memmove(void *to, const void *from, size_t n);
void *__real_memset(void *to, int value, size_t n);

void *__wrap_memcpy(void *to, const void *from, size_t n);
void *__wrap_memmove(void *to, const void *from, size_t n);
void *__wrap_memset(void *to, int value, size_t n);

void *__wrap_memcpy(void *to, const void *from, size_t n)
{
    copied += n;
    return __real_memcpy(to, from, n);
}

void *__wrap_memmove(void *to, const void *from, size_t n)
{
    copied += n;
    return __real_memmove(to, from, n);
}

void *__wrap_memset(void *to, int value, size_t n)
{
    set += n;
    return __real_memset(to, value, n);
}

// Numbers of 64 bits: how many blocks, the bytes copied and set, each block's turns; how many of the last places in
// memory follow, and these; how many of the last turns follow, and, 32 bits each, their blocks. The rings have them
// backwards, the last one at `left`.
__attribute__((destructor)) static void write_counts(void)
{
    const char *path = getenv("LIMITS_COUNTS");
    FILE *file = path == NULL ? NULL : fopen(path, "wb");
    if (file == NULL)
        return;
    uint64_t turns = 0;
    for (uint64_t i = 0; i < limits_blocks; i++)
        turns += limits_counts[i];
    uint64_t known = turns < limits_entries ? turns : limits_entries;
    fwrite(&limits_blocks, 8, 1, file);
    fwrite(&copied, 8, 1, file);
    fwrite(&set, 8, 1, file);
    fwrite(limits_counts, 8, limits_blocks, file);
    fwrite(&limits_entries, 8, 1, file);
    for (uint64_t i = limits_entries; i-- > 0;)
        fwrite(&limits_places[(limits_places_left + i) % limits_entries], 8, 1, file);
    fwrite(&known, 8, 1, file);
    for (uint64_t i = known; i-- > 0;)
        fwrite(&limits_ring[(limits_left + i) % limits_entries], 4, 1, file);
    fclose(file);
}
