// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The biquads of bench/programs by hand: both channels go through a section before the next, all state in registers.
#include "queue.h"

#define SECTIONS 6
#define CHANNELS 2
#define BLOCK 2048

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats in, out;
    queue_init(&in, BLOCK);
    queue_init(&out, BLOCK);
    float b0[SECTIONS], b1[SECTIONS], a1[SECTIONS], a2[SECTIONS];
    float p[SECTIONS][CHANNELS] = {{0}}, q[SECTIONS][CHANNELS] = {{0}};
    for (int i = 0; i < SECTIONS; i++) {
        float w = 0.2F + 0.3F * (float)i, alpha = sinf(w) / 2;
        b0[i] = (1 - cosf(w)) / 2 / (1 + alpha);
        b1[i] = (1 - cosf(w)) / (1 + alpha);
        a1[i] = -2 * cosf(w) / (1 + alpha);
        a2[i] = (1 - alpha) / (1 + alpha);
    }
    while (queue_read(&in, BLOCK, f), in.fill > 0) {
        for (ptrdiff_t t = 0; t + CHANNELS <= in.fill; t += CHANNELS) {
            float x[CHANNELS] = {in.data[t], in.data[t + 1]};
#pragma GCC unroll 6
            for (int i = 0; i < SECTIONS; i++)
                for (int c = 0; c < CHANNELS; c++) {
                    float y = b0[i] * x[c] + p[i][c];
                    p[i][c] = b1[i] * x[c] - a1[i] * y + q[i][c];
                    q[i][c] = b0[i] * x[c] - a2[i] * y;
                    x[c] = y;
                }
            out.data[t] = x[0];
            out.data[t + 1] = x[1];
        }
        out.fill = in.fill / CHANNELS * CHANNELS;
        queue_write(&out, f);
        in.fill = 0;
    }
    files_close(f);
    return 0;
}
