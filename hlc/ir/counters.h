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

// Counts the first firings: as long as it is less than `limit` a firing does something else, and makes it one more. It is
// 0 at first.
typedef struct sir_beginning {
    uint32_t field;
    int32_t limit;
} sir_beginning;
typedef VEC(sir_beginning) sir_beginnings;

// Other fields of a state that counts round. arrays: nothing is said of them. sequences: fields that do not count round,
// and are sequences. last: each firing leaves in them what comes of its items, of arrays and of counters, or what another
// one of them held, so that a firing waits for the one before only to have that.
typedef struct sir_beside {
    sir_field_list arrays, last;
    sir_sequences sequences;
    sir_beginnings beginnings;
} sir_beside;

// The fields of the state, if all count round, whatever the items are: true, and there is at least one. Nothing but
// 'work' may change them. beside: gets those that do not; NULL: there may be none.
bool sir_find_counters(arena *a, const sir_filter *f, sir_counters *found, sir_beside *beside);
// Whether a field goes round in `most` firings, however, whatever the others do: found has its least and its greatest value.
bool sir_find_round(arena *a, const sir_filter *f, uint32_t field, uint32_t most, sir_counter *found);
// passed.c: whether a field of the state is one of those.
bool sir_find_beginning(const sir_filter *f, uint32_t field, sir_beginning *found);
bool sir_is_last(arena *a, const sir_filter *f, uint32_t field);
// sequences.c: whether a field of the state is one.
bool sir_find_sequence(arena *a, const sir_filter *f, uint32_t field, sir_sequence *found);

#endif
