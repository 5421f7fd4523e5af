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
