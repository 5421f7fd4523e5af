// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hlc/ir/lanes.h"

#include <string.h>

#include "hlc/ir/walk.h"

// NOTE(ends). A loop that ends for one lane before it ends for another goes on for the others. A local that lives in such a
// loop alone, but for its declaration before it, may be the same for all lanes that are still there:
//
//     int at.2 = i - 1;  while (at.2 >= 0 && a[at.2] > v) { ...  at.2 = at.2 - 1; }
typedef struct lane_walk {
    bool *locals;
    const sir_stmt **homes; // per local: the loop that it lives in; NULL: none
    bool changed, impossible;
    bool tables;           // may be subscripted by what differs
    const sir_stmt *guard; // the condition around that differs; NULL: none does
} lane_walk;

bool sir_is_lane_type(const sir_type *t)
{
    return t->kind == SIR_INT || t->kind == SIR_BIT || t->kind == SIR_FLOAT || t->kind == SIR_BOOLEAN;
}

bool sir_lanes_differ(const bool *locals, const sir_expr *e)
{
    if (e == NULL || e->kind == SIR_CONST)
        return false;
    if (e->kind == SIR_LOCAL)
        return locals[e->index];
    if (e->kind == SIR_PEEK || e->kind == SIR_ITER)
        return true;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        if (sir_lanes_differ(locals, e->u.arg[i]))
            return true;
    return false;
}

static void walk_block(lane_walk *w, const sir_block *b);

static void assign(lane_walk *w, uint32_t local, bool differs, bool declares)
{
    bool home = w->homes[local] != NULL && (declares || w->homes[local] == w->guard);
    if ((differs || (w->guard != NULL && !home)) && !w->locals[local])
        w->locals[local] = w->changed = true;
}

static void check_access(void *context, sir_expr *e, bool written)
{
    (void)written;
    lane_walk *w = context;
    if (e->kind == SIR_MEMBER || e->kind == SIR_MAKE_COMPLEX)
        w->impossible = true;
    if (e->kind == SIR_INDEX && sir_lanes_differ(w->locals, e->u.arg[1])) { // of local arrays of scalars, or tables
        const sir_expr *root = sir_lvalue_root(e);
        bool table = w->tables && root != NULL && (root->kind == SIR_FIELD || root->kind == SIR_GLOBAL);
        w->impossible |= !table && (root == NULL || root->kind != SIR_LOCAL);
        if (root != NULL && root->kind == SIR_LOCAL)
            assign(w, root->index, true, false);
    }
    if (e->type->kind != SIR_ARRAY && !sir_is_lane_type(e->type) && sir_lanes_differ(w->locals, e))
        w->impossible = true;
}

static void walk_target(lane_walk *w, sir_expr *target, bool differs)
{
    const sir_expr *root = sir_lvalue_root(target);
    if (root == NULL || root->kind != SIR_LOCAL)
        w->impossible = true;
    else
        assign(w, root->index, differs, false);
}

static void walk_stmt(lane_walk *w, sir_stmt *s)
{
    const sir_stmt *outer = w->guard;
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: assign(w, s->u.decl.local, sir_lanes_differ(w->locals, s->u.decl.init), true); break;
    case SIR_SET: walk_target(w, s->u.set.target, sir_lanes_differ(w->locals, s->u.set.value)); break;
    case SIR_POP:
        if (s->u.set.target != NULL)
            walk_target(w, s->u.set.target, true);
        break;
    case SIR_PUSH: break;
    case SIR_IF:
        w->guard = sir_lanes_differ(w->locals, s->u.if_.cond) ? s : outer;
        walk_block(w, &s->u.if_.then);
        walk_block(w, &s->u.if_.otherwise);
        break;
    case SIR_FOR:
        w->impossible |= sir_lanes_differ(w->locals, s->u.for_.lo) || sir_lanes_differ(w->locals, s->u.for_.hi);
        walk_block(w, &s->u.for_.body);
        break;
    case SIR_LOOP:
        w->guard = sir_lanes_differ(w->locals, s->u.loop.cond) ? s : outer;
        walk_block(w, &s->u.loop.pre);
        walk_block(w, &s->u.loop.body);
        walk_block(w, &s->u.loop.step);
        break;
    case SIR_BLOCK: walk_block(w, &s->u.block); break;
    default: w->impossible = true; // calls, prints, random numbers, messages, jumps
    }
    w->guard = outer;
    sir_visit_exprs(s, check_access, w);
}

static void walk_block(lane_walk *w, const sir_block *b)
{
    for (size_t i = 0; i < b->len; i++)
        walk_stmt(w, b->data[i]);
}

// ---- Where locals live ----

typedef struct home_finder {
    const sir_function *f;
    const sir_stmt **homes;
    size_t *all, *inside; // references to each local: in the function, in a loop
    size_t *counting;
} home_finder;

static void count_reference(void *context, sir_expr *e, bool written)
{
    (void)written;
    home_finder *h = context;
    if (e->kind == SIR_LOCAL)
        h->counting[e->index]++;
}

static void count_references(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, count_reference, context);
}

static void find_home(home_finder *h, const sir_block *b, size_t loop)
{
    const sir_block one = {.data = &b->data[loop], .len = 1};
    memset(h->inside, 0, h->f->locals.len * sizeof *h->inside);
    h->counting = h->inside;
    sir_visit_stmts(&one, count_references, h);
    for (size_t i = 0; i < loop; i++) {
        const sir_stmt *s = b->data[i];
        uint32_t local = s->kind == SIR_DECL ? s->u.decl.local : SIR_NONE;
        if (local != SIR_NONE && h->inside[local] == h->all[local] && sir_is_lane_type(h->f->locals.data[local].type))
            h->homes[local] = b->data[loop];
    }
}

static void find_homes(home_finder *h, const sir_block *b)
{
    for (size_t i = 0; i < b->len; i++) {
        sir_parts parts = sir_stmt_parts(b->data[i]);
        for (uint8_t k = 0; k < parts.block_count; k++)
            find_homes(h, parts.block[k]);
        if (b->data[i]->kind == SIR_LOOP)
            find_home(h, b, i);
    }
}

const sir_stmt **sir_lane_homes(arena *a, const sir_function *f)
{
    home_finder h = {.f = f,
                     .homes = ARENA_ARRAY(a, const sir_stmt *, f->locals.len + 1),
                     .all = ARENA_ARRAY(a, size_t, f->locals.len + 1),
                     .inside = ARENA_ARRAY(a, size_t, f->locals.len + 1)};
    h.counting = h.all;
    sir_visit_stmts(&f->body, count_references, &h);
    find_homes(&h, &f->body);
    return h.homes;
}

static bool find_locals(const sir_function *f, bool *locals, bool tables)
{
    arena *a = arena_create();
    lane_walk w = {.locals = locals, .homes = sir_lane_homes(a, f), .tables = tables};
    do {
        w.changed = false;
        walk_block(&w, &f->body);
    } while (w.changed);
    arena_destroy(a);
    for (size_t i = 0; i < f->locals.len; i++) {
        const sir_type *t = f->locals.data[i].type;
        while (t->kind == SIR_ARRAY)
            t = t->element;
        w.impossible |= locals[i] && !sir_is_lane_type(t);
    }
    return !w.impossible;
}

bool sir_lane_locals(const sir_function *f, bool *locals)
{
    return find_locals(f, locals, false);
}

bool sir_lane_locals_with_tables(const sir_function *f, bool *locals)
{
    return find_locals(f, locals, true);
}
