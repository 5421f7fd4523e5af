// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The filter bank of examples/filter-bank by hand. Of the first filters only every eighth output is needed: they are
// computed with the channels as lanes. Of the second filters' inputs seven of eight are zeros, which are left out: lanes
// are the eight outputs of a group.
#include "vec.h"

#define CHANNELS 8
#define TAPS 64
#define BLOCK 512 // groups of eight samples
#define PI 3.14159265F
#define ROUNDS (TAPS / CHANNELS + 1)

static float analysis[TAPS][CHANNELS], synthesis[CHANNELS][ROUNDS][CHANNELS];

static void make_taps(void)
{
    for (int c = 0; c < CHANNELS; c++)
        for (int k = 0; k < TAPS; k++) {
            float t = (float)k - (float)(TAPS - 1) / 2.0F, window = 0.54F - 0.46F * cosf(2.0F * PI * (float)k / (float)(TAPS - 1));
            float centre = PI * ((float)c + 0.5F) / (float)CHANNELS, width = PI / (2.0F * (float)CHANNELS);
            float h = 2.0F * window * sinf(width * t) / (PI * t) * cosf(centre * t);
            analysis[k][c] = h;
            // Output p of a group meets sample m of the channel through tap 8 * m - p.
            int p = (CHANNELS - k % CHANNELS) % CHANNELS;
            synthesis[c][(k + p) / CHANNELS][p] = h;
        }
}

static vf8 synthesise(const float *restrict m)
{
    vf8 sum[4] = {{0}};
    for (ptrdiff_t c = 0; c < CHANNELS; c++)
        for (ptrdiff_t r = 0; r < ROUNDS; r++)
            sum[c % 4] += load8(synthesis[c][r]) * m[CHANNELS * r + c];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats in, out, channels;
    queue_init(&in, CHANNELS * BLOCK + 2 * TAPS);
    queue_init(&channels, CHANNELS * (BLOCK + TAPS));
    queue_init(&out, CHANNELS * (BLOCK + TAPS));
    make_taps();
    vf8 gain;
    for (int c = 0; c < CHANNELS; c++)
        gain[c] = 1.0F + (float)c * 0.25F;
    for (;;) {
        ptrdiff_t before = in.fill;
        queue_read(&in, CHANNELS * BLOCK, f);
        if (in.fill == before)
            break;
        ptrdiff_t groups = in.fill >= TAPS ? (in.fill - (TAPS - 1)) / CHANNELS : 0;
        float *restrict mid = channels.data + channels.fill;
        for (ptrdiff_t g = 0; g < groups; g++) {
            const float *restrict x = in.data + CHANNELS * g;
            vf8 a = {0}, b = {0}, c = {0}, d = {0};
            for (ptrdiff_t k = 0; k < TAPS; k += 4) {
                a += load8(analysis[k]) * x[k];
                b += load8(analysis[k + 1]) * x[k + 1];
                c += load8(analysis[k + 2]) * x[k + 2];
                d += load8(analysis[k + 3]) * x[k + 3];
            }
            store8(mid + CHANNELS * g, gain * (a + b + (c + d)));
        }
        channels.fill += CHANNELS * groups;
        queue_drop(&in, CHANNELS * groups);
        ptrdiff_t n = channels.fill / CHANNELS - (ROUNDS - 1);
        for (ptrdiff_t g = 0; g < n; g++)
            store8(out.data + CHANNELS * g, synthesise(channels.data + CHANNELS * g));
        out.fill = n > 0 ? CHANNELS * n : 0;
        if (n > 0)
            queue_drop(&channels, CHANNELS * n);
        queue_write(&out, f);
    }
    if (channels.fill == CHANNELS * (ROUNDS - 1)) { // the first output of a group does not need the last sample
        out.data[out.fill++] = synthesise(channels.data)[0];
        queue_write(&out, f);
    }
    files_close(f);
    return 0;
}
