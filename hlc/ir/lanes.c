// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hlc/ir/lanes.h"

#include "hlc/ir/walk.h"

typedef struct lane_walk {
    bool *locals;
    bool changed, impossible;
    int guards; // conditions around that differ
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
    if (e->kind == SIR_PEEK)
        return true;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        if (sir_lanes_differ(locals, e->u.arg[i]))
            return true;
    return false;
}

static void walk_block(lane_walk *w, const sir_block *b);

static void assign(lane_walk *w, uint32_t local, bool differs)
{
    if ((differs || w->guards > 0) && !w->locals[local])
        w->locals[local] = w->changed = true;
}

static void check_access(void *context, sir_expr *e, bool written)
{
    (void)written;
    lane_walk *w = context;
    if (e->kind == SIR_ITER || e->kind == SIR_MEMBER || e->kind == SIR_MAKE_COMPLEX)
        w->impossible = true;
    if ((e->kind == SIR_PEEK || e->kind == SIR_INDEX) && sir_lanes_differ(w->locals, e->u.arg[e->kind == SIR_INDEX]))
        w->impossible = true;
    if (e->type->kind != SIR_ARRAY && !sir_is_lane_type(e->type) && sir_lanes_differ(w->locals, e))
        w->impossible = true;
}

static void walk_target(lane_walk *w, sir_expr *target, bool differs)
{
    const sir_expr *root = sir_lvalue_root(target);
    if (root == NULL || root->kind != SIR_LOCAL)
        w->impossible = true;
    else
        assign(w, root->index, differs);
}

static void walk_stmt(lane_walk *w, sir_stmt *s)
{
    bool differs;
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: assign(w, s->u.decl.local, sir_lanes_differ(w->locals, s->u.decl.init)); break;
    case SIR_SET: walk_target(w, s->u.set.target, sir_lanes_differ(w->locals, s->u.set.value)); break;
    case SIR_POP:
        if (s->u.set.target != NULL)
            walk_target(w, s->u.set.target, true);
        break;
    case SIR_PUSH: break;
    case SIR_IF:
        differs = sir_lanes_differ(w->locals, s->u.if_.cond);
        w->guards += differs;
        walk_block(w, &s->u.if_.then);
        walk_block(w, &s->u.if_.otherwise);
        w->guards -= differs;
        break;
    case SIR_FOR:
        w->impossible |= sir_lanes_differ(w->locals, s->u.for_.lo) || sir_lanes_differ(w->locals, s->u.for_.hi);
        walk_block(w, &s->u.for_.body);
        break;
    case SIR_LOOP:
        walk_block(w, &s->u.loop.pre);
        w->impossible |= sir_lanes_differ(w->locals, s->u.loop.cond);
        walk_block(w, &s->u.loop.body);
        walk_block(w, &s->u.loop.step);
        break;
    case SIR_BLOCK: walk_block(w, &s->u.block); break;
    default: w->impossible = true; // calls, prints, random numbers, messages, jumps
    }
    sir_visit_exprs(s, check_access, w);
}

static void walk_block(lane_walk *w, const sir_block *b)
{
    for (size_t i = 0; i < b->len && !w->impossible; i++)
        walk_stmt(w, b->data[i]);
}

bool sir_lane_locals(const sir_function *f, bool *locals)
{
    lane_walk w = {.locals = locals};
    do {
        w.changed = false;
        walk_block(&w, &f->body);
    } while (w.changed && !w.impossible);
    for (size_t i = 0; i < f->locals.len; i++) {
        const sir_type *t = f->locals.data[i].type;
        while (t->kind == SIR_ARRAY)
            t = t->element;
        w.impossible |= locals[i] && !sir_is_lane_type(t);
    }
    return !w.impossible;
}
