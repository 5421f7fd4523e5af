// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The decoder of bench/programs by hand: states are lanes, decisions a word of bits.
#include "vec.h"

#define STATES 16
#define BITS 96
#define BATCH 64

static uint8_t cost[4][2][STATES];

static void decode(const int *restrict in, int *restrict out)
{
    uint8_t metric[STATES], low[STATES], high[STATES];
    static uint8_t from[BITS][STATES];
    memset(metric, 100, sizeof metric);
    metric[0] = 0;
    for (int t = 0; t < BITS; t++) {
        const uint8_t *restrict x = cost[in[t] & 3][0], *restrict y = cost[in[t] & 3][1];
        for (int s = 0; s < STATES; s++) {
            low[s] = metric[s >> 1];
            high[s] = metric[s >> 1 | 8];
        }
        for (int s = 0; s < STATES; s++) {
            uint8_t a = (uint8_t)(low[s] + x[s]), b = (uint8_t)(high[s] + y[s]);
            from[t][s] = b < a;
            metric[s] = b < a ? b : a;
        }
        if (t % 32 == 31) { // kept small, so that bytes do
            uint8_t least = metric[0];
            for (int s = 1; s < STATES; s++)
                least = metric[s] < least ? metric[s] : least;
            for (int s = 0; s < STATES; s++)
                metric[s] = (uint8_t)(metric[s] - least);
        }
    }
    int state = 0;
    for (int t = BITS - 1; t >= 0; t--) {
        out[t] = state & 1;
        state = state >> 1 | from[t][state] << 3;
    }
}

static int parity(int x)
{
    return __builtin_parity((unsigned)x);
}

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    ints in, out;
    queue_init(&in, BITS * BATCH);
    queue_init(&out, BITS * BATCH);
    for (int symbol = 0; symbol < 4; symbol++)
        for (int s = 0; s < 2 * STATES; s++) {
            int x = (parity(s & 19) << 1 | parity(s & 29)) ^ symbol;
            cost[symbol][s >> 4][s & 15] = (uint8_t)((x >> 1) + (x & 1));
        }
    while (queue_read(&in, BITS * BATCH - in.fill, f), in.fill >= BITS) {
        ptrdiff_t n = in.fill / BITS;
        for (ptrdiff_t b = 0; b < n; b++)
            decode(in.data + BITS * b, out.data + BITS * b);
        out.fill = BITS * n;
        queue_write(&out, f);
        queue_drop(&in, BITS * n);
    }
    files_close(f);
    return 0;
}
