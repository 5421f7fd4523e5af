/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the Brook programs share with those of ../svm: arguments and the same values in arrays. */
#ifndef BROOK_PAPER_COMMON_H
#define BROOK_PAPER_COMMON_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int argument(int argc, char **argv, const char *name, int otherwise)
{
    size_t n = strlen(name);
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], name, n) == 0 && argv[i][n] == '=')
            return atoi(argv[i] + n + 1);
    return otherwise;
}

/* seed 0: zeroes; else values in [0, 1) that do not depend on the C library. */
static float *array_of(int floats, unsigned seed)
{
    float *a = calloc((size_t)floats, sizeof *a);
    for (int i = 0; a && seed && i < floats; i++) {
        seed = seed * 1664525u + 1013904223u;
        a[i] = (float)(seed >> 8) / 16777216.0f;
    }
    return a;
}

static void report(const char *what, int n, const float *values, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += (double)values[i];
    printf("%s n=%d: sum %.6g\n", what, n, sum);
}

#endif
