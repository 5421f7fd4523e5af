// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DES of examples/des by hand, on 64-bit words: the expansion is a rotation, S-boxes and the
// permutation after them are one table look-up, the outer permutations go byte by byte through tables.
#include "queue.h"

static const int key_bytes[8] = {0x13, 0x34, 0x57, 0x79, 0x9B, 0xBC, 0xDF, 0xF1};
static const int ip[64] = {58, 50, 42, 34, 26, 18, 10, 2, 60, 52, 44, 36, 28, 20, 12, 4, 62, 54, 46, 38, 30, 22, 14, 6, 64, 56, 48, 40, 32, 24, 16, 8,
    57, 49, 41, 33, 25, 17, 9, 1, 59, 51, 43, 35, 27, 19, 11, 3, 61, 53, 45, 37, 29, 21, 13, 5, 63, 55, 47, 39, 31, 23, 15, 7};
static const int fp[64] = {40, 8, 48, 16, 56, 24, 64, 32, 39, 7, 47, 15, 55, 23, 63, 31, 38, 6, 46, 14, 54, 22, 62, 30, 37, 5, 45, 13, 53, 21, 61, 29,
    36, 4, 44, 12, 52, 20, 60, 28, 35, 3, 43, 11, 51, 19, 59, 27, 34, 2, 42, 10, 50, 18, 58, 26, 33, 1, 41, 9, 49, 17, 57, 25};
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

static uint64_t initial[8][256], final[8][256];
static uint32_t substituted[8][64]; // S-box and permutation, by the six bits in the order in which they come
static uint8_t keys[16][8];         // six bits for each S-box

static uint64_t bit_of(uint64_t x, int width, int number)
{
    return x >> (width - number) & 1;
}

static void make_outer(uint64_t table[8][256], const int *order)
{
    for (int place = 0; place < 8; place++)
        for (uint64_t v = 0; v < 256; v++) {
            uint64_t x = v << (56 - 8 * place), y = 0;
            for (int i = 0; i < 64; i++)
                y = y << 1 | bit_of(x, 64, order[i]);
            table[place][v] = y;
        }
}

static void make_boxes(void)
{
    for (int s = 0; s < 8; s++)
        for (int v = 0; v < 64; v++) {
            int row = (v >> 4 & 2) | (v & 1), column = v >> 1 & 15;
            uint64_t x = (uint64_t)sboxes[s][16 * row + column] << (28 - 4 * s), y = 0;
            for (int i = 0; i < 32; i++)
                y = y << 1 | bit_of(x, 32, mix[i]);
            substituted[s][v] = (uint32_t)y;
        }
}

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
            keys[r][i / 6] = (uint8_t)(keys[r][i / 6] << 1 | cd[pc2[i] - 1]);
    }
}

static uint64_t outer(uint64_t table[8][256], uint64_t x)
{
    uint64_t y = 0;
    for (int place = 0; place < 8; place++)
        y |= table[place][x >> (56 - 8 * place) & 255];
    return y;
}

static uint64_t encrypt(uint64_t block)
{
    uint64_t x = outer(initial, block);
    uint32_t left = (uint32_t)(x >> 32), right = (uint32_t)x;
    for (int r = 0; r < 16; r++) {
        // The six bits of each box overlap: with the last bit put first they are 36 bits, four apart.
        uint64_t wide = (uint64_t)(right & 1) << 33 | (uint64_t)right << 1 | right >> 31;
        uint32_t f = 0;
        for (int s = 0; s < 8; s++)
            f |= substituted[s][(wide >> (28 - 4 * s) & 63) ^ keys[r][s]];
        uint32_t next = left ^ f;
        left = right;
        right = next;
    }
    return outer(final, (uint64_t)right << 32 | left);
}

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    make_outer(initial, ip);
    make_outer(final, fp);
    make_boxes();
    make_keys();
    static unsigned char bytes[8 * 4096];
    for (size_t n; (n = fread(bytes, 8, 4096, f.in)) > 0;) {
        for (size_t b = 0; b < n; b++) {
            uint64_t x = 0;
            for (int i = 0; i < 8; i++)
                x = x << 8 | bytes[8 * b + (size_t)i];
            x = encrypt(x);
            for (int i = 0; i < 8; i++)
                bytes[8 * b + (size_t)i] = (unsigned char)(x >> (56 - 8 * i));
        }
        if (fwrite(bytes, 8, n, f.out) != n) {
            perror("output");
            exit(1);
        }
    }
    files_close(f);
    return 0;
}
