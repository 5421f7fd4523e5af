// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors as GCC and clang have them, for the hand-written programs.
#ifndef BENCH_HAND_VEC_H
#define BENCH_HAND_VEC_H

#include "queue.h"

typedef float vf8 __attribute__((vector_size(32)));
typedef float vf16 __attribute__((vector_size(64)));
typedef int vi16 __attribute__((vector_size(64)));

static inline vf8 load8(const float *p)
{
    vf8 v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline vf16 load16(const float *p)
{
    vf16 v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline void store8(float *p, vf8 v)
{
    memcpy(p, &v, sizeof v);
}
static inline void store16(float *p, vf16 v)
{
    memcpy(p, &v, sizeof v);
}

// y[i] = sum of h[k] * x[i + k], 64 outputs side by side.
static inline void fir(const float *restrict x, const float *restrict h, ptrdiff_t taps, float *restrict y, ptrdiff_t n)
{
    ptrdiff_t i = 0;
    for (; i + 64 <= n; i += 64) {
        vf16 a = {0}, b = {0}, c = {0}, d = {0};
        for (ptrdiff_t k = 0; k < taps; k++) {
            const float *p = x + i + k;
            a += load16(p) * h[k];
            b += load16(p + 16) * h[k];
            c += load16(p + 32) * h[k];
            d += load16(p + 48) * h[k];
        }
        store16(y + i, a);
        store16(y + i + 16, b);
        store16(y + i + 32, c);
        store16(y + i + 48, d);
    }
    for (; i < n; i++) {
        float sum = 0;
        for (ptrdiff_t k = 0; k < taps; k++)
            sum += x[i + k] * h[k];
        y[i] = sum;
    }
}

#endif
