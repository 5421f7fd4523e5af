// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes a thread function as it is behind a stage of its compilation, one thread at a time:
//
//   selected    its values in their order; what writes a variable writes it at once
//   joined      each region's values as they need each other; variables are written at the region's end
//   packed      the same, each value by the half that has it: its operation, modifiers and constants
//   scheduled   the order's slots: operands from sources, results to lanes of virtual registers
//   coloured    the same with the registers' numbers
#ifndef SVMC_TEST_SOFTPROC_EVALUATE_H
#define SVMC_TEST_SOFTPROC_EVALUATE_H

#include "llc/softproc/compile.h"

typedef struct evaluated {
    const spc_function *f;
    spc_stage stage;
    const float *scalars;
    // An element of an input.
    void (*read)(void *user, unsigned input, float s, float t, float out[4]);
    void *user;
} evaluated;

extern const char *const stage_names[];

typedef struct evaluator evaluator;
evaluator *evaluator_create(const evaluated *what);
// Runs one thread; NULL, or what is wrong with the function. Outputs that it does not write stay.
const char *evaluator_run(evaluator *e, float x, float y, float out[SP_MAX_OUTPUTS][4]);

#endif
