// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What functions do beside giving a value, over all functions reachable from some.
#ifndef SVMC_HLC_IR_EFFECTS_H
#define SVMC_HLC_IR_EFFECTS_H

#include "hlc/ir/sir.h"

typedef struct sir_effect_flags {
    bool prints, random, iter, sends;
    bool tape;   // pops or pushes
    bool native; // calls into foreign code
} sir_effect_flags;

typedef struct sir_function_effects {
    sir_function *function;
    sir_effect_flags flags;
    bool *writes_param; // by position: assigns an array that came by reference
    bool *writes_field; // by position
} sir_function_effects;

typedef struct sir_effects {
    arena *arena;
    uint32_t field_count;
    hmap by_function;
    VEC(sir_function_effects *) functions;
} sir_effects;

// filter NULL: functions of the module only.
void sir_effects_init(sir_effects *x, arena *a, const sir_filter *filter);
void sir_effects_add(sir_effects *x, sir_function *f); // a function from which others are reached
void sir_effects_solve(sir_effects *x);                // to be called after the last add
const sir_function_effects *sir_effects_of(const sir_effects *x, const sir_function *f);

#endif
