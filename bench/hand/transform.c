// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The transform of bench/programs by hand: a product with a matrix, 64 outputs of one sample side by side.
#include "vec.h"

#define N 64
#define BATCH 64
#define PI 3.14159265F

static float matrix[N][2 * N]; // cosine and sine of each output side by side

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats in, out;
    queue_init(&in, N * BATCH);
    queue_init(&out, 2 * N * BATCH);
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++) {
            float angle = 2.0F * PI * (float)k * (float)i / (float)N;
            matrix[i][2 * k] = cosf(angle);
            matrix[i][2 * k + 1] = -sinf(angle);
        }
    while (queue_read(&in, N * BATCH - in.fill, f), in.fill >= N) {
        ptrdiff_t n = in.fill / N;
        for (ptrdiff_t b = 0; b < n; b += 2) {
            ptrdiff_t second = b + 1 < n ? b + 1 : b; // two at a time share what they load of the matrix
            const float *restrict x = in.data + N * b, *restrict z = in.data + N * second;
            vf16 s[8] = {{0}}, t[8] = {{0}};
            for (ptrdiff_t i = 0; i < N; i++)
                for (ptrdiff_t l = 0; l < 8; l++) {
                    vf16 m = load16(matrix[i] + 16 * l);
                    s[l] += m * x[i];
                    t[l] += m * z[i];
                }
            for (ptrdiff_t l = 0; l < 8; l++) {
                store16(out.data + 2 * N * b + 16 * l, s[l]);
                store16(out.data + 2 * N * second + 16 * l, t[l]);
            }
        }
        out.fill = 2 * N * n;
        queue_write(&out, f);
        queue_drop(&in, N * n);
    }
    files_close(f);
    return 0;
}
