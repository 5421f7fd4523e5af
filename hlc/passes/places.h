// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places of items in a firing's window, affine in the loops around, and where they lie in another order.
#ifndef SVMC_HLC_PASSES_PLACES_H
#define SVMC_HLC_PASSES_PLACES_H

#include "hlc/ir/sir.h"

// Loops that a place depends on.
enum { PLACE_LOOPS = 8 };

// constant + coefficients of loops.
typedef struct place {
    int64_t constant;
    size_t count;
    const sir_stmt *loop[PLACE_LOOPS];
    int64_t coefficient[PLACE_LOOPS];
} place;

typedef struct places {
    sir_module *m;
    arena *a;
    int64_t items;               // of a firing
    int64_t *to;                 // by item: its place in the other order
    VEC(const sir_stmt *) loops; // around what is looked at, counted
    bool moves;                  // some place is another one there
} places;

// From one constant to another, upwards.
bool places_is_counted(const sir_stmt *s);
int64_t places_trips(const sir_stmt *s);
// What an expression comes to; false: it is not affine in the loops.
bool place_of(const places *x, const sir_expr *e, place *p);
// The affine form of where the items lie that `p` stands for; false: there is none.
bool places_move(places *x, const place *p, place *q);
sir_expr *place_text(const places *x, const place *p, sir_loc loc);

#endif
