// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The equaliser of examples/equalizer by hand: the bands are lanes of a vector, and band l works on the sample that is l
// samples back, so that each sample goes through all bands in one step of the vector.
#include "vec.h"

#define BANDS 10
#define BLOCK 4096
#define RATE 44100.0F
#define PI 3.14159265F

static const float gain_db[BANDS] = {6, 4, 2, 0, -3, -6, -3, 0, 3, 5};

typedef struct bank {
    vf16 b0, b1, b2, a1, a2, s1, s2, y;
} bank;

static void make_band(bank *k, int i, float centre, float q, float db)
{
    float a = powf(10.0F, db / 40.0F), w = 2.0F * PI * centre / RATE, alpha = sinf(w) / (2.0F * q), a0 = 1.0F + alpha / a;
    k->b0[i] = (1.0F + alpha * a) / a0;
    k->b1[i] = -2.0F * cosf(w) / a0;
    k->b2[i] = (1.0F - alpha * a) / a0;
    k->a1[i] = -2.0F * cosf(w) / a0;
    k->a2[i] = (1.0F - alpha / a) / a0;
}

// Item i of the output is sample i - (BANDS - 1).
static void run(bank *k, const float *restrict x, float *restrict y, ptrdiff_t n)
{
    static const vi16 shift = {16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    const vf16 b0 = k->b0, b1 = k->b1, b2 = k->b2, a1 = k->a1, a2 = k->a2;
    vf16 s1 = k->s1, s2 = k->s2, last = k->y;
    for (ptrdiff_t i = 0; i < n; i++) {
        vf16 in = {0.5F * x[i]};
#if defined(__clang__)
        vf16 v = __builtin_shufflevector(last, in, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
        (void)shift;
#else
        vf16 v = __builtin_shuffle(last, in, shift);
#endif
        last = b0 * v + s1;
        s1 = b1 * v - a1 * last + s2;
        s2 = b2 * v - a2 * last;
        float t = last[BANDS - 1] < 1.0F ? last[BANDS - 1] : 1.0F;
        y[i] = t > -1.0F ? t : -1.0F;
    }
    k->s1 = s1;
    k->s2 = s2;
    k->y = last;
}

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats in, out;
    bank k;
    float centre = 31.25F;
    memset(&k, 0, sizeof k);
    ptrdiff_t late = BANDS - 1;
    queue_init(&in, BLOCK + BANDS);
    queue_init(&out, BLOCK + BANDS);
    for (int i = 0; i < BANDS; i++, centre *= 2.0F)
        make_band(&k, i, centre, 1.41F, gain_db[i]);
    for (int more = 1; more;) {
        queue_read(&in, BLOCK, f);
        more = in.fill > 0;
        if (!more) { // what is still between the bands
            memset(in.data, 0, (BANDS - 1) * sizeof(float));
            in.fill = BANDS - 1;
        }
        run(&k, in.data, out.data, in.fill);
        ptrdiff_t drop = late < in.fill ? late : in.fill;
        out.fill = in.fill;
        queue_drop(&out, drop);
        late -= drop;
        queue_write(&out, f);
        in.fill = 0;
    }
    files_close(f);
    return 0;
}
