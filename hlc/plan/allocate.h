// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses by lifetime: objects that live at different times may lie at the same place.
#ifndef SVMC_HLC_PLAN_ALLOCATE_H
#define SVMC_HLC_PLAN_ALLOCATE_H

#include <stddef.h>
#include <stdint.h>

#include "support/arena.h"

typedef struct plan_object {
    uint64_t bytes;
    uint64_t alignment;   // of its address; a power of two, 0 means 1
    uint32_t first, last; // the stages, in any numbering, in which it lives; both inclusive, first <= last
    uint64_t address;     // the answer: from the start of the area
} plan_object;

typedef struct plan_allocation {
    uint64_t bytes; // of the area
    uint64_t bound; // no area can be smaller: the most bytes that live in one stage
} plan_allocation;

// Gives every object an address so that no two that live in a common stage overlap. Deterministic. Takes about
// n log n steps, times how many live at a time, for each of several orders of placing them, and takes the best. The
// area is never larger than that of first fit in order of the first stages, up to some ten thousand objects.
plan_allocation plan_allocate(plan_object *objects, size_t count);

#endif
