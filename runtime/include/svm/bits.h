// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of bits, one of each of many firings, so that one operation on a vector is that of all of them. Included once:
//
//     #define SVM_BITS 256
//     #include <svm/bits.h>
//
// gives svm_Bits, which takes & | ^ ~, and svm_bits, the number of its lanes: firing l is bit l % 8 of byte l / 8. Where the
// compiler has no vectors svm_Bits is an integer of 64 lanes, and the same text does 64 firings at a time.
#ifndef SVM_BITS_H
#define SVM_BITS_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef SVM_BITS
#error "define SVM_BITS as the number of lanes before <svm/bits.h>"
#endif
#if SVM_BITS != 128 && SVM_BITS != 256 && SVM_BITS != 512
#error "SVM_BITS is 128, 256 or 512"
#endif

#if defined(__GNUC__)
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" // nothing here is called from another file
#endif
typedef uint64_t svm_Bits __attribute__((vector_size(SVM_BITS / 8)));
enum { svm_bits = SVM_BITS };
#define SVM_BITS_NONE ((svm_Bits){0})
#else
typedef uint64_t svm_Bits;
enum { svm_bits = 64 };
#define SVM_BITS_NONE ((svm_Bits)0)
#endif
#define SVM_BITS_ALL (~SVM_BITS_NONE)

#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
// Sixteen items of eight firings at a time: a byte for each item collects a bit of each firing. Sixteen of these, for 128
// firings, are turned, and are then sixteen bytes for each item.
typedef unsigned char svm_BitRow __attribute__((vector_size(16)));
typedef unsigned char svm_BitRows __attribute__((vector_size(64)));
typedef int svm_BitInts __attribute__((vector_size(64)));
#define SVM_BITS_ROWS 16

static inline svm_BitRow svm_bitsLow(svm_BitRow a, svm_BitRow b)
{
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
static inline svm_BitRow svm_bitsHigh(svm_BitRow a, svm_BitRow b)
{
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
// Byte k of row g becomes byte g of row k.
static inline void svm_bitsTurn(svm_BitRow rows[SVM_BITS_ROWS])
{
    for (int round = 0; round < 4; round++) {
        svm_BitRow next[SVM_BITS_ROWS];
        for (int i = 0; i < SVM_BITS_ROWS / 2; i++) {
            next[2 * i] = svm_bitsLow(rows[i], rows[i + SVM_BITS_ROWS / 2]);
            next[2 * i + 1] = svm_bitsHigh(rows[i], rows[i + SVM_BITS_ROWS / 2]);
        }
        memcpy(rows, next, sizeof next);
    }
}
static inline svm_BitRow svm_bitsOfBytes(const unsigned char *from, int bit)
{
    svm_BitRow row;
    memcpy(&row, from, sizeof row);
    return row >> (unsigned char)bit & 1;
}
static inline svm_BitRow svm_bitsOfInts(const int *from, int bit)
{
    svm_BitInts items;
    memcpy(&items, from, sizeof items);
    return __builtin_convertvector(items >> bit & 1, svm_BitRow);
}
static inline void svm_bitsAddBytes(unsigned char *to, svm_BitRow row, int bit, int more)
{
    svm_BitRow old = {0};
    if (more)
        memcpy(&old, to, sizeof old);
    old |= row << (unsigned char)bit;
    memcpy(to, &old, sizeof old);
}
static inline void svm_bitsAddInts(int *to, svm_BitRow row, int bit, int more)
{
    svm_BitInts old = {0}, items = __builtin_convertvector(row, svm_BitInts);
    if (more)
        memcpy(&old, to, sizeof old);
    old |= items << bit;
    memcpy(to, &old, sizeof old);
}
// Sixteen items of 128 firings, into bytes part * 16 and on of their vectors.
#define SVM_BITS_BLOCK_IN(name, type, row)                                                                             \
    static inline void name(svm_Bits *to, const type *from, ptrdiff_t stride, int bit, int part)                       \
    {                                                                                                                  \
        svm_BitRow rows[SVM_BITS_ROWS];                                                                                \
        for (int g = 0; g < SVM_BITS_ROWS; g++) {                                                                      \
            svm_BitRow all = {0};                                                                                      \
            for (int f = 7; f >= 0; f--)                                                                               \
                all = all + all + row(from + (part * 128 + g * 8 + f) * stride, bit);                                  \
            rows[g] = all;                                                                                             \
        }                                                                                                              \
        svm_bitsTurn(rows);                                                                                            \
        for (int k = 0; k < SVM_BITS_ROWS; k++)                                                                        \
            memcpy((unsigned char *)(to + k) + part * 16, &rows[k], sizeof rows[k]);                                   \
    }
SVM_BITS_BLOCK_IN(svm_bitsBlockInBytes, unsigned char, svm_bitsOfBytes)
SVM_BITS_BLOCK_IN(svm_bitsBlockInInts, int, svm_bitsOfInts)
#define SVM_BITS_BLOCK_OUT(name, type, add)                                                                            \
    static inline void name(type *to, const svm_Bits *from, ptrdiff_t stride, int bit, int more, int part)             \
    {                                                                                                                  \
        svm_BitRow rows[SVM_BITS_ROWS];                                                                                \
        for (int k = 0; k < SVM_BITS_ROWS; k++)                                                                        \
            memcpy(&rows[k], (const unsigned char *)(from + k) + part * 16, sizeof rows[k]);                           \
        svm_bitsTurn(rows);                                                                                            \
        for (int g = 0; g < SVM_BITS_ROWS; g++)                                                                        \
            for (int f = 0; f < 8; f++)                                                                                \
                add(to + (part * 128 + g * 8 + f) * stride, rows[g] >> (unsigned char)f & 1, bit, more);               \
    }
SVM_BITS_BLOCK_OUT(svm_bitsBlockOutBytes, unsigned char, svm_bitsAddBytes)
SVM_BITS_BLOCK_OUT(svm_bitsBlockOutInts, int, svm_bitsAddInts)
#undef SVM_BITS_BLOCK_IN
#undef SVM_BITS_BLOCK_OUT
#define SVM_BITS_BY_BLOCKS(block, items)                                                                               \
    for (; k + SVM_BITS_ROWS <= (items); k += SVM_BITS_ROWS)                                                           \
        for (int part = 0; part < SVM_BITS / 128; part++)                                                              \
    block
#else
#define SVM_BITS_BY_BLOCKS(block, items)
#endif

// Bit `bit` of items 0 to items - 1 of each firing, to[k] of item k; equal items of successive firings are `stride` apart.
#define SVM_BITS_IN(name, type, block)                                                                                 \
    static inline void name(svm_Bits *to, const type *from, ptrdiff_t items, ptrdiff_t stride, int bit)                \
    {                                                                                                                  \
        ptrdiff_t k = 0;                                                                                               \
        SVM_BITS_BY_BLOCKS(block(to + k, from + k, stride, bit, part);, items)                                         \
        for (; k < items; k++) {                                                                                       \
            unsigned char bytes[svm_bits / 8] = {0};                                                                   \
            for (int l = 0; l < svm_bits; l++)                                                                         \
                bytes[l / 8] |= (unsigned char)(((unsigned)from[l * stride + k] >> bit & 1) << l % 8);                 \
            memcpy(to + k, bytes, sizeof bytes);                                                                       \
        }                                                                                                              \
    }
// The other way round: sets these bits of items, and the items' others to 0, or if `more` leaves these.
#define SVM_BITS_OUT(name, type, block)                                                                                \
    static inline void name(type *to, const svm_Bits *from, ptrdiff_t items, ptrdiff_t stride, int bit, int more)      \
    {                                                                                                                  \
        ptrdiff_t k = 0;                                                                                               \
        SVM_BITS_BY_BLOCKS(block(to + k, from + k, stride, bit, more, part);, items)                                   \
        for (; k < items; k++) {                                                                                       \
            unsigned char bytes[svm_bits / 8];                                                                         \
            memcpy(bytes, from + k, sizeof bytes);                                                                     \
            for (int l = 0; l < svm_bits; l++) {                                                                       \
                type *item = &to[l * stride + k];                                                                      \
                unsigned old = more ? (unsigned)*item : 0;                                                             \
                *item = (type)(old | (bytes[l / 8] >> l % 8 & 1U) << bit);                                             \
            }                                                                                                          \
        }                                                                                                              \
    }
SVM_BITS_IN(svm_bitsInBytes, unsigned char, svm_bitsBlockInBytes)
SVM_BITS_IN(svm_bitsInInts, int, svm_bitsBlockInInts)
SVM_BITS_OUT(svm_bitsOutBytes, unsigned char, svm_bitsBlockOutBytes)
SVM_BITS_OUT(svm_bitsOutInts, int, svm_bitsBlockOutInts)
#undef SVM_BITS_IN
#undef SVM_BITS_OUT
#undef SVM_BITS_BY_BLOCKS

// All bits of one item, to[b] of bit b: where firings have few items, and most of their bits are wanted.
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
typedef uint32_t svm_BitWords __attribute__((vector_size(SVM_BITS / 8)));

// Bit k of word i becomes bit i of word k, in each of the lanes.
static inline void svm_bitsTurnWords(svm_BitWords words[32])
{
    uint32_t low = 0x0000ffff;
    for (int half = 16; half > 0; half /= 2, low ^= low << half)
        for (int i = 0; i < 32; i = (i + half + 1) & ~half) {
            svm_BitWords swapped = (words[i] >> (uint32_t)half ^ words[i + half]) & low;
            words[i] ^= swapped << (uint32_t)half;
            words[i + half] ^= swapped;
        }
}
static inline void svm_bitsInWord(svm_Bits *to, const int *from, ptrdiff_t stride)
{
    svm_BitWords words[32];
    for (int i = 0; i < 32; i++)
        for (int lane = 0; lane < SVM_BITS / 32; lane++)
            words[i][lane] = (uint32_t)from[(32 * lane + i) * stride];
    svm_bitsTurnWords(words);
    memcpy(to, words, sizeof words);
}
static inline void svm_bitsOutWord(int *to, const svm_Bits *from, ptrdiff_t stride)
{
    svm_BitWords words[32];
    memcpy(words, from, sizeof words);
    svm_bitsTurnWords(words);
    for (int i = 0; i < 32; i++)
        for (int lane = 0; lane < SVM_BITS / 32; lane++)
            to[(32 * lane + i) * stride] = (int)words[i][lane];
}
#else
static inline void svm_bitsInWord(svm_Bits *to, const int *from, ptrdiff_t stride)
{
    for (int bit = 0; bit < 32; bit++)
        svm_bitsInInts(to + bit, from, 1, stride, bit);
}
static inline void svm_bitsOutWord(int *to, const svm_Bits *from, ptrdiff_t stride)
{
    for (int bit = 0; bit < 32; bit++)
        svm_bitsOutInts(to, from + bit, 1, stride, bit, bit > 0);
}
#endif

// Items of a byte each, as bits lie in files: bit b of item k is to[8 * k + b]. So many items go together, of eight firings to
// a row of the first vectors.
enum { svm_bitsPacked = 8 };
#ifdef SVM_BITS_ROWS
typedef unsigned char svm_BitBytes __attribute__((vector_size(SVM_BITS / 8)));

#define SVM_BITS_PAIRS(at)                                                                                             \
    at, at + SVM_BITS / 8, at + 1, at + 1 + SVM_BITS / 8, at + 2, at + 2 + SVM_BITS / 8, at + 3,                       \
        at + 3 + SVM_BITS / 8, at + 4, at + 4 + SVM_BITS / 8, at + 5, at + 5 + SVM_BITS / 8, at + 6,                   \
        at + 6 + SVM_BITS / 8, at + 7, at + 7 + SVM_BITS / 8
#if SVM_BITS == 128
#define SVM_BITS_ZIP(at) SVM_BITS_PAIRS(at)
#elif SVM_BITS == 256
#define SVM_BITS_ZIP(at) SVM_BITS_PAIRS(at), SVM_BITS_PAIRS(at + 16)
#else
#define SVM_BITS_ZIP(at) SVM_BITS_PAIRS(at), SVM_BITS_PAIRS(at + 16), SVM_BITS_PAIRS(at + 32), SVM_BITS_PAIRS(at + 48)
#endif
// In each sixteen bytes of the vectors: byte k of row g becomes byte g of row k.
static inline void svm_bitsTurnBytes(svm_BitBytes rows[SVM_BITS_ROWS])
{
    for (int round = 0; round < 4; round++) {
        svm_BitBytes next[SVM_BITS_ROWS];
        for (int i = 0; i < SVM_BITS_ROWS / 2; i++) {
            svm_BitBytes a = rows[i], b = rows[i + SVM_BITS_ROWS / 2];
            next[2 * i] = __builtin_shufflevector(a, b, SVM_BITS_ZIP(0));
            next[2 * i + 1] = __builtin_shufflevector(a, b, SVM_BITS_ZIP(8));
        }
        memcpy(rows, next, sizeof next);
    }
}
#undef SVM_BITS_ZIP
#undef SVM_BITS_PAIRS
// Bit b of each byte of row f becomes bit f of that of row b.
static inline void svm_bitsTurnBits(svm_Bits rows[8])
{
    uint64_t low = 0x0f0f0f0f0f0f0f0f;
    for (int half = 4; half > 0; half /= 2, low ^= low << half)
        for (int i = 0; i < 8; i = (i + half + 1) & ~half) {
            svm_Bits swapped = (rows[i] >> (uint64_t)half ^ rows[i + half]) & low;
            rows[i] ^= swapped << (uint64_t)half;
            rows[i + half] ^= swapped;
        }
}
// Firings 2 * pair and the next one of each eight, whose bytes are one row of sixteen; row g of part p is those of firings
// 128 * p + 8 * g and on.
static inline void svm_bitsBlockInPacked(svm_Bits planes[8][svm_bitsPacked], const unsigned char *from, ptrdiff_t items,
                                         ptrdiff_t stride, int pair)
{
    svm_BitBytes rows[SVM_BITS_ROWS];
    for (int g = 0; g < SVM_BITS_ROWS; g++) {
        svm_Bits row = SVM_BITS_NONE;
        for (int i = 0; i < SVM_BITS / 64; i++) {
            uint64_t firing = 0;
            memcpy(&firing, from + (i / 2 * 128 + g * 8 + 2 * pair + i % 2) * stride, (size_t)items);
            row[i] = firing;
        }
        memcpy(&rows[g], &row, sizeof row);
    }
    svm_bitsTurnBytes(rows);
    memcpy(planes[2 * pair], rows, sizeof rows);
}
static inline void svm_bitsBlockOutPacked(unsigned char *to, svm_Bits planes[8][svm_bitsPacked], ptrdiff_t items,
                                          ptrdiff_t stride, int pair)
{
    svm_BitBytes rows[SVM_BITS_ROWS];
    memcpy(rows, planes[2 * pair], sizeof rows);
    svm_bitsTurnBytes(rows);
    for (int g = 0; g < SVM_BITS_ROWS; g++) {
        svm_Bits row;
        memcpy(&row, &rows[g], sizeof row);
        for (int i = 0; i < SVM_BITS / 64; i++) {
            uint64_t firing = row[i];
            memcpy(to + (i / 2 * 128 + g * 8 + 2 * pair + i % 2) * stride, &firing, (size_t)items);
        }
    }
}
static inline void svm_bitsInPacked(svm_Bits *to, const unsigned char *from, ptrdiff_t items, ptrdiff_t stride)
{
    for (ptrdiff_t k = 0; k < items; k += svm_bitsPacked) {
        svm_Bits planes[8][svm_bitsPacked];
        for (int pair = 0; pair < 4; pair++)
            svm_bitsBlockInPacked(planes, from + k, items - k < svm_bitsPacked ? items - k : svm_bitsPacked, stride,
                                  pair);
        for (int i = 0; i < svm_bitsPacked && k + i < items; i++) {
            svm_Bits rows[8];
            for (int f = 0; f < 8; f++)
                rows[f] = planes[f][i];
            svm_bitsTurnBits(rows);
            memcpy(to + 8 * (k + i), rows, sizeof rows);
        }
    }
}
static inline void svm_bitsOutPacked(unsigned char *to, const svm_Bits *from, ptrdiff_t items, ptrdiff_t stride)
{
    for (ptrdiff_t k = 0; k < items; k += svm_bitsPacked) {
        svm_Bits planes[8][svm_bitsPacked] = {{SVM_BITS_NONE}};
        for (int i = 0; i < svm_bitsPacked && k + i < items; i++) {
            svm_Bits rows[8];
            memcpy(rows, from + 8 * (k + i), sizeof rows);
            svm_bitsTurnBits(rows);
            for (int f = 0; f < 8; f++)
                planes[f][i] = rows[f];
        }
        for (int pair = 0; pair < 4; pair++)
            svm_bitsBlockOutPacked(to + k, planes, items - k < svm_bitsPacked ? items - k : svm_bitsPacked, stride,
                                   pair);
    }
}
#else
static inline void svm_bitsInPacked(svm_Bits *to, const unsigned char *from, ptrdiff_t items, ptrdiff_t stride)
{
    for (ptrdiff_t k = 0; k < items; k++)
        for (int bit = 0; bit < 8; bit++)
            svm_bitsInBytes(to + 8 * k + bit, from + k, 1, stride, bit);
}
static inline void svm_bitsOutPacked(unsigned char *to, const svm_Bits *from, ptrdiff_t items, ptrdiff_t stride)
{
    for (ptrdiff_t k = 0; k < items; k++)
        for (int bit = 0; bit < 8; bit++)
            svm_bitsOutBytes(to + k, from + 8 * k + bit, 1, stride, bit, bit > 0);
}
#endif

#endif
