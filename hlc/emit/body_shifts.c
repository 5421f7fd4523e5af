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
//
// NOTE(alone). Where floats so moved make the next one, as in a filter's poles, all of them are registers, but C compilers
// still join some to vectors: each firing then waits for what parts them and joins them again. So what is put there
// is svm_alone(..), and so are products with one that no constant is a factor of. Measured (clang 22, AVX2): ten poles 2.4 times
// as fast, ten in frames with coefficients of their own twice.
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

// Whether a short loop only moves elements of arrays of the state.
static bool may_move(const body_context *c, const sir_stmt *s)
{
    const sir_block *b = &s->u.for_.body;
    int64_t trips;
    if (b->len == 0 || !sir_for_trips(s, &trips) || trips < 2 || trips > MOST_TRIPS || !fits(c))
        return false;
    for (size_t i = 0; i < b->len; i++)
        if (b->data[i]->kind != SIR_SET || !is_element(b->data[i]->u.set.target) ||
            !is_element(b->data[i]->u.set.value))
            return false;
    return true;
}

static bool may_shift(const body_context *c)
{
    return c->e->cached && c->e->most_trips != 0 && c->info != NULL && !c->info->filter->finite && !c->e->keep_names &&
           c->function->kind == SIR_WORK && c->lanes == 0 && c->vectors == 0;
}

static shift_walk find_all(const body_context *c)
{
    arena *a = c->e->arena;
    size_t fields = c->info->filter->fields.len + 1, locals = c->function->locals.len + 1;
    shift_walk w = {.counts = ARENA_ARRAY(a, bool, locals),
                    .others = ARENA_ARRAY(a, bool, locals),
                    .uses = ARENA_ARRAY(a, size_t, fields),
                    .known = ARENA_ARRAY(a, size_t, fields)};
    sir_visit_stmts(&c->function->body, find_counting, &w);
    sir_visit_stmts(&c->function->body, find_uses, &w);
    return w;
}

// ---- NOTE(alone) ----

typedef struct delay_walk {
    const body_context *c;
    const shift_walk *shifts;
    bool *moved;    // per field: an array in which a loop moves floats along
    bool *comes;    // per local: comes of the array at hand
    uint32_t field; // the array at hand
    bool changed, itself;
} delay_walk;

static void find_moved(void *context, sir_stmt *s)
{
    delay_walk *w = context;
    if (s->kind != SIR_FOR || !may_move(w->c, s) || !moves_along(w->shifts, s))
        return;
    for (VEC_EACH(sir_stmt *, move, &s->u.for_.body)) {
        const sir_expr *to = (*move)->u.set.target;
        w->moved[to->u.arg[0]->index] |= to->type->kind == SIR_FLOAT || to->type->kind == SIR_DOUBLE;
    }
}

static bool comes(const delay_walk *w, const sir_expr *e)
{
    if (e == NULL || e->kind == SIR_CONST)
        return false;
    if (e->kind == SIR_LOCAL || e->kind == SIR_FIELD)
        return e->kind == SIR_LOCAL ? w->comes[e->index] : e->index == w->field;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        if (comes(w, e->u.arg[i]))
            return true;
    return false;
}

static void follow_array(void *context, sir_stmt *s)
{
    delay_walk *w = context;
    const sir_expr *value = s->kind == SIR_DECL ? s->u.decl.init : s->kind == SIR_SET ? s->u.set.value : NULL;
    if (!comes(w, value))
        return;
    const sir_expr *root = s->kind == SIR_SET ? sir_assigned_root(s) : NULL;
    const bool local = s->kind == SIR_DECL || (root != NULL && root->kind == SIR_LOCAL);
    if (local) {
        const uint32_t to = s->kind == SIR_DECL ? s->u.decl.local : root->index;
        w->changed |= !w->comes[to];
        w->comes[to] = true;
    } else if (root != NULL && root->kind == SIR_FIELD && root->index == w->field) {
        w->itself |= !is_element(value); // which would only be moved
    }
}

// Whether what is put into the array comes of what it held.
static bool makes_next(delay_walk *w, uint32_t field)
{
    w->field = field;
    w->itself = false;
    w->comes = ARENA_ARRAY(w->c->e->arena, bool, w->c->function->locals.len + 1);
    do {
        w->changed = false;
        sir_visit_stmts(&w->c->function->body, follow_array, w);
    } while (w->changed);
    return w->itself;
}

static const bool *find_delays(body_context *c)
{
    const size_t fields = c->info->filter->fields.len;
    if (c->delays != NULL)
        return c->delays;
    const shift_walk shifts = find_all(c);
    delay_walk w = {.c = c, .shifts = &shifts, .moved = ARENA_ARRAY(c->e->arena, bool, fields + 1)};
    sir_visit_stmts(&c->function->body, find_moved, &w);
    for (uint32_t f = 0; f < fields; f++)
        w.moved[f] = w.moved[f] && makes_next(&w, f);
    return c->delays = w.moved;
}

bool body_is_delayed(body_context *c, const sir_expr *target)
{
    return is_element(target) && may_shift(c) && find_delays(c)[target->u.arg[0]->index];
}

static bool is_constant(const body_context *c, const sir_expr *e)
{
    while (e->kind == SIR_INDEX)
        e = e->u.arg[0];
    return e->kind == SIR_CONST || e->kind == SIR_GLOBAL ||
           (e->kind == SIR_FIELD && c->info->filter->fields.data[e->index].constant);
}

const char *body_product_alone(body_context *c, const sir_stmt *set)
{
    const sir_expr *value = set->u.set.value, *product = value->kind == SIR_BINARY ? value->u.arg[1] : NULL;
    if (product == NULL || !may_shift(c) || (value->op != LANG_OP_ADD && value->op != LANG_OP_SUB) ||
        product->kind != SIR_BINARY || product->op != LANG_OP_MUL)
        return NULL;
    const sir_expr *a = product->u.arg[0], *b = product->u.arg[1];
    if ((!body_is_delayed(c, a) && !body_is_delayed(c, b)) || is_constant(c, a) || is_constant(c, b))
        return NULL;
    return body_alone(c, product->type, body_expr_text(c, product, PREC_LOWEST));
}

bool body_shifts(body_context *c, const sir_stmt *s)
{
    const sir_block *b = &s->u.for_.body;
    if (!may_shift(c) || !may_move(c, s))
        return false;
    const shift_walk w = find_all(c);
    if (!moves_along(&w, s))
        return false;
    const bool *delays = find_delays(c);
    int64_t hi = s->u.for_.hi->u.value.i, step = s->u.for_.step;
    for (int64_t trip = s->u.for_.lo->u.value.i; step > 0 ? trip < hi : trip > hi; trip += step)
        for (size_t i = 0; i < b->len; i++) {
            const sir_expr *to = b->data[i]->u.set.target, *from = b->data[i]->u.set.value;
            int64_t at = 0, where = 0;
            (void)subscript(s, to->u.arg[1], trip, &at);
            (void)subscript(s, from->u.arg[1], trip, &where);
            const char *moved =
                arena_printf(c->e->arena, "%s[%" PRId64 "]", body_expr_text(c, from->u.arg[0], PREC_POSTFIX), where);
            if (delays[to->u.arg[0]->index])
                moved = body_alone(c, to->type, moved);
            body_line(c, "%s[%" PRId64 "] = %s;", body_expr_text(c, to->u.arg[0], PREC_POSTFIX), at, moved);
        }
    c->shifts = true;
    return true;
}
