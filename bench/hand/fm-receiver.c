// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stereo FM receiver of examples/fm-receiver by hand.
#include "queue.h"

#define RATE 240000.0F
#define PI 3.14159265F
#define TAPS 257
#define AUDIO_TAPS 125
#define DECIMATION 5
#define BLOCK 8192

static float sum_taps[AUDIO_TAPS], band_taps[TAPS], pilot_i[TAPS], pilot_q[TAPS];

static float hamming(int k, int taps)
{
    return 0.54F - 0.46F * cosf(2.0F * PI * (float)k / (float)(taps - 1));
}

static void make_taps(void)
{
    float sum = 0;
    for (int k = 0; k < AUDIO_TAPS; k++) {
        float t = (float)k - (float)(AUDIO_TAPS - 1) / 2.0F, w = hamming(k, AUDIO_TAPS), x = 2.0F * PI * 15000.0F / RATE;
        sum_taps[k] = t == 0 ? w * x / PI : w * sinf(x * t) / (PI * t);
        sum += sum_taps[k];
    }
    for (int k = 0; k < AUDIO_TAPS; k++)
        sum_taps[k] /= sum;
    for (int k = 0; k < TAPS; k++) {
        float t = (float)k - (float)(TAPS - 1) / 2.0F, w = hamming(k, TAPS);
        float a = 2.0F * PI * 23000.0F / RATE, b = 2.0F * PI * 53000.0F / RATE;
        band_taps[k] = t == 0 ? w * (b - a) / PI : w * (sinf(b * t) - sinf(a * t)) / (PI * t);
        float x = PI * 3000.0F / RATE, low = t == 0 ? x / PI : sinf(x * t) / (PI * t);
        pilot_i[k] = 2.0F * w * low * cosf(2.0F * PI * 19000.0F / RATE * t);
        pilot_q[k] = 2.0F * w * low * sinf(2.0F * PI * 19000.0F / RATE * t);
    }
}

static void demodulate(floats *in, floats *out)
{
    const float gain = RATE / (2.0F * PI * 75000.0F);
    const float *restrict x = in->data;
    float *restrict y = out->data + out->fill;
    ptrdiff_t n = in->fill >= 4 ? (in->fill - 2) / 2 : 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        float i0 = x[2 * i], q0 = x[2 * i + 1], i1 = x[2 * i + 2], q1 = x[2 * i + 3];
        y[i] = gain * atan2f(q1 * i0 - i1 * q0, i1 * i0 + q1 * q0);
    }
    out->fill += n;
    queue_drop(in, 2 * n);
}

// The multiplex to what both audio filters need: the delayed multiplex, and the detected difference.
static void delay(const floats *in, floats *out, ptrdiff_t n)
{
    memcpy(out->data + out->fill, in->data + (TAPS - 1) / 2, (size_t)n * sizeof(float));
    out->fill += n;
}

static void band_pass(const floats *in, float *restrict band, ptrdiff_t n)
{
    const float *restrict x = in->data;
    for (ptrdiff_t i = 0; i < n; i++) {
        float sum = 0;
        for (ptrdiff_t k = 0; k < TAPS; k++)
            sum += x[i + k] * band_taps[k];
        band[i] = sum;
    }
}

static void pilot(const floats *in, float *restrict re, float *restrict im, ptrdiff_t n)
{
    const float *restrict x = in->data;
    for (ptrdiff_t i = 0; i < n; i++) {
        float a = 0, b = 0;
        for (ptrdiff_t k = 0; k < TAPS; k++) {
            a += x[i + k] * pilot_i[k];
            b += x[i + k] * pilot_q[k];
        }
        re[i] = a;
        im[i] = b;
    }
}

static void detect(const float *restrict band, const float *restrict re, const float *restrict im, floats *out, ptrdiff_t n)
{
    float *restrict y = out->data + out->fill;
    for (ptrdiff_t i = 0; i < n; i++) {
        float power = re[i] * re[i] + im[i] * im[i];
        float carrier = power > 1e-12F ? 2.0F * re[i] * im[i] / power : 0.0F;
        y[i] = 2.0F * band[i] * carrier;
    }
    out->fill += n;
}

static void low_pass(floats *in, floats *out)
{
    const float *restrict x = in->data;
    float *restrict y = out->data + out->fill;
    ptrdiff_t n = in->fill >= AUDIO_TAPS ? (in->fill - AUDIO_TAPS) / DECIMATION + 1 : 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        float sum = 0;
        for (ptrdiff_t k = 0; k < AUDIO_TAPS; k++)
            sum += x[DECIMATION * i + k] * sum_taps[k];
        y[i] = sum;
    }
    out->fill += n;
    queue_drop(in, DECIMATION * n);
}

static void matrix_and_deemphasis(floats *sum, floats *difference, floats *out, float a, float state[2])
{
    const float *restrict s = sum->data, *restrict d = difference->data;
    float *restrict y = out->data + out->fill, left = state[0], right = state[1];
    ptrdiff_t n = sum->fill < difference->fill ? sum->fill : difference->fill;
    for (ptrdiff_t i = 0; i < n; i++) {
        left += a * (0.5F * (s[i] + d[i]) - left);
        right += a * (0.5F * (s[i] - d[i]) - right);
        y[2 * i] = left;
        y[2 * i + 1] = right;
    }
    state[0] = left;
    state[1] = right;
    out->fill += 2 * n;
    queue_drop(sum, n);
    queue_drop(difference, n);
}

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    floats iq, multiplex, delayed, detected, sum, difference, sound;
    queue_init(&iq, 2 * BLOCK + 16);
    queue_init(&multiplex, BLOCK + TAPS);
    queue_init(&delayed, BLOCK + AUDIO_TAPS + TAPS);
    queue_init(&detected, BLOCK + AUDIO_TAPS + TAPS);
    queue_init(&sum, BLOCK);
    queue_init(&difference, BLOCK);
    queue_init(&sound, 2 * BLOCK);
    float *band = queue_alloc((BLOCK + TAPS) * sizeof(float)), *re = queue_alloc((BLOCK + TAPS) * sizeof(float)),
          *im = queue_alloc((BLOCK + TAPS) * sizeof(float)), state[2] = {0, 0};
    make_taps();
    const float a = 1.0F - expf(-1.0F / (50e-6F * RATE / (float)DECIMATION));
    for (ptrdiff_t before = -1; before != iq.fill;) {
        before = iq.fill;
        queue_read(&iq, 2 * BLOCK, f);
        if (iq.fill == before)
            break;
        demodulate(&iq, &multiplex);
        ptrdiff_t n = multiplex.fill >= TAPS ? multiplex.fill - TAPS + 1 : 0;
        delay(&multiplex, &delayed, n);
        band_pass(&multiplex, band, n);
        pilot(&multiplex, re, im, n);
        detect(band, re, im, &detected, n);
        queue_drop(&multiplex, n);
        low_pass(&delayed, &sum);
        low_pass(&detected, &difference);
        matrix_and_deemphasis(&sum, &difference, &sound, a, state);
        queue_write(&sound, f);
        before = -1;
    }
    files_close(f);
    return 0;
}
