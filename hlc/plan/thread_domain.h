// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Firings that push more than a thread has outputs for, as threads of their own: a loop nest whose trips each push one item is a
// row of a domain, with a thread for every four trips of its innermost loop. What the trips look at moves with the loops' counters,
// a whole number of elements for each, so that a thread knows from its place in the row which elements it needs.
//
//     for i = 0 to 32 { for j = 0 to 32 { ... peek(32 * i + k) * peek(1024 + 32 * j + k) ...; push(sum) } }
//
// is 8 threads for each i; thread (i, j) needs 8 elements from number 8 * i on, and 32 from 256 + 32 * j on. Of one loop alone the
// last thread may have less than four trips.
#ifndef SVMC_HLC_PLAN_THREAD_DOMAIN_H
#define SVMC_HLC_PLAN_THREAD_DOMAIN_H

#include "hlc/ir/sir.h"

// Elements of the firing's items that lie together, and are together in what the block peeks.
typedef struct plan_window {
    int64_t first, elements;
    VEC(int64_t) strides; // elements that a trip of each loop moves it by
} plan_window;

typedef struct plan_domain {
    sir_filter *block;  // what a thread computes: it pops the windows, one behind the other, and pushes four items
    VEC(int64_t) trips; // of the loops, outermost first; of the last, four at a time
    VEC(plan_window) windows;
    int64_t elements; // of a firing's items: up to the last window's end
    bool rows; // rows of whole elements, of whole batches; else a driver copies them, with as many items as there are
} plan_domain;

// NULL: the filter's firings are no such nest.
const plan_domain *plan_domain_of(arena *a, const sir_filter *f);
int64_t plan_domain_threads(const plan_domain *d); // of a firing

#endif
