// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A second opinion on what programs of the soft processor mean: one thread at a time, with branches that branch,
// straight from the instructions' fields. Slow; without quads, scatter and inactive writes.
#ifndef SVMC_TEST_SOFTPROC_REFERENCE_H
#define SVMC_TEST_SOFTPROC_REFERENCE_H

#include "llc/softproc/isa.h"

typedef struct reference {
    const sp_program *program;
    float constants[SP_MAX_CONSTANTS][4];
    sp_int_constant ints[SP_MAX_INTS];
    uint32_t bools;
    // An element of an input.
    void (*read)(void *user, unsigned input, float s, float t, float out[4]);
    void *user;
} reference;

// Runs one thread; false when it is killed or takes too long.
bool reference_run(const reference *r, int x, int y, float out[SP_MAX_OUTPUTS][4]);

#endif
