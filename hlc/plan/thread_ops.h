// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thread computes, as a graph of operations on floats in which equal ones are one, and how many instructions it takes: each
// has a vector half of three components, which do the same, and a scalar half of one, and operands come from the
// four components of registers (docs/softproc.md). So it is counted which results can be neighbours in a register.
#ifndef SVMC_HLC_PLAN_THREAD_OPS_H
#define SVMC_HLC_PLAN_THREAD_OPS_H

#include "support/hmap.h"
#include "support/vec.h"

typedef enum thread_op {
    THREAD_UNKNOWN,  // nothing is known of it; it costs nothing
    THREAD_ITEM,     // number `a` of the thread's window
    THREAD_VARIABLE, // number `a`, of the firing `b` items on: what rounds of a loop leave to each other
    THREAD_NUMBER,   // bits `a`
    THREAD_NEG,      // these two come with what reads them
    THREAD_ABS,
    THREAD_NOT, // of a truth: it is turned around where it is read
    THREAD_ADD,
    THREAD_MUL,
    THREAD_MIN,
    THREAD_MAX,
    THREAD_FRACTION,
    THREAD_SELECT,  // b where a is 0 or more, else c
    THREAD_SPECIAL, // of the special unit
    THREAD_LOOKUP,  // element `a` of table `b`, a number
} thread_op;

typedef struct thread_node {
    thread_op op;
    uint32_t a, b, c;
} thread_node;

typedef VEC(uint32_t) thread_values;

typedef struct thread_ops {
    arena *arena;
    VEC(thread_node) nodes; // number 0: unknown
    VEC(double) bounds;     // of each node: no value of it is larger, with or without its sign
    VEC(bool) positive;     // of each node: it is never below 0
    double items;           // the bound of items
    bool positive_items;
    hmap *known;
} thread_ops;

// A sum has the sum of its terms' bounds, so in whatever order they are added no part of it is beyond that.
thread_ops *thread_ops_create(arena *a, double items, bool positive);
uint32_t thread_ops_number(thread_ops *o, float value);
// The value is known to be so small, and never below 0.
void thread_ops_limit(thread_ops *o, uint32_t value, double bound, bool positive);
// Simplified; an equal one that is there already.
uint32_t thread_ops_add(thread_ops *o, thread_op op, uint32_t a, uint32_t b, uint32_t c);
// The value in a graph where items are `offset` further on. *copied: what has been so far, of nodes.len.
uint32_t thread_ops_shift(thread_ops *o, uint32_t value, uint32_t offset, uint32_t *copied);
// Which lookups need a coordinate that is computed: none, as each has an input of its own, all but that of the first element, or all.
typedef enum thread_coordinates { THREAD_GIVEN, THREAD_ALL_BUT_ONE, THREAD_ALL } thread_coordinates;
// A variable of its own. What it may be is told by thread_ops_limit.
uint32_t thread_ops_variable(thread_ops *o);
// Instructions that compute the outputs, four values each (0: none), and coordinates, where the values of `given`, four by four, have
// registers already. *lookups: elements of items that the outputs and `others` need.
typedef struct thread_piece {
    thread_values outputs, given, others;
    thread_coordinates coordinates;
} thread_piece;
int64_t thread_ops_instructions(const thread_ops *o, const thread_piece *piece, int64_t *lookups);
// Marks what a value is computed from, itself too, in *seen, of nodes.len.
void thread_ops_mark(const thread_ops *o, uint32_t value, bool *seen);

#endif
