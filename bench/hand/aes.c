// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AES-128 of examples/aes by hand: a byte an int item, a stage a loop nest over a block of items.
#include "queue.h"

#define BLOCK 4096

static const int key[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
static int sbox[256], round_keys[176];

static void make_tables(void)
{
    int power[256] = {0}, logarithm[256] = {0}, x = 1, rcon = 1;
    for (int i = 0; i < 255; i++) {
        power[i] = x;
        logarithm[x] = i;
        x ^= x << 1 ^ (x > 127 ? 0x11b : 0);
    }
    for (int i = 0; i < 256; i++) {
        int inverse = i > 0 ? power[(255 - logarithm[i]) % 255] : 0, s = inverse;
        for (int k = 1; k <= 4; k++)
            s ^= (inverse << k | inverse >> (8 - k)) & 255;
        sbox[i] = s ^ 0x63;
    }
    memcpy(round_keys, key, sizeof key);
    for (int w = 4; w < 44; w++) {
        int t[4];
        memcpy(t, round_keys + 4 * (w - 1), sizeof t);
        if (w % 4 == 0) {
            int first = t[0];
            t[0] = sbox[t[1]] ^ rcon;
            t[1] = sbox[t[2]];
            t[2] = sbox[t[3]];
            t[3] = sbox[first];
            rcon = rcon << 1 ^ (rcon > 127 ? 0x11b : 0);
        }
        for (int k = 0; k < 4; k++)
            round_keys[4 * w + k] = round_keys[4 * (w - 4) + k] ^ t[k];
    }
}

static void add_round_key(const int *restrict x, int *restrict y, ptrdiff_t blocks, const int *restrict k)
{
    for (ptrdiff_t b = 0; b < blocks; b++)
        for (ptrdiff_t i = 0; i < 16; i++)
            y[16 * b + i] = x[16 * b + i] ^ k[i];
}

static void sub_bytes(const int *restrict x, int *restrict y, ptrdiff_t items)
{
    for (ptrdiff_t i = 0; i < items; i++)
        y[i] = sbox[x[i]];
}

static void shift_rows(const int *restrict x, int *restrict y, ptrdiff_t blocks)
{
    for (ptrdiff_t b = 0; b < blocks; b++)
        for (ptrdiff_t i = 0; i < 16; i++)
            y[16 * b + i] = x[16 * b + (i + 4 * (i % 4)) % 16];
}

static void mix_columns(const int *restrict x, int *restrict y, ptrdiff_t columns)
{
    for (ptrdiff_t c = 0; c < columns; c++) {
        const int *a = x + 4 * c;
        int b[4];
        for (ptrdiff_t i = 0; i < 4; i++)
            b[i] = (a[i] << 1 ^ (a[i] >> 7) * 0x11b) & 255;
        y[4 * c] = b[0] ^ a[1] ^ b[1] ^ a[2] ^ a[3];
        y[4 * c + 1] = a[0] ^ b[1] ^ a[2] ^ b[2] ^ a[3];
        y[4 * c + 2] = a[0] ^ a[1] ^ b[2] ^ a[3] ^ b[3];
        y[4 * c + 3] = a[0] ^ b[0] ^ a[1] ^ a[2] ^ b[3];
    }
}

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    ints in, out;
    queue_init(&in, BLOCK);
    queue_init(&out, BLOCK);
    int *a = queue_alloc(BLOCK * sizeof(int)), *b = queue_alloc(BLOCK * sizeof(int));
    make_tables();
    while (queue_read(&in, BLOCK - in.fill, f), in.fill >= 16) {
        ptrdiff_t blocks = in.fill / 16;
        add_round_key(in.data, a, blocks, round_keys);
        for (int round = 1; round <= 10; round++) {
            sub_bytes(a, b, 16 * blocks);
            shift_rows(b, a, blocks);
            const int *mixed = a;
            if (round < 10) {
                mix_columns(a, b, 4 * blocks);
                mixed = b;
            }
            if (round < 10)
                add_round_key(mixed, a, blocks, round_keys + 16 * round);
            else
                add_round_key(mixed, out.data, blocks, round_keys + 16 * round);
        }
        out.fill = 16 * blocks;
        queue_write(&out, f);
        queue_drop(&in, 16 * blocks);
    }
    files_close(f);
    return 0;
}
