// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of examples/matrix-multiply by hand: transpose B, then dot products of rows.
#include "queue.h"

#define N 32
#define BATCH 4

static void transpose(const float *restrict b, float *restrict t)
{
    for (ptrdiff_t i = 0; i < N; i++)
        for (ptrdiff_t j = 0; j < N; j++)
            t[N * j + i] = b[N * i + j];
}

static void multiply(const float *restrict a, const float *restrict t, float *restrict y)
{
    for (ptrdiff_t i = 0; i < N; i++)
        for (ptrdiff_t j = 0; j < N; j++) {
            float sum = 0;
            for (ptrdiff_t k = 0; k < N; k++)
                sum += a[N * i + k] * t[N * j + k];
            y[N * i + j] = sum;
        }
}

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats in, out;
    queue_init(&in, 2 * N * N * BATCH);
    queue_init(&out, N * N * BATCH);
    float *t = queue_alloc(N * N * sizeof(float));
    while (queue_read(&in, 2 * N * N * BATCH - in.fill, f), in.fill >= 2 * N * N) {
        ptrdiff_t n = in.fill / (2 * N * N);
        for (ptrdiff_t m = 0; m < n; m++) {
            transpose(in.data + (2 * m + 1) * N * N, t);
            multiply(in.data + 2 * m * N * N, t, out.data + m * N * N);
        }
        out.fill = n * N * N;
        queue_write(&out, f);
        queue_drop(&in, n * 2 * N * N);
    }
    files_close(f);
    return 0;
}
