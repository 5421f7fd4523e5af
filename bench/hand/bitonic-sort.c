// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bitonic sorting network of examples/bitonic-sort by hand: the usual in-place network, a column of comparators a loop nest.
#include "queue.h"

#define N 32
#define BATCH 64

static void column(int *restrict x, ptrdiff_t groups, ptrdiff_t size, ptrdiff_t stride)
{
    for (ptrdiff_t g = 0; g < groups; g++)
        for (ptrdiff_t i = 0; i < N; i++)
            if ((i & stride) == 0) {
                int a = x[N * g + i], b = x[N * g + i + stride];
                int up = (i & size) == 0;
                x[N * g + i] = (a > b) == up ? b : a;
                x[N * g + i + stride] = (a > b) == up ? a : b;
            }
}

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    ints q;
    queue_init(&q, N * BATCH);
    while (queue_read(&q, N * BATCH - q.fill, f), q.fill >= N) {
        ptrdiff_t groups = q.fill / N;
        for (ptrdiff_t size = 2; size <= N; size *= 2)
            for (ptrdiff_t stride = size / 2; stride > 0; stride /= 2)
                column(q.data, groups, size, stride);
        q.fill = N * groups;
        queue_write(&q, f);
    }
    files_close(f);
    return 0;
}
