/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hand.h"

#include <math.h>
#include <string.h>
#include <time.h>

double hand_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void hand_saxpy(float k, const float *restrict x, const float *restrict y, float *restrict z, int n)
{
    for (int i = 0; i < n; i++)
        z[i] = k * x[i] + y[i];
}

void hand_chain(const float *restrict x, const float *restrict y, float *restrict z, int n)
{
    for (int i = 0; i < n; i++) {
        const float level = (x[i] - 1) / (14.0f - 1.0f), curve = level * level * (3.0f - 2.0f * level);
        const float blend = curve + 0.25f * (y[i] - curve), low = 1.0f < blend ? 1.0f : blend;
        z[i] = 0.0f > low ? 0.0f : low;
    }
}

void hand_copy(float *restrict to, const float *restrict from, int n)
{
    memcpy(to, from, (size_t)n * sizeof *to);
}

void hand_heat(const float *restrict t, float *restrict next, int n)
{
    for (int row = 0; row < n; row++) {
        const float *here = t + row * n, *above = t + (row > 0 ? row - 1 : 0) * n,
                    *below = t + (row < n - 1 ? row + 1 : row) * n;
        for (int i = 1; i < n - 1; i++)
            next[row * n + i] = here[i] + 0.2f * (here[i + 1] + here[i - 1] + below[i] + above[i] - 4.0f * here[i]);
        next[row * n] = here[0] + 0.2f * (here[1] + here[0] + below[0] + above[0] - 4.0f * here[0]);
        next[row * n + n - 1] =
            here[n - 1] + 0.2f * (here[n - 1] + here[n - 2] + below[n - 1] + above[n - 1] - 4.0f * here[n - 1]);
    }
}

void hand_multiply(const float *restrict a, const float *restrict b, float *restrict c, int n)
{
    memset(c, 0, (size_t)n * (size_t)n * sizeof *c);
    for (int row = 0; row < n; row++)
        for (int k = 0; k < n; k++)
            for (int i = 0; i < n; i++)
                c[row * n + i] += a[row * n + k] * b[k * n + i];
}

/* Blocks of outputs: their sums stay in registers. */
void hand_fir(const float *restrict h, const float *restrict x, float *restrict y, int n, int taps)
{
    enum { BLOCK = 32 };
    int i = 0;
    for (; i + BLOCK + taps <= n; i += BLOCK) {
        float sum[BLOCK] = {0};
        for (int k = 0; k < taps; k++)
            for (int j = 0; j < BLOCK; j++)
                sum[j] += h[k] * x[i + j + k];
        memcpy(y + i, sum, sizeof sum);
    }
    for (; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < taps; k++)
            sum += h[k] * x[i + k < n ? i + k : n - 1];
        y[i] = sum;
    }
}

void hand_sparse(const float *restrict x, const float *restrict value, const int *restrict column, float *restrict y,
                 int rows)
{
    for (int i = 0; i < rows; i++) {
        const float *v = value + 4 * i;
        const int *at = column + 4 * i;
        y[i] = v[0] * x[at[0]] + v[1] * x[at[1]] + v[2] * x[at[2]] + v[3] * x[at[3]];
    }
}

void hand_cast(const float *restrict spheres, int count, float *restrict depth, int n)
{
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++) {
            const float x = -1.0f + (float)column * 2.0f / (float)n, y = -1.0f + (float)row * 2.0f / (float)n;
            const float length = x * x + y * y + 1.0f;
            float nearest = 1000;
            for (int i = 0; i < count; i++) {
                const float *s = spheres + 4 * i;
                const float along = s[0] * x + s[1] * y + s[2];
                const float inside = along * along - length * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2] - s[3] * s[3]);
                if (inside > 0) {
                    const float t = (along - sqrtf(inside)) / length;
                    if (t > 0 && t < nearest)
                        nearest = t;
                }
            }
            depth[row * n + column] = nearest;
        }
}

void hand_escape(float *steps, int n)
{
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++) {
            const float cx = -2.0f + (float)column * 3.0f / (float)n, cy = -1.5f + (float)row * 3.0f / (float)n;
            float x = cx, y = cy, k;
            for (k = 0; k < 100; k += 1) {
                const float r = x * x, i = y * y;
                if (r + i > 4.0f)
                    break;
                y = 2.0f * x * y + cy;
                x = r - i + cx;
            }
            steps[row * n + column] = k;
        }
}

void hand_poly(const float *restrict x, float *restrict y, int n)
{
    for (int i = 0; i < n; i++) {
        const float a = x[i] * x[i];
        y[i] = ((((a * 0.01f + 0.02f) * a + 0.3f) * a - 0.4f) * a + 0.5f) / (1.0f + a) + sqrtf(a + 1.0f);
    }
}

float hand_total(const float *x, int n)
{
    float sum = x[0];
    for (int i = 1; i < n; i++)
        sum += x[i];
    return sum;
}

void hand_columns(const float *restrict x, float *restrict sums, int n)
{
    memcpy(sums, x, (size_t)n * sizeof *sums);
    for (int row = 1; row < n; row++)
        for (int i = 0; i < n; i++)
            sums[i] += x[row * n + i];
}

/* ---- Of examples.br ---- */

float hand_largest(const float *x, int n)
{
    float most = x[0];
    for (int i = 1; i < n; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}

float hand_dot(const float *x, const float *y, int n)
{
    float sum = x[0] * y[0];
    for (int i = 1; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

void hand_plate(float *now, float *next, int width, int height, int steps)
{
    for (int step = 0; step < steps; step++) {
        for (int row = 1; row < height - 1; row++) {
            const float *restrict here = now + row * width, *above = here - width, *below = here + width;
            float *restrict to = next + row * width;
            for (int i = 1; i < width - 1; i++)
                to[i] = here[i] + 0.2f * (here[i + 1] + here[i - 1] + below[i] + above[i] - 4.0f * here[i]);
        }
        float *t = now;
        now = next;
        next = t;
    }
}

/* Matrices of n by n blocks of 2 by 2, each of which is four floats. */
void hand_blocks(const float *restrict a, const float *restrict b, float *restrict c, int n)
{
    memset(c, 0, (size_t)n * (size_t)n * 4 * sizeof *c);
    for (int row = 0; row < n; row++)
        for (int k = 0; k < n; k++) {
            const float *l = a + (row * n + k) * 4;
            for (int i = 0; i < n; i++) {
                const float *r = b + (k * n + i) * 4;
                float *to = c + (row * n + i) * 4;
                to[0] += l[0] * r[0] + l[1] * r[2];
                to[1] += l[0] * r[1] + l[1] * r[3];
                to[2] += l[2] * r[0] + l[3] * r[2];
                to[3] += l[2] * r[1] + l[3] * r[3];
            }
        }
}

/* A x = right, five entries a row; work: 3 n floats. Sums are those of the kernels, in their order. */
int hand_gradient(const float *restrict value, const int *restrict column, const float *right, float *x, float *work,
                  int n)
{
    enum { ENTRIES = 5 };
    float *restrict r = work, *restrict d = work + n, *restrict y = work + 2 * n;
    int step;
    memset(x, 0, (size_t)n * sizeof *x);
    memcpy(r, right, (size_t)n * sizeof *r);
    memcpy(d, right, (size_t)n * sizeof *d);
    float old = hand_dot(r, r, n);
    for (step = 0; step < 100 && old > 1e-8f; step++) {
        for (int i = 0; i < n; i++) {
            const float *v = value + i * ENTRIES;
            const int *at = column + i * ENTRIES;
            y[i] = v[0] * d[at[0]] + v[1] * d[at[1]] + v[2] * d[at[2]] + v[3] * d[at[3]] + v[4] * d[at[4]];
        }
        const float curvature = hand_dot(d, y, n), k = old / curvature;
        for (int i = 0; i < n; i++) {
            x[i] += k * d[i];
            r[i] -= k * y[i];
        }
        const float now = hand_dot(r, r, n);
        for (int i = 0; i < n; i++)
            d[i] = r[i] + now / old * d[i];
        old = now;
    }
    return step;
}

static void compare(float *restrict low, float *restrict high, int n)
{
    for (int i = 0; i < n; i++) {
        const float a = low[i], b = high[i];
        low[i] = a < b ? a : b;
        high[i] = a > b ? a : b;
    }
}

/* The bitonic network in place: pairs are compared once. */
void hand_sort(float *v, int n)
{
    for (int run = 2; run <= n; run *= 2)
        for (int far = run / 2; far >= 1; far /= 2)
            for (int at = 0; at < n; at += 2 * far)
                if (at / run % 2 == 0)
                    compare(v + at, v + at + far, far);
                else
                    compare(v + at + far, v + at, far);
}

static float normal(float d)
{
    const float a = fabsf(d), t = 1.0f / (1.0f + 0.2316419f * a);
    const float sum =
        t * (0.319381530f + t * (-0.356563782f + t * (1.781477937f + t * (-1.821255978f + t * 1.330274429f))));
    const float above = 0.39894228f * expf(-0.5f * a * a) * sum;
    return d < 0 ? above : 1 - above;
}

void hand_options(const float *restrict options, float *restrict call, float *restrict put, int n)
{
    for (int i = 0; i < n; i++) {
        const float spot = options[3 * i], strike = options[3 * i + 1], years = options[3 * i + 2];
        const float deviation = 0.25f * sqrtf(years);
        const float d = (logf(spot / strike) + (0.03f + 0.5f * 0.25f * 0.25f) * years) / deviation;
        const float later = strike * expf(-0.03f * years);
        call[i] = spot * normal(d) - later * normal(d - deviation);
        put[i] = call[i] + later - spot;
    }
}

static int joined(const float *grey, const int *label, int at, int there)
{
    return fabsf(grey[at] - grey[there]) <= 1.0f && label[there] < label[at] ? label[there] : label[at];
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Labels of an n by n picture; how many regions there are. */
int hand_regions(const float *restrict grey, int *label, int *next, int *grown, int n)
{
    int changed = 1, regions = 0;
    int *const result = label;
    for (int i = 0; i < n * n; i++)
        label[i] = i;
    while (changed) {
        for (int row = 0; row < n; row++) {
            const int above = row > 0 ? -n : 0, below = row < n - 1 ? n : 0;
            const int *restrict from = label + row * n;
            const float *g = grey + row * n;
            int *restrict to = grown + row * n;
            for (int i = 1; i < n - 1; i++)
                to[i] = least(least(joined(g, from, i, i + 1), joined(g, from, i, i - 1)),
                              least(joined(g, from, i, i + below), joined(g, from, i, i + above)));
            to[0] = least(joined(g, from, 0, 1), least(joined(g, from, 0, below), joined(g, from, 0, above)));
            to[n - 1] = least(joined(g, from, n - 1, n - 2),
                              least(joined(g, from, n - 1, n - 1 + below), joined(g, from, n - 1, n - 1 + above)));
        }
        changed = 0;
        for (int i = 0; i < n * n; i++) {
            next[i] = least(grown[i], grown[grown[i]]);
            changed += next[i] != label[i];
        }
        int *t = label;
        label = next;
        next = t;
    }
    for (int i = 0; i < n * n; i++)
        regions += label[i] == i;
    if (label != result)
        memcpy(result, label, (size_t)(n * n) * sizeof *label);
    return regions;
}

/* Four spheres of eight floats: place, radius, colour. */
void hand_spheres(const float *restrict spheres, float *restrict colour, float *restrict hit, int width, int height)
{
    for (int row = 0; row < height; row++)
        for (int column = 0; column < width; column++, colour += 3, hit++) {
            float x = -0.8f + (float)column * (0.8f - -0.8f) / (float)width,
                  y = -0.6f + (float)row * (0.6f - -0.6f) / (float)height, z = 1;
            const float sky = 1.0f - y * 0.5f;
            y = -y;
            const float length = sqrtf(x * x + y * y + z * z);
            float nearest = 1000;
            x /= length;
            y /= length;
            z /= length;
            colour[0] = colour[1] = 0.1f * sky;
            colour[2] = 0.2f * sky;
            *hit = -1;
            for (int i = 0; i < 4; i++) {
                const float *s = spheres + 8 * i;
                const float along = s[0] * x + s[1] * y + s[2] * z;
                const float inside = s[3] * s[3] - (s[0] * s[0] + s[1] * s[1] + s[2] * s[2] - along * along);
                if (inside < 0 || along < 0)
                    continue;
                const float t = along - sqrtf(inside);
                if (t > 0 && t < nearest) {
                    const float u = t * x - s[0], v = t * y - s[1], w = t * z - s[2], size = sqrtf(u * u + v * v + w * w);
                    const float lit = u / size * 0.577f + v / size * 0.577f + w / size * -0.577f;
                    const float bright = 0.15f + 0.85f * (lit > 0 ? lit : 0);
                    nearest = t;
                    colour[0] = bright * s[4];
                    colour[1] = bright * s[5];
                    colour[2] = bright * s[6];
                    *hit = (float)i;
                }
            }
        }
}

/* Lines of n complex numbers, 16 beside each other, turned over on their way in; n up to FFT_LONGEST. */
enum { FFT_LINES = 16, FFT_LONGEST = 256 };

static void fft_lines(const float *restrict from, float *restrict to, const float *restrict factors, int n)
{
    float re[2][FFT_LONGEST][FFT_LINES], im[2][FFT_LONGEST][FFT_LINES];
    for (int line = 0; line < n; line += FFT_LINES) {
        for (int i = 0; i < n; i++)
            for (int k = 0; k < FFT_LINES; k++) {
                re[0][i][k] = from[2 * ((line + k) * n + i)];
                im[0][i][k] = from[2 * ((line + k) * n + i) + 1];
            }
        int now = 0;
        for (int run = n / 2; run > 0; run /= 2, now ^= 1)
            for (int pair = 0; pair < n / 2; pair += run) {
                const float x = factors[2 * pair], y = factors[2 * pair + 1];
                for (int i = pair; i < pair + run; i++) {
                    const float *ar = re[now][i + pair], *ai = im[now][i + pair], *br = re[now][i + pair + run],
                                *bi = im[now][i + pair + run];
                    float *restrict sr = re[!now][i], *restrict si = im[!now][i], *restrict dr = re[!now][i + n / 2],
                          *restrict di = im[!now][i + n / 2];
                    for (int k = 0; k < FFT_LINES; k++) {
                        const float r = br[k] * x - bi[k] * y, m = br[k] * y + bi[k] * x;
                        sr[k] = ar[k] + r;
                        si[k] = ai[k] + m;
                        dr[k] = ar[k] - r;
                        di[k] = ai[k] - m;
                    }
                }
            }
        for (int i = 0; i < n; i++)
            for (int k = 0; k < FFT_LINES; k++) {
                to[2 * (i * n + line + k)] = re[now][i][k];
                to[2 * (i * n + line + k) + 1] = im[now][i][k];
            }
    }
}

void hand_fft(const float *restrict from, float *restrict to, float *restrict work, const float *restrict factors, int n)
{
    fft_lines(from, work, factors, n);
    fft_lines(work, to, factors, n);
}
