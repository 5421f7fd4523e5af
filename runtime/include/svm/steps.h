// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several bits at a time, for filters with few states of which tables say what so many bits do: a channel's bits are bytes of
// 0 and 1, and come together as a number.
#ifndef SVM_STEPS_H
#define SVM_STEPS_H
#include <stdint.h>
#include <string.h>

// The next bits, the first one highest.
static inline uint32_t svm_stepBits2(const char *in)
{
    return (uint32_t)in[0] << 1 | (uint32_t)in[1];
}
static inline uint32_t svm_stepBits4(const char *in)
{
    return svm_stepBits2(in) << 2 | svm_stepBits2(in + 2);
}
static inline uint32_t svm_stepBits8(const char *in)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t bytes; // the product has byte i of them as bit 63 - i, and no two of its other bits in one place
    memcpy(&bytes, in, sizeof bytes);
    return (uint32_t)(bytes * UINT64_C(0x8040201008040201) >> 56);
#else
    return svm_stepBits4(in) << 4 | svm_stepBits4(in + 4);
#endif
}
// The next eight bits, the first one lowest.
static inline uint32_t svm_stepBitsUp8(const char *in)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t bytes; // the product has byte i of them as bit 56 + i, and no two of its other bits in one place
    memcpy(&bytes, in, sizeof bytes);
    return (uint32_t)(bytes * UINT64_C(0x0102040810204080) >> 56);
#else
    uint32_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits |= (uint32_t)in[i] << i;
    return bits;
#endif
}
// The reverse: the lowest bit is put first.
static inline void svm_putBits4(void *out, uint32_t bits)
{
    unsigned char bytes[4];
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(bits >> i & 1);
    memcpy(out, bytes, sizeof bytes);
}
static inline void svm_putBits8(void *out, uint32_t bits)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    // Bit i of seven is moved to byte i, and no two to one place.
    const uint64_t bytes =
        ((bits & 127) * UINT64_C(0x0002040810204081) & UINT64_C(0x0101010101010101)) | (uint64_t)(bits >> 7 & 1) << 56;
    memcpy(out, &bytes, sizeof bytes);
#else
    svm_putBits4(out, bits);
    svm_putBits4((char *)out + 4, bits >> 4);
#endif
}

#endif
