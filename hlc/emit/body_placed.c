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
// Else what is pushed goes through memory twice, since a C compiler keeps an array that is written in another order. Arrays
// that are pushed in turns, such as the two parts of complex numbers, are none likewise: out[2 * i], out[2 * i + 1].
#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

static bool is_local(const sir_expr *e, uint32_t local)
{
    return e != NULL && e->kind == SIR_LOCAL && e->index == local;
}

// Arrays that are pushed in turns at most.
enum { MOST_PLACED = 4 };

typedef struct placed_arrays {
    uint32_t locals[MOST_PLACED];
    uint32_t count;
    int64_t trips, pops; // items that a trip drops
} placed_arrays;

// The number of an array; SIZE_MAX: it is none of them.
static size_t number_of(const placed_arrays *x, uint32_t local)
{
    size_t i = 0;
    while (i < x->count && x->locals[i] != local)
        i++;
    return i < x->count ? i : SIZE_MAX;
}

// Takes what a trip pushes next: the loop's element of an array that is as long as its trips are many, of no array twice.
static bool add_array(placed_arrays *x, const sir_stmt *loop, const sir_expr *value)
{
    if (value->kind != SIR_INDEX || value->u.arg[0]->kind != SIR_LOCAL ||
        !is_local(value->u.arg[1], loop->u.for_.local) || value->u.arg[0]->type->length != x->trips ||
        x->count == MOST_PLACED || number_of(x, value->u.arg[0]->index) != SIZE_MAX)
        return false;
    x->locals[x->count++] = value->u.arg[0]->index;
    return true;
}

// The loop that pushes all of some arrays, element by element.
static bool pushes_arrays(const sir_stmt *s, placed_arrays *x)
{
    *x = (placed_arrays){0};
    if (!sir_for_trips(s, &x->trips) || s->u.for_.step != 1 || body_const_int(s->u.for_.lo) != 0)
        return false;
    for (VEC_EACH(sir_stmt *const, t, &s->u.for_.body)) {
        if ((*t)->kind == SIR_POP && (*t)->u.set.target == NULL)
            x->pops++;
        else if ((*t)->kind != SIR_PUSH || !add_array(x, s, (*t)->u.value))
            return false;
    }
    return x->count != 0;
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

// Whether all elements of an array are set before the loop, and none is read or set but there.
static bool is_filled(const body_context *c, uint32_t local, size_t loop)
{
    const sir_block *b = &c->function->body;
    const sir_type *t = c->function->locals.data[local].type, *item = c->info->filter->output;
    placed_walk w = {.c = c, .local = local};
    if (t->element->kind != item->kind || t->element->storage != item->storage || c->locals[local].declared_on_top ||
        (c->vectors > 0 && !c->locals[local].vector))
        return false;
    for (size_t i = 0; i < loop; i++)
        check_filling(&w, b->data[i], false);
    for (size_t i = loop + 1; i < b->len; i++) {
        placed_walk after = {.c = c, .local = local, .declared = true};
        check_filling(&after, b->data[i], true);
        w.fails |= after.fails;
    }
    return w.declared && !w.fails;
}

void body_find_placed(body_context *c)
{
    const sir_block *b = &c->function->body;
    const sir_type *item = c->info == NULL ? NULL : c->info->filter->output;
    placed_arrays x;
    size_t at = 0;
    c->placed_loop = NULL;
    if (!may_place(c) || (item->kind != SIR_FLOAT && item->kind != SIR_INT))
        return;
    while (at < b->len && !pushes_arrays(b->data[at], &x))
        at++;
    if (at == b->len || x.trips * x.count != c->function->push.max)
        return;
    for (size_t i = 0; i < x.count; i++)
        if (!is_filled(c, x.locals[i], at))
            return;
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

// The place, in a firing, of an element of one of the arrays.
static const sir_expr *place_of(const body_context *c, const placed_arrays *x, const sir_stmt *s)
{
    const sir_expr *target = s->u.set.target, *index = target->u.arg[1];
    const size_t number = number_of(x, target->u.arg[0]->index);
    sir_module *m = (sir_module *)(uintptr_t)c->e->module;
    if (x->count == 1)
        return index;
    sir_expr *place = sir_expr2(m, SIR_BINARY, LANG_OP_MUL, index->type, (sir_expr *)(uintptr_t)index,
                                sir_const_int(m, (int32_t)x->count, s->loc), s->loc);
    return number == 0 ? place
                       : sir_expr2(m, SIR_BINARY, LANG_OP_ADD, index->type, place,
                                   sir_const_int(m, (int32_t)number, s->loc), s->loc);
}

bool body_placed_stmt(body_context *c, const sir_stmt *s)
{
    placed_arrays x;
    if (c->placed_loop == NULL)
        return false;
    (void)pushes_arrays(c->placed_loop, &x);
    if (s == c->placed_loop) {
        c->in.position.constant += x.pops * x.trips;
        c->out.position.constant += x.trips * x.count;
        return true;
    }
    if (s->kind == SIR_DECL && number_of(&x, s->u.decl.local) != SIZE_MAX)
        return true;
    const sir_expr *root = s->kind == SIR_SET ? s->u.set.target : NULL;
    if (root == NULL || root->kind != SIR_INDEX || root->u.arg[0]->kind != SIR_LOCAL ||
        number_of(&x, root->u.arg[0]->index) == SIZE_MAX)
        return false;
    const sir_expr *place = place_of(c, &x, s);
    if (c->vectors > 0) {
        lanes_store(c, place, s->u.set.value);
        return true;
    }
    const char *index = body_placed_index(c, place);
    body_line(c, "%s%s = %s;", body_named(c, BODY_OUT), index, body_expr_text(c, s->u.set.value, PREC_LOWEST));
    return true;
}
