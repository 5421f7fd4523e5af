// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The FFT of examples/fft with FFTW: 256 points, many in a plan.
#include "queue.h"
#include <fftw3.h>

#define N 256
#define MANY 16

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats in, out;
    int n = N;
    queue_init(&in, 2 * N * MANY);
    queue_init(&out, 2 * N * MANY);
    fftwf_plan plan = fftwf_plan_many_dft(1, &n, MANY, (fftwf_complex *)in.data, NULL, 1, N, (fftwf_complex *)out.data, NULL, 1, N,
                                          FFTW_FORWARD, FFTW_MEASURE);
    in.fill = 0;
    while (queue_read(&in, 2 * N * MANY - in.fill, f), in.fill >= 2 * N) {
        ptrdiff_t there = in.fill / (2 * N);
        fftwf_execute(plan); // all of them, whatever they hold
        out.fill = 2 * N * there;
        queue_write(&out, f);
        queue_drop(&in, 2 * N * there);
    }
    files_close(f);
    return 0;
}
