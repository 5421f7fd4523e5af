// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// "%f" in exact integer arithmetic: a double is m * 2^e with m < 2^53, so for values below 2^64 the integer part is a
// shift, and the six decimals are m's fraction bits times 10^6 (below 2^73), rounded half to even as printf does.
#include "runtime/common/print_float.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                            "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                            "8081828384858687888990919293949596979899";

char *svmr_putUnsigned(char *at, uint64_t v)
{
    char digits[20];
    int i = sizeof digits;
    while (v >= 100) {
        i -= 2;
        memcpy(digits + i, pairs + v % 100 * 2, 2);
        v /= 100;
    }
    if (v >= 10) {
        i -= 2;
        memcpy(digits + i, pairs + v * 2, 2);
    } else {
        digits[--i] = (char)('0' + v);
    }
    size_t n = sizeof digits - (size_t)i;
    memcpy(at, digits + i, n);
    return at + n;
}

static char *putSix(char *at, uint32_t v)
{
    memcpy(at, pairs + v / 10000 * 2, 2);
    memcpy(at + 2, pairs + v / 100 % 100 * 2, 2);
    memcpy(at + 4, pairs + v % 100 * 2, 2);
    return at + 6;
}

size_t svmr_putFloat(char *at, double v)
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
        uint128 scaled = (uint128)fraction * 1000000, unit = (uint128)1 << shift, rest = scaled & (unit - 1),
                half = unit >> 1;
        decimals = (uint32_t)(scaled >> shift);
        if (rest > half || (rest == half && (decimals & 1)))
            decimals++;
        if (decimals == 1000000) {
            decimals = 0;
            whole++;
        }
    }
    char *end = at;
    if (bits >> 63)
        *end++ = '-';
    end = svmr_putUnsigned(end, whole);
    *end++ = '.';
    return (size_t)(putSix(end, decimals) - at);
}
