// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A local array that is filled, and then pushed whole, is no array: its elements are written where the items go.
//
//     float[n] y;                                   for (ptrdiff_t i = 0; i < 4; i += 2) {
//     for (int i = 0; i < n; i += 2) {                  ...
//         ...                                 =>        out[i] = er + tr;
//         y[i] = er + tr;                               out[i + 4] = er - tr;
//         y[n + i] = er - tr;                       }
//     }
//     for (int i = 0; i < 2 * n; i++) {
//         pop();
//         push(y[i]);
//     }
//
// Else what is pushed goes through memory twice, since a C compiler keeps an array that is written in another order.
#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

static bool is_local(const sir_expr *e, uint32_t local)
{
    return e != NULL && e->kind == SIR_LOCAL && e->index == local;
}

// The loop that pushes all of an array, element by element; pops: items that it drops a trip.
static bool pushes_array(const sir_stmt *s, uint32_t *local, int64_t *pops)
{
    int64_t trips;
    const sir_expr *value = NULL;
    *pops = 0;
    if (!sir_for_trips(s, &trips) || s->u.for_.step != 1 || body_const_int(s->u.for_.lo) != 0)
        return false;
    for (VEC_EACH(sir_stmt *const, t, &s->u.for_.body)) {
        if ((*t)->kind == SIR_POP && (*t)->u.set.target == NULL)
            ++*pops;
        else if ((*t)->kind == SIR_PUSH && value == NULL)
            value = (*t)->u.value;
        else
            return false;
    }
    if (value == NULL || value->kind != SIR_INDEX || value->u.arg[0]->kind != SIR_LOCAL ||
        !is_local(value->u.arg[1], s->u.for_.local) || value->u.arg[0]->type->length != trips)
        return false;
    *local = value->u.arg[0]->index;
    return true;
}

typedef struct placed_walk {
    const body_context *c;
    uint32_t local;
    size_t mentions;
    bool declared, fails;
} placed_walk;

static void count_mention(void *context, sir_expr *e, bool written)
{
    placed_walk *w = context;
    (void)written;
    w->mentions += is_local(e, w->local);
}

static bool sets_element(const sir_stmt *s, uint32_t local)
{
    return s->kind == SIR_SET && s->u.set.target->kind == SIR_INDEX && is_local(s->u.set.target->u.arg[0], local);
}

// Before the array is pushed: it is declared, and elements are set, whatever data say.
static void check_filling(placed_walk *w, sir_stmt *s, bool guarded)
{
    bool declares = s->kind == SIR_DECL && s->u.decl.local == w->local;
    w->mentions = 0;
    sir_visit_exprs(s, count_mention, w);
    if (declares) {
        w->fails |= w->declared || guarded || !s->u.decl.uninitialised || s->u.decl.init != NULL;
        w->declared = true;
    } else if (w->mentions != 0) {
        w->fails |= !w->declared || guarded || w->mentions != 1 || !sets_element(s, w->local) ||
                    (w->c->vectors > 0 && lanes_look_up(w->c, s->u.set.target));
    }
    sir_parts parts = sir_stmt_parts(s);
    for (uint8_t k = 0; k < parts.block_count; k++)
        for (VEC_EACH(sir_stmt *const, t, parts.block[k]))
            check_filling(w, *t, guarded || s->kind != SIR_FOR);
}

static bool may_place(const body_context *c)
{
    const sir_function *f = c->function;
    return c->e->most_trips != 0 && c->info != NULL && !c->info->filter->finite && f->kind == SIR_WORK && !c->dynamic &&
           !c->dry && c->open == NULL && c->lanes == 0 && c->out.affine && !c->out.checked &&
           f->push.min == f->push.max;
}

void body_find_placed(body_context *c)
{
    const sir_block *b = &c->function->body;
    placed_walk w = {.c = c};
    int64_t pops;
    size_t at = 0;
    c->placed_loop = NULL;
    if (!may_place(c))
        return;
    while (at < b->len && !pushes_array(b->data[at], &w.local, &pops))
        at++;
    if (at == b->len)
        return;
    const sir_type *t = c->function->locals.data[w.local].type, *item = c->info->filter->output;
    bool same = t->element->kind == item->kind && t->element->storage == item->storage &&
                (item->kind == SIR_FLOAT || item->kind == SIR_INT);
    if (!same || (int64_t)t->length != c->function->push.max || c->locals[w.local].declared_on_top ||
        (c->vectors > 0 && !c->locals[w.local].vector))
        return;
    for (size_t i = 0; i < at; i++)
        check_filling(&w, b->data[i], false);
    w.mentions = 0;
    for (size_t i = at + 1; i < b->len; i++) {
        placed_walk after = {.c = c, .local = w.local, .declared = true};
        check_filling(&after, b->data[i], true);
        w.fails |= after.fails;
    }
    if (w.fails || !w.declared)
        return;
    c->placed = w.local;
    c->placed_loop = b->data[at];
}

// "[2 * i + 1]": where the item of so many in a firing is, after the name of what it is in.
const char *body_placed_index(body_context *c, const sir_expr *index)
{
    const sir_expr peek = {
        .kind = SIR_PEEK, .type = c->info->filter->output, .loc = index->loc, .u.arg = {(sir_expr *)(uintptr_t)index}};
    body_affine position = c->out.position;
    strbuf b, *out = c->e->out;
    strbuf_init(&b, c->e->arena);
    c->e->out = &b;
    c->out.position = (body_affine){0};
    body_tape_index(c, &c->out, &peek);
    c->out.position = position;
    c->e->out = out;
    return b.data;
}

bool body_placed_stmt(body_context *c, const sir_stmt *s)
{
    if (c->placed_loop == NULL)
        return false;
    if (s == c->placed_loop) {
        uint32_t local;
        int64_t pops, trips;
        (void)pushes_array(s, &local, &pops);
        (void)sir_for_trips(s, &trips);
        c->in.position.constant += pops * trips;
        c->out.position.constant += trips;
        return true;
    }
    if (s->kind == SIR_DECL && s->u.decl.local == c->placed)
        return true;
    if (!sets_element(s, c->placed))
        return false;
    if (c->vectors > 0) {
        lanes_store(c, s->u.set.target->u.arg[1], s->u.set.value);
        return true;
    }
    const char *index = body_placed_index(c, s->u.set.target->u.arg[1]);
    body_line(c, "%s%s = %s;", body_named(c, BODY_OUT), index, body_expr_text(c, s->u.set.value, PREC_LOWEST));
    return true;
}
