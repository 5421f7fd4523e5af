// Numbers are printed as printf prints them, and logs are merged in canonical order.
// RUN: %host -o %t && %t | FileCheck %s
// RUN: %host-gcc -o %t && %t | FileCheck %s
// RUN: %host-asan -o %t && %t | FileCheck %s
#include "check.h"

static uint64_t seed = 88172645463325252;

static uint64_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static svm_Log text;

static void checkFloat(double v)
{
    char expected[400];
    snprintf(expected, sizeof expected, "%f", v);
    if (v != v)
        strcpy(expected, "nan");
    text.len = 0;
    svm_printFloat(&text, v);
    if (text.len != strlen(expected) || memcmp(text.text, expected, text.len) != 0) {
        printf("%a: %.*s, expected %s\n", v, (int)text.len, text.text, expected);
        exit(1);
    }
    strcat(expected, "\n");
    text.len = 0;
    svm_printFloatLine(&text, v);
    CHECK(text.len == strlen(expected) && memcmp(text.text, expected, text.len) == 0);
}

static double fromBits(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, 8);
    return v;
}

static void floats(void)
{
    static const double special[] = {
        0, -0.0, INFINITY, -INFINITY, NAN, 0.5, 0.0000005, 0.0000015, 0.00000049999999, 1e-300, 5e-324, 0.9999995,
        0.99999949999, 0.99999994f, 99999999.0f, 99999992.0f, 9999999.5f, 1e8f, 0.0078125f, 999999.9999995, 1e15,
        9007199254740993.0, 9.3e18, 1.8e19, 9223372036854775808.0, 1e300, 1.7976931348623157e308,
        100000002004087734272.0};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        checkFloat(special[i]);
        checkFloat(-special[i]);
    }
    checkFloat(-NAN);
    for (int i = 0; i < 300000; i++) {
        checkFloat(fromBits(next())); // any exponent
        float f;
        uint32_t bits = (uint32_t)next();
        memcpy(&f, &bits, 4);
        checkFloat(f);
        // Floats of all sizes that have decimals, and ties of theirs.
        checkFloat((float)ldexp((double)(int32_t)bits, -(int)(next() % 80)));
        checkFloat((float)((next() % 4000001 * 2 + 1) / 2000000.0));
        checkFloat((float)ldexp((double)(next() % 16384 * 2 + 1), -7));
        // Around one, and exact ties: multiples of 2^-k.
        checkFloat((double)(int64_t)next() / 9.3e18 * 1000);
        checkFloat(ldexp((double)(next() % 2000000), -(int)(next() % 64)));
        checkFloat((double)(next() % 2000000000) / 2000000);
    }
    // Every exponent, with the last bits around each.
    for (uint64_t e = 0; e < 2047; e++)
        for (uint64_t m = 0; m < 3; m++)
            checkFloat(fromBits(e << 52 | ((m - 1) & 0xfffffffffffff)));
}

static void integers(void)
{
    for (int i = 0; i < 300000; i++) {
        int32_t v = (int32_t)((int64_t)next() >> (32 + next() % 32));
        if (i < 3)
            v = i == 0 ? INT32_MIN : i == 1 ? INT32_MAX : 0;
        char expected[16];
        snprintf(expected, sizeof expected, "%d", v);
        text.len = 0;
        svm_printInt(&text, v);
        CHECK(text.len == strlen(expected) && memcmp(text.text, expected, text.len) == 0);
        strcat(expected, "\n");
        text.len = 0;
        svm_printIntLine(&text, v);
        CHECK(text.len == strlen(expected) && memcmp(text.text, expected, text.len) == 0);
    }
}

static void say(svm_Log *l, const char *s, int n)
{
    svm_printText(l, s);
    svm_printInt(l, n);
    svm_printText(l, " ");
}

int main(void)
{
    floats();
    integers();
    text.len = 0;

    // Steady state by steady state, in the order of the array; what is not marked comes last. CHECK: a1 b1 c1 a2 b2 a3 c9 tail b9
    // CHECK-NEXT: true false -1.500000
    static svm_Log a, b, c;
    svm_Log *const logs[] = {&a, &b, &c};
    say(&b, "b", 1);
    svm_printMark(&b);
    say(&b, "b", 2);
    svm_printMark(&b);
    for (int i = 1; i < 4; i++) {
        say(&a, "a", i);
        svm_printMark(&a);
    }
    say(&c, "c", 1);
    svm_printMark(&c);
    svm_printMark(&c);
    svm_printMark(&c);
    say(&c, "c", 9);
    svm_printMerge(logs, 3);
    CHECK(a.len == 0 && a.markCount == 0 && c.len == 0);
    svm_printText(&a, "tail ");
    svm_printText(&b, "b9\n");
    svm_printMerge(logs, 3);
    svm_printMerge(logs, 3); // nothing
    svm_printBoolean(&a, true);
    svm_printText(&a, " ");
    svm_printMark(&a);
    svm_printBoolean(&a, false);
    svm_printText(&a, " ");
    svm_printFloat(&a, -1.5);
    svm_printText(&a, "\n");
    svm_printMerge(logs, 1);

    // Zeroes are bytes of a text like others.
    svm_printBytes(&a, "p\0q\0", 4);
    CHECK(a.len == 4 && memcmp(a.text, "p\0q\0", 4) == 0);
    a.len = 0;

    // A log much longer than any buffer. CHECK-NEXT: 3000000
    for (int i = 0; i < 1000000; i++)
        svm_printText(&a, "xyz");
    printf("%zu\n", a.len);
    for (int i = 0; i < 3; i++)
        svm_logDestroy(logs[i]);
    svm_logDestroy(&text);
    return 0;
}
