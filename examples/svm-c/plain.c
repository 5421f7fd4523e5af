// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same result without the SVM, from the definition: every output pixel is the mean of four filtered ones, each a
// weighted sum of five pixels of its row.      plain in.pgm out.pgm
#include <stdio.h>
#include <stdlib.h>

static int width, height;
static unsigned char *picture;

static int pixel(int x, int y)
{
    if (x < 0)
        x = 0;
    if (x >= width)
        x = width - 1;
    return picture[y * width + x];
}

static int filtered(int x, int y)
{
    static const int weights[] = {1, 4, 6, 4, 1};
    int sum = 8; // to round
    for (int i = -2; i <= 2; i++)
        sum += weights[i + 2] * pixel(x + i, y);
    return sum / 16;
}

int main(int argc, char **argv)
{
    FILE *in = argc == 3 ? fopen(argv[1], "rb") : NULL, *out = argc == 3 ? fopen(argv[2], "wb") : NULL;
    if (!in || !out || fscanf(in, "P5 %d %d 255%*c", &width, &height) != 2)
        return 1;
    size_t size = (size_t)width * (size_t)height;
    picture = malloc(size);
    if (!picture || fread(picture, 1, size, in) != size)
        return 1;
    fprintf(out, "P5\n%d %d\n255\n", width / 2, height / 2);
    for (int y = 0; y < height; y += 2)
        for (int x = 0; x < width; x += 2)
            fputc((filtered(x, y) + filtered(x + 1, y) + filtered(x, y + 1) + filtered(x + 1, y + 1) + 2) / 4, out);
    free(picture);
    fclose(in);
    return fclose(out) != 0;
}
