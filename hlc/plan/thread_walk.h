// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads have no memory: when loops are unrolled, everything but numbers must be gone. So a firing is walked here as it would run, with
// ints and conditions that are known; what it computes of its items becomes a graph of operations on floats. Ints are floats there,
// which have all ints to 2^24: what may be beyond that cannot be a thread. Of conditions that are not known both ways are walked, as
// both are computed. Long loops may stay loops: of such one round is walked, with a variable for each number that it leaves to the next.
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
    int64_t keep; // loops of so many rounds stay loops; 0: none does
} thread_walk_options;

// A loop that stays one. Its variables: what each is in front of it and behind a round.
typedef struct thread_loop {
    int64_t rounds;
    double times;    // that a thread does a round
    uint32_t parent; // the loop around it, or NO_LOOP
    thread_values variables, before, after;
} thread_loop;
#define NO_LOOP UINT32_MAX

typedef struct thread_walk {
    thread_ops *ops;
    thread_values pushed;
    int64_t tables; // that are looked up with computed subscripts
    VEC(thread_loop) loops;
    int64_t longest; // rounds of the longest loop that is unrolled; 0: there is none
    bool too_long;   // it lacks nothing but room: with loops that stay loops it may not
    int64_t reach;   // items from the first one on that are looked at, or popped
    plan_lack lack;  // why it cannot be a thread; why NULL: it can
    bool too_large;  // it lacks ints beyond 2^24; with smaller items it may not
} thread_walk;

thread_walk thread_walk_of(arena *a, const sir_filter *f, const sir_function *work, const thread_walk_options *options);

#endif
