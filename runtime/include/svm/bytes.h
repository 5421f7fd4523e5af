// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes looked up in a table of 256, 64 at a time: out[i] = table[in[i]]. count is a multiple of 64.
//
// Where the processor permutes bytes of two vectors by a third (AVX512-VBMI) the table lies in four vectors, and the upper
// bit of a byte says which two have its element. Where it permutes 16 bytes (SSSE3, AVX2) each of 16 vectors has as many
// elements, of which the lower half of a byte takes one each, and the bits of the upper half choose among these. Else the C
// compiler's loop is as good.
#ifndef SVM_BYTES_H
#define SVM_BYTES_H
#include <stddef.h>
#include <string.h>

// Vectors of which the lower halves of bytes take bytes: the 16 of the table are in each part of 16.
#if defined(__GNUC__) && defined(__AVX2__)
#define SVM_BYTE_PART 32
#define SVM_BYTE_TAKE __builtin_ia32_pshufb256
#define SVM_BYTE_CHOOSE __builtin_ia32_pblendvb256 // the second one where the third one's upper bit is 1
#elif defined(__GNUC__) && defined(__SSE4_1__)
#define SVM_BYTE_PART 16
#define SVM_BYTE_TAKE __builtin_ia32_pshufb128
#define SVM_BYTE_CHOOSE __builtin_ia32_pblendvb128
#endif
#ifdef SVM_BYTE_PART
typedef unsigned char svm_BytePart __attribute__((vector_size(SVM_BYTE_PART)));
typedef char svm_BytePartChars __attribute__((vector_size(SVM_BYTE_PART)));

// Of the table's elements from `first` on, by the lower four bits of bytes.
static inline __attribute__((always_inline)) svm_BytePart svm_byteTake(const unsigned char *first, svm_BytePart low)
{
    svm_BytePart table;
    for (size_t i = 0; i < sizeof table; i += 16)
        memcpy((char *)&table + i, first, 16);
    return (svm_BytePart)SVM_BYTE_TAKE((svm_BytePartChars)table, (svm_BytePartChars)low);
}
static inline __attribute__((always_inline)) svm_BytePart svm_byteLookUp(svm_BytePart at,
                                                                         const unsigned char table[256])
{
    svm_BytePart found[16];
    for (int i = 0; i < 16; i++)
        found[i] = svm_byteTake(table + 16 * i, at & 15);
    for (int k = 0; k < 4; k++) {
        const svm_BytePartChars bit = (svm_BytePartChars)(at << (unsigned char)(3 - k));
        for (int i = 0; i < 8 >> k; i++)
            found[i] = (svm_BytePart)SVM_BYTE_CHOOSE((svm_BytePartChars)found[2 * i],
                                                     (svm_BytePartChars)found[2 * i + 1], bit);
    }
    return found[0];
}
#endif

#if defined(__clang__) && defined(__AVX512VBMI__)
typedef char svm_Bytes64 __attribute__((vector_size(64)));
typedef signed char svm_SignedBytes64 __attribute__((vector_size(64)));

static inline void svm_lookUpBytes(const unsigned char *restrict in, unsigned char *restrict out, ptrdiff_t count,
                                   const unsigned char table[256])
{
    svm_Bytes64 t[4];
    memcpy(t, table, sizeof t);
    for (ptrdiff_t i = 0; i < count; i += 64) {
        svm_Bytes64 at;
        memcpy(&at, in + i, sizeof at);
        svm_Bytes64 low = __builtin_ia32_vpermi2varqi512(t[0], at, t[1]);
        svm_Bytes64 high = __builtin_ia32_vpermi2varqi512(t[2], at, t[3]);
        svm_Bytes64 upper = (svm_Bytes64)((svm_SignedBytes64)at < 0);
        svm_Bytes64 found = (high & upper) | (low & ~upper);
        memcpy(out + i, &found, sizeof found);
    }
}
#elif defined(SVM_BYTE_PART)
static inline void svm_lookUpBytes(const unsigned char *restrict in, unsigned char *restrict out, ptrdiff_t count,
                                   const unsigned char table[256])
{
    for (ptrdiff_t i = 0; i < count; i += (ptrdiff_t)sizeof(svm_BytePart)) {
        svm_BytePart at;
        memcpy(&at, in + i, sizeof at);
        at = svm_byteLookUp(at, table);
        memcpy(out + i, &at, sizeof at);
    }
}
#else
static inline void svm_lookUpBytes(const unsigned char *restrict in, unsigned char *restrict out, ptrdiff_t count,
                                   const unsigned char table[256])
{
    for (ptrdiff_t i = 0; i < count; i++)
        out[i] = table[in[i]];
}
#endif

#endif
