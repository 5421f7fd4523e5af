// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arithmetic of the source languages wherever C leaves a result open or would give another one. This is the one
// definition: the compilers' folding, the interpreter and emitted programs all include this file, so it needs nothing
// but the C headers below and svm/elementary.h.
//
// Results agree bit for bit only if every user is compiled with -fwrapv -ffp-contract=off -fno-math-errno, and with
// -fno-builtin-F for the inexact libm functions F called here (sinf cosf sinhf coshf and the double forms of all).
//
// Names: svm_iX takes int, svm_fX float, svm_dX double, svm_cX complex. A bit is an int.
#ifndef SVM_ARITH_H
#define SVM_ARITH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "elementary.h"

#if defined(__cplusplus)
#define SVM_NORETURN [[noreturn]]
extern "C" {
#else
#define SVM_NORETURN _Noreturn
#endif

// Integer division by zero in the program. `where` is a string like "LowPass_1 at fm.str:12". The runtime library
// prints an error and exits with status 1; whoever includes this file without that library supplies the function.
SVM_NORETURN void svm_divideByZero(const char *where);

// ---- int: 32 bits, two's complement, everything wraps ----

static inline int32_t svm_iadd(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}
static inline int32_t svm_isub(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a - (uint32_t)b);
}
static inline int32_t svm_imul(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a * (uint32_t)b);
}
static inline int32_t svm_ineg(int32_t a)
{
    return (int32_t)(0U - (uint32_t)a);
}

// Truncates toward zero; INT_MIN / -1 is INT_MIN.
static inline int32_t svm_idiv(int32_t a, int32_t b, const char *where)
{
    if (b == 0)
        svm_divideByZero(where);
    return b == -1 ? svm_ineg(a) : a / b;
}

// Where a is not below zero and b is a positive number.
static inline int32_t svm_idivUp(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a / (uint32_t)b);
}
static inline int32_t svm_iremUp(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a % (uint32_t)b);
}
// Where a is also less than twice b.
static inline int32_t svm_iremOnce(int32_t a, int32_t b)
{
    const uint32_t less = (uint32_t)a - (uint32_t)b;
    return (int32_t)(less < (uint32_t)a ? less : (uint32_t)a);
}

// The size of a; that of the least int is itself.
static inline int32_t svm_iabs(int32_t a)
{
    return a < 0 ? (int32_t)(0U - (uint32_t)a) : a;
}

// How often a is halved until it is less than the power of two; 0 where it is no positive number.
static inline int32_t svm_halves(int32_t a, int power)
{
    int32_t n = 0;
#if defined(__GNUC__) && !defined(__TINYC__)
    if (a > 0)
        n = 32 - __builtin_clz((unsigned)a) - power;
#else
    for (; a >> power > 0; a >>= 1)
        n++;
#endif
    return n > 0 ? n : 0;
}

// The sign of the dividend; INT_MIN % -1 is 0.
static inline int32_t svm_irem(int32_t a, int32_t b, const char *where)
{
    if (b == 0)
        svm_divideByZero(where);
    return b == -1 ? 0 : a % b;
}

// Shift counts are taken modulo 32 (-1 is 31); the right shift keeps the sign.
static inline int32_t svm_shl(int32_t a, int32_t n)
{
    return (int32_t)((uint32_t)a << ((uint32_t)n & 31U));
}
static inline int32_t svm_shr(int32_t a, int32_t n)
{
    return a >> ((uint32_t)n & 31U);
}
// To the left; C compilers know this as one instruction.
static inline int32_t svm_rotl(int32_t a, int32_t n)
{
    const uint32_t x = (uint32_t)a, by = (uint32_t)n & 31U;
    return (int32_t)(x << by | x >> ((32U - by) & 31U));
}

// ---- Conversions: truncate toward zero, saturate, NaN gives 0 ----

static inline int32_t svm_f2i(float x)
{
    return x != x ? 0 : x >= 2147483648.0F ? INT32_MAX : x <= -2147483648.0F ? INT32_MIN : (int32_t)x;
}
static inline int32_t svm_d2i(double x)
{
    return x != x ? 0 : x >= 2147483647.0 ? INT32_MAX : x <= -2147483648.0 ? INT32_MIN : (int32_t)x;
}

// ---- float and double ----

// Comparison formulas: if either operand is a NaN the result is b, and of two zeros the result is b.
static inline float svm_fmax(float a, float b)
{
    return a > b ? a : b;
}
static inline float svm_fmin(float a, float b)
{
    return a < b ? a : b;
}
static inline double svm_dmax(double a, double b)
{
    return a > b ? a : b;
}
static inline double svm_dmin(double a, double b)
{
    return a < b ? a : b;
}
static inline float svm_fabs(float x)
{
    return fabsf(x);
}
static inline double svm_dabs(double x)
{
    return fabs(x);
}
// floor(x + 1/2), the sum rounded to the type: -2.5 gives -2, and the float below 0.5 gives 1.
static inline float svm_fround(float x)
{
    return floorf(x + 0.5F);
}
static inline double svm_dround(double x)
{
    return floor(x + 0.5);
}
// Ties to even.
static inline float svm_frint(float x)
{
    return rintf(x);
}
static inline double svm_drint(double x)
{
    return rint(x);
}

// ---- complex: two floats, every operation in float, in the order written ----

typedef struct svm_Complex {
    float real, imag;
} svm_Complex;

static inline svm_Complex svm_complex(float real, float imag)
{
    svm_Complex z;
    z.real = real;
    z.imag = imag;
    return z;
}

static inline svm_Complex svm_cadd(svm_Complex a, svm_Complex b)
{
    return svm_complex(a.real + b.real, a.imag + b.imag);
}
static inline svm_Complex svm_csub(svm_Complex a, svm_Complex b)
{
    return svm_complex(a.real - b.real, a.imag - b.imag);
}
static inline svm_Complex svm_cneg(svm_Complex a)
{
    return svm_complex(-a.real, -a.imag);
}
static inline bool svm_ceq(svm_Complex a, svm_Complex b)
{
    return a.real == b.real && a.imag == b.imag;
}

static inline svm_Complex svm_cmul(svm_Complex a, svm_Complex b)
{
    return svm_complex(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real);
}

// The textbook formula without scaling.
static inline svm_Complex svm_cdiv(svm_Complex a, svm_Complex b)
{
    float d = b.real * b.real + b.imag * b.imag;
    return svm_complex((a.real * b.real + a.imag * b.imag) / d, (a.imag * b.real - a.real * b.imag) / d);
}

static inline float svm_cabs(svm_Complex z)
{
    return sqrtf(z.real * z.real + z.imag * z.imag);
}
static inline float svm_carg(svm_Complex z)
{
    return svm_atan2f(z.imag, z.real);
}

// e^re (cos im + i sin im)
static inline svm_Complex svm_cexp(svm_Complex z)
{
    float e = svm_expf(z.real);
    return svm_complex(e * svm_cosf(z.imag), e * svm_sinf(z.imag));
}

// ln |z| + i arg z
static inline svm_Complex svm_clog(svm_Complex z)
{
    return svm_complex(svm_logf(svm_cabs(z)), svm_carg(z));
}

// sin re cosh im + i cos re sinh im
static inline svm_Complex svm_csin(svm_Complex z)
{
    return svm_complex(svm_sinf(z.real) * coshf(z.imag), svm_cosf(z.real) * sinhf(z.imag));
}

// cos re cosh im - i sin re sinh im
static inline svm_Complex svm_ccos(svm_Complex z)
{
    return svm_complex(svm_cosf(z.real) * coshf(z.imag), -(svm_sinf(z.real) * sinhf(z.imag)));
}

// e^(w ln z); 0^0 is 1 and 0^w is 0 for every other w.
static inline svm_Complex svm_cpow(svm_Complex z, svm_Complex w)
{
    if (z.real == 0.0F && z.imag == 0.0F)
        return svm_complex(w.real == 0.0F && w.imag == 0.0F ? 1.0F : 0.0F, 0.0F);
    return svm_cexp(svm_cmul(w, svm_clog(z)));
}

// The root with a real part that is not negative: with t = sqrt((|z| + |re|) / 2), it is t + i im/2t for re >= 0, and
// otherwise |im|/2t + i t with the sign of im. Where t is 0 (z is 0, or |z| underflows) the root is 0 + i im. Serves
// sqrt and csqrt.
static inline svm_Complex svm_csqrt(svm_Complex z)
{
    float t = sqrtf((svm_cabs(z) + fabsf(z.real)) * 0.5F);
    if (t == 0.0F)
        return svm_complex(0.0F, z.imag);
    if (z.real >= 0.0F)
        return svm_complex(t, z.imag / (2.0F * t));
    return svm_complex(fabsf(z.imag) / (2.0F * t), copysignf(t, z.imag));
}

// Fixed-point numbers of a byte and of two, as streams have them: 0 is 0 and the largest is 1. Other numbers become the
// nearer end, NaN becomes 0. A byte is truncated, two bytes are rounded.
static inline float svm_fromFixed(uint8_t v)
{
    return (float)v / 255.0F;
}
static inline uint8_t svm_toFixed(float x)
{
    const float s = x * 255.0F;
    return s > 0.0F ? s < 255.0F ? (uint8_t)s : 255 : 0;
}
static inline float svm_fromShortFixed(uint16_t v)
{
    return (float)v / 65535.0F;
}
static inline uint16_t svm_toShortFixed(float x)
{
    const float s = x * 65535.0F + 0.5F;
    return s > 0.0F ? s < 65535.0F ? (uint16_t)s : 65535 : 0;
}

#ifdef __cplusplus
}
#endif

#endif
