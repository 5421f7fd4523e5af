// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cascades of bench/programs/biquads with liquid-dsp: six sections of second order for each of two channels.
#include "queue.h"
#include <liquid/liquid.h>

#define SECTIONS 6
#define BLOCK 4096

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats in, out;
    iirfilt_rrrf filters[2];
    float b[3 * SECTIONS], a[3 * SECTIONS];
    static float x[BLOCK], y[BLOCK];
    queue_init(&in, 2 * BLOCK);
    queue_init(&out, 2 * BLOCK);
    for (int i = 0; i < SECTIONS; i++) {
        float w = 0.2F + 0.3F * (float)i, alpha = sinf(w) / 2;
        b[3 * i] = b[3 * i + 2] = (1 - cosf(w)) / 2 / (1 + alpha);
        b[3 * i + 1] = (1 - cosf(w)) / (1 + alpha);
        a[3 * i] = 1;
        a[3 * i + 1] = -2 * cosf(w) / (1 + alpha);
        a[3 * i + 2] = (1 - alpha) / (1 + alpha);
    }
    for (int c = 0; c < 2; c++)
        filters[c] = iirfilt_rrrf_create_sos(b, a, SECTIONS);
    while (queue_read(&in, 2 * BLOCK - in.fill, f), in.fill >= 2) {
        ptrdiff_t n = in.fill / 2;
        for (ptrdiff_t c = 0; c < 2; c++) {
            for (ptrdiff_t i = 0; i < n; i++)
                x[i] = in.data[2 * i + c];
            iirfilt_rrrf_execute_block(filters[c], x, (unsigned)n, y);
            for (ptrdiff_t i = 0; i < n; i++)
                out.data[2 * i + c] = y[i];
        }
        out.fill = 2 * n;
        queue_write(&out, f);
        queue_drop(&in, 2 * n);
    }
    files_close(f);
    return 0;
}
