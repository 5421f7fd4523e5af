// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the two mappings share: the picture's size, its file format (binary PGM), and one firing of each kernel.
#ifndef PICTURE_H
#define PICTURE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    WIDTH = 256,
    HEIGHT = 256,
    IMG_SZ = WIDTH * HEIGHT, // pixels
    PIXSZ = sizeof(uint8_t), // bytes of one
    TAPS = 5,                // the filter's
    BORDER = TAPS / 2,
};

// A pixel of a low-pass filter along a row, (1 4 6 4 1) / 16, from the five pixels around it.
SVM_FIRE(stateless, peek(5), pop(1), push(1))
static inline void filter_fire(const uint8_t *restrict in, uint8_t *restrict out)
{
    *out = (uint8_t)((in[0] + 4 * in[1] + 6 * in[2] + 4 * in[3] + in[4] + 8) >> 4);
}

// 4:1: the mean of two pixels of a row and the two below them.
SVM_FIRE(stateless, peek(2), pop(2), peek2(2), pop2(2), push(1))
static inline void compress_fire(const uint8_t *restrict upper, const uint8_t *restrict lower, uint8_t *restrict out)
{
    *out = (uint8_t)((upper[0] + upper[1] + lower[0] + lower[1] + 2) >> 2);
}

// The filter's row: its pixels with the first and the last repeated beyond the ends.
static inline void extend_row(uint8_t *row)
{
    for (ptrdiff_t i = 0; i < BORDER; i++) {
        row[i] = row[BORDER];
        row[BORDER + WIDTH + i] = row[BORDER + WIDTH - 1];
    }
}

// Both give 0, or 1 after a message. They are for control code.
static inline int read_picture(const char *path, uint8_t *pixels)
{
    FILE *f = fopen(path, "rb");
    int width = 0, height = 0, most = 0;
    int ok = f && fscanf(f, "P5 %d %d %d", &width, &height, &most) == 3 && fgetc(f) != EOF && width == WIDTH &&
             height == HEIGHT && most == 255 && fread(pixels, PIXSZ, IMG_SZ, f) == IMG_SZ;
    if (f)
        fclose(f);
    if (!ok)
        fprintf(stderr, "error: '%s' is not a readable PGM picture of %d x %d pixels\n", path, WIDTH, HEIGHT);
    return !ok;
}

static inline int write_picture(const char *path, const uint8_t *pixels)
{
    FILE *f = fopen(path, "wb");
    int ok = f && fprintf(f, "P5\n%d %d\n255\n", WIDTH / 2, HEIGHT / 2) > 0 &&
             fwrite(pixels, PIXSZ, IMG_SZ / 4, f) == IMG_SZ / 4;
    if (f && fclose(f))
        ok = 0;
    if (!ok)
        fprintf(stderr, "error: cannot write '%s'\n", path);
    return !ok;
}

#endif
