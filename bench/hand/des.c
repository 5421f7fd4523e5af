// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DES of examples/des by hand: the same stages on the same items, a bit an int; a loop nest a stage.
#include "queue.h"

#define BATCH 32 // blocks of 64 bits

static const int key_bytes[8] = {0x13, 0x34, 0x57, 0x79, 0x9B, 0xBC, 0xDF, 0xF1};
static const int ip[64] = {58, 50, 42, 34, 26, 18, 10, 2, 60, 52, 44, 36, 28, 20, 12, 4, 62, 54, 46, 38, 30, 22, 14, 6, 64, 56, 48, 40, 32, 24, 16, 8,
    57, 49, 41, 33, 25, 17, 9, 1, 59, 51, 43, 35, 27, 19, 11, 3, 61, 53, 45, 37, 29, 21, 13, 5, 63, 55, 47, 39, 31, 23, 15, 7};
static const int fp[64] = {40, 8, 48, 16, 56, 24, 64, 32, 39, 7, 47, 15, 55, 23, 63, 31, 38, 6, 46, 14, 54, 22, 62, 30, 37, 5, 45, 13, 53, 21, 61, 29,
    36, 4, 44, 12, 52, 20, 60, 28, 35, 3, 43, 11, 51, 19, 59, 27, 34, 2, 42, 10, 50, 18, 58, 26, 33, 1, 41, 9, 49, 17, 57, 25};
static const int expand[48] = {32, 1, 2, 3, 4, 5, 4, 5, 6, 7, 8, 9, 8, 9, 10, 11, 12, 13, 12, 13, 14, 15, 16, 17,
    16, 17, 18, 19, 20, 21, 20, 21, 22, 23, 24, 25, 24, 25, 26, 27, 28, 29, 28, 29, 30, 31, 32, 1};
static const int mix[32] = {16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10, 2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4, 25};
static const int pc1[56] = {57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44, 36,
    63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20, 12, 4};
static const int pc2[48] = {14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2,
    41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32};
static const int shifts[16] = {1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1};
static const int sboxes[8][64] = {
    {14, 4, 13, 1, 2, 15, 11, 8, 3, 10, 6, 12, 5, 9, 0, 7, 0, 15, 7, 4, 14, 2, 13, 1, 10, 6, 12, 11, 9, 5, 3, 8,
    4, 1, 14, 8, 13, 6, 2, 11, 15, 12, 9, 7, 3, 10, 5, 0, 15, 12, 8, 2, 4, 9, 1, 7, 5, 11, 3, 14, 10, 0, 6, 13},
    {15, 1, 8, 14, 6, 11, 3, 4, 9, 7, 2, 13, 12, 0, 5, 10, 3, 13, 4, 7, 15, 2, 8, 14, 12, 0, 1, 10, 6, 9, 11, 5,
    0, 14, 7, 11, 10, 4, 13, 1, 5, 8, 12, 6, 9, 3, 2, 15, 13, 8, 10, 1, 3, 15, 4, 2, 11, 6, 7, 12, 0, 5, 14, 9},
    {10, 0, 9, 14, 6, 3, 15, 5, 1, 13, 12, 7, 11, 4, 2, 8, 13, 7, 0, 9, 3, 4, 6, 10, 2, 8, 5, 14, 12, 11, 15, 1,
    13, 6, 4, 9, 8, 15, 3, 0, 11, 1, 2, 12, 5, 10, 14, 7, 1, 10, 13, 0, 6, 9, 8, 7, 4, 15, 14, 3, 11, 5, 2, 12},
    {7, 13, 14, 3, 0, 6, 9, 10, 1, 2, 8, 5, 11, 12, 4, 15, 13, 8, 11, 5, 6, 15, 0, 3, 4, 7, 2, 12, 1, 10, 14, 9,
    10, 6, 9, 0, 12, 11, 7, 13, 15, 1, 3, 14, 5, 2, 8, 4, 3, 15, 0, 6, 10, 1, 13, 8, 9, 4, 5, 11, 12, 7, 2, 14},
    {2, 12, 4, 1, 7, 10, 11, 6, 8, 5, 3, 15, 13, 0, 14, 9, 14, 11, 2, 12, 4, 7, 13, 1, 5, 0, 15, 10, 3, 9, 8, 6,
    4, 2, 1, 11, 10, 13, 7, 8, 15, 9, 12, 5, 6, 3, 0, 14, 11, 8, 12, 7, 1, 14, 2, 13, 6, 15, 0, 9, 10, 4, 5, 3},
    {12, 1, 10, 15, 9, 2, 6, 8, 0, 13, 3, 4, 14, 7, 5, 11, 10, 15, 4, 2, 7, 12, 9, 5, 6, 1, 13, 14, 0, 11, 3, 8,
    9, 14, 15, 5, 2, 8, 12, 3, 7, 0, 4, 10, 1, 13, 11, 6, 4, 3, 2, 12, 9, 5, 15, 10, 11, 14, 1, 7, 6, 0, 8, 13},
    {4, 11, 2, 14, 15, 0, 8, 13, 3, 12, 9, 7, 5, 10, 6, 1, 13, 0, 11, 7, 4, 9, 1, 10, 14, 3, 5, 12, 2, 15, 8, 6,
    1, 4, 11, 13, 12, 3, 7, 14, 10, 15, 6, 8, 0, 5, 9, 2, 6, 11, 13, 8, 1, 4, 10, 7, 9, 5, 0, 15, 14, 2, 3, 12},
    {13, 2, 8, 4, 6, 15, 11, 1, 10, 9, 3, 14, 5, 0, 12, 7, 1, 15, 13, 8, 10, 3, 7, 4, 12, 5, 6, 11, 0, 14, 9, 2,
    7, 11, 4, 1, 9, 12, 14, 2, 0, 6, 10, 13, 15, 3, 5, 8, 2, 1, 14, 7, 4, 10, 8, 13, 15, 12, 9, 0, 3, 5, 6, 11}};

static int keys[16][48];

static void make_keys(void)
{
    int cd[56];
    for (int i = 0; i < 56; i++)
        cd[i] = key_bytes[(pc1[i] - 1) / 8] >> (7 - (pc1[i] - 1) % 8) & 1;
    for (int r = 0; r < 16; r++) {
        for (int s = 0; s < shifts[r]; s++) {
            int c0 = cd[0], d0 = cd[28];
            memmove(cd, cd + 1, 27 * sizeof(int));
            memmove(cd + 28, cd + 29, 27 * sizeof(int));
            cd[27] = c0;
            cd[55] = d0;
        }
        for (int i = 0; i < 48; i++)
            keys[r][i] = cd[pc2[i] - 1];
    }
}

static inline void permute(const int *restrict x, int *restrict y, ptrdiff_t blocks, ptrdiff_t pitch, ptrdiff_t m, const int *restrict table)
{
    for (ptrdiff_t b = 0; b < blocks; b++)
        for (ptrdiff_t i = 0; i < m; i++)
            y[m * b + i] = x[pitch * b + table[i] - 1];
}

static void key_xor(int *restrict x, ptrdiff_t blocks, const int *restrict key)
{
    for (ptrdiff_t b = 0; b < blocks; b++)
        for (ptrdiff_t i = 0; i < 48; i++)
            x[48 * b + i] ^= key[i];
}

static void substitute(const int *restrict x, int *restrict y, ptrdiff_t blocks)
{
    for (ptrdiff_t b = 0; b < blocks; b++)
        for (ptrdiff_t s = 0; s < 8; s++) {
            const int *p = x + 48 * b + 6 * s;
            int v = sboxes[s][(p[0] * 2 + p[5]) * 16 + p[1] * 8 + p[2] * 4 + p[3] * 2 + p[4]];
            for (ptrdiff_t i = 0; i < 4; i++)
                y[32 * b + 4 * s + i] = v >> (3 - i) & 1;
        }
}

// (L, R) and f to (R, L ^ f).
static void feistel(const int *restrict x, const int *restrict f, int *restrict y, ptrdiff_t blocks)
{
    for (ptrdiff_t b = 0; b < blocks; b++)
        for (ptrdiff_t i = 0; i < 32; i++) {
            y[64 * b + i] = x[64 * b + 32 + i];
            y[64 * b + 32 + i] = x[64 * b + i] ^ f[32 * b + i];
        }
}

static void swap_halves(const int *restrict x, int *restrict y, ptrdiff_t blocks)
{
    for (ptrdiff_t b = 0; b < blocks; b++)
        for (ptrdiff_t i = 0; i < 64; i++)
            y[64 * b + i] = x[64 * b + (i + 32) % 64];
}

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    ints in, out;
    queue_init(&in, 64 * BATCH);
    queue_init(&out, 64 * BATCH);
    int *a = queue_alloc(64 * BATCH * sizeof(int)), *b = queue_alloc(64 * BATCH * sizeof(int));
    int *e = queue_alloc(48 * BATCH * sizeof(int)), *s = queue_alloc(32 * BATCH * sizeof(int)), *p = queue_alloc(32 * BATCH * sizeof(int));
    make_keys();
    while (bits_read(&in, 64 * BATCH - in.fill, f), in.fill >= 64) {
        ptrdiff_t n = in.fill / 64;
        permute(in.data, a, n, 64, 64, ip);
        for (int r = 0; r < 16; r++) {
            permute(a + 32, e, n, 64, 48, expand);
            key_xor(e, n, keys[r]);
            substitute(e, s, n);
            permute(s, p, n, 32, 32, mix);
            feistel(a, p, b, n);
            int *t = a;
            a = b;
            b = t;
        }
        swap_halves(a, b, n);
        permute(b, out.data, n, 64, 64, fp);
        out.fill = 64 * n;
        bits_write(&out, f);
        queue_drop(&in, 64 * n);
    }
    files_close(f);
    return 0;
}
