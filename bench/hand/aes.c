// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AES-128 of examples/aes by hand: substitution and mixing of a column are four table look-ups of words.
#include "queue.h"

#define BLOCK 4096

static const int key[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
static int sbox[256], round_keys[176];
static uint32_t mixed[4][256], words[44];

static uint32_t word(int a, int b, int c, int d)
{
    return (uint32_t)a | (uint32_t)b << 8 | (uint32_t)c << 16 | (uint32_t)d << 24;
}

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

static void make_words(void)
{
    for (int i = 0; i < 256; i++) {
        int s = sbox[i], two = (s << 1 ^ (s >> 7) * 0x11b) & 255, three = two ^ s;
        mixed[0][i] = word(two, s, s, three);
        mixed[1][i] = word(three, two, s, s);
        mixed[2][i] = word(s, three, two, s);
        mixed[3][i] = word(s, s, three, two);
    }
    for (int i = 0; i < 44; i++)
        words[i] = word(round_keys[4 * i], round_keys[4 * i + 1], round_keys[4 * i + 2], round_keys[4 * i + 3]);
}

static void encrypt(const int *restrict x, int *restrict y)
{
    uint32_t s[4], t[4];
    for (int c = 0; c < 4; c++)
        s[c] = word(x[4 * c], x[4 * c + 1], x[4 * c + 2], x[4 * c + 3]) ^ words[c];
    for (int r = 1; r < 10; r++) {
        for (int c = 0; c < 4; c++)
            t[c] = mixed[0][s[c] & 255] ^ mixed[1][s[(c + 1) & 3] >> 8 & 255] ^ mixed[2][s[(c + 2) & 3] >> 16 & 255] ^
                   mixed[3][s[(c + 3) & 3] >> 24] ^ words[4 * r + c];
        memcpy(s, t, sizeof s);
    }
    for (int c = 0; c < 4; c++)
        for (int i = 0; i < 4; i++)
            y[4 * c + i] = sbox[s[(c + i) & 3] >> 8 * i & 255] ^ (int)(words[40 + c] >> 8 * i & 255);
}

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    ints in, out;
    queue_init(&in, BLOCK);
    queue_init(&out, BLOCK);
    make_tables();
    make_words();
    while (queue_read(&in, BLOCK - in.fill, f), in.fill >= 16) {
        ptrdiff_t blocks = in.fill / 16;
        for (ptrdiff_t b = 0; b < blocks; b++)
            encrypt(in.data + 16 * b, out.data + 16 * b);
        out.fill = 16 * blocks;
        queue_write(&out, f);
        queue_drop(&in, 16 * blocks);
    }
    files_close(f);
    return 0;
}
