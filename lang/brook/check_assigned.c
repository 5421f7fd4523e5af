// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which outputs are assigned on every path through a kernel, and whether something reads what they were before; whether
// each path of one with a result returns it.
// A state has a bit for each scalar of an output; what cannot be reached has all.
#include <string.h>

#include "lang/brook/check.h"

typedef struct flow {
    brook_checker *c;
    const brook_kernel *kernel;
    const brook_var *output; // the one looked at; NULL: only whether the end is reached
    uint64_t now;            // of the path so far
    bool reached;
    bool early;       // it is read where it may not be assigned yet
    uint64_t at_exit; // common to all returns
    uint64_t at_break, at_continue;
    bool breaks, continues;
} flow;

static unsigned scalars(brook_type t)
{
    unsigned n = 0;
    if (t.element != BROOK_STRUCT)
        return t.width;
    for (VEC_EACH(const brook_member, m, &t.decl->members))
        n += scalars(m->type);
    return n;
}

static uint64_t ones(unsigned n)
{
    return n >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
}

// The scalars of the output that an lvalue writes for certain, from the given first one; false when it is another's.
static bool target_bits(const flow *f, const brook_expr *e, unsigned *first, uint64_t *bits)
{
    switch (e->kind) {
    case BROOK_EXPR_NAME:
        *first = 0;
        *bits = ones(scalars(e->type));
        return e->u.name.var == f->output;
    case BROOK_EXPR_MEMBER: {
        uint64_t outer;
        if (!target_bits(f, e->u.member.base, first, &outer))
            return false;
        *bits = 0;
        if (e->u.member.swizzle) {
            for (unsigned i = 0; i < e->type.width; i++)
                *bits |= UINT64_C(1) << e->u.member.component[i];
            return true;
        }
        for (unsigned i = 0; i < e->u.member.index; i++)
            *first += scalars(e->u.member.base->type.decl->members.data[i].type);
        *bits = ones(scalars(e->type));
        return true;
    }
    case BROOK_EXPR_INDEX: {
        uint64_t outer;
        const brook_expr *at = e->u.index.at.data[0];
        *bits = at->kind == BROOK_EXPR_NUMBER ? UINT64_C(1) << (int)at->u.number : 0;
        return target_bits(f, e->u.index.base, first, &outer);
    }
    default: return false;
    }
}

static void written(flow *f, const brook_expr *target)
{
    unsigned first = 0;
    uint64_t bits = 0;
    if (f->output != NULL && target_bits(f, target, &first, &bits) && first < 64)
        f->now |= bits << first;
}

static void walk_expr(flow *f, const brook_expr *e);

static void walk_list(flow *f, const brook_exprs *list)
{
    for (VEC_EACH(brook_expr *const, e, list))
        walk_expr(f, *e);
}

// What stands in an lvalue beside the variable.
static void walk_subscripts(flow *f, const brook_expr *e)
{
    if (e->kind == BROOK_EXPR_MEMBER) {
        walk_subscripts(f, e->u.member.base);
    } else if (e->kind == BROOK_EXPR_INDEX) {
        walk_subscripts(f, e->u.index.base);
        walk_list(f, &e->u.index.at);
    }
}

static bool is_written_only(const brook_expr *call, size_t argument)
{
    const brook_var *v = call->u.call.kernel == NULL ? NULL : call->u.call.kernel->params.data[argument];
    return v != NULL && v->kind == BROOK_OUTPUT && v->whole;
}

static void walk_arguments(flow *f, const brook_expr *call)
{
    for (size_t i = 0; i < call->u.call.args.len; i++)
        if (is_written_only(call, i))
            walk_subscripts(f, call->u.call.args.data[i]);
        else
            walk_expr(f, call->u.call.args.data[i]);
}

// Scalars of a variable or member of one are read; false: it is another expression.
static bool read_scalars(flow *f, const brook_expr *e)
{
    const brook_expr *base = e;
    while (base->kind == BROOK_EXPR_MEMBER)
        base = base->u.member.base;
    if (base->kind != BROOK_EXPR_NAME)
        return false;
    unsigned first = 0;
    uint64_t bits = 0;
    if (f->output != NULL && target_bits(f, e, &first, &bits))
        f->early |= first >= 64 || (f->now & bits << first) != bits << first;
    return true;
}

static void walk_expr(flow *f, const brook_expr *e)
{
    switch (e->kind) {
    case BROOK_EXPR_NAME: read_scalars(f, e); break;
    case BROOK_EXPR_ASSIGN:
        walk_expr(f, e->u.assign.value);
        if (e->u.assign.compound)
            walk_expr(f, e->u.assign.target);
        else
            walk_subscripts(f, e->u.assign.target);
        written(f, e->u.assign.target);
        break;
    case BROOK_EXPR_INCDEC:
        walk_expr(f, e->u.incdec.target);
        written(f, e->u.incdec.target);
        break;
    case BROOK_EXPR_CALL:
        walk_arguments(f, e);
        for (size_t i = 0; e->u.call.kernel != NULL && i < e->u.call.args.len; i++)
            if (e->u.call.kernel->params.data[i]->kind == BROOK_OUTPUT ||
                e->u.call.kernel->params.data[i]->kind == BROOK_REDUCE)
                written(f, e->u.call.args.data[i]);
        if (e->u.call.intrinsic && brook_intrinsics[e->u.call.fn].shape == BROOK_SHAPE_PARTS)
            written(f, e->u.call.args.data[1]);
        break;
    case BROOK_EXPR_MEMBER:
        if (!read_scalars(f, e))
            walk_expr(f, e->u.member.base);
        break;
    case BROOK_EXPR_INDEX:
        walk_expr(f, e->u.index.base);
        walk_list(f, &e->u.index.at);
        break;
    case BROOK_EXPR_UNARY: walk_expr(f, e->u.unary.operand); break;
    case BROOK_EXPR_BINARY:
    case BROOK_EXPR_COMMA:
        walk_expr(f, e->u.binary.left);
        walk_expr(f, e->u.binary.right);
        break;
    case BROOK_EXPR_COND: // both values are computed
        walk_expr(f, e->u.cond.cond);
        walk_expr(f, e->u.cond.then);
        walk_expr(f, e->u.cond.otherwise);
        break;
    case BROOK_EXPR_CAST: walk_expr(f, e->u.cast.operand); break;
    case BROOK_EXPR_MAKE:
    case BROOK_EXPR_BRACES: walk_list(f, &e->u.parts); break;
    default: break;
    }
}

static void leave(flow *f)
{
    f->now = ~UINT64_C(0);
    f->reached = false;
}

static bool is_endless(const brook_stmt *s)
{
    const brook_expr *cond = s->u.loop.cond;
    return cond == NULL || (cond->kind == BROOK_EXPR_NUMBER && cond->u.number != 0);
}

static void walk_stmt(flow *f, const brook_stmt *s);

static void walk_loop(flow *f, const brook_stmt *s)
{
    if (s->u.loop.init != NULL)
        walk_stmt(f, s->u.loop.init);
    bool after = s->kind == BROOK_STMT_DO;
    if (!after && s->u.loop.cond != NULL)
        walk_expr(f, s->u.loop.cond);
    flow inner = *f;
    inner.at_break = inner.at_continue = ~UINT64_C(0);
    inner.breaks = inner.continues = false;
    walk_stmt(&inner, s->u.loop.body);
    inner.now &= inner.at_continue;
    inner.reached |= inner.continues;
    if (after)
        walk_expr(&inner, s->u.loop.cond);
    else if (s->u.loop.step != NULL)
        walk_expr(&inner, s->u.loop.step);
    f->early |= inner.early;
    f->at_exit = inner.at_exit;
    if (is_endless(s)) {
        f->now = inner.at_break;
        f->reached = inner.breaks;
    } else if (after) {
        f->now = inner.now & inner.at_break;
        f->reached = inner.reached || inner.breaks;
    } // else no iteration may be done
}

static void walk_stmt(flow *f, const brook_stmt *s)
{
    switch (s->kind) {
    case BROOK_STMT_BLOCK:
        for (VEC_EACH(brook_stmt *const, part, &s->u.block))
            walk_stmt(f, *part);
        break;
    case BROOK_STMT_DECL:
        for (VEC_EACH(brook_var *const, v, &s->u.decl))
            if ((*v)->init != NULL)
                walk_expr(f, (*v)->init);
        break;
    case BROOK_STMT_EXPR: walk_expr(f, s->u.expr); break;
    case BROOK_STMT_IF: {
        walk_expr(f, s->u.if_.cond);
        uint64_t before = f->now;
        bool reached = f->reached;
        walk_stmt(f, s->u.if_.then);
        uint64_t then = f->now;
        bool then_reached = f->reached;
        f->now = before;
        f->reached = reached;
        if (s->u.if_.otherwise != NULL)
            walk_stmt(f, s->u.if_.otherwise);
        f->now &= then;
        f->reached |= then_reached;
        break;
    }
    case BROOK_STMT_WHILE:
    case BROOK_STMT_DO:
    case BROOK_STMT_FOR: walk_loop(f, s); break;
    case BROOK_STMT_BREAK:
        f->at_break &= f->now;
        f->breaks |= f->reached;
        leave(f);
        break;
    case BROOK_STMT_CONTINUE:
        f->at_continue &= f->now;
        f->continues |= f->reached;
        leave(f);
        break;
    case BROOK_STMT_RETURN:
        if (s->u.expr != NULL)
            walk_expr(f, s->u.expr);
        f->at_exit &= f->now;
        leave(f);
        break;
    default: break;
    }
}

void brook_check_assigned(brook_checker *c, brook_kernel *k)
{
    for (VEC_EACH(brook_var *const, v, &k->params)) {
        if ((*v)->kind != BROOK_OUTPUT)
            continue;
        flow f = {.c = c, .kernel = k, .output = *v, .reached = true, .at_exit = ~UINT64_C(0)};
        walk_stmt(&f, k->body);
        uint64_t all = ones(scalars((*v)->type));
        if ((f.now & f.at_exit & all) == all) {
            (*v)->whole = !f.early && scalars((*v)->type) <= 64;
            continue;
        }
        if (k->fused) // has been said of what it calls
            continue;
        if ((*v)->assigned)
            diag_warning(c->diags, WARN_BROOK_UNASSIGNED, (*v)->range,
                         "some path through '%s' leaves %soutput '%s' unassigned: its element stays as it was", k->name,
                         (*v)->type.width > 1 || (*v)->type.element == BROOK_STRUCT ? "part of " : "", (*v)->name);
        else
            diag_warning(c->diags, WARN_BROOK_UNASSIGNED, (*v)->range,
                         "'%s' never assigns its output '%s': its elements stay as they were", k->name, (*v)->name);
    }
    if (k->result.element == BROOK_VOID)
        return;
    flow f = {.c = c, .kernel = k, .reached = true, .at_exit = ~UINT64_C(0)};
    walk_stmt(&f, k->body);
    if (f.reached)
        BROOK_WRONG(c, (src_range){k->body->range.file, k->body->range.end - 1, k->body->range.end},
                    "'%s' returns '%s', but the end is reached without a 'return'", k->name,
                    brook_type_name(c->arena, k->result));
}
