// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The trips of a counted loop, executed one by one with intervals.
#ifndef SVMC_HLC_PASSES_BORDERS_INT_H
#define SVMC_HLC_PASSES_BORDERS_INT_H

#include "hlc/ir/sir.h"

// What is not known of a test in a trip, or does not differ between trips; and a test that is not made in one.
#define BORDER_UNKNOWN INT64_MIN
#define BORDER_UNREACHED INT64_MAX

typedef struct border_trips {
    arena *a;
    const sir_function *f;
    size_t trips;
    // Comparisons: 0 or 1; quotients, for '%' and '&' too; min and max: which operand it is.
    hmap tests; // size_t, by expression
    VEC(const sir_expr *) exprs;
    size_t test_count;
    bool uneven;     // a quotient changes again and again: where it is a subscript, vectors would be put together item by item
    int64_t *states; // trips * test_count
} border_trips;

// Trips of a loop between constants, behind the last of which its variable is an int, too; else 0. What its variable is in
// a trip.
int64_t border_trip_count(const sir_stmt *s);
int32_t border_value(const sir_stmt *s, size_t trip);

// Finds the tests, and executes each trip. loops: those around it. False: there is none, or something cannot be followed.
bool border_run_trips(border_trips *t, const sir_stmt *s, const sir_stmt *const *loops, size_t loop_count);

#endif
