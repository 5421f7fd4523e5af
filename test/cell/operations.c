// Shows that every kind of operation that clang makes of C, scalars and vectors, gives on an SPE what it gives natively.
//
// RUN: env SVM_SPU_HOST_CFLAGS=-O1 svm-spu-gcc -O2 -I%S/Inputs %s -o %t.spu && svm-embedspu program %t.spu %t.o
// RUN: svm-ppu-gcc -I%S/Inputs %S/Inputs/case.ppu.c %t.o -o %t && %t 0 | grep : | grep -v -e spe -e memory > %t.spe
// RUN: %cc -O2 -std=gnu17 -ffp-contract=off -funsigned-char -w %s -o %t.native -lm && %t.native > %t.host
// RUN: diff %t.spe %t.host
// RUN: FileCheck %s < %t.host
// CHECK: s8 add:
// CHECK: f64 to s32 :
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define VECTOR(name, T, bytes) typedef T name __attribute__((vector_size(bytes)));
VECTOR(s8, int8_t, 16) VECTOR(u8, uint8_t, 16) VECTOR(s16, int16_t, 16) VECTOR(u16, uint16_t, 16)
VECTOR(s32, int32_t, 16) VECTOR(u32, uint32_t, 16) VECTOR(s64, int64_t, 16) VECTOR(u64, uint64_t, 16)
VECTOR(f32, float, 16) VECTOR(f64, double, 16)
VECTOR(s8h, int8_t, 8) VECTOR(u8h, uint8_t, 8) VECTOR(s16h, int16_t, 8) VECTOR(u16h, uint16_t, 8)
VECTOR(s32h, int32_t, 8) VECTOR(u32h, uint32_t, 8) VECTOR(f32h, float, 8)

enum { COUNT = 64 };
static union {
    uint8_t bytes[COUNT * 16];
    u8 vectors[COUNT];
} data, result;
static uint64_t state = 88172645463325252u;

static uint32_t any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32);
}

static void say(const char *type, const char *what)
{
    uint32_t hash = 2166136261u;
    for (unsigned i = 0; i < sizeof result.bytes; i++)
        hash = (hash ^ result.bytes[i]) * 16777619u;
    printf("%s %s: %08x\n", type, what, (unsigned)hash);
    memset(&result, 0, sizeof result);
}

#define EACH(T, what, expression)                                                                                      \
    {                                                                                                                  \
        for (unsigned i = 0; i + 1 < COUNT; i++) {                                                                     \
            const T a = ((const T *)&data)[i], b = ((const T *)&data)[i + 1];                                          \
            (void)a, (void)b;                                                                                          \
            ((T *)&result)[i] = (T)(expression);                                                                       \
        }                                                                                                              \
        say(#T, what);                                                                                                 \
    }

#define BITS(T) (8 * (int)sizeof(((T){0})[0]))
#define INTEGER(T)                                                                                                     \
    EACH(T, "add", a + b)                                                                                              \
    EACH(T, "sub", a - b)                                                                                              \
    EACH(T, "mul", a * b)                                                                                              \
    EACH(T, "neg", -a)                                                                                                 \
    EACH(T, "and", a & b)                                                                                              \
    EACH(T, "andnot", a & ~b)                                                                                          \
    EACH(T, "or", a | b)                                                                                               \
    EACH(T, "xor", a ^ b)                                                                                              \
    EACH(T, "shl", a << (b & (BITS(T) - 1)))                                                                           \
    EACH(T, "shr", a >> (b & (BITS(T) - 1)))                                                                           \
    EACH(T, "shl3", a << 3)                                                                                            \
    EACH(T, "shr3", a >> 3)                                                                                            \
    EACH(T, "eq", a == b)                                                                                              \
    EACH(T, "gt", a > b)                                                                                               \
    EACH(T, "le", a <= b)                                                                                              \
    EACH(T, "min", __builtin_elementwise_min(a, b))                                                                    \
    EACH(T, "max", __builtin_elementwise_max(a, b))                                                                    \
    EACH(T, "saturated add", __builtin_elementwise_add_sat(a, b))                                                      \
    EACH(T, "saturated sub", __builtin_elementwise_sub_sat(a, b))                                                      \
    EACH(T, "bits", __builtin_elementwise_popcount(a))                                                                 \
    EACH(T, "splat", a + (T){} + b[0])                                                                                 \
    EACH(T, "sum", (T){} + __builtin_reduce_add(a))                                                                    \
    EACH(T, "least", (T){} + __builtin_reduce_min(a))                                                                  \
    EACH(T, "any", (T){} + __builtin_reduce_or(a & ~b))                                                      \
    EACH(T, "div", a / (b | 1))                                                                                        \
    EACH(T, "rem", a % (b | 3))

#define FLOATING(T)                                                                                                    \
    EACH(T, "add", a + b)                                                                                              \
    EACH(T, "mul", a * b)                                                                                              \
    EACH(T, "div", a / b)                                                                                              \
    EACH(T, "neg", -a)                                                                                                 \
    EACH(T, "lt", ({ __typeof__(a < b) r = a < b; T x; memcpy(&x, &r, 16); x; }))                                      \
    EACH(T, "abs", __builtin_elementwise_abs(a))                                                                       \
    EACH(T, "sqrt", __builtin_elementwise_sqrt(__builtin_elementwise_abs(a)))                                          \
    EACH(T, "floor", __builtin_elementwise_floor(a))                                                                   \
    EACH(T, "ceil", __builtin_elementwise_ceil(a))                                                                     \
    EACH(T, "trunc", __builtin_elementwise_trunc(a))                                                                   \
    EACH(T, "rint", __builtin_elementwise_rint(a))                                                                     \
    EACH(T, "select", ({ T x; for (unsigned k = 0; k < sizeof(T) / sizeof a[0]; k++) x[k] = a[k] < b[k] ? a[k] : b[k]; x; }))

#define CONVERT(name, T, from, half, expression)                                                                       \
    {                                                                                                                  \
        for (unsigned i = 0; i < COUNT; i++) {                                                                         \
            half a;                                                                                                    \
            memcpy(&a, &((const from *)&data)[i], sizeof a);                                                           \
            const T x = __builtin_convertvector(expression, T);                                                        \
            memcpy(&result.vectors[i], &x, sizeof x);                                                                  \
        }                                                                                                              \
        say(name, "");                                                                                                 \
    }

static void integers(void)
{
    for (unsigned i = 0; i < sizeof data.bytes; i++)
        data.bytes[i] = (uint8_t)(any() % 7 ? any() : any() % 3 * 127);
    INTEGER(s8) INTEGER(u8) INTEGER(s16) INTEGER(u16) INTEGER(s32) INTEGER(u32) INTEGER(s64) INTEGER(u64)
    CONVERT("s8 to s16", s16, s8, s8h, a)
    CONVERT("u8 to u16", u16, u8, u8h, a)
    CONVERT("s16 to s32", s32, s16, s16h, a)
    CONVERT("u16 to u32", u32, u16, u16h, a)
    CONVERT("s32 to s64", s64, s32, s32h, a)
    CONVERT("u32 to u64", u64, u32, u32h, a)
    CONVERT("s32 to f32", f32, s32, s32, a)
    CONVERT("u32 to f32", f32, u32, u32, a)
    CONVERT("s32 to f64", f64, s32, s32h, a)
    CONVERT("u32 to f64", f64, u32, u32h, a)
    CONVERT("s64 to f64", f64, s64, s64, a)
    CONVERT("s32 to s16", s16h, s32, s32, a)
    CONVERT("u16 to u8", u8h, u16, u16, a)
    EACH(u8, "shuffle", __builtin_shufflevector(a, b, 0, 17, 2, 19, 31, 30, 1, 1, 16, 5, 7, 9, 11, 28, 3, 4))
    EACH(u32, "words", __builtin_shufflevector(a, b, 1, 6, 3, 4))
    EACH(s16, "narrow", ({ s16 x; for (int k = 0; k < 8; k++) { int v = a[k] * 3 + b[k]; x[k] = v > 32767 ? 32767 : v < -32768 ? -32768 : v; } x; }))
    EACH(u8, "average", ({ u8 x; for (int k = 0; k < 16; k++) x[k] = (a[k] + b[k] + 1) >> 1; x; }))
    EACH(s32, "dot", ({ const s16 p = (s16)a, q = (s16)b; s32 x; for (int k = 0; k < 4; k++) x[k] = p[2 * k] * q[2 * k] + p[2 * k + 1] * q[2 * k + 1]; x; }))
}

static void floats(void)
{
    for (unsigned i = 0; i < sizeof data.bytes / 4; i++) {
        const float x = ((int)any() >> (any() % 24)) / 1024.0f;
        memcpy(data.bytes + 4 * i, &x, 4);
    }
    FLOATING(f32)
    CONVERT("f32 to s32", s32, f32, f32, a)
    CONVERT("f32 to u32", u32, f32, f32, __builtin_elementwise_abs(a))
    CONVERT("f32 to f64", f64, f32, f32h, a)
    for (unsigned i = 0; i < sizeof data.bytes / 8; i++) {
        const double x = ((int)any() >> (any() % 24)) / 1024.0 / (any() % 100 + 1);
        memcpy(data.bytes + 8 * i, &x, 8);
    }
    FLOATING(f64)
    CONVERT("f64 to f32", f32h, f64, f64, a)
    CONVERT("f64 to s32", s32h, f64, f64, a)
}

#define SCALAR(what, T, expression)                                                                                    \
    for (unsigned i = 0; i < COUNT; i++) {                                                                             \
        T a, b;                                                                                                        \
        memcpy(&a, data.bytes + 16 * i, sizeof a);                                                                     \
        memcpy(&b, data.bytes + 16 * i + 8, sizeof b);                                                                 \
        const __typeof__(expression) x = expression;                                                                   \
        memcpy(result.bytes + 16 * i, &x, sizeof x);                                                                   \
    }                                                                                                                  \
    say(#T, what);

#define SCALARS(T, U, bits, suffix)                                                                                    \
    SCALAR("div", T, a / (b | 1))                                                                                      \
    SCALAR("rem", T, a % (b | 1))                                                                                      \
    SCALAR("udiv", U, a / (b | 1))                                                                                     \
    SCALAR("rot", U, a << (b & (bits - 1)) | a >> (-b & (bits - 1)))                                                   \
    SCALAR("clz", U, __builtin_clz##suffix(a | 1))                                                                     \
    SCALAR("ctz", U, __builtin_ctz##suffix(a | (U)1 << (bits - 1)))                                                    \
    SCALAR("popcount", U, __builtin_popcount##suffix(a))                                                               \
    SCALAR("to float", T, (float)a)                                                                                    \
    SCALAR("unsigned to double", U, (double)a)                                                                         \
    SCALAR("compare", T, (a < b) + 2 * (a == b) + 4 * ((U)a < (U)b))

static int (*volatile table[3])(int, int);
static int plus(int a, int b) { return a + b; }
static int minus(int a, int b) { return a - b; }
static int times(int a, int b) { return (int)((unsigned)a * (unsigned)b); }

static unsigned hash_switch(uint32_t x)
{
    switch (x % 11) {
    case 0: return x * 3;
    case 1: return x ^ 0x55;
    case 2: case 3: return x >> 3;
    case 5: return hash_switch(x / 2);
    case 7: return 9;
    default: return x + 1;
    }
}

int main(void)
{
    integers();
    SCALARS(int32_t, uint32_t, 32, )
    SCALARS(int64_t, uint64_t, 64, ll)
    SCALAR("sign", int8_t, (int64_t)a * b)
    SCALAR("sign", int16_t, (int)a - b)
    table[0] = plus, table[1] = minus, table[2] = times;
    SCALAR("call", int32_t, table[(uint32_t)a % 3](a, b))
    SCALAR("switch", uint32_t, hash_switch(a) + hash_switch(b))
    floats();
    SCALAR("min", double, (a < b ? a : b))
    SCALAR("floor", double, (__builtin_floor(a) + __builtin_ceil(b) + __builtin_trunc(a) - __builtin_rint(b)))
    SCALAR("to int64", double, (int64_t)(a * 1e6))
    SCALAR("to uint32", double, (uint32_t)__builtin_fabs(a))
    SCALAR("copysign", double, __builtin_copysign(a, b))
    return 0;
}
