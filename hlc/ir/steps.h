// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters that take bits and give what comes of them alone, as state machines: a decoder that follows a tree bit by bit, a
// search for a mark, a count of runs.
#ifndef SVMC_HLC_IR_STEPS_H
#define SVMC_HLC_IR_STEPS_H

#include "hlc/ir/sir.h"

// What a bit does in a state: where the filter then waits for the next one, and which values it pushes on the way there.
typedef struct sir_step {
    uint32_t next, first, count;
} sir_step;

typedef struct sir_steps {
    VEC(sir_step) steps; // two a state, for 0 and 1; the filter begins in state 0
    VEC(sir_scalar) values;
} sir_steps;

// Whether the filter is one with few states, of which no firing gives anything before it has taken the items that it needs to
// begin, and none breaks the rates that it declares. No two of the states do the same.
bool sir_find_steps(arena *a, const sir_module *m, const sir_filter *f, sir_steps *found);
// The same of a filter that keeps one int, and whose firings take one item and give the same number each: with the int's value by
// state, which states that do the same do not share.
typedef struct sir_int_steps {
    sir_steps steps;
    VEC(int32_t) values;
} sir_int_steps;
bool sir_find_int_steps(arena *a, const sir_module *m, const sir_filter *f, sir_int_steps *found);
// Whether none of the values is below zero or above what a table has rows for, and all that is pushed is 0 or 1.
enum { SIR_INT_STEPS_MOST = 64 };
bool sir_int_steps_are_few(const sir_int_steps *s);
// The most values that so many bits push, whatever the state.
uint32_t sir_steps_most(arena *a, const sir_steps *s, int bits);

#endif
