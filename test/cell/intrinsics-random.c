// Shows that each intrinsic gives for random bits what plain C gives that was written from the handbook's definitions: of every
// type of element, with counts beyond the elements' widths.
//
// RUN: env SVM_SPU_HOST_CFLAGS=-O0 svm-spu-gcc -O0 -Wall -I%S/Inputs %s -o %t.spu && svm-embedspu program %t.spu %t.o
// RUN: svm-ppu-gcc -I%S/Inputs %S/Inputs/case.ppu.c %t.o -o %t && %t 0 | FileCheck %s
// CHECK-NOT: wrong
// CHECK: 319 checks of 60 rounds each
#include <spu_mfcio.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 60 };
typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef short s16;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;

static unsigned checks;
static u64 state = 88172645463325252u;

static u32 any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (u32)(state >> 32);
}

static void fill(void *to, unsigned round, int floats, int doubles)
{
    for (int i = 0; i < 16; i++)
        ((u8 *)to)[i] = (u8)(round % 4 == 3 ? any() & 1 ? 0x80 : 0 : any());
    for (int i = 0; i < 4 && floats; i++)
        ((float *)to)[i] = (float)(s32)any() / (float)(1u << any() % 32);
    for (int i = 0; i < 2 && doubles; i++)
        ((double *)to)[i] = (double)(s32)any() / (double)(1u << any() % 32);
}

static void differs(const char *name, int line, int element, unsigned round)
{
    printf("line %d, %s: element %d of round %u is wrong\n", line, name, element, round);
}

// R: of n elements of type RE, of vectors a, b, c of type V.
#define CHECK_WITH(V, floats, doubles, RE, n, result, expected)                                                        \
    do {                                                                                                               \
        checks++;                                                                                                      \
        for (unsigned round = 0; round < ROUNDS; round++) {                                                            \
            V a, b, c;                                                                                                 \
            fill(&a, round, floats, doubles), fill(&b, round / 4, floats, doubles), fill(&c, round / 16, floats, doubles); \
            const u32 k = any(), m = k % 80;                                                                           \
            (void)a, (void)b, (void)c, (void)k, (void)m;                                                               \
            const __typeof__(result) r = (result);                                                                     \
            for (int i = 0; i < (n); i++) {                                                                            \
                const RE e = (RE)(expected), is = ((const RE *)&r)[i];                                                 \
                if (memcmp(&e, &is, sizeof e) != 0)                                                                    \
                    differs(#result, __LINE__, i, round);                                                              \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)
#define CHECK(V, RE, n, result, expected) CHECK_WITH(V, 0, 0, RE, n, result, expected)

// ---- Elements ----

#define BITS(V, E, n)                                                                                                  \
    CHECK(V, E, n, spu_and(a, b), a[i] & b[i]);                                                                        \
    CHECK(V, E, n, spu_andc(a, b), a[i] & ~b[i]);                                                                      \
    CHECK(V, E, n, spu_or(a, b), a[i] | b[i]);                                                                         \
    CHECK(V, E, n, spu_orc(a, b), a[i] | ~b[i]);                                                                       \
    CHECK(V, E, n, spu_xor(a, b), a[i] ^ b[i]);                                                                        \
    CHECK(V, E, n, spu_nand(a, b), ~(a[i] & b[i]));                                                                    \
    CHECK(V, E, n, spu_nor(a, b), ~(a[i] | b[i]));                                                                     \
    CHECK(V, E, n, spu_eqv(a, b), ~(a[i] ^ b[i]));                                                                     \
    CHECK(V, E, n, spu_splats((E)k), k);                                                                               \
    CHECK(V, E, n, spu_insert((E)k, a, (int)m), i == (int)m % n ? (E)k : a[i]);                                        \
    CHECK(V, E, 1, spu_promote((E)k, 0), k);                                                                           \
    CHECK(V, E, 1, spu_extract(a, (int)m), a[m % n])
#define COMPARED(V, E, S, n)                                                                                           \
    CHECK(V, S, n, spu_cmpeq(a, b), a[i] == b[i] ? -1 : 0);                                                            \
    CHECK(V, S, n, spu_cmpgt(a, b), a[i] > b[i] ? -1 : 0);                                                             \
    CHECK(V, S, n, spu_cmpeq(a, (E)k), a[i] == (E)k ? -1 : 0);                                                         \
    CHECK(V, S, n, spu_cmpgt(a, (E)k), a[i] > (E)k ? -1 : 0)
#define ADDED(V, E, n)                                                                                                 \
    CHECK(V, E, n, spu_add(a, b), (u32)a[i] + (u32)b[i]);                                                              \
    CHECK(V, E, n, spu_add(a, (E)k), (u32)a[i] + k);                                                                   \
    CHECK(V, E, n, spu_sub(a, b), (u32)a[i] - (u32)b[i]);                                                              \
    CHECK(V, E, n, spu_sub((E)k, a), k - (u32)a[i])
#define SHIFTED(V, E, U, S, UV, SV, n, w)                                                                              \
    CHECK(V, U, n, spu_sl(a, (UV)b), ((U)b[i] & (2 * w - 1)) < w ? (u64)(U)a[i] << ((U)b[i] & (2 * w - 1)) : 0);       \
    CHECK(V, U, n, spu_sl(a, m), (m & (2 * w - 1)) < w ? (u64)(U)a[i] << (m & (2 * w - 1)) : 0);                       \
    CHECK(V, U, n, spu_rl(a, (SV)b),                                                                                   \
          (u64)(U)a[i] << ((U)b[i] & (w - 1)) | (u64)(U)a[i] >> (w - ((U)b[i] & (w - 1))));                            \
    CHECK(V, U, n, spu_rl(a, (int)m), (u64)(U)a[i] << (m & (w - 1)) | (u64)(U)a[i] >> (w - (m & (w - 1))));            \
    CHECK(V, U, n, spu_rlmask(a, (SV)b), (-(u32)b[i] & (2 * w - 1)) < w ? (U)a[i] >> (-(u32)b[i] & (2 * w - 1)) : 0);  \
    CHECK(V, U, n, spu_rlmask(a, -(int)m), (m & (2 * w - 1)) < w ? (U)a[i] >> (m & (2 * w - 1)) : 0);                  \
    CHECK(V, S, n, spu_rlmaska(a, (SV)b),                                                                              \
          (S)a[i] >> ((-(u32)b[i] & (2 * w - 1)) < w ? -(u32)b[i] & (2 * w - 1) : w - 1));                             \
    CHECK(V, S, n, spu_rlmaska(a, -(int)m), (S)a[i] >> ((m & (2 * w - 1)) < w ? m & (2 * w - 1) : w - 1));             \
    CHECK(V, U, n, spu_sr(a, (UV)b), ((U)b[i] & (2 * w - 1)) < w ? (U)a[i] >> ((U)b[i] & (2 * w - 1)) : 0);            \
    CHECK(V, U, n, spu_sr(a, m), (m & (2 * w - 1)) < w ? (U)a[i] >> (m & (2 * w - 1)) : 0);                            \
    CHECK(V, S, n, spu_sra(a, (UV)b), (S)a[i] >> (((U)b[i] & (2 * w - 1)) < w ? (U)b[i] & (2 * w - 1) : w - 1));       \
    CHECK(V, S, n, spu_sra(a, m), (S)a[i] >> ((m & (2 * w - 1)) < w ? m & (2 * w - 1) : w - 1))

// ---- Quadwords: words in order, the first the highest; bytes as they lie ----

// Word i of a quadword shifted to the left by so many bits; turned: what leaves comes in on the right.
static u32 left(const void *q, unsigned bits, int i, int turned)
{
    u32 w[5];
    memcpy(w, q, 16);
    w[4] = turned ? w[0] : 0;
    return bits == 0 ? w[i] : w[i] << bits | w[i + 1] >> (32 - bits);
}
static u32 right(const void *q, unsigned bits, int i)
{
    u32 w[5] = {0};
    memcpy(w + 1, q, 16);
    return bits == 0 ? w[i + 1] : w[i + 1] >> bits | w[i] << (32 - bits);
}
static u8 byteOf(const void *q, int i)
{
    return i < 0 || i > 15 ? 0 : ((const u8 *)q)[i];
}
static u8 chosen(const void *x, const void *y, u8 pattern)
{
    return pattern >= 0xE0   ? 0x80
           : pattern >= 0xC0 ? 0xFF
           : pattern >= 0x80 ? 0
           : pattern & 16    ? byteOf(y, pattern & 15)
                             : byteOf(x, pattern & 15);
}

#define QUADWORDS(V)                                                                                                   \
    CHECK(V, u8, 16, spu_shuffle(a, b, (vec_uchar16)c), chosen(&a, &b, ((u8 *)&c)[i]));                                \
    CHECK(V, u32, 4, spu_slqw(a, m), left(&a, m & 7, i, 0));                                                           \
    CHECK(V, u32, 4, spu_rlqw(a, (int)m), left(&a, m & 7, i, 1));                                                      \
    CHECK(V, u32, 4, spu_rlmaskqw(a, (int)m), right(&a, -m & 7, i));                                                   \
    CHECK(V, u32, 4, spu_srqw(a, m), right(&a, m & 7, i));                                                             \
    CHECK(V, u8, 16, spu_slqwbyte(a, m), byteOf(&a, i + (int)(m & 31)));                                               \
    CHECK(V, u8, 16, spu_rlqwbyte(a, (int)m), byteOf(&a, (int)((unsigned)i + m) & 15));                                \
    CHECK(V, u8, 16, spu_rlmaskqwbyte(a, (int)m), byteOf(&a, i - (int)(-m & 31)));                                     \
    CHECK(V, u8, 16, spu_srqwbyte(a, m), byteOf(&a, i - (int)(m & 31)));                                               \
    CHECK(V, u8, 16, spu_slqwbytebc(a, k), byteOf(&a, i + (int)(k >> 3 & 31)));                                        \
    CHECK(V, u8, 16, spu_rlqwbytebc(a, (int)k), byteOf(&a, (int)((unsigned)i + (k >> 3)) & 15));                       \
    CHECK(V, u8, 16, spu_rlmaskqwbytebc(a, (int)k), byteOf(&a, i - (int)(-(k >> 3) & 31)));                            \
    CHECK(V, u8, 16, spu_srqwbytebc(a, k), byteOf(&a, i - (int)(k >> 3 & 31)))

static unsigned gathered(const void *q, int size)
{
    unsigned bits = 0;
    for (int i = 0; i < 16 / size; i++)
        bits = bits << 1 | (((const u8 *)q)[i * size] & 1);
    return bits;
}

static void bits(void)
{
    BITS(vec_uchar16, u8, 16);
    BITS(vec_char16, s8, 16);
    BITS(vec_ushort8, u16, 8);
    BITS(vec_short8, s16, 8);
    BITS(vec_uint4, u32, 4);
    BITS(vec_int4, s32, 4);
    BITS(vec_ullong2, u64, 2);
    BITS(vec_llong2, s64, 2);
    CHECK(vec_uint4, u32, 4, spu_sel(a, b, c), (a[i] & ~c[i]) | (b[i] & c[i]));
    CHECK(vec_uchar16, u8, 16, spu_sel(a, b, c), (a[i] & ~c[i]) | (b[i] & c[i]));
    CHECK(vec_uint4, u32, 4, spu_sel((vec_float4)a, (vec_float4)b, c), (a[i] & ~c[i]) | (b[i] & c[i]));
    CHECK(vec_uint4, u32, 4, spu_orx(a), i == 0 ? a[0] | a[1] | a[2] | a[3] : 0);
    CHECK(vec_uint4, u32, 1, spu_gather(a), gathered(&a, 4));
    CHECK(vec_ushort8, u32, 1, spu_gather(a), gathered(&a, 2));
    CHECK(vec_uchar16, u32, 1, spu_gather(a), gathered(&a, 1));
    CHECK(vec_uint4, s32, 4, spu_maskw(k), k >> (3 - i) & 1 ? -1 : 0);
    CHECK(vec_uint4, s16, 8, spu_maskh(k), k >> (7 - i) & 1 ? -1 : 0);
    CHECK(vec_uint4, s8, 16, spu_maskb(k), k >> (15 - i) & 1 ? -1 : 0);
    CHECK(vec_uint4, u32, 4, spu_cntlz(a), a[i] ? __builtin_clz(a[i]) : 32);
    CHECK(vec_uchar16, u8, 16, spu_cntb(a), __builtin_popcount(a[i]));
}

static void numbers(void)
{
    COMPARED(vec_uchar16, u8, s8, 16);
    COMPARED(vec_char16, s8, s8, 16);
    COMPARED(vec_ushort8, u16, s16, 8);
    COMPARED(vec_short8, s16, s16, 8);
    COMPARED(vec_uint4, u32, s32, 4);
    COMPARED(vec_int4, s32, s32, 4);
    ADDED(vec_ushort8, u16, 8);
    ADDED(vec_short8, s16, 8);
    ADDED(vec_uint4, u32, 4);
    ADDED(vec_int4, s32, 4);
    CHECK(vec_uint4, u32, 4, spu_addx(a, b, c), a[i] + b[i] + (c[i] & 1));
    CHECK(vec_uint4, u32, 4, spu_subx(a, b, c), a[i] + ~b[i] + (c[i] & 1));
    CHECK(vec_uint4, u32, 4, spu_genc(a, b), ((u64)a[i] + b[i]) >> 32);
    CHECK(vec_uint4, u32, 4, spu_gencx(a, b, c), ((u64)a[i] + b[i] + (c[i] & 1)) >> 32);
    CHECK(vec_uint4, u32, 4, spu_genb(a, b), ((u64)a[i] + (u32)~b[i] + 1) >> 32);
    CHECK(vec_uint4, u32, 4, spu_genbx(a, b, c), ((u64)a[i] + (u32)~b[i] + (c[i] & 1)) >> 32);
    CHECK(vec_short8, s32, 4, spu_mule(a, b), a[2 * i] * b[2 * i]);
    CHECK(vec_short8, s32, 4, spu_mulo(a, b), a[2 * i + 1] * b[2 * i + 1]);
    CHECK(vec_short8, s32, 4, spu_mulo(a, (s16)k), a[2 * i + 1] * (s16)k);
    CHECK(vec_ushort8, u32, 4, spu_mule(a, b), (u32)a[2 * i] * b[2 * i]);
    CHECK(vec_ushort8, u32, 4, spu_mulo(a, b), (u32)a[2 * i + 1] * b[2 * i + 1]);
    CHECK(vec_short8, s32, 4, spu_mulsr(a, b), (a[2 * i + 1] * b[2 * i + 1]) >> 16);
    CHECK(vec_short8, u32, 4, spu_mulh(a, b), (u32)(a[2 * i] * b[2 * i + 1]) << 16);
    CHECK(vec_short8, u32, 4, spu_mhhadd(a, b, (vec_int4)c), (u32)(a[2 * i] * b[2 * i]) + ((u32 *)&c)[i]);
    CHECK(vec_short8, u32, 4, spu_madd(a, b, (vec_int4)c), (u32)(a[2 * i + 1] * b[2 * i + 1]) + ((u32 *)&c)[i]);
    CHECK(vec_uchar16, u8, 16, spu_absd(a, b), a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]);
    CHECK(vec_uchar16, u8, 16, spu_avg(a, b), (a[i] + b[i] + 1) / 2);
    CHECK(vec_uchar16, u16, 8, spu_sumb(a, b),
          i % 2 ? a[2 * i - 2] + a[2 * i - 1] + a[2 * i] + a[2 * i + 1] : b[2 * i] + b[2 * i + 1] + b[2 * i + 2] + b[2 * i + 3]);
    CHECK(vec_char16, s16, 8, spu_extend(a), a[2 * i + 1]);
    CHECK(vec_short8, s32, 4, spu_extend(a), a[2 * i + 1]);
    CHECK(vec_int4, s64, 2, spu_extend(a), a[2 * i + 1]);
    SHIFTED(vec_short8, s16, u16, s16, vec_ushort8, vec_short8, 8, 16);
    SHIFTED(vec_ushort8, u16, u16, s16, vec_ushort8, vec_short8, 8, 16);
    SHIFTED(vec_int4, s32, u32, s32, vec_uint4, vec_int4, 4, 32);
    SHIFTED(vec_uint4, u32, u32, s32, vec_uint4, vec_int4, 4, 32);
}

static void quadwords(void)
{
    QUADWORDS(vec_uchar16);
    QUADWORDS(vec_short8);
    QUADWORDS(vec_int4);
    QUADWORDS(vec_ullong2);
}

#define FLOATS(V, f, d, RE, n, result, expected) CHECK_WITH(V, f, d, RE, n, result, expected)
static s32 saturated(double x)
{
    return x >= 2147483647.0 ? 2147483647 : x <= -2147483648.0 ? (s32)0x80000000 : (s32)x;
}
static u32 saturated_unsigned(double x)
{
    return x >= 4294967295.0 ? 0xFFFFFFFF : x <= 0 ? 0 : (u32)x;
}
static float size(float x)
{
    return x < 0 ? -x : x;
}

static void floats(void)
{
    FLOATS(vec_float4, 1, 0, float, 4, spu_add(a, b), a[i] + b[i]);
    FLOATS(vec_float4, 1, 0, float, 4, spu_sub(a, b), a[i] - b[i]);
    FLOATS(vec_float4, 1, 0, float, 4, spu_mul(a, b), a[i] * b[i]);
    FLOATS(vec_float4, 1, 0, float, 4, spu_madd(a, b, c), __builtin_fmaf(a[i], b[i], c[i]));
    FLOATS(vec_float4, 1, 0, float, 4, spu_msub(a, b, c), __builtin_fmaf(a[i], b[i], -c[i]));
    FLOATS(vec_float4, 1, 0, float, 4, spu_nmsub(a, b, c), __builtin_fmaf(-a[i], b[i], c[i]));
    FLOATS(vec_float4, 1, 0, s32, 4, spu_cmpgt(a, b), a[i] > b[i] ? -1 : 0);
    FLOATS(vec_float4, 1, 0, s32, 4, spu_cmpeq(a, a), -1);
    FLOATS(vec_float4, 1, 0, s32, 4, spu_cmpabsgt(a, b), size(a[i]) > size(b[i]) ? -1 : 0);
    FLOATS(vec_float4, 1, 0, s32, 4, spu_cmpabseq(a, -a), -1);
    FLOATS(vec_float4, 1, 0, float, 4, spu_re(a), 1.0f / a[i]);
    FLOATS(vec_float4, 1, 0, float, 4, spu_rsqrte(a), 1.0f / __builtin_sqrtf(size(a[i])));
    FLOATS(vec_float4, 1, 0, double, 2, spu_extend(a), a[2 * i]);
    FLOATS(vec_float4, 1, 0, s32, 4, spu_convts(a, k % 128), saturated((double)a[i] * (double)__builtin_ldexpf(1, k % 128)));
    FLOATS(vec_float4, 1, 0, u32, 4, spu_convtu(a, k % 128), saturated_unsigned((double)a[i] * (double)__builtin_ldexpf(1, k % 128)));
    CHECK(vec_int4, float, 4, spu_convtf(a, k % 120), (float)a[i] * __builtin_ldexpf(1, -(int)(k % 120)));
    CHECK(vec_uint4, float, 4, spu_convtf(a, k % 120), (float)a[i] * __builtin_ldexpf(1, -(int)(k % 120)));
    FLOATS(vec_double2, 0, 1, double, 2, spu_add(a, b), a[i] + b[i]);
    FLOATS(vec_double2, 0, 1, double, 2, spu_sub(a, b), a[i] - b[i]);
    FLOATS(vec_double2, 0, 1, double, 2, spu_mul(a, b), a[i] * b[i]);
    FLOATS(vec_double2, 0, 1, double, 2, spu_madd(a, b, c), __builtin_fma(a[i], b[i], c[i]));
    FLOATS(vec_double2, 0, 1, double, 2, spu_msub(a, b, c), __builtin_fma(a[i], b[i], -c[i]));
    FLOATS(vec_double2, 0, 1, double, 2, spu_nmsub(a, b, c), __builtin_fma(-a[i], b[i], c[i]));
    FLOATS(vec_double2, 0, 1, double, 2, spu_nmadd(a, b, c), -__builtin_fma(a[i], b[i], c[i]));
    FLOATS(vec_double2, 0, 1, s64, 2, spu_cmpgt(a, b), a[i] > b[i] ? -1 : 0);
    FLOATS(vec_double2, 0, 1, float, 4, spu_roundtf(a), i % 2 ? 0 : a[i / 2]);
}

// ---- Instructions by their names ----

// Byte i of the quadword a with the lowest bytes of x at the element of that size that an address lies in.
static u8 inserted(const void *q, u32 x, u32 address, int size, int i)
{
    const int first = (int)(address & 15) / size * size;
    return i >= first && i < first + size && i - first < 4 ? (u8)(x >> 8 * (i - first)) : byteOf(q, i);
}
#define Q(x) ((qword)(x))
static void instructions(void)
{
    CHECK(vec_uint4, u8, 16, si_shufb(si_from_uint(k), Q(a), si_cbd(si_from_uint(m), 3)), inserted(&a, k, m + 3, 1, i));
    CHECK(vec_uint4, u8, 16, si_shufb(si_from_uint(k), Q(a), si_chx(si_from_uint(m), si_from_uint(6))), inserted(&a, k, m + 6, 2, i));
    CHECK(vec_uint4, u8, 16, si_shufb(si_from_uint(k), Q(a), si_cwd(si_from_uint(m), 0)), inserted(&a, k, m, 4, i));
    CHECK(vec_uint4, u64, 2, si_shufb(Q(b), Q(a), si_cdx(si_from_uint(m), si_from_uint(0))),
          i == (int)(m & 15) / 8 ? ((u64 *)&b)[0] : ((u64 *)&a)[i]);
    CHECK(vec_uint4, u32, 4, si_sf(Q(a), Q(b)), b[i] - a[i]);
    CHECK(vec_uint4, u32, 4, si_bg(Q(a), Q(b)), b[i] >= a[i]);
    CHECK(vec_uint4, u32, 4, si_bgx(Q(a), Q(b), Q(c)), ((u64)b[i] + (u32)~a[i] + (c[i] & 1)) >> 32);
    CHECK(vec_uint4, u32, 4, si_cgx(Q(a), Q(b), Q(c)), ((u64)a[i] + b[i] + (c[i] & 1)) >> 32);
    CHECK(vec_uint4, u32, 4, si_sfx(Q(a), Q(b), Q(c)), b[i] + ~a[i] + (c[i] & 1));
    CHECK(vec_int4, u32, 4, si_mpyhha(Q(a), Q(b), Q(c)), (u32)((a[i] >> 16) * (b[i] >> 16)) + (u32)c[i]);
    CHECK(vec_uint4, u32, 4, si_mpyhhau(Q(a), Q(b), Q(c)), (a[i] >> 16) * (b[i] >> 16) + c[i]);
    CHECK(vec_uint4, u32, 4, si_mpyh(Q(a), Q(b)), (a[i] >> 16) * (b[i] & 0xFFFF) << 16);
    CHECK(vec_uint4, s32, 4, si_mpys(Q(a), Q(b)), (s16)a[i] * (s16)b[i] >> 16);
    CHECK(vec_short8, s16, 8, si_xsbh(Q(a)), (s8)a[i]);
    CHECK(vec_ushort8, u16, 8, si_andhi(Q(a), 0x5A), a[i] & 0x5A);
    CHECK(vec_uchar16, u8, 16, si_xorbi(Q(a), 0x5A), a[i] ^ 0x5A);
    CHECK(vec_ushort8, u16, 8, si_shlh(Q(a), Q(b)), (b[i] & 31) < 16 ? (u32)a[i] << (b[i] & 31) : 0);
    CHECK(vec_short8, s16, 8, si_rotmah(Q(a), Q(b)), a[i] >> ((-b[i] & 31) < 16 ? -b[i] & 31 : 15));
    CHECK(vec_uint4, u8, 16, si_rotqmbybi(Q(a), si_from_uint(k)), byteOf(&a, i - (int)(-(k >> 3) & 31)));
    CHECK(vec_uint4, u8, 16, si_rotqbybi(Q(a), si_from_uint(k)), byteOf(&a, (int)((unsigned)i + (k >> 3)) & 15));
    CHECK(vec_short8, s16, 8, si_cgthi(Q(a), -3), a[i] > -3 ? -1 : 0);
    CHECK(vec_char16, s8, 16, si_ceqbi(Q(a), -128), a[i] == -128 ? -1 : 0);
    CHECK(vec_uchar16, s8, 16, si_clgtbi(Q(a), 100), a[i] > 100 ? -1 : 0);
    CHECK_WITH(vec_double2, 0, 1, s64, 2, si_dfcgt(Q(a), Q(b)), a[i] > b[i] ? -1 : 0);
}

int main(void)
{
    bits();
    numbers();
    quadwords();
    floats();
    instructions();
    printf("%u checks of %d rounds each\n", checks, ROUNDS);
    return 0;
}
