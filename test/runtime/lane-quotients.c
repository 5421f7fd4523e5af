// svm_divInts of svm/lanes.h gives each lane the quotient that svm_idiv gives, and stops the program where a lane divides by zero.
// RUN: %host -o %t && %t | FileCheck %s
// RUN: %host -O3 -march=native -o %t.native && %t.native | FileCheck %s
// RUN: %host-gcc -O2 -Wno-psabi -o %t.gcc && %t.gcc | FileCheck %s
// RUN: bash -c '%t.native stop 2>&1; test $? != 0' | FileCheck %s --check-prefix=STOP
// CHECK: 73984 quotients, 0 wrong
// STOP: here: error: division by zero
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <svm/arith.h>
#define SVM_LANES 16
#include <svm/lanes.h>

enum { LANES = 16 };
static const int edges[] = {INT_MIN, INT_MIN + 1, -65537, -300, -7, -2, -1, 1, 2, 3, 7, 255, 46341, 65536, INT_MAX - 1, INT_MAX, 0};
enum { EDGES = sizeof edges / sizeof *edges };

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
    return wrong != 0;
}
