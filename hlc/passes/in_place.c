// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'in-place': items that a filter pops into large arrays, and then only reads, are peeked at where they lie:
//
//     var %a: float[64][64]
//     for %i = 0 to 64 { for %j = 0 to 64 { %a[%i][%j] = pop } }   ->   ... peek(%k * 64 + %j) ...
//     ... %a[%k][%j] ...                                                for %item = 0 to 4096 { pop }
//
// All pops then come at the end of the firing. Arrays that are not large stay: firings with such go side by side.
#include <inttypes.h>

#include "hlc/ir/walk.h"
#include "hlc/passes/canonicalize.h"
#include "hlc/passes/canonicalize_int.h"
#include "hlc/passes/interchange_int.h"
#include "hlc/passes/pass.h"

// Where the items lie that an array holds.
typedef struct held_items {
    const sir_stmt *from; // the loops that pop them; NULL: the array is no such
    int64_t first;
    bool declared;
} held_items;

typedef struct in_place {
    arena *a;
    sir_module *m;
    sir_filter *filter;
    sir_function *f;
    held_items *held; // per local
    int64_t popped;   // before the statement that is looked at
    int64_t gone;     // items that lie in place
} in_place;

// The statement in a nest of loops from zero on; the nest's trips. NULL: another nest.
static sir_stmt *inner_of(sir_stmt *s, int64_t *trips)
{
    int64_t n;
    *trips = 1;
    while (s->kind == SIR_FOR) {
        if (!interchange_trips(s, &n) || s->u.for_.lo->u.value.i != 0 || s->u.for_.step != 1 ||
            s->u.for_.body.len != 1 || n > INT32_MAX / *trips)
            return NULL;
        *trips *= n;
        s = s->u.for_.body.data[0];
    }
    return s;
}

// Pops by themselves, in a nest or not.
static bool pops_only(sir_stmt *s, int64_t *trips)
{
    const sir_stmt *inner = inner_of(s, trips);
    return inner != NULL && inner->kind == SIR_POP;
}

static void find_pop(void *context, sir_stmt *s)
{
    *(bool *)context |= s->kind == SIR_POP || s->kind == SIR_CALL || s->kind == SIR_RETURN;
}

// The array that a nest fills with items in their order, all of it; SIR_NONE: none.
static uint32_t filled_by(const in_place *x, const sir_stmt *s)
{
    const sir_stmt *inner = s;
    while (inner->kind == SIR_FOR)
        inner = inner->u.for_.body.data[0];
    const sir_expr *target = inner->u.set.target, *root = target == NULL ? NULL : interchange_root(target);
    if (root == NULL || root->kind != SIR_LOCAL || target->kind != SIR_INDEX || target->type != x->filter->input)
        return SIR_NONE;
    const sir_type *t = root->type;
    for (; s->kind == SIR_FOR; s = s->u.for_.body.data[0], t = t->element) {
        const sir_expr *e = target;
        while (e->kind == SIR_INDEX && e->u.arg[0]->type != t)
            e = e->u.arg[0];
        if (t->kind != SIR_ARRAY || e->kind != SIR_INDEX || !canon_is_local(e->u.arg[1], s->u.for_.local) ||
            t->length != (uint32_t)s->u.for_.hi->u.value.i)
            return SIR_NONE;
    }
    return t == target->type ? root->index : SIR_NONE;
}

// ---- What may be read in place ----

typedef struct array_uses {
    const in_place *x;
    uint32_t array;
    size_t names, reads;
} array_uses;

static void count_use(void *context, sir_expr *e, bool written)
{
    array_uses *u = context;
    bool read = e->kind == SIR_INDEX && e->type == u->x->filter->input && !written;
    const sir_expr *root = read ? interchange_root(e) : NULL;
    u->names += canon_is_local(e, u->array);
    u->reads += root != NULL && canon_is_local(root, u->array);
}

static void count_uses(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, count_use, context);
}

// One nest fills it, and then its elements alone are read, one by one.
static bool is_read(const in_place *x, uint32_t array)
{
    array_uses u = {.x = x, .array = array};
    sir_visit_stmts(&x->f->body, count_uses, &u);
    return u.names == u.reads + 1;
}

static bool finds_items(in_place *x)
{
    int64_t trips;
    for (VEC_EACH(sir_stmt *, s, &x->f->body)) {
        const sir_block one = {.data = s, .len = 1};
        bool pops = false;
        if ((*s)->kind == SIR_DECL && (*s)->u.decl.uninitialised)
            x->held[(*s)->u.decl.local].declared = true;
        sir_visit_stmts(&one, find_pop, &pops);
        if (!pops)
            continue;
        if (!pops_only(*s, &trips))
            return false;
        uint32_t array = filled_by(x, *s);
        if (array != SIR_NONE && x->held[array].declared && x->held[array].from == NULL && is_read(x, array)) {
            x->held[array].from = *s;
            x->held[array].first = x->popped;
            x->gone += trips;
        }
        x->popped += trips;
    }
    return x->popped == x->f->pop.max && x->gone > 0;
}

// ---- The change ----

static sir_expr *int_op(const in_place *x, int op, sir_expr *a, sir_expr *b, sir_loc loc)
{
    return sir_expr2(x->m, SIR_BINARY, op, x->m->scalar[SIR_INT], a, b, loc);
}

static sir_expr *item_at(const in_place *x, sir_expr *place, sir_loc loc)
{
    return sir_expr1(x->m, SIR_PEEK, 0, x->filter->input, place, loc);
}

// Where an element lies from the array's first on; NULL for the array.
static sir_expr *place_in(const in_place *x, const sir_expr *e)
{
    if (e->kind != SIR_INDEX)
        return NULL;
    sir_expr *row = place_in(x, e->u.arg[0]), *last = e->u.arg[1];
    if (row == NULL)
        return last;
    sir_expr *length = sir_const_int(x->m, (int32_t)e->u.arg[0]->type->length, e->loc);
    return int_op(x, LANG_OP_ADD, int_op(x, LANG_OP_MUL, row, length, e->loc), last, e->loc);
}

static sir_expr *behind(const in_place *x, sir_expr *place, int64_t items, sir_loc loc)
{
    return items == 0 ? place : int_op(x, LANG_OP_ADD, place, sir_const_int(x->m, (int32_t)items, loc), loc);
}

static sir_expr *in_place_expr(const in_place *x, sir_expr *e)
{
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++)
        e->u.arg[i] = in_place_expr(x, e->u.arg[i]);
    if (e->kind == SIR_PEEK)
        e->u.arg[0] = behind(x, e->u.arg[0], x->popped, e->loc);
    const sir_expr *root = e->kind == SIR_INDEX && e->type == x->filter->input ? interchange_root(e) : NULL;
    if (root == NULL || root->kind != SIR_LOCAL || x->held[root->index].from == NULL)
        return e;
    return item_at(x, behind(x, place_in(x, e), x->held[root->index].first, e->loc), e->loc);
}

static void in_place_stmt(void *context, sir_stmt *s)
{
    const in_place *x = context;
    sir_parts parts = sir_stmt_parts(s);
    for (uint8_t i = 0; i < parts.expr_count; i++)
        *parts.expr[i] = in_place_expr(x, *parts.expr[i]);
    for (size_t i = 0; i < parts.arg_count; i++)
        parts.args[i] = in_place_expr(x, parts.args[i]);
    if (parts.target != NULL)
        *parts.target = in_place_expr(x, *parts.target);
}

// The number of a trip of a nest around `inner`.
static sir_expr *trip_of(const in_place *x, const sir_stmt *s, const sir_stmt *inner)
{
    sir_expr *r = NULL;
    for (; s != inner; s = s->u.for_.body.data[0]) {
        sir_expr *v = sir_ref(x->m, SIR_LOCAL, s->u.for_.local, x->m->scalar[SIR_INT], s->loc);
        sir_expr *n = sir_const_int(x->m, s->u.for_.hi->u.value.i, s->loc);
        r = r == NULL ? v : int_op(x, LANG_OP_ADD, int_op(x, LANG_OP_MUL, r, n, s->loc), v, s->loc);
    }
    return r == NULL ? sir_const_int(x->m, 0, inner->loc) : r;
}

static void rewrite(in_place *x)
{
    sir_block r = {0};
    int64_t trips;
    x->popped = 0;
    for (VEC_EACH(sir_stmt *, p, &x->f->body)) {
        sir_stmt *s = *p, *inner = inner_of(s, &trips);
        if (inner == NULL || inner->kind != SIR_POP) {
            const sir_block one = {.data = p, .len = 1};
            if (s->kind == SIR_DECL && x->held[s->u.decl.local].from != NULL)
                continue;
            sir_visit_stmts(&one, in_place_stmt, x);
            VEC_PUSH(x->m->arena, &r, s);
            continue;
        }
        uint32_t array = filled_by(x, s);
        if (inner->u.set.target != NULL && (array == SIR_NONE || x->held[array].from != s)) {
            in_place_stmt(x, inner);
            inner->kind = SIR_SET;
            inner->u.set.value = item_at(x, behind(x, trip_of(x, s, inner), x->popped, inner->loc), inner->loc);
            VEC_PUSH(x->m->arena, &r, s);
        }
        x->popped += trips;
    }
    sir_stmt *all = sir_stmt_new(x->m, SIR_FOR, x->f->loc), *pop = sir_stmt_new(x->m, SIR_POP, x->f->loc);
    all->u.for_.local = sir_local_new(x->m, x->f, "item", x->m->scalar[SIR_INT], x->f->loc);
    all->u.for_.lo = sir_const_int(x->m, 0, x->f->loc);
    all->u.for_.hi = sir_const_int(x->m, (int32_t)x->popped, x->f->loc);
    all->u.for_.step = 1;
    VEC_PUSH(x->m->arena, &all->u.for_.body, pop);
    VEC_PUSH(x->m->arena, &r, all);
    x->f->body = r;
}

static bool takes_place(hlc_program *p, sir_filter *f)
{
    if (f->work == NULL || f->finite || f->input == NULL || f->work->pop.max < 1 || f->work->pop.max > INT32_MAX ||
        !interchange_has_large_arrays(f->work))
        return false;
    in_place x = {.a = arena_create(), .m = p->module, .filter = f, .f = f->work};
    x.held = ARENA_ARRAY(x.a, held_items, f->work->locals.len + 1);
    bool any = finds_items(&x) && pass_rates_proved(p->module, f->work);
    if (any)
        rewrite(&x);
    if (any && p->diag->remarks)
        diag_remark(p->diag, sir_range(p->module, p->sources, f->work->loc),
                    "'%s' looks at %" PRId64 " items where they lie, and does not copy them [in-place]", f->name,
                    x.gone);
    arena_destroy(x.a);
    return any;
}

bool pass_in_place(hlc_program *p)
{
    bool changed = false;
    if (!pass_may_change_more(p))
        return false;
    for (VEC_EACH(sir_filter *, f, &p->module->filters))
        changed |= takes_place(p, *f);
    if (changed) {
        for (VEC_EACH(sir_filter *, f, &p->module->filters))
            sir_filter_derive(p->module, *f);
        sir_canonicalize(p->module, &(canon_options){0});
    }
    return changed;
}
