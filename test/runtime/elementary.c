// The functions of svm/elementary.h against those of double: within 0.51 units in the last place, special values as C's.
// RUN: %host -o %t && %t 9973 200000 | FileCheck %s
// RUN: %host -O3 -march=native -o %t.native && %t.native 9973 200000 | FileCheck %s
// RUN: %host-gcc -o %t.gcc && %t.gcc 9973 200000 | FileCheck %s
// Every float, in some minutes: build/test/runtime/Output/elementary.c.tmp.native 1 1000000000
// CHECK: atanf: 0 wrong
// CHECK-NEXT: expf: 0 wrong
// CHECK-NEXT: logf: 0 wrong
// CHECK-NEXT: log10f: 0 wrong
// CHECK-NEXT: tanhf: 0 wrong
// CHECK-NEXT: sinf: 0 wrong
// CHECK-NEXT: cosf: 0 wrong
// CHECK-NEXT: tanf: 0 wrong
// CHECK-NEXT: sinAlonef: 0 wrong
// CHECK-NEXT: cosAlonef: 0 wrong
// CHECK-NEXT: tanAlonef: 0 wrong
// CHECK-NEXT: alone: 0 differ
// CHECK-NEXT: atan2f: 0 wrong
// CHECK-NEXT: powf: 0 wrong
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <svm/elementary.h>

enum { MOST_SHOWN = 5 };
static const double LIMIT = 0.51; // units in the last place

static float from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static bool is_good(float got, double wanted)
{
    float rounded = (float)wanted;
    int exponent;
    if (isnan(wanted) || isnan(got))
        return isnan(wanted) && isnan(got);
    if (isinf(rounded) || isinf(got) || rounded == 0 || got == 0)
        return bits_of(rounded) == bits_of(got);
    frexp(wanted, &exponent);
    return fabs((double)got - wanted) <= LIMIT * ldexp(1, exponent - 24 < -149 ? -149 : exponent - 24);
}

static int check(const char *name, float got, double wanted, float x, float y, int wrong)
{
    if (is_good(got, wanted))
        return wrong;
    if (wrong < MOST_SHOWN)
        printf("%s(%a, %a) is %a, not %a\n", name, (double)x, (double)y, (double)got, wanted);
    return wrong + 1;
}

static uint32_t state = 1;
static uint32_t next(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

#define ONE(name, reference)                                                                                           \
    do {                                                                                                               \
        int wrong = 0;                                                                                                 \
        for (uint64_t bits = 0; bits <= UINT32_MAX; bits += step) {                                                    \
            float x = from_bits((uint32_t)bits);                                                                       \
            wrong = check(#name, svm_##name(x), reference((double)x), x, 0, wrong);                                    \
        }                                                                                                              \
        for (size_t i = 0; i < SPECIAL; i++)                                                                           \
            wrong = check(#name, svm_##name(special[i]), reference((double)special[i]), special[i], 0, wrong);         \
        printf(#name ": %d wrong\n", wrong);                                                                           \
    } while (0)

// Any bits, and numbers near 1.
#define TWO(name, reference)                                                                                           \
    do {                                                                                                               \
        int wrong = 0;                                                                                                 \
        for (size_t i = 0; i < SPECIAL * SPECIAL; i++) {                                                               \
            float x = special[i / SPECIAL], y = special[i % SPECIAL];                                                  \
            wrong = check(#name, svm_##name(x, y), reference((double)x, (double)y), x, y, wrong);                      \
        }                                                                                                              \
        for (long i = 0; i < pairs; i++) {                                                                             \
            float x = from_bits(next()), y = from_bits(next());                                                        \
            if (i % 2 == 1) {                                                                                          \
                x = ldexpf((float)next(), -31 + (int)(next() % 12)) * (i % 4 == 1 ? 1.0F : -1.0F);                     \
                y = ldexpf((float)(int32_t)next(), -31 + (int)(next() % 8));                                           \
            }                                                                                                          \
            wrong = check(#name, svm_##name(x, y), reference((double)x, (double)y), x, y, wrong);                      \
        }                                                                                                              \
        printf(#name ": %d wrong\n", wrong);                                                                           \
    } while (0)

static const float special[] = {0.0F,         -0.0F,      1.0F,       -1.0F,       2.0F,         -2.0F,
                                3.0F,         -3.0F,      0.5F,       -0.5F,       1e-45F,       -1e-45F,
                                1e-39F,       3.4e38F,    -3.4e38F,   16777216.0F, -16777216.0F, 16777215.0F,
                                -16777215.0F, 1.0000001F, 0.9999999F, -1.0000001F, 88.8F,        -104.0F,
                                0.03125F,     INFINITY,   -INFINITY,  NAN};
#define SPECIAL (sizeof special / sizeof *special)

int main(int argc, char **argv)
{
    uint64_t step = argc > 1 ? strtoull(argv[1], NULL, 10) : 9973;
    long pairs = argc > 2 ? atol(argv[2]) : 200000;
    ONE(atanf, atan);
    ONE(expf, exp);
    ONE(logf, log);
    ONE(log10f, log10);
    ONE(tanhf, tanh);
    ONE(sinf, sin);
    ONE(cosf, cos);
    ONE(tanf, tan);
    ONE(sinAlonef, sin);
    ONE(cosAlonef, cos);
    ONE(tanAlonef, tan);
    int differ = 0;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += step) {
        float x = from_bits((uint32_t)bits);
        differ += bits_of(svm_sinf(x)) != bits_of(svm_sinAlonef(x)) ||
                  bits_of(svm_cosf(x)) != bits_of(svm_cosAlonef(x)) ||
                  bits_of(svm_tanf(x)) != bits_of(svm_tanAlonef(x));
    }
    printf("alone: %d differ\n", differ);
    TWO(atan2f, atan2);
    TWO(powf, pow);
    return 0;
}
