// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files of the pass 'chain' share.
#ifndef SVMC_HLC_PASSES_CHAIN_INT_H
#define SVMC_HLC_PASSES_CHAIN_INT_H

#include "hlc/passes/pass.h"

// Nodes of the bodies at most: of one filter, and of all that become one.
enum { CHAIN_NODES = 400, CHAIN_ALL_NODES = 2000 };

// Nodes of an actor's body where it is a filter that only moves and computes, whose pops and pushes are statements of the
// body itself, at most so many of each, and that looks no further than at what its channel holds at first; 0: it is not.
size_t chain_nodes(const sir_module *m, const sir_actor *a, int64_t items);
// Whether the state is no more than arrays and where they begin again, so late that firings up to there are vectors.
bool chain_has_long_rings(arena *a, const sir_filter *f);
// Makes filters of stretches with splitters and joiners, or with several items a firing; whether there are any
// (chain_regions.c).
bool chain_regions(hlc_program *p, arena *a);
// Makes one filter of one that goes by frames and one that goes item by item; whether there are any (chain_frames.c).
bool chain_frames(hlc_program *p, arena *a);
// Whether a body looks at the item behind the one that it takes.
bool chain_looks_behind(const sir_block *b);
// Whether what statements leave in some field needs what they left there before; whether firings wait for each other.
bool chain_needs_itself(arena *a, const sir_filter *f, const sir_block *b);
bool chain_waits(arena *a, const sir_filter *f);

#endif
