// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The edge detector of examples/edge-detector by hand: pixels are bytes in the file and stay bytes.
#include "vec.h"

#define WIDTH 256
#define HEADER 15
#define INNER (WIDTH - 2)

static void smooth(const uint8_t *restrict p, uint8_t *restrict y)
{
    for (ptrdiff_t x = 0; x < INNER; x++) {
        const uint8_t *q = p + x;
        uint16_t sum = (uint16_t)(q[0] + 2 * q[1] + q[2] + 2 * (q[WIDTH] + 2 * q[WIDTH + 1] + q[WIDTH + 2]) + q[2 * WIDTH] +
                                  2 * q[2 * WIDTH + 1] + q[2 * WIDTH + 2]);
        y[x] = (uint8_t)(sum >> 4);
    }
}

static void sobel(const uint8_t *restrict a, const uint8_t *restrict b, const uint8_t *restrict c, uint8_t *restrict y)
{
    for (ptrdiff_t x = 0; x < INNER - 2; x++) {
        int gx = a[x + 2] + 2 * b[x + 2] + c[x + 2] - a[x] - 2 * b[x] - c[x];
        int gy = c[x] + 2 * c[x + 1] + c[x + 2] - a[x] - 2 * a[x + 1] - a[x + 2];
        float g = sqrtf((float)(gx * gx + gy * gy));
        y[x] = (uint8_t)(g < 255.0F ? g : 255.0F);
    }
}

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    static uint8_t rows[3 * WIDTH], smoothed[3][INNER], edges[INNER], header[HEADER];
    if (fread(header, 1, HEADER, f.in) != HEADER)
        return 1;
    fputs("P5\n252 252\n255\n", f.out);
    for (ptrdiff_t row = 0; fread(rows + 2 * WIDTH, 1, WIDTH, f.in) == WIDTH; row++) {
        if (row >= 2)
            smooth(rows, smoothed[row % 3]);
        if (row >= 4) {
            sobel(smoothed[(row + 1) % 3], smoothed[(row + 2) % 3], smoothed[row % 3], edges);
            fwrite(edges, 1, INNER - 2, f.out);
        }
        memmove(rows, rows + WIDTH, 2 * WIDTH);
    }
    files_close(f);
    return 0;
}
