// svm/byte_lanes.h: products with matrices of bits, inverses and tables are those of each byte, whatever the processor has, and items are turned to vectors and back, whether they are a power of two or not. Compilers without vectors have one lane.
// RUN: %host -o %t && %t
// RUN: %host -O2 -march=native -o %t && %t
// RUN: %if sse4_1 %{ %host -O2 -msse4.1 -o %t && %t %}
// RUN: %if avx2 %{ %host -O2 -mavx2 -o %t && %t && %host-gcc -O2 -mavx2 -o %t && %t %}
// RUN: %if avx2 && aes %{ %host -O2 -mavx2 -maes -o %t && %t && %host-gcc -O2 -mavx2 -maes -o %t && %t %}
// RUN: %if vaes %{ %host -O2 -mavx2 -maes -mvaes -o %t && %t && %host-gcc -O2 -mavx2 -maes -mvaes -o %t && %t %}
// RUN: %host-gcc -o %t && %t
// RUN: %host-gcc -O2 -march=native -o %t && %t
// RUN: %host-asan -o %t && %t
// RUN: %if tcc %{ tcc -I%root/runtime/include -I%S/Inputs %s -lm -o %t && %t %}
#include <svm/byte_lanes.h>

#include "check.h"

enum { VALUES = 256, ITEMS = 70 };

static unsigned char bytes[VALUES], table[VALUES];
static int ints[ITEMS * 64], ints_out[ITEMS * 64 + 1];
static svm_Bytes items[ITEMS];

static unsigned next(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 11);
}

static unsigned char linear(unsigned x, uint64_t matrix)
{
    unsigned r = 0;
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 8; k++)
            r ^= (x >> k & (unsigned)(matrix >> (8 * (7 - i) + k)) & 1) << i;
    return (unsigned char)r;
}

static unsigned product(unsigned x, unsigned y)
{
    unsigned r = 0;
    for (int i = 0; i < 8; i++) {
        r ^= y >> i & 1 ? x : 0;
        x = x << 1 ^ (x > 127 ? 0x11b : 0);
    }
    return r;
}

static unsigned inverse(unsigned x)
{
    unsigned y = 0;
    while (x != 0 && product(x, y) != 1)
        y++;
    return y;
}

static void check_functions(uint64_t matrix)
{
    for (int at = 0; at < VALUES; at += svm_bytes) {
        svm_Bytes x, y[3];
        unsigned char out[3][svm_bytes];
        memcpy(&x, bytes + at, sizeof x);
        y[0] = svm_bytesLinear(x, matrix);
        y[1] = svm_bytesInverse(x ^ SVM_BYTES(0x3a), matrix);
        y[2] = svm_bytesLookUp(x, table);
        memcpy(out, y, sizeof out);
        for (int i = 0; i < svm_bytes; i++) {
            CHECK(out[0][i] == linear(bytes[at + i], matrix));
            CHECK(out[1][i] == linear(inverse(bytes[at + i] ^ 0x3aU), matrix));
            CHECK(out[2][i] == table[bytes[at + i]]);
        }
    }
}

static void check_items(int count)
{
    svm_bytesIn(items, ints, count);
    for (int k = 0; k < count; k++) {
        unsigned char lanes[svm_bytes];
        memcpy(lanes, &items[k], sizeof lanes);
        for (int l = 0; l < svm_bytes; l++)
            CHECK(lanes[l] == (unsigned char)ints[l * count + k]);
    }
    ints_out[count * svm_bytes] = -5;
    svm_bytesOut(ints_out, items, count);
    for (int i = 0; i < count * svm_bytes; i++)
        CHECK(ints_out[i] == (ints[i] & 255));
    CHECK(ints_out[count * svm_bytes] == -5);
}

int main(void)
{
    for (int i = 0; i < VALUES; i++) {
        bytes[i] = (unsigned char)(i * 77 + 5);
        table[i] = (unsigned char)next();
    }
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
        ints[i] = (int)next();
    check_functions(UINT64_C(0x0102040810204080)); // of the byte itself
    for (int i = 0; i < 100; i++)
        check_functions((uint64_t)next() << 40 ^ (uint64_t)next() << 20 ^ next());
    for (int count = 1; count <= ITEMS; count++)
        check_items(count);
    return 0;
}
