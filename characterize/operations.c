// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rates of operations by class and vector width: how long one takes when many independent ones follow each other.
#include "characterize/characterize.h"

#include <math.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { PER_LOOP = 36 };

typedef struct operation_kernels {
    work_function *run[MACHINE_OP_COUNT];
} operation_kernels;

const unsigned operation_widths[WIDTHS] = {0, 16, 32, 64};

#if defined __x86_64__
#define VECTOR "x"
#elif defined __aarch64__
#define VECTOR "w"
#else
#define VECTOR "m"
#endif

// A pointer that the compiler knows nothing of any more, and memory neither.
#define FORGET(p) __asm__ volatile("" : "+r"(p) : : "memory");

// ---- Scalars ----

#define NAME(x) scalar_##x
#define TARGET
#define F float
#define D double
#define I unsigned
#define REG VECTOR
#define REG_I "r"
#define SPLAT(T, v) (T)(v)
#define SQRT_F(x) sqrtf(x)
#define SQRT_D(x) sqrt(x)
#define COMPARE(x, y) ((x) > (y))
#define COMPARE_RESULT unsigned
#define MASK unsigned
#define HOLD_MASK(m) __asm__ volatile("" : "+r"(m))
#define SELECT_MASK(x, y) ((x) < (y))
#define SELECT(m, x, y) ((m) ? (x) : (y))
#define CONVERT(x) (float)(int)(x)

#include "characterize/operation_kernels.h"

// ---- Vectors of the compilers' extension ----

#define SPLAT_V(T, v) ((T){0} + (__typeof__((T){0}[0]))(v))

typedef float f16 __attribute__((vector_size(16)));
typedef double d16 __attribute__((vector_size(16)));
typedef unsigned i16 __attribute__((vector_size(16)));
typedef int s16 __attribute__((vector_size(16)));

#define NAME(x) vector16_##x
#define TARGET
#define F f16
#define D d16
#define I i16
#define REG VECTOR
#define REG_I VECTOR
#define SPLAT SPLAT_V
#ifdef __x86_64__
#define SQRT_F(x) (f16) _mm_sqrt_ps((__m128)(x))
#define SQRT_D(x) (d16) _mm_sqrt_pd((__m128d)(x))
#else
#define SQRT_F(x) ((f16){sqrtf((x)[0]), sqrtf((x)[1]), sqrtf((x)[2]), sqrtf((x)[3])})
#define SQRT_D(x) ((d16){sqrt((x)[0]), sqrt((x)[1])})
#endif
#define COMPARE(x, y) ((x) > (y))
#define COMPARE_RESULT s16
#define MASK i16
#define HOLD_MASK(m) __asm__ volatile("" : "+" VECTOR(m))
#define SELECT_MASK(x, y) (i16)((x) < (y))
#define SELECT(m, x, y) (((x) & (m)) | ((y) & ~(m)))
#define CONVERT(x) __builtin_convertvector((s16)(x), f16)
#include "characterize/operation_kernels.h"

#ifdef __x86_64__
typedef float f32 __attribute__((vector_size(32)));
typedef double d32 __attribute__((vector_size(32)));
typedef unsigned i32 __attribute__((vector_size(32)));
typedef int s32 __attribute__((vector_size(32)));

#define NAME(x) vector32_##x
#define TARGET __attribute__((target("avx2")))
#define F f32
#define D d32
#define I i32
#define REG "x"
#define REG_I "x"
#define SPLAT SPLAT_V
#define SQRT_F(x) (f32) _mm256_sqrt_ps((__m256)(x))
#define SQRT_D(x) (d32) _mm256_sqrt_pd((__m256d)(x))
#define COMPARE(x, y) ((x) > (y))
#define COMPARE_RESULT s32
#define MASK __m256
#define HOLD_MASK(m) __asm__ volatile("" : "+x"(m))
#define SELECT_MASK(x, y) (__m256)((x) < (y))
#define SELECT(m, x, y) (i32) _mm256_blendv_ps((__m256)(y), (__m256)(x), m)
#define CONVERT(x) __builtin_convertvector((s32)(x), f32)
#include "characterize/operation_kernels.h"

typedef float f64 __attribute__((vector_size(64)));
typedef double d64 __attribute__((vector_size(64)));
typedef unsigned i64 __attribute__((vector_size(64)));
typedef int s64 __attribute__((vector_size(64)));

#define NAME(x) vector64_##x
#define TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl")))
#define F f64
#define D d64
#define I i64
#define REG "v"
#define REG_I "v"
#define SPLAT SPLAT_V
#define SQRT_F(x) (f64) _mm512_sqrt_ps((__m512)(x))
#define SQRT_D(x) (d64) _mm512_sqrt_pd((__m512d)(x))
// A comparison gives a mask of bits here, in a register of its own kind; the maximum stands for the class.
#define COMPARE(x, y) (f64) _mm512_max_ps((__m512)(x), (__m512)(y))
#define COMPARE_RESULT f64
#define MASK __mmask16
#define HOLD_MASK(m) __asm__ volatile("" : "+Yk"(m))
#define SELECT_MASK(x, y) _mm512_cmplt_epu32_mask((__m512i)(x), (__m512i)(y))
#define SELECT(m, x, y) (i64) _mm512_mask_blend_epi32(m, (__m512i)(y), (__m512i)(x))
#define CONVERT(x) __builtin_convertvector((s64)(x), f64)
#include "characterize/operation_kernels.h"
#endif

// ---- Classes that have no vector form ----

static void divide_ints(void *context, uint64_t n)
{
    (void)context;
    int x = 1234567891, y = 12345;
    for (; n > 0; n--)
        for (int i = 0; i < PER_LOOP; i++) {
            __asm__ volatile("" : "+r"(x), "+r"(y));
            int r = x / y;
            __asm__ volatile("" : : "r"(r));
        }
}

// Calls of four functions of libm in turn, on arguments of the size that programs have.
static void transcendental_float(void *context, uint64_t n)
{
    (void)context;
    float x = 0.7f;
    for (; n > 0; n--)
        for (int i = 0; i < PER_LOOP / 4; i++) {
            float t = x + (float)i * 0.37f;
            __asm__ volatile("" : "+" VECTOR(t));
            float a = sinf(t), b = expf(t), c = logf(t), d = powf(t, 1.3f);
            __asm__ volatile("" : : VECTOR(a), VECTOR(b), VECTOR(c), VECTOR(d));
        }
}

static void transcendental_double(void *context, uint64_t n)
{
    (void)context;
    double x = 0.7;
    for (; n > 0; n--)
        for (int i = 0; i < PER_LOOP / 4; i++) {
            double t = x + (double)i * 0.37;
            __asm__ volatile("" : "+" VECTOR(t));
            double a = sin(t), b = exp(t), c = log(t), d = pow(t, 1.3);
            __asm__ volatile("" : : VECTOR(a), VECTOR(b), VECTOR(c), VECTOR(d));
        }
}

// A loop's branch is taken each time but the last, and predicted.
static void branch(void *context, uint64_t n)
{
    (void)context;
    for (uint64_t i = n * PER_LOOP; i > 0; i--)
        __asm__ volatile("" : "+r"(i));
}

static const operation_kernels no_vector_kernels = {
    .run =
        {
            [MACHINE_OP_INT_DIV] = divide_ints,
            [MACHINE_OP_FLOAT_TRANSCENDENTAL] = transcendental_float,
            [MACHINE_OP_DOUBLE_TRANSCENDENTAL] = transcendental_double,
            [MACHINE_OP_BRANCH] = branch,
        },
};

// ---- Measuring ----

bool operations_have_width(unsigned width)
{
#ifdef __x86_64__
    __builtin_cpu_init();
    if (width == 32)
        return __builtin_cpu_supports("avx2");
    if (width == 64)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#endif
    return width <= 16;
}

static const operation_kernels *kernels_of(unsigned width)
{
    switch (width) {
    case 0: return &scalar_kernels;
    case 16: return &vector16_kernels;
#ifdef __x86_64__
    case 32: return &vector32_kernels;
    case 64: return &vector64_kernels;
#endif
    default: return NULL;
    }
}

#define ADD_Y(i)                                                                                                       \
    __asm__ volatile("" : "+r"(x), "+r"(y));                                                                           \
    x += y;
#define SIX(S) S(0) S(1) S(2) S(3) S(4) S(5)
static void dependent_additions(void *context, uint64_t n)
{
    (void)context;
    uint64_t x = 1, y = 3;
    for (; n > 0; n--) {
        SIX(ADD_Y) SIX(ADD_Y) SIX(ADD_Y) SIX(ADD_Y) SIX(ADD_Y) SIX(ADD_Y)
    }
    __asm__ volatile("" : : "r"(x));
}

measurement measure_cycle(const settings *s)
{
    return measure(s, dependent_additions, NULL, PER_LOOP);
}

void measure_operations(const settings *s, operation_costs *costs)
{
    _Alignas(64) float data[12 * 16] = {0}; // for loads and stores
    *costs = (operation_costs){0};
    for (int w = 0; w < WIDTHS; w++) {
        if (!operations_have_width(operation_widths[w]))
            continue;
        const operation_kernels *kernels = kernels_of(operation_widths[w]);
        for (machine_operation op = 0; op < MACHINE_OP_COUNT; op++) {
            work_function *run = kernels->run[op];
            if (run == NULL && w == 0)
                run = no_vector_kernels.run[op];
            if (run != NULL)
                costs->of[op][w] = measure(s, run, data, PER_LOOP);
        }
    }
}
