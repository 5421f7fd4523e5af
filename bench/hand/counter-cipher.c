// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counter cipher of bench/programs by hand: 16 blocks side by side, their words as vectors.
#include "vec.h"

#define WORDS 16
#define LANES 16
#define BLOCK (WORDS * LANES)
typedef unsigned vu16 __attribute__((vector_size(64)));

#define ROTATE(x, n) ((x) << (n) | (x) >> (32 - (n)))
#define QUARTER(a, b, c, d)                                                                                            \
    (a += b, d = ROTATE(d ^ a, 16), c += d, b = ROTATE(b ^ c, 12), a += b, d = ROTATE(d ^ a, 8), c += d,               \
     b = ROTATE(b ^ c, 7))

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    ints in, out;
    queue_init(&in, BLOCK);
    queue_init(&out, BLOCK);
    unsigned s[WORDS] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, [13] = 7, [14] = 11, [15] = 13};
    for (unsigned i = 0; i < 8; i++)
        s[4 + i] = i * 0x01234567 + 0x89abcdef;
    while (queue_read(&in, BLOCK, f), in.fill > 0) {
        vu16 x[WORDS], y[WORDS];
        for (int i = 0; i < WORDS; i++)
            for (int l = 0; l < LANES; l++)
                x[i][l] = s[i] + (i == 12 ? (unsigned)l : 0);
        memcpy(y, x, sizeof y);
        for (int r = 0; r < 10; r++) {
            QUARTER(x[0], x[4], x[8], x[12]);
            QUARTER(x[1], x[5], x[9], x[13]);
            QUARTER(x[2], x[6], x[10], x[14]);
            QUARTER(x[3], x[7], x[11], x[15]);
            QUARTER(x[0], x[5], x[10], x[15]);
            QUARTER(x[1], x[6], x[11], x[12]);
            QUARTER(x[2], x[7], x[8], x[13]);
            QUARTER(x[3], x[4], x[9], x[14]);
        }
        unsigned stream[WORDS][LANES];
        for (int i = 0; i < WORDS; i++) {
            x[i] += y[i];
            memcpy(stream[i], &x[i], sizeof stream[i]);
        }
        for (int l = 0; l < LANES; l++)
            for (int i = 0; i < WORDS; i++)
                out.data[l * WORDS + i] = in.data[l * WORDS + i] ^ (int)stream[i][l];
        s[12] += LANES;
        out.fill = in.fill / WORDS * WORDS;
        queue_write(&out, f);
        in.fill = 0;
    }
    files_close(f);
    return 0;
}
