// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thread functions as C, and the same on the host: threads KERNEL WIDTH HEIGHT FOLDER writes random inputs s0.bin, ... and the
// outputs e0.bin, ... that C computes for each place of the domain.
typedef float float4 __attribute__((vector_size(16)));

float4 svm_spLookup(int input, float s, float t);
void svm_spOutput(int output, float4 value);

// The machine's logarithm is rounded once.
#ifdef DEVICE
#define LOG2(x) __builtin_log2f(x)
#else
#include <math.h>
#define LOG2(x) ((float)log2((double)(x)))
#endif

#define TABLE_65(e)                                                                                                    \
    e(0) e(1) e(2) e(3) e(4) e(5) e(6) e(7) e(8) e(9) e(10) e(11) e(12) e(13) e(14) e(15) e(16) e(17) e(18) e(19)      \
        e(20) e(21) e(22) e(23) e(24) e(25) e(26) e(27) e(28) e(29) e(30) e(31) e(32) e(33) e(34) e(35) e(36) e(37)    \
            e(38) e(39) e(40) e(41) e(42) e(43) e(44) e(45) e(46) e(47) e(48) e(49) e(50) e(51) e(52) e(53) e(54)      \
                e(55) e(56) e(57) e(58) e(59) e(60) e(61) e(62) e(63) e(64)
#define TAP(i) (0.3f + 0.011f * (i)-0.0007f * (i) * (i)),

// 65 taps, four outputs from 17 elements of four.
void fir(float x, float y)
{
    static const float tap[65] = {TABLE_65(TAP)};
    float in[68], sum[4] = {0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < 17; i++) {
        float4 v = svm_spLookup(0, x + (float)i, y);
        for (int k = 0; k < 4; k++)
            in[4 * i + k] = v[k];
    }
#pragma unroll
    for (int i = 0; i < 65; i++)
        for (int k = 0; k < 4; k++)
            sum[k] += tap[i] * in[i + k];
    svm_spOutput(0, (float4){sum[0], sum[1], sum[2], sum[3]});
}

// cos(pi (2 n + 1) k / 16), k = 1 to 7; row 0 is 1.
#define C1 0.98078528f
#define C2 0.92387953f
#define C3 0.83146961f
#define C4 0.70710678f
#define C5 0.55557023f
#define C6 0.38268343f
#define C7 0.19509032f
static const float dct_row[8][8] = {{1, 1, 1, 1, 1, 1, 1, 1},
                                    {C1, C3, C5, C7, -C7, -C5, -C3, -C1},
                                    {C2, C6, -C6, -C2, -C2, -C6, C6, C2},
                                    {C3, -C7, -C1, -C5, C5, C1, C7, -C3},
                                    {C4, -C4, -C4, C4, C4, -C4, -C4, C4},
                                    {C5, -C1, C7, C3, -C3, -C7, C1, -C5},
                                    {C6, -C2, C2, -C6, -C6, C2, -C2, C6},
                                    {C7, -C5, C3, -C1, C1, -C3, C5, -C7}};

// Eight points, as sums of eight products.
void dct8(float x, float y)
{
    float in[8], out[8];
    float4 low = svm_spLookup(0, 2 * x, y), high = svm_spLookup(0, 2 * x + 1, y);
    for (int i = 0; i < 4; i++) {
        in[i] = low[i];
        in[4 + i] = high[i];
    }
#pragma unroll
    for (int k = 0; k < 8; k++) {
        out[k] = in[0] * dct_row[k][0];
#pragma unroll
        for (int n = 1; n < 8; n++)
            out[k] += in[n] * dct_row[k][n];
    }
    svm_spOutput(0, (float4){out[0], out[1], out[2], out[3]});
    svm_spOutput(1, (float4){out[4], out[5], out[6], out[7]});
}

// 3 x 3 taps over rows of elements of four.
void convolve(float x, float y)
{
    static const float tap[3][3] = {{0.1f, -0.2f, 0.3f}, {0.4f, 1.7f, -0.6f}, {0.7f, 0.8f, -0.9f}};
    float sum[4] = {0, 0, 0, 0};
#pragma unroll
    for (int row = 0; row < 3; row++) {
        float4 a = svm_spLookup(0, x, y + (float)row), b = svm_spLookup(0, x + 1, y + (float)row);
        float in[8] = {a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]};
#pragma unroll
        for (int i = 0; i < 3; i++)
#pragma unroll
            for (int k = 0; k < 4; k++)
                sum[k] += tap[row][i] * in[i + k];
    }
    svm_spOutput(0, (float4){sum[0], sum[1], sum[2], sum[3]});
}

// Four pairs: the lower ones, and the higher ones.
void bitonic(float x, float y)
{
    float4 a = svm_spLookup(0, x, y), b = svm_spLookup(0, x, y + 8), low, high;
    for (int i = 0; i < 4; i++) {
        low[i] = a[i] < b[i] ? a[i] : b[i];
        high[i] = a[i] > b[i] ? a[i] : b[i];
    }
    svm_spOutput(0, low);
    svm_spOutput(1, high);
}

// 16 rounds of z = z * z + c for four points; the rounds that each stays within a circle of radius 2.
void mandelbrot(float x, float y)
{
    float4 cr = svm_spLookup(0, x, y), ci = svm_spLookup(1, x, y), count = {0, 0, 0, 0};
    float4 zr = cr, zi = ci;
#pragma unroll
    for (int round = 0; round < 16; round++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float rr = zr[i] * zr[i], ii = zi[i] * zi[i];
            count[i] += rr + ii <= 4.0f ? 1.0f : 0.0f;
            zi[i] = 2 * zr[i] * zi[i] + ci[i];
            zr[i] = rr - ii + cr[i];
        }
    svm_spOutput(0, count);
}

// Four rows by four columns of A * B over 64 steps. Input 0 has A in squares: element (j, y) is columns 4 (j / 4) to that + 3
// of row 4 y + j % 4. Input 1 has B in rows. The order of sums is that of plain C.
void matmatmult(float x, float y)
{
    float4 sum[4] = {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};
#pragma unroll
    for (int k = 0; k < 16; k++) {
        float4 left[4], right[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            left[i] = svm_spLookup(0, (float)(4 * k + i), y);
            right[i] = svm_spLookup(1, x, (float)(4 * k + i));
        }
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                for (int c = 0; c < 4; c++)
                    sum[i][c] += left[i][j] * right[j][c];
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        svm_spOutput(i, sum[i]);
}

// alpha * A * B + beta * C, all in rows, over 40 steps; input 2 is C.
void sgemm(float x, float y, float alpha, float beta)
{
    float4 sum[4] = {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};
    float row[4] = {4 * y, 4 * y + 1, 4 * y + 2, 4 * y + 3};
#pragma unroll
    for (int k = 0; k < 10; k++) {
        float4 left[4], right[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            left[i] = svm_spLookup(0, (float)k, row[i]);
            right[i] = svm_spLookup(1, x, (float)(4 * k + i));
        }
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                for (int c = 0; c < 4; c++)
                    sum[i][c] += left[i][j] * right[j][c];
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float4 old = svm_spLookup(2, x, row[i]);
        for (int c = 0; c < 4; c++)
            sum[i][c] = alpha * sum[i][c] + beta * old[c];
        svm_spOutput(i, sum[i]);
    }
}

// Sixteen flights of a photon through a slab of cells. Input 0 has random numbers of 0 to 1 in red and green, input 1 the
// cells' mean flights in red.
void photon(float x, float y, float depth, float rest, float albedo, float last)
{
    float z = 0, weight = 1, top = 0, bottom = 0, absorbed = 0;
#pragma unroll
    for (int flight = 0; flight < 16; flight++) {
        float4 random = svm_spLookup(0, x, y);
        float length = LOG2(random[0]) * svm_spLookup(1, z, 0)[0];
        y += 2;
        z += flight == 0 ? length : length * (random[1] * 2 - 1);
        int above = z<0, below = z> depth;
        top += above ? weight : 0;
        bottom += below ? weight : 0;
        weight = above || below ? 0 : weight;
        z = z > 0 ? z : 0;
        z = z < last ? z : last;
        absorbed += weight * rest;
        weight *= albedo;
    }
    svm_spOutput(0, (float4){top, bottom, absorbed, weight});
}

// A bit of everything else: floor, negation, absolute values, comparisons of all kinds, dependent lookups, an input that
// goes out as it is, an output of one component.
void mixture(float x, float y)
{
    float4 a = svm_spLookup(0, x, y), b = svm_spLookup(1, y, x), o = {0, 0, 0, 0};
    float fraction = a[0] - __builtin_floorf(a[0]);
    float s = __builtin_floorf(fraction * 7.5f), t = __builtin_fabsf(__builtin_floorf(-fraction * 5));
    float4 c = svm_spLookup(0, s, t);
    o[0] = a[1] < b[1] ? c[0] : -c[1];
    o[1] = a[2] >= b[2] ? __builtin_fabsf(c[2]) - a[3] : c[3] * b[0];
    o[2] = a[3] == a[3] * 1.5f ? 3.0f : -__builtin_fabsf(b[3]);
    o[3] = (a[0] > 0 ? a[1] : b[1]) - (b[0] != 0 ? 0.25f : c[0]) * (a[1] <= 1 ? -1.0f : b[2]);
    svm_spOutput(0, o);
    svm_spOutput(1, (float4){a[0], b[3], a[0], -x});
    svm_spOutput(2, (float4){fraction, fraction, s, o[0]});
}

// Another file's thread functions.
#ifdef OTHER
#include OTHER
#endif

#ifndef DEVICE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 64, INPUTS = 3, OUTPUTS = 4 };
static float4 input[INPUTS][SIDE][SIDE], output[OUTPUTS];
static unsigned written;

float4 svm_spLookup(int n, float s, float t)
{
    return input[n][(int)t][(int)s];
}

void svm_spOutput(int n, float4 value)
{
    output[n] = value;
    written |= 1u << n;
}

static void sgemm_here(float x, float y)
{
    sgemm(x, y, 1.5f, -0.25f);
}

static void photon_here(float x, float y)
{
    photon(x, y, 8, 0.125f, 0.875f, 7.9375f);
}

// Random numbers of 2^-10 to 1, and cells.
static void make_photons(void)
{
    for (int i = 0; i < SIDE * SIDE; i++) {
        for (int c = 0; c < 2; c++)
            input[0][i / SIDE][i % SIDE][c] = fabsf(input[0][i / SIDE][i % SIDE][c]) / 2 + 0.0009765625f;
        input[1][i / SIDE][i % SIDE][0] = -0.5f - fabsf(input[1][i / SIDE][i % SIDE][0]);
    }
}

static const struct {
    const char *name;
    void (*run)(float, float);
} kernels[] = {{"fir", fir},
               {"dct8", dct8},
               {"convolve", convolve},
               {"bitonic", bitonic},
               {"mandelbrot", mandelbrot},
               {"mixture", mixture},
               {"matmatmult", matmatmult},
               {"sgemm", sgemm_here},
               {"photon", photon_here},
#ifdef OTHER
               OTHER_KERNELS
#endif
};

static FILE *open_file(const char *folder, char kind, int n)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%c%d.bin", folder, kind, n);
    FILE *f = fopen(path, "wb");
    if (f == NULL)
        exit(2);
    return f;
}

int main(int argc, char **argv)
{
    FILE *out[OUTPUTS] = {NULL};
    unsigned random = 12345, k = 0;
    for (int n = 0; n < INPUTS; n++)
        for (int i = 0; i < SIDE * SIDE * 4; i++) {
            random = random * 1664525 + 1013904223;
            input[n][i / 4 / SIDE][i / 4 % SIDE][i % 4] = ((float)(random >> 8) / (1 << 23) - 1) * 2;
        }
    while (k < sizeof kernels / sizeof *kernels && (argc != 5 || strcmp(argv[1], kernels[k].name) != 0))
        k++;
    if (argc != 5 || k == sizeof kernels / sizeof *kernels)
        return 2;
    if (kernels[k].run == photon_here)
        make_photons();
    for (int n = 0; n < INPUTS; n++) {
        FILE *f = open_file(argv[4], 's', n);
        fwrite(input[n], sizeof input[n], 1, f);
        fclose(f);
    }
    for (int y = 0; y < atoi(argv[3]); y++)
        for (int x = 0; x < atoi(argv[2]); x++) {
            kernels[k].run((float)x, (float)y);
            for (int n = 0; n < OUTPUTS; n++) {
                if ((written >> n & 1) == 0)
                    continue;
                if (out[n] == NULL)
                    out[n] = open_file(argv[4], 'e', n);
                fwrite(&output[n], sizeof output[n], 1, out[n]);
            }
        }
    for (int n = 0; n < OUTPUTS; n++)
        if (out[n] != NULL)
            fclose(out[n]);
    return 0;
}
#endif
