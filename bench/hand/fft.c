// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The FFT of examples/fft by hand: the same reordering and combining stages.
#include "queue.h"

#define N 256
#define BATCH 8 // transforms at a time
#define PI 3.14159265F

static float twiddle[N][N]; // of size n in row n / 2 and following: only powers of two are used

static void make_twiddles(void)
{
    for (int n = 2; n <= N; n *= 2)
        for (int i = 0; i < n / 2; i++) {
            twiddle[n / 2][2 * i] = cosf(-2.0F * PI * (float)i / (float)n);
            twiddle[n / 2][2 * i + 1] = sinf(-2.0F * PI * (float)i / (float)n);
        }
}

// Even-numbered points of each n first, then odd ones.
static void reorder(const float *restrict x, float *restrict y, ptrdiff_t points, ptrdiff_t n)
{
    for (ptrdiff_t g = 0; g < points / n; g++)
        for (ptrdiff_t i = 0; i < n / 2; i++) {
            y[2 * (g * n + i)] = x[2 * (g * n + 2 * i)];
            y[2 * (g * n + i) + 1] = x[2 * (g * n + 2 * i) + 1];
            y[2 * (g * n + n / 2 + i)] = x[2 * (g * n + 2 * i + 1)];
            y[2 * (g * n + n / 2 + i) + 1] = x[2 * (g * n + 2 * i + 1) + 1];
        }
}

static void combine(const float *restrict x, float *restrict y, ptrdiff_t points, ptrdiff_t n)
{
    const float *restrict w = twiddle[n / 2];
    for (ptrdiff_t g = 0; g < points / n; g++)
        for (ptrdiff_t i = 0; i < n; i += 2) {
            const float *a = x + 2 * g * n;
            float *b = y + 2 * g * n;
            float er = a[i], ei = a[i + 1], or_ = a[n + i], oi = a[n + i + 1], wr = w[i], wi = w[i + 1];
            float tr = or_ * wr - oi * wi, ti = or_ * wi + oi * wr;
            b[i] = er + tr;
            b[i + 1] = ei + ti;
            b[n + i] = er - tr;
            b[n + i + 1] = ei - ti;
        }
}

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats in, out;
    queue_init(&in, 2 * N * BATCH);
    queue_init(&out, 2 * N * BATCH);
    make_twiddles();
    while (queue_read(&in, 2 * N * BATCH - in.fill, f), in.fill >= 2 * N) {
        ptrdiff_t points = in.fill / (2 * N) * N;
        float *a = in.data, *b = out.data;
        ptrdiff_t rest = in.fill - 2 * points;
        float kept[2 * N];
        memcpy(kept, in.data + 2 * points, (size_t)rest * sizeof(float));
        for (ptrdiff_t n = N; n > 2; n /= 2) {
            reorder(a, b, points, n);
            float *t = a;
            a = b;
            b = t;
        }
        for (ptrdiff_t n = 2; n <= N; n *= 2) {
            combine(a, b, points, n);
            float *t = a;
            a = b;
            b = t;
        }
        if (a != out.data)
            memcpy(out.data, a, (size_t)points * 2 * sizeof(float));
        out.fill = 2 * points;
        queue_write(&out, f);
        memcpy(in.data, kept, (size_t)rest * sizeof(float));
        in.fill = rest;
    }
    files_close(f);
    return 0;
}
