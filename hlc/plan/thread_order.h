// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many instructions the halves of a thread function take where lookups wait for what they compute, and they for lookups: they are put
// in an order, as the processor's compiler does it (llc/softproc/compile_schedule.c).
#ifndef SVMC_HLC_PLAN_THREAD_ORDER_H
#define SVMC_HLC_PLAN_THREAD_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "support/arena.h"

enum { THREAD_HALF_LANES = 4, THREAD_HALF_NEEDS = 12, THREAD_NEEDED_BY_NONE = -1 };
typedef enum thread_half_kind { THREAD_VECTOR, THREAD_SCALAR, THREAD_EITHER } thread_half_kind;

// Half of an instruction. Values are nodes of thread_ops.h; 0: none.
typedef struct thread_half {
    thread_half_kind kind;
    uint32_t value[THREAD_HALF_LANES]; // computed
    uint32_t needs[THREAD_HALF_NEEDS]; // results of other halves, or of lookups
    int64_t needed;                    // the first lookup for which alone it is there
} thread_half;

// A lookup in a table: its result, and its coordinate, or 0 where that is no operation's result.
typedef struct thread_lookup {
    uint32_t value, at;
} thread_lookup;

typedef struct thread_order {
    arena *arena;
    size_t nodes; // of the graph
    thread_half *halves;
    size_t count;
    const thread_lookup *lookups;
    size_t lookup_count;
} thread_order;

int64_t thread_order_instructions(const thread_order *o);

#endif
