// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define SPES 4
#define ROWS 512
#define COLUMNS 64
#define QUAD 4 /* floats of a quadword */
#define CHUNK 128

typedef struct {
    unsigned long long matrix, sums;
    unsigned int first, count;
    unsigned char pad[128 - 24];
} context_t;
