// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Left folds of floats, as fast as vectors are, bit for bit.
#ifndef SVM_BROOK_FOLDS_H
#define SVM_BROOK_FOLDS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SVM_BROOK_SIDE = 64, SVM_BROOK_FOLDED = 2048 }; // partial results, and the least elements; the most at a time

// Whether a multiple of 64 elements, at most SVM_BROOK_FOLDED, and a sum so far are of the kind that all sums of some of them
// are floats: multiples of a power of two, not too many of it in all. Then no order of adding rounds, and `sum` becomes what
// the left fold gives.
static inline bool svm_brookSumAny(float *sum, const float *p, ptrdiff_t count)
{
    float side[SVM_BROOK_SIDE] = {0};
    for (ptrdiff_t i = 0; i < count; i += SVM_BROOK_SIDE)
        for (int k = 0; k < SVM_BROOK_SIDE; k++)
            side[k] += fabsf(p[i + k]);
    float bound = fabsf(*sum);
    for (int k = 0; k < SVM_BROOK_SIDE; k++)
        bound += side[k];
    if (bound == 0.0f)
        return !signbit(*sum); // the positive zero, which zeros of any sign do not change
    if (!(bound > 0x1p-80f && bound < 0x1p100f))
        return false;
    union {
        float f;
        uint32_t bits;
    } step = {.f = bound * 1.01f}; // so many rounded the bound down, maybe
    step.bits &= 0x7f800000;
    const float round = step.f * 6.0f; // to what is added to it: 2^-21 of step
    int32_t odd[SVM_BROOK_SIDE] = {0};
    memset(side, 0, sizeof side);
    for (ptrdiff_t i = 0; i < count; i += SVM_BROOK_SIDE)
        for (int k = 0; k < SVM_BROOK_SIDE; k++) {
            odd[k] |= (p[i + k] + round) - round != p[i + k];
            side[k] += p[i + k];
        }
    int32_t some = (*sum + round) - round != *sum;
    for (int k = 0; k < SVM_BROOK_SIDE; k++)
        some |= odd[k];
    if (some)
        return false;
    for (int k = 0; k < SVM_BROOK_SIDE; k++)
        *sum += side[k];
    return true;
}

// ---- Sums that round, with a power of two as the step ----
//
// As long as a sum s stays between two powers of two it is a multiple m of one step u, and s + x is the multiple of u next to
// it. What x / u is rounded to does not depend on s, so vectors can add all of them up as whole numbers. But for a tie:
// from an even m it goes to the even one beside it, and from an odd m to the other side; behind a tie m is even. So whether
// m is odd before a tie follows from what was odd since the one before, which 64 elements at a time have as bits of a word.

#if defined(__clang__) && __clang_major__ >= 15 && defined(__AVX2__) && !defined(__FAST_MATH__)
typedef float svm_BrookFloats __attribute__((ext_vector_type(16)));
typedef int32_t svm_BrookInts __attribute__((ext_vector_type(16)));
typedef bool svm_BrookTruths __attribute__((ext_vector_type(16)));

static inline uint64_t svm_brookMask(svm_BrookInts v)
{
    const svm_BrookTruths truths = __builtin_convertvector(v, svm_BrookTruths);
    uint16_t bits;
    memcpy(&bits, &truths, sizeof bits);
    return bits;
}

// A sum that may be no int.
static inline int64_t svm_brookTotal(svm_BrookInts v)
{
    typedef int64_t longs __attribute__((ext_vector_type(16)));
    return __builtin_reduce_add(__builtin_convertvector(v, longs));
}

// Elements whose sums may be ties; `up`: the halves above what they are rounded to; `odd`: what that is. m is odd before
// the first if `*state` is, and behind the last if it then is. What the ties from odd m add: ones, minus ones; how many.
static inline int32_t svm_brookTies(uint64_t ties, uint64_t up, uint64_t odd, uint64_t *state, int32_t *count)
{
    uint64_t behind = odd, through = ~ties; // m behind each; no tie so far
    for (int n = 1; n < 64; n *= 2) {
        behind ^= through & behind << n;
        through &= through << n | (((uint64_t)1 << n) - 1);
    }
    behind ^= through & -*state;
    const uint64_t moved = (behind << 1 | *state) & ties;
    *state = behind >> 63;
    *count += __builtin_popcountll(moved);
    return 2 * __builtin_popcountll(moved & up) - __builtin_popcountll(moved);
}

// A multiple of 64 floats, at most SVM_BROOK_FOLDED, behind a sum so far. false: the sum may leave the powers of two between
// which it is, or begins or ends with a number that has no such step; then nothing has changed.
static inline bool svm_brookSumSteps(float *sum, const float *p, ptrdiff_t count)
{
    union {
        float f;
        uint32_t bits;
    } old = {.f = *sum}, scale, step;
    const uint32_t exponent = old.bits >> 23 & 255, sign = old.bits & 0x80000000;
    if (exponent < 24 || exponent == 255)
        return false;
    scale.bits = sign | (277 - exponent) << 23; // 1 / step; both signs are as if the sum were positive
    step.bits = sign | (exponent - 23) << 23;
    const int32_t from = (int32_t)(*sum * scale.f), zero = 0x4b400000;
    const float round =
        12582912.0f; // its bits are `zero`; what is added to it, up to 2^22, is rounded to a whole number
    svm_BrookInts whole = 0, below = 0, outside = 0, odd = 0;
    uint64_t state = from & 1;
    int32_t more = 0, moved = 0;
    for (ptrdiff_t i = 0; i < count; i += 64) {
        svm_BrookInts bits[4], tie[4], ties = 0;
        svm_BrookFloats rest[4];
#pragma clang loop unroll(full)
        for (int k = 0; k < 4; k++) {
            svm_BrookFloats x;
            memcpy(&x, p + i + 16 * k, sizeof x);
            const svm_BrookFloats scaled = x * scale.f, rounded = scaled + round;
            rest[k] = scaled - (rounded - round);
            memcpy(&bits[k], &rounded, sizeof rounded);
            outside |= bits[k] ^ zero;
            whole += bits[k];
            below += __builtin_elementwise_min(bits[k], (svm_BrookInts)zero);
            tie[k] = __builtin_elementwise_abs(rest[k]) == 0.5f;
            ties |= tie[k];
        }
        if (__builtin_expect(svm_brookMask(ties) == 0, 1)) {
            odd ^= bits[0] ^ bits[1] ^ bits[2] ^ bits[3];
            continue;
        }
        state ^= (uint64_t)(__builtin_reduce_xor(odd) & 1);
        odd = 0;
        uint64_t all = 0, up = 0, flips = 0;
#pragma clang loop unroll(full)
        for (int k = 0; k < 4; k++) {
            all |= svm_brookMask(tie[k]) << 16 * k;
            up |= svm_brookMask(rest[k] > 0.0f) << 16 * k;
            flips |= svm_brookMask((bits[k] & 1) != 0) << 16 * k;
        }
        more += svm_brookTies(all, up, flips, &state, &moved);
    }
    outside &= (int32_t)0xff800000;
    const svm_BrookInts zeros =
        (int32_t)((uint32_t)zero * (uint32_t)(count / 16)); // in each; it wraps as these sums do
    const int64_t by = svm_brookTotal(whole - zeros), down = svm_brookTotal(below - zeros);
    if (__builtin_reduce_or(outside) != 0 || from + down - moved <= (1 << 23) + 1 ||
        from + (by - down) + moved >= (1 << 24) - 1)
        return false;
    *sum = (float)(from + by + more) * step.f;
    return true;
}
#else
static inline bool svm_brookSumSteps(float *sum, const float *p, ptrdiff_t count)
{
    (void)sum, (void)p, (void)count;
    return false;
}
#endif

// What goes on from call to call. `more`: steps go so many times twice as far; `failed`: so often not even the least of them
// did, one after the other, and `skip` times they are not looked at. `any`: so often no order is looked at.
typedef struct svm_BrookDoubt {
    int more, failed, skip, any;
} svm_BrookDoubt;

static inline float svm_brookSumPlain(float sum, const float *p, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++)
        sum += p[i];
    return sum;
}

// How many elements more, about, the sum stays below the power of two above it, if it goes on as it did for so many.
static inline float svm_brookRoom(float old, float sum, ptrdiff_t count)
{
    union {
        float f;
        uint32_t bits;
    } above = {.f = sum};
    above.bits = (above.bits & 0x7f800000) + 0x00800000;
    const float grown = fabsf(sum) - fabsf(old);
    return grown > 0.0f ? (above.f - fabsf(sum)) * (float)count / grown : SVM_BROOK_FOLDED;
}

// The left fold of n floats, which go on where others ended.
static inline float svm_brookSumOn(float sum, const float *p, ptrdiff_t n, svm_BrookDoubt *doubt)
{
    enum { MOST = 5 };
    ptrdiff_t i = 0;
    while (n - i >= SVM_BROOK_SIDE) {
        ptrdiff_t count = SVM_BROOK_SIDE << doubt->more;
        if (doubt->skip > 0) {
            doubt->skip--;
            sum = svm_brookSumPlain(sum, p + i, SVM_BROOK_SIDE);
            i += SVM_BROOK_SIDE;
            continue;
        }
        for (; count > n - i; count /= 2)
            doubt->more--;
        const float old = sum;
        if (svm_brookSumSteps(&sum, p + i, count)) {
            const float room = svm_brookRoom(old, sum, count);
            i += count;
            doubt->failed = 0;
            doubt->more = doubt->more < MOST - 1 ? doubt->more + 2 : MOST;
            while (doubt->more > 0 && (float)(SVM_BROOK_SIDE << doubt->more) > room)
                doubt->more--;
            continue;
        }
        if (doubt->more > 0) {
            doubt->more = doubt->more > 2 ? doubt->more - 2 : 0;
            continue;
        }
        if (doubt->any == 0) {
            const ptrdiff_t most = n - i < SVM_BROOK_FOLDED ? n - i : SVM_BROOK_FOLDED,
                            all = most - most % SVM_BROOK_SIDE;
            if (svm_brookSumAny(&sum, p + i, all)) {
                i += all;
                doubt->failed = 0;
                continue;
            }
            doubt->any = 16;
        }
        doubt->any -= doubt->any > 0;
        doubt->failed += doubt->failed < 8;
        doubt->skip = doubt->failed > 1 ? 1 << doubt->failed : 0;
        sum = svm_brookSumPlain(sum, p + i, SVM_BROOK_SIDE);
        i += SVM_BROOK_SIDE;
    }
    return svm_brookSumPlain(sum, p + i, n - i);
}

// The left fold of n floats.
static inline float svm_brookSum(float sum, const float *p, ptrdiff_t n)
{
    svm_BrookDoubt doubt = {0};
    return svm_brookSumOn(sum, p, n, &doubt);
}

// Left folds of so many floats each, one behind the other; results are `step` apart. With the number known, vectors do them.
#define SVM_BROOK_SUM_EACH(n)                                                                                          \
    for (ptrdiff_t i = 0; i < results; i++) {                                                                          \
        float sum = p[i * (n)];                                                                                        \
        for (ptrdiff_t k = 1; k < (n); k++)                                                                            \
            sum += p[i * (n) + k];                                                                                     \
        to[i * step] = sum;                                                                                            \
    }
static inline void svm_brookSumSome(float *restrict to, ptrdiff_t step, const float *restrict p, ptrdiff_t results,
                                    ptrdiff_t count)
{
    switch (count) {
    case 2: SVM_BROOK_SUM_EACH(2) break;
    case 3: SVM_BROOK_SUM_EACH(3) break;
    case 4: SVM_BROOK_SUM_EACH(4) break;
    case 5: SVM_BROOK_SUM_EACH(5) break;
    case 6: SVM_BROOK_SUM_EACH(6) break;
    case 7: SVM_BROOK_SUM_EACH(7) break;
    case 8: SVM_BROOK_SUM_EACH(8) break;
    default: SVM_BROOK_SUM_EACH(count) break;
    }
}
static inline void svm_brookSumEach(float *restrict to, ptrdiff_t step, const float *restrict p, ptrdiff_t results,
                                    ptrdiff_t count)
{
    if (step == 1)
        svm_brookSumSome(to, 1, p, results, count);
    else
        SVM_BROOK_SUM_EACH(count)
}
#undef SVM_BROOK_SUM_EACH

// Of svm_fmax(most, element) or svm_fmax(element, most), as `before` says; `sign` -1: of svm_fmin. Without a NaN, and unless
// it is a zero, what the order gives is what any order gives.
static inline float svm_brookMost(float most, const float *p, ptrdiff_t n, float sign, bool before)
{
    ptrdiff_t i = 0;
    while (i < n) {
        const ptrdiff_t end = n - i < SVM_BROOK_FOLDED ? n : i + SVM_BROOK_FOLDED;
        if (end - i == SVM_BROOK_FOLDED) {
            float side[SVM_BROOK_SIDE];
            int32_t odd[SVM_BROOK_SIDE] = {0};
            for (int k = 0; k < SVM_BROOK_SIDE; k++)
                side[k] = sign * most;
            for (int d = 0; d < SVM_BROOK_FOLDED; d += SVM_BROOK_SIDE)
                for (int k = 0; k < SVM_BROOK_SIDE; k++) {
                    const float v = sign * p[i + d + k];
                    odd[k] |= v != v;
                    side[k] = v > side[k] ? v : side[k];
                }
            float found = side[0];
            int32_t some = found != found;
            for (int k = 0; k < SVM_BROOK_SIDE; k++) {
                found = side[k] > found ? side[k] : found;
                some |= odd[k];
            }
            if (!some && found != 0.0f) {
                most = sign * found;
                i = end;
                continue;
            }
        }
        for (; i < end; i++) {
            const float a = before ? most : p[i], b = before ? p[i] : most;
            most = (sign > 0.0f ? a > b : a < b) ? a : b;
        }
    }
    return most;
}

#endif
