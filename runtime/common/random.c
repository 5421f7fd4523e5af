// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// random() of the language; compiled for every processor that kernels run on.
#include "svm/program.h"

// A linear congruential generator of 48 bits; two steps give 26 and 27 bits of the result.
static uint64_t step(svm_Random *r)
{
    r->state = (r->state * UINT64_C(0x5DEECE66D) + 0xB) & ((UINT64_C(1) << 48) - 1);
    return r->state;
}

double svm_random(svm_Random *r)
{
    uint64_t high = step(r) >> 22;
    uint64_t low = step(r) >> 21;
    return (double)(high << 27 | low) * 0x1p-53;
}
