// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of examples/matrix-multiply by hand: four rows of the result at a time stay in registers.
#include "vec.h"

#define N 32
#define BATCH 4

static void multiply(const float *restrict a, const float *restrict b, float *restrict y)
{
    for (ptrdiff_t i = 0; i < N; i += 4) {
        vf16 s[4][2] = {{{0}}};
        for (ptrdiff_t k = 0; k < N; k++) {
            vf16 low = load16(b + N * k), high = load16(b + N * k + 16);
            for (ptrdiff_t r = 0; r < 4; r++) {
                s[r][0] += low * a[N * (i + r) + k];
                s[r][1] += high * a[N * (i + r) + k];
            }
        }
        for (ptrdiff_t r = 0; r < 4; r++) {
            store16(y + N * (i + r), s[r][0]);
            store16(y + N * (i + r) + 16, s[r][1]);
        }
    }
}

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats in, out;
    queue_init(&in, 2 * N * N * BATCH);
    queue_init(&out, N * N * BATCH);
    while (queue_read(&in, 2 * N * N * BATCH - in.fill, f), in.fill >= 2 * N * N) {
        ptrdiff_t n = in.fill / (2 * N * N);
        for (ptrdiff_t m = 0; m < n; m++)
            multiply(in.data + 2 * m * N * N, in.data + (2 * m + 1) * N * N, out.data + m * N * N);
        out.fill = n * N * N;
        queue_write(&out, f);
        queue_drop(&in, n * 2 * N * N);
    }
    files_close(f);
    return 0;
}
