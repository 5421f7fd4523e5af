// Tiles of svm/lanes.h hold what lies in memory, and give it back, for rows, columns and strides with and without blocks, and rows that lie side by side; of the last column nothing behind the window is read. Pairs that lie apart are put one behind the other.
// RUN: %host -o %t && %t | FileCheck %s
// RUN: %host -O3 -march=native -o %t.native && %t.native | FileCheck %s
// RUN: %host-gcc -O2 -o %t.gcc && %t.gcc | FileCheck %s
// CHECK: 473 tiles, 0 wrong
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <svm/arith.h>
#define SVM_LANES 16
#include <svm/lanes.h>

// Rows and columns as constants, as in emitted text; the last column has `last` rows, and memory ends there.
#define TRY(rows, columns)                                                                                             \
    for (ptrdiff_t stride = rows; stride < rows + 11; stride++)                                                        \
        for (ptrdiff_t last = 1; last <= rows; last += rows > 1 ? rows - 1 : 1, tiles++)                               \
            wrong += try_tile(rows, columns, stride, last);

static int try_tile(ptrdiff_t rows, ptrdiff_t columns, ptrdiff_t stride, ptrdiff_t last)
{
    const size_t items = (size_t)((columns - 1) * stride + last), all = (size_t)(columns * stride);
    int *in = malloc(items * sizeof *in), *tile = calloc((size_t)(rows * columns), sizeof *tile);
    int *out = calloc(all, sizeof *out), wrong = 0;
    for (size_t i = 0; i < items; i++)
        in[i] = (int)i * 7 + 1;
    svm_tileInPart(tile, in, rows, columns, stride, last);
    for (ptrdiff_t k = 0; k < rows; k++)
        for (ptrdiff_t i = 0; i < (k < last ? columns : columns - 1); i++)
            wrong += tile[k * columns + i] != in[i * stride + k];
    svm_tileOut(out, tile, rows, columns, stride);
    for (ptrdiff_t i = 0; i < columns; i++)
        for (ptrdiff_t k = 0; k < stride; k++)
            wrong += out[i * stride + k] != (k < rows ? tile[k * columns + i] : 0);
    free(in);
    free(tile);
    free(out);
    return wrong;
}

// Pairs far apart, one behind the other; memory ends with the last one.
static int try_pairs(ptrdiff_t pairs, ptrdiff_t stride)
{
    const size_t items = (size_t)(pairs == 0 ? 0 : (pairs - 1) * stride + 2), all = (size_t)(2 * pairs);
    int *in = malloc((items + 1) * sizeof *in), *out = calloc(all + 1, sizeof *out), wrong = 0;
    for (size_t i = 0; i < items; i++)
        in[i] = (int)i * 5 + 1;
    svm_pairsIn(out, in, pairs, stride);
    for (ptrdiff_t i = 0; i < 2 * pairs; i++)
        wrong += out[i] != in[i / 2 * stride + i % 2];
    wrong += out[all] != 0;
    free(in);
    free(out);
    return wrong;
}

int main(void)
{
    int tiles = 0, wrong = 0;
    for (ptrdiff_t pairs = 0; pairs < 50; pairs++)
        wrong += try_pairs(pairs, 9 + pairs % 4);
    TRY(1, 16)
    TRY(2, 15)
    TRY(2, 16)
    TRY(2, 33)
    TRY(3, 16)
    TRY(3, 32)
    TRY(3, 35)
    TRY(4, 17)
    TRY(4, 32)
    TRY(4, 12)
    TRY(4, 47)
    TRY(6, 21)
    TRY(8, 15)
    TRY(5, 16)
    TRY(6, 40)
    TRY(7, 16)
    TRY(8, 16)
    TRY(8, 49)
    TRY(10, 48)
    TRY(11, 16)
    TRY(16, 16)
    TRY(16, 40)
    printf("%d tiles, %d wrong\n", tiles, wrong);
    return wrong != 0;
}
