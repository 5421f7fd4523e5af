// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference interpreter: runs stream IR as it is, with no optimisation of the graph or the bodies; the oracle that every backend is compared with.
//
// NOTE(order). The initialisation schedule, then steady state by steady state; within each, actors in canonical order, all firings of one before the next where the
// channels allow (in a feedback cycle: rounds, each actor as often as it can up to its count). Printed text is collected per actor and written in actor order at the end of
// the initialisation and of each steady state. A steady state starts only if every reader with a positive count has at least one item left; otherwise, or when a reader
// ends inside one, the program drains: sources finish the steady state begun (none if none began), every other actor fires as often as its input allows (sched_exhaust).
// The same rule holds for the initialisation phase, which is begun in any case.
#ifndef SVMC_HLC_INTERP_H
#define SVMC_HLC_INTERP_H

#include "hlc/ir/sir.h"
#include "hlc/schedule/schedule.h"
#include "support/strbuf.h"

typedef struct interp_options {
    int64_t iterations; // -i; -1: until a source ends
    bool loop_input;
    const char *in, *out; // the program's own input and output, raw; NULL: standard streams
    bool tag_prints;      // every printed line begins with the name of its actor
    bool check_rates;     // -fcheck-rates: functions against the rates that they declare; firings always are
    bool count;           // print the number of executed operations to standard error
    // Looking inside, on standard error. Actors by name, channels as "FROM:TO".
    const char *trace; // what is to be traced, commas between; NULL: nothing
    const char *const
        *sets; // messages before the first firing, "Portal.handler=value,value"; NULL behind the last; NULL: none
    const char *stop_at; // "ACTOR:N": stop before that firing and show the actor, exit status 0; NULL: run on
} interp_options;

// Items as they lie in files, from and to their scalars one after the other.
void interp_encode_items(strbuf *out, const sir_type *item, const sir_scalar *scalars, size_t count);
// Those of all whole items; count: of scalars. Bits of the last byte that no item is for are items too.
const sir_scalar *interp_decode_items(arena *a, const sir_type *item, const char *bytes, size_t len, size_t *count);

// Runs to the end; gives the exit status: 0, or 1 after a message (run-time error of the program: located in the source; unreadable input; failed write).
int interp_run(const sir_module *m, const schedule *s, diag_engine *d, const interp_options *options);

#endif
