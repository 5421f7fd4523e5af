// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The channeliser of bench/programs with VOLK (16 polyphase branches) and FFTW (the transform across them).
#include "queue.h"
#include <fftw3.h>
#include <volk/volk.h>

#define M 16
#define TAPS 16
#define BLOCK 256
#define PI 3.14159265F

int main(int argc, char **argv)
{
    static float taps[M][TAPS], branch[BLOCK + TAPS];
    files f = files_open(argc, argv);
    floats in, mid, half, out;
    int n = M;
    queue_init(&in, M * (BLOCK + TAPS));
    queue_init(&mid, M * (BLOCK + TAPS));
    queue_init(&half, (M + 2) * (BLOCK + TAPS));
    queue_init(&out, 2 * M * (BLOCK + TAPS));
    for (int p = 0; p < M; p++)
        for (int k = 0; k < TAPS; k++) {
            float t = ((float)(k * M + p) - (TAPS * M - 1) / 2.0F) / M;
            taps[p][k] = (0.54F + 0.46F * cosf(2 * PI * t / TAPS)) * sinf(PI * t) / (PI * t);
        }
    fftwf_plan plan = fftwf_plan_many_dft_r2c(1, &n, BLOCK, mid.data, NULL, 1, M, (fftwf_complex *)half.data, NULL, 1, M / 2 + 1, FFTW_MEASURE);
    while (queue_read(&in, M * (BLOCK + TAPS - 1) - in.fill, f), in.fill >= M * TAPS) {
        ptrdiff_t rows = in.fill / M, there = rows - TAPS + 1;
        for (ptrdiff_t p = 0; p < M; p++) {
            for (ptrdiff_t i = 0; i < rows; i++)
                branch[i] = in.data[M * i + p];
            for (ptrdiff_t i = 0; i < there; i++)
                volk_32f_x2_dot_prod_32f(mid.data + M * i + p, branch + i, taps[p], TAPS);
        }
        fftwf_execute(plan); // all of them, whatever they hold
        for (ptrdiff_t b = 0; b < there; b++) {
            const float *restrict x = half.data + (M + 2) * b;
            float *restrict y = out.data + 2 * M * b;
            for (ptrdiff_t c = 0; c <= M / 2; c++) {
                y[2 * c] = x[2 * c];
                y[2 * c + 1] = -x[2 * c + 1];
            }
            for (ptrdiff_t c = M / 2 + 1; c < M; c++) {
                y[2 * c] = x[2 * (M - c)];
                y[2 * c + 1] = x[2 * (M - c) + 1];
            }
        }
        out.fill = 2 * M * there;
        queue_write(&out, f);
        queue_drop(&in, M * there);
    }
    files_close(f);
    return 0;
}
