// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of items, one of each of SVM_LANES firings. Included once for each number of lanes in use:
//
//     #define SVM_LANES 16
//     #include <svm/lanes.h>
//
// gives svm_Floats16 and svm_Ints16, which take the operators of C lane by lane (a comparison gives -1 or 0 in each lane,
// a mask), and the functions below with 16 in their names. Results are those of svm/arith.h bit for bit. Where the compiler
// has no vectors svm_lanes16 is 1, the types are float and int, and the same text does one firing at a time.
//
// A tile holds the items of neighbouring firings the other way round: item k of firing l, which lies in memory at
// k + l * stride, is in row k % stride, column l + k / stride, so that equal items of all lanes are neighbours.
#ifndef SVM_LANES
#error "define SVM_LANES as the number of lanes before <svm/lanes.h>"
#endif

#ifndef SVM_LANES_ONCE
#define SVM_LANES_ONCE
#include <stddef.h>
#include <string.h>

#include <svm/arith.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" // nothing here is called from another file
#endif
#if defined(__GNUC__)
#define SVM_LANES_VECTOR(type, n) type __attribute__((vector_size((n) * sizeof(type))))
#define SVM_LANES_ITEMS(n) (n)
#define SVM_LANES_ALL(i, n) for (int i = 0; i < (n); i++)
#define SVM_LANES_AT(v, i) (v)[i]
#define SVM_MASK(mask) (mask)
#define SVM_LANES_CAST(type, v) ((type)(v))
#define SVM_LANES_CONVERT(type, v) __builtin_convertvector(v, type)
#else
#define SVM_LANES_VECTOR(type, n) type
#define SVM_LANES_ITEMS(n) 1
#define SVM_LANES_ALL(i, n) for (int i = 0; i < 1; i++)
#define SVM_LANES_AT(v, i) (v)
#define SVM_MASK(mask) (-((mask) != 0)) // C has 1
#define SVM_LANES_CAST(type, v) (v)
#define SVM_LANES_CONVERT(type, v) ((type)(v))
#endif
#if defined(__clang__) && defined(__has_builtin)
#if __has_builtin(__builtin_reduce_or)
#define SVM_LANES_ANY __builtin_reduce_or
#endif
#endif
#if defined(__clang__) && defined(__AVX512VBMI__)
typedef char svm_WideByteRow __attribute__((vector_size(64)));
typedef signed char svm_SignedWideByteRow __attribute__((vector_size(64)));
#endif
// The LLC tells where gathers are faster than loads one by one.
#if defined(SVM_GATHERS) && defined(__clang__) && defined(__AVX512F__)
#define SVM_GATHERED
typedef int svm_WideIntRow __attribute__((vector_size(64)));
typedef float svm_WideFloatRow __attribute__((vector_size(64)));
#endif
#define SVM_TILE_FEW 3   // columns from which on they are not moved one by one
#define SVM_LANES_FEW 32 // rows that are compared with one by one
// Loops over more lanes are not unrolled: a compiler then stores and loads all lanes for each one that it takes out or sets.
// What goes lane by lane lies in arrays, which are stored and loaded once.
#define SVM_LANES_UNROLLED 32
#define SVM_LANES_PASTE(a, b) a##b
#define SVM_LANES_NAME(a, b) SVM_LANES_PASTE(a, b)

// ---- Tiles, of items of four bytes: row k, column i of the tile is item i * stride + k ----

#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
// Sixteen columns of four rows by shuffles: a vector holds four items each of every fourth column.
typedef int svm_TileRow __attribute__((vector_size(16)));
typedef int svm_TileBlock __attribute__((vector_size(64)));
#define SVM_TILE_JOIN(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)
#define SVM_TILE_JOIN8(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define SVM_TILE_LOW(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define SVM_TILE_HIGH(a, b) __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define SVM_TILE_FIRST(a, b) __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define SVM_TILE_SECOND(a, b) __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#define SVM_TILE_PART(v, q) __builtin_shufflevector(v, v, 4 * (q), 4 * (q) + 1, 4 * (q) + 2, 4 * (q) + 3)

// Transposes each four by four.
static inline void svm_tileTurn(svm_TileBlock v[4])
{
    svm_TileBlock a = SVM_TILE_LOW(v[0], v[1]), b = SVM_TILE_LOW(v[2], v[3]);
    svm_TileBlock c = SVM_TILE_HIGH(v[0], v[1]), d = SVM_TILE_HIGH(v[2], v[3]);
    v[0] = SVM_TILE_FIRST(a, b);
    v[1] = SVM_TILE_SECOND(a, b);
    v[2] = SVM_TILE_FIRST(c, d);
    v[3] = SVM_TILE_SECOND(c, d);
}
static inline void svm_tileBlockIn(int *tile, ptrdiff_t columns, const int *items, ptrdiff_t stride)
{
    svm_TileBlock v[4];
    for (int k = 0; k < 4; k++) {
        svm_TileRow part[4];
        for (int q = 0; q < 4; q++)
            memcpy(&part[q], items + (4 * q + k) * stride, sizeof part[q]);
        v[k] = SVM_TILE_JOIN8(SVM_TILE_JOIN(part[0], part[1]), SVM_TILE_JOIN(part[2], part[3]));
    }
    svm_tileTurn(v);
    for (int k = 0; k < 4; k++)
        memcpy(tile + k * columns, &v[k], sizeof v[k]);
}
static inline void svm_tileBlockOut(int *items, ptrdiff_t stride, const int *tile, ptrdiff_t columns)
{
    svm_TileBlock v[4];
    for (int k = 0; k < 4; k++)
        memcpy(&v[k], tile + k * columns, sizeof v[k]);
    svm_tileTurn(v);
    for (int k = 0; k < 4; k++) {
        const svm_TileRow part[4] = {SVM_TILE_PART(v[k], 0), SVM_TILE_PART(v[k], 1), SVM_TILE_PART(v[k], 2),
                                     SVM_TILE_PART(v[k], 3)};
        for (int q = 0; q < 4; q++)
            memcpy(items + (4 * q + k) * stride, &part[q], sizeof part[q]);
    }
}
#define SVM_TILE_BLOCK 16
// Eight columns, of which vectors hold four items each of every fourth one.
#define SVM_TILE_HALF 8
typedef int svm_TileHalf __attribute__((vector_size(32)));
static inline void svm_tileHalfIn(int *tile, ptrdiff_t columns, const int *items, ptrdiff_t stride)
{
    svm_TileHalf v[4];
    for (int k = 0; k < 4; k++) {
        svm_TileRow a, b;
        memcpy(&a, items + k * stride, sizeof a);
        memcpy(&b, items + (k + 4) * stride, sizeof b);
        v[k] = SVM_TILE_JOIN(a, b);
    }
    const svm_TileHalf a = __builtin_shufflevector(v[0], v[1], 0, 8, 1, 9, 4, 12, 5, 13),
                       b = __builtin_shufflevector(v[2], v[3], 0, 8, 1, 9, 4, 12, 5, 13),
                       c = __builtin_shufflevector(v[0], v[1], 2, 10, 3, 11, 6, 14, 7, 15),
                       d = __builtin_shufflevector(v[2], v[3], 2, 10, 3, 11, 6, 14, 7, 15);
    const svm_TileHalf rows[4] = {__builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13),
                                  __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15),
                                  __builtin_shufflevector(c, d, 0, 1, 8, 9, 4, 5, 12, 13),
                                  __builtin_shufflevector(c, d, 2, 3, 10, 11, 6, 7, 14, 15)};
    for (int k = 0; k < 4; k++)
        memcpy(tile + k * columns, &rows[k], sizeof rows[k]);
}

// Sixteen columns whose 4, 8 or 16 rows lie side by side in memory: whole vectors are moved, and quarters of them turned.
#if defined(__AVX512F__)
#define SVM_TILE_DENSE(rows, stride) ((rows) == (stride) && ((rows) == 4 || (rows) == 8 || (rows) == 16))
#else
#define SVM_TILE_DENSE(rows, stride) 0 // registers hold too few of them
#endif
static inline void svm_tileQuarters(svm_TileBlock v[4])
{
    svm_TileBlock low[2], high[2];
    for (int k = 0; k < 2; k++) {
        svm_TileBlock a = v[2 * k], b = v[2 * k + 1];
        low[k] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
        high[k] = __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
    }
    for (int k = 0; k < 2; k++) {
        svm_TileBlock a = k == 0 ? low[0] : high[0], b = k == 0 ? low[1] : high[1];
        v[2 * k] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
        v[2 * k + 1] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    }
}
static inline void svm_tileDenseIn(int *tile, ptrdiff_t columns, const int *items, ptrdiff_t rows)
{
    const ptrdiff_t blocks = rows / 4, near = 4 / blocks; // columns of a vector
    svm_TileBlock all[4][4];                              // block of rows, column
    for (ptrdiff_t first = 0; first < 4; first += near) {
        svm_TileBlock v[4];
        for (ptrdiff_t k = 0; k < 4; k++)
            memcpy(&v[k], items + (4 * k + first) * rows, sizeof v[k]);
        svm_tileQuarters(v);
        for (ptrdiff_t k = 0; k < 4; k++)
            all[k % blocks][first + k / blocks] = v[k];
    }
    for (ptrdiff_t b = 0; b < blocks; b++) {
        svm_tileTurn(all[b]);
        for (ptrdiff_t k = 0; k < 4; k++)
            memcpy(tile + (4 * b + k) * columns, &all[b][k], sizeof all[b][k]);
    }
}
static inline void svm_tileDenseOut(int *items, ptrdiff_t rows, const int *tile, ptrdiff_t columns)
{
    const ptrdiff_t blocks = rows / 4, near = 4 / blocks;
    svm_TileBlock all[4][4];
    for (ptrdiff_t b = 0; b < blocks; b++) {
        for (ptrdiff_t k = 0; k < 4; k++)
            memcpy(&all[b][k], tile + (4 * b + k) * columns, sizeof all[b][k]);
        svm_tileTurn(all[b]);
    }
    for (ptrdiff_t first = 0; first < 4; first += near) {
        svm_TileBlock v[4];
        for (ptrdiff_t k = 0; k < 4; k++)
            v[k] = all[k % blocks][first + k / blocks];
        svm_tileQuarters(v);
        for (ptrdiff_t k = 0; k < 4; k++)
            memcpy(items + (4 * k + first) * rows, &v[k], sizeof v[k]);
    }
}

// Sixteen columns of three rows, such as colours: what two vectors have of a row, then what the third has.
#if defined(__AVX512F__)
#define SVM_TILE_THREES(rows, stride) ((rows) == 3 && (stride) == 3)
#else
#define SVM_TILE_THREES(rows, stride) 0
#endif
static inline void svm_tileThreesIn(int *tile, ptrdiff_t columns, const int *items)
{
    svm_TileBlock v[3];
    memcpy(v, items, sizeof v);
    const svm_TileBlock a = __builtin_shufflevector(v[0], v[1], 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, -1, -1, -1, -1,
                                                    -1),
                        b = __builtin_shufflevector(v[0], v[1], 1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, -1, -1, -1, -1,
                                                    -1),
                        c = __builtin_shufflevector(v[0], v[1], 2, 5, 8, 11, 14, 17, 20, 23, 26, 29, -1, -1, -1, -1, -1,
                                                    -1);
    const svm_TileBlock rows[3] = {
        __builtin_shufflevector(a, v[2], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 20, 23, 26, 29),
        __builtin_shufflevector(b, v[2], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 18, 21, 24, 27, 30),
        __builtin_shufflevector(c, v[2], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 19, 22, 25, 28, 31),
    };
    for (int k = 0; k < 3; k++)
        memcpy(tile + k * columns, &rows[k], sizeof rows[k]);
}
static inline void svm_tileThreesOut(int *items, const int *tile, ptrdiff_t columns)
{
    svm_TileBlock v[3];
    for (int k = 0; k < 3; k++)
        memcpy(&v[k], tile + k * columns, sizeof v[k]);
    const svm_TileBlock a = __builtin_shufflevector(v[0], v[1], 0, 16, -1, 1, 17, -1, 2, 18, -1, 3, 19, -1, 4, 20, -1,
                                                    5),
                        b = __builtin_shufflevector(v[0], v[1], 21, -1, 6, 22, -1, 7, 23, -1, 8, 24, -1, 9, 25, -1, 10,
                                                    26),
                        c = __builtin_shufflevector(v[0], v[1], -1, 11, 27, -1, 12, 28, -1, 13, 29, -1, 14, 30, -1, 15,
                                                    31, -1);
    const svm_TileBlock all[3] = {
        __builtin_shufflevector(a, v[2], 0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15),
        __builtin_shufflevector(b, v[2], 0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15),
        __builtin_shufflevector(c, v[2], 26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31),
    };
    memcpy(items, all, sizeof all);
}

// Sixteen columns of two rows, each of eight bytes; where columns are near each other, C compilers have shuffles of their own.
#define SVM_TILE_PAIRS(rows, stride) ((rows) % 4 >= 2 && (stride) > 8 ? 2 : 0) // rows that are turned so
typedef struct svm_TilePairs {
    long long column[8];
} svm_TilePairs;
static inline svm_TileBlock svm_tilePairs(const int *items, ptrdiff_t stride)
{
    svm_TilePairs pairs;
    svm_TileBlock v;
    for (int i = 0; i < 8; i++)
        memcpy(&pairs.column[i], items + i * stride, sizeof *pairs.column);
    memcpy(&v, &pairs, sizeof v);
    return v;
}
static inline void svm_tilePairsBlock(int *to, const int *items, ptrdiff_t stride)
{
    const svm_TileBlock v[2] = {svm_tilePairs(items, stride), svm_tilePairs(items + 8 * stride, stride)};
    memcpy(to, v, sizeof v);
}
static inline void svm_tilePairsIn(int *tile, ptrdiff_t columns, const int *items, ptrdiff_t stride)
{
    const svm_TileBlock a = svm_tilePairs(items, stride), b = svm_tilePairs(items + 8 * stride, stride);
    const svm_TileBlock rows[2] = {
        __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
        __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31),
    };
    memcpy(tile, &rows[0], sizeof rows[0]);
    memcpy(tile + columns, &rows[1], sizeof rows[1]);
}

// Every second item of a vector and one that overlaps it by an item, and of memory, or every fourth: nothing is read behind the last.
static inline svm_TileBlock svm_tileEven(svm_TileBlock a, svm_TileBlock b)
{
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31);
}
static inline svm_TileBlock svm_tileSecond(const int *from)
{
    svm_TileBlock a, b;
    memcpy(&a, from, sizeof a);
    memcpy(&b, from + 15, sizeof b);
    return svm_tileEven(a, b);
}
static inline void svm_tileApart(int *to, const int *from, ptrdiff_t stride)
{
    const svm_TileBlock v =
        stride == 2 ? svm_tileSecond(from) : svm_tileEven(svm_tileSecond(from), svm_tileSecond(from + 30));
    memcpy(to, &v, sizeof v);
}
#else
#define SVM_TILE_BLOCK PTRDIFF_MAX
#define SVM_TILE_HALF PTRDIFF_MAX
static inline void svm_tileHalfIn(int *tile, ptrdiff_t columns, const int *items, ptrdiff_t stride)
{
    (void)tile, (void)columns, (void)items, (void)stride;
}
#define SVM_TILE_PAIRS(rows, stride) 0
#define SVM_TILE_THREES(rows, stride) 0
static inline void svm_tileThreesIn(int *tile, ptrdiff_t columns, const int *items)
{
    (void)tile, (void)columns, (void)items;
}
static inline void svm_tileThreesOut(int *items, const int *tile, ptrdiff_t columns)
{
    (void)items, (void)tile, (void)columns;
}
#define SVM_TILE_DENSE(rows, stride) 0
static inline void svm_tileDenseIn(int *tile, ptrdiff_t columns, const int *items, ptrdiff_t rows)
{
    (void)tile, (void)columns, (void)items, (void)rows;
}
static inline void svm_tileDenseOut(int *items, ptrdiff_t rows, const int *tile, ptrdiff_t columns)
{
    (void)items, (void)rows, (void)tile, (void)columns;
}
static inline void svm_tileBlockIn(int *tile, ptrdiff_t columns, const int *items, ptrdiff_t stride)
{
    (void)tile, (void)columns, (void)items, (void)stride;
}
static inline void svm_tileBlockOut(int *items, ptrdiff_t stride, const int *tile, ptrdiff_t columns)
{
    (void)tile, (void)columns, (void)items, (void)stride;
}
static inline void svm_tilePairsBlock(int *to, const int *items, ptrdiff_t stride)
{
    (void)to, (void)items, (void)stride;
}
static inline void svm_tilePairsIn(int *tile, ptrdiff_t columns, const int *items, ptrdiff_t stride)
{
    (void)tile, (void)columns, (void)items, (void)stride;
}
static inline void svm_tileApart(int *to, const int *from, ptrdiff_t stride)
{
    (void)to, (void)from, (void)stride;
}
#endif

// Fills a tile from memory; of the last column so many rows: what lies behind them is not the caller's.
static inline void svm_tileInPart(void *restrict tile, const void *restrict from, ptrdiff_t rows, ptrdiff_t columns,
                                  ptrdiff_t stride, ptrdiff_t last)
{
    int *to = tile;
    const int *items = from;
    const ptrdiff_t full = last < rows ? columns - 1 : columns;
    const ptrdiff_t pairs = SVM_TILE_PAIRS(rows, stride);
    const ptrdiff_t turned = full / SVM_TILE_BLOCK * SVM_TILE_BLOCK, whole = rows / 4 * 4 + pairs; // by blocks
    const ptrdiff_t eighth = full - turned >= SVM_TILE_HALF ? turned + SVM_TILE_HALF : turned;
    // What is left then, with columns before it once more: one by one it would take longer, and loads of whole vectors, such as
    // those of windows, would wait until each of them is in the cache.
    const int again = full - eighth >= SVM_TILE_FEW && full >= SVM_TILE_HALF;
    const ptrdiff_t half = again ? full : eighth;
    for (ptrdiff_t i = 0; i < turned; i += SVM_TILE_BLOCK) {
        if (SVM_TILE_DENSE(rows, stride)) {
            svm_tileDenseIn(to + i, columns, items + i * stride, rows);
            continue;
        }
        if (SVM_TILE_THREES(rows, stride))
            svm_tileThreesIn(to + i, columns, items + i * stride);
        for (ptrdiff_t k = 0; k + 4 <= whole; k += 4)
            svm_tileBlockIn(to + k * columns + i, columns, items + i * stride + k, stride);
        if (pairs)
            svm_tilePairsIn(to + (whole - 2) * columns + i, columns, items + i * stride + whole - 2, stride);
    }
    for (ptrdiff_t k = 0; eighth > turned && k + 4 <= whole - pairs; k += 4)
        svm_tileHalfIn(to + k * columns + turned, columns, items + turned * stride + k, stride);
    for (ptrdiff_t k = 0; again && k + 4 <= whole - pairs; k += 4)
        svm_tileHalfIn(to + k * columns + full - SVM_TILE_HALF, columns, items + (full - SVM_TILE_HALF) * stride + k,
                       stride);
    const ptrdiff_t begun = SVM_TILE_THREES(rows, stride) ? turned : 0; // columns of rows that are in no block
    for (ptrdiff_t k = 0; k < rows; k++)
        for (ptrdiff_t i = k < whole - pairs ? half : k < whole ? turned : begun; i < (k < last ? columns : full); i++)
            memcpy(to + k * columns + i, items + i * stride + k, sizeof *to);
}
// All of it.
static inline void svm_tileIn(void *restrict tile, const void *restrict from, ptrdiff_t rows, ptrdiff_t columns,
                              ptrdiff_t stride)
{
    svm_tileInPart(tile, from, rows, columns, stride, rows);
}
// Turns rows and columns of items over: rows lie so far apart in what is written, columns in what is read.
static inline void svm_turnOver(void *restrict to, const void *restrict from, ptrdiff_t rows, ptrdiff_t columns,
                                ptrdiff_t pitch, ptrdiff_t stride)
{
    int *written = to;
    const int *items = from;
    const ptrdiff_t turned = columns / SVM_TILE_BLOCK * SVM_TILE_BLOCK, whole = rows / 4 * 4;
    for (ptrdiff_t k = 0; k < whole; k += 4)
        for (ptrdiff_t i = 0; i < turned; i += SVM_TILE_BLOCK)
            svm_tileBlockIn(written + k * pitch + i, pitch, items + i * stride + k, stride);
    for (ptrdiff_t k = 0; k < rows; k++)
        for (ptrdiff_t i = k < whole ? turned : 0; i < columns; i++)
            memcpy(written + k * pitch + i, items + i * stride + k, sizeof *items);
}
// Pairs of items, which lie so far apart, one behind the other.
static inline void svm_pairsIn(void *restrict to, const void *restrict from, ptrdiff_t pairs, ptrdiff_t stride)
{
    int *written = to;
    const int *items = from;
    const ptrdiff_t whole = pairs / SVM_TILE_BLOCK * SVM_TILE_BLOCK;
    for (ptrdiff_t i = 0; i < whole; i += SVM_TILE_BLOCK)
        svm_tilePairsBlock(written + 2 * i, items + i * stride, stride);
    for (ptrdiff_t i = whole; i < pairs; i++)
        memcpy(written + 2 * i, items + i * stride, 2 * sizeof *items);
}
// And memory from a tile.
static inline void svm_tileOut(void *restrict to, const void *restrict tile, ptrdiff_t rows, ptrdiff_t columns,
                               ptrdiff_t stride)
{
    int *items = to;
    const int *from = tile;
    const ptrdiff_t turned = columns / SVM_TILE_BLOCK * SVM_TILE_BLOCK, whole = rows / 4 * 4;
    for (ptrdiff_t i = 0; i < turned; i += SVM_TILE_BLOCK) {
        if (SVM_TILE_DENSE(rows, stride)) {
            svm_tileDenseOut(items + i * stride, rows, from + i, columns);
            continue;
        }
        if (SVM_TILE_THREES(rows, stride))
            svm_tileThreesOut(items + i * stride, from + i, columns);
        for (ptrdiff_t k = 0; k < whole; k += 4)
            svm_tileBlockOut(items + i * stride + k, stride, from + k * columns + i, columns);
    }
    const ptrdiff_t begun = SVM_TILE_THREES(rows, stride) ? turned : 0;
    for (ptrdiff_t k = 0; k < rows; k++)
        for (ptrdiff_t i = k < whole ? turned : begun; i < columns; i++)
            memcpy(items + i * stride + k, from + k * columns + i, sizeof *items);
}
#endif

// Each number once.
#if SVM_LANES == 4
#ifdef SVM_LANES_HAVE_4
#define SVM_LANES_KNOWN
#endif
#define SVM_LANES_HAVE_4
#elif SVM_LANES == 8
#ifdef SVM_LANES_HAVE_8
#define SVM_LANES_KNOWN
#endif
#define SVM_LANES_HAVE_8
#elif SVM_LANES == 16
#ifdef SVM_LANES_HAVE_16
#define SVM_LANES_KNOWN
#endif
#define SVM_LANES_HAVE_16
#elif SVM_LANES == 32
#ifdef SVM_LANES_HAVE_32
#define SVM_LANES_KNOWN
#endif
#define SVM_LANES_HAVE_32
#elif SVM_LANES == 64
#ifdef SVM_LANES_HAVE_64
#define SVM_LANES_KNOWN
#endif
#define SVM_LANES_HAVE_64
#elif SVM_LANES == 128
#ifdef SVM_LANES_HAVE_128
#define SVM_LANES_KNOWN
#endif
#define SVM_LANES_HAVE_128
#elif SVM_LANES == 256
#ifdef SVM_LANES_HAVE_256
#define SVM_LANES_KNOWN
#endif
#define SVM_LANES_HAVE_256
#elif SVM_LANES == 512
#ifdef SVM_LANES_HAVE_512
#define SVM_LANES_KNOWN
#endif
#define SVM_LANES_HAVE_512
#elif SVM_LANES == 1024
#ifdef SVM_LANES_HAVE_1024
#define SVM_LANES_KNOWN
#endif
#define SVM_LANES_HAVE_1024
#else
#error "SVM_LANES is a power of two from 4 to 1024"
#endif
#ifndef SVM_LANES_KNOWN

// Names of this number of lanes, forgotten at the end.
#define FLOATS SVM_LANES_NAME(svm_Floats, SVM_LANES)
#define INTS SVM_LANES_NAME(svm_Ints, SVM_LANES)
#define COUNT SVM_LANES_NAME(svm_lanes, SVM_LANES)
#define OWN(name) SVM_LANES_NAME(name, SVM_LANES)

enum { COUNT = SVM_LANES_ITEMS(SVM_LANES) };
typedef SVM_LANES_VECTOR(float, SVM_LANES) FLOATS;
typedef SVM_LANES_VECTOR(int, SVM_LANES) INTS;

// ---- Memory ----

static inline FLOATS OWN(svm_loadFloats)(const float *from)
{
    FLOATS v;
    memcpy(&v, from, sizeof v);
    return v;
}
static inline INTS OWN(svm_loadInts)(const int *from)
{
    INTS v;
    memcpy(&v, from, sizeof v);
    return v;
}
static inline void OWN(svm_storeFloats)(float *to, FLOATS v)
{
    memcpy(to, &v, sizeof v);
}
static inline void OWN(svm_storeInts)(int *to, INTS v)
{
    memcpy(to, &v, sizeof v);
}

// Lanes that lie `stride` items apart.
static inline FLOATS OWN(svm_gatherFloats)(const float *from, ptrdiff_t stride)
{
    FLOATS v;
    float items[COUNT]; // SVM_LANES_UNROLLED
    if (COUNT >= SVM_TILE_BLOCK && (stride == 2 || stride == 4)) {
        for (int i = 0; i < COUNT; i += SVM_TILE_BLOCK)
            svm_tileApart((int *)items + i, (const int *)from + i * stride, stride);
    } else {
        for (int i = 0; i < COUNT; i++)
            items[i] = from[i * stride];
    }
    memcpy(&v, items, sizeof v);
    return v;
}
static inline INTS OWN(svm_gatherInts)(const int *from, ptrdiff_t stride)
{
    INTS v;
    int items[COUNT]; // SVM_LANES_UNROLLED
    if (COUNT >= SVM_TILE_BLOCK && (stride == 2 || stride == 4)) {
        for (int i = 0; i < COUNT; i += SVM_TILE_BLOCK)
            svm_tileApart(items + i, from + i * stride, stride);
    } else {
        for (int i = 0; i < COUNT; i++)
            items[i] = from[i * stride];
    }
    memcpy(&v, items, sizeof v);
    return v;
}
static inline void OWN(svm_scatterFloats)(float *to, ptrdiff_t stride, FLOATS v)
{
    float items[COUNT]; // SVM_LANES_UNROLLED
    memcpy(items, &v, sizeof items);
    for (int i = 0; i < COUNT; i++)
        to[i * stride] = items[i];
}
static inline void OWN(svm_scatterInts)(int *to, ptrdiff_t stride, INTS v)
{
    int items[COUNT]; // SVM_LANES_UNROLLED
    memcpy(items, &v, sizeof items);
    for (int i = 0; i < COUNT; i++)
        to[i * stride] = items[i];
}

// The same value in all lanes.
static inline FLOATS OWN(svm_sameFloats)(float x)
{
    FLOATS v;
    SVM_LANES_ALL(i, SVM_LANES)
    SVM_LANES_AT(v, i) = x;
    return v;
}
static inline INTS OWN(svm_sameInts)(int x)
{
    INTS v;
    SVM_LANES_ALL(i, SVM_LANES)
    SVM_LANES_AT(v, i) = x;
    return v;
}

// The number of each lane.
static inline INTS OWN(svm_numberInts)(void)
{
    INTS v;
    SVM_LANES_ALL(i, SVM_LANES)
    SVM_LANES_AT(v, i) = i;
    return v;
}
// Each lane has what the one before had, the first one x.
static inline FLOATS OWN(svm_nextFloats)(FLOATS v, float x)
{
    FLOATS next;
    if (COUNT > SVM_LANES_UNROLLED) {
        float items[1 + COUNT];
        items[0] = x;
        memcpy(items + 1, &v, sizeof v);
        memcpy(&next, items, sizeof next);
        return next;
    }
    for (int i = COUNT - 1; i > 0; i--)
        SVM_LANES_AT(next, i) = SVM_LANES_AT(v, i - 1);
    SVM_LANES_AT(next, 0) = x;
    return next;
}

// ---- Choice ----

// a where the mask is set, else b.
static inline INTS OWN(svm_chooseInts)(INTS mask, INTS a, INTS b)
{
    return (mask & a) | (~mask & b);
}
static inline FLOATS OWN(svm_chooseFloats)(INTS mask, FLOATS a, FLOATS b)
{
#if defined(__GNUC__)
    return (FLOATS)((mask & (INTS)a) | (~mask & (INTS)b));
#else
    return mask ? a : b;
#endif
}
static inline FLOATS OWN(svm_maxFloats)(FLOATS a, FLOATS b)
{
    return OWN(svm_chooseFloats)(SVM_MASK(a > b), a, b);
}
static inline FLOATS OWN(svm_minFloats)(FLOATS a, FLOATS b)
{
    return OWN(svm_chooseFloats)(SVM_MASK(a < b), a, b);
}

// Whether the mask of any lane is set.
static inline int OWN(svm_anyInts)(INTS mask)
{
#ifdef SVM_LANES_ANY
    return SVM_LANES_ANY(mask);
#else
    int any = 0;
    SVM_LANES_ALL(i, SVM_LANES)
    any |= SVM_LANES_AT(mask, i);
    return any;
#endif
}

// ---- Rows of which each lane takes another: element k of lane l is rows[k * stride + l], of `count` ----
// Few are compared with which is wanted, one by one; a lane that wants none of them gets any value.

#define LOOK_UP(Items, ITEM, ITEMS)                                                                                    \
    static inline ITEMS OWN(svm_lookUp##Items)(const ITEM *rows, ptrdiff_t stride, int count, INTS which)              \
    {                                                                                                                  \
        ITEMS v = OWN(svm_load##Items)(rows);                                                                          \
        if (count <= SVM_LANES_FEW) {                                                                                  \
            for (int k = 1; k < count; k++)                                                                            \
                v = OWN(svm_choose##Items)(SVM_MASK(which == k), OWN(svm_load##Items)(rows + k * stride), v);          \
            return v;                                                                                                  \
        }                                                                                                              \
        ITEM items[COUNT];                                                                                             \
        int at[COUNT];                                                                                                 \
        memcpy(at, &which, sizeof at);                                                                                 \
        for (int i = 0; i < COUNT; i++)                                                                                \
            memcpy(&items[i], rows + ((unsigned)at[i] < (unsigned)count ? at[i] : 0) * stride + i, sizeof *items);     \
        memcpy(&v, items, sizeof v);                                                                                   \
        return v;                                                                                                      \
    }                                                                                                                  \
    static inline void OWN(svm_set##Items)(ITEM * rows, ptrdiff_t stride, int count, INTS which, ITEMS v, INTS mask)   \
    {                                                                                                                  \
        if (count <= SVM_LANES_FEW) {                                                                                  \
            for (int k = 0; k < count; k++)                                                                            \
                OWN(svm_store##Items)(                                                                                 \
                    rows + k * stride,                                                                                 \
                    OWN(svm_choose##Items)(mask & SVM_MASK(which == k), v, OWN(svm_load##Items)(rows + k * stride)));  \
            return;                                                                                                    \
        }                                                                                                              \
        ITEM items[COUNT];                                                                                             \
        int at[COUNT];                                                                                                 \
        which |= ~mask;                                                                                                \
        memcpy(items, &v, sizeof items);                                                                               \
        memcpy(at, &which, sizeof at);                                                                                 \
        for (int i = 0; i < COUNT; i++)                                                                                \
            if ((unsigned)at[i] < (unsigned)count)                                                                     \
                memcpy(rows + at[i] * stride + i, &items[i], sizeof *items);                                           \
    }                                                                                                                  \
    /* Items of lanes that lie `lanes` apart, those of a lane `stride`. */                                             \
    static inline ITEMS OWN(svm_fetch##Items)(const ITEM *from, ptrdiff_t stride, ptrdiff_t lanes, int count,          \
                                              INTS which)                                                              \
    {                                                                                                                  \
        ITEMS v;                                                                                                       \
        ITEM items[COUNT];                                                                                             \
        int at[COUNT];                                                                                                 \
        memcpy(at, &which, sizeof at);                                                                                 \
        for (int i = 0; i < COUNT; i++)                                                                                \
            items[i] = from[((unsigned)at[i] < (unsigned)count ? at[i] : 0) * stride + i * lanes];                     \
        memcpy(&v, items, sizeof v);                                                                                   \
        return v;                                                                                                      \
    }
LOOK_UP(Ints, int, INTS)
LOOK_UP(Floats, float, FLOATS)
#undef LOOK_UP

// Each lane takes an element of a table of `count`; one that asks for none of them gets the first. The subscripts are
// compared as vectors, and the loads are written out: as a loop, C compilers make vectors of it again.
#if defined(__clang__)
#define SVM_LANES_ONE_BY_ONE _Pragma("clang loop vectorize(disable) unroll(full)")
#else
#define SVM_LANES_ONE_BY_ONE
#endif
#define TAKE(Items, STORED, ITEM, ITEMS)                                                                               \
    static inline ITEMS OWN(svm_take##Items)(const STORED *table, int count, INTS which)                               \
    {                                                                                                                  \
        ITEMS v;                                                                                                       \
        ITEM items[COUNT];                                                                                             \
        int at[COUNT];                                                                                                 \
        which &= SVM_MASK(which >= 0) & SVM_MASK(which < count);                                                       \
        memcpy(at, &which, sizeof at);                                                                                 \
        SVM_LANES_ONE_BY_ONE                                                                                           \
        for (int i = 0; i < COUNT; i++)                                                                                \
            items[i] = table[at[i]];                                                                                   \
        memcpy(&v, items, sizeof v);                                                                                   \
        return v;                                                                                                      \
    }
#if defined(__clang__) && defined(__AVX512VBMI__) && SVM_LANES >= 16
// Up to 256 bytes lie in four registers, and an int's lowest byte says which of them it gets.
#define TAKE_BYTES(Items, STORED, UP)                                                                                  \
    static inline INTS OWN(svm_take##Items)(const STORED *table, int count, INTS which)                                \
    {                                                                                                                  \
        if (count > 256)                                                                                               \
            return OWN(svm_take##Items##OneByOne)(table, count, which);                                                \
        svm_WideByteRow t[4] = {{0}};                                                                                  \
        memcpy(t, table, (size_t)count);                                                                               \
        which &= SVM_MASK(which >= 0) & SVM_MASK(which < count);                                                       \
        svm_WideByteRow at[COUNT / 16];                                                                                \
        memcpy(at, &which, sizeof at);                                                                                 \
        for (int i = 0; i < COUNT / 16; i++) {                                                                         \
            svm_WideByteRow found = __builtin_ia32_vpermi2varqi512(t[0], at[i], t[1]);                                 \
            if (count > 128) {                                                                                         \
                svm_WideByteRow high = __builtin_ia32_vpermi2varqi512(t[2], at[i], t[3]);                              \
                svm_WideByteRow upper = (svm_WideByteRow)((svm_SignedWideByteRow)at[i] < 0);                           \
                found = (high & upper) | (found & ~upper);                                                             \
            }                                                                                                          \
            at[i] = found;                                                                                             \
        }                                                                                                              \
        memcpy(&which, at, sizeof at);                                                                                 \
        return UP;                                                                                                     \
    }
TAKE(BytesOneByOne, unsigned char, int, INTS)
TAKE(SignedBytesOneByOne, signed char, int, INTS)
TAKE_BYTES(Bytes, unsigned char, which & 255)
TAKE_BYTES(SignedBytes, signed char, which << 24 >> 24)
#undef TAKE_BYTES
#else
TAKE(Bytes, unsigned char, int, INTS)
TAKE(SignedBytes, signed char, int, INTS)
#endif
TAKE(Shorts, short, int, INTS)
#if defined(SVM_GATHERED) && SVM_LANES >= 16
// The processor loads 16 scattered elements in one instruction, and does it well.
#define TAKE_GATHERED(Items, ITEM, ITEMS, ROW, gather)                                                                 \
    static inline ITEMS OWN(svm_take##Items)(const ITEM *table, int count, INTS which)                                 \
    {                                                                                                                  \
        ITEMS v;                                                                                                       \
        svm_WideIntRow at[COUNT / 16];                                                                                 \
        ROW items[COUNT / 16];                                                                                         \
        which &= SVM_MASK(which >= 0) & SVM_MASK(which < count);                                                       \
        memcpy(at, &which, sizeof at);                                                                                 \
        for (int i = 0; i < COUNT / 16; i++)                                                                           \
            items[i] = gather((ROW){0}, table, at[i], (short)-1, (int)sizeof(ITEM));                                   \
        memcpy(&v, items, sizeof v);                                                                                   \
        return v;                                                                                                      \
    }
TAKE_GATHERED(Ints, int, INTS, svm_WideIntRow, __builtin_ia32_gathersiv16si)
TAKE_GATHERED(Floats, float, FLOATS, svm_WideFloatRow, __builtin_ia32_gathersiv16sf)
#undef TAKE_GATHERED
#else
TAKE(Ints, int, int, INTS)
TAKE(Floats, float, float, FLOATS)
#endif
#undef TAKE
#undef SVM_LANES_ONE_BY_ONE

// ---- Quotients of ints, as those of svm_idiv; where: of the error ----

// Through doubles, which hold all ints, so that the quotient cut off is exact. Floats hold ints of 24 bits, and are twice as many
// to a vector. Where both numbers have 23 and a sign, a quotient that is no whole number is farther from the next one than
// floats are from each other there: so it is exact, too. Products with inverses, as -Ofast has them, would not be.
static inline INTS OWN(svm_divInts)(INTS a, INTS b, const char *where)
{
#if defined(__clang__) && __clang_major__ >= 18
#pragma clang fp reciprocal(off)
#endif
    if (OWN(svm_anyInts)(SVM_MASK(b == 0)))
        (void)svm_idiv(1, 0, where);
    const INTS beyond = ((a + (1 << 23)) | (b + (1 << 23))) & ~((1 << 24) - 1);
    if (!OWN(svm_anyInts)(SVM_MASK(beyond != 0))) {
        int small[COUNT], by[COUNT];
        memcpy(small, &a, sizeof small);
        memcpy(by, &b, sizeof by);
        for (int i = 0; i < COUNT; i++)
            small[i] = (int)((float)small[i] / (float)by[i]);
        memcpy(&a, small, sizeof small);
        return a;
    }
    INTS back = SVM_MASK(b == -1);
    int x[COUNT], y[COUNT];
    a = OWN(svm_chooseInts)(back, -a, a);
    b = OWN(svm_chooseInts)(back, -b, b);
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    for (int i = 0; i < COUNT; i++)
        x[i] = (int)((double)x[i] / (double)y[i]);
    memcpy(&a, x, sizeof x);
    return a;
}

// ---- Remainders, as those of svm_iremOnce ----

static inline INTS OWN(svm_remOnceInts)(INTS a, INTS b)
{
    typedef SVM_LANES_VECTOR(unsigned, SVM_LANES) bits;
    const bits x = SVM_LANES_CAST(bits, a), less = x - SVM_LANES_CAST(bits, b);
    return OWN(svm_chooseInts)(SVM_MASK(less < x), SVM_LANES_CAST(INTS, less), a);
}

// ---- Sizes, as those of svm_iabs ----

static inline INTS OWN(svm_absInts)(INTS a)
{
    typedef SVM_LANES_VECTOR(unsigned, SVM_LANES) bits;
    const bits sign = SVM_LANES_CAST(bits, SVM_MASK(a < 0));
    return SVM_LANES_CAST(INTS, (SVM_LANES_CAST(bits, a) ^ sign) - sign);
}

// ---- Rotation to the left, as svm_rotl ----

static inline INTS OWN(svm_rotlInts)(INTS a, INTS n)
{
    typedef SVM_LANES_VECTOR(unsigned, SVM_LANES) bits;
    const bits x = SVM_LANES_CAST(bits, a), by = SVM_LANES_CAST(bits, n) & 31U;
    return SVM_LANES_CAST(INTS, (x << by) | (x >> ((32U - by) & 31U)));
}

// ---- Conversion ----

static inline FLOATS OWN(svm_toFloats)(INTS v)
{
    return SVM_LANES_CONVERT(FLOATS, v);
}
// Towards zero, of numbers that ints can be.
static inline INTS OWN(svm_fitInts)(FLOATS x)
{
    return SVM_LANES_CONVERT(INTS, x);
}
// Ints that were floats between, whose ends floats can be: what is rounded to more is the greatest.
static inline INTS OWN(svm_roundInts)(INTS v)
{
    INTS high = SVM_MASK(v >= 2147483584), zero = OWN(svm_sameInts)(0);
    return OWN(svm_fitInts)(OWN(svm_toFloats)(OWN(svm_chooseInts)(high, zero, v))) | (high & INT32_MAX);
}
// As svm_f2i: towards zero, saturating, 0 for NaN.
static inline INTS OWN(svm_toInts)(FLOATS x)
{
    INTS high = SVM_MASK(x >= 2147483648.0F), low = SVM_MASK(x <= -2147483648.0F);
    INTS within = SVM_MASK(x == x) & ~(high | low);
    INTS v = SVM_LANES_CONVERT(INTS, OWN(svm_chooseFloats)(within, x, OWN(svm_sameFloats)(0.0F)));
    return v | (high & INT32_MAX) | (low & INT32_MIN);
}

// ---- Functions of <math.h>: the very calls of a single firing, lane by lane ----

#define ONE(name, function)                                                                                            \
    static inline FLOATS OWN(svm_##name##Floats)(FLOATS x)                                                             \
    {                                                                                                                  \
        float items[COUNT];                                                                                            \
        memcpy(items, &x, sizeof items);                                                                               \
        for (int i = 0; i < COUNT; i++)                                                                                \
            items[i] = function(items[i]);                                                                             \
        memcpy(&x, items, sizeof x);                                                                                   \
        return x;                                                                                                      \
    }
#define TWO(name, function)                                                                                            \
    static inline FLOATS OWN(svm_##name##Floats)(FLOATS x, FLOATS y)                                                   \
    {                                                                                                                  \
        float items[COUNT], others[COUNT];                                                                             \
        memcpy(items, &x, sizeof items);                                                                               \
        memcpy(others, &y, sizeof others);                                                                             \
        for (int i = 0; i < COUNT; i++)                                                                                \
            items[i] = function(items[i], others[i]);                                                                  \
        memcpy(&x, items, sizeof x);                                                                                   \
        return x;                                                                                                      \
    }
#if defined(__clang__) && defined(__has_builtin)
#if __has_builtin(__builtin_elementwise_sqrt)
#define EXACT(name, function)                                                                                          \
    static inline FLOATS OWN(svm_##name##Floats)(FLOATS x)                                                             \
    {                                                                                                                  \
        return __builtin_elementwise_##name(x);                                                                        \
    }
#endif
#endif
#ifndef EXACT
#define EXACT ONE
#endif
EXACT(sqrt, sqrtf)
EXACT(floor, floorf)
EXACT(ceil, ceilf)
EXACT(rint, rintf)
EXACT(abs, fabsf)
ONE(asin, asinf)
ONE(acos, acosf)
ONE(sinh, sinhf)
ONE(cosh, coshf)
TWO(fmod, fmodf)
// Those of svm/elementary.h: the C compiler makes vectors of the loop.
#define OURS(name)                                                                                                     \
    static inline FLOATS OWN(svm_##name##Floats)(FLOATS x)                                                             \
    {                                                                                                                  \
        float a[COUNT];                                                                                                \
        memcpy(a, &x, sizeof a);                                                                                       \
        for (int i = 0; i < COUNT; i++)                                                                                \
            a[i] = svm_##name##f(a[i]);                                                                                \
        memcpy(&x, a, sizeof a);                                                                                       \
        return x;                                                                                                      \
    }
#define OURS_OF_TWO(name)                                                                                              \
    static inline FLOATS OWN(svm_##name##Floats)(FLOATS x, FLOATS y)                                                   \
    {                                                                                                                  \
        float a[COUNT], b[COUNT];                                                                                      \
        memcpy(a, &x, sizeof a);                                                                                       \
        memcpy(b, &y, sizeof b);                                                                                       \
        for (int i = 0; i < COUNT; i++)                                                                                \
            a[i] = svm_##name##f(a[i], b[i]);                                                                          \
        memcpy(&x, a, sizeof a);                                                                                       \
        return x;                                                                                                      \
    }
OURS(sin)
OURS(cos)
OURS(tan)
OURS(atan)
OURS(tanh)
OURS(exp)
OURS(log)
OURS(log10)
OURS_OF_TWO(atan2)
OURS_OF_TWO(pow)
#undef OURS
#undef OURS_OF_TWO
static inline FLOATS OWN(svm_roundFloats)(FLOATS x)
{
    return OWN(svm_floorFloats)(x + 0.5F);
}
#undef ONE
#undef TWO
#undef EXACT

#undef FLOATS
#undef INTS
#undef COUNT
#undef OWN
#endif
#undef SVM_LANES_KNOWN
#undef SVM_LANES
