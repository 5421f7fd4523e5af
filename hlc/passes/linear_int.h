// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'linear', between its files. What a linear filter pushes are sums of products of the items in its window and
// constants (Lamb, Thies and Amarasinghe: Linear analysis and optimization of stream programs, PLDI 2003).
#ifndef SVMC_HLC_PASSES_LINEAR_INT_H
#define SVMC_HLC_PASSES_LINEAR_INT_H

#include "hlc/ir/sir.h"

// A firing: item r of those pushed is constants[r] + the sum over i of weights[r * peek + i] * peek(i).
typedef struct linear_form {
    int64_t peek, pop, push; // peek >= pop
    double *weights, *constants;
    double cost; // operations of a firing that takes each product which is not of a zero
} linear_form;

enum { LINEAR_WEIGHTS = 1 << 18 }; // of a form, at most
// Operations that composing the forms of one program takes, at most.
#define LINEAR_WORK 4e8

// What a filter without state does, found by executing a firing for items that stand for themselves; NULL: it is no such
// sum, or too large. operations: that the firing takes as it is written. work: what is left of LINEAR_WORK, which
// composing takes from as well. linear_extract.c
linear_form *linear_extract(arena *a, sir_module *m, const sir_filter *f, double *operations, double *work);

// What firings of a filter without state push in several inputs at once, if it is sums of products of items and constants,
// and nothing is added to them. Of item i the input p has items[i * probes + p]; pushed, zeros, is filled likewise. A
// complex number is two such items. False: it is no such sum, or peeks beyond what it pops, or `work` is spent. What the
// firings take as they are written is added to operations. linear_extract.c
bool linear_probe(sir_module *m, const sir_filter *f, int64_t firings, const double *items, int64_t probes,
                  double *pushed, double *operations, double *work);

// Several firings of a filter with state: the first columns of its form are the numbers of the state, in the order of the
// fields, the others the items of the window. The first rows are what is pushed, the others the state after the firings.
typedef struct linear_ahead {
    int64_t firings, states, items, sums; // columns: states + items; rows: sums + states
    linear_form *form;
    double operations, depth; // of a firing: all, and those of the state that wait for each other
    const sir_type *real;     // what holds the state's numbers and the items: double, if one of them is
} linear_ahead;

enum { LINEAR_STATES = 64 }; // numbers of a state at most
// How many numbers the state has, and their type; -1: too many, or others than of one type of float and double.
int64_t linear_states(const sir_filter *f, const sir_type **real);
// NULL: these are no such sums, or too large; at: where, if some place says so.
linear_ahead *linear_extract_ahead(arena *a, sir_module *m, const sir_filter *f, int64_t firings, double *work,
                                   sir_loc *at);

// ---- linear_compose.c ----
linear_form *linear_new(arena *a, int64_t peek, int64_t pop, int64_t push); // all zeros; NULL: too large
void linear_count(linear_form *f);                                          // finds its cost
// Two filters one behind the other, of which a firing of the second takes what some of the first give; NULL: there is
// none, or it is too large. firings: of the first.
linear_form *linear_in_row(arena *a, const linear_form *first, const linear_form *second, int64_t *firings,
                           double *work);
// A splitjoin. Of branch i: its form, NULL if it passes items on; the weights of the splitter, or NULL if that duplicates,
// and of the joiner. firings: of each branch.
linear_form *linear_side_by_side(arena *a, const linear_form *const *branches, const uint32_t *split,
                                 const uint32_t *join, size_t count, int64_t *firings, double *work);

// ---- linear_filter.c ----
// A filter that does so, of a name that the module does not have; item: float or double.
sir_filter *linear_filter(sir_module *m, const linear_form *f, const sir_type *item, const char *name,
                          const char *source, sir_loc loc);
// Whether that has loops for its sums, and is not too long, and items can hold its weights.
bool linear_is_short(const linear_form *f, const sir_type *item);

#endif
