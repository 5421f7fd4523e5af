// svm_take of svm/lanes.h gives each lane its element of a table, of every kind that tables have, and the first one where a lane asks for none of them.
// RUN: %host -o %t && %t | FileCheck %s
// RUN: %host -O3 -march=native -o %t.native && %t.native | FileCheck %s
// RUN: %host -O3 -march=native -DSVM_GATHERS -o %t.gathers && %t.gathers | FileCheck %s
// RUN: %host-gcc -O2 -Wno-psabi -o %t.gcc && %t.gcc | FileCheck %s
// CHECK: 17984 lanes, 0 wrong
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <svm/arith.h>
#define SVM_LANES 8
#include <svm/lanes.h>
#undef SVM_LANES
#define SVM_LANES 16
#include <svm/lanes.h>

enum { MOST = 4096, LANES = 16 };
static int ints[MOST];
static unsigned char bytes[MOST];
static signed char signed_bytes[MOST];
static short shorts[MOST];
static float floats[MOST];

#define TRY(Items, table, type, Vector)                                                                                \
    for (int half = 0; half < 2; half++) {                                                                             \
        type got[LANES];                                                                                               \
        svm_##Vector##16 all = svm_take##Items##16(table, count, svm_loadInts16(which));                               \
        svm_##Vector##8 some = svm_take##Items##8(table, count, svm_loadInts8(which));                                 \
        half ? memcpy(got, &some, sizeof some) : memcpy(got, &all, sizeof all);                                        \
        for (int i = 0; i < (half ? LANES / 2 : LANES); i++)                                                           \
            wrong += got[i] != table[which[i] >= 0 && which[i] < count ? which[i] : 0];                                \
    }

int main(void)
{
    int wrong = 0, lanes = 0;
    for (int i = 0; i < MOST; i++) {
        ints[i] = (int)(i * 2654435761u);
        bytes[i] = (unsigned char)(i * 7 + 200);
        signed_bytes[i] = (signed char)(i % 256 - 128);
        shorts[i] = (short)(i * 16 - 32768);
        floats[i] = (float)i * 0.25F - 3;
    }
    const int counts[] = {1, 2, 3, 64, 100, 128, 129, 255, 256, 257, MOST};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        for (int round = 0; round < 102 + (k == 0) + (k == 1); round++) {
            int count = counts[k], which[LANES];
            for (int i = 0; i < LANES; i++)
                which[i] = (int)((unsigned)(round * LANES + i) * 40503u >> 4) % count;
            which[round % LANES] = round % 5 == 0   ? -1
                                   : round % 5 == 1 ? count
                                   : round % 5 == 2 ? INT_MIN
                                   : round % 5 == 3 ? INT_MAX
                                                    : count - 1;
            lanes += LANES;
            TRY(Ints, ints, int, Ints)
            TRY(Bytes, bytes, int, Ints)
            TRY(SignedBytes, signed_bytes, int, Ints)
            TRY(Shorts, shorts, int, Ints)
            TRY(Floats, floats, float, Floats)
        }
    printf("%d lanes, %d wrong\n", lanes, wrong);
    return wrong != 0;
}
