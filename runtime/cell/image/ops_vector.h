// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vector instructions of WebAssembly: part of ops.h.
#ifndef SVM_CELL_OPS_VECTOR_H
#define SVM_CELL_OPS_VECTOR_H

#define CELL_V1(name, expression)                                                                                      \
    CELL_INLINE v128 op_##name(v128 a)                                                                                 \
    {                                                                                                                  \
        return (v128)(expression);                                                                                     \
    }
#define CELL_V2(name, expression)                                                                                      \
    CELL_INLINE v128 op_##name(v128 a, v128 b)                                                                         \
    {                                                                                                                  \
        return (v128)(expression);                                                                                     \
    }

// ---- Bits ----

CELL_V1(v128_not, ~a)
CELL_V2(v128_and, a &b)
CELL_V2(v128_andnot, a & ~b)
CELL_V2(v128_or, a | b)
CELL_V2(v128_xor, a ^ b)
CELL_INLINE v128 op_v128_bitselect(v128 a, v128 b, v128 c)
{
    return (a & c) | (b & ~c);
}
CELL_INLINE uint32_t op_v128_any_true(v128 a)
{
    return __builtin_reduce_or(a) != 0;
}

// ---- Integer lanes ----

#define CELL_LANES(p, bits)                                                                                            \
    CELL_V2(p##_eq, (cell_s##bits)a == (cell_s##bits)b)                                                                \
    CELL_V2(p##_ne, (cell_s##bits)a != (cell_s##bits)b)                                                                \
    CELL_V2(p##_lt_s, (cell_s##bits)a < (cell_s##bits)b)                                                               \
    CELL_V2(p##_gt_s, (cell_s##bits)a > (cell_s##bits)b)                                                               \
    CELL_V2(p##_le_s, (cell_s##bits)a <= (cell_s##bits)b)                                                              \
    CELL_V2(p##_ge_s, (cell_s##bits)a >= (cell_s##bits)b)                                                              \
    CELL_V1(p##_abs, ((cell_u##bits)a ^ (cell_u##bits)((cell_s##bits)a < 0)) - (cell_u##bits)((cell_s##bits)a < 0))    \
    CELL_V1(p##_neg, -(cell_u##bits)a)                                                                                 \
    CELL_V2(p##_add, (cell_u##bits)a + (cell_u##bits)b)                                                                \
    CELL_V2(p##_sub, (cell_u##bits)a - (cell_u##bits)b)                                                                \
    CELL_INLINE v128 op_##p##_shl(v128 a, uint32_t n)                                                                  \
    {                                                                                                                  \
        return (v128)((cell_u##bits)a << (uint##bits##_t)(n & (bits - 1)));                                            \
    }                                                                                                                  \
    CELL_INLINE v128 op_##p##_shr_s(v128 a, uint32_t n)                                                                \
    {                                                                                                                  \
        return (v128)((cell_s##bits)a >> (int##bits##_t)(n & (bits - 1)));                                             \
    }                                                                                                                  \
    CELL_INLINE v128 op_##p##_shr_u(v128 a, uint32_t n)                                                                \
    {                                                                                                                  \
        return (v128)((cell_u##bits)a >> (uint##bits##_t)(n & (bits - 1)));                                            \
    }                                                                                                                  \
    CELL_INLINE uint32_t op_##p##_all_true(v128 a)                                                                     \
    {                                                                                                                  \
        return __builtin_reduce_and((cell_u##bits)((cell_u##bits)a != 0)) != 0;                                        \
    }                                                                                                                  \
    CELL_INLINE uint32_t op_##p##_bitmask(v128 a)                                                                      \
    {                                                                                                                  \
        uint32_t mask = 0;                                                                                             \
        for (unsigned i = 0; i < 128 / bits; i++)                                                                      \
            mask |= (uint32_t)(((cell_u##bits)a)[i] >> (bits - 1)) << i;                                               \
        return mask;                                                                                                   \
    }
#define CELL_NARROW_LANES(p, bits)                                                                                     \
    CELL_V2(p##_lt_u, (cell_u##bits)a < (cell_u##bits)b)                                                               \
    CELL_V2(p##_gt_u, (cell_u##bits)a > (cell_u##bits)b)                                                               \
    CELL_V2(p##_le_u, (cell_u##bits)a <= (cell_u##bits)b)                                                              \
    CELL_V2(p##_ge_u, (cell_u##bits)a >= (cell_u##bits)b)                                                              \
    CELL_V2(p##_min_s, __builtin_elementwise_min((cell_s##bits)a, (cell_s##bits)b))                                    \
    CELL_V2(p##_min_u, __builtin_elementwise_min((cell_u##bits)a, (cell_u##bits)b))                                    \
    CELL_V2(p##_max_s, __builtin_elementwise_max((cell_s##bits)a, (cell_s##bits)b))                                    \
    CELL_V2(p##_max_u, __builtin_elementwise_max((cell_u##bits)a, (cell_u##bits)b))
#define CELL_SATURATED_LANES(p, bits)                                                                                  \
    CELL_V2(p##_add_sat_s, __builtin_elementwise_add_sat((cell_s##bits)a, (cell_s##bits)b))                            \
    CELL_V2(p##_add_sat_u, __builtin_elementwise_add_sat((cell_u##bits)a, (cell_u##bits)b))                            \
    CELL_V2(p##_sub_sat_s, __builtin_elementwise_sub_sat((cell_s##bits)a, (cell_s##bits)b))                            \
    CELL_V2(p##_sub_sat_u, __builtin_elementwise_sub_sat((cell_u##bits)a, (cell_u##bits)b))                            \
    CELL_INLINE v128 op_##p##_avgr_u(v128 a, v128 b)                                                                   \
    {                                                                                                                  \
        cell_u##bits r;                                                                                                \
        for (unsigned i = 0; i < 128 / bits; i++)                                                                      \
            r[i] = (uint##bits##_t)((((cell_u##bits)a)[i] + ((cell_u##bits)b)[i] + 1u) >> 1);                          \
        return (v128)r;                                                                                                \
    }
CELL_LANES(i8x16, 8)
CELL_LANES(i16x8, 16)
CELL_LANES(i32x4, 32)
CELL_LANES(i64x2, 64)
CELL_NARROW_LANES(i8x16, 8)
CELL_NARROW_LANES(i16x8, 16)
CELL_NARROW_LANES(i32x4, 32)
CELL_SATURATED_LANES(i8x16, 8)
CELL_SATURATED_LANES(i16x8, 16)
CELL_V2(i16x8_mul, (cell_u16)a *(cell_u16)b)
CELL_V2(i32x4_mul, (cell_u32)a *(cell_u32)b)
CELL_V2(i64x2_mul, (cell_u64)a *(cell_u64)b)

CELL_INLINE v128 op_i8x16_popcnt(v128 a)
{
    cell_u8 r;
    for (unsigned i = 0; i < 16; i++)
        r[i] = (uint8_t)__builtin_popcount(((cell_u8)a)[i]);
    return (v128)r;
}

CELL_INLINE v128 op_i16x8_q15mulr_sat_s(v128 a, v128 b)
{
    cell_s16 r;
    for (unsigned i = 0; i < 8; i++) {
        const int32_t product = (((cell_s16)a)[i] * ((cell_s16)b)[i] + 0x4000) >> 15;
        r[i] = (int16_t)(product > INT16_MAX ? INT16_MAX : product);
    }
    return (v128)r;
}

// ---- Between widths ----

#define CELL_LOW(T, H, a)                                                                                              \
    ({                                                                                                                 \
        T whole_ = (T)(a);                                                                                             \
        H half_;                                                                                                       \
        memcpy(&half_, &whole_, sizeof half_);                                                                         \
        half_;                                                                                                         \
    })
#define CELL_HIGH(T, H, a)                                                                                             \
    ({                                                                                                                 \
        T whole_ = (T)(a);                                                                                             \
        H half_;                                                                                                       \
        memcpy(&half_, (const char *)&whole_ + 8, sizeof half_);                                                       \
        half_;                                                                                                         \
    })
#define CELL_WIDEN(wide, narrow, W, N, s)                                                                              \
    CELL_V1(wide##_extend_low_##narrow##_##s, __builtin_convertvector(CELL_LOW(N, N##h, a), W))                        \
    CELL_V1(wide##_extend_high_##narrow##_##s, __builtin_convertvector(CELL_HIGH(N, N##h, a), W))                      \
    CELL_V2(wide##_extmul_low_##narrow##_##s,                                                                          \
            (W)op_##wide##_extend_low_##narrow##_##s(a) * (W)op_##wide##_extend_low_##narrow##_##s(b))                 \
    CELL_V2(wide##_extmul_high_##narrow##_##s,                                                                         \
            (W)op_##wide##_extend_high_##narrow##_##s(a) * (W)op_##wide##_extend_high_##narrow##_##s(b))
CELL_WIDEN(i16x8, i8x16, cell_s16, cell_s8, s)
CELL_WIDEN(i16x8, i8x16, cell_u16, cell_u8, u)
CELL_WIDEN(i32x4, i16x8, cell_s32, cell_s16, s)
CELL_WIDEN(i32x4, i16x8, cell_u32, cell_u16, u)
CELL_WIDEN(i64x2, i32x4, cell_s64, cell_s32, s)
CELL_WIDEN(i64x2, i32x4, cell_u64, cell_u32, u)

#define CELL_PAIRWISE(wide, narrow, W, N, count, s)                                                                    \
    CELL_INLINE v128 op_##wide##_extadd_pairwise_##narrow##_##s(v128 a)                                                \
    {                                                                                                                  \
        W r;                                                                                                           \
        for (unsigned i = 0; i < count; i++)                                                                           \
            r[i] = (__typeof__(r[0]))(((N)a)[2 * i] + ((N)a)[2 * i + 1]);                                              \
        return (v128)r;                                                                                                \
    }
CELL_PAIRWISE(i16x8, i8x16, cell_s16, cell_s8, 8, s)
CELL_PAIRWISE(i16x8, i8x16, cell_u16, cell_u8, 8, u)
CELL_PAIRWISE(i32x4, i16x8, cell_s32, cell_s16, 4, s)
CELL_PAIRWISE(i32x4, i16x8, cell_u32, cell_u16, 4, u)

CELL_INLINE v128 op_i32x4_dot_i16x8_s(v128 a, v128 b)
{
    cell_s32 r;
    for (unsigned i = 0; i < 4; i++)
        r[i] = (int32_t)((uint32_t)(((cell_s16)a)[2 * i] * ((cell_s16)b)[2 * i]) +
                         (uint32_t)(((cell_s16)a)[2 * i + 1] * ((cell_s16)b)[2 * i + 1]));
    return (v128)r;
}

#define CELL_NARROW(narrow, wide, N, W, count, s, low, high)                                                           \
    CELL_INLINE v128 op_##narrow##_narrow_##wide##_##s(v128 a, v128 b)                                                 \
    {                                                                                                                  \
        N r;                                                                                                           \
        for (unsigned i = 0; i < count; i++) {                                                                         \
            const int32_t x = ((W)a)[i], y = ((W)b)[i];                                                                \
            r[i] = (__typeof__(r[0]))(x < low ? low : x > high ? high : x);                                            \
            r[i + count] = (__typeof__(r[0]))(y < low ? low : y > high ? high : y);                                    \
        }                                                                                                              \
        return (v128)r;                                                                                                \
    }
CELL_NARROW(i8x16, i16x8, cell_s8, cell_s16, 8, s, -128, 127)
CELL_NARROW(i8x16, i16x8, cell_u8, cell_s16, 8, u, 0, 255)
CELL_NARROW(i16x8, i32x4, cell_s16, cell_s32, 4, s, -32768, 32767)
CELL_NARROW(i16x8, i32x4, cell_u16, cell_s32, 4, u, 0, 65535)

// ---- Floating lanes ----

#define CELL_FLOAT_LANES(p, T, count, scalar)                                                                          \
    CELL_V2(p##_eq, (T)a == (T)b)                                                                                      \
    CELL_V2(p##_ne, (T)a != (T)b)                                                                                      \
    CELL_V2(p##_lt, (T)a < (T)b)                                                                                       \
    CELL_V2(p##_gt, (T)a > (T)b)                                                                                       \
    CELL_V2(p##_le, (T)a <= (T)b)                                                                                      \
    CELL_V2(p##_ge, (T)a >= (T)b)                                                                                      \
    CELL_V1(p##_abs, __builtin_elementwise_abs((T)a))                                                                  \
    CELL_V1(p##_neg, -(T)a)                                                                                            \
    CELL_V1(p##_sqrt, __builtin_elementwise_sqrt((T)a))                                                                \
    CELL_V1(p##_ceil, __builtin_elementwise_ceil((T)a))                                                                \
    CELL_V1(p##_floor, __builtin_elementwise_floor((T)a))                                                              \
    CELL_V1(p##_trunc, __builtin_elementwise_trunc((T)a))                                                              \
    CELL_V1(p##_nearest, __builtin_elementwise_rint((T)a))                                                             \
    CELL_V2(p##_add, (T)a + (T)b)                                                                                      \
    CELL_V2(p##_sub, (T)a - (T)b)                                                                                      \
    CELL_V2(p##_mul, (T)a *(T)b)                                                                                       \
    CELL_V2(p##_div, (T)a / (T)b)                                                                                      \
    CELL_V2(p##_pmin, op_v128_bitselect(b, a, (v128)((T)b < (T)a)))                                                    \
    CELL_V2(p##_pmax, op_v128_bitselect(b, a, (v128)((T)a < (T)b)))                                                    \
    CELL_INLINE v128 op_##p##_min(v128 a, v128 b)                                                                      \
    {                                                                                                                  \
        T r;                                                                                                           \
        for (unsigned i = 0; i < count; i++)                                                                           \
            r[i] = op_##scalar##_min(((T)a)[i], ((T)b)[i]);                                                            \
        return (v128)r;                                                                                                \
    }                                                                                                                  \
    CELL_INLINE v128 op_##p##_max(v128 a, v128 b)                                                                      \
    {                                                                                                                  \
        T r;                                                                                                           \
        for (unsigned i = 0; i < count; i++)                                                                           \
            r[i] = op_##scalar##_max(((T)a)[i], ((T)b)[i]);                                                            \
        return (v128)r;                                                                                                \
    }                                                                                                                  \
    CELL_INLINE v128 op_##p##_relaxed_madd(v128 a, v128 b, v128 c)                                                     \
    {                                                                                                                  \
        return (v128)__builtin_elementwise_fma((T)a, (T)b, (T)c);                                                      \
    }                                                                                                                  \
    CELL_INLINE v128 op_##p##_relaxed_nmadd(v128 a, v128 b, v128 c)                                                    \
    {                                                                                                                  \
        return (v128)__builtin_elementwise_fma(-(T)a, (T)b, (T)c);                                                     \
    }
CELL_FLOAT_LANES(f32x4, cell_f32, 4, f32)
CELL_FLOAT_LANES(f64x2, cell_f64, 2, f64)

CELL_V1(f32x4_convert_i32x4_s, __builtin_convertvector((cell_s32)a, cell_f32))
CELL_V1(f32x4_convert_i32x4_u, __builtin_convertvector((cell_u32)a, cell_f32))
CELL_V1(f64x2_convert_low_i32x4_s, __builtin_convertvector(CELL_LOW(cell_s32, cell_s32h, a), cell_f64))
CELL_V1(f64x2_convert_low_i32x4_u, __builtin_convertvector(CELL_LOW(cell_u32, cell_u32h, a), cell_f64))
CELL_V1(f64x2_promote_low_f32x4, __builtin_convertvector(CELL_LOW(cell_f32, cell_f32h, a), cell_f64))
CELL_INLINE v128 op_f32x4_demote_f64x2_zero(v128 a)
{
    return (v128)((cell_f32){(float)((cell_f64)a)[0], (float)((cell_f64)a)[1], 0, 0});
}

#define CELL_TRUNCATE_LANES(name, s, from, scalar, count)                                                              \
    CELL_INLINE v128 op_##name(v128 a)                                                                                 \
    {                                                                                                                  \
        cell_u32 r = {0};                                                                                              \
        for (unsigned i = 0; i < count; i++)                                                                           \
            r[i] = op_i32_trunc_sat_##scalar##_##s(((from)a)[i]);                                                      \
        return r;                                                                                                      \
    }
CELL_TRUNCATE_LANES(i32x4_trunc_sat_f32x4_s, s, cell_f32, f32, 4)
CELL_TRUNCATE_LANES(i32x4_trunc_sat_f32x4_u, u, cell_f32, f32, 4)
CELL_TRUNCATE_LANES(i32x4_trunc_sat_f64x2_s_zero, s, cell_f64, f64, 2)
CELL_TRUNCATE_LANES(i32x4_trunc_sat_f64x2_u_zero, u, cell_f64, f64, 2)

// ---- Splats, lanes, shuffles ----

#define CELL_LANE_ACCESS(p, T, scalar, lane_type)                                                                      \
    CELL_INLINE v128 op_##p##_splat(scalar x)                                                                          \
    {                                                                                                                  \
        return (v128)((lane_type)x + (T){0});                                                                          \
    }                                                                                                                  \
    CELL_INLINE v128 op_##p##_replace_lane(v128 a, scalar x, unsigned lane)                                            \
    {                                                                                                                  \
        T r = (T)a;                                                                                                    \
        r[lane] = (lane_type)x;                                                                                        \
        return (v128)r;                                                                                                \
    }
CELL_LANE_ACCESS(i8x16, cell_u8, uint32_t, uint8_t)
CELL_LANE_ACCESS(i16x8, cell_u16, uint32_t, uint16_t)
CELL_LANE_ACCESS(i32x4, cell_u32, uint32_t, uint32_t)
CELL_LANE_ACCESS(i64x2, cell_u64, uint64_t, uint64_t)
#define CELL_FLOAT_LANE_ACCESS(p, T, scalar, first)                                                                    \
    CELL_INLINE v128 op_##p##_splat(scalar x)                                                                          \
    {                                                                                                                  \
        return (v128)first;                                                                                            \
    }                                                                                                                  \
    CELL_INLINE v128 op_##p##_replace_lane(v128 a, scalar x, unsigned lane)                                            \
    {                                                                                                                  \
        T r = (T)a;                                                                                                    \
        r[lane] = x;                                                                                                   \
        return (v128)r;                                                                                                \
    }
CELL_FLOAT_LANE_ACCESS(f32x4, cell_f32, float, ((cell_f32){x, x, x, x}))
CELL_FLOAT_LANE_ACCESS(f64x2, cell_f64, double, ((cell_f64){x, x}))

#define CELL_EXTRACT(name, T, result, value)                                                                           \
    CELL_INLINE result op_##name(v128 a, unsigned lane)                                                                \
    {                                                                                                                  \
        return (result)(value((T)a)[lane]);                                                                            \
    }
#define CELL_SIGNED (int32_t)
CELL_EXTRACT(i8x16_extract_lane_s, cell_s8, uint32_t, CELL_SIGNED)
CELL_EXTRACT(i8x16_extract_lane_u, cell_u8, uint32_t, )
CELL_EXTRACT(i16x8_extract_lane_s, cell_s16, uint32_t, CELL_SIGNED)
CELL_EXTRACT(i16x8_extract_lane_u, cell_u16, uint32_t, )
CELL_EXTRACT(i32x4_extract_lane, cell_u32, uint32_t, )
CELL_EXTRACT(i64x2_extract_lane, cell_u64, uint64_t, )
CELL_EXTRACT(f32x4_extract_lane, cell_f32, float, )
CELL_EXTRACT(f64x2_extract_lane, cell_f64, double, )

// Indices of 16 and above give 0.
CELL_INLINE v128 op_i8x16_swizzle(v128 a, v128 b)
{
#ifdef __SSSE3__
    typedef char bytes __attribute__((vector_size(16)));
    const cell_u8 index =
        __builtin_elementwise_add_sat((cell_u8)b, (cell_u8){0x70, 0x70, 0x70, 0x70, 0x70, 0x70, 0x70, 0x70, 0x70, 0x70,
                                                            0x70, 0x70, 0x70, 0x70, 0x70, 0x70});
    return (v128)__builtin_ia32_pshufb128((bytes)a, (bytes)index);
#else
    cell_u8 r;
    for (unsigned i = 0; i < 16; i++)
        r[i] = ((cell_u8)b)[i] < 16 ? ((cell_u8)a)[((cell_u8)b)[i] & 15] : 0;
    return (v128)r;
#endif
}

// The relaxed forms, which may differ where the result is of no use, are the exact ones.
#define op_i8x16_relaxed_swizzle op_i8x16_swizzle
#define op_i32x4_relaxed_trunc_f32x4_s op_i32x4_trunc_sat_f32x4_s
#define op_i32x4_relaxed_trunc_f32x4_u op_i32x4_trunc_sat_f32x4_u
#define op_i32x4_relaxed_trunc_f64x2_s_zero op_i32x4_trunc_sat_f64x2_s_zero
#define op_i32x4_relaxed_trunc_f64x2_u_zero op_i32x4_trunc_sat_f64x2_u_zero
#define op_i8x16_relaxed_laneselect op_v128_bitselect
#define op_i16x8_relaxed_laneselect op_v128_bitselect
#define op_i32x4_relaxed_laneselect op_v128_bitselect
#define op_i64x2_relaxed_laneselect op_v128_bitselect
#define op_f32x4_relaxed_min op_f32x4_pmin
#define op_f32x4_relaxed_max op_f32x4_pmax
#define op_f64x2_relaxed_min op_f64x2_pmin
#define op_f64x2_relaxed_max op_f64x2_pmax
#define op_i16x8_relaxed_q15mulr_s op_i16x8_q15mulr_sat_s

#endif
