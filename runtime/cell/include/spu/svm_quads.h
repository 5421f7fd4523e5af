// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes of svm/lanes.h as vectors of four: quad q of a value has its lanes 4 * q to 4 * q + 3. Results are those of
// svm/arith.h bit for bit.
#ifndef SVM_QUADS_H
#define SVM_QUADS_H

#ifndef SVM_NO_VECTOR_KEYWORD
#define SVM_NO_VECTOR_KEYWORD // a name of the program's may be `vector`
#endif
#include <spu_intrinsics.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// For each quad of a value.
#if defined(__clang__)
#define SVM_QUADS(q, count) _Pragma("clang loop unroll(full)") for (int q = 0; q < (count); q++)
#else
#define SVM_QUADS(q, count) for (int q = 0; q < (count); q++)
#endif

// ---- Memory ----

// An SPE loads and stores quadwords at multiples of 16: what lies elsewhere is in two of them. The emulation's processor
// takes any address, which is faster there.
#if !defined(__wasm__)
#define SVM_QUADS_BY_SHUFFLE
#endif

#ifdef SVM_QUADS_BY_SHUFFLE
static inline vec_uchar16 svm_quadBytes(uintptr_t shift)
{
    const vec_uchar16 bytes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return (vec_uchar16)spu_add((vec_ushort8)bytes, spu_splats((unsigned short)(shift * 0x101)));
}
static inline vec_uint4 svm_loadWords(const void *from)
{
    const uintptr_t at = (uintptr_t)from;
    const vec_uint4 first = *(const vec_uint4 *)(at & ~(uintptr_t)15);
    const vec_uint4 second = *(const vec_uint4 *)((at + 15) & ~(uintptr_t)15); // the same where it is one
    return spu_shuffle(first, second, svm_quadBytes(at & 15));
}
static inline void svm_storeWords(void *to, vec_uint4 v)
{
    const uintptr_t at = (uintptr_t)to, shift = at & 15;
    vec_uint4 *const first = (vec_uint4 *)(at & ~(uintptr_t)15);
    if (shift == 0) {
        *first = v;
        return;
    }
    const vec_uchar16 turn = svm_quadBytes(16 - shift); // of 32 bytes, those that begin so far behind
    const vec_uint4 mask = spu_shuffle(spu_splats(0u), spu_splats(~0u), turn);
    const vec_uint4 turned = spu_shuffle(v, v, spu_and(turn, (unsigned char)15));
    first[0] = spu_sel(first[0], turned, mask);
    first[1] = spu_sel(turned, first[1], mask);
}
#else
static inline vec_uint4 svm_loadWords(const void *from)
{
    vec_uint4 v;
    memcpy(&v, from, sizeof v);
    return v;
}
static inline void svm_storeWords(void *to, vec_uint4 v)
{
    memcpy(to, &v, sizeof v);
}
#endif

static inline vec_float4 svm_loadQuad(const float *from, int q)
{
    return (vec_float4)svm_loadWords(from + 4 * q);
}
static inline vec_int4 svm_loadIntQuad(const int *from, int q)
{
    return (vec_int4)svm_loadWords(from + 4 * q);
}
static inline void svm_storeQuad(float *to, int q, vec_float4 v)
{
    svm_storeWords(to + 4 * q, (vec_uint4)v);
}
static inline void svm_storeIntQuad(int *to, int q, vec_int4 v)
{
    svm_storeWords(to + 4 * q, (vec_uint4)v);
}

// Lanes that lie `stride` items apart.
static inline vec_float4 svm_gatherQuad(const float *from, ptrdiff_t stride, int q)
{
    from += 4 * q * stride;
    return (vec_float4){from[0], from[stride], from[2 * stride], from[3 * stride]};
}
static inline vec_int4 svm_gatherIntQuad(const int *from, ptrdiff_t stride, int q)
{
    from += 4 * q * stride;
    return (vec_int4){from[0], from[stride], from[2 * stride], from[3 * stride]};
}
static inline void svm_scatterQuad(float *to, ptrdiff_t stride, int q, vec_float4 v)
{
    to += 4 * q * stride;
    to[0] = spu_extract(v, 0);
    to[stride] = spu_extract(v, 1);
    to[2 * stride] = spu_extract(v, 2);
    to[3 * stride] = spu_extract(v, 3);
}
static inline void svm_scatterIntQuad(int *to, ptrdiff_t stride, int q, vec_int4 v)
{
    to += 4 * q * stride;
    to[0] = spu_extract(v, 0);
    to[stride] = spu_extract(v, 1);
    to[2 * stride] = spu_extract(v, 2);
    to[3 * stride] = spu_extract(v, 3);
}

static inline vec_int4 svm_numberQuad(int q)
{
    return (vec_int4){4 * q, 4 * q + 1, 4 * q + 2, 4 * q + 3};
}

// ---- Choice ----

static inline vec_int4 svm_chooseIntQuad(vec_int4 mask, vec_int4 a, vec_int4 b)
{
    return spu_sel(b, a, (vec_uint4)mask);
}
static inline vec_float4 svm_chooseQuad(vec_int4 mask, vec_float4 a, vec_float4 b)
{
    return spu_sel(b, a, (vec_uint4)mask);
}
static inline vec_float4 svm_maxQuad(vec_float4 a, vec_float4 b)
{
    return spu_sel(b, a, spu_cmpgt(a, b));
}
static inline vec_float4 svm_minQuad(vec_float4 a, vec_float4 b)
{
    return spu_sel(b, a, spu_cmpgt(b, a));
}
// Masks of a != b and of a >= b.
#define svm_differQuads(a, b) ((vec_int4)spu_nor(spu_cmpeq(a, b), spu_cmpeq(a, b)))
#define svm_reachQuads(a, b) ((vec_int4)spu_or(spu_cmpgt(a, b), spu_cmpeq(a, b)))

// ---- Arithmetic that is more than an instruction ----

static inline vec_int4 svm_multiplyQuad(vec_int4 a, vec_int4 b)
{
    const vec_short8 x = (vec_short8)a, y = (vec_short8)b;
#ifdef __wasm__ // halves of words are in the host's order
    (void)x, (void)y;
    return (vec_int4)((vec_uint4)a * (vec_uint4)b);
#else
    return spu_add(spu_add(spu_mulh(x, y), spu_mulh(y, x)), (vec_int4)spu_mulo((vec_ushort8)x, (vec_ushort8)y));
#endif
}
static inline vec_float4 svm_divideQuad(vec_float4 a, vec_float4 b)
{
    return (vec_float4){spu_extract(a, 0) / spu_extract(b, 0), spu_extract(a, 1) / spu_extract(b, 1),
                        spu_extract(a, 2) / spu_extract(b, 2), spu_extract(a, 3) / spu_extract(b, 3)};
}
static inline vec_float4 svm_negateQuad(vec_float4 a)
{
    return (vec_float4)spu_xor((vec_uint4)a, 0x80000000u);
}
// Towards zero, saturating, 0 for NaN.
static inline vec_int4 svm_toIntQuad(vec_float4 a)
{
    return spu_sel((vec_int4){0, 0, 0, 0}, spu_convts(a, 0), spu_cmpeq(a, a));
}

#endif
