// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers as text. Eight digits are made at a time, in the bytes of a word: it is split into two numbers of four digits,
// these into two of two each, and so on, all side by side. How many digits a number has decides how far the word is
// shifted, and no branch.
//
// "%f" of what is a float, exactly: what is behind the point has 24 bits, times 10^6 at most 44, so that a double has the
// product exactly and rounds it half to even as printf does.
//
// "%f" of other doubles in exact integer arithmetic: a double is m * 2^e with m < 2^53, so for values below 2^64 the
// integer part is a shift, and the six decimals are m's fraction bits times 10^6 (below 2^73), rounded half to even.
#include "runtime/common/print_float.h"

#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

enum { EIGHT_DIGITS = 100000000, SIX_DIGITS = 1000000 };

// The digits of v, which has eight at most: the first is the lowest byte.
static inline uint64_t eightDigits(uint32_t v)
{
    uint64_t x = v / 10000 | (uint64_t)(v % 10000) << 32;
    uint64_t hundreds = x * 5243 >> 19 & UINT64_C(0x0000007f0000007f);
    x = hundreds | (x - 100 * hundreds) << 16;
    uint64_t tens = x * 103 >> 10 & UINT64_C(0x000f000f000f000f);
    return tens | (x - 10 * tens) << 8;
}

static inline void putWord(char *at, uint64_t characters)
{
    characters = htole64(characters);
    memcpy(at, &characters, sizeof characters);
}

static const uint64_t zeros = UINT64_C(0x3030303030303030);

// Writes eight characters, of which the last may be too many.
static inline char *putFirst(char *at, uint32_t v)
{
    uint64_t digits = eightDigits(v);
    int leading = __builtin_ctzll(digits | UINT64_C(1) << 56) & 56; // bits of zeroes in front
    putWord(at, (digits | zeros) >> leading);
    return at + (64 - leading) / 8;
}

static inline char *putEight(char *at, uint32_t v)
{
    putWord(at, eightDigits(v) | zeros);
    return at + 8;
}

char *svmr_putUnsigned(char *at, uint64_t v)
{
    if (v < EIGHT_DIGITS)
        return putFirst(at, (uint32_t)v);
    uint64_t rest = v % EIGHT_DIGITS;
    v /= EIGHT_DIGITS;
    if (v < EIGHT_DIGITS)
        return putEight(putFirst(at, (uint32_t)v), (uint32_t)rest);
    at = putFirst(at, (uint32_t)(v / EIGHT_DIGITS));
    return putEight(putEight(at, (uint32_t)(v % EIGHT_DIGITS)), (uint32_t)rest);
}

// "[-]whole.decimals", and the end of a line behind it.
static inline size_t putParts(char *at, bool negative, uint64_t whole, uint32_t decimals)
{
    char *end = at;
    *end = '-';
    end = svmr_putUnsigned(end + negative, whole);
    uint64_t digits = (eightDigits(decimals) | zeros) >> 16; // the first two are zeroes
    putWord(end, '.' | digits << 8 | (uint64_t)'\n' << 56);
    return (size_t)(end + 7 - at);
}

static size_t putDouble(char *at, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff);
    if (exponent >= 1023 + 63) { // 2^63 and beyond, infinities, NaN
        if (isnan(v)) {
            memcpy(at, "nan", 3);
            return 3;
        }
        return (size_t)sprintf(at, "%f", v);
    }
    uint64_t m = bits & ((UINT64_C(1) << 52) - 1);
    if (exponent)
        m |= UINT64_C(1) << 52;
    else
        exponent = 1;
    int shift = 1075 - exponent; // the value is m / 2^shift
    uint64_t whole;
    uint32_t decimals = 0;
    if (shift <= 0) {
        whole = m << -shift;
    } else if (shift >= 76) { // below 2^-23, less than half of 10^-6
        whole = 0;
    } else {
        uint64_t fraction = shift < 64 ? m & ((UINT64_C(1) << shift) - 1) : m;
        whole = shift < 64 ? m >> shift : 0;
        uint128 scaled = (uint128)fraction * SIX_DIGITS, unit = (uint128)1 << shift, rest = scaled & (unit - 1),
                half = unit >> 1;
        decimals = (uint32_t)(scaled >> shift);
        if (rest > half || (rest == half && (decimals & 1)))
            decimals++;
        if (decimals == SIX_DIGITS) {
            decimals = 0;
            whole++;
        }
    }
    return putParts(at, bits >> 63, whole, decimals);
}

size_t svmr_putFloat(char *at, double v)
{
    double size = fabs(v);
    if (!(size < EIGHT_DIGITS) || (double)(float)v != v)
        return putDouble(at, v);
    uint32_t whole = (uint32_t)size;
    // Behind 1.5 * 2^52 a double has no bits behind the point: the lowest ones are the rounded number.
    double rounded = (size - whole) * SIX_DIGITS + 0x1.8p52;
    uint64_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    uint32_t decimals = (uint32_t)bits;
    bool carries = decimals == SIX_DIGITS;
    return putParts(at, signbit(v), whole + carries, carries ? 0 : decimals);
}
