// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds of a filter's ints, as far as the filters before it say: those of bytes that are made of bits, of what they make of them, and
// so on. What comes from outside is not known. Bounds are a promise that nobody relies on alone: a driver looks at each int.
#ifndef SVMC_HLC_PLAN_THREAD_BOUNDS_H
#define SVMC_HLC_PLAN_THREAD_BOUNDS_H

#include "hlc/plan/thread_walk.h"

struct hlc_program;

// Of the items that actors of the filter get.
thread_bound thread_bound_of(struct hlc_program *p, const sir_filter *f);

#endif
