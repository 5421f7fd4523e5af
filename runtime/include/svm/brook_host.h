// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What host programs of Brook know without an include: vectors with their constructors, operations on streams, and the
// C headers that old programs rely on. The code that the Brook front end writes includes it, and is C11.
#ifndef SVM_BROOK_HOST_H
#define SVM_BROOK_HOST_H

// The original compiled host code as C++, whose headers have all that the system has: M_PI, gettimeofday, drand48.
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>
#ifndef SVM_BROOK_COMPLEX // the program includes <complex.h>; others may call something else so
#undef I
#undef complex
#endif

#include <svm/brook.h>

// ---- Vectors: the elements of streams in host memory, without gaps ----

typedef unsigned char uchar;
typedef struct {
    float x, y;
} float2;
typedef struct {
    float x, y, z;
} float3;
typedef struct {
    float x, y, z, w;
} float4;
typedef struct {
    double x, y;
} double2;
typedef struct {
    int x, y;
} int2;
typedef struct {
    int x, y, z;
} int3;
typedef struct {
    int x, y, z, w;
} int4;
typedef struct {
    signed char x, y;
} char2;
typedef struct {
    signed char x, y, z;
} char3;
typedef struct {
    signed char x, y, z, w;
} char4;
typedef struct {
    unsigned char x, y;
} uchar2;
typedef struct {
    unsigned char x, y, z;
} uchar3;
typedef struct {
    unsigned char x, y, z, w;
} uchar4;
typedef struct {
    unsigned char x;
} fixed;
typedef uchar2 fixed2;
typedef uchar3 fixed3;
typedef uchar4 fixed4;
typedef struct {
    unsigned short x;
} shortfixed;
typedef struct {
    unsigned short x, y;
} shortfixed2;
typedef struct {
    unsigned short x, y, z;
} shortfixed3;
typedef struct {
    unsigned short x, y, z, w;
} shortfixed4;

// Constructors have the names of the types: float2(1, 2).
#define float2(...) ((float2){__VA_ARGS__})
#define float3(...) ((float3){__VA_ARGS__})
#define float4(...) ((float4){__VA_ARGS__})
#define double2(...) ((double2){__VA_ARGS__})
#define int2(...) ((int2){__VA_ARGS__})
#define int3(...) ((int3){__VA_ARGS__})
#define int4(...) ((int4){__VA_ARGS__})
#define char2(...) ((char2){__VA_ARGS__})
#define char3(...) ((char3){__VA_ARGS__})
#define char4(...) ((char4){__VA_ARGS__})
#define uchar2(...) ((uchar2){__VA_ARGS__})
#define uchar3(...) ((uchar3){__VA_ARGS__})
#define uchar4(...) ((uchar4){__VA_ARGS__})

// The original compiled host code as C++, where the functions of math.h and abs give what their arguments are.
#define abs(x) _Generic((x), float: fabsf, double: fabs, long: labs, default: abs)(x)

// ---- Streams ----

#define streamRead(s, p) svm_brookRead(SVM_BROOK_HERE, (s), (p))
#define streamWrite(s, p) svm_brookWrite(SVM_BROOK_HERE, (s), (p))
#define streamPrint(s) svm_brookPrint(SVM_BROOK_HERE, (s))
#define streamSwap(a, b) svm_brookSwap(SVM_BROOK_HERE, &(a), &(b))
#define streamSize(s)                                                                                                  \
    __extension__({                                                                                                    \
        float4 svm_brook_extents;                                                                                      \
        svm_brookSize((s), &svm_brook_extents.x);                                                                      \
        svm_brook_extents;                                                                                             \
    })
#define streamScatterOp(to, index, from, f) svm_brookScatterOp(SVM_BROOK_HERE, (to), (index), (from), brook_##f##_one)
#define streamGatherOp(to, index, from, f) svm_brookGatherOp(SVM_BROOK_HERE, (to), (index), (from), brook_##f##_one)
#define brmalloc svm_brookMalloc
#define brcalloc svm_brookCalloc
#define brrealloc svm_brookRealloc
#define brfree svm_brookFree

// ---- Private: what declarations, calls and views become ----

#define SVM_BROOK_OWNED __attribute__((cleanup(svm_brookRelease), unused))

// Declares that calls in the rest of a block may wait for each other.
#define SVM_BROOK_ROUNDS                                                                                               \
    __attribute__((cleanup(svm_brookEndRounds), unused)) const int svm_brook_rounds = svm_brookBeginRounds();

// A bound of a view is an int, or int2 to int4.
#define SVM_BROOK_RANK_OF(v) _Generic((v), int2: 2, int3: 3, int4: 4, default: 1)
#define SVM_BROOK_PARTS(v)                                                                                             \
    (const int *)(const __typeof__(v)[])                                                                               \
    {                                                                                                                  \
        v                                                                                                              \
    }
#define SVM_BROOK_INTS(v)                                                                                              \
    _Generic((v),                                                                                                      \
        int2: SVM_BROOK_PARTS(v),                                                                                      \
        int3: SVM_BROOK_PARTS(v),                                                                                      \
        int4: SVM_BROOK_PARTS(v),                                                                                      \
        default: (const int[]){_Generic((v), int2: 0, int3: 0, int4: 0, default: (v))})
#define svm_brook_domain(s, lo, hi)                                                                                    \
    svm_brookDomain(SVM_BROOK_HERE, (s), SVM_BROOK_RANK_OF(lo), SVM_BROOK_INTS(lo), SVM_BROOK_INTS(hi))

// A call whose result is in svm_brook_result, assigned to a variable.
#define SVM_BROOK_REDUCED(type, call, ...)                                                                             \
    __extension__({                                                                                                    \
        type svm_brook_result;                                                                                         \
        call;                                                                                                          \
        (__VA_ARGS__) = svm_brook_result;                                                                              \
        (void)0;                                                                                                       \
    })

#if defined(__clang__)
// C of thirty years ago.
#pragma clang diagnostic ignored "-Wimplicit-function-declaration"
#pragma clang diagnostic ignored "-Wimplicit-int"
#pragma clang diagnostic ignored "-Wdeprecated-non-prototype"
#pragma clang diagnostic ignored "-Wstrict-prototypes"
#pragma clang diagnostic ignored "-Wreturn-type"
#pragma clang diagnostic ignored "-Wreturn-mismatch"
#pragma clang diagnostic ignored "-Wgnu-folding-constant"
#pragma clang diagnostic warning "-Wint-conversion"
#pragma clang diagnostic warning "-Wparentheses"
#pragma clang diagnostic warning "-Wincompatible-pointer-types"
#endif

#endif
