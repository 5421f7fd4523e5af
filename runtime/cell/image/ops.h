// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instructions of WebAssembly for the C that svm-spu2c writes: op_NAME for every row of wasm_ops.def. Compiled by
// clang only. Every load and store is checked against the end of the local store; with CELL_CHECK_DMA also against the
// transfers under way.
#ifndef SVM_CELL_OPS_H
#define SVM_CELL_OPS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "image.h"

enum { CELL_LOCAL_STORE = 262144 };

#define CELL_INLINE static inline __attribute__((always_inline, unused))
#define CELL_UNLIKELY(x) __builtin_expect(!!(x), 0)

typedef uint8_t cell_u8 __attribute__((vector_size(16)));
typedef int8_t cell_s8 __attribute__((vector_size(16)));
typedef uint16_t cell_u16 __attribute__((vector_size(16)));
typedef int16_t cell_s16 __attribute__((vector_size(16)));
typedef uint32_t cell_u32 __attribute__((vector_size(16)));
typedef int32_t cell_s32 __attribute__((vector_size(16)));
typedef uint64_t cell_u64 __attribute__((vector_size(16)));
typedef int64_t cell_s64 __attribute__((vector_size(16)));
typedef float cell_f32 __attribute__((vector_size(16)));
typedef double cell_f64 __attribute__((vector_size(16)));
typedef uint8_t cell_u8h __attribute__((vector_size(8)));
typedef int8_t cell_s8h __attribute__((vector_size(8)));
typedef uint16_t cell_u16h __attribute__((vector_size(8)));
typedef int16_t cell_s16h __attribute__((vector_size(8)));
typedef uint32_t cell_u32h __attribute__((vector_size(8)));
typedef int32_t cell_s32h __attribute__((vector_size(8)));
typedef float cell_f32h __attribute__((vector_size(8)));
typedef cell_u32 v128;

// A loop that waits for what another SPE or a transfer stores lets others run now and then.
enum { CELL_POLLS = 256 };
#define CELL_POLL                                                                                                      \
    if (CELL_UNLIKELY(--polls == 0)) {                                                                                 \
        polls = CELL_POLLS;                                                                                            \
        s->spu.host->poll(&s->spu);                                                                                    \
    }

// ---- Memory ----

CELL_INLINE void cell_check(cell_spu *s, uint32_t a, uint32_t offset, uint32_t bytes, uint32_t site, int store)
{
    if (CELL_UNLIKELY((uint64_t)a + offset > CELL_LOCAL_STORE - bytes))
        s->host->trap(s, CELL_TRAP_MEMORY, site, a + offset);
#ifdef CELL_CHECK_DMA
    const uint32_t first = (a + offset) / 128, last = (a + offset + bytes - 1) / 128;
    if (CELL_UNLIKELY(s->busy[first] | s->busy[last]))
        s->host->busy(s, site, a + offset, bytes, store);
#else
    (void)store;
#endif
}

#define CELL_LOAD(name, result, memory, value)                                                                         \
    CELL_INLINE result op_##name(cell_spu *s, const uint8_t *m, uint32_t a, uint32_t offset, uint32_t site)            \
    {                                                                                                                  \
        memory x;                                                                                                      \
        cell_check(s, a, offset, sizeof x, site, 0);                                                                   \
        memcpy(&x, m + (uint64_t)a + offset, sizeof x);                                                                \
        return value;                                                                                                  \
    }
CELL_LOAD(i32_load, uint32_t, uint32_t, x)
CELL_LOAD(i64_load, uint64_t, uint64_t, x)
CELL_LOAD(f32_load, float, float, x)
CELL_LOAD(f64_load, double, double, x)
CELL_LOAD(i32_load8_s, uint32_t, int8_t, (uint32_t)(int32_t)x)
CELL_LOAD(i32_load8_u, uint32_t, uint8_t, x)
CELL_LOAD(i32_load16_s, uint32_t, int16_t, (uint32_t)(int32_t)x)
CELL_LOAD(i32_load16_u, uint32_t, uint16_t, x)
CELL_LOAD(i64_load8_s, uint64_t, int8_t, (uint64_t)(int64_t)x)
CELL_LOAD(i64_load8_u, uint64_t, uint8_t, x)
CELL_LOAD(i64_load16_s, uint64_t, int16_t, (uint64_t)(int64_t)x)
CELL_LOAD(i64_load16_u, uint64_t, uint16_t, x)
CELL_LOAD(i64_load32_s, uint64_t, int32_t, (uint64_t)(int64_t)x)
CELL_LOAD(i64_load32_u, uint64_t, uint32_t, x)
CELL_LOAD(v128_load, v128, v128, x)
CELL_LOAD(v128_load8x8_s, v128, cell_s8h, (v128) __builtin_convertvector(x, cell_s16))
CELL_LOAD(v128_load8x8_u, v128, cell_u8h, (v128) __builtin_convertvector(x, cell_u16))
CELL_LOAD(v128_load16x4_s, v128, cell_s16h, (v128) __builtin_convertvector(x, cell_s32))
CELL_LOAD(v128_load16x4_u, v128, cell_u16h, (v128) __builtin_convertvector(x, cell_u32))
CELL_LOAD(v128_load32x2_s, v128, cell_s32h, (v128) __builtin_convertvector(x, cell_s64))
CELL_LOAD(v128_load32x2_u, v128, cell_u32h, (v128) __builtin_convertvector(x, cell_u64))
CELL_LOAD(v128_load8_splat, v128, uint8_t, (v128)(x + (cell_u8){0}))
CELL_LOAD(v128_load16_splat, v128, uint16_t, (v128)(x + (cell_u16){0}))
CELL_LOAD(v128_load32_splat, v128, uint32_t, x + (cell_u32){0})
CELL_LOAD(v128_load64_splat, v128, uint64_t, (v128)(x + (cell_u64){0}))
CELL_LOAD(v128_load32_zero, v128, uint32_t, ((cell_u32){x}))
CELL_LOAD(v128_load64_zero, v128, uint64_t, (v128)((cell_u64){x}))

#define CELL_STORE(name, type, memory)                                                                                 \
    CELL_INLINE void op_##name(cell_spu *s, uint8_t *m, uint32_t a, type value, uint32_t offset, uint32_t site)        \
    {                                                                                                                  \
        const memory x = (memory)value;                                                                                \
        cell_check(s, a, offset, sizeof x, site, 1);                                                                   \
        memcpy(m + (uint64_t)a + offset, &x, sizeof x);                                                                \
    }
CELL_STORE(i32_store, uint32_t, uint32_t)
CELL_STORE(i64_store, uint64_t, uint64_t)
CELL_STORE(f32_store, float, float)
CELL_STORE(f64_store, double, double)
CELL_STORE(i32_store8, uint32_t, uint8_t)
CELL_STORE(i32_store16, uint32_t, uint16_t)
CELL_STORE(i64_store8, uint64_t, uint8_t)
CELL_STORE(i64_store16, uint64_t, uint16_t)
CELL_STORE(i64_store32, uint64_t, uint32_t)
CELL_STORE(v128_store, v128, v128)

#define CELL_MEMORY_LANE(bits)                                                                                         \
    CELL_INLINE v128 op_v128_load##bits##_lane(cell_spu *s, const uint8_t *m, uint32_t a, v128 v, uint32_t offset,     \
                                               uint32_t site, unsigned lane)                                           \
    {                                                                                                                  \
        cell_check(s, a, offset, bits / 8, site, 0);                                                                   \
        memcpy((uint8_t *)&v + lane * (bits / 8), m + (uint64_t)a + offset, bits / 8);                                 \
        return v;                                                                                                      \
    }                                                                                                                  \
    CELL_INLINE void op_v128_store##bits##_lane(cell_spu *s, uint8_t *m, uint32_t a, v128 v, uint32_t offset,          \
                                                uint32_t site, unsigned lane)                                          \
    {                                                                                                                  \
        cell_check(s, a, offset, bits / 8, site, 1);                                                                   \
        memcpy(m + (uint64_t)a + offset, (const uint8_t *)&v + lane * (bits / 8), bits / 8);                           \
    }
CELL_MEMORY_LANE(8)
CELL_MEMORY_LANE(16)
CELL_MEMORY_LANE(32)
CELL_MEMORY_LANE(64)

// Whole ranges: memory.copy and memory.fill.
CELL_INLINE void cell_check_range(cell_spu *s, uint32_t a, uint32_t n, uint32_t site, int store)
{
    if (CELL_UNLIKELY((uint64_t)a + n > CELL_LOCAL_STORE))
        s->host->trap(s, CELL_TRAP_MEMORY, site, a);
#ifdef CELL_CHECK_DMA
    for (uint32_t block = a / 128; n && block <= (a + n - 1) / 128; block++)
        if (s->busy[block]) {
            s->host->busy(s, site, a, n, store);
            break;
        }
#else
    (void)store;
#endif
}

CELL_INLINE void op_memory_copy(cell_spu *s, uint8_t *m, uint32_t to, uint32_t from, uint32_t n, uint32_t site)
{
    cell_check_range(s, from, n, site, 0);
    cell_check_range(s, to, n, site, 1);
    memmove(m + to, m + from, n);
}

CELL_INLINE void op_memory_fill(cell_spu *s, uint8_t *m, uint32_t to, uint32_t value, uint32_t n, uint32_t site)
{
    cell_check_range(s, to, n, site, 1);
    memset(m + to, (int)(value & 255), n);
}

// ---- Scalars ----

#define CELL_OP1(name, type, result, expression)                                                                       \
    CELL_INLINE result op_##name(type a)                                                                               \
    {                                                                                                                  \
        return (result)(expression);                                                                                   \
    }
#define CELL_OP2(name, type, result, expression)                                                                       \
    CELL_INLINE result op_##name(type a, type b)                                                                       \
    {                                                                                                                  \
        return (result)(expression);                                                                                   \
    }

#define CELL_INTEGER(p, U, S, bits)                                                                                    \
    CELL_OP1(p##_eqz, U, uint32_t, a == 0)                                                                             \
    CELL_OP2(p##_eq, U, uint32_t, a == b)                                                                              \
    CELL_OP2(p##_ne, U, uint32_t, a != b)                                                                              \
    CELL_OP2(p##_lt_s, U, uint32_t, (S)a < (S)b)                                                                       \
    CELL_OP2(p##_lt_u, U, uint32_t, a < b)                                                                             \
    CELL_OP2(p##_gt_s, U, uint32_t, (S)a > (S)b)                                                                       \
    CELL_OP2(p##_gt_u, U, uint32_t, a > b)                                                                             \
    CELL_OP2(p##_le_s, U, uint32_t, (S)a <= (S)b)                                                                      \
    CELL_OP2(p##_le_u, U, uint32_t, a <= b)                                                                            \
    CELL_OP2(p##_ge_s, U, uint32_t, (S)a >= (S)b)                                                                      \
    CELL_OP2(p##_ge_u, U, uint32_t, a >= b)                                                                            \
    CELL_OP1(p##_clz, U, U, a ? __builtin_clzll((unsigned long long)a) - (64 - bits) : bits)                           \
    CELL_OP1(p##_ctz, U, U, a ? __builtin_ctzll((unsigned long long)a) : bits)                                         \
    CELL_OP1(p##_popcnt, U, U, __builtin_popcountll((unsigned long long)a))                                            \
    CELL_OP2(p##_add, U, U, a + b)                                                                                     \
    CELL_OP2(p##_sub, U, U, a - b)                                                                                     \
    CELL_OP2(p##_mul, U, U, a *b)                                                                                      \
    CELL_OP2(p##_and, U, U, a &b)                                                                                      \
    CELL_OP2(p##_or, U, U, a | b)                                                                                      \
    CELL_OP2(p##_xor, U, U, a ^ b)                                                                                     \
    CELL_OP2(p##_shl, U, U, a << (b & (bits - 1)))                                                                     \
    CELL_OP2(p##_shr_s, U, U, (S)a >> (b & (bits - 1)))                                                                \
    CELL_OP2(p##_shr_u, U, U, a >> (b & (bits - 1)))                                                                   \
    CELL_OP2(p##_rotl, U, U, a << (b & (bits - 1)) | a >> (-b & (bits - 1)))                                           \
    CELL_OP2(p##_rotr, U, U, a >> (b & (bits - 1)) | a << (-b & (bits - 1)))                                           \
    CELL_INLINE U op_##p##_div_u(cell_spu *s, U a, U b, uint32_t site)                                                 \
    {                                                                                                                  \
        if (CELL_UNLIKELY(!b))                                                                                         \
            s->host->trap(s, CELL_TRAP_DIVIDE, site, 0);                                                               \
        return a / b;                                                                                                  \
    }                                                                                                                  \
    CELL_INLINE U op_##p##_rem_u(cell_spu *s, U a, U b, uint32_t site)                                                 \
    {                                                                                                                  \
        if (CELL_UNLIKELY(!b))                                                                                         \
            s->host->trap(s, CELL_TRAP_DIVIDE, site, 0);                                                               \
        return a % b;                                                                                                  \
    }                                                                                                                  \
    CELL_INLINE U op_##p##_div_s(cell_spu *s, U a, U b, uint32_t site)                                                 \
    {                                                                                                                  \
        if (CELL_UNLIKELY(!b))                                                                                         \
            s->host->trap(s, CELL_TRAP_DIVIDE, site, 0);                                                               \
        return (S)b == -1 ? 0 - a : (U)((S)a / (S)b);                                                                  \
    }                                                                                                                  \
    CELL_INLINE U op_##p##_rem_s(cell_spu *s, U a, U b, uint32_t site)                                                 \
    {                                                                                                                  \
        if (CELL_UNLIKELY(!b))                                                                                         \
            s->host->trap(s, CELL_TRAP_DIVIDE, site, 0);                                                               \
        return (S)b == -1 ? 0 : (U)((S)a % (S)b);                                                                      \
    }
CELL_INTEGER(i32, uint32_t, int32_t, 32)
CELL_INTEGER(i64, uint64_t, int64_t, 64)

// wasm's min and max give NaN for NaN and order the zeros.
#define CELL_FLOAT(p, T, suffix)                                                                                       \
    CELL_OP2(p##_eq, T, uint32_t, a == b)                                                                              \
    CELL_OP2(p##_ne, T, uint32_t, a != b)                                                                              \
    CELL_OP2(p##_lt, T, uint32_t, a < b)                                                                               \
    CELL_OP2(p##_gt, T, uint32_t, a > b)                                                                               \
    CELL_OP2(p##_le, T, uint32_t, a <= b)                                                                              \
    CELL_OP2(p##_ge, T, uint32_t, a >= b)                                                                              \
    CELL_OP1(p##_abs, T, T, __builtin_fabs##suffix(a))                                                                 \
    CELL_OP1(p##_neg, T, T, -a)                                                                                        \
    CELL_OP1(p##_ceil, T, T, __builtin_ceil##suffix(a))                                                                \
    CELL_OP1(p##_floor, T, T, __builtin_floor##suffix(a))                                                              \
    CELL_OP1(p##_trunc, T, T, __builtin_trunc##suffix(a))                                                              \
    CELL_OP1(p##_nearest, T, T, __builtin_rint##suffix(a))                                                             \
    CELL_OP1(p##_sqrt, T, T, __builtin_sqrt##suffix(a))                                                                \
    CELL_OP2(p##_add, T, T, a + b)                                                                                     \
    CELL_OP2(p##_sub, T, T, a - b)                                                                                     \
    CELL_OP2(p##_mul, T, T, a *b)                                                                                      \
    CELL_OP2(p##_div, T, T, a / b)                                                                                     \
    CELL_OP2(p##_copysign, T, T, __builtin_copysign##suffix(a, b))                                                     \
    CELL_OP2(p##_min, T, T, a != a || b != b ? a + b : a == b ? (__builtin_signbit(a) ? a : b) : a < b ? a : b)        \
    CELL_OP2(p##_max, T, T, a != a || b != b ? a + b : a == b ? (__builtin_signbit(a) ? b : a) : a > b ? a : b)
CELL_FLOAT(f32, float, f)
CELL_FLOAT(f64, double, )

CELL_OP1(i32_wrap_i64, uint64_t, uint32_t, a)
CELL_OP1(i64_extend_i32_s, uint32_t, uint64_t, (int64_t)(int32_t)a)
CELL_OP1(i64_extend_i32_u, uint32_t, uint64_t, a)
CELL_OP1(f32_convert_i32_s, uint32_t, float, (int32_t)a)
CELL_OP1(f32_convert_i32_u, uint32_t, float, a)
CELL_OP1(f32_convert_i64_s, uint64_t, float, (int64_t)a)
CELL_OP1(f32_convert_i64_u, uint64_t, float, a)
CELL_OP1(f32_demote_f64, double, float, a)
CELL_OP1(f64_convert_i32_s, uint32_t, double, (int32_t)a)
CELL_OP1(f64_convert_i32_u, uint32_t, double, a)
CELL_OP1(f64_convert_i64_s, uint64_t, double, (int64_t)a)
CELL_OP1(f64_convert_i64_u, uint64_t, double, a)
CELL_OP1(f64_promote_f32, float, double, a)
CELL_OP1(i32_extend8_s, uint32_t, uint32_t, (int32_t)(int8_t)a)
CELL_OP1(i32_extend16_s, uint32_t, uint32_t, (int32_t)(int16_t)a)
CELL_OP1(i64_extend8_s, uint64_t, uint64_t, (int64_t)(int8_t)a)
CELL_OP1(i64_extend16_s, uint64_t, uint64_t, (int64_t)(int16_t)a)
CELL_OP1(i64_extend32_s, uint64_t, uint64_t, (int64_t)(int32_t)a)

#define CELL_REINTERPRET(name, type, result)                                                                           \
    CELL_INLINE result op_##name(type a)                                                                               \
    {                                                                                                                  \
        result r;                                                                                                      \
        memcpy(&r, &a, sizeof r);                                                                                      \
        return r;                                                                                                      \
    }
CELL_REINTERPRET(i32_reinterpret_f32, float, uint32_t)
CELL_REINTERPRET(i64_reinterpret_f64, double, uint64_t)
CELL_REINTERPRET(f32_reinterpret_i32, uint32_t, float)
CELL_REINTERPRET(f64_reinterpret_i64, uint64_t, double)

// Saturating; low is what and below which is the minimum, high what and above which is the maximum, fits says that a
// number is not too low for the form that stops the program.
#define CELL_TRUNCATE(r, a, A, sign, R, U, low, high, fits, minimum, maximum)                                          \
    CELL_INLINE U op_##r##_trunc_sat_##a##_##sign(A x)                                                                 \
    {                                                                                                                  \
        return x != x ? 0 : x <= (A)(low) ? (U)(minimum) : x >= (A)(high) ? (U)(maximum) : (U)(R)x;                    \
    }                                                                                                                  \
    CELL_INLINE U op_##r##_trunc_##a##_##sign(cell_spu *s, A x, uint32_t site)                                         \
    {                                                                                                                  \
        if (CELL_UNLIKELY(!((fits) && x < (A)(high))))                                                                 \
            s->host->trap(s, CELL_TRAP_OVERFLOW, site, 0);                                                             \
        return (U)(R)x;                                                                                                \
    }
#define CELL_TWO_31 2147483648.0
#define CELL_TWO_63 9223372036854775808.0
CELL_TRUNCATE(i32, f32, float, s, int32_t, uint32_t, -CELL_TWO_31, CELL_TWO_31, x >= (float)-CELL_TWO_31, INT32_MIN,
              INT32_MAX)
CELL_TRUNCATE(i32, f32, float, u, uint32_t, uint32_t, -1.0, 2 * CELL_TWO_31, x > -1, 0, UINT32_MAX)
CELL_TRUNCATE(i32, f64, double, s, int32_t, uint32_t, -CELL_TWO_31, CELL_TWO_31, x > -CELL_TWO_31 - 1, INT32_MIN,
              INT32_MAX)
CELL_TRUNCATE(i32, f64, double, u, uint32_t, uint32_t, -1.0, 2 * CELL_TWO_31, x > -1, 0, UINT32_MAX)
CELL_TRUNCATE(i64, f32, float, s, int64_t, uint64_t, -CELL_TWO_63, CELL_TWO_63, x >= (float)-CELL_TWO_63, INT64_MIN,
              INT64_MAX)
CELL_TRUNCATE(i64, f32, float, u, uint64_t, uint64_t, -1.0, 2 * CELL_TWO_63, x > -1, 0, UINT64_MAX)
CELL_TRUNCATE(i64, f64, double, s, int64_t, uint64_t, -CELL_TWO_63, CELL_TWO_63, x >= -CELL_TWO_63, INT64_MIN,
              INT64_MAX)
CELL_TRUNCATE(i64, f64, double, u, uint64_t, uint64_t, -1.0, 2 * CELL_TWO_63, x > -1, 0, UINT64_MAX)

#include "ops_vector.h"

#endif
