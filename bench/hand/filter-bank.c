// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The filter bank of examples/filter-bank by hand.
#include "queue.h"

#define CHANNELS 8
#define TAPS 64
#define BLOCK 4096
#define PI 3.14159265F

static float h[CHANNELS][TAPS];

static void make_taps(void)
{
    for (int c = 0; c < CHANNELS; c++)
        for (int k = 0; k < TAPS; k++) {
            float t = (float)k - (float)(TAPS - 1) / 2.0F, window = 0.54F - 0.46F * cosf(2.0F * PI * (float)k / (float)(TAPS - 1));
            float centre = PI * ((float)c + 0.5F) / (float)CHANNELS, width = PI / (2.0F * (float)CHANNELS);
            h[c][k] = 2.0F * window * sinf(width * t) / (PI * t) * cosf(centre * t);
        }
}

static ptrdiff_t fir(const float *restrict taps, const floats *in, float *restrict y)
{
    const float *restrict x = in->data;
    ptrdiff_t n = in->fill >= TAPS ? in->fill - TAPS + 1 : 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        float sum = 0;
        for (ptrdiff_t k = 0; k < TAPS; k++)
            sum += taps[k] * x[i + k];
        y[i] = sum;
    }
    return n;
}

// Every eighth sample, scaled, and seven zeros after it.
static void resample(const floats *in, floats *out, float gain, ptrdiff_t groups)
{
    const float *restrict x = in->data;
    float *restrict y = out->data + out->fill;
    for (ptrdiff_t i = 0; i < groups; i++) {
        y[CHANNELS * i] = gain * x[CHANNELS * i];
        for (ptrdiff_t k = 1; k < CHANNELS; k++)
            y[CHANNELS * i + k] = 0;
    }
    out->fill += CHANNELS * groups;
}

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats in, out, analysed[CHANNELS], expanded[CHANNELS];
    float *synthesised[CHANNELS];
    queue_init(&in, BLOCK + TAPS);
    queue_init(&out, BLOCK + TAPS);
    for (int c = 0; c < CHANNELS; c++) {
        queue_init(&analysed[c], BLOCK + 2 * TAPS);
        queue_init(&expanded[c], BLOCK + 2 * TAPS);
        synthesised[c] = queue_alloc((BLOCK + 2 * TAPS) * sizeof(float));
    }
    make_taps();
    for (;;) {
        ptrdiff_t before = in.fill, n = 0, m = 0;
        queue_read(&in, BLOCK, f);
        if (in.fill == before)
            break;
        for (int c = 0; c < CHANNELS; c++) {
            n = fir(h[c], &in, analysed[c].data + analysed[c].fill);
            analysed[c].fill += n;
            ptrdiff_t groups = analysed[c].fill / CHANNELS;
            resample(&analysed[c], &expanded[c], 1.0F + (float)c * 0.25F, groups);
            queue_drop(&analysed[c], CHANNELS * groups);
            m = fir(h[c], &expanded[c], synthesised[c]);
            queue_drop(&expanded[c], m);
        }
        queue_drop(&in, n);
        float *restrict y = out.data;
        for (ptrdiff_t i = 0; i < m; i++) {
            float sum = 0;
            for (int c = 0; c < CHANNELS; c++)
                sum += synthesised[c][i];
            y[i] = sum;
        }
        out.fill = m;
        queue_write(&out, f);
    }
    files_close(f);
    return 0;
}
