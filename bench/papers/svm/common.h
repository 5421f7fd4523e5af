// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the three programs of the SVM paper's section 5 share: arguments, and global arrays. Included after the names of
// the machine, which ati-9800pro, geforce-fx5900 and imagine have in common: svm-sim --machine= chooses.
#ifndef SVM_PAPER_COMMON_H
#define SVM_PAPER_COMMON_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT ((size_t)128) // of local objects: every machine here is content with it

static inline size_t align(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// Arguments are NAME=NUMBER.
static inline size_t argument(int argc, char **argv, const char *name, size_t otherwise)
{
    size_t n = strlen(name);
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], name, n) == 0 && argv[i][n] == '=')
            return strtoull(argv[i] + n + 1, NULL, 10);
    return otherwise;
}

// An array in global memory that control code fills and reads, and its address.
typedef struct array {
    float *data;
    size_t address;
} array;

static inline array array_create(size_t floats)
{
    array a = {.address = svm_alloc(&GMEM, floats * sizeof(float))};
    svm_Block whole;
    svm_blockInit(&whole, &GMEM, a.address, floats, sizeof(float));
    a.data = svm_blockData(&whole);
    return a;
}

// Values in [0, 1) that do not depend on the C library.
static inline void array_fill(array a, size_t floats, uint32_t seed)
{
    for (size_t i = 0; i < floats; i++) {
        seed = seed * 1664525u + 1013904223u;
        a.data[i] = (float)(seed >> 8) / 16777216.0f;
    }
}

static inline double array_sum(array a, size_t floats)
{
    double sum = 0;
    for (size_t i = 0; i < floats; i++)
        sum += (double)a.data[i];
    return sum;
}

#endif
