// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files hlc/passes/tabulate*.c share; of loops also beside.c.
#ifndef SVMC_HLC_PASSES_TABULATE_INT_H
#define SVMC_HLC_PASSES_TABULATE_INT_H

#include "hlc/ir/walk.h"
#include "hlc/passes/pass.h"

// A table is worth it where the operations take so many times the load that replaces them.
#define TABULATE_GAIN 6

// A counted loop around what becomes a table; or, counter: a field that goes round.
typedef struct tab_loop {
    uint32_t local; // the field
    bool counter;
    int32_t least;  // of its values
    int64_t extent; // of the interval from its least to its greatest value; 0: not known
    int64_t step;   // between values that it takes, positive
    int32_t now;    // while elements are computed
} tab_loop;
typedef VEC(tab_loop) tab_loops;
tab_loop tab_loop_of(const sir_stmt *s);
tab_loop *tab_find_loop(const tab_loops *loops, uint32_t local); // whose variable it is; NULL: none's, nor a counter's
// Per local: what its only assignment gives, if it is a scalar; NULL: there are others, or it is none.
sir_expr **tab_scalar_values(arena *a, const sir_function *f);

// Where expressions are computed.
typedef struct tab_values {
    const sir_module *m;
    const sir_filter *filter;
    const void *context;
    bool (*given)(const void *context, const sir_expr *e,
                  sir_scalar *r); // false: to be computed from what it consists of
} tab_values;

// False: the value is not known, the operation would stop the program, or a subscript is outside.
bool tab_compute(const tab_values *t, const sir_expr *e, sir_scalar *r);
// Where the element that an lvalue chain names lies in its variable, in scalars; -1: outside.
int64_t tab_offset(const tab_values *t, const sir_expr *e);
// The subscript of a table for a number, whose least value has the first element.
sir_expr *tab_subscript(sir_module *m, sir_expr *number, int64_t least, sir_loc loc);
// The field of a filter that is this constant table; if there is none yet a new one, with a copy of the value.
uint32_t tab_field(sir_module *m, sir_filter *f, sir_value value, sir_loc loc);

// The least number of bits from the lowest on that n has none beyond.
uint32_t tab_below(uint64_t n);
// Per local of a function, the bits that its values may have; elements of an array together. UINT32_MAX: nothing is known.
uint32_t *tab_local_bits(arena *a, const sir_module *m, const sir_filter *filter, const sir_function *f);

// A function as it was before numbers were cut to the bits that are asked for.
typedef struct tab_joined {
    sir_block body;
    size_t locals;
} tab_joined;
// Cuts them, and says whether there were any; and undoes it.
bool tab_join_masks(arena *a, sir_module *m, sir_function *f, tab_joined *before);
void tab_part_masks(sir_function *f, const tab_joined *before);

// Look-ups for what comes of a state of few values and of few bits of the items alone. bytes: left for tables.
bool tabulate_few(hlc_program *p, sir_filter *f, int64_t *bytes);
// Branches that are alike but for look-ups by a number of few values.
bool tabulate_keys(hlc_program *p, sir_filter *f, int64_t *bytes);
// Statements of which all that matters comes of numbers of few values.
bool tabulate_regions(hlc_program *p, sir_filter *f, int64_t *bytes);
// Elements of a small array that a constant table leads to.
bool tabulate_chosen(hlc_program *p, sir_filter *f, int64_t *bytes);

#endif
