// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files of the pass 'chain' share.
#ifndef SVMC_HLC_PASSES_CHAIN_INT_H
#define SVMC_HLC_PASSES_CHAIN_INT_H

#include "hlc/passes/pass.h"

// Nodes of the bodies at most: of one filter, and of all that become one.
enum { CHAIN_NODES = 400, CHAIN_ALL_NODES = 2000 };

// What is known of filters, whatever actors have them.
typedef struct chain_known {
    hlc_program *hlc;
    arena *a;
    bool looks_up; // filters of few states that take bits may look several up at once
    hmap looked;   // of filters: whether they do
} chain_known;

// A graph in which some actors are taken together: those that are gone then, and the names that are there.
typedef struct chain_graph {
    arena *a;
    hlc_program *hlc;
    sir_module *m;
    chain_known *known;
    bool *gone_actor, *gone_channel;
    pass_names filters, actors;
} chain_graph;
void chain_begin(chain_graph *g, chain_known *known);
// Tries to begin with each actor; takes away what is gone, if there is any.
bool chain_try_all(chain_graph *g, bool try(void *context, uint32_t actor), void *context);

// Nodes of an actor's body where it is a filter that only moves and computes, whose pops and pushes are statements of the
// body itself, at most so many of each, and that looks no further than at what its channel holds at first, and `ahead` items
// more; 0: it is not.
size_t chain_nodes(chain_known *k, const sir_actor *a, int64_t items, int64_t ahead);
// Whether it only moves and computes; what is in the blocks of it is not looked at.
static inline bool chain_is_plain(const sir_stmt *s)
{
    return s->kind == SIR_DECL || s->kind == SIR_SET || s->kind == SIR_POP || s->kind == SIR_PUSH ||
           s->kind == SIR_IF || s->kind == SIR_FOR;
}
// Makes filters of stretches with splitters and joiners, or with several items a firing; whether there are any
// (chain_regions.c); windows: of those in which some look ahead, instead.
bool chain_regions(chain_known *k, bool windows);
// Makes one filter of one that goes by frames and one that goes item by item; whether there are any (chain_frames.c).
bool chain_frames(chain_known *k);
// Whether a loop's trips, of a known number, move no items and wait as other statements do: see NOTE(short loops) and
// NOTE(ladders) in chain.c. The nodes of all but one are added then.
bool chain_trips_wait(const sir_filter *f, const sir_stmt *loop, size_t *nodes);
// Whether a body looks at the item behind the one that it takes.
bool chain_looks_behind(const sir_block *b);
// Whether what statements leave in some field needs what they left there before; whether firings wait for each other.
bool chain_needs_itself(arena *a, const sir_filter *f, const sir_block *b);
bool chain_waits(arena *a, const sir_filter *f);

#endif
