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

// The fields of the state, if all count round, whatever the items are: true, and there is at least one. Nothing but
// 'work' may change them.
bool sir_find_counters(arena *a, const sir_filter *f, sir_counters *found);

#endif
