// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the hand-written programs share: a block of items between two stages, reading and writing files in blocks. Each stage is a function with one
// tight loop nest that takes what its input allows and leaves the rest at the front of the block.
#ifndef BENCH_HAND_QUEUE_H
#define BENCH_HAND_QUEUE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUEUE(T)                                                                                                       \
    struct {                                                                                                           \
        T *data;                                                                                                       \
        ptrdiff_t fill;                                                                                                \
    }
typedef QUEUE(float) floats;
typedef QUEUE(int) ints;

static inline void *queue_alloc(size_t bytes)
{
    void *p = calloc(1, bytes);
    if (p == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return p;
}
#define queue_init(q, capacity) ((q)->data = queue_alloc((size_t)(capacity) * sizeof *(q)->data), (q)->fill = 0)
// The first n items are done with.
#define queue_drop(q, n) (memmove((q)->data, (q)->data + (n), (size_t)((q)->fill - (n)) * sizeof *(q)->data), (q)->fill -= (n))

typedef struct files {
    FILE *in, *out;
} files;

static inline files files_open(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s INPUT OUTPUT\n", argv[0]);
        exit(2);
    }
    files f = {fopen(argv[1], "rb"), fopen(argv[2], "wb")};
    if (f.in == NULL || f.out == NULL) {
        perror(argv[f.in == NULL ? 1 : 2]);
        exit(1);
    }
    setvbuf(f.in, NULL, _IOFBF, 1 << 18);
    setvbuf(f.out, NULL, _IOFBF, 1 << 18);
    return f;
}

static inline void files_close(files f)
{
    if (fclose(f.out) != 0) {
        perror("output");
        exit(1);
    }
    fclose(f.in);
}

// Appends up to n items; gives how many came.
#define queue_read(q, n, f)                                                                                            \
    ((q)->fill += (ptrdiff_t)fread((q)->data + (q)->fill, sizeof *(q)->data, (size_t)(n), (f).in))
#define queue_write(q, f)                                                                                              \
    do {                                                                                                               \
        if (fwrite((q)->data, sizeof *(q)->data, (size_t)(q)->fill, (f).out) != (size_t)(q)->fill) {                   \
            perror("output");                                                                                          \
            exit(1);                                                                                                   \
        }                                                                                                              \
        (q)->fill = 0;                                                                                                 \
    } while (0)

// Bits in files: eight a byte, most significant first.
static inline ptrdiff_t bits_read(ints *q, ptrdiff_t n, files f)
{
    unsigned char bytes[4096];
    ptrdiff_t got = 0;
    while (got < n) {
        ptrdiff_t want = (n - got) / 8;
        size_t k = fread(bytes, 1, want < 4096 ? (size_t)want : 4096, f.in);
        if (k == 0)
            break;
        int *restrict to = q->data + q->fill;
        for (ptrdiff_t i = 0; i < (ptrdiff_t)k; i++)
            for (ptrdiff_t b = 0; b < 8; b++)
                to[8 * i + b] = bytes[i] >> (7 - b) & 1;
        q->fill += 8 * (ptrdiff_t)k;
        got += 8 * (ptrdiff_t)k;
    }
    return got;
}

static inline void bits_write(ints *q, files f)
{
    unsigned char bytes[4096];
    for (ptrdiff_t start = 0; start < q->fill;) {
        ptrdiff_t k = (q->fill - start) / 8 < 4096 ? (q->fill - start) / 8 : 4096;
        const int *restrict from = q->data + start;
        for (ptrdiff_t i = 0; i < k; i++) {
            int v = 0;
            for (ptrdiff_t b = 0; b < 8; b++)
                v = v << 1 | from[8 * i + b];
            bytes[i] = (unsigned char)v;
        }
        if (k == 0 || fwrite(bytes, 1, (size_t)k, f.out) != (size_t)k) {
            perror("output");
            exit(1);
        }
        start += 8 * k;
    }
    q->fill = 0;
}

#endif
