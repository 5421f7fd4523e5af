// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes looked up in a table of 256, 64 at a time: out[i] = table[in[i]]. count is a multiple of 64.
//
// Where the processor permutes bytes of two vectors by a third (AVX512-VBMI) the table lies in four vectors, and the upper
// bit of a byte says which two have its element; else the C compiler's loop is as good.
#ifndef SVM_BYTES_H
#define SVM_BYTES_H
#include <stddef.h>
#include <string.h>

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
#else
static inline void svm_lookUpBytes(const unsigned char *restrict in, unsigned char *restrict out, ptrdiff_t count,
                                   const unsigned char table[256])
{
    for (ptrdiff_t i = 0; i < count; i++)
        out[i] = table[in[i]];
}
#endif

#endif
