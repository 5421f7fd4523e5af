// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The channeliser of bench/programs by hand: branches are lanes, then channels are.
#include "vec.h"

#define M 16
#define TAPS 16
#define BLOCK 256
#define PI 3.14159265F

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats in, out;
    vf16 h[TAPS], re[M], im[M];
    queue_init(&in, M * (BLOCK + TAPS));
    queue_init(&out, 2 * M * (BLOCK + 1));
    for (int p = 0; p < M; p++) {
        for (int k = 0; k < TAPS; k++) {
            float t = ((float)(k * M + p) - (float)(TAPS * M - 1) / 2.0F) / (float)M;
            h[k][p] = (0.54F + 0.46F * cosf(2.0F * PI * t / (float)TAPS)) * sinf(PI * t) / (PI * t);
        }
        for (int c = 0; c < M; c++) {
            re[p][c] = cosf(2.0F * PI * (float)c * (float)p / (float)M);
            im[p][c] = sinf(2.0F * PI * (float)c * (float)p / (float)M);
        }
    }
    for (;;) {
        ptrdiff_t before = in.fill;
        queue_read(&in, M * BLOCK, f);
        if (in.fill == before)
            break;
        ptrdiff_t n = in.fill / M - (TAPS - 1);
        for (ptrdiff_t i = 0; i < n; i++) {
            vf16 s[2] = {{0}}, a = {0}, b = {0};
            for (ptrdiff_t k = 0; k < TAPS; k++)
                s[k & 1] += h[k] * load16(in.data + M * (i + k));
            vf16 x = s[0] + s[1];
            for (int p = 0; p < M; p++) {
                a += re[p] * x[p];
                b += im[p] * x[p];
            }
            float *restrict y = out.data + 2 * M * i;
            for (int c = 0; c < M; c++) {
                y[2 * c] = a[c];
                y[2 * c + 1] = b[c];
            }
        }
        if (n > 0) {
            out.fill = 2 * M * n;
            queue_write(&out, f);
            queue_drop(&in, M * n);
        }
    }
    files_close(f);
    return 0;
}
