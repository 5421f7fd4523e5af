// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The transform of bench/programs with FFTW: of 64 real samples, half of whose outputs are the conjugates of the others.
#include "queue.h"
#include <fftw3.h>

#define N 64
#define MANY 64

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats in, half, out;
    int n = N;
    queue_init(&in, N * MANY);
    queue_init(&half, (N + 2) * MANY);
    queue_init(&out, 2 * N * MANY);
    fftwf_plan plan = fftwf_plan_many_dft_r2c(1, &n, MANY, in.data, NULL, 1, N, (fftwf_complex *)half.data, NULL, 1, N / 2 + 1, FFTW_MEASURE);
    in.fill = 0;
    while (queue_read(&in, N * MANY - in.fill, f), in.fill >= N) {
        ptrdiff_t there = in.fill / N;
        fftwf_execute(plan); // all of them, whatever they hold
        for (ptrdiff_t b = 0; b < there; b++) {
            const float *restrict x = half.data + (N + 2) * b;
            float *restrict y = out.data + 2 * N * b;
            memcpy(y, x, (N + 2) * sizeof *y);
            for (ptrdiff_t k = N / 2 + 1; k < N; k++) {
                y[2 * k] = x[2 * (N - k)];
                y[2 * k + 1] = -x[2 * (N - k) + 1];
            }
        }
        out.fill = 2 * N * there;
        queue_write(&out, f);
        queue_drop(&in, N * there);
    }
    files_close(f);
    return 0;
}
