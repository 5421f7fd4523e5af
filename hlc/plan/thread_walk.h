// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads have no memory and no loops that are not unrolled: everything but numbers must be gone then. So a firing is walked here as
// it would run, with ints and conditions that are known; what it computes of its items becomes a graph of operations on floats. Ints
// are floats there, which have all ints to 2^24: what may be beyond that cannot be a thread. Of conditions that are not known both
// ways are walked, as both are computed.
#ifndef SVMC_HLC_PLAN_THREAD_WALK_H
#define SVMC_HLC_PLAN_THREAD_WALK_H

#include "hlc/plan/abilities.h"
#include "hlc/plan/thread_ops.h"

// Of values: none is larger, with or without its sign.
typedef struct thread_bound {
    double most;   // INFINITY: nothing is known
    bool positive; // none is below 0
} thread_bound;

typedef struct thread_walk_options {
    bool inexact;  // the processor's own division and roots will do
    bool bounding; // only bounds of what is pushed are asked for: operations that threads lack are no lack
    thread_bound items;
} thread_walk_options;

typedef struct thread_walk {
    thread_ops *ops;
    thread_values pushed;
    int64_t reach;  // items from the first one on that are looked at, or popped
    plan_lack lack; // why it cannot be a thread; text NULL: it can
    bool too_large; // it lacks ints beyond 2^24; with smaller items it may not
} thread_walk;

thread_walk thread_walk_of(arena *a, const sir_filter *f, const sir_function *work, const thread_walk_options *options);

#endif
