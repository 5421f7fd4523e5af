// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Abstract execution of functions: how many items they move, which items of the window they touch, which subscripts are
// wrong. rates_eval.c has expressions, rates.c statements, rates_check.c what is said of the result.
//
// NOTE(certain). A point is certain when every condition on the way to it was decided. What is wrong there is an error;
// elsewhere only what is wrong whatever the locals hold is one. In a canonical module nothing is: passes may find out what
// a program does wrong that stops there when it runs, and their text reads back.
#ifndef SVMC_HLC_IR_RATES_INT_H
#define SVMC_HLC_IR_RATES_INT_H

#include "hlc/ir/sir.h"

// A scalar, if it is known.
typedef struct rates_value {
    bool known;
    bool literal; // known whatever the locals hold
    bool bounded; // not known, but an int within the interval
    sir_scalar v;
    sir_interval interval;
} rates_value;

// Values of some locals that follow each other. States that are copies of each other share what neither has set since: a
// function may have as many conditions as locals.
enum { RATES_PART = 16 };
typedef struct rates_part {
    uint32_t users;
    rates_value values[]; // RATES_PART, or as many as are left
} rates_part;

// Counts of items: [min, max], max -1 being no bound.
typedef struct rates_count {
    int64_t min, max;
} rates_count;

// What was decided on a way through the function, the last first. In the arena of the execution.
typedef enum rates_turn { RATES_TRUE, RATES_FALSE, RATES_AGAIN, RATES_NO_MORE } rates_turn;
typedef struct rates_step {
    const struct rates_step *before;
    sir_loc loc; // of the condition, or the loop
    rates_turn turn;
} rates_step;

// Ways to the least and the most items that a point is reached with.
typedef struct rates_ways {
    const rates_step *least, *most;
} rates_ways;

// What holds at a point. Not alive: the point is never reached.
typedef struct rates_state {
    bool alive;
    rates_count pop, push;
    rates_ways pop_ways, push_ways;
    rates_part **locals; // those that matter, by slot; NULL: nothing is known of these
} rates_state;

typedef struct rates_run {
    const sir_module *module;
    const sir_filter *filter; // NULL: a function of the module
    const sir_function *function;
    diag_engine *d; // NULL: nothing is reported
    arena *scratch;
    uint32_t *slot; // by local: where its value is kept; SIR_NONE: it decides nothing
    size_t slots;
    bool *slot_is_int;           // by slot
    VEC(rates_part **) pool;     // storage of states that are gone
    VEC(rates_part *) parts;     // and parts of theirs
    rates_state state;           // at the point of execution
    rates_state exit;            // where the function returned, joined
    rates_state *leave, *next;   // where break and continue lead; joined
    bool certain;                // by the branches and loops around
    bool returned;               // the function may have returned before
    int64_t budget;              // statements that may still be executed one by one
    int64_t window;              // items of the window known to be touched, counted from its begin
    bool window_open;            // some offset is not known
    int64_t reach;               // no item from here on is touched, unless reach_open; counted from the window's begin
    bool reach_open;             // some touched item, or whether it is one, is not known
    sir_loc reach_at;            // the touch that says so, or reaches furthest
    VEC(const sir_expr *) peeks; // in the order in which they were met
    hmap *open;                  // peeks and subscripts that may be outside; NULL: nobody asks
    int forks;                   // undecided branches whose sides move different counts
    bool loops_open;             // a loop of unknown length moves items
    bool wrong;                  // something was reported
    hmap reported;               // expressions
    hmap *told;                  // places of warnings about other functions
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

// So may be every item at these offsets; and every one that is touched is told so.
// peek: the expression; NULL: a call.
void rates_reach(rates_run *r, const sir_expr *peek, sir_interval offset, sir_loc loc);
void rates_open(rates_run *r, const sir_expr *access);

// "'work' of filter 'LowPass(4)'", in the arena of the diagnostics.
const char *rates_function_text(const rates_run *r);
// The condition holds, or does not: what that tells of locals.
void rates_learn(rates_run *r, sir_expr *cond, bool holds);
// A copy of what is known of locals, and the way back to it.
rates_part **rates_keep_locals(rates_run *r);
void rates_restore_locals(rates_run *r, rates_part **before);
// A local's value at this point, and the same to be set.
static inline rates_value rates_local(const rates_run *r, uint32_t slot)
{
    const rates_part *part = r->state.locals[slot / RATES_PART];
    return part == NULL ? (rates_value){0} : part->values[slot % RATES_PART];
}
rates_value *rates_set_local(rates_run *r, uint32_t slot);
// The interval of an int value; all ints if nothing is known.
sir_interval rates_interval(rates_value v);
// Gives the scratch arena back, with the ways.
void rates_finish(rates_run *r);
// What function f of a filter, or of none, does, for all that rates depend on: in 128 bits. False: it is not found so.
typedef struct rates_key {
    uint64_t part[2];
} rates_key;
bool rates_find_key(const sir_module *m, const sir_filter *filter, const sir_function *f, rates_key *key);
void rates_execute(rates_run *r, const sir_module *m, const sir_filter *filter, const sir_function *f, diag_engine *d,
                   hmap *open);

#endif
