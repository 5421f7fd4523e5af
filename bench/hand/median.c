// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The median of bench/programs by hand: pixels are bytes, and the three columns' orders are computed once a column.
#include "vec.h"

#define WIDTH 512

static inline uint8_t least(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}
static inline uint8_t most(uint8_t a, uint8_t b)
{
    return a < b ? b : a;
}

static void median(const uint8_t *restrict a, const uint8_t *restrict b, const uint8_t *restrict d, int *restrict y)
{
    static uint8_t low[WIDTH], mid[WIDTH], high[WIDTH], m[WIDTH];
    for (ptrdiff_t x = 0; x < WIDTH; x++) {
        uint8_t s = least(a[x], b[x]), t = most(a[x], b[x]), u = most(s, d[x]);
        low[x] = least(s, d[x]);
        mid[x] = least(t, u);
        high[x] = most(t, u);
    }
    for (ptrdiff_t x = 0; x < WIDTH - 2; x++) {
        uint8_t p = most(most(low[x], low[x + 1]), low[x + 2]), r = least(least(high[x], high[x + 1]), high[x + 2]);
        uint8_t v = least(mid[x], mid[x + 1]), w = most(mid[x], mid[x + 1]), q = most(v, least(w, mid[x + 2]));
        m[x] = most(least(p, q), least(most(p, q), r));
    }
    for (ptrdiff_t x = 0; x < WIDTH - 2; x++)
        y[x] = m[x];
}

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    static int row[WIDTH], result[WIDTH];
    static uint8_t rows[3][WIDTH];
    for (ptrdiff_t n = 0; fread(row, sizeof *row, WIDTH, f.in) == WIDTH; n++) {
        for (ptrdiff_t x = 0; x < WIDTH; x++)
            rows[n % 3][x] = (uint8_t)row[x];
        if (n < 2)
            continue;
        median(rows[(n + 1) % 3], rows[(n + 2) % 3], rows[n % 3], result);
        fwrite(result, sizeof *result, WIDTH - 2, f.out);
    }
    files_close(f);
    return 0;
}
