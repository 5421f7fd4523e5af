// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two-dimensional DCT of examples/dct by hand: rows, then columns.
#include "queue.h"

#define BATCH 32
#define PI 3.14159265F

static float c[8][8];

static void rows(const float *restrict x, float *restrict y, ptrdiff_t n)
{
    for (ptrdiff_t r = 0; r < 8 * n; r++)
        for (ptrdiff_t u = 0; u < 8; u++) {
            float sum = 0;
            for (ptrdiff_t i = 0; i < 8; i++)
                sum += c[u][i] * x[8 * r + i];
            y[8 * r + u] = sum;
        }
}

static void columns(const float *restrict x, float *restrict y, ptrdiff_t n)
{
    for (ptrdiff_t b = 0; b < n; b++)
        for (ptrdiff_t u = 0; u < 8; u++)
            for (ptrdiff_t k = 0; k < 8; k++) {
                float sum = 0;
                for (ptrdiff_t i = 0; i < 8; i++)
                    sum += c[u][i] * x[64 * b + 8 * i + k];
                y[64 * b + 8 * u + k] = sum;
            }
}

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats in, out;
    queue_init(&in, 64 * BATCH);
    queue_init(&out, 64 * BATCH);
    float *middle = queue_alloc(64 * BATCH * sizeof(float));
    for (int u = 0; u < 8; u++)
        for (int x = 0; x < 8; x++)
            c[u][x] = (u == 0 ? 0.5F / sqrtf(2.0F) : 0.5F) * cosf((float)((2 * x + 1) * u) * PI / 16.0F);
    while (queue_read(&in, 64 * BATCH - in.fill, f), in.fill >= 64) {
        ptrdiff_t n = in.fill / 64;
        rows(in.data, middle, n);
        columns(middle, out.data, n);
        out.fill = 64 * n;
        queue_write(&out, f);
        queue_drop(&in, 64 * n);
    }
    files_close(f);
    return 0;
}
