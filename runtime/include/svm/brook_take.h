// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of a gathered stream for 16 firings at a time: loaded as vectors where they turn out to lie near each other.
#ifndef SVM_BROOK_TAKE_H
#define SVM_BROOK_TAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Asks for what lies a page behind so many bytes that are read now: who reads much at a time, and then works on it for
// long, would wait for the next. There may be nothing.
static inline void svm_brookAhead(const void *from, size_t bytes)
{
    enum { PAGE = 4096, LINE = 64 };
#if defined(__GNUC__)
    for (size_t i = 0; i < bytes; i += LINE)
        __builtin_prefetch((const void *)((uintptr_t)from + PAGE + i));
#else
    (void)from, (void)bytes;
#endif
}

#if defined(__clang__) && __clang_major__ >= 15
typedef int32_t svm_BrookPlaces __attribute__((ext_vector_type(16)));
typedef float svm_BrookTaken __attribute__((ext_vector_type(16)));
typedef int32_t svm_BrookHalf __attribute__((ext_vector_type(8)));
typedef float svm_BrookHalfTaken __attribute__((ext_vector_type(8)));

// Elements from[place[i]] of a stream of `span`. false: they are not near each other.
static inline bool svm_brookTakeNear(svm_BrookTaken *taken, const float *from, ptrdiff_t span, svm_BrookPlaces place)
{
#if defined(__AVX512F__)
    if (span < 32)
        return false;
    // All are among 32 elements around the first, in any order.
    const int32_t last = (int32_t)span - 32, below = place[0] - 16, first = below < 0 ? 0 : below < last ? below : last;
    const svm_BrookPlaces up = place - first;
    if (__builtin_reduce_or(up & ~31) != 0)
        return false;
    svm_BrookTaken low, high;
    memcpy(&low, from + first, sizeof low);
    memcpy(&high, from + first + 16, sizeof high);
    *taken = __builtin_ia32_vpermi2varps512(low, up, high);
    return true;
#elif defined(__AVX2__)
    const svm_BrookPlaces lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, far = place - place[0];
    (void)span;
    if (__builtin_reduce_or(far ^ lanes) == 0)
        memcpy(taken, from + place[0], sizeof *taken);
    else if (__builtin_reduce_or(far) == 0)
        *taken = from[place[0]];
    else
        return false;
    return true;
#else
    (void)taken, (void)from, (void)span, (void)place;
    return false;
#endif
}

// Elements of a row of `count` for a place and the 15 behind it, where subscripts are made of the bits of places: the
// place's is `first`, and those of places 0 to 15 are in `turned`. false: the place is no multiple of 16, or the elements
// are not all inside.
static inline bool svm_brookTakeTurned(float *to, const float *from, ptrdiff_t count, int32_t place, int32_t first,
                                       const int32_t *turned)
{
#if defined(__AVX512F__) || defined(__AVX2__)
    const int32_t begin = first & ~15;
    if (__builtin_expect((place & 15) != 0 || begin < 0 || begin > count - 16, 0))
        return false;
#if defined(__AVX512F__)
    svm_BrookPlaces up;
    svm_BrookTaken all;
    memcpy(&up, turned, sizeof up);
    memcpy(&all, from + begin, sizeof all);
    all = __builtin_ia32_permvarsf512(all, up);
    memcpy(to, &all, sizeof all);
#else
    svm_BrookHalfTaken low, high;
    memcpy(&low, from + begin, sizeof low);
    memcpy(&high, from + begin + 8, sizeof high);
    for (int half = 0; half < 16; half += 8) {
        svm_BrookHalf up;
        memcpy(&up, turned + half, sizeof up);
        const svm_BrookHalfTaken all =
            (up & 8) != 0 ? __builtin_ia32_permvarsf256(high, up) : __builtin_ia32_permvarsf256(low, up);
        memcpy(to + half, &all, sizeof all);
    }
#endif
    return true;
#else
    (void)to, (void)from, (void)count, (void)place, (void)first, (void)turned;
    return false;
#endif
}

// The same, wherever they are.
static inline void svm_brookTake(float *to, const float *from, ptrdiff_t span, const int32_t *at)
{
    svm_BrookPlaces place;
    svm_BrookTaken taken;
    memcpy(&place, at, sizeof place);
    if (!svm_brookTakeNear(&taken, from, span, place))
        taken = (svm_BrookTaken){from[at[0]],  from[at[1]],  from[at[2]],  from[at[3]], from[at[4]],  from[at[5]],
                                 from[at[6]],  from[at[7]],  from[at[8]],  from[at[9]], from[at[10]], from[at[11]],
                                 from[at[12]], from[at[13]], from[at[14]], from[at[15]]};
    memcpy(to, &taken, sizeof taken);
}

// The same for `count` of them, which are a multiple of 16. Those behind the first 16 are near each other if these are.
static inline void svm_brookTakeMany(float *to, const float *from, ptrdiff_t span, const int32_t *at, int count)
{
    svm_BrookPlaces place;
    svm_BrookTaken taken;
    memcpy(&place, at, sizeof place);
    if (svm_brookTakeNear(&taken, from, span, place)) {
#pragma clang loop unroll(disable)
        for (int i = 0; i < count; i += 16)
            svm_brookTake(to + i, from, span, at + i);
        return;
    }
#pragma clang loop unroll(disable)
    for (int i = 0; i < count; i += 16) {
        const int32_t *p = at + i;
        taken = (svm_BrookTaken){from[p[0]],  from[p[1]],  from[p[2]],  from[p[3]], from[p[4]],  from[p[5]],
                                 from[p[6]],  from[p[7]],  from[p[8]],  from[p[9]], from[p[10]], from[p[11]],
                                 from[p[12]], from[p[13]], from[p[14]], from[p[15]]};
        memcpy(to + i, &taken, sizeof taken);
    }
}
#else
static inline bool svm_brookTakeTurned(float *to, const float *from, ptrdiff_t count, int32_t place, int32_t first,
                                       const int32_t *turned)
{
    (void)to, (void)from, (void)count, (void)place, (void)first, (void)turned;
    return false;
}

static inline void svm_brookTake(float *to, const float *from, ptrdiff_t span, const int32_t *at)
{
    (void)span;
    for (int lane = 0; lane < 16; lane++)
        to[lane] = from[at[lane]];
}

static inline void svm_brookTakeMany(float *to, const float *from, ptrdiff_t span, const int32_t *at, int count)
{
    (void)span;
    for (int lane = 0; lane < count; lane++)
        to[lane] = from[at[lane]];
}
#endif

// So many, wherever they are; two places are one load.
static inline void svm_brookTakeAll(float *restrict to, const float *restrict from, const int32_t *restrict at,
                                    ptrdiff_t count)
{
    ptrdiff_t i = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#if defined(__clang__)
#pragma clang loop vectorize(disable) unroll_count(4)
#endif
    for (; i + 2 <= count; i += 2) {
        uint64_t two;
        memcpy(&two, at + i, sizeof two);
        to[i] = from[(uint32_t)two];
        to[i + 1] = from[two >> 32];
    }
#endif
    for (; i < count; i++)
        to[i] = from[at[i]];
}

#endif
