// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of bytes, one of each of many firings, so that one operation on a vector is that of all of them.
//
// svm_Bytes takes & | ^ ~, and svm_bytes is the number of its lanes. Where the compiler has no vectors svm_Bytes is a byte,
// and the same text does one firing at a time. Results are the same everywhere.
#ifndef SVM_BYTE_LANES_H
#define SVM_BYTE_LANES_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <svm/bytes.h>

#if defined(__GNUC__)
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" // nothing here is called from another file
#endif
#define SVM_BYTES_FUNCTION static inline __attribute__((always_inline)) // no vector is passed
#if defined(__AVX512BW__) && defined(__GFNI__)
#define SVM_BYTE_LANES 64
#elif defined(SVM_BYTE_PART) // more lanes would be more text than the first cache has room for
#define SVM_BYTE_LANES SVM_BYTE_PART
#else
#define SVM_BYTE_LANES 16
#endif
typedef unsigned char svm_Bytes __attribute__((vector_size(SVM_BYTE_LANES)));
enum { svm_bytes = SVM_BYTE_LANES };
#define SVM_BYTES(byte) ((svm_Bytes){0} + (unsigned char)(byte)) // the same in all lanes
#define SVM_BYTE_MASK(bits) (-(bits))                            // of bits 0 and 1
#else
#define SVM_BYTES_FUNCTION static inline
typedef unsigned char svm_Bytes;
enum { svm_bytes = 1 };
#define SVM_BYTES(byte) ((svm_Bytes)(byte))
#define SVM_BYTE_MASK(bits) ((svm_Bytes)(0 - (bits)))
#endif

// ---- Matrices of bits: bit i of the product is the sum of those bits that byte 7 - i of the matrix has ----

#if defined(__GNUC__) && SVM_BYTE_LANES == 64
typedef char svm_ByteChars __attribute__((vector_size(64)));
typedef uint64_t svm_ByteMatrix __attribute__((vector_size(64)));

SVM_BYTES_FUNCTION svm_Bytes svm_bytesLinear(svm_Bytes x, uint64_t matrix)
{
    const svm_ByteMatrix all = (svm_ByteMatrix){0} + matrix;
    return (svm_Bytes)__builtin_ia32_vgf2p8affineqb_v64qi((svm_ByteChars)x, (svm_ByteChars)all, 0);
}
// Of the inverse in the field of x^8 + x^4 + x^3 + x + 1; that of 0 is 0.
SVM_BYTES_FUNCTION svm_Bytes svm_bytesInverse(svm_Bytes x, uint64_t matrix)
{
    const svm_ByteMatrix all = (svm_ByteMatrix){0} + matrix;
    return (svm_Bytes)__builtin_ia32_vgf2p8affineinvqb_v64qi((svm_ByteChars)x, (svm_ByteChars)all, 0);
}
#elif defined(SVM_BYTE_PART)
// NOTE(halves). A product with a matrix is the sum of those with the two halves of a byte, which have 16 values each. Matrices
// are constants, and so are the tables that are made of them here: C compilers compute them.
#if SVM_BYTE_LANES == 32
#define SVM_BYTE_ALL(...) {__VA_ARGS__, __VA_ARGS__}
#else
#define SVM_BYTE_ALL(...) {__VA_ARGS__}
#endif
typedef signed char svm_ByteSigns __attribute__((vector_size(SVM_BYTE_LANES)));
typedef struct svm_ByteColumns {
    unsigned char column[8]; // what bit i of a byte comes to
} svm_ByteColumns;
typedef struct svm_ByteMap {
    svm_Bytes low, high; // what the halves of a byte come to
} svm_ByteMap;

SVM_BYTES_FUNCTION unsigned char svm_byteColumn(uint64_t matrix, int bit)
{
    return (unsigned char)((matrix >> bit & UINT64_C(0x0101010101010101)) * UINT64_C(0x8040201008040201) >> 56);
}
SVM_BYTES_FUNCTION svm_ByteColumns svm_byteColumns(uint64_t m)
{
    return (svm_ByteColumns){{svm_byteColumn(m, 0), svm_byteColumn(m, 1), svm_byteColumn(m, 2), svm_byteColumn(m, 3),
                              svm_byteColumn(m, 4), svm_byteColumn(m, 5), svm_byteColumn(m, 6), svm_byteColumn(m, 7)}};
}
SVM_BYTES_FUNCTION unsigned char svm_byteImage(svm_ByteColumns m, int x)
{
    unsigned sum = 0;
    sum ^= x & 1 ? m.column[0] : 0U;
    sum ^= x & 2 ? m.column[1] : 0U;
    sum ^= x & 4 ? m.column[2] : 0U;
    sum ^= x & 8 ? m.column[3] : 0U;
    sum ^= x & 16 ? m.column[4] : 0U;
    sum ^= x & 32 ? m.column[5] : 0U;
    sum ^= x & 64 ? m.column[6] : 0U;
    sum ^= x & 128 ? m.column[7] : 0U;
    return (unsigned char)sum;
}
// The sums of four columns, by the values of half a byte.
SVM_BYTES_FUNCTION svm_Bytes svm_byteSums(unsigned char a, unsigned char b, unsigned char c, unsigned char d)
{
    const svm_Bytes none = {0}, bit0 = SVM_BYTE_ALL(0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255),
                    bit1 = SVM_BYTE_ALL(0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255, 255),
                    bit2 = SVM_BYTE_ALL(0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0, 255, 255, 255, 255),
                    bit3 = SVM_BYTE_ALL(0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255);
    return ((none + a) & bit0) ^ ((none + b) & bit1) ^ ((none + c) & bit2) ^ ((none + d) & bit3);
}
SVM_BYTES_FUNCTION svm_ByteMap svm_byteMap(svm_ByteColumns m)
{
    return (svm_ByteMap){svm_byteSums(m.column[0], m.column[1], m.column[2], m.column[3]),
                         svm_byteSums(m.column[4], m.column[5], m.column[6], m.column[7])};
}
SVM_BYTES_FUNCTION svm_Bytes svm_byteOf(svm_Bytes table, svm_Bytes at)
{
    return (svm_Bytes)SVM_BYTE_TAKE((svm_BytePartChars)table, (svm_BytePartChars)at);
}
// Twice a byte, in a field, is a shift, and a constant where a bit is shifted out.
SVM_BYTES_FUNCTION svm_Bytes svm_byteProduct(svm_Bytes x, svm_ByteColumns m, unsigned char constant)
{
    const svm_ByteMap map = svm_byteMap(m);
    if (m.column[0] == 2 && m.column[1] == 4 && m.column[2] == 8 && m.column[3] == 16 && m.column[4] == 32 &&
        m.column[5] == 64 && m.column[6] == 128)
        return (x + x) ^ ((svm_Bytes)((svm_ByteSigns)x < 0) & m.column[7]) ^ constant;
    return svm_byteOf(map.low ^ constant, x & 15) ^ svm_byteOf(map.high, x >> 4);
}

#if defined(__AES__)
typedef long long svm_ByteRound __attribute__((vector_size(16)));

// The S-box of AES: what a round does without its permutation, which is undone before it.
SVM_BYTES_FUNCTION svm_Bytes svm_byteBox(svm_Bytes x)
{
    const svm_Bytes order = SVM_BYTE_ALL(0, 13, 10, 7, 4, 1, 14, 11, 8, 5, 2, 15, 12, 9, 6, 3);
    x = svm_byteOf(x, order);
#if SVM_BYTE_LANES == 32 && defined(__VAES__) && defined(__clang__)
    typedef long long rounds __attribute__((vector_size(32)));
    return (svm_Bytes)__builtin_ia32_aesenclast256((rounds)x, (rounds){0});
#elif SVM_BYTE_LANES == 32 && defined(__VAES__)
    return (svm_Bytes)__builtin_ia32_vaesenclast_v32qi((svm_BytePartChars)x, (svm_BytePartChars){0});
#else
    svm_ByteRound part[SVM_BYTE_LANES / 16];
    memcpy(part, &x, sizeof x);
    part[0] = __builtin_ia32_aesenclast128(part[0], (svm_ByteRound){0});
#if SVM_BYTE_LANES == 32
    part[1] = __builtin_ia32_aesenclast128(part[1], (svm_ByteRound){0});
#endif
    memcpy(&x, part, sizeof x);
    return x;
#endif
}
// It has 0x63 added to a matrix times the inverse; what takes the one away, and multiplies by the matrix' inverse, is joined
// with the matrix that is wanted.
SVM_BYTES_FUNCTION svm_Bytes svm_byteInverse(svm_Bytes x, uint64_t matrix)
{
    const svm_Bytes box = svm_byteBox(x);
    const svm_ByteColumns m = svm_byteColumns(matrix);
    if (matrix == UINT64_C(0xf1e3c78f1f3e7cf8))
        return box ^ 0x63;
    svm_ByteColumns joined;
#define SVM_BYTE_JOIN(i) joined.column[i] = m.column[(i + 1) % 8] ^ m.column[(i + 3) % 8] ^ m.column[(i + 6) % 8]
    SVM_BYTE_JOIN(0), SVM_BYTE_JOIN(1), SVM_BYTE_JOIN(2), SVM_BYTE_JOIN(3);
    SVM_BYTE_JOIN(4), SVM_BYTE_JOIN(5), SVM_BYTE_JOIN(6), SVM_BYTE_JOIN(7);
#undef SVM_BYTE_JOIN
    return svm_byteProduct(box, joined, (unsigned char)(m.column[0] ^ m.column[2]));
}
#else
// NOTE(tower). The field of 256 elements is that of pairs of elements of the one of 16 in it: k + i t, where t^2 + a t + a = 0.
// With N = k^2 + a i k + a i^2 the inverse is made of p = (k + a i) / N and q = (k + a (k + i)) / N alone, and 1 / p is
// 1 / (1 / i + a / k) + k + i, 1 / q is 1 / (1 / (k + i) + a / k) + i. Infinity is 128 and more, of which a permutation of
// bytes makes 0.
SVM_BYTES_FUNCTION svm_Bytes svm_byteInverse(svm_Bytes x, uint64_t matrix)
{
    const svm_ByteMap pairs = {SVM_BYTE_ALL(0, 16, 115, 99, 13, 29, 126, 110, 45, 61, 94, 78, 32, 48, 83, 67),
                               SVM_BYTE_ALL(0, 187, 183, 12, 251, 64, 76, 247, 140, 55, 59, 128, 119, 204, 192, 123)};
    const svm_Bytes one_by = SVM_BYTE_ALL(128, 1, 8, 13, 15, 6, 5, 14, 2, 12, 11, 10, 9, 3, 7, 4),
                    a_by = SVM_BYTE_ALL(128, 2, 1, 12, 8, 11, 13, 10, 4, 14, 7, 5, 3, 6, 9, 15);
    const svm_Bytes pair = svm_byteOf(pairs.low, x & 15) ^ svm_byteOf(pairs.high, x >> 4);
    const svm_Bytes i = pair & 15, k = pair >> 4, sum = i ^ k;
    const svm_Bytes by_k = svm_byteOf(a_by, k);
    const svm_Bytes p = svm_byteOf(one_by, svm_byteOf(one_by, i) ^ by_k) ^ sum,
                    q = svm_byteOf(one_by, svm_byteOf(one_by, sum) ^ by_k) ^ i;
    const svm_ByteColumns m = svm_byteColumns(matrix);
    const svm_Bytes of_p = svm_byteSums(svm_byteImage(m, 156), svm_byteImage(m, 202), svm_byteImage(m, 15),
                                        svm_byteImage(m, 29)),
                    of_q = svm_byteSums(svm_byteImage(m, 111), svm_byteImage(m, 242), svm_byteImage(m, 52),
                                        svm_byteImage(m, 194));
    const svm_Bytes by = one_by & 127; // of 0 it is 0
    return svm_byteOf(svm_byteOf(of_p, by), p) ^ svm_byteOf(svm_byteOf(of_q, by), q);
}
#endif

SVM_BYTES_FUNCTION svm_Bytes svm_bytesLinear(svm_Bytes x, uint64_t matrix)
{
    return svm_byteProduct(x, svm_byteColumns(matrix), 0);
}
SVM_BYTES_FUNCTION svm_Bytes svm_bytesInverse(svm_Bytes x, uint64_t matrix)
{
    return svm_byteInverse(x, matrix);
}
#undef SVM_BYTE_ALL
#else
SVM_BYTES_FUNCTION svm_Bytes svm_bytesLinear(svm_Bytes x, uint64_t matrix)
{
    svm_Bytes sum = SVM_BYTES(0);
    for (int bit = 0; bit < 8; bit++) {
        unsigned column = 0;
        for (int i = 0; i < 8; i++)
            column |= (unsigned)(matrix >> (8 * (7 - i) + bit) & 1) << i;
        sum ^= SVM_BYTE_MASK(x >> (unsigned char)bit & 1) & SVM_BYTES(column);
    }
    return sum;
}
SVM_BYTES_FUNCTION svm_Bytes svm_bytesProduct(svm_Bytes x, svm_Bytes y)
{
    svm_Bytes sum = SVM_BYTES(0);
    for (int bit = 0; bit < 8; bit++) {
        sum ^= SVM_BYTE_MASK(y >> (unsigned char)bit & 1) & x;
        x = (svm_Bytes)(x << 1) ^ (SVM_BYTE_MASK(x >> 7 & 1) & SVM_BYTES(0x1b));
    }
    return sum;
}
SVM_BYTES_FUNCTION svm_Bytes svm_bytesInverse(svm_Bytes x, uint64_t matrix)
{
    svm_Bytes inverse = SVM_BYTES(1); // x^254
    for (int i = 0; i < 7; i++) {
        x = svm_bytesProduct(x, x);
        inverse = svm_bytesProduct(inverse, x);
    }
    return svm_bytesLinear(inverse, matrix);
}
#endif

// ---- Tables ----

#if defined(SVM_BYTE_PART) && SVM_BYTE_LANES == SVM_BYTE_PART
// Some fifty instructions, of which a firing may have hundreds: inlined, they are more than C compilers optimise in a minute.
static __attribute__((noinline, unused)) svm_Bytes svm_bytesLookUp(svm_Bytes x, const unsigned char table[256])
{
    return svm_byteLookUp(x, table);
}
#else
SVM_BYTES_FUNCTION svm_Bytes svm_bytesLookUp(svm_Bytes x, const unsigned char table[256])
{
#if !defined(__GNUC__)
    return table[x];
#else
    unsigned char in[svm_bytes], out[svm_bytes];
    memcpy(in, &x, sizeof x);
    svm_lookUpBytes(in, out, svm_bytes, table);
    memcpy(&x, out, sizeof x);
    return x;
#endif
}
#endif

// ---- Items of successive firings: lane l of to[k] is the lowest byte of item k of firing l ----

#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
enum { svm_bytesTurned = 64 }; // most items of a firing that are turned by shuffles, if they are a power of two
typedef int svm_ByteInts __attribute__((vector_size(64)));
typedef unsigned char svm_ByteRow __attribute__((vector_size(16)));
#define SVM_BYTE_STEP(at) at, at + 2, at + 4, at + 6, at + 8, at + 10, at + 12, at + 14
#define SVM_BYTE_EVERY16(at) SVM_BYTE_STEP(at), SVM_BYTE_STEP(at + 16)
#define SVM_BYTE_EVERY32(at) SVM_BYTE_EVERY16(at), SVM_BYTE_EVERY16(at + 32)
#define SVM_BYTE_EVERY64(at) SVM_BYTE_EVERY32(at), SVM_BYTE_EVERY32(at + 64)
#define SVM_BYTE_ZIP(at, n) at, at + n, at + 1, at + n + 1, at + 2, at + n + 2, at + 3, at + n + 3
#define SVM_BYTE_ZIP16(at, n) SVM_BYTE_ZIP(at, n), SVM_BYTE_ZIP(at + 4, n)
#define SVM_BYTE_ZIP32(at, n) SVM_BYTE_ZIP16(at, n), SVM_BYTE_ZIP16(at + 8, n)
#define SVM_BYTE_ZIP64(at, n) SVM_BYTE_ZIP32(at, n), SVM_BYTE_ZIP32(at + 16, n)
#if SVM_BYTE_LANES == 64
#define SVM_BYTE_EVERY(at) SVM_BYTE_EVERY64(at)
#define SVM_BYTE_ZIPPED(at) SVM_BYTE_ZIP64(at, 64)
#elif SVM_BYTE_LANES == 32
#define SVM_BYTE_EVERY(at) SVM_BYTE_EVERY32(at)
#define SVM_BYTE_ZIPPED(at) SVM_BYTE_ZIP32(at, 32)
#else
#define SVM_BYTE_EVERY(at) SVM_BYTE_EVERY16(at)
#define SVM_BYTE_ZIPPED(at) SVM_BYTE_ZIP16(at, 16)
#endif

SVM_BYTES_FUNCTION svm_Bytes svm_bytesOfInts(const int *from)
{
    svm_ByteRow rows[svm_bytes / 16];
    svm_Bytes all;
    for (int i = 0; i < svm_bytes / 16; i++) {
        svm_ByteInts items;
        memcpy(&items, from + 16 * i, sizeof items);
        rows[i] = __builtin_convertvector(items, svm_ByteRow);
    }
    memcpy(&all, rows, sizeof all);
    return all;
}
SVM_BYTES_FUNCTION void svm_bytesToInts(int *to, svm_Bytes all)
{
    svm_ByteRow rows[svm_bytes / 16];
    memcpy(rows, &all, sizeof rows);
    for (int i = 0; i < svm_bytes / 16; i++) {
        const svm_ByteInts items = __builtin_convertvector(rows[i], svm_ByteInts);
        memcpy(to + 16 * i, &items, sizeof items);
    }
}
// Every second byte goes to the first half of the vectors, the others to the second one: after as many rounds as halves can be
// made of the items, each item has a vector.
static inline void svm_bytesIn(svm_Bytes *to, const int *from, ptrdiff_t items)
{
    if (items > svm_bytesTurned || (items & (items - 1)) != 0) {
        for (ptrdiff_t k = 0; k < items; k++)
            for (ptrdiff_t l = 0; l < svm_bytes; l++)
                to[k][l] = (unsigned char)from[l * items + k];
        return;
    }
    for (ptrdiff_t k = 0; k < items; k++)
        to[k] = svm_bytesOfInts(from + svm_bytes * k);
    for (ptrdiff_t rounds = items; rounds > 1; rounds /= 2) {
        svm_Bytes next[svm_bytesTurned];
        for (ptrdiff_t k = 0; k < items / 2; k++) {
            next[k] = __builtin_shufflevector(to[2 * k], to[2 * k + 1], SVM_BYTE_EVERY(0));
            next[items / 2 + k] = __builtin_shufflevector(to[2 * k], to[2 * k + 1], SVM_BYTE_EVERY(1));
        }
        for (ptrdiff_t k = 0; k < items; k++)
            to[k] = next[k];
    }
}
// The other way round; the items' other bits are 0. What `from` has is lost.
static inline void svm_bytesOut(int *to, svm_Bytes *from, ptrdiff_t items)
{
    if (items > svm_bytesTurned || (items & (items - 1)) != 0) {
        for (ptrdiff_t k = 0; k < items; k++)
            for (ptrdiff_t l = 0; l < svm_bytes; l++)
                to[l * items + k] = from[k][l];
        return;
    }
    for (ptrdiff_t rounds = items; rounds > 1; rounds /= 2) {
        svm_Bytes next[svm_bytesTurned];
        for (ptrdiff_t k = 0; k < items / 2; k++) {
            next[2 * k] = __builtin_shufflevector(from[k], from[items / 2 + k], SVM_BYTE_ZIPPED(0));
            next[2 * k + 1] = __builtin_shufflevector(from[k], from[items / 2 + k], SVM_BYTE_ZIPPED(svm_bytes / 2));
        }
        for (ptrdiff_t k = 0; k < items; k++)
            from[k] = next[k];
    }
    for (ptrdiff_t k = 0; k < items; k++)
        svm_bytesToInts(to + svm_bytes * k, from[k]);
}
#undef SVM_BYTE_STEP
#undef SVM_BYTE_EVERY16
#undef SVM_BYTE_EVERY32
#undef SVM_BYTE_EVERY64
#undef SVM_BYTE_EVERY
#undef SVM_BYTE_ZIP
#undef SVM_BYTE_ZIP16
#undef SVM_BYTE_ZIP32
#undef SVM_BYTE_ZIP64
#undef SVM_BYTE_ZIPPED
#else
static inline void svm_bytesIn(svm_Bytes *to, const int *from, ptrdiff_t items)
{
    unsigned char *bytes = (unsigned char *)to;
    for (ptrdiff_t k = 0; k < items; k++)
        for (ptrdiff_t l = 0; l < svm_bytes; l++)
            bytes[k * svm_bytes + l] = (unsigned char)from[l * items + k];
}
static inline void svm_bytesOut(int *to, svm_Bytes *from, ptrdiff_t items)
{
    const unsigned char *bytes = (const unsigned char *)from;
    for (ptrdiff_t k = 0; k < items; k++)
        for (ptrdiff_t l = 0; l < svm_bytes; l++)
            to[l * items + k] = bytes[k * svm_bytes + l];
}
#endif

#endif
