// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The receiver of examples/fm-receiver with VOLK, which is what GNU Radio's blocks call: products of complex samples,
// their angles, and a product of a window with the taps for each output of a filter.
#include "queue.h"
#include <volk/volk.h>

#define RATE 240000.0F
#define DECIMATION 5
#define TAPS 257
#define AUDIO_TAPS 125
#define BLOCK 8192
#define PI 3.14159265F

static float band[TAPS], pilot[2][TAPS], audio[AUDIO_TAPS];

static void make_taps(void)
{
    float sum = 0;
    for (int k = 0; k < TAPS; k++) {
        float t = (float)k - (TAPS - 1) / 2.0F, w = 0.54F - 0.46F * cosf(2 * PI * (float)k / (TAPS - 1));
        float a = 2 * PI * 23000 / RATE, b = 2 * PI * 53000 / RATE, x = PI * 3000 / RATE;
        float low = t == 0 ? x / PI : sinf(x * t) / (PI * t);
        band[k] = t == 0 ? w * (b - a) / PI : w * (sinf(b * t) - sinf(a * t)) / (PI * t);
        pilot[0][k] = 2 * w * low * cosf(2 * PI * 19000 / RATE * t);
        pilot[1][k] = 2 * w * low * sinf(2 * PI * 19000 / RATE * t);
    }
    for (int k = 0; k < AUDIO_TAPS; k++) {
        float t = (float)k - (AUDIO_TAPS - 1) / 2.0F, w = 0.54F - 0.46F * cosf(2 * PI * (float)k / (AUDIO_TAPS - 1));
        float x = 2 * PI * 15000 / RATE;
        audio[k] = t == 0 ? w * x / PI : w * sinf(x * t) / (PI * t);
        sum += audio[k];
    }
    for (int k = 0; k < AUDIO_TAPS; k++)
        audio[k] /= sum;
}

// The multiplex signal of the samples that are there.
static void demodulate(floats *iq, floats *multiplex)
{
    static lv_32fc_t turns[BLOCK + 16];
    const lv_32fc_t *x = (const lv_32fc_t *)iq->data;
    ptrdiff_t n = iq->fill / 2 - 1;
    if (n <= 0)
        return;
    volk_32fc_x2_multiply_conjugate_32fc(turns, x + 1, x, (unsigned)n);
    volk_32fc_s32f_atan2_32f(multiplex->data + multiplex->fill, turns, 2 * PI * 75000 / RATE, (unsigned)n);
    // atan2(q1 i0 - i1 q0, i1 i0 + q1 q0) is the angle of x1 times the conjugate of x0; the scale divides.
    multiplex->fill += n;
    queue_drop(iq, 2 * n);
}

static void stereo(floats *multiplex, floats *middle, floats *difference)
{
    ptrdiff_t n = multiplex->fill - TAPS + 1;
    for (ptrdiff_t i = 0; i < n; i++) {
        const float *x = multiplex->data + i;
        float b, re, im;
        volk_32f_x2_dot_prod_32f(&b, x, band, TAPS);
        volk_32f_x2_dot_prod_32f(&re, x, pilot[0], TAPS);
        volk_32f_x2_dot_prod_32f(&im, x, pilot[1], TAPS);
        float power = re * re + im * im;
        middle->data[middle->fill++] = x[(TAPS - 1) / 2];
        difference->data[difference->fill++] = 2 * b * (power > 1e-12F ? 2 * re * im / power : 0);
    }
    if (n > 0)
        queue_drop(multiplex, n);
}

static void low_pass(floats *in, floats *out)
{
    ptrdiff_t n = in->fill >= AUDIO_TAPS ? (in->fill - AUDIO_TAPS) / DECIMATION + 1 : 0;
    for (ptrdiff_t i = 0; i < n; i++)
        volk_32f_x2_dot_prod_32f(out->data + out->fill + i, in->data + DECIMATION * i, audio, AUDIO_TAPS);
    out->fill += n;
    queue_drop(in, DECIMATION * n);
}

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats iq, multiplex, middle, difference, sum, other, sound;
    queue_init(&iq, 2 * BLOCK + 16);
    queue_init(&multiplex, BLOCK + TAPS + 16);
    queue_init(&middle, BLOCK + TAPS + 16);
    queue_init(&difference, BLOCK + TAPS + 16);
    queue_init(&sum, BLOCK);
    queue_init(&other, BLOCK);
    queue_init(&sound, 2 * BLOCK);
    make_taps();
    const float a = 1.0F - expf(-1.0F / (50e-6F * RATE / DECIMATION));
    float left = 0, right = 0;
    for (ptrdiff_t before; before = iq.fill, queue_read(&iq, 2 * BLOCK, f) > before;) {
        demodulate(&iq, &multiplex);
        stereo(&multiplex, &middle, &difference);
        low_pass(&middle, &sum);
        low_pass(&difference, &other);
        for (ptrdiff_t i = 0; i < sum.fill; i++) {
            left += a * (0.5F * (sum.data[i] + other.data[i]) - left);
            right += a * (0.5F * (sum.data[i] - other.data[i]) - right);
            sound.data[2 * i] = left;
            sound.data[2 * i + 1] = right;
        }
        sound.fill = 2 * sum.fill;
        sum.fill = other.fill = 0;
        queue_write(&sound, f);
    }
    files_close(f);
    return 0;
}
