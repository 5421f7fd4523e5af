// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ladders: loops through which a number goes from trip to trip, and leaves an element of the state in each, as lattices do.
//
// The next firing needs each element soon after it was there: its first trips may begin while the last ones of the firing
// before are still to come. A C compiler that writes such a loop out finds elements side by side and joins them to vectors,
// each of which waits for the last of its elements, and a firing for all of the one before. So what is stored is
// svm_alone(..), which no vector takes up.
#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

// Elements of an array that may still be registers.
enum { MOST_ELEMENTS = 128 };

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

const char *body_rung(body_context *c, const sir_stmt *s, const char *value)
{
    const sir_expr *target = s->u.set.target;
    const sir_type *t = target->type;
    if (c->ladder == NULL || target->kind != SIR_INDEX || target->u.arg[0]->kind != SIR_FIELD || !is_real(t) ||
        target->u.arg[0]->type->length > MOST_ELEMENTS || !mentions(c->ladder, s->u.set.value))
        return value;
    c->rungs = true;
    return arena_printf(c->e->arena, "%s(%s)", t->kind == SIR_FLOAT ? "svm_alone" : "svm_aloneDouble", value);
}
