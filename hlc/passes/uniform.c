// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'uniform': what counts in a loop that data end is the same for all firings that are still in it.
//
//     int j = i - 1;                                 int j.9 = i - 1;  int j = i - 1;
//     while (j >= 0 && a[j] > v) {                   while (j.9 >= 0 && a[j.9] > v) {
//         a[j + 1] = a[j];                   ->          a[j.9 + 1] = a[j.9];
//         j--;                                           j.9 = j.9 - 1;  j = j.9;
//     }                                              }
//     a[j + 1] = v;                                  a[j + 1] = v;
//
// Side by side, the firings leave the loop at different trips, so j is another for each behind it. In the loop j.9 is one
// number, and its subscripts are plain ones (NOTE(ends) in hlc/ir/lanes.c).
#include <string.h>

#include "hlc/ir/copy.h"
#include "hlc/ir/lanes.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/pass.h"

typedef VEC(const sir_stmt *) loops;

typedef struct splitter {
    sir_module *m;
    sir_function *f;
    bool *differs;   // per local: between firings side by side
    uint32_t *split; // per local: the one that takes its place in the loop; SIR_NONE: none, OPEN: it may have one
    loops *done;
} splitter;

static const uint32_t OPEN = SIR_NONE - 1;

// ---- Which locals ----

static bool is_local(const sir_expr *e, uint32_t local)
{
    return e != NULL && e->kind == SIR_LOCAL && e->index == local;
}

// Whether a value is the same for all firings, if the locals that may be split are.
static bool is_uniform(const splitter *x, const sir_expr *e)
{
    if (e == NULL || e->kind == SIR_CONST)
        return true;
    if (e->kind == SIR_LOCAL)
        return !x->differs[e->index] || x->split[e->index] != SIR_NONE;
    if (e->kind == SIR_PEEK)
        return false;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        if (!is_uniform(x, e->u.arg[i]))
            return false;
    return true;
}

// What is set elsewhere than at the loop's own level, or not by a value that is uniform, is out.
static void rule_out(splitter *x, const sir_stmt *s, sir_expr *target, bool own, bool *any)
{
    const sir_expr *root = sir_lvalue_root(target);
    if (root == NULL || root->kind != SIR_LOCAL || x->split[root->index] == SIR_NONE)
        return;
    if (own && s->kind == SIR_SET && target == root && is_uniform(x, s->u.set.value))
        return;
    x->split[root->index] = SIR_NONE;
    *any = true;
}

static bool rule_out_block(splitter *x, const sir_block *b, bool own)
{
    bool any = false;
    for (size_t i = 0; i < b->len; i++) {
        sir_parts parts = sir_stmt_parts(b->data[i]);
        if (parts.target != NULL)
            rule_out(x, b->data[i], *parts.target, own, &any);
        for (uint8_t k = 0; k < parts.block_count; k++)
            any |= rule_out_block(x, parts.block[k], false);
    }
    return any;
}

typedef struct counter {
    uint32_t local;
    size_t reads, sets;
} counter;

static void count_expr(void *context, sir_expr *e, bool written)
{
    counter *n = context;
    if (e->kind == SIR_LOCAL && e->index == n->local) {
        n->reads += !written;
        n->sets += written;
    }
}

static void count_stmt(void *context, sir_stmt *s)
{
    counter *n = context;
    n->sets += s->kind == SIR_DECL && s->u.decl.local == n->local;
    sir_visit_exprs(s, count_expr, context);
}

static counter count(const sir_block *b, size_t from, size_t to, uint32_t local)
{
    counter n = {.local = local};
    const sir_block part = {.data = b->data + from, .len = to - from};
    sir_visit_stmts(&part, count_stmt, &n);
    return n;
}

// The statement before the loop that gives the local its value; SIZE_MAX: none does by itself, or not a uniform one.
static size_t find_start(const splitter *x, const sir_block *b, size_t loop, uint32_t local)
{
    for (size_t i = loop; i-- > 0;) {
        const sir_stmt *s = b->data[i];
        const sir_expr *value = s->kind == SIR_DECL ? s->u.decl.init : s->kind == SIR_SET ? s->u.set.value : NULL;
        bool gives = (s->kind == SIR_DECL && s->u.decl.local == local && !s->u.decl.uninitialised) ||
                     (s->kind == SIR_SET && is_local(s->u.set.target, local));
        if (gives)
            return sir_lanes_differ(x->differs, value) ? SIZE_MAX : i;
        if (count(b, i, i + 1, local).sets > 0)
            return SIZE_MAX;
    }
    return SIZE_MAX;
}

// ---- The loop ----

static void rename_expr(void *context, sir_expr *e, bool written)
{
    (void)written;
    const splitter *x = context;
    if (e->kind == SIR_LOCAL && x->split[e->index] != SIR_NONE)
        e->index = x->split[e->index];
}

static void rename_stmt(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, rename_expr, context);
}

static void insert(const splitter *x, sir_block *b, size_t at, sir_stmt *s)
{
    VEC_PUSH(x->m->arena, b, s);
    memmove(b->data + at + 1, b->data + at, (b->len - 1 - at) * sizeof *b->data);
    b->data[at] = s;
}

// Behind each "j.9 = ..." of the loop's own: "j = j.9".
static void keep_last(const splitter *x, sir_block *b, uint32_t local, uint32_t own)
{
    for (size_t i = 0; i < b->len; i++) {
        const sir_stmt *s = b->data[i];
        if (s->kind != SIR_SET || !is_local(s->u.set.target, own))
            continue;
        const sir_type *t = x->f->locals.data[local].type;
        sir_stmt *last = sir_stmt_new(x->m, SIR_SET, s->loc);
        last->u.set.target = sir_ref(x->m, SIR_LOCAL, local, t, s->loc);
        last->u.set.value = sir_ref(x->m, SIR_LOCAL, own, t, s->loc);
        insert(x, b, ++i, last);
    }
}

static void split_local(splitter *x, sir_block *b, size_t loop, uint32_t local)
{
    size_t start = find_start(x, b, loop, local);
    const sir_stmt *first = b->data[start];
    sir_stmt *decl = sir_stmt_new(x->m, SIR_DECL, first->loc), *s = b->data[loop];
    decl->u.decl.local = x->split[local];
    decl->u.decl.init = sir_copy_expr(&(sir_copier){.arena = x->m->arena},
                                      first->kind == SIR_DECL ? first->u.decl.init : first->u.set.value);
    if (count(&x->f->body, 0, x->f->body.len, local).reads > 0) { // behind the loop: it reads its own
        keep_last(x, &s->u.loop.pre, local, x->split[local]);
        keep_last(x, &s->u.loop.body, local, x->split[local]);
        keep_last(x, &s->u.loop.step, local, x->split[local]);
    }
    insert(x, b, start, decl);
}

static bool find_locals(splitter *x, const sir_block *b, size_t at)
{
    const sir_stmt *s = b->data[at];
    bool any = false;
    for (uint32_t i = 0; i < x->f->locals.len; i++) {
        counter n = count(b, at, at + 1, i);
        bool may = x->differs[i] && sir_is_lane_type(x->f->locals.data[i].type) && n.sets > 0 && n.reads > 0;
        x->split[i] = may && find_start(x, b, at, i) != SIZE_MAX ? OPEN : SIR_NONE;
    }
    bool again = true;
    while (again) {
        again = rule_out_block(x, &s->u.loop.pre, true);
        again |= rule_out_block(x, &s->u.loop.body, true);
        again |= rule_out_block(x, &s->u.loop.step, true);
    }
    for (size_t i = 0; i < x->f->locals.len; i++)
        any |= x->split[i] == OPEN;
    return any;
}

static bool split_loop(splitter *x, sir_block *b, size_t at)
{
    size_t locals = x->f->locals.len;
    if (!sir_lanes_differ(x->differs, b->data[at]->u.loop.cond) || !find_locals(x, b, at))
        return false;
    for (size_t i = 0; i < locals; i++) {
        sir_local l = x->f->locals.data[i];
        if (x->split[i] == OPEN)
            x->split[i] = sir_local_new(x->m, x->f, l.name, l.type, l.loc);
    }
    const sir_block one = {.data = &b->data[at], .len = 1};
    sir_visit_stmts(&one, rename_stmt, x);
    for (uint32_t i = 0; i < locals; i++)
        if (x->split[i] != SIR_NONE)
            split_local(x, b, at++, i);
    return true;
}

// What came in a local's place may differ all the same, since another loop has it: a loop is split once.
static bool is_done(const splitter *x, const sir_stmt *loop)
{
    bool found = false;
    for (size_t i = 0; !found && i < x->done->len; i++)
        found = x->done->data[i] == loop;
    return found;
}

// One loop at a time: what came of it is known when the next is looked at.
static bool split_block(splitter *x, sir_block *b)
{
    for (size_t i = 0; i < b->len; i++) {
        sir_parts parts = sir_stmt_parts(b->data[i]);
        for (uint8_t k = 0; k < parts.block_count; k++)
            if (split_block(x, parts.block[k]))
                return true;
        sir_stmt *loop = b->data[i];
        if (loop->kind == SIR_LOOP && !is_done(x, loop) && split_loop(x, b, i)) {
            VEC_PUSH(x->m->arena, x->done, loop);
            return true;
        }
    }
    return false;
}

// ---- The pass ----

static void find_loop(void *context, sir_stmt *s)
{
    *(bool *)context |= s->kind == SIR_LOOP;
}

static bool split_once(sir_module *m, sir_function *f, loops *done)
{
    arena *a = arena_create();
    splitter x = {.m = m,
                  .f = f,
                  .done = done,
                  .differs = ARENA_ARRAY(a, bool, f->locals.len + 1),
                  .split = ARENA_ARRAY(a, uint32_t, f->locals.len + 1)};
    bool changed = sir_lane_locals(f, x.differs) && split_block(&x, &f->body);
    arena_destroy(a);
    return changed;
}

static bool split_function(sir_module *m, sir_function *f)
{
    bool any = false;
    loops done = {0};
    sir_visit_stmts(&f->body, find_loop, &any);
    while (any && split_once(m, f, &done))
        continue;
    return done.len != 0;
}

bool pass_uniform(hlc_program *p)
{
    if (p->config->no_lanes || !pass_may_change_more(p))
        return false;
    bool changed = false;
    for (VEC_EACH(sir_filter *, filter, &p->module->filters)) {
        sir_filter *f = *filter;
        if (f->finite || f->stateful || f->prints || f->uses_random || f->sends)
            continue;
        if (!split_function(p->module, f->work))
            continue;
        diag_remark(p->diag, sir_range(p->module, p->sources, f->work->loc),
                    "loops of '%s' that data end count once for all firings side by side [uniform]", f->name);
        sir_filter_derive(p->module, f);
        changed = true;
    }
    return changed;
}
