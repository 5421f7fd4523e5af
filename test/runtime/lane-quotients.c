// svm_divInts of svm/lanes.h gives each lane the quotient that svm_idiv gives, of large numbers and of such that floats hold, with -Ofast's flags too, and stops the program where a lane divides by zero.
// RUN: %host -o %t && %t | FileCheck %s
// RUN: %host -O3 -march=native -o %t.native && %t.native | FileCheck %s
// RUN: %host -O3 -march=native -fassociative-math -fno-signed-zeros -fno-trapping-math -freciprocal-math -o %t.fast && %t.fast | FileCheck %s
// RUN: %host-gcc -O2 -Wno-psabi -o %t.gcc && %t.gcc | FileCheck %s
// RUN: bash -c '%t.native stop 2>&1; test $? != 0' | FileCheck %s --check-prefix=STOP
// CHECK: 73984 quotients, 0 wrong
// CHECK: 640000 quotients of 24 bits, 0 wrong
// STOP: here: error: division by zero
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <svm/arith.h>
#define SVM_LANES 16
#include <svm/lanes.h>

enum { LANES = 16 };
static const int edges[] = {INT_MIN, INT_MIN + 1, -65537, -300,  -7,    -2,          -1,      1, 2,
                            3,       7,           255,    46341, 65536, INT_MAX - 1, INT_MAX, 0};
enum { EDGES = sizeof edges / sizeof *edges };

// Multiples of the divisor and their neighbours, where a quotient is nearest to the next one; some with one divisor for all lanes.
static int small(int *count)
{
    enum { MOST = 1 << 23 };
    int wrong = 0;
    for (int round = 0; round < 40000; round++) {
        int a[LANES], b[LANES], got[LANES];
        for (int i = 0; i < LANES; i++) {
            unsigned mixed = (unsigned)(round * LANES + (round % 2 == 0 ? 0 : i)) * 2654435761u,
                     more = (mixed ^ (unsigned)i) * 40503u;
            b[i] = (int)(mixed >> 9) >> (round / 2 % 23);
            b[i] = b[i] == 0 ? MOST - round % 3 : b[i];
            a[i] = b[i] * (int)((more >> 8) % (unsigned)(MOST / b[i] + 1)) + (int)(more >> 4) % 3 - 1;
            a[i] = a[i] > MOST - 1 ? MOST - 1 : a[i];
            a[i] = i % 3 == 0 ? -a[i] : i % 7 == 0 && round % 64 == 0 ? -MOST : a[i];
            b[i] = (round % 2 == 0 ? round : i) % 5 == 0 ? -b[i] : b[i] == MOST ? MOST - 1 : b[i];
        }
        svm_Ints16 q = svm_divInts16(svm_loadInts16(a), svm_loadInts16(b), "here");
        memcpy(got, &q, sizeof q);
        for (int i = 0; i < (int)svm_lanes16; i++)
            wrong += got[i] != svm_idiv(a[i], b[i], "here");
        *count += LANES;
    }
    return wrong;
}

int main(int argc, char **argv)
{
    (void)argv;
    int wrong = 0, count = 0;
    for (int round = 0; round < 16 * EDGES * EDGES; round++) {
        int a[LANES], b[LANES], got[LANES];
        for (int i = 0; i < LANES; i++) {
            unsigned mixed = (unsigned)(round * LANES + i) * 2654435761u;
            a[i] = i % 3 == 0 ? (int)mixed : edges[(round + i) % EDGES];
            b[i] = i % 4 == 0 ? (int)(mixed >> 9 | 1) : edges[(round / EDGES + i) % (EDGES - 1)];
        }
        if (argc > 1)
            b[5] = 0;
        svm_Ints16 q = svm_divInts16(svm_loadInts16(a), svm_loadInts16(b), "here");
        memcpy(got, &q, sizeof q);
        for (int i = 0; i < (int)svm_lanes16; i++)
            wrong += got[i] != svm_idiv(a[i], b[i], "here");
        count += LANES;
    }
    printf("%d quotients, %d wrong\n", count, wrong);
    count = 0;
    int more = small(&count);
    printf("%d quotients of 24 bits, %d wrong\n", count, more);
    return wrong + more != 0;
}
