// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Abstract execution of functions: how many items they move, which items of the window they touch, which subscripts are
// wrong. rates_eval.c has expressions, rates.c statements, rates_check.c what is said of the result.
//
// NOTE(certain). A point is certain when every condition on the way to it was decided. What is wrong there is an error;
// elsewhere only what is wrong whatever the locals hold is one.
#ifndef SVMC_HLC_IR_RATES_INT_H
#define SVMC_HLC_IR_RATES_INT_H

#include "hlc/ir/sir.h"

// A scalar, if it is known.
typedef struct rates_value {
    bool known;
    bool literal; // known whatever the locals hold
    sir_scalar v;
} rates_value;

// Counts of items: [min, max], max -1 being no bound.
typedef struct rates_count {
    int64_t min, max;
} rates_count;

// What holds at a point. Not alive: the point is never reached.
typedef struct rates_state {
    bool alive;
    rates_count pop, push;
    rates_value *locals; // those that matter, by slot
} rates_state;

typedef struct rates_run {
    const sir_module *module;
    const sir_filter *filter; // NULL: a function of the module
    const sir_function *function;
    diag_engine *d; // NULL: nothing is reported
    arena *scratch;
    uint32_t *slot; // by local: where its value is kept; SIR_NONE: it decides nothing
    size_t slots;
    VEC(rates_value *) pool;   // storage of states that are gone
    rates_state state;         // at the point of execution
    rates_state exit;          // where the function returned, joined
    rates_state *leave, *next; // where break and continue lead; joined
    bool certain;              // by the branches and loops around
    bool returned;             // the function may have returned before
    int64_t budget;            // statements that may still be executed one by one
    int64_t window;            // items of the window known to be touched, counted from its begin
    bool window_open;          // some offset is not known
    sir_loc window_at;
    int forks;       // undecided branches whose sides move different counts
    bool loops_open; // a loop of unknown length moves items
    bool wrong;      // something was reported
    hmap reported;   // expressions
    sir_loc last_pop, last_push;
} rates_run;

// Gives slots to the locals on which conditions, bounds, subscripts and offsets depend.
void rates_choose_locals(rates_run *r);
// Evaluates e and checks every peek and subscript in it.
rates_value rates_eval(rates_run *r, sir_expr *e);
// Checks the subscripts of an lvalue that is assigned.
void rates_lvalue(rates_run *r, sir_expr *e);
static inline bool rates_certain(const rates_run *r)
{
    return r->certain && !r->returned;
}

// Item at offset of the window at this point is touched.
void rates_touch(rates_run *r, const sir_expr *at, int64_t offset, bool literal, sir_loc loc);

// "'work' of filter 'LowPass(4)'", in the arena of the diagnostics.
const char *rates_function_text(const rates_run *r);
void rates_execute(rates_run *r, const sir_module *m, const sir_filter *filter, const sir_function *f, diag_engine *d);

#endif
