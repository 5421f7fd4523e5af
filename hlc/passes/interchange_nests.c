// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loop nests that come to an element of an array again and again to go on with its sum, as matrix products by blocks do:
//
//     for %ii = 0 to 64 step 8 { for %jj = 0 to 64 step 8 { for %kk = 0 to 64 step 8 {
//         for %i = %ii to %ii + 8 { for %j = %jj to %jj + 8 {
//             var %s: float = %c[%i][%j]   for %k = %kk to %kk + 8 { .. }   %c[%i][%j] = %s
//         } }
//     } } }
//
//     for %i = 0 to 64 { for %j = 0 to 64 {
//         var %s: float = %c[%i][%j]   for %k = 0 to 64 { .. }   %c[%i][%j] = %s
//     } }
//
// Loops whose variables are the element's subscripts go outside, the others stay in their order inside: what is done to
// one element is done in the same order as before, and elements have nothing to do with each other. Loops over blocks and
// over what is in a block then are one.
#include "hlc/ir/copy.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/canonicalize.h"
#include "hlc/passes/canonicalize_int.h"
#include "hlc/passes/interchange_int.h"

typedef struct nest_loop {
    const sir_stmt *loop;
    const struct nest_loop *blocks; // of what is a block's loop: that over the blocks
    bool is_blocks, subscript;
    bool outside; // leads to another element, or to a block of them
} nest_loop;

typedef struct nest {
    sir_module *m;
    sir_function *function;
    VEC(nest_loop) loops; // outermost first
    sir_block body;
    const sir_expr *element; // the one array element that is written
    uint32_t sum;            // the local that has its value in the new nest, where the body has none
    bool *own;               // per local: declared in the body, or a loop's there
    bool unfit;
    size_t roots, elements; // how often the array is named, and how often as that element
} nest;

// ---- What is written ----

static void check_division(void *context, sir_expr *e, bool written)
{
    nest *n = context;
    (void)written;
    n->unfit |= sir_may_divide_by_zero(e);
}

static void check_stmt(void *context, sir_stmt *s)
{
    nest *n = context;
    sir_visit_exprs(s, check_division, n);
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL:
    case SIR_IF:
    case SIR_FOR:
    case SIR_BLOCK: return;
    case SIR_SET: break;
    default: n->unfit = true; return;
    }
    const sir_expr *target = s->u.set.target, *root = interchange_root(target);
    if (target->kind == SIR_LOCAL && n->own[target->index])
        return;
    if (root == NULL || target->kind != SIR_INDEX || (root->kind == SIR_LOCAL && n->own[root->index]) ||
        target->type->words != 1 || target->type->kind == SIR_STRUCT ||
        (n->element != NULL && !sir_same_expr(target, n->element, false)))
        n->unfit = true;
    else
        n->element = target;
}

static void count_element(void *context, sir_expr *e, bool written)
{
    nest *n = context;
    (void)written;
    const sir_expr *root = interchange_root(n->element);
    n->roots += e->kind == root->kind && e->index == root->index;
    n->elements += sir_same_expr(e, n->element, false);
}

static void count_elements(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, count_element, context);
}

static nest_loop *loop_of(nest *n, const sir_expr *e)
{
    for (size_t i = 0; i < n->loops.len && e->kind == SIR_LOCAL; i++)
        if (n->loops.data[i].loop->u.for_.local == e->index)
            return &n->loops.data[i];
    return NULL;
}

// Subscripts are a loop's variable or a constant each.
static bool finds_subscripts(nest *n)
{
    bool any = false;
    for (const sir_expr *e = n->element; e->kind == SIR_INDEX; e = e->u.arg[0]) {
        nest_loop *l = loop_of(n, e->u.arg[1]);
        if (l != NULL)
            l->subscript = any = true;
        else if (e->u.arg[1]->kind != SIR_CONST)
            return false;
    }
    return any;
}

// All of its elements are in the array: they are loaded and stored where the nest may have done so under a condition.
static bool are_inside(nest *n)
{
    for (const sir_expr *e = n->element; e->kind == SIR_INDEX; e = e->u.arg[0]) {
        int64_t length = e->u.arg[0]->type->length, lo, hi;
        const nest_loop *l = loop_of(n, e->u.arg[1]);
        if (l == NULL) {
            lo = e->u.arg[1]->u.value.i;
            hi = lo + 1;
        } else {
            const sir_stmt *all = l->blocks != NULL ? l->blocks->loop : l->loop;
            lo = all->u.for_.lo->u.value.i;
            hi = all->u.for_.hi->u.value.i;
        }
        if (lo < 0 || hi > length)
            return false;
    }
    return true;
}

// ---- Blocks ----

// for x = 0 to n step s, for y = x to x + s: which x names nothing else.
static const nest_loop *blocks_of(nest *n, const sir_stmt *points)
{
    const sir_expr *lo = points->u.for_.lo, *hi = points->u.for_.hi;
    nest_loop *l = loop_of(n, lo);
    int64_t trips;
    if (l == NULL || l->is_blocks || points->u.for_.step <= 0 || !interchange_trips(l->loop, &trips))
        return NULL;
    int64_t step = l->loop->u.for_.step, from = l->loop->u.for_.lo->u.value.i, to = l->loop->u.for_.hi->u.value.i;
    bool whole = step > 0 && (to - from) % step == 0 && step % points->u.for_.step == 0 && hi->kind == SIR_BINARY &&
                 hi->op == LANG_OP_ADD && canon_is_local(hi->u.arg[0], lo->index) &&
                 canon_is_int(hi->u.arg[1], (int32_t)step);
    if (!whole || sir_count_local(&l->loop->u.for_.body, lo->index) != 2)
        return NULL;
    l->is_blocks = true;
    return l;
}

// What is done to an element stays in its order: nothing but loops over elements lies between `blocks` and `points`.
static bool are_one(const nest_loop *blocks, const nest_loop *points)
{
    for (const nest_loop *l = blocks + 1; l < points; l++)
        if (!l->outside)
            return false;
    return true;
}

static bool finds_blocks(nest *n)
{
    int64_t trips;
    for (VEC_EACH(nest_loop, l, &n->loops)) {
        l->blocks = blocks_of(n, l->loop);
        l->outside = l->subscript;
        if (l->blocks == NULL && (!interchange_trips(l->loop, &trips) || l->loop->u.for_.step <= 0))
            return false;
    }
    for (VEC_EACH(nest_loop, l, &n->loops))
        if (l->blocks != NULL && l->subscript)
            n->loops.data[l->blocks - n->loops.data].outside = true;
    for (VEC_EACH(nest_loop, l, &n->loops))
        if (l->blocks != NULL && !l->subscript && !are_one(l->blocks, l))
            return false;
    return true;
}

// ---- The new nest ----

// The loop of all trips around a body.
static sir_stmt *loop_around(nest *n, const sir_stmt *points, const nest_loop *blocks, sir_block body)
{
    sir_stmt *s = ARENA_NEW(n->m->arena, sir_stmt);
    *s = *points;
    if (blocks != NULL) {
        s->u.for_.lo = blocks->loop->u.for_.lo;
        s->u.for_.hi = blocks->loop->u.for_.hi;
    }
    s->u.for_.body = body;
    return s;
}

static sir_block block_of(nest *n, sir_stmt *s)
{
    sir_block b = {0};
    VEC_PUSH(n->m->arena, &b, s);
    return b;
}

// var v = element   for ..   element = v
static bool has_sum(const nest *n)
{
    const sir_block *b = &n->body;
    return b->len == 3 && b->data[0]->kind == SIR_DECL && b->data[1]->kind == SIR_FOR && b->data[2]->kind == SIR_SET &&
           b->data[0]->u.decl.init != NULL && sir_same_expr(b->data[0]->u.decl.init, n->element, false) &&
           sir_same_expr(b->data[2]->u.set.target, n->element, false) &&
           canon_is_local(b->data[2]->u.set.value, b->data[0]->u.decl.local) && n->elements == 2;
}

static sir_expr *sum_of(void *context, const sir_expr *e)
{
    const nest *n = context;
    return sir_same_expr(e, n->element, false) ? sir_ref(n->m, SIR_LOCAL, n->sum, e->type, e->loc) : NULL;
}

// What is done to an element: the other loops, around the body. Its sum is loaded before and stored afterwards.
static bool finds_sum(nest *n, sir_block *r)
{
    bool sum = has_sum(n);
    sir_loc loc = n->body.data[0]->loc;
    sir_stmt *load = n->body.data[0], *store = n->body.data[n->body.len - 1];
    sir_block inner;
    if (sum) {
        const sir_stmt *points = n->body.data[1];
        const nest_loop *blocks = blocks_of(n, points);
        if (blocks != NULL && !are_one(blocks, n->loops.data + n->loops.len))
            return false;
        inner = block_of(n, loop_around(n, points, blocks, points->u.for_.body));
    } else {
        n->sum = sir_local_new(n->m, n->function, "sum", n->element->type, loc);
        load = sir_stmt_new(n->m, SIR_DECL, loc);
        load->u.decl.local = n->sum;
        load->u.decl.init = (sir_expr *)n->element;
        store = sir_stmt_new(n->m, SIR_SET, loc);
        store->u.set.target = (sir_expr *)n->element;
        store->u.set.value = sir_ref(n->m, SIR_LOCAL, n->sum, n->element->type, loc);
        const sir_copier copier = {.arena = n->m->arena, .context = n, .expr = sum_of};
        inner = sir_copy_block(&copier, &n->body);
    }
    for (size_t i = n->loops.len; i-- > 0;) {
        const nest_loop *l = &n->loops.data[i];
        if (!l->subscript && !l->is_blocks)
            inner = block_of(n, loop_around(n, l->loop, l->blocks, inner));
    }
    *r = block_of(n, load);
    for (size_t i = 0; i < inner.len; i++)
        VEC_PUSH(n->m->arena, r, inner.data[i]);
    VEC_PUSH(n->m->arena, r, store);
    return true;
}

sir_stmt *interchange_gathered(arena *a, sir_module *m, sir_function *f, const sir_stmt *s, sir_stmt **lanes)
{
    nest n = {.m = m, .function = f};
    for (const sir_stmt *l = s;; l = l->u.for_.body.data[0]) {
        if (l->kind != SIR_FOR)
            return NULL;
        VEC_PUSH(a, &n.loops, (nest_loop){.loop = l});
        n.body = l->u.for_.body;
        if (n.body.len != 1 || n.body.data[0]->kind != SIR_FOR)
            break;
    }
    n.own = ARENA_ARRAY(a, bool, f->locals.len + 1);
    sir_declared_locals(&n.body, n.own);
    sir_visit_stmts(&n.body, check_stmt, &n);
    if (n.unfit || n.element == NULL || n.loops.len < 2 || !finds_subscripts(&n) || !finds_blocks(&n) ||
        !are_inside(&n))
        return NULL;
    sir_visit_stmts(&n.body, count_elements, &n);
    bool others = false; // some loop does not lead to another element
    for (VEC_EACH(nest_loop, l, &n.loops))
        others |= !l->subscript;
    sir_block body = {0};
    if (n.roots != n.elements || !others || !finds_sum(&n, &body))
        return NULL;
    sir_stmt *r = NULL;
    *lanes = NULL;
    for (const sir_expr *e = n.element; e->kind == SIR_INDEX; e = e->u.arg[0]) {
        nest_loop *l = loop_of(&n, e->u.arg[1]);
        if (l == NULL || !l->subscript)
            continue;
        l->subscript = false; // once
        r = loop_around(&n, l->loop, l->blocks, body);
        *lanes = *lanes == NULL ? r : *lanes;
        body = block_of(&n, r);
    }
    return r;
}
