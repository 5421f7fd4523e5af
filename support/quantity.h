// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Seconds, bytes and counts as people read them.
#ifndef SVMC_SUPPORT_QUANTITY_H
#define SVMC_SUPPORT_QUANTITY_H

#include <stdint.h>

#include "support/arena.h"

// A unit of time, in which all times of a figure or a column are told.
typedef struct quantity_unit {
    double seconds;
    const char *name; // "us"
} quantity_unit;
quantity_unit quantity_unit_for(double seconds); // in which these seconds are a number from 1 to 1000, if there is one

// Four digits that count: "14.70 ms", "0 s".
const char *quantity_seconds(arena *a, double seconds);
// The same in a unit, without its name, thousands grouped and as many decimals as the unit's own size has: "0.070", "1,234.5".
const char *quantity_seconds_in(arena *a, double seconds, quantity_unit unit);
const char *quantity_bytes(arena *a, double bytes); // "384 B", "1.5 KiB"
const char *quantity_count(arena *a, double n);     // thousands grouped, without decimals: "199,924"

#endif
