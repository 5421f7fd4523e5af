// svm_alone, svm_aloneDouble and svm_aloneInt give what they get, bit for bit: zeros of both signs, infinities, NaNs and what is denormal.
// RUN: %host -o %t && %t
// RUN: %host -O3 -o %t && %t
// RUN: %host-gcc -o %t && %t
#include "check.h"

#include <svm/program.h>

static void check_float(uint32_t bits)
{
    float x, y;
    memcpy(&x, &bits, sizeof x);
    y = svm_alone(x);
    CHECK(memcmp(&y, &bits, sizeof y) == 0);
}

static void check_double(uint64_t bits)
{
    double x, y;
    memcpy(&x, &bits, sizeof x);
    y = svm_aloneDouble(x);
    CHECK(memcmp(&y, &bits, sizeof y) == 0);
}

int main(void)
{
    static const uint32_t floats[] = {0, 0x80000000, 1, 0x3f800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00001};
    static const uint64_t doubles[] = {0, UINT64_C(1) << 63, 1, 0x3ff0000000000000, 0x7ff0000000000000, 0x7ff8000000000001};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        check_float(floats[i]);
    for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++)
        check_double(doubles[i]);
    for (int i = -3; i < 4; i++)
        CHECK(svm_aloneInt(i) == i && svm_aloneInt(i * 715827882) == i * 715827882);
    return 0;
}
