// The arithmetic of svm/arith.h against wider or independent computations.
// RUN: %host -o %t && %t
// RUN: %host-gcc -o %t && %t
// RUN: %host-asan -o %t && %t
#include "check.h"

#include <complex.h>

static const int32_t ints[] = {0,  1,  -1, 2,  -2,  3,  -3,  7,   10, 31, 32, 33, -31, -32, -33, 64, 1000, 46341, -46341, 65535,
                               65536, 0x55555555, 0x7ffffffe, INT32_MAX, INT32_MIN, INT32_MIN + 1};
enum { INTS = sizeof ints / sizeof *ints };

static int32_t wrap(int64_t v)
{
    int64_t low = v & 0xffffffff;
    return (int32_t)(low >= 0x80000000 ? low - 0x100000000 : low);
}

static void integers(void)
{
    for (int i = 0; i < INTS; i++) {
        CHECK(svm_ineg(ints[i]) == wrap(-(int64_t)ints[i]));
        for (int j = 0; j < INTS; j++) {
            int64_t a = ints[i], b = ints[j];
            CHECK(svm_iadd(ints[i], ints[j]) == wrap(a + b));
            CHECK(svm_isub(ints[i], ints[j]) == wrap(a - b));
            CHECK(svm_imul(ints[i], ints[j]) == wrap(a * b));
            int64_t n = ((b % 32) + 32) % 32, power = (int64_t)1 << n;
            CHECK(svm_shl(ints[i], ints[j]) == wrap(a * power));
            int64_t floored = a >= 0 ? a / power : -((-a + power - 1) / power);
            CHECK(svm_shr(ints[i], ints[j]) == floored);
            uint64_t twice = (uint64_t)(uint32_t)ints[i] << 32 | (uint32_t)ints[i];
            CHECK((uint32_t)svm_rotl(ints[i], ints[j]) == (uint32_t)((twice << n) >> 32));
            if (b) {
                CHECK(svm_idiv(ints[i], ints[j], "") == wrap(a / b));
                CHECK(svm_irem(ints[i], ints[j], "") == wrap(a % b));
            }
        }
    }
    CHECK(svm_idiv(INT32_MIN, -1, "") == INT32_MIN && svm_irem(INT32_MIN, -1, "") == 0);
    CHECK(svm_idivUp(0, 7) == 0 && svm_idivUp(INT32_MAX, 10) == 214748364 && svm_iremUp(INT32_MAX, 10) == 7 &&
          svm_iremUp(6, 7) == 6);
    CHECK(svm_iremOnce(0, 7) == 0 && svm_iremOnce(6, 7) == 6 && svm_iremOnce(7, 7) == 0 && svm_iremOnce(13, 7) == 6);
    CHECK(svm_iremOnce(INT32_MAX, INT32_MAX) == 0 && svm_iremOnce(INT32_MAX, 1 << 30) == (1 << 30) - 1);
    CHECK(svm_iabs(0) == 0 && svm_iabs(7) == 7 && svm_iabs(-7) == 7 && svm_iabs(INT32_MIN + 1) == INT32_MAX &&
          svm_iabs(INT32_MIN) == INT32_MIN);
    CHECK(svm_halves(1, 0) == 1 && svm_halves(8, 0) == 4 && svm_halves(8, 3) == 1 && svm_halves(7, 3) == 0);
    CHECK(svm_halves(0, 0) == 0 && svm_halves(-5, 0) == 0 && svm_halves(INT32_MIN, 1) == 0 && svm_halves(INT32_MAX, 1) == 30);
    CHECK(svm_idiv(-7, 2, "") == -3 && svm_irem(-7, 3, "") == -1 && svm_shl(1, 33) == 2 && svm_shr(-5, 1) == -3);
}

static int32_t saturate(long double x)
{
    if (x != x)
        return 0;
    x = truncl(x);
    return x >= INT32_MAX ? INT32_MAX : x <= INT32_MIN ? INT32_MIN : (int32_t)x;
}

static void conversions(void)
{
    // Every float whose low bits are one of a few patterns: all exponents, signs, infinities and NaNs.
    static const uint32_t low[] = {0, 1, 0x7fff, 0x8000, 0xffff};
    for (uint32_t high = 0; high < 0x10000; high++) {
        for (int i = 0; i < 5; i++) {
            uint32_t bits = high << 16 | low[i];
            float f;
            memcpy(&f, &bits, 4);
            CHECK(svm_f2i(f) == saturate(f));
            double d = (double)f * 1.0000001;
            CHECK(svm_d2i(d) == saturate(d));
        }
    }
    static const double edges[] = {2147483646.5, 2147483647.0, 2147483647.5, 2147483648.0, -2147483648.0, -2147483648.5,
                                   -2147483649.0, -2147483647.5, 0.999999, -0.999999, 1e300, -1e300};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        CHECK(svm_d2i(edges[i]) == saturate(edges[i]));
}

static bool same(float a, float b)
{
    return memcmp(&a, &b, 4) == 0 || (a != a && b != b);
}

static void reals(void)
{
    float values[] = {0.0F, -0.0F, 1.0F, -1.0F, 0.5F, -0.5F, 1.5F, 2.5F, -2.5F, 0.49999997F, 8388609.0F, INFINITY, -INFINITY, NAN};
    int count = sizeof values / sizeof *values;
    for (int i = 0; i < count; i++) {
        float x = values[i];
        CHECK(same(svm_fabs(x), signbit(x) ? -x : x));
        CHECK(same(svm_fround(x), (float)floor((double)(x + 0.5F))));
        CHECK(same(svm_frint(x), (float)nearbyint(x)));
        for (int j = 0; j < count; j++) {
            float a = x, b = values[j];
            CHECK(same(svm_fmax(a, b), isgreater(a, b) ? a : b));
            CHECK(same(svm_fmin(a, b), isless(a, b) ? a : b));
            CHECK(same((float)svm_dmax(a, b), isgreater(a, b) ? a : b));
            CHECK(same((float)svm_dmin(a, b), isless(a, b) ? a : b));
        }
    }
    CHECK(svm_fround(-2.5F) == -2.0F && svm_fround(2.5F) == 3.0F && svm_dround(-2.5) == -2.0 && svm_frint(2.5F) == 2.0F);
    CHECK(svm_fround(0.49999997F) == 1.0F); // as the formula has it
    CHECK(!signbit(svm_fabs(-0.0F)) && signbit(svm_fmax(0.0F, -0.0F)) && svm_dabs(-3) == 3 && svm_drint(3.5) == 4);
}

static void fixedPoint(void)
{
    for (int i = 0; i < 256; i++)
        CHECK(same(svm_fromFixed((uint8_t)i), (float)i / 255.0F));
    CHECK(svm_toFixed(0.5F) == 127 && svm_toFixed(1.0F) == 255 && svm_toFixed(0.0039F) == 0);
    CHECK(svm_toFixed(-1.0F) == 0 && svm_toFixed(INFINITY) == 255 && svm_toFixed(NAN) == 0);
    for (int i = 0; i < 65536; i++)
        CHECK(svm_toShortFixed(svm_fromShortFixed((uint16_t)i)) == i);
    CHECK(svm_toShortFixed(-1.0F) == 0 && svm_toShortFixed(2.0F) == 65535 && svm_toShortFixed(NAN) == 0);
}

static bool near(svm_Complex z, double complex w, double tolerance)
{
    double error = cabs((double)z.real + I * (double)z.imag - w);
    return error <= tolerance * (cabs(w) + 1e-3);
}

static void complexes(void)
{
    for (int i = 0; i < 10000; i++) {
        svm_Complex a = svm_complex((float)(rand() % 2001 - 1000) / 250, (float)(rand() % 2001 - 1000) / 250);
        svm_Complex b = svm_complex((float)(rand() % 2001 - 1000) / 250, (float)(rand() % 2001 - 1000) / 250);
        double complex x = a.real + I * a.imag, y = b.real + I * b.imag;
        CHECK(near(svm_cadd(a, b), x + y, 1e-6));
        CHECK(near(svm_csub(a, b), x - y, 1e-6));
        CHECK(near(svm_cmul(a, b), x * y, 1e-5));
        if (cabs(y) > 0.01)
            CHECK(near(svm_cdiv(a, b), x / y, 1e-5));
        CHECK(near(svm_cneg(a), -x, 0));
        CHECK(svm_ceq(a, a) && !svm_ceq(a, svm_complex(a.real, a.imag + 1)) && !svm_ceq(a, svm_complex(a.real + 1, a.imag)));
        CHECK(fabs(svm_cabs(a) - cabs(x)) < 1e-5 && fabs(svm_carg(a) - carg(x)) < 1e-5);
        CHECK(near(svm_cexp(a), cexp(x), 1e-5));
        CHECK(near(svm_csin(a), csin(x), 1e-5));
        CHECK(near(svm_ccos(a), ccos(x), 1e-5));
        CHECK(near(svm_csqrt(a), csqrt(x), 1e-5));
        if (cabs(x) > 0.01) {
            CHECK(near(svm_clog(a), clog(x), 1e-4));
            CHECK(near(svm_cpow(a, svm_complex(2, 0)), x * x, 1e-4));
            CHECK(near(svm_cpow(a, svm_complex(0, 1)), cpow(x, I), 1e-4));
        }
    }
    svm_Complex root = svm_csqrt(svm_complex(3, 4));
    CHECK(root.real == 2.0F && root.imag == 1.0F);
    root = svm_csqrt(svm_complex(-4, 0));
    CHECK(root.real == 0.0F && root.imag == 2.0F);
    root = svm_csqrt(svm_complex(-4, -0.0F));
    CHECK(root.real == 0.0F && root.imag == -2.0F);
    root = svm_csqrt(svm_complex(0, 0));
    CHECK(root.real == 0.0F && root.imag == 0.0F);
    svm_Complex zero = svm_complex(0, 0), one = svm_complex(1, 0);
    CHECK(svm_ceq(svm_cpow(zero, zero), one) && svm_ceq(svm_cpow(zero, one), zero));
}

// The language's generator, against the recurrence written out in wide arithmetic.
static void randoms(void)
{
    svm_Random r = SVM_RANDOM_INIT;
    uint64_t s = 1182736490827;
    const uint64_t modulus = (uint64_t)1 << 48;
    double sum = 0;
    for (int i = 0; i < 100000; i++) {
        __extension__ typedef unsigned __int128 wide;
        s = (uint64_t)(((wide)s * 25214903917 + 11) % modulus);
        uint64_t high = s / (modulus >> 26);
        s = (uint64_t)(((wide)s * 25214903917 + 11) % modulus);
        uint64_t low = s / (modulus >> 27);
        double x = svm_random(&r);
        CHECK(x == ((double)high * 134217728.0 + (double)low) / 9007199254740992.0);
        sum += x;
    }
    CHECK(sum > 49000 && sum < 51000);
}

int main(void)
{
    integers();
    conversions();
    reals();
    fixedPoint();
    complexes();
    randoms();
    return 0;
}
