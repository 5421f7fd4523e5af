// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hlc/plan/thread_domain.h"

#include <string.h>

#include "hlc/ir/walk.h"

enum { ELEMENT = 4, MOST_ITEMS = 1 << 20 };

// The ints that an expression may be.
typedef struct span {
    int64_t lo, hi;
} span;

typedef struct nest {
    arena *arena;
    const sir_function *work;
    VEC(const sir_stmt *) loops; // outermost first
    const sir_type *int_type;
    span *of;     // per local: of the counters of loops within the nest's body
    bool *counts; // per local: it is such a counter
    bool *own;    // per local: the body declares it
    plan_domain *domain;
    VEC(sir_expr *) offsets; // of the block's peeks, in the firing
    VEC(size_t) windows;     // of each
    bool fails;
} nest;

// ---- The loops ----

static bool int_constant(const sir_expr *e, int64_t *value)
{
    *value = e->kind == SIR_CONST ? e->u.value.i : 0;
    return e->kind == SIR_CONST && e->type->kind == SIR_INT;
}

static bool counted(const sir_stmt *s, int64_t *lo, int64_t *hi)
{
    return s->kind == SIR_FOR && s->u.for_.step == 1 && int_constant(s->u.for_.lo, lo) &&
           int_constant(s->u.for_.hi, hi) && *hi > *lo;
}

static bool only_pops(const sir_stmt *s)
{
    if (s->kind == SIR_POP)
        return s->u.set.target == NULL;
    return s->kind == SIR_FOR && s->u.for_.body.len == 1 && s->u.for_.body.data[0]->kind == SIR_POP &&
           s->u.for_.body.data[0]->u.set.target == NULL;
}

// The loop nest that a firing is, but for pops behind it.
static bool find_loops(nest *n)
{
    const sir_block *b = &n->work->body;
    int64_t lo, hi;
    for (size_t i = 1; i < b->len; i++)
        if (!only_pops(b->data[i]))
            return false;
    while (b->len > 0 && counted(b->data[0], &lo, &hi) && (n->loops.len == 0 || b->len == 1)) {
        VEC_PUSH(n->arena, &n->loops, b->data[0]);
        b = &b->data[0]->u.for_.body;
    }
    return n->loops.len > 0;
}

static size_t loop_of(const nest *n, uint32_t local)
{
    size_t i = 0;
    while (i < n->loops.len && n->loops.data[i]->u.for_.local != local)
        i++;
    return i;
}

// ---- What peeks look at ----

typedef struct affine {
    bool good;
    span span;         // in the block: the outer loops' counters are what they begin with
    int64_t *per_trip; // of each loop
} affine;

static affine number(nest *n, int64_t lo, int64_t hi)
{
    return (affine){true, {lo, hi}, ARENA_ARRAY(n->arena, int64_t, n->loops.len + 1)};
}

static affine local_affine(nest *n, uint32_t local)
{
    size_t loop = loop_of(n, local);
    int64_t lo, hi;
    if (loop == n->loops.len)
        return n->counts[local] ? number(n, n->of[local].lo, n->of[local].hi) : (affine){0};
    (void)counted(n->loops.data[loop], &lo, &hi);
    affine r = number(n, lo, loop + 1 == n->loops.len ? lo + ELEMENT - 1 : lo);
    r.per_trip[loop] = 1;
    return r;
}

static affine affine_of(nest *n, const sir_expr *e);

static affine scaled(nest *n, affine a, int64_t by)
{
    affine r = number(n, by < 0 ? a.span.hi * by : a.span.lo * by, by < 0 ? a.span.lo * by : a.span.hi * by);
    for (size_t i = 0; i < n->loops.len; i++)
        r.per_trip[i] = a.per_trip[i] * by;
    return r;
}

static affine sum(nest *n, affine a, affine b)
{
    affine r = number(n, a.span.lo + b.span.lo, a.span.hi + b.span.hi);
    for (size_t i = 0; i < n->loops.len; i++)
        r.per_trip[i] = a.per_trip[i] + b.per_trip[i];
    return r;
}

static affine binary_affine(nest *n, const sir_expr *e)
{
    affine a = affine_of(n, e->u.arg[0]), b = affine_of(n, e->u.arg[1]);
    if (!a.good || !b.good)
        return (affine){0};
    switch ((lang_binary_op)e->op) {
    case LANG_OP_ADD: return sum(n, a, b);
    case LANG_OP_SUB: return sum(n, a, scaled(n, b, -1));
    case LANG_OP_MUL:
        if (e->u.arg[0]->kind == SIR_CONST)
            return scaled(n, b, a.span.lo);
        return e->u.arg[1]->kind == SIR_CONST ? scaled(n, a, b.span.lo) : (affine){0};
    default: return (affine){0};
    }
}

// Numbers stay small: none of more than a firing's items is of use, and sums and products of such do not overflow.
static affine affine_of(nest *n, const sir_expr *e)
{
    affine r = {0};
    if (e->type->kind == SIR_INT && e->kind == SIR_CONST)
        r = number(n, e->u.value.i, e->u.value.i);
    else if (e->type->kind == SIR_INT && e->kind == SIR_LOCAL)
        r = local_affine(n, e->index);
    else if (e->type->kind == SIR_INT && e->kind == SIR_BINARY)
        r = binary_affine(n, e);
    bool small = r.good && r.span.lo >= -MOST_ITEMS && r.span.hi <= MOST_ITEMS;
    for (size_t i = 0; small && i < n->loops.len; i++)
        small = r.per_trip[i] >= -MOST_ITEMS && r.per_trip[i] <= MOST_ITEMS;
    return small ? r : (affine){0};
}

// The window that a peek looks at; one that moves as it does, and overlaps it, has it too.
static bool find_window(nest *n, const affine *at)
{
    plan_window w = {at->span.lo / ELEMENT, at->span.hi / ELEMENT - at->span.lo / ELEMENT + 1, {0}};
    size_t last = n->loops.len - 1;
    if (at->span.lo < 0)
        return false;
    for (size_t i = 0; i < n->loops.len; i++) {
        if (at->per_trip[i] < 0 || (i != last && at->per_trip[i] % ELEMENT != 0))
            return false;
        VEC_PUSH(n->arena, &w.strides, i == last ? at->per_trip[i] : at->per_trip[i] / ELEMENT);
    }
    size_t number_of = 0;
    for (; number_of < n->domain->windows.len; number_of++) {
        plan_window *have = &n->domain->windows.data[number_of];
        int64_t end = have->first + have->elements, more = w.first + w.elements;
        if (memcmp(have->strides.data, w.strides.data, n->loops.len * sizeof *w.strides.data) != 0 || w.first > end ||
            have->first > more)
            continue;
        have->first = have->first < w.first ? have->first : w.first;
        have->elements = (end > more ? end : more) - have->first;
        break;
    }
    if (number_of == n->domain->windows.len)
        VEC_PUSH(n->arena, &n->domain->windows, w);
    VEC_PUSH(n->arena, &n->windows, number_of);
    return true;
}

// ---- The block ----

static sir_expr *int_expr(nest *n, sir_loc loc, int64_t value)
{
    sir_expr *e = ARENA_NEW(n->arena, sir_expr);
    *e = (sir_expr){.kind = SIR_CONST, .type = n->int_type, .loc = loc, .u.value.i = (int32_t)value};
    return e;
}

static bool copies(const sir_expr *e)
{
    return e->kind != SIR_ITER && e->kind != SIR_FETCH && e->kind != SIR_MEMBER && e->kind != SIR_MAKE_COMPLEX;
}

// Only where peeks look depends on the loops' counters.
static sir_expr *copy_expr(nest *n, const sir_expr *e, bool offset)
{
    sir_expr *r = ARENA_NEW(n->arena, sir_expr);
    *r = *e;
    if (!copies(e)) {
        n->fails = true;
        return r;
    }
    if (e->kind == SIR_LOCAL) {
        size_t loop = loop_of(n, e->index);
        n->fails = n->fails || (loop < n->loops.len ? !offset : !n->own[e->index]);
        if (loop + 1 < n->loops.len)
            return int_expr(n, e->loc, n->loops.data[loop]->u.for_.lo->u.value.i);
    }
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        r->u.arg[i] = copy_expr(n, e->u.arg[i], offset || e->kind == SIR_PEEK);
    if (e->kind == SIR_PEEK) {
        affine at = affine_of(n, e->u.arg[0]);
        n->fails = n->fails || offset || !at.good || !find_window(n, &at);
        VEC_PUSH(n->arena, &n->offsets, r);
    }
    return r;
}

static void copy_block(nest *n, const sir_block *b, sir_block *out);

static sir_stmt *copy_stmt(nest *n, const sir_stmt *s)
{
    sir_stmt *r = ARENA_NEW(n->arena, sir_stmt);
    int64_t lo, hi;
    *r = *s;
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL:
        n->own[s->u.decl.local] = true;
        if (s->u.decl.init != NULL)
            r->u.decl.init = copy_expr(n, s->u.decl.init, false);
        return r;
    case SIR_SET:
        r->u.set.target = copy_expr(n, s->u.set.target, false);
        r->u.set.value = copy_expr(n, s->u.set.value, false);
        return r;
    case SIR_PUSH: r->u.value = copy_expr(n, s->u.value, false); return r;
    case SIR_IF:
        r->u.if_.cond = copy_expr(n, s->u.if_.cond, false);
        copy_block(n, &s->u.if_.then, &r->u.if_.then);
        copy_block(n, &s->u.if_.otherwise, &r->u.if_.otherwise);
        return r;
    case SIR_BLOCK: copy_block(n, &s->u.block, &r->u.block); return r;
    case SIR_FOR: break;
    default: n->fails = true; return r;
    }
    if (!counted(s, &lo, &hi)) {
        n->fails = true;
        return r;
    }
    n->counts[s->u.for_.local] = true;
    n->own[s->u.for_.local] = true;
    n->of[s->u.for_.local] = (span){lo, hi - 1};
    r->u.for_.lo = int_expr(n, s->loc, lo);
    r->u.for_.hi = int_expr(n, s->loc, hi);
    copy_block(n, &s->u.for_.body, &r->u.for_.body);
    return r;
}

static void copy_block(nest *n, const sir_block *b, sir_block *out)
{
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < b->len && !n->fails; i++)
        VEC_PUSH(n->arena, out, copy_stmt(n, b->data[i]));
}

static void count_push(void *context, sir_stmt *s)
{
    *(size_t *)context += s->kind == SIR_PUSH;
}

// One item a trip, whatever happens.
static bool pushes_one(const sir_block *b)
{
    size_t all = 0, here = 0;
    sir_visit_stmts(b, count_push, &all);
    for (size_t i = 0; i < b->len; i++)
        here += b->data[i]->kind == SIR_PUSH;
    return all == 1 && here == 1;
}

// Peeks look at the windows, which lie one behind the other. Gives their items.
static int64_t lay_out(nest *n)
{
    int64_t *begin = ARENA_ARRAY(n->arena, int64_t, n->domain->windows.len + 1), items = 0;
    for (size_t i = 0; i < n->domain->windows.len; i++) {
        begin[i] = items - ELEMENT * n->domain->windows.data[i].first;
        items += ELEMENT * n->domain->windows.data[i].elements;
    }
    for (size_t i = 0; i < n->offsets.len; i++) {
        sir_expr *peek = n->offsets.data[i], *moved = ARENA_NEW(n->arena, sir_expr);
        *moved = (sir_expr){.kind = SIR_BINARY, .op = LANG_OP_ADD, .type = n->int_type, .loc = peek->loc};
        moved->u.arg[0] = peek->u.arg[0];
        moved->u.arg[1] = int_expr(n, peek->loc, begin[n->windows.data[i]]);
        peek->u.arg[0] = moved;
    }
    return items;
}

static void set_rate(sir_rate *r, int64_t items)
{
    r->min = r->max = items;
}

static sir_filter *block_of(nest *n, const sir_filter *f, const sir_block *body, int64_t items)
{
    arena *a = n->arena;
    const sir_stmt *inner = n->loops.data[n->loops.len - 1];
    int64_t lo = inner->u.for_.lo->u.value.i;
    sir_filter *r = ARENA_NEW(a, sir_filter);
    sir_function *work = ARENA_NEW(a, sir_function);
    *r = *f;
    *work = *n->work;
    r->name = arena_printf(a, "%s_outputs", f->name);
    r->work = work;
    set_rate(&work->peek, items);
    set_rate(&work->pop, items);
    set_rate(&work->push, ELEMENT);
    memset(&work->body, 0, sizeof work->body);
    sir_stmt *lanes = ARENA_NEW(a, sir_stmt), *pops = ARENA_NEW(a, sir_stmt), *pop = ARENA_NEW(a, sir_stmt);
    *lanes = *inner;
    lanes->u.for_.lo = int_expr(n, inner->loc, lo);
    lanes->u.for_.hi = int_expr(n, inner->loc, lo + ELEMENT);
    lanes->u.for_.body = *body;
    VEC_PUSH(a, &work->body, lanes);
    *pops = *lanes;
    *pop = (sir_stmt){.kind = SIR_POP, .loc = inner->loc};
    pops->u.for_.lo = int_expr(n, inner->loc, 0);
    pops->u.for_.hi = int_expr(n, inner->loc, items);
    memset(&pops->u.for_.body, 0, sizeof pops->u.for_.body);
    VEC_PUSH(a, &pops->u.for_.body, pop);
    VEC_PUSH(a, &work->body, pops);
    return r;
}

// The end of the last window, wherever the loops are.
static int64_t windows_end(const nest *n)
{
    int64_t last = 0;
    for (VEC_EACH(plan_window, w, &n->domain->windows)) {
        int64_t end = w->first + w->elements;
        for (size_t i = 0; i < n->loops.len; i++)
            end += w->strides.data[i] * (n->domain->trips.data[i] - 1);
        last = end > last ? end : last;
    }
    return last;
}

// Rows that continue each other are whole batches of elements: a driver fills up others.
static bool makes_rows(int64_t pop, int64_t peek, int64_t push)
{
    enum { BATCH = 4 };
    return peek % (peek > pop ? ELEMENT : ELEMENT * BATCH) == 0 && push % (ELEMENT * BATCH) == 0;
}

const plan_domain *plan_domain_of(arena *a, const sir_filter *f)
{
    const sir_function *work = f->work;
    nest n = {.arena = a, .work = work};
    int64_t peek = work->peek.max > work->pop.max ? work->peek.max : work->pop.max, pushed = 1, lo, hi;
    sir_block body;
    if (!find_loops(&n))
        return NULL;
    const sir_stmt *inner = n.loops.data[n.loops.len - 1];
    n.domain = ARENA_NEW(a, plan_domain);
    n.of = ARENA_ARRAY(a, span, work->locals.len + 1);
    n.counts = ARENA_ARRAY(a, bool, work->locals.len + 1);
    n.own = ARENA_ARRAY(a, bool, work->locals.len + 1);
    n.int_type = inner->u.for_.lo->type;
    for (VEC_EACH(const sir_stmt *, s, &n.loops)) {
        (void)counted(*s, &lo, &hi);
        VEC_PUSH(a, &n.domain->trips, *s == inner ? (hi - lo + ELEMENT - 1) / ELEMENT : hi - lo);
        pushed *= hi - lo <= MOST_ITEMS / pushed ? hi - lo : 0;
    }
    if (pushed == 0 || pushed != work->push.max || ((hi - lo) % ELEMENT != 0 && n.loops.len > 1) ||
        !pushes_one(&inner->u.for_.body))
        return NULL;
    copy_block(&n, &inner->u.for_.body, &body);
    if (n.fails || n.domain->windows.len == 0)
        return NULL;
    n.domain->elements = windows_end(&n);
    n.domain->rows = makes_rows(work->pop.max, peek, pushed) && ELEMENT * n.domain->elements <= peek;
    if (n.domain->rows)
        n.domain->elements = peek / ELEMENT;
    n.domain->block = block_of(&n, f, &body, lay_out(&n));
    return n.domain;
}

int64_t plan_domain_threads(const plan_domain *d)
{
    int64_t threads = 1;
    for (VEC_EACH(int64_t, trips, &d->trips))
        threads *= *trips;
    return threads;
}
