// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the pass 'stages' finds out by executing firings on items that stand for themselves.
#ifndef SVMC_HLC_PASSES_STAGES_INT_H
#define SVMC_HLC_PASSES_STAGES_INT_H

#include "hlc/passes/pass.h"

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

uint32_t stage_add_item(arena *a, stage_nodes *nodes, const sir_type *t, int64_t item);
// Executes a firing: takes items from given[first] on, adds what is pushed to out. steps: that it may still take. False: it
// does something that is not followed.
bool stage_follow(arena *a, const sir_module *m, const sir_filter *f, stage_nodes *nodes, const stage_cell *given,
                  stage_cells *out, int64_t *steps);

#endif
