// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The FFT of examples/fft by hand: 16 transforms side by side, bits reversed while they are loaded.
#include "vec.h"

#define N 256
#define LOG 8
#define LANES 16
#define PI 3.14159265F

static float cosine[N / 2], sine[N / 2];

static void transform(const float *restrict x, float *restrict y)
{
    static vf16 re[N], im[N];
    for (unsigned i = 0; i < N; i++) {
        unsigned r = 0;
        for (unsigned b = 0; b < LOG; b++)
            r |= (i >> b & 1) << (LOG - 1 - b);
        for (int l = 0; l < LANES; l++) {
            re[r][l] = x[2 * N * l + 2 * (int)i];
            im[r][l] = x[2 * N * l + 2 * (int)i + 1];
        }
    }
    for (int n = 2; n <= N; n *= 2)
        for (int g = 0; g < N; g += n)
            for (int i = 0; i < n / 2; i++) {
                float wr = cosine[i * (N / n)], wi = sine[i * (N / n)];
                vf16 *a = re + g + i, *b = im + g + i, or_ = a[n / 2], oi = b[n / 2], er = *a, ei = *b;
                vf16 tr = or_ * wr - oi * wi, ti = or_ * wi + oi * wr;
                *a = er + tr;
                *b = ei + ti;
                a[n / 2] = er - tr;
                b[n / 2] = ei - ti;
            }
    for (int i = 0; i < N; i++)
        for (int l = 0; l < LANES; l++) {
            y[2 * N * l + 2 * i] = re[i][l];
            y[2 * N * l + 2 * i + 1] = im[i][l];
        }
}

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats in, out;
    queue_init(&in, 2 * N * LANES);
    queue_init(&out, 2 * N * LANES);
    for (int i = 0; i < N / 2; i++) {
        cosine[i] = cosf(-2.0F * PI * (float)i / (float)N);
        sine[i] = sinf(-2.0F * PI * (float)i / (float)N);
    }
    while (queue_read(&in, 2 * N * LANES - in.fill, f), in.fill >= 2 * N) {
        ptrdiff_t n = in.fill / (2 * N);
        transform(in.data, out.data); // all lanes, whatever they hold
        out.fill = 2 * N * n;
        queue_write(&out, f);
        queue_drop(&in, 2 * N * n);
    }
    files_close(f);
    return 0;
}
