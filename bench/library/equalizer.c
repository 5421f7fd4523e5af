// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The equaliser of examples/equalizer with liquid-dsp: ten sections of second order.
#include "queue.h"
#include <liquid/liquid.h>

#define BANDS 10
#define BLOCK 4096
#define PI 3.14159265F

int main(int argc, char **argv)
{
    static const float decibels[BANDS] = {6, 4, 2, 0, -3, -6, -3, 0, 3, 5};
    files f = files_open(argc, argv);
    floats in;
    float b[3 * BANDS], a[3 * BANDS], centre = 31.25F;
    queue_init(&in, BLOCK);
    for (int i = 0; i < BANDS; i++, centre *= 2) {
        float g = powf(10, decibels[i] / 40), w = 2 * PI * centre / 44100, alpha = sinf(w) / (2 * 1.41F), a0 = 1 + alpha / g;
        b[3 * i] = (1 + alpha * g) / a0;
        b[3 * i + 1] = a[3 * i + 1] = -2 * cosf(w) / a0;
        b[3 * i + 2] = (1 - alpha * g) / a0;
        a[3 * i] = 1;
        a[3 * i + 2] = (1 - alpha / g) / a0;
    }
    iirfilt_rrrf filter = iirfilt_rrrf_create_sos(b, a, BANDS);
    while (queue_read(&in, BLOCK, f) > 0) {
        for (ptrdiff_t i = 0; i < in.fill; i++)
            in.data[i] *= 0.5F;
        iirfilt_rrrf_execute_block(filter, in.data, (unsigned)in.fill, in.data);
        for (ptrdiff_t i = 0; i < in.fill; i++)
            in.data[i] = fmaxf(-1, fminf(1, in.data[i]));
        queue_write(&in, f);
    }
    files_close(f);
    return 0;
}
