// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fields that count round: places in a table, phases, positions in a frame.
#ifndef SVMC_HLC_IR_COUNTERS_H
#define SVMC_HLC_IR_COUNTERS_H

#include "hlc/ir/sir.h"

// Each firing makes `low` to `high` - 1 one more, and `high` `low` again. The initial value is among them.
typedef struct sir_counter {
    uint32_t field;
    int32_t low, high;
} sir_counter;
typedef VEC(sir_counter) sir_counters;

// Each firing makes x `times` x + `plus`, of which it keeps the bits of `mask`; so does the initial value.
typedef struct sir_sequence {
    uint32_t field, times, plus, mask;
} sir_sequence;
typedef VEC(sir_sequence) sir_sequences;

typedef VEC(uint32_t) sir_field_list;

// The fields of the state, if all count round, whatever the items are: true, and there is at least one. Nothing but
// 'work' may change them. arrays: gets the arrays of the state, about which nothing is said; NULL: there may be none.
// sequences: gets those that do not count round, and are sequences; NULL: there may be none.
bool sir_find_counters(arena *a, const sir_filter *f, sir_counters *found, sir_field_list *arrays,
                       sir_sequences *sequences);
// sequences.c: whether a field of the state is one.
bool sir_find_sequence(arena *a, const sir_filter *f, uint32_t field, sir_sequence *found);

#endif
