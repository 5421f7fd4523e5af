// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The transform of examples/dct with FFTW: blocks of 8 x 8, many in a plan, then the scale that makes them orthonormal.
#include "queue.h"
#include <fftw3.h>

#define MANY 64

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats in, out;
    int n[2] = {8, 8};
    fftwf_r2r_kind kinds[2] = {FFTW_REDFT10, FFTW_REDFT10};
    float scale[64];
    queue_init(&in, 64 * MANY);
    queue_init(&out, 64 * MANY);
    for (int v = 0; v < 8; v++)
        for (int u = 0; u < 8; u++)
            scale[8 * v + u] = 0.0625F * (v == 0 ? sqrtf(0.5F) : 1) * (u == 0 ? sqrtf(0.5F) : 1);
    fftwf_plan plan = fftwf_plan_many_r2r(2, n, MANY, in.data, NULL, 1, 64, out.data, NULL, 1, 64, kinds, FFTW_MEASURE);
    in.fill = 0;
    while (queue_read(&in, 64 * MANY - in.fill, f), in.fill >= 64) {
        ptrdiff_t there = in.fill / 64;
        fftwf_execute(plan); // all of them, whatever they hold
        for (ptrdiff_t b = 0; b < there; b++)
            for (ptrdiff_t i = 0; i < 64; i++)
                out.data[64 * b + i] *= scale[i];
        out.fill = 64 * there;
        queue_write(&out, f);
        queue_drop(&in, 64 * there);
    }
    files_close(f);
    return 0;
}
