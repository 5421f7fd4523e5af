// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mathematical functions of float that are the same bit for bit wherever they are computed, and that C compilers make
// vectors of: no branches, no tables, no calls. They compute in double, so that results are within 0.51 units in the last
// place (test/runtime/math.test). Special values are those of C's functions.
//
// Series stop where the next term is below a thousandth of a float's last place. Nothing may be contracted or reordered:
// svm/arith.h names the flags.
//
// SVM_ELEMENTARY_CALLS: they are calls of functions elsewhere, which a simulator counts as one operation each.
#ifndef SVM_ELEMENTARY_H
#define SVM_ELEMENTARY_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef SVM_ELEMENTARY_CALLS
float svm_atanf(float x);
float svm_atan2f(float y, float x);
float svm_expf(float x);
float svm_logf(float x);
float svm_log10f(float x);
float svm_tanhf(float x);
float svm_powf(float x, float y);
#else

#if defined(__GNUC__) && defined(__OPTIMIZE__)
#define SVM_ELEMENTARY __attribute__((always_inline)) static inline
#else
#define SVM_ELEMENTARY static inline
#endif

static inline uint64_t svm_bitsOf(double x)
{
    union {
        double x;
        uint64_t bits;
    } u;
    u.x = x;
    return u.bits;
}
static inline double svm_fromBits(uint64_t bits)
{
    union {
        double x;
        uint64_t bits;
    } u;
    u.bits = bits;
    return u.x;
}

// y / x is turned by an eighth where it is above tan(pi/8), so that the series has few terms.
SVM_ELEMENTARY float svm_atan2f(float y, float x)
{
    const double ax = fabs((double)x), ay = fabs((double)y);
    const double least = ax < ay ? ax : ay, most = ax < ay ? ay : ax;
    const bool turned = least > 0.4142135623730950 * most;
    const double n = least - (turned ? most : 0.0), d = most + (turned ? least : 0.0);
    const double t = least == most ? 0.0 : n / d, u = t * t; // equal: both 0 or infinite as well
    double p = 1.0 / 25 - u * (1.0 / 27);
    p = 1.0 / 23 - u * p;
    p = 1.0 / 21 - u * p;
    p = 1.0 / 19 - u * p;
    p = 1.0 / 17 - u * p;
    p = 1.0 / 15 - u * p;
    p = 1.0 / 13 - u * p;
    p = 1.0 / 11 - u * p;
    p = 1.0 / 9 - u * p;
    p = 1.0 / 7 - u * p;
    p = 1.0 / 5 - u * p;
    p = 1.0 / 3 - u * p;
    double a = t - t * (u * p);
    a += (turned || least == most) && most != 0.0 ? 0.78539816339744831 : 0.0;
    a = ax < ay ? 1.5707963267948966 - a : a;
    a = svm_bitsOf((double)x) >> 63 != 0 ? 3.1415926535897932 - a : a;
    a = svm_bitsOf((double)y) >> 63 != 0 ? -a : a;
    return x != x || y != y ? x + y : (float)a;
}

SVM_ELEMENTARY float svm_atanf(float x)
{
    return svm_atan2f(x, 1.0F);
}

// e^x, where that is a float or beyond its range; NaN gives any number.
SVM_ELEMENTARY double svm_expOf(double x)
{
    const double within = x > -150.0 ? x < 150.0 ? x : 150.0 : -150.0;
    const double q = within * 1.4426950408889634;
    const int32_t k = (int32_t)(q + (q < 0.0 ? -0.5 : 0.5));
    const double r = (within - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33;
    double p = 1.0 / 40320 + r * (1.0 / 362880);
    p = 1.0 / 5040 + r * p;
    p = 1.0 / 720 + r * p;
    p = 1.0 / 120 + r * p;
    p = 1.0 / 24 + r * p;
    p = 1.0 / 6 + r * p;
    p = 0.5 + r * p;
    p = 1.0 + r * p;
    p = 1.0 + r * p;
    return p * svm_fromBits((uint64_t)(uint32_t)(k + 1023) << 52);
}

// The logarithm of a number above 0 that is a float; of others any number.
SVM_ELEMENTARY double svm_logOf(double x)
{
    const uint64_t bits = svm_bitsOf(x);
    const int32_t high = (int32_t)(uint32_t)(bits >> 32) - 0x3fe6a09e; // of sqrt(1/2): what is left lies around 1
    const int32_t k = high >> 20;
    const double m = svm_fromBits(bits - ((uint64_t)(uint32_t)k << 52));
    const double f = m - 1.0, s = f / (2.0 + f), z = s * s;
    double p = 1.0 / 15 + z * (1.0 / 17);
    p = 1.0 / 13 + z * p;
    p = 1.0 / 11 + z * p;
    p = 1.0 / 9 + z * p;
    p = 1.0 / 7 + z * p;
    p = 1.0 / 5 + z * p;
    p = 1.0 / 3 + z * p;
    return k * 0.69314718055994531 + (2.0 * s + 2.0 * s * (z * p));
}

SVM_ELEMENTARY float svm_expf(float x)
{
    return x != x ? x + x : (float)svm_expOf((double)x);
}

SVM_ELEMENTARY float svm_scaledLog(float x, double scale)
{
    const float a = (float)(svm_logOf((double)x) * scale);
    const float rest = x == 0.0F ? -INFINITY : x < 0.0F ? NAN : x + x; // infinity, NaN
    return x > 0.0F && x < INFINITY ? a : rest;
}

SVM_ELEMENTARY float svm_logf(float x)
{
    return svm_scaledLog(x, 1.0);
}

SVM_ELEMENTARY float svm_log10f(float x)
{
    return svm_scaledLog(x, 0.43429448190325183);
}

// 1 - 2 / (e^2x + 1), but near 0, where that would cancel.
SVM_ELEMENTARY float svm_tanhf(float x)
{
    const double a = fabs((double)x), square = a * a;
    const double series = a - a * (square * (1.0 / 3 - square * (2.0 / 15 - square * (17.0 / 315))));
    const double t = a < 0.03125 ? series : 1.0 - 2.0 / (svm_expOf(2.0 * a) + 1.0);
    return x != x ? x + x : (float)(svm_bitsOf((double)x) >> 63 != 0 ? -t : t);
}

SVM_ELEMENTARY float svm_powf(float x, float y)
{
    const double a = fabs((double)x), infinite = (double)INFINITY;
    const double log = a == 0.0 ? -infinite : a < infinite ? svm_logOf(a) : infinite;
    const double power = svm_expOf(y == 0.0F || a == 1.0 ? 0.0 : (double)y * log);
    const bool large = fabsf(y) >= 16777216.0F; // an even number
    const int32_t whole = large || y != y ? 0 : (int32_t)y;
    const bool integer = large || (float)whole == y, odd = !large && integer && (whole & 1) != 0;
    const bool negative = svm_bitsOf((double)x) >> 63 != 0;
    const float result = (float)(negative && odd ? -power : power);
    const bool none = x < 0.0F && a < infinite && !integer;
    const float unordered = x == 1.0F || y == 0.0F ? 1.0F : x + y;
    return x != x || y != y ? unordered : none ? NAN : result;
}
#endif

#ifdef __cplusplus
}
#endif

#endif
