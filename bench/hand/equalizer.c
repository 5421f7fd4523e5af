// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The equaliser of examples/equalizer by hand.
#include "queue.h"

#define BANDS 10
#define BLOCK 4096
#define RATE 44100.0F
#define PI 3.14159265F

typedef struct band {
    float b0, b1, b2, a1, a2, s1, s2;
} band;

static const float gain_db[BANDS] = {6, 4, 2, 0, -3, -6, -3, 0, 3, 5};

static band make_band(float centre, float q, float db)
{
    float a = powf(10.0F, db / 40.0F), w = 2.0F * PI * centre / RATE, alpha = sinf(w) / (2.0F * q), a0 = 1.0F + alpha / a;
    return (band){.b0 = (1.0F + alpha * a) / a0, .b1 = -2.0F * cosf(w) / a0, .b2 = (1.0F - alpha * a) / a0,
                  .a1 = -2.0F * cosf(w) / a0, .a2 = (1.0F - alpha / a) / a0};
}

static void peaking(band *p, const float *restrict x, float *restrict y, ptrdiff_t n)
{
    const float b0 = p->b0, b1 = p->b1, b2 = p->b2, a1 = p->a1, a2 = p->a2;
    float s1 = p->s1, s2 = p->s2;
    for (ptrdiff_t i = 0; i < n; i++) {
        float v = b0 * x[i] + s1;
        s1 = b1 * x[i] - a1 * v + s2;
        s2 = b2 * x[i] - a2 * v;
        y[i] = v;
    }
    p->s1 = s1;
    p->s2 = s2;
}

static void scale(const float *restrict x, float *restrict y, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++)
        y[i] = 0.5F * x[i];
}

static void limit(const float *restrict x, float *restrict y, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        float v = 1.0F < x[i] ? 1.0F : x[i];
        y[i] = -1.0F > v ? -1.0F : v;
    }
}

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats in, out;
    band bands[BANDS];
    float centre = 31.25F;
    queue_init(&in, BLOCK);
    queue_init(&out, BLOCK);
    float *a = queue_alloc(BLOCK * sizeof(float)), *b = queue_alloc(BLOCK * sizeof(float));
    for (int i = 0; i < BANDS; i++, centre *= 2.0F)
        bands[i] = make_band(centre, 1.41F, gain_db[i]);
    while (queue_read(&in, BLOCK, f), in.fill > 0) {
        scale(in.data, a, in.fill);
        for (int i = 0; i < BANDS; i++) {
            peaking(&bands[i], a, b, in.fill);
            float *t = a;
            a = b;
            b = t;
        }
        limit(a, out.data, in.fill);
        out.fill = in.fill;
        queue_write(&out, f);
        in.fill = 0;
    }
    files_close(f);
    return 0;
}
