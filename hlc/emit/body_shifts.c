// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shifts: loops that move the elements of small arrays of the state along, as the delay line of a recursive filter does.
//
//     for (ptrdiff_t i = 3; i > 0; i--)
//         ys[i] = ys[i - 1];
//
// The array is a local of the function that runs a strip, and would be registers. But C compilers make a call of memmove of
// such a loop before they write it out, and what memmove moves lies in memory: each firing would store its elements one by
// one, load them as vectors, and wait for the stores. So the loop is written out, unless other code has subscripts that are
// not known once short loops are written out, too.
#include <inttypes.h>

#include "hlc/emit/body_int.h"
#include "hlc/ir/type_rules.h"
#include "hlc/ir/walk.h"
#include "hlc/plan/plan_int.h"

// Trips of a loop that is written out, here or by a C compiler; bytes of arrays that a strip keeps in locals: those of
// program_strip.c.
enum { MOST_TRIPS = 16, MOST_BYTES = 512 };

typedef struct shift_walk {
    bool *counts;         // per local: the variable of short loops alone
    bool *others;         // per local: of another loop, or no variable of one
    size_t *uses, *known; // per field: how often it is named, and how often for such
} shift_walk;

static bool is_element(const sir_expr *e)
{
    return e->kind == SIR_INDEX && e->u.arg[0]->kind == SIR_FIELD && sir_is_scalar(e->type);
}

static void find_counting(void *context, sir_stmt *s)
{
    shift_walk *w = context;
    int64_t trips;
    if (s->kind == SIR_FOR && sir_for_trips(s, &trips) && trips <= MOST_TRIPS)
        w->counts[s->u.for_.local] = true;
    else if (s->kind == SIR_FOR)
        w->others[s->u.for_.local] = true;
    else if (s->kind == SIR_DECL)
        w->others[s->u.decl.local] = true;
}

static bool is_known(const shift_walk *w, const sir_expr *e)
{
    if (e->kind == SIR_LOCAL)
        return w->counts[e->index] && !w->others[e->index];
    if (e->kind != SIR_CONST && e->kind != SIR_UNARY && e->kind != SIR_BINARY)
        return false;
    for (size_t i = 0; e->kind != SIR_CONST && i < sir_expr_arity(e); i++)
        if (!is_known(w, e->u.arg[i]))
            return false;
    return true;
}

static void find_use(void *context, sir_expr *e, bool written)
{
    shift_walk *w = context;
    (void)written;
    if (e->kind == SIR_FIELD)
        w->uses[e->index]++;
    else if (is_element(e) && is_known(w, e->u.arg[1]))
        w->known[e->u.arg[0]->index]++;
}

static void find_uses(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, find_use, context);
}

// The subscript i, i + 1, 3 - i or a constant in a trip.
static bool subscript(const sir_stmt *loop, const sir_expr *e, int64_t trip, int64_t *value)
{
    int64_t a, b;
    if (e->kind == SIR_CONST || e->kind == SIR_LOCAL) {
        *value = e->kind == SIR_CONST ? e->u.value.i : trip;
        return e->kind == SIR_CONST || e->index == loop->u.for_.local;
    }
    if (e->kind != SIR_BINARY || (e->op != LANG_OP_ADD && e->op != LANG_OP_SUB) ||
        !subscript(loop, e->u.arg[0], trip, &a) || !subscript(loop, e->u.arg[1], trip, &b))
        return false;
    *value = e->op == LANG_OP_ADD ? a + b : a - b;
    return true;
}

static bool is_inside(const sir_stmt *loop, const sir_expr *element, int64_t trip)
{
    int64_t at;
    return subscript(loop, element->u.arg[1], trip, &at) && at >= 0 && at < element->u.arg[0]->type->length;
}

// Whether the statements do nothing but to move elements of the state that can be registers.
static bool moves_along(const shift_walk *w, const sir_stmt *s)
{
    const sir_block *b = &s->u.for_.body;
    int64_t lo = s->u.for_.lo->u.value.i, hi = s->u.for_.hi->u.value.i, step = s->u.for_.step;
    bool along = false;
    for (size_t i = 0; i < b->len; i++) {
        const sir_expr *to = b->data[i]->u.set.target, *from = b->data[i]->u.set.value;
        uint32_t field = to->u.arg[0]->index, source = from->u.arg[0]->index;
        if (w->uses[field] != w->known[field] || w->uses[source] != w->known[source])
            return false;
        along |= field == source;
        for (int64_t trip = lo; step > 0 ? trip < hi : trip > hi; trip += step)
            if (!is_inside(s, to, trip) || !is_inside(s, from, trip))
                return false;
    }
    return along;
}

static bool fits(const body_context *c)
{
    uint64_t bytes = 0, align;
    for (VEC_EACH(const sir_field, f, &c->info->filter->fields))
        bytes += f->type->kind == SIR_ARRAY && !f->constant ? plan_item_size(f->type, &align) : 0;
    return bytes <= MOST_BYTES;
}

bool body_shifts(body_context *c, const sir_stmt *s)
{
    arena *a = c->e->arena;
    const sir_block *b = &s->u.for_.body;
    int64_t trips;
    if (!c->e->cached || c->e->most_trips == 0 || c->info == NULL || c->info->filter->finite || c->e->keep_names ||
        c->function->kind != SIR_WORK || c->lanes > 0 || c->vectors > 0 || !sir_for_trips(s, &trips) || trips < 2 ||
        trips > MOST_TRIPS || !fits(c))
        return false;
    for (size_t i = 0; i < b->len; i++)
        if (b->data[i]->kind != SIR_SET || !is_element(b->data[i]->u.set.target) ||
            !is_element(b->data[i]->u.set.value))
            return false;
    shift_walk w = {0};
    size_t fields = c->info->filter->fields.len + 1, locals = c->function->locals.len + 1;
    w.counts = ARENA_ARRAY(a, bool, locals);
    w.others = ARENA_ARRAY(a, bool, locals);
    w.uses = ARENA_ARRAY(a, size_t, fields);
    w.known = ARENA_ARRAY(a, size_t, fields);
    sir_visit_stmts(&c->function->body, find_counting, &w);
    sir_visit_stmts(&c->function->body, find_uses, &w);
    if (b->len == 0 || !moves_along(&w, s))
        return false;
    int64_t hi = s->u.for_.hi->u.value.i, step = s->u.for_.step;
    for (int64_t trip = s->u.for_.lo->u.value.i; step > 0 ? trip < hi : trip > hi; trip += step)
        for (size_t i = 0; i < b->len; i++) {
            const sir_expr *to = b->data[i]->u.set.target, *from = b->data[i]->u.set.value;
            int64_t at = 0, where = 0;
            (void)subscript(s, to->u.arg[1], trip, &at);
            (void)subscript(s, from->u.arg[1], trip, &where);
            body_line(c, "%s[%" PRId64 "] = %s[%" PRId64 "];", body_expr_text(c, to->u.arg[0], PREC_POSTFIX), at,
                      body_expr_text(c, from->u.arg[0], PREC_POSTFIX), where);
        }
    c->shifts = true;
    return true;
}
