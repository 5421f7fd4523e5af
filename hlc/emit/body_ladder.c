// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ladders: loops through which a number goes from trip to trip, and leaves an element of the state in each, as lattices do.
//
// The next firing needs each element soon after it was there: its first trips may begin while the last ones of the firing
// before are still to come. A C compiler that writes such a loop out finds elements side by side and joins them to vectors,
// each of which waits for the last of its elements, and a firing for all of the one before. So what is stored is
// svm_alone(..), which no vector takes up.
//
// NOTE(states). So it is where some numbers of the state become what the same operations make of them and of items, as in two
// recursive filters of a firing: joined, each waits for the other and for what joins and parts them.
#include <string.h>

#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

// Elements of an array that may still be registers. Numbers of the state that wait by themselves: with more of them there are
// enough operations at a time for vectors to save some (measured: two stereo biquads in a row, eight numbers, 1.6 times as fast).
enum { MOST_ELEMENTS = 128, MOST_STATES = 16 };
// Statements that are looked at, all together, for ints that come of themselves.
enum { MOST_VISITS = 1 << 20 };

typedef struct ladder_walk {
    const body_context *c;
    bool *own;        // per local: declared in the loop
    bool *goes;       // per local: comes of a number that goes from trip to trip
    bool *of;         // per local: comes of the one at hand by others that are declared in the loop
    uint8_t *returns; // per local: an answer, whether it comes of itself by such; 0: nobody has asked so far
    int64_t visits;   // statements that are still looked at for that
    uint32_t at;
    bool changed, any, itself, product;
} ladder_walk;

static bool is_number(const sir_type *t)
{
    return t->kind == SIR_FLOAT || t->kind == SIR_DOUBLE || (t->kind == SIR_INT && t->storage == SIR_STORED_WHOLE);
}

static bool mentions(const bool *locals, const sir_expr *e)
{
    if (e->kind == SIR_LOCAL)
        return locals[e->index];
    for (size_t i = 0; e->kind != SIR_CONST && i < sir_expr_arity(e); i++)
        if (mentions(locals, e->u.arg[i]))
            return true;
    return false;
}

// The local that a statement gives a value, and that; UINT32_MAX: it does not.
static uint32_t local_set(const sir_stmt *s, const sir_expr **value)
{
    *value = NULL;
    if (s->kind == SIR_SET && s->u.set.target->kind == SIR_LOCAL) {
        *value = s->u.set.value;
        return s->u.set.target->index;
    }
    if (s->kind == SIR_DECL && s->u.decl.init != NULL) {
        *value = s->u.decl.init;
        return s->u.decl.local;
    }
    return UINT32_MAX;
}

static bool multiplies(const sir_expr *e)
{
    bool any = e->kind == SIR_BINARY && e->op == LANG_OP_MUL;
    for (size_t i = 0; e->kind != SIR_CONST && i < sir_expr_arity(e) && !any; i++)
        any = multiplies(e->u.arg[i]);
    return any;
}

static void find_of(void *context, sir_stmt *s)
{
    ladder_walk *w = context;
    const sir_expr *value;
    uint32_t local = w->visits-- > 0 ? local_set(s, &value) : UINT32_MAX;
    if (local == UINT32_MAX || !mentions(w->of, value))
        return;
    w->itself |= local == w->at;
    if (w->own[local] && !w->of[local])
        w->of[local] = w->changed = true;
}

enum { RETURNS_NO = 1, RETURNS_YES };

// Whether x = f(x), maybe by way of locals of a trip. It is found once for each, and not at all where bodies are so long that
// it would take seconds.
static bool comes_of_itself(ladder_walk *w, uint32_t local, const sir_block *body)
{
    bool changed = w->changed;
    if (w->returns[local] != 0)
        return w->returns[local] == RETURNS_YES;
    memset(w->of, 0, w->c->function->locals.len * sizeof *w->of);
    w->of[w->at = local] = true;
    w->itself = false;
    do {
        w->changed = false;
        sir_visit_stmts(body, find_of, w);
    } while (w->changed && w->visits > 0);
    w->changed = changed;
    w->itself &= w->visits > 0;
    w->returns[local] = w->itself ? RETURNS_YES : RETURNS_NO;
    return w->itself;
}

typedef struct ladder_visit {
    ladder_walk *w;
    const sir_block *body;
} ladder_visit;

// A number that is from before the loop and comes of itself; and what comes of such. Ints are mostly counts; those of a filter
// in fixed point are multiplied, and limited on their way.
static void find_going(void *context, sir_stmt *s)
{
    const ladder_visit *v = context;
    ladder_walk *w = v->w;
    const sir_expr *value;
    uint32_t local = local_set(s, &value);
    if (local == UINT32_MAX || w->goes[local])
        return;
    const sir_type *t = w->c->function->locals.data[local].type;
    bool from_before = s->kind == SIR_SET && !w->own[local];
    bool itself = t->kind == SIR_INT ? w->product && from_before && comes_of_itself(w, local, v->body)
                                     : from_before && sir_count_local_in((sir_expr *)(uintptr_t)value, local) != 0;
    if (is_number(t) && (t->kind != SIR_INT || w->product) && (itself || mentions(w->goes, value)))
        w->goes[local] = w->changed = w->any = true;
}

static void find_product(void *context, sir_stmt *s)
{
    ladder_walk *w = context;
    const sir_expr *value;
    if (local_set(s, &value) != UINT32_MAX)
        w->product |= multiplies(value);
}

const bool *body_ladder(const body_context *c, const sir_stmt *loop, arena *a)
{
    ladder_walk w = {.c = c, .visits = MOST_VISITS};
    if (c->e->most_trips == 0 || c->info == NULL || c->function->kind != SIR_WORK || c->dynamic || c->lanes > 0 ||
        c->vectors > 0 || c->info->filter->finite)
        return NULL;
    w.own = ARENA_ARRAY(a, bool, c->function->locals.len + 1);
    w.goes = ARENA_ARRAY(a, bool, c->function->locals.len + 1);
    w.of = ARENA_ARRAY(a, bool, c->function->locals.len + 1);
    w.returns = ARENA_ARRAY(a, uint8_t, c->function->locals.len + 1);
    const ladder_visit v = {&w, &loop->u.for_.body};
    sir_visit_stmts(&loop->u.for_.body, find_product, &w);
    sir_declared_locals(&loop->u.for_.body, w.own);
    do {
        w.changed = false;
        sir_visit_stmts(&loop->u.for_.body, find_going, (void *)(uintptr_t)&v);
    } while (w.changed);
    return w.any ? w.goes : NULL;
}

// ---- Numbers of the state: NOTE(states) ----

typedef VEC(const sir_stmt *) state_sets;

typedef struct state_walk {
    const body_context *c;
    state_sets sets;
} state_walk;

static bool is_state(const sir_expr *target)
{
    return target->kind == SIR_FIELD && (target->type->kind == SIR_FLOAT || target->type->kind == SIR_DOUBLE);
}

static void find_state(void *context, sir_stmt *s)
{
    state_walk *w = context;
    if (s->kind == SIR_SET && is_state(s->u.set.target))
        VEC_PUSH(w->c->e->arena, &w->sets, s);
}

static bool is_leaf(const sir_expr *e)
{
    return e->kind == SIR_LOCAL || e->kind == SIR_FIELD || e->kind == SIR_CONST || e->kind == SIR_PEEK;
}

static bool same_operations(const sir_expr *a, const sir_expr *b)
{
    if (is_leaf(a) || is_leaf(b))
        return is_leaf(a) && is_leaf(b);
    if (a->kind != b->kind || a->op != b->op || sir_expr_arity(a) != sir_expr_arity(b))
        return false;
    for (size_t i = 0; i < sir_expr_arity(a); i++)
        if (!same_operations(a->u.arg[i], b->u.arg[i]))
            return false;
    return true;
}

static bool any_alike(const state_sets *sets)
{
    for (size_t i = 1; i < sets->len; i++)
        for (size_t k = 0; k < i; k++) {
            const sir_stmt *s = sets->data[i], *t = sets->data[k];
            if (s->u.set.target->index != t->u.set.target->index && !is_leaf(s->u.set.value) &&
                same_operations(s->u.set.value, t->u.set.value))
                return true;
        }
    return false;
}

static bool states_wait(const body_context *c)
{
    if (c->e->most_trips == 0 || c->info == NULL || c->function->kind != SIR_WORK || c->lanes > 0 || c->vectors > 0 ||
        c->info->filter->finite)
        return false;
    state_walk w = {.c = c};
    sir_visit_stmts(&c->function->body, find_state, &w);
    return w.sets.len <= MOST_STATES && any_alike(&w.sets);
}

// ---- What is stored ----

const char *body_alone(const body_context *c, const sir_type *t, const char *value)
{
    const char *by = t->kind == SIR_FLOAT ? "svm_alone" : t->kind == SIR_INT ? "svm_aloneInt" : "svm_aloneDouble";
    return arena_printf(c->e->arena, "%s(%s)", by, value);
}

bool body_waits_alone(body_context *c, const sir_stmt *s)
{
    if (!is_state(s->u.set.target) || is_leaf(s->u.set.value))
        return false;
    if (c->states == BODY_STATES_UNKNOWN)
        c->states = states_wait(c) ? BODY_STATES_WAIT : BODY_STATES_PLAIN;
    return c->states == BODY_STATES_WAIT;
}

const char *body_rung(body_context *c, const sir_stmt *s, const char *value)
{
    const sir_expr *target = s->u.set.target;
    const sir_type *t = target->type;
    if (body_waits_alone(c, s) || body_is_delayed(c, target))
        return body_alone(c, t, value);
    if (c->ladder == NULL || target->kind != SIR_INDEX || target->u.arg[0]->kind != SIR_FIELD || !is_number(t) ||
        target->u.arg[0]->type->length > MOST_ELEMENTS || !mentions(c->ladder, s->u.set.value))
        return value;
    c->rungs = true;
    return body_alone(c, t, value);
}
