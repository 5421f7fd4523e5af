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

#if defined(__GNUC__)
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" // nothing here is called from another file
#endif
#define SVM_BYTES_FUNCTION static inline __attribute__((always_inline)) // no vector is passed
typedef unsigned char svm_Bytes __attribute__((vector_size(64)));
enum { svm_bytes = 64 };
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

#if defined(__GNUC__) && defined(__GFNI__) && defined(__AVX512BW__)
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

SVM_BYTES_FUNCTION svm_Bytes svm_bytesLookUp(svm_Bytes x, const unsigned char table[256])
{
#if defined(__clang__) && defined(__AVX512VBMI__)
    typedef char chars __attribute__((vector_size(64)));
    typedef signed char signs __attribute__((vector_size(64)));
    chars t[4];
    memcpy(t, table, sizeof t);
    const chars low = __builtin_ia32_vpermi2varqi512(t[0], (chars)x, t[1]);
    const chars high = __builtin_ia32_vpermi2varqi512(t[2], (chars)x, t[3]);
    const chars upper = (chars)((signs)x < 0);
    return (svm_Bytes)((high & upper) | (low & ~upper));
#else
    unsigned char bytes[svm_bytes];
    memcpy(bytes, &x, sizeof bytes);
    for (int i = 0; i < svm_bytes; i++)
        bytes[i] = table[bytes[i]];
    memcpy(&x, bytes, sizeof bytes);
    return x;
#endif
}

// ---- Items of successive firings: lane l of to[k] is the lowest byte of item k of firing l ----

#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
enum { svm_bytesTurned = 64 }; // most items of a firing that are turned by shuffles, if they are a power of two
typedef int svm_ByteInts __attribute__((vector_size(64)));
typedef unsigned char svm_ByteRow __attribute__((vector_size(16)));
#define SVM_BYTE_STEP(at) at, at + 2, at + 4, at + 6, at + 8, at + 10, at + 12, at + 14
#define SVM_BYTE_EVERY(at)                                                                                             \
    SVM_BYTE_STEP(at), SVM_BYTE_STEP(at + 16), SVM_BYTE_STEP(at + 32), SVM_BYTE_STEP(at + 48), SVM_BYTE_STEP(at + 64), \
        SVM_BYTE_STEP(at + 80), SVM_BYTE_STEP(at + 96), SVM_BYTE_STEP(at + 112)
#define SVM_BYTE_ZIP(at) at, at + 64, at + 1, at + 65, at + 2, at + 66, at + 3, at + 67
#define SVM_BYTE_ZIPPED(at) SVM_BYTE_ZIP(at), SVM_BYTE_ZIP(at + 4), SVM_BYTE_ZIP(at + 8), SVM_BYTE_ZIP(at + 12),           \
        SVM_BYTE_ZIP(at + 16), SVM_BYTE_ZIP(at + 20), SVM_BYTE_ZIP(at + 24), SVM_BYTE_ZIP(at + 28)

SVM_BYTES_FUNCTION svm_Bytes svm_bytesOfInts(const int *from)
{
    svm_ByteRow rows[4];
    svm_Bytes all;
    for (int i = 0; i < 4; i++) {
        svm_ByteInts items;
        memcpy(&items, from + 16 * i, sizeof items);
        rows[i] = __builtin_convertvector(items, svm_ByteRow);
    }
    memcpy(&all, rows, sizeof all);
    return all;
}
SVM_BYTES_FUNCTION void svm_bytesToInts(int *to, svm_Bytes all)
{
    svm_ByteRow rows[4];
    memcpy(rows, &all, sizeof rows);
    for (int i = 0; i < 4; i++) {
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
            next[2 * k + 1] = __builtin_shufflevector(from[k], from[items / 2 + k], SVM_BYTE_ZIPPED(32));
        }
        for (ptrdiff_t k = 0; k < items; k++)
            from[k] = next[k];
    }
    for (ptrdiff_t k = 0; k < items; k++)
        svm_bytesToInts(to + svm_bytes * k, from[k]);
}
#undef SVM_BYTE_STEP
#undef SVM_BYTE_EVERY
#undef SVM_BYTE_ZIP
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
