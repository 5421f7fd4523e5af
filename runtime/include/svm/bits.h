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

#endif
