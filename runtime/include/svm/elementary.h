// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mathematical functions of float that are the same bit for bit wherever they are computed, and that C compilers make
// vectors of: no branches but in those for firings alone, no tables, no calls. They compute in double, so that results are within 0.51 units in the last
// place (test/runtime/math.test). Special values are those of C's functions.
//
// Polynomials and quotients of them are those of their degree whose greatest relative error is least (Remez), 2^-33 and less.
// Nothing may be contracted or reordered: svm/arith.h names the flags.
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
float svm_sinf(float x);
float svm_cosf(float x);
float svm_tanf(float x);
#define svm_sinAlonef svm_sinf
#define svm_cosAlonef svm_cosf
#define svm_tanAlonef svm_tanf
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
    double p = 0.084762623174014900 - u * 0.047440347263741158;
    p = 0.11044690332354976 - u * p;
    p = 0.14282007650699273 - u * p;
    p = 0.19999903904181312 - u * p;
    p = 0.33333332499084075 - u * p;
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

// x, rounded to a whole number of 50 bits at most: the last of its own bits are it, too. Reordered it would stay x.
SVM_ELEMENTARY double svm_rounded(double x, uint64_t *bits)
{
#if defined(__clang__)
#pragma clang fp reassociate(off)
#endif
    const double large = 0x1.8p52, sum = x + large;
    *bits = svm_bitsOf(sum);
#if defined(__ASSOCIATIVE_MATH__) && !defined(__clang__)
    return (double)(int32_t)(uint32_t)*bits;
#else
    return sum - large;
#endif
}

// e^x, where that is a float or beyond its range; NaN gives any number.
SVM_ELEMENTARY double svm_expOf(double x)
{
    const double above = x > -150.0 ? x : -150.0, within = above < 150.0 ? above : 150.0;
    uint64_t k;
    const double whole = svm_rounded(within * 1.4426950408889634, &k), r = within - whole * 0.69314718055994531;
    double p = 0.0013948185512956168 + r * 0.00019775169168163810;
    p = 0.0083335611070067074 + r * p;
    p = 0.041666225393024856 + r * p;
    p = 0.16666665125966940 + r * p;
    p = 0.50000001045477345 + r * p;
    p = 1.0000000002431325 + r * p;
    p = 0.99999999996167633 + r * p;
    return svm_fromBits(svm_bitsOf(p) + (k << 52)); // p times 2^k
}

// The logarithm of a number above 0 that is a float; of others any number.
SVM_ELEMENTARY double svm_logOf(double x)
{
    const uint64_t bits = svm_bitsOf(x);
    const int32_t high = (int32_t)(uint32_t)(bits >> 32) - 0x3fe6a09e; // of sqrt(1/2): what is left lies around 1
    const int32_t k = high >> 20;
    const double m = svm_fromBits(bits - ((uint64_t)(uint32_t)k << 52));
    const double f = m - 1.0, s = f / (2.0 + f), z = s * s;
    double p = 0.11088114504242849 + z * 0.097917922648423699;
    p = 0.14286054085699986 + z * p;
    p = 0.19999997815672198 + z * p;
    p = 0.33333333337886271 + z * p;
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

// A quotient of polynomials as far as it differs from 1.
SVM_ELEMENTARY float svm_tanhf(float x)
{
    const double above = (double)x > -9.02 ? (double)x : -9.02, a = above < 9.02 ? above : 9.02, u = a * a;
    double n = 37.811593875502922 + u * 0.012395059980174837, d = 888.19728598835422 + u;
    n = 14452.436057738967 + u * n;
    d = 171507.39378298083 + u * d;
    n = 1517407.0877958250 + u * n;
    d = 10019261.767440869 + u * d;
    n = 48400080.927442901 + u * n;
    d = 162872668.54688475 + u * d;
    n = 343417763.21487862 + u * n;
    d = 343417763.22171295 + u * d;
    return x != x ? x + x : (float)(a * n / d);
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
// A sum that no other is made of, where -Ofast lets sums be reordered.
#if defined(__ASSOCIATIVE_MATH__) && !defined(__clang__) && defined(__GNUC__) && __GNUC__ >= 12
#define SVM_APART(sum) __builtin_assoc_barrier(sum)
#else
#define SVM_APART(sum) (sum)
#endif

// x / pi + more without the nearest whole number, times pi; the last bit of that number is odd's.
//
// 1 / pi is three pieces of 25 bits, whose products with x are exact, and one of 53. Where x is large, its products with the
// first pieces are even, and the pieces are later ones. What is added is exact as long as whole numbers are near, so that the
// rest is as exact as x.
SVM_ELEMENTARY double svm_turnedFar(double x, double more, uint64_t *odd)
{
#if defined(__clang__)
#pragma clang fp reassociate(off)
#endif
    const double size = fabs(x), even = 0x1.8p53; // the last bit of sums with it is 2
    const bool is1 = size >= 0x1p49, is2 = size >= 0x1p74, is3 = size >= 0x1p99;
    const double p1 = 0x1.b93910p-27, p2 = 0x1.529fc0p-53, p3 = 0x1.3abe8fp-76, p4 = 0x1.534ddcp-101,
                 p5 = 0x1.b6c520p-130;
    const double a = is3 ? p3 : is2 ? p2 : is1 ? p1 : 0x1.45f306p-2;
    const double b = is3 ? p4 : is2 ? p3 : is1 ? p2 : p1;
    const double c = is3 ? p5 : is2 ? p4 : is1 ? p3 : p2;
    const double d = is3   ? 0x1.664f10e4107f9p-151
                     : is2 ? 0x1.b6c52b3278872p-130
                     : is1 ? 0x1.534ddc0db6296p-101
                           : 0x1.3abe8fa9a6ee0p-76;
    const double xa = x * a, xb = x * b;
    const double fa = SVM_APART(xa - SVM_APART(SVM_APART(xa + even) - even));
    const double fb = SVM_APART(xb - SVM_APART(SVM_APART(xb + even) - even));
    uint64_t first, second;
    const double high = SVM_APART(SVM_APART(fa + more) + fb);
    const double middle = SVM_APART(SVM_APART(high - svm_rounded(high, &first)) + x * c);
    const double low = SVM_APART(middle - svm_rounded(middle, &second));
    *odd = first + second;
    return SVM_APART(low + x * d) * 3.141592653589793;
}

// The same where x is below SVM_NEAR: pi is 33 bits, whose product with the whole number is exact, and the rest.
#define SVM_NEAR 0x1p20
SVM_ELEMENTARY double svm_turnedNear(double x, double more, uint64_t *odd)
{
#if defined(__clang__)
#pragma clang fp reassociate(off)
#endif
    const double whole = svm_rounded(SVM_APART(x * 0.3183098861837907 + more), odd) - more;
    return SVM_APART(SVM_APART(x - whole * 0x1.921fb544000p+1) - whole * 0x1.0b4611a626331p-33);
}

// The one or the other.
SVM_ELEMENTARY double svm_turned(double x, double more, uint64_t *odd)
{
    uint64_t odd_near, odd_far;
    const double near = svm_turnedNear(x, more, &odd_near), far = svm_turnedFar(x, more, &odd_far);
    const bool is_near = fabs(x) < SVM_NEAR;
    *odd = is_near ? odd_near : odd_far;
    return is_near ? near : far;
}

// The result where x is a number, NaN where it is infinite, and NaN's own.
SVM_ELEMENTARY float svm_ofFinite(float x, double result)
{
    const float rest = x != x ? x + x : NAN;
    return fabsf(x) < INFINITY ? (float)result : rest;
}

// The sine of r, -pi / 2 <= r <= pi / 2, or minus that. The sign is there long before the polynomial.
SVM_ELEMENTARY double svm_sinOf(double r, uint64_t odd)
{
    const double u = r * r, v = u * u, turned = svm_fromBits(svm_bitsOf(r) ^ (odd << 63));
    const double p =
        (0.9999999999787981 - u * 0.16666666608710062) + v * ((0.008333330716356935 - u * 0.00019840832296874508) +
                                                              v * (2.752394439600604e-06 - u * 2.3867876785292162e-08));
    return turned * p;
}

// The tangent of r / 2, or -1 divided by it: a quotient of polynomials.
SVM_ELEMENTARY double svm_tanOf(double r, uint64_t odd)
{
    const double u = r * r;
    const double n = r * (0.5000000000110665 - u * (0.01392019260028598 - u * 3.3598801539988414e-05));
    const double d = 1.0 - u * (0.11117371811775556 - u * 0.0009983395312858929);
    const bool inverse = (odd & 1) != 0;
    return (inverse ? -d : n) / (inverse ? n : d);
}

// What is called seldom, so that nothing is vectors of both.
#if defined(__GNUC__) || defined(__clang__)
#define SVM_ELEMENTARY_FAR __attribute__((noinline, cold, unused)) static
#else
#define SVM_ELEMENTARY_FAR static
#endif

SVM_ELEMENTARY_FAR float svm_sinFar(float x, double more)
{
    uint64_t odd;
    const double r = svm_turnedFar((double)x, more, &odd);
    return svm_ofFinite(x, svm_sinOf(r, odd));
}

SVM_ELEMENTARY_FAR float svm_tanFar(float x)
{
    uint64_t odd;
    const double r = svm_turnedFar(2.0 * (double)x, -0.0, &odd);
    return svm_ofFinite(x, svm_tanOf(r, odd));
}

// sin(x) of more = 0, cos(x) of 0.5. Alone, numbers are far or near; beside others, both are computed of all.
SVM_ELEMENTARY float svm_sinPlus(float x, double more, bool alone)
{
    uint64_t odd;
    if (alone && !(fabsf(x) < (float)SVM_NEAR))
        return svm_sinFar(x, more);
    const double r = alone ? svm_turnedNear((double)x, more, &odd) : svm_turned((double)x, more, &odd);
    const double s = svm_sinOf(r, odd);
    return alone ? (float)s : svm_ofFinite(x, s);
}

SVM_ELEMENTARY float svm_tanPlus(float x, bool alone)
{
    uint64_t odd;
    const double twice = 2.0 * (double)x;
    if (alone && !(fabs(twice) < SVM_NEAR))
        return svm_tanFar(x);
    const double r = alone ? svm_turnedNear(twice, -0.0, &odd) : svm_turned(twice, -0.0, &odd);
    const double t = svm_tanOf(r, odd);
    return alone ? (float)t : svm_ofFinite(x, t);
}

// Vectors of two doubles take longer for both than a branch for one.
#if defined(__AVX2__)
enum { SVM_SINES_ALONE = 0 };
#else
enum { SVM_SINES_ALONE = 1 };
#endif

SVM_ELEMENTARY float svm_sinf(float x)
{
    return svm_sinPlus(x, -0.0, SVM_SINES_ALONE);
}

SVM_ELEMENTARY float svm_cosf(float x)
{
    return svm_sinPlus(x, 0.5, SVM_SINES_ALONE);
}

SVM_ELEMENTARY float svm_tanf(float x)
{
    return svm_tanPlus(x, SVM_SINES_ALONE);
}

// The same for firings that do not go side by side: with a branch, which is foreseen.
SVM_ELEMENTARY float svm_sinAlonef(float x)
{
    return svm_sinPlus(x, -0.0, true);
}

SVM_ELEMENTARY float svm_cosAlonef(float x)
{
    return svm_sinPlus(x, 0.5, true);
}

SVM_ELEMENTARY float svm_tanAlonef(float x)
{
    return svm_tanPlus(x, true);
}
#endif

#ifdef __cplusplus
}
#endif

#endif
