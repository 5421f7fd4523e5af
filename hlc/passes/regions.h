// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stretches of actors, in the order of the module, that one channel enters and one leaves: what passes that make one filter
// of all of them ask. Rates are static.
#ifndef SVMC_HLC_PASSES_REGIONS_H
#define SVMC_HLC_PASSES_REGIONS_H

#include "hlc/passes/pass.h"

typedef struct pass_region {
    const sir_module *m;
    arena *a;
    uint32_t first, last, in, out; // actors; channels
    int64_t most;                  // firings of an actor
    int64_t *reps;                 // by actor, from the first on: firings, the least that balance
    const int64_t *lead;           // per channel: items that are there at first and none looks ahead for; NULL: 0
} pass_region;

// An end that a region may have, and the channel that leaves it there.
typedef struct pass_region_end {
    uint32_t last, out;
} pass_region_end;
typedef VEC(pass_region_end) pass_region_ends;

// What pushes the same in each firing, and takes nothing: keys, coefficients.
bool pass_is_source(const sir_actor *a);
// Some output leads nowhere, or some input comes from nowhere; only sources have no channel, with a weight of 0 in the splitter.
bool pass_has_gaps(const sir_actor *a);
// The ends of regions that begin at an actor and have no more than so many, of which `may` says that they can be in one.
// Channels inside hold `held` items at first, at most.
pass_region_ends pass_find_region_ends(arena *a, const sir_module *m, uint32_t first, uint32_t most, size_t held,
                                       bool may(void *context, uint32_t actor), void *context);
// Finds reps; false: they do not balance, or fire too often. Sources fire for those that take from them.
bool pass_region_balances(pass_region *r);
// Items that pass a channel in one firing of all.
int64_t pass_region_items(const pass_region *r, uint32_t channel);
// With all items of a firing but the last one, nothing comes out.
bool pass_region_comes_out_at_once(const pass_region *r);
// The name of the smallest stream that has all of the region's actors.
const char *pass_region_name(const pass_region *r);
// Puts an actor of the filter, which the module has, and of a name that is free, where the first one was; the others, and the
// channels inside, are noted as gone.
void pass_region_replace(sir_module *m, const pass_region *r, sir_filter *filter, const char *name, bool *gone_actor,
                         bool *gone_channel);

#endif
