// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the pass 'windows' finds out (windows.c) and what it makes of it (windows_rewrite.c), and what it shares with the pass
// 'registers' (windows_channels.c).
#ifndef SVMC_HLC_PASSES_WINDOWS_INT_H
#define SVMC_HLC_PASSES_WINDOWS_INT_H

#include "hlc/ir/sir.h"

// constant + a coefficient times the variable of each loop around.
typedef struct window_term {
    uint32_t local;
    int64_t first, coefficient; // the value where it was seen first
    bool known;
} window_term;

// A place that takes an item: an element of a field is read, an item popped or peeked. `at` counts items from the first
// that the firing pops; of a peek it is what has been popped before.
typedef struct window_site {
    const void *node; // sir_expr or sir_stmt
    uint32_t array;   // the field that is read; SIR_NONE: none
    uint32_t into;    // the field that the statement writes; SIR_NONE: none
    bool seen, unfit;
    int64_t at, least, most;
    VEC(window_term) terms;
} window_site;

typedef struct window_facts {
    bool *gone;     // per field: an array of items that the window takes the place of
    bool *cleared;  // per field: there are zeroes in it in the place of items
    int64_t every;  // firings from one clearing to the next; 0: there is none
    bool irregular; // they are not known to come so
    VEC(window_site *) sites;
    hmap site_of;        // by node
    int64_t back, ahead; // items kept before those of a firing; and items from those on
    sir_scalar *before;  // what the arrays held at first in the place of items, the one before the first last
    hmap given;          // items that some place reads so, by number
    // windows_find_needed: of what is left, which variables something depends on, and whether state is among them.
    bool *needs_local, *needs_field;
    bool stateful;
    bool unfit; // something that is left cannot be peeked
} window_facts;

void windows_find_needed(sir_module *m, arena *a, sir_filter *f, window_facts *w);
// Peeks instead of elements and pops; without what nothing needs.
void windows_rewrite(sir_module *m, arena *a, sir_filter *f, const window_facts *w);

// ---- windows_channels.c ----

struct hlc_program;

// Tries all filters with state that are nothing but what `work` does, whose rates are known, and on whose channels there is room
// for items in front; each with an arena of its own. Whether it changed any.
bool windows_try_all(struct hlc_program *p, bool try(struct hlc_program *p, sir_filter *f, arena *a));
// Puts these items on the channels of a filter, in front of all others.
void windows_fill_channels(sir_module *m, const sir_filter *f, const sir_scalar *before, int64_t count);
// Pops, at the end of a body that pops nothing, what it declares.
void windows_add_pops(sir_module *m, sir_filter *f);

#endif
