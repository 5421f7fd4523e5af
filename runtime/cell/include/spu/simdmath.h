// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vendor's mathematics of vectors: NAMEf4 of four floats and NAMEd2 of two doubles, each element as <math.h> has it.
// Names that begin with _ are those of its inline forms, names that end in _fast those of its less exact ones.
#ifndef SIMDMATH_H
#define SIMDMATH_H

#include <math.h>
#include <spu_intrinsics.h>
#include <stdlib.h>

#define SVM_SIMD static __inline__ __attribute__((__nodebug__, __unused__))

// ---- Of each element by itself ----

#define SVM_SIMD_1_OF(name, function, V, E, n)                                                                         \
    SVM_SIMD V name(V a)                                                                                               \
    {                                                                                                                  \
        for (int i = 0; i < n; i++)                                                                                    \
            a[i] = function(a[i]);                                                                                     \
        return a;                                                                                                      \
    }
#define SVM_SIMD_1(name)                                                                                               \
    SVM_SIMD_1_OF(name##f4, name##f, vec_float4, float, 4) SVM_SIMD_1_OF(name##d2, name, vec_double2, double, 2)
// clang-format off
SVM_SIMD_1(acos) SVM_SIMD_1(acosh) SVM_SIMD_1(asin) SVM_SIMD_1(asinh) SVM_SIMD_1(atan)
SVM_SIMD_1(atanh) SVM_SIMD_1(cbrt) SVM_SIMD_1(ceil) SVM_SIMD_1(cos) SVM_SIMD_1(cosh) SVM_SIMD_1(erf)
SVM_SIMD_1(erfc) SVM_SIMD_1(exp) SVM_SIMD_1(exp2) SVM_SIMD_1(expm1) SVM_SIMD_1(fabs)
SVM_SIMD_1(floor) SVM_SIMD_1(lgamma) SVM_SIMD_1(log) SVM_SIMD_1(log10) SVM_SIMD_1(log1p)
SVM_SIMD_1(log2) SVM_SIMD_1(logb) SVM_SIMD_1(nearbyint) SVM_SIMD_1(rint) SVM_SIMD_1(round)
SVM_SIMD_1(sin) SVM_SIMD_1(sinh) SVM_SIMD_1(sqrt) SVM_SIMD_1(tan) SVM_SIMD_1(tanh)
SVM_SIMD_1(tgamma) SVM_SIMD_1(trunc)
// clang-format on

#define SVM_SIMD_2_OF(name, function, V, n)                                                                            \
    SVM_SIMD V name(V a, V b)                                                                                          \
    {                                                                                                                  \
        for (int i = 0; i < n; i++)                                                                                    \
            a[i] = function(a[i], b[i]);                                                                               \
        return a;                                                                                                      \
    }
#define SVM_SIMD_2(name) SVM_SIMD_2_OF(name##f4, name##f, vec_float4, 4) SVM_SIMD_2_OF(name##d2, name, vec_double2, 2)
    // clang-format off
SVM_SIMD_2(atan2) SVM_SIMD_2(copysign) SVM_SIMD_2(fdim) SVM_SIMD_2(fmax) SVM_SIMD_2(fmin)
SVM_SIMD_2(fmod) SVM_SIMD_2(hypot) SVM_SIMD_2(nextafter) SVM_SIMD_2(pow) SVM_SIMD_2(remainder)
// clang-format on

// ---- Operators, comparisons, exponents ----

#define SVM_SIMD_BOTH(V, E, U, I, N, n, f)                                                                             \
    SVM_SIMD V div##N(V a, V b)                                                                                        \
    {                                                                                                                  \
        return a / b;                                                                                                  \
    }                                                                                                                  \
    SVM_SIMD V recip##N(V a)                                                                                           \
    {                                                                                                                  \
        return (E)1 / a;                                                                                               \
    }                                                                                                                  \
    SVM_SIMD V rsqrt##N(V a)                                                                                           \
    {                                                                                                                  \
        return (E)1 / sqrt##N(a);                                                                                      \
    }                                                                                                                  \
    SVM_SIMD V negate##N(V a)                                                                                          \
    {                                                                                                                  \
        return -a;                                                                                                     \
    }                                                                                                                  \
    SVM_SIMD V fma##N(V a, V b, V c)                                                                                   \
    {                                                                                                                  \
        return spu_madd(a, b, c);                                                                                      \
    }                                                                                                                  \
    SVM_SIMD U isequal##N(V a, V b)                                                                                    \
    {                                                                                                                  \
        return (U)(a == b);                                                                                            \
    }                                                                                                                  \
    SVM_SIMD U isgreater##N(V a, V b)                                                                                  \
    {                                                                                                                  \
        return (U)(a > b);                                                                                             \
    }                                                                                                                  \
    SVM_SIMD U isgreaterequal##N(V a, V b)                                                                             \
    {                                                                                                                  \
        return (U)(a >= b);                                                                                            \
    }                                                                                                                  \
    SVM_SIMD U isless##N(V a, V b)                                                                                     \
    {                                                                                                                  \
        return (U)(a < b);                                                                                             \
    }                                                                                                                  \
    SVM_SIMD U islessequal##N(V a, V b)                                                                                \
    {                                                                                                                  \
        return (U)(a <= b);                                                                                            \
    }                                                                                                                  \
    SVM_SIMD U islessgreater##N(V a, V b)                                                                              \
    {                                                                                                                  \
        return (U)(a < b) | (U)(a > b);                                                                                \
    }                                                                                                                  \
    SVM_SIMD U isunordered##N(V a, V b)                                                                                \
    {                                                                                                                  \
        return (U)(a != a) | (U)(b != b);                                                                              \
    }                                                                                                                  \
    SVM_SIMD U isnan##N(V a)                                                                                           \
    {                                                                                                                  \
        return (U)(a != a);                                                                                            \
    }                                                                                                                  \
    SVM_SIMD U isinf##N(V a)                                                                                           \
    {                                                                                                                  \
        return (U)(fabs##N(a) == (E)__builtin_inf());                                                                  \
    }                                                                                                                  \
    SVM_SIMD U isfinite##N(V a)                                                                                        \
    {                                                                                                                  \
        return (U)(fabs##N(a) < (E)__builtin_inf());                                                                   \
    }                                                                                                                  \
    SVM_SIMD U signbit##N(V a)                                                                                         \
    {                                                                                                                  \
        return (U)((I)a < 0);                                                                                          \
    }                                                                                                                  \
    SVM_SIMD V ldexp##N(V a, I exponent)                                                                               \
    {                                                                                                                  \
        for (int i = 0; i < n; i++)                                                                                    \
            a[i] = ldexp##f(a[i], (int)exponent[i]);                                                                   \
        return a;                                                                                                      \
    }                                                                                                                  \
    SVM_SIMD V modf##N(V a, V *whole)                                                                                  \
    {                                                                                                                  \
        *whole = trunc##N(a);                                                                                          \
        return copysign##N(a - *whole, a);                                                                             \
    }                                                                                                                  \
    SVM_SIMD void sincos##N(V a, V *sine, V *cosine)                                                                   \
    {                                                                                                                  \
        *sine = sin##N(a);                                                                                             \
        *cosine = cos##N(a);                                                                                           \
    }
            SVM_SIMD_BOTH(vec_float4, float, vec_uint4, vec_int4, f4, 4, f)
                SVM_SIMD_BOTH(vec_double2, double, vec_ullong2, vec_llong2, d2, 2, )

                    SVM_SIMD vec_float4 frexpf4(vec_float4 a, vec_int4 *exponent)
{
    for (int i = 0; i < 4; i++) {
        int e;
        a[i] = frexpf(a[i], &e);
        (*exponent)[i] = e;
    }
    return a;
}
SVM_SIMD vec_float4 scalbnf4(vec_float4 a, vec_int4 exponent)
{
    return ldexpf4(a, exponent);
}
SVM_SIMD vec_int4 ilogbf4(vec_float4 a)
{
    return (vec_int4){ilogbf(a[0]), ilogbf(a[1]), ilogbf(a[2]), ilogbf(a[3])};
}
SVM_SIMD vec_int4 irintf4(vec_float4 a)
{
    return spu_convts(rintf4(a), 0);
}
SVM_SIMD vec_int4 iroundf4(vec_float4 a)
{
    return spu_convts(roundf4(a), 0);
}

// ---- Integers ----

typedef struct divi4_s {
    vec_int4 quot, rem;
} divi4_t;
typedef struct divu4_s {
    vec_uint4 quot, rem;
} divu4_t;

SVM_SIMD vec_int4 absi4(vec_int4 a)
{
    const vec_int4 sign = a >> 31;
    return (vec_int4)((vec_uint4)(a ^ sign) - (vec_uint4)sign);
}
SVM_SIMD divi4_t divi4(vec_int4 a, vec_int4 b)
{
    const divi4_t r = {a / b, a % b};
    return r;
}
SVM_SIMD divu4_t divu4(vec_uint4 a, vec_uint4 b)
{
    const divu4_t r = {a / b, a % b};
    return r;
}

// ---- Other names ----

#define _acosf4 acosf4
#define _acosd2 acosd2
#define _acoshf4 acoshf4
#define _acoshd2 acoshd2
#define _asinf4 asinf4
#define _asind2 asind2
#define _asinhf4 asinhf4
#define _asinhd2 asinhd2
#define _atanf4 atanf4
#define _atand2 atand2
#define _atanhf4 atanhf4
#define _atanhd2 atanhd2
#define _cbrtf4 cbrtf4
#define _cbrtd2 cbrtd2
#define _ceilf4 ceilf4
#define _ceild2 ceild2
#define _cosf4 cosf4
#define _cosd2 cosd2
#define _coshf4 coshf4
#define _coshd2 coshd2
#define _erff4 erff4
#define _erfd2 erfd2
#define _erfcf4 erfcf4
#define _erfcd2 erfcd2
#define _expf4 expf4
#define _expd2 expd2
#define _exp2f4 exp2f4
#define _exp2d2 exp2d2
#define _expm1f4 expm1f4
#define _expm1d2 expm1d2
#define _fabsf4 fabsf4
#define _fabsd2 fabsd2
#define _floorf4 floorf4
#define _floord2 floord2
#define _lgammaf4 lgammaf4
#define _lgammad2 lgammad2
#define _logf4 logf4
#define _logd2 logd2
#define _log10f4 log10f4
#define _log10d2 log10d2
#define _log1pf4 log1pf4
#define _log1pd2 log1pd2
#define _log2f4 log2f4
#define _log2d2 log2d2
#define _logbf4 logbf4
#define _logbd2 logbd2
#define _nearbyintf4 nearbyintf4
#define _nearbyintd2 nearbyintd2
#define _rintf4 rintf4
#define _rintd2 rintd2
#define _roundf4 roundf4
#define _roundd2 roundd2
#define _sinf4 sinf4
#define _sind2 sind2
#define _sinhf4 sinhf4
#define _sinhd2 sinhd2
#define _sqrtf4 sqrtf4
#define _sqrtd2 sqrtd2
#define _tanf4 tanf4
#define _tand2 tand2
#define _tanhf4 tanhf4
#define _tanhd2 tanhd2
#define _tgammaf4 tgammaf4
#define _tgammad2 tgammad2
#define _truncf4 truncf4
#define _truncd2 truncd2
#define _atan2f4 atan2f4
#define _atan2d2 atan2d2
#define _copysignf4 copysignf4
#define _copysignd2 copysignd2
#define _fdimf4 fdimf4
#define _fdimd2 fdimd2
#define _fmaxf4 fmaxf4
#define _fmaxd2 fmaxd2
#define _fminf4 fminf4
#define _fmind2 fmind2
#define _fmodf4 fmodf4
#define _fmodd2 fmodd2
#define _hypotf4 hypotf4
#define _hypotd2 hypotd2
#define _nextafterf4 nextafterf4
#define _nextafterd2 nextafterd2
#define _powf4 powf4
#define _powd2 powd2
#define _remainderf4 remainderf4
#define _remainderd2 remainderd2
#define _divf4 divf4
#define _divd2 divd2
#define _recipf4 recipf4
#define _recipd2 recipd2
#define _rsqrtf4 rsqrtf4
#define _rsqrtd2 rsqrtd2
#define _negatef4 negatef4
#define _negated2 negated2
#define _fmaf4 fmaf4
#define _fmad2 fmad2
#define _ldexpf4 ldexpf4
#define _ldexpd2 ldexpd2
#define _modff4 modff4
#define _modfd2 modfd2
#define _sincosf4 sincosf4
#define _sincosd2 sincosd2
#define acosf4_fast acosf4
#define _acosf4_fast acosf4
#define asinf4_fast asinf4
#define _asinf4_fast asinf4
#define atanf4_fast atanf4
#define _atanf4_fast atanf4
#define cosf4_fast cosf4
#define _cosf4_fast cosf4
#define divf4_fast divf4
#define _divf4_fast divf4
#define expf4_fast expf4
#define _expf4_fast expf4
#define logf4_fast logf4
#define _logf4_fast logf4
#define recipf4_fast recipf4
#define _recipf4_fast recipf4
#define rsqrtf4_fast rsqrtf4
#define _rsqrtf4_fast rsqrtf4
#define sinf4_fast sinf4
#define _sinf4_fast sinf4
#define sqrtf4_fast sqrtf4
#define _sqrtf4_fast sqrtf4
#define tanf4_fast tanf4
#define _tanf4_fast tanf4
#define _absi4 absi4
#define _divi4 divi4
#define _divu4 divu4
#define _frexpf4 frexpf4
#define _scalbnf4 scalbnf4
#define _ilogbf4 ilogbf4
#define _irintf4 irintf4
#define _iroundf4 iroundf4

#endif
