// svm_gather, svm_scatter and svm_next of svm/lanes.h move each lane to its place, of few lanes and of more than loops are unrolled for: there all lanes were stored and loaded again for each one, ten times as slow.
// RUN: %host -o %t && %t | FileCheck %s
// RUN: %host -O3 -march=native -o %t.native && %t.native | FileCheck %s
// RUN: %host-gcc -O2 -Wno-psabi -o %t.gcc && %t.gcc | FileCheck %s
// CHECK: 123 moves of lanes, 0 wrong
// No part of 64 lanes is stored but one by one: within a loop over lanes it would be all of them.
// RUN: %cc -std=c11 -O3 -march=x86-64-v3 -I %root/runtime/include -DSCATTER -S %s -o - | FileCheck %s --check-prefix=CODE
// CODE: scatter_of_64:
// CODE-NOT: %ymm{{[0-9]+}}, {{-?[0-9]*}}(%rsp
#include <stdio.h>
#include <string.h>
#include <svm/arith.h>
#define SVM_LANES 4
#include <svm/lanes.h>
#undef SVM_LANES
#define SVM_LANES 16
#include <svm/lanes.h>
#undef SVM_LANES
#define SVM_LANES 64
#include <svm/lanes.h>

#ifdef SCATTER
void scatter_of_64(float *to, const float *from)
{
    svm_scatterFloats64(to, 5, svm_loadFloats64(from));
}
#else
enum { STRIDES = 20, MOST = 64 * STRIDES };

#define TRY(Items, type, lanes)                                                                                        \
    {                                                                                                                  \
        type from[MOST], to[MOST], row[MOST];                                                                          \
        for (int i = 0; i < MOST; i++) {                                                                               \
            from[i] = (type)(i * 3 - 100);                                                                             \
            to[i] = -7;                                                                                                \
        }                                                                                                              \
        svm_store##Items##lanes(row, svm_gather##Items##lanes(from, stride));                                          \
        svm_scatter##Items##lanes(to, stride, svm_load##Items##lanes(from));                                           \
        for (int i = 0; i < lanes; i++)                                                                                \
            wrong += row[i] != from[i * stride];                                                                       \
        for (int i = 0; i < MOST; i++)                                                                                 \
            wrong += to[i] != (i % stride == 0 && i < lanes * stride ? from[i / stride] : -7);                         \
        moves++;                                                                                                       \
    }

#define NEXT(lanes)                                                                                                    \
    {                                                                                                                  \
        float from[lanes], row[lanes];                                                                                 \
        for (int i = 0; i < lanes; i++)                                                                                \
            from[i] = (float)i;                                                                                        \
        svm_storeFloats##lanes(row, svm_nextFloats##lanes(svm_loadFloats##lanes(from), -1));                           \
        for (int i = 0; i < lanes; i++)                                                                                \
            wrong += row[i] != (float)(i - 1);                                                                         \
        moves++;                                                                                                       \
    }

int main(void)
{
    int wrong = 0, moves = 0;
    for (int stride = 1; stride <= STRIDES; stride++) {
        TRY(Floats, float, 4)
        TRY(Floats, float, 16)
        TRY(Floats, float, 64)
        TRY(Ints, int, 4)
        TRY(Ints, int, 16)
        TRY(Ints, int, 64)
    }
    NEXT(4)
    NEXT(16)
    NEXT(64)
    printf("%d moves of lanes, %d wrong\n", moves, wrong);
    return wrong != 0;
}
#endif
