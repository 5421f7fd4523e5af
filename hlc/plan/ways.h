// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ways that messages go, and what they ask of the kernels of a program.
//
// NOTE(cuts). Messages arrive between firings, so each receiver is a kernel of its own, whose runs end where a message
// comes. A receiver that must not run ahead of a sender (upstream of it, or without a way between them) waits for the
// sender's firings, one by one: such a sender is a kernel of its own too. What lies between the two fires in whole
// steady states of its kernels; where that would hold up the sender (sched_groups_fit), all actors between are kernels
// of their own. Senders of other messages stay where they are: their messages go before the items that they are due
// with.
#ifndef SVMC_HLC_PLAN_WAYS_H
#define SVMC_HLC_PLAN_WAYS_H

#include "hlc/ir/sir.h"
#include "hlc/schedule/schedule.h"

// From a sender to a receiver, by whatever portals. By sender, then by receiver.
typedef struct plan_way {
    uint32_t sender, receiver;            // actors of the program
    bool upstream, steady, held, anytime; // as of a sched_message
    int64_t latency;                      // the least; at least 0
    sched_sdep_table sdep;                // unless anytime
} plan_way;
typedef VEC(plan_way) plan_ways;

// NULL after an error, which d has.
plan_ways *plan_ways_build(arena *a, diag_engine *d, source_set *sources, const sir_module *m, const schedule *s);
// Marks the actors that are kernels of their own in any case.
void plan_ways_find_alone(const plan_ways *ways, bool *alone);
// Marks, beside, all actors between receivers and senders upstream of which they are, unless the kernels (per actor, -1:
// none) fit; true if there was one to mark.
bool plan_ways_find_between(arena *a, const plan_ways *ways, const sir_module *m, const schedule *s,
                            const uint32_t *kernel, uint32_t kernels, bool *alone);
// Whether some message may arrive at any time.
bool plan_ways_any_time(const plan_ways *ways);
// Per actor of the program: how often it fires in a row at most, as it waits for a sender whose messages go upstream, or lies
// between such two; INT64_MAX: as often as it likes.
const int64_t *plan_ways_most_firings(arena *a, const plan_ways *ways, const sir_module *m, const schedule *s);

#endif
