// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The beamformer of examples/beamformer by hand: real and imaginary parts of all channels lie side by side, so they are the lanes.
#include "vec.h"

#define CHANNELS 12
#define BEAMS 4
#define TAPS 32
#define SAMPLES 512 // a block, of all channels
#define PI 3.14159265F

static float h[CHANNELS][TAPS], taps[TAPS][2 * CHANNELS], weight_re[CHANNELS][BEAMS], weight_im[CHANNELS][BEAMS];

static void make_tables(void)
{
    for (int c = 0; c < CHANNELS; c++) {
        float sum = 0;
        for (int k = 0; k < TAPS; k++) {
            h[c][k] = 0.5F - 0.5F * cosf(2.0F * PI * ((float)k + 0.5F) / (float)TAPS);
            sum += h[c][k];
        }
        for (int k = 0; k < TAPS; k++)
            taps[k][2 * c] = taps[k][2 * c + 1] = h[c][k] / sum * (1.0F + 0.01F * (float)c);
    }
    for (int b = 0; b < BEAMS; b++) {
        float angle = PI * ((float)b - (float)(BEAMS - 1) / 2.0F) / (2.0F * (float)BEAMS);
        for (int c = 0; c < CHANNELS; c++) {
            weight_re[c][b] = cosf(-2.0F * PI * 0.5F * (float)c * sinf(angle)) / (float)CHANNELS;
            weight_im[c][b] = sinf(-2.0F * PI * 0.5F * (float)c * sinf(angle)) / (float)CHANNELS;
        }
    }
}

static void channel_fir(const float *restrict x, float *restrict y, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        vf8 s[3] = {{0}}, t[3] = {{0}};
        for (ptrdiff_t k = 0; k < TAPS; k += 2)
            for (ptrdiff_t l = 0; l < 3; l++) {
                s[l] += load8(taps[k] + 8 * l) * load8(x + 2 * CHANNELS * (2 * i + k) + 8 * l);
                t[l] += load8(taps[k + 1] + 8 * l) * load8(x + 2 * CHANNELS * (2 * i + k + 1) + 8 * l);
            }
        for (ptrdiff_t l = 0; l < 3; l++)
            store8(y + 2 * CHANNELS * i + 8 * l, s[l] + t[l]);
    }
}

// Beams are lanes; a channel's sample is the same for all.
static void beams(const float *restrict x, float *restrict y, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        float re[BEAMS] = {0}, im[BEAMS] = {0};
        for (ptrdiff_t c = 0; c < CHANNELS; c++) {
            float xr = x[2 * (CHANNELS * i + c)], xi = x[2 * (CHANNELS * i + c) + 1];
            for (ptrdiff_t b = 0; b < BEAMS; b++) {
                re[b] += xr * weight_re[c][b] - xi * weight_im[c][b];
                im[b] += xr * weight_im[c][b] + xi * weight_re[c][b];
            }
        }
        for (ptrdiff_t b = 0; b < BEAMS; b++)
            y[BEAMS * i + b] = sqrtf(re[b] * re[b] + im[b] * im[b]);
    }
}

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats in, out;
    queue_init(&in, 2 * CHANNELS * (SAMPLES + TAPS + 2));
    queue_init(&out, BEAMS * SAMPLES);
    float *filtered = queue_alloc(2 * CHANNELS * SAMPLES * sizeof(float));
    make_tables();
    for (;;) {
        ptrdiff_t before = in.fill;
        queue_read(&in, 2 * CHANNELS * SAMPLES, f);
        if (in.fill == before)
            break;
        ptrdiff_t samples = in.fill / (2 * CHANNELS), n = samples >= TAPS ? (samples - TAPS) / 2 + 1 : 0;
        channel_fir(in.data, filtered, n);
        beams(filtered, out.data, n);
        out.fill = BEAMS * n;
        queue_write(&out, f);
        queue_drop(&in, 2 * CHANNELS * 2 * n);
    }
    files_close(f);
    return 0;
}
