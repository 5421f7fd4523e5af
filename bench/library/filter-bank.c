// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The filter bank of examples/filter-bank with VOLK: products of 64 taps, of the first filters one for eight samples, of
// the second ones for each sample those taps of all channels that do not meet zeros.
#include "queue.h"
#include <volk/volk.h>

#define CHANNELS 8
#define TAPS 64
#define ROUNDS (TAPS / CHANNELS + 1)
#define BLOCK 512 // groups of eight samples
#define PI 3.14159265F

static float analysis[CHANNELS][TAPS], synthesis[CHANNELS][ROUNDS * CHANNELS];

static void make_taps(void)
{
    for (int c = 0; c < CHANNELS; c++)
        for (int k = 0; k < TAPS; k++) {
            float t = (float)k - (float)(TAPS - 1) / 2.0F, window = 0.54F - 0.46F * cosf(2.0F * PI * (float)k / (float)(TAPS - 1));
            float centre = PI * ((float)c + 0.5F) / (float)CHANNELS, width = PI / (2.0F * (float)CHANNELS);
            float h = 2.0F * window * sinf(width * t) / (PI * t) * cosf(centre * t);
            analysis[c][k] = h * (1.0F + (float)c * 0.25F);
            // Output p of a group meets sample m of the channel through tap 8 * m - p.
            int p = (CHANNELS - k % CHANNELS) % CHANNELS;
            synthesis[p][(k + p) / CHANNELS * CHANNELS + c] = h;
        }
}

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats in, out, channels;
    queue_init(&in, CHANNELS * BLOCK + 2 * TAPS);
    queue_init(&channels, CHANNELS * (BLOCK + TAPS));
    queue_init(&out, CHANNELS * (BLOCK + TAPS));
    make_taps();
    for (ptrdiff_t before; before = in.fill, queue_read(&in, CHANNELS * BLOCK, f) > before;) {
        ptrdiff_t groups = in.fill >= TAPS ? (in.fill - (TAPS - 1)) / CHANNELS : 0;
        float *mid = channels.data + channels.fill;
        for (ptrdiff_t g = 0; g < groups; g++)
            for (ptrdiff_t c = 0; c < CHANNELS; c++)
                volk_32f_x2_dot_prod_32f(mid + CHANNELS * g + c, in.data + CHANNELS * g, analysis[c], TAPS);
        channels.fill += CHANNELS * groups;
        queue_drop(&in, CHANNELS * groups);
        ptrdiff_t n = channels.fill / CHANNELS - (ROUNDS - 1);
        for (ptrdiff_t g = 0; g < n; g++)
            for (ptrdiff_t p = 0; p < CHANNELS; p++)
                volk_32f_x2_dot_prod_32f(out.data + CHANNELS * g + p, channels.data + CHANNELS * g, synthesis[p], ROUNDS * CHANNELS);
        out.fill = n > 0 ? CHANNELS * n : 0;
        if (n > 0)
            queue_drop(&channels, CHANNELS * n);
        queue_write(&out, f);
    }
    if (channels.fill == CHANNELS * (ROUNDS - 1)) { // the first output of a group does not need the last sample
        volk_32f_x2_dot_prod_32f(out.data + out.fill++, channels.data, synthesis[0], CHANNELS * (ROUNDS - 1));
        queue_write(&out, f);
    }
    files_close(f);
    return 0;
}
