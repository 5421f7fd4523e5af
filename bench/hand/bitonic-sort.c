// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sorting network of examples/bitonic-sort by hand: 16 groups side by side, so that a comparator is a least and a greatest of vectors.
#include "vec.h"

#define N 32
#define LANES 16
#define BATCH 64 // a multiple of LANES

static void exchange(vi16 *a, vi16 *b)
{
    vi16 more = *a > *b, x = (*b & more) | (*a & ~more), y = (*a & more) | (*b & ~more);
    *a = x;
    *b = y;
}

static void sort(int *restrict x)
{
    union {
        vi16 v[N];
        int i[N][LANES];
    } t;
    for (ptrdiff_t i = 0; i < N; i++)
        for (ptrdiff_t g = 0; g < LANES; g++)
            t.i[i][g] = x[N * g + i];
#pragma GCC unroll 8
    for (int size = 2; size <= N; size *= 2)
#pragma GCC unroll 8
        for (int stride = size / 2; stride > 0; stride /= 2)
            for (int i = 0; i < N; i++)
                if ((i & stride) == 0) {
                    if ((i & size) == 0)
                        exchange(&t.v[i], &t.v[i + stride]);
                    else
                        exchange(&t.v[i + stride], &t.v[i]);
                }
    for (ptrdiff_t g = 0; g < LANES; g++)
        for (ptrdiff_t i = 0; i < N; i++)
            x[N * g + i] = t.i[i][g];
}

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    ints q;
    queue_init(&q, N * BATCH);
    while (queue_read(&q, N * BATCH - q.fill, f), q.fill >= N) {
        ptrdiff_t groups = q.fill / N;
        for (ptrdiff_t g = 0; g < groups; g += LANES) // lanes behind the last group sort what nobody reads
            sort(q.data + N * g);
        q.fill = N * groups;
        queue_write(&q, f);
    }
    files_close(f);
    return 0;
}
