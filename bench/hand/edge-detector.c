// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The edge detector of examples/edge-detector by hand. The files are read and written a bit an item, as the program does.
#include "queue.h"

#define WIDTH 256
#define ROWS 32 // a block
#define HEADER 15

static void to_bytes(const int *restrict bits, int *restrict y, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        int v = 0;
        for (ptrdiff_t b = 0; b < 8; b++)
            v = v << 1 | bits[8 * i + b];
        y[i] = v;
    }
}

static void to_bits(const int *restrict x, int *restrict bits, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t b = 0; b < 8; b++)
            bits[8 * i + b] = x[i] >> (7 - b) & 1;
}

static ptrdiff_t smooth(ints *in, int *restrict y)
{
    static const int kernel[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
    const int *restrict p = in->data;
    ptrdiff_t rows = in->fill >= 3 * WIDTH ? in->fill / WIDTH - 2 : 0;
    for (ptrdiff_t r = 0; r < rows; r++)
        for (ptrdiff_t x = 0; x < WIDTH - 2; x++) {
            int sum = 0;
            for (ptrdiff_t dy = 0; dy < 3; dy++)
                for (ptrdiff_t dx = 0; dx < 3; dx++)
                    sum += kernel[dy][dx] * p[(r + dy) * WIDTH + x + dx];
            y[r * (WIDTH - 2) + x] = sum >> 4;
        }
    queue_drop(in, rows * WIDTH);
    return rows;
}

static ptrdiff_t sobel(ints *in, int *restrict y)
{
    const ptrdiff_t w = WIDTH - 2;
    const int *restrict q = in->data;
    ptrdiff_t rows = in->fill >= 3 * w ? in->fill / w - 2 : 0;
    for (ptrdiff_t r = 0; r < rows; r++)
        for (ptrdiff_t x = 0; x < w - 2; x++) {
            const int *p = q + r * w + x;
            int gx = p[2] + 2 * p[w + 2] + p[2 * w + 2] - p[0] - 2 * p[w] - p[2 * w];
            int gy = p[2 * w] + 2 * p[2 * w + 1] + p[2 * w + 2] - p[0] - 2 * p[1] - p[2];
            float g = sqrtf((float)(gx * gx + gy * gy));
            y[r * (w - 2) + x] = (int)(g < 255.0F ? g : 255.0F);
        }
    queue_drop(in, rows * w);
    return rows;
}

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    ints bits, bytes, smoothed, out;
    queue_init(&bits, 8 * WIDTH * (ROWS + 4));
    queue_init(&bytes, WIDTH * (ROWS + 4));
    queue_init(&smoothed, WIDTH * (ROWS + 4));
    queue_init(&out, 8 * WIDTH * (ROWS + 4));
    int *edges = queue_alloc(WIDTH * (ROWS + 4) * sizeof(int));
    bits_read(&bits, 8 * HEADER, f);
    bits.fill = 0;
    fputs("P5\n252 252\n255\n", f.out);
    while (bits_read(&bits, 8 * WIDTH * ROWS, f) > 0) {
        to_bytes(bits.data, bytes.data + bytes.fill, bits.fill / 8);
        bytes.fill += bits.fill / 8;
        bits.fill = 0;
        smoothed.fill += smooth(&bytes, smoothed.data + smoothed.fill) * (WIDTH - 2);
        ptrdiff_t rows = sobel(&smoothed, edges);
        to_bits(edges, out.data, rows * (WIDTH - 4));
        out.fill = 8 * rows * (WIDTH - 4);
        bits_write(&out, f);
    }
    files_close(f);
    return 0;
}
