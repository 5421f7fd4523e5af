// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bank of bench/programs/resonators with liquid-dsp: 16 recursive filters over one signal, and the largest of them.
#include "queue.h"
#include <liquid/liquid.h>

#define BANK 16
#define BLOCK 4096
#define PI 3.14159265F

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats in, out;
    iirfilt_rrrf bank[BANK];
    static float y[BLOCK];
    queue_init(&in, BLOCK);
    queue_init(&out, BLOCK);
    for (int i = 0; i < BANK; i++) {
        float b[3] = {1}, a[3] = {1, -2 * 0.99F * cosf(2 * PI * (0.01F + 0.02F * (float)i)), 0.99F * 0.99F};
        bank[i] = iirfilt_rrrf_create_sos(b, a, 1);
    }
    while (queue_read(&in, BLOCK, f) > 0) {
        memset(out.data, 0, BLOCK * sizeof *out.data);
        for (int i = 0; i < BANK; i++) {
            iirfilt_rrrf_execute_block(bank[i], in.data, (unsigned)in.fill, y);
            for (ptrdiff_t k = 0; k < in.fill; k++)
                out.data[k] = out.data[k] > fabsf(y[k]) ? out.data[k] : fabsf(y[k]);
        }
        out.fill = in.fill;
        queue_write(&out, f);
        in.fill = 0;
    }
    files_close(f);
    return 0;
}
