// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stddef.h>
#define SPES 5
#define LAPS 3

typedef struct {
    unsigned long long next_ls, next_signal;
    unsigned int rank, pad[27];
} control_t;
