// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fetches in declarations of their own, before the statements that have them: NOTE(takes) in finite_lanes.c. A fetch is
// clamped, so it can be done where a case of "?:" would not, unless something in it may stop the program.
//
// NOTE(turned). A subscript that is made of the bits of the place, such as "at ^ far", leads neighbours whose places begin at
// a multiple of 16 to 16 elements that begin at one, too, in an order that is the same all along the row. So the order
// is found once, and what is left to do for 16 firings is to find the first, to load, and to permute.
#include <string.h>

#include "hlc/emit/finite_int.h"
#include "hlc/ir/walk.h"

typedef struct taker {
    sir_module *m;
    sir_function *to;
    finite_far *is_far;
    finite_place *is_place;
    const void *context;
    VEC(uint32_t) locals;
    int chosen; // parts of an expression, around, that are not always computed
    bool found; // in a statement, or a part of one, that stays as it is
    bool whole; // places were floats on their way
} taker;

static sir_stmt *declare(taker *t, uint32_t local, sir_expr *init)
{
    sir_stmt *s = sir_stmt_new(t->m, SIR_DECL, init->loc);
    s->u.decl.local = local;
    s->u.decl.init = init;
    return s;
}

// "(int)(float)$x", of a place in the row.
static bool is_place_again(const taker *t, const sir_expr *e)
{
    const sir_expr *to = e->kind == SIR_CONVERT ? e->u.arg[0] : e, *from = to->kind == SIR_CONVERT ? to->u.arg[0] : to;
    return from != to && e->type->kind == SIR_INT && to->type->kind == SIR_FLOAT && from->kind == SIR_FIELD &&
           t->is_place != NULL && t->is_place(t->context, from->index);
}

// Whether a division of ints is in it that may be one by zero.
static bool may_stop(const sir_expr *e)
{
    if (e == NULL)
        return false;
    if (sir_may_divide_by_zero(e))
        return true;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        if (may_stop(e->u.arg[i]))
            return true;
    return false;
}

// Whether part i of an expression is not always computed.
static bool is_chosen(const sir_expr *e, size_t i)
{
    const bool is_short = e->kind == SIR_BINARY && (e->op == LANG_OP_LAND || e->op == LANG_OP_LOR);
    return i > 0 && (is_short || e->kind == SIR_SELECT);
}

// A copy, those inside of others before them.
static sir_expr *take_in(taker *t, const sir_expr *from)
{
    if (from == NULL)
        return NULL;
    if (is_place_again(t, from)) {
        t->whole = true;
        from = from->u.arg[0]->u.arg[0];
    }
    sir_expr *e = ARENA_NEW(t->m->arena, sir_expr);
    *e = *from;
    for (size_t i = 0; i < sir_expr_arity(e); i++) {
        t->chosen += is_chosen(from, i);
        e->u.arg[i] = take_in(t, from->u.arg[i]);
        t->chosen -= is_chosen(from, i);
    }
    if (e->kind != SIR_FETCH || !t->is_far(t->context, from))
        return e;
    t->found = t->found || (t->chosen > 0 && may_stop(from));
    const uint32_t local = sir_local_new(t->m, t->to, "taken", e->type, e->loc);
    VEC_PUSH(t->m->arena, &t->locals, local);
    VEC_PUSH(t->m->arena, &t->to->body, declare(t, local, e));
    return sir_ref(t->m, SIR_LOCAL, local, e->type, e->loc);
}

static void note_far(void *context, sir_expr *e, bool written)
{
    taker *t = context;
    (void)written;
    t->found = t->found || (e->kind == SIR_FETCH && t->is_far(t->context, e));
}

static void note_fars(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, note_far, context);
}

static void take_stmt(taker *t, const sir_stmt *from)
{
    sir_stmt *s = sir_stmt_new(t->m, (sir_stmt_kind)from->kind, from->loc);
    *s = *from;
    if (from->kind == SIR_DECL) {
        s->u.decl.init = take_in(t, from->u.decl.init);
    } else if (from->kind == SIR_SET) {
        s->u.set.value = take_in(t, from->u.set.value);
    } else {
        sir_block alone = {0};
        VEC_PUSH(t->m->arena, &alone, s);
        sir_visit_stmts(&alone, note_fars, t);
    }
    VEC_PUSH(t->m->arena, &t->to->body, s);
}

const sir_function *finite_take(sir_module *m, const sir_function *work, finite_far *is_far, finite_place *is_place,
                                const void *context, finite_taken *taken)
{
    taker t = {.m = m, .is_far = is_far, .is_place = is_place, .context = context};
    t.to = ARENA_NEW(m->arena, sir_function);
    *t.to = *work;
    memset(&t.to->locals, 0, sizeof t.to->locals);
    memset(&t.to->body, 0, sizeof t.to->body);
    for (VEC_EACH(const sir_local, local, &work->locals))
        VEC_PUSH(m->arena, &t.to->locals, *local);
    for (VEC_EACH(sir_stmt *const, s, &work->body))
        take_stmt(&t, *s);
    if (t.found || t.locals.len == 0)
        return NULL;
    taken->whole = t.whole;
    taken->count = t.locals.len;
    taken->local = ARENA_ARRAY(m->arena, bool, t.to->locals.len);
    for (VEC_EACH(const uint32_t, local, &t.locals))
        taken->local[*local] = true;
    return t.to;
}
