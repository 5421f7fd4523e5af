// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread functions of kernels.h for clang --target=r600, whose VLIW groups of up to five operations are the yardstick.
#define THREAD static inline
#define INPUT global const float4 *
#define OUTPUT global float4 *
#define TABLE constant
#define FABS(x) __builtin_fabsf(x)
#define FLOOR(x) __builtin_floorf(x)
#define SQRT(x) __builtin_sqrtf(x)
#define LOG2(x) __builtin_log2f(x)
#define EXP2(x) __builtin_exp2f(x)

static inline void svm_lookup(float *element, INPUT plane, float s, float t)
{
    float4 v = plane[(int)s + (int)t * 64];
    element[0] = v.x;
    element[1] = v.y;
    element[2] = v.z;
    element[3] = v.w;
}

static inline void svm_output(OUTPUT plane, float x, float y, const float *element)
{
    float4 v = {element[0], element[1], element[2], element[3]};
    plane[(int)x + (int)y * 64] = v;
}
#include "kernels.h"

kernel void entry(INPUT i0, INPUT i1, INPUT i2, OUTPUT o0, OUTPUT o1, OUTPUT o2, OUTPUT o3, float x, float y, float a,
                  float b, float c, float d)
{
#if IS(matmatmult)
    matmatmult(x, y, i0, i1, o0, o1, o2, o3);
#elif IS(sgemm)
    sgemm(x, y, i0, i1, i2, o0, o1, o2, o3, a, b);
#elif IS(photon)
    photon(x, y, i0, i1, o0, a, b, c, d);
#elif IS(dct_rows)
    dct_rows(x, y, i0, o0, o1);
#elif IS(dct_columns)
    dct_columns(x, y, i0, o0, o1, o2, o3);
#elif IS(fft_stage)
    fft_stage(x, y, i0, i1, i2, o0, o1);
#elif IS(mandelbrot)
    mandelbrot(x, y, i0, i1, o0);
#elif IS(gather)
    gather(x, y, i0, i1, o0);
#elif IS(bitonic)
    bitonic(x, y, i0, o0, o1);
#elif IS(black_scholes)
    black_scholes(x, y, i0, i1, i2, o0, a, b);
#else
    KERNEL(x, y, i0, o0);
#endif
}
