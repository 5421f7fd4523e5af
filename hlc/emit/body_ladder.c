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
#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

// Elements of an array that may still be registers. Numbers of the state that wait by themselves: with more of them there are
// enough operations at a time for vectors to save some (measured: two stereo biquads in a row, eight numbers, 1.6 times as fast).
enum { MOST_ELEMENTS = 128, MOST_STATES = 16 };

typedef struct ladder_walk {
    const body_context *c;
    bool *own;  // per local: declared in the loop
    bool *goes; // per local: comes of a number that goes from trip to trip
    bool changed, any;
} ladder_walk;

static bool is_real(const sir_type *t)
{
    return t->kind == SIR_FLOAT || t->kind == SIR_DOUBLE;
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

// x = f(x), where x is from before the loop; and what comes of such.
static void find_going(void *context, sir_stmt *s)
{
    ladder_walk *w = context;
    const sir_expr *target = s->kind == SIR_SET ? s->u.set.target : NULL;
    const sir_expr *value = s->kind == SIR_SET ? s->u.set.value : NULL;
    uint32_t local = target != NULL && target->kind == SIR_LOCAL ? target->index : UINT32_MAX;
    if (s->kind == SIR_DECL && s->u.decl.init != NULL) {
        local = s->u.decl.local;
        value = s->u.decl.init;
    }
    if (local == UINT32_MAX || w->goes[local] || !is_real(w->c->function->locals.data[local].type))
        return;
    bool itself = !w->own[local] && target != NULL && sir_count_local_in((sir_expr *)(uintptr_t)value, local) != 0;
    if (itself || mentions(w->goes, value))
        w->goes[local] = w->changed = w->any = true;
}

const bool *body_ladder(const body_context *c, const sir_stmt *loop, arena *a)
{
    ladder_walk w = {.c = c};
    if (c->e->most_trips == 0 || c->info == NULL || c->function->kind != SIR_WORK || c->dynamic || c->lanes > 0 ||
        c->vectors > 0 || c->info->filter->finite)
        return NULL;
    w.own = ARENA_ARRAY(a, bool, c->function->locals.len + 1);
    w.goes = ARENA_ARRAY(a, bool, c->function->locals.len + 1);
    sir_declared_locals(&loop->u.for_.body, w.own);
    do {
        w.changed = false;
        sir_visit_stmts(&loop->u.for_.body, find_going, &w);
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
    return target->kind == SIR_FIELD && is_real(target->type);
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

static const char *alone(const body_context *c, const sir_type *t, const char *value)
{
    return arena_printf(c->e->arena, "%s(%s)", t->kind == SIR_FLOAT ? "svm_alone" : "svm_aloneDouble", value);
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
    if (body_waits_alone(c, s))
        return alone(c, t, value);
    if (c->ladder == NULL || target->kind != SIR_INDEX || target->u.arg[0]->kind != SIR_FIELD || !is_real(t) ||
        target->u.arg[0]->type->length > MOST_ELEMENTS || !mentions(c->ladder, s->u.set.value))
        return value;
    c->rungs = true;
    return alone(c, t, value);
}
