// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two-dimensional DCT of examples/dct by hand: both products with a row of eight as the vector.
#include "vec.h"

#define BATCH 32
#define PI 3.14159265F

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats in, out;
    float c[8][8], t[8][8];
    queue_init(&in, 64 * BATCH);
    queue_init(&out, 64 * BATCH);
    for (int u = 0; u < 8; u++)
        for (int x = 0; x < 8; x++)
            t[x][u] = c[u][x] = (u == 0 ? 0.5F / sqrtf(2.0F) : 0.5F) * cosf((float)((2 * x + 1) * u) * PI / 16.0F);
    while (queue_read(&in, 64 * BATCH - in.fill, f), in.fill >= 64) {
        ptrdiff_t n = in.fill / 64;
        for (ptrdiff_t b = 0; b < n; b++) {
            const float *restrict x = in.data + 64 * b;
            float *restrict y = out.data + 64 * b;
            vf8 m[8], s[8] = {{0}}, rows[8];
            for (int i = 0; i < 8; i++)
                rows[i] = load8(t[i]);
            for (int r = 0; r < 8; r++) {
                m[r] = rows[0] * x[8 * r];
                for (int i = 1; i < 8; i++)
                    m[r] += rows[i] * x[8 * r + i];
            }
            for (int i = 0; i < 8; i++)
                for (int u = 0; u < 8; u++)
                    s[u] += m[i] * c[u][i];
            for (int u = 0; u < 8; u++)
                store8(y + 8 * u, s[u]);
        }
        out.fill = 64 * n;
        queue_write(&out, f);
        queue_drop(&in, 64 * n);
    }
    files_close(f);
    return 0;
}
