// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements that lie down columns of a gathered stream, turned over so that they lie side by side. A tile has a row for each
// of some columns of the stream, and a column for each of some of its rows.
#ifndef SVM_BROOK_TURN_H
#define SVM_BROOK_TURN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Of a tile; shorter rows of firings than LEAST are not worth one. A row of the stream has as many elements in a cache line.
enum { SVM_BROOK_TURNED_ROWS = 16, SVM_BROOK_TURNED_COLUMNS = 64, SVM_BROOK_TURNED_LEAST = 8 };

static inline ptrdiff_t svm_brookTurnedCount(ptrdiff_t left, ptrdiff_t most)
{
    return left < most ? left : most;
}

#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" // nothing here is called from another file
#endif
// Eight by eight elements: pairs, then fours, then eights change places.
#define SVM_BROOK_TURN_BLOCK(name, element, vector)                                                                    \
    typedef element vector __attribute__((vector_size(8 * sizeof(element))));                                          \
    static inline void name(element *to, const element *from, ptrdiff_t pitch)                                         \
    {                                                                                                                  \
        vector v[8];                                                                                                   \
        for (int k = 0; k < 8; k++)                                                                                    \
            memcpy(&v[k], from + k * pitch, sizeof v[k]);                                                              \
        for (int k = 0; k < 8; k += 2) {                                                                               \
            const vector a = v[k], b = v[k + 1];                                                                       \
            v[k] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);                                           \
            v[k + 1] = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);                                       \
        }                                                                                                              \
        for (int k = 0; k < 6; k += k % 4 + 1 == 2 ? 3 : 1) {                                                          \
            const vector a = v[k], b = v[k + 2];                                                                       \
            v[k] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);                                            \
            v[k + 2] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);                                      \
        }                                                                                                              \
        for (int k = 0; k < 4; k++) {                                                                                  \
            const vector a = v[k], b = v[k + 4];                                                                       \
            v[k] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);                                            \
            v[k + 4] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);                                      \
        }                                                                                                              \
        for (int k = 0; k < 8; k++)                                                                                    \
            memcpy(to + k * SVM_BROOK_TURNED_COLUMNS, &v[k], sizeof v[k]);                                             \
    }
#else
#define SVM_BROOK_TURN_BLOCK(name, element, vector)                                                                    \
    static inline void name(element *to, const element *from, ptrdiff_t pitch)                                         \
    {                                                                                                                  \
        for (int k = 0; k < 8; k++)                                                                                    \
            for (int i = 0; i < 8; i++)                                                                                \
                to[k * SVM_BROOK_TURNED_COLUMNS + i] = from[i * pitch + k];                                            \
    }
#endif

// Row k of the tile is column place[k] of the stream, `columns` elements of it, the first of which is in the row `from`.
#define SVM_BROOK_TURN(name, element, block)                                                                           \
    static inline void name(element *to, const element *from, ptrdiff_t pitch, const ptrdiff_t *place, ptrdiff_t rows, \
                            ptrdiff_t columns)                                                                         \
    {                                                                                                                  \
        int blocks = 0; /* rows that are eight columns beside each other */                                            \
        ptrdiff_t i = 0;                                                                                               \
        for (int k = 1, beside = 1; k < rows; k++) {                                                                   \
            beside = place[k] == place[k - 1] + 1 ? beside + 1 : 1;                                                    \
            if (k % 8 == 7 && beside < 8)                                                                              \
                break;                                                                                                 \
            blocks += k % 8 == 7;                                                                                      \
        }                                                                                                              \
        for (; i + 8 <= columns && blocks > 0; i += 8)                                                                 \
            for (int b = 0; b < blocks; b++)                                                                           \
                block(to + 8 * b * SVM_BROOK_TURNED_COLUMNS + i, from + i * pitch + place[8 * b], pitch);              \
        for (ptrdiff_t d = 0; d < columns; d++)                                                                        \
            for (ptrdiff_t k = d < i ? 8 * blocks : 0; k < rows; k++)                                                  \
                to[k * SVM_BROOK_TURNED_COLUMNS + d] = from[d * pitch + place[k]];                                     \
    }

typedef uint32_t svm_BrookWord __attribute__((may_alias));
typedef uint64_t svm_BrookPair __attribute__((may_alias, aligned(4)));
SVM_BROOK_TURN_BLOCK(svm_brookTurnWords8, svm_BrookWord, svm_BrookWords8)
SVM_BROOK_TURN_BLOCK(svm_brookTurnPairs8, svm_BrookPair, svm_BrookPairs8)
SVM_BROOK_TURN(svm_brookTurnWords, svm_BrookWord, svm_brookTurnWords8)
SVM_BROOK_TURN(svm_brookTurnPairs, svm_BrookPair, svm_brookTurnPairs8)

// Elements of four bytes, or of eight.
static inline void svm_brookTurn(void *tile, const void *from, ptrdiff_t pitch, const ptrdiff_t *place, ptrdiff_t rows,
                                 ptrdiff_t columns, size_t size)
{
    if (size == sizeof(svm_BrookWord))
        svm_brookTurnWords(tile, from, pitch, place, rows, columns);
    else
        svm_brookTurnPairs(tile, from, pitch, place, rows, columns);
}

// Where element 0 of a tile's row would be, if its first is element `first`.
static inline const void *svm_brookTurnedRow(const void *tile, int row, ptrdiff_t first, size_t size)
{
    return (const void *)((uintptr_t)tile + (uintptr_t)(row * SVM_BROOK_TURNED_COLUMNS - first) * size);
}

#endif
