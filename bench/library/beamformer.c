// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The beamformer of examples/beamformer with VOLK (a channel's filter) and OpenBLAS (the beams, a product of matrices).
#include "queue.h"
#include <cblas.h>
#include <volk/volk.h>

#define CHANNELS 12
#define BEAMS 4
#define TAPS 32
#define SAMPLES 512 // a block, of all channels
#define PI 3.14159265F

static float taps[CHANNELS][TAPS];
static lv_32fc_t weights[CHANNELS][BEAMS];

static void make_tables(void)
{
    float sum = 0;
    for (int k = 0; k < TAPS; k++)
        sum += 0.5F - 0.5F * cosf(2.0F * PI * ((float)k + 0.5F) / (float)TAPS);
    for (int c = 0; c < CHANNELS; c++)
        for (int k = 0; k < TAPS; k++)
            taps[c][k] = (0.5F - 0.5F * cosf(2.0F * PI * ((float)k + 0.5F) / (float)TAPS)) / sum * (1.0F + 0.01F * (float)c);
    for (int b = 0; b < BEAMS; b++) {
        float angle = PI * ((float)b - (float)(BEAMS - 1) / 2.0F) / (2.0F * (float)BEAMS);
        for (int c = 0; c < CHANNELS; c++) {
            float w = -2.0F * PI * 0.5F * (float)c * sinf(angle);
            weights[c][b] = lv_cmake(cosf(w) / (float)CHANNELS, sinf(w) / (float)CHANNELS);
        }
    }
}

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats in, out;
    queue_init(&in, 2 * CHANNELS * (SAMPLES + TAPS + 2));
    queue_init(&out, BEAMS * SAMPLES);
    static lv_32fc_t channel[SAMPLES + TAPS + 2], filtered[SAMPLES][CHANNELS], beams[SAMPLES * BEAMS];
    const lv_32fc_t one = lv_cmake(1, 0), none = lv_cmake(0, 0);
    openblas_set_num_threads(1);
    make_tables();
    for (ptrdiff_t before; before = in.fill, queue_read(&in, 2 * CHANNELS * SAMPLES, f) > before;) {
        ptrdiff_t samples = in.fill / (2 * CHANNELS), n = samples >= TAPS ? (samples - TAPS) / 2 + 1 : 0;
        for (ptrdiff_t c = 0; c < CHANNELS; c++) {
            for (ptrdiff_t i = 0; i < samples; i++)
                memcpy(channel + i, in.data + 2 * (CHANNELS * i + c), sizeof *channel);
            for (ptrdiff_t i = 0; i < n; i++)
                volk_32fc_32f_dot_prod_32fc(&filtered[i][c], channel + 2 * i, taps[c], TAPS);
        }
        cblas_cgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, BEAMS, CHANNELS, &one, filtered, CHANNELS, weights, BEAMS, &none, beams,
                    BEAMS);
        volk_32fc_magnitude_32f(out.data, beams, (unsigned)(BEAMS * n));
        out.fill = BEAMS * n;
        queue_write(&out, f);
        queue_drop(&in, 4 * CHANNELS * n);
    }
    files_close(f);
    return 0;
}
