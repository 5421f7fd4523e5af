// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stereo FM receiver of examples/fm-receiver by hand: filters compute 64 outputs side by side, the decimating ones over
// the input dealt into one row a phase.
#include "vec.h"

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

// Three filters over one input: what they load is the same.
static void filters(const floats *in, float *restrict band, float *restrict re, float *restrict im, ptrdiff_t n)
{
    ptrdiff_t i = 0;
    for (; i + 32 <= n; i += 32) {
        const float *restrict x = in->data + i;
        vf16 a[2] = {{0}}, b[2] = {{0}}, c[2] = {{0}};
        for (ptrdiff_t k = 0; k < TAPS; k++)
            for (ptrdiff_t l = 0; l < 2; l++) {
                vf16 v = load16(x + k + 16 * l);
                a[l] += v * band_taps[k];
                b[l] += v * pilot_i[k];
                c[l] += v * pilot_q[k];
            }
        for (ptrdiff_t l = 0; l < 2; l++) {
            store16(band + i + 16 * l, a[l]);
            store16(re + i + 16 * l, b[l]);
            store16(im + i + 16 * l, c[l]);
        }
    }
    fir(in->data + i, band_taps, TAPS, band + i, n - i);
    fir(in->data + i, pilot_i, TAPS, re + i, n - i);
    fir(in->data + i, pilot_q, TAPS, im + i, n - i);
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
    static float phase[DECIMATION][(BLOCK + AUDIO_TAPS + TAPS) / DECIMATION + 128];
    const float *restrict x = in->data;
    float *restrict y = out->data + out->fill;
    ptrdiff_t n = in->fill >= AUDIO_TAPS ? (in->fill - AUDIO_TAPS) / DECIMATION + 1 : 0;
    for (ptrdiff_t i = 0; DECIMATION * i < in->fill; i++)
        for (ptrdiff_t p = 0; p < DECIMATION; p++)
            phase[p][i] = x[DECIMATION * i + p];
    for (ptrdiff_t i = 0; i < n; i += 64) { // what is computed behind the last one is not used
        vf16 s[4] = {{0}};
        for (ptrdiff_t k = 0; k < AUDIO_TAPS; k++)
            for (ptrdiff_t l = 0; l < 4; l++)
                s[l] += load16(phase[k % DECIMATION] + i + k / DECIMATION + 16 * l) * sum_taps[k];
        for (ptrdiff_t l = 0; l < 4; l++)
            store16(y + i + 16 * l, s[l]);
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
    queue_init(&delayed, BLOCK + AUDIO_TAPS + TAPS + DECIMATION);
    queue_init(&detected, BLOCK + AUDIO_TAPS + TAPS + DECIMATION);
    queue_init(&sum, BLOCK + 64);
    queue_init(&difference, BLOCK + 64);
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
        filters(&multiplex, band, re, im, n);
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
