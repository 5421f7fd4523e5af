// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the pass 'stages' finds out by executing firings on items that stand for themselves.
#ifndef SVMC_HLC_PASSES_STAGES_INT_H
#define SVMC_HLC_PASSES_STAGES_INT_H

#include "hlc/passes/regions.h"

// Items of a single group at least; steps of executing a firing.
enum { STAGE_LEAST_ALONE = 8, STAGE_STEPS = 1 << 18 };

// An operation on items, an item (SIR_PEEK), or a number that one of them needs (SIR_CONST: one for each use).
typedef struct stage_node {
    sir_expr_kind kind;
    uint8_t op, arity;
    const sir_type *type;
    sir_scalar value;
    uint32_t arg[3];
    int64_t item;
    uint32_t group; // of the items that it is made of, by union-find; SIR_NONE: of none
} stage_node;
typedef VEC(stage_node) stage_nodes;

// A scalar: known, or what a node gives.
typedef struct stage_cell {
    bool known;
    sir_scalar value;
    uint32_t node;
} stage_cell;
typedef VEC(stage_cell) stage_cells;

typedef struct stage_joiner {
    arena *a;
    hlc_program *hlc;
    sir_module *m;
    bool *gone_actor, *gone_channel;
    int64_t steps; // that the pass may still execute
    int64_t looks; // at actors of regions
    hmap known;    // of filters: whether their firings can be followed
    hmap made;     // by what regions are: stage_made
} stage_joiner;

// What a region became.
typedef struct stage_made {
    sir_filter *filter;
    int64_t items;
    size_t filters;
} stage_made;

// A number that the groups' operations have: of each group its own.
typedef struct stage_slot {
    const sir_type *type;
    sir_scalar *values; // per group
    bool differs;
    uint32_t table, at; // if it does: the field, and the place beside the group's
} stage_slot;
typedef VEC(stage_slot) stage_slots;

// Filters that are to be one.
typedef struct stage_joint {
    stage_joiner *x;
    const sir_filter *filters[32]; // where they are a row
    int64_t times[32];             // how often each fires
    size_t count;                  // filters
    const sir_type *input, *output;
    int64_t pop, push;
    stage_nodes nodes;
    stage_cells out;
    bool whole;                            // all items are one group, whether they meet or not
    int64_t most_items;                    // of a group
    size_t most_nodes;                     // likewise
    int64_t groups, apart, items, results; // items and results of a group
    uint32_t *inputs, *outputs;            // per group, in a row each: nodes
    uint32_t *slot_of;                     // per node of the first group: a slot; SIR_NONE: none
    stage_slots slots;
} stage_joint;

// Executes a firing: takes items from given[first] on, adds what is pushed to out. steps: that it may still take. False: it
// does something that is not followed.
bool stage_follow(arena *a, const sir_module *m, const sir_filter *f, stage_nodes *nodes, const stage_cell *given,
                  stage_cells *out, int64_t *steps);
// The items of a firing.
stage_cells stage_items(stage_joint *j);
// Whether an actor is a filter of floats or ints whose firings can be followed.
bool stage_can_join(stage_joiner *x, uint32_t actor);
// Finds the groups of what was executed; false: they are too large, do not do the same, or lie in another way.
bool stage_group(stage_joint *j);
// The filter, in no module so far.
sir_filter *stage_make_filter(stage_joint *j, const char *name, const char *source, sir_loc loc, sir_loc work_loc);
// Makes one filter of the longest region from an actor on that has joiners and is worth it; false: none is.
bool stage_try_region(stage_joiner *x, uint32_t actor);

// The nodes that some results are made of, but for numbers: of each the block that it is in; SIR_NONE: it is not needed.
typedef struct stage_order {
    VEC(uint32_t) nodes;
    uint32_t *block;
    uint32_t blocks;
} stage_order;
stage_order stage_order_of(arena *a, const stage_nodes *nodes, const uint32_t *results, size_t count, size_t room);

#endif
