// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which variables code changes: arrays go to functions by reference, so a change of a parameter is one of every array
// that is passed for it. The init of a filter is left out: it only sets initial values. Elements of array parameters that
// a filter's work changes are its state.
#include "hlc/elaborate/elab.h"

typedef struct flow_edge {
    const ast_var *from, *to; // an argument's variable, and the parameter it is passed for
} flow_edge;

typedef struct finder {
    elab *x;
    VEC(flow_edge) edges;
} finder;

static void mark(finder *f, const ast_expr *target)
{
    while (target->kind == EXPR_INDEX || target->kind == EXPR_FIELD)
        target = target->kind == EXPR_INDEX ? target->u.index.base : target->u.field.base;
    if (target->kind == EXPR_NAME && target->u.name.var != NULL)
        hmap_setn(&f->x->mutated, &target->u.name.var, sizeof target->u.name.var, f);
}

static void visit_expr(finder *f, const ast_expr *e);

static void visit_exprs(finder *f, const ast_expr_list *list)
{
    for (size_t i = 0; i < list->len; i++)
        visit_expr(f, list->data[i]);
}

static void visit_call(finder *f, const ast_expr *e)
{
    visit_exprs(f, &e->u.call.args);
    const ast_function *callee = e->u.call.function;
    for (size_t i = 0; callee != NULL && i < e->u.call.args.len && i < callee->params.len; i++) {
        const ast_expr *arg = e->u.call.args.data[i];
        if (arg->type->kind != TYPE_ARRAY)
            continue;
        while (arg->kind == EXPR_INDEX || arg->kind == EXPR_FIELD)
            arg = arg->kind == EXPR_INDEX ? arg->u.index.base : arg->u.field.base;
        if (arg->kind == EXPR_NAME)
            VEC_PUSH(f->x->scratch, &f->edges, (flow_edge){arg->u.name.var, callee->params.data[i]});
    }
}

static void visit_expr(finder *f, const ast_expr *e)
{
    if (e == NULL)
        return;
    switch (e->kind) {
    case EXPR_FIELD: visit_expr(f, e->u.field.base); break;
    case EXPR_INDEX:
        visit_expr(f, e->u.index.base);
        visit_expr(f, e->u.index.index);
        break;
    case EXPR_UNARY: visit_expr(f, e->u.unary.operand); break;
    case EXPR_BINARY:
        visit_expr(f, e->u.binary.left);
        visit_expr(f, e->u.binary.right);
        break;
    case EXPR_COND:
        visit_expr(f, e->u.cond.cond);
        visit_expr(f, e->u.cond.then);
        visit_expr(f, e->u.cond.otherwise);
        break;
    case EXPR_CAST:
    case EXPR_CONVERT: visit_expr(f, e->u.cast.operand); break;
    case EXPR_INCDEC:
        mark(f, e->u.incdec.target);
        visit_expr(f, e->u.incdec.target);
        break;
    case EXPR_CALL: visit_call(f, e); break;
    case EXPR_PEEK: visit_expr(f, e->u.peek.offset); break;
    case EXPR_ARRAY: visit_exprs(f, &e->u.array); break;
    default: break;
    }
}

static void visit_stream(finder *f, const ast_stream *s);

static void visit_stmt(finder *f, const ast_stmt *s)
{
    if (s == NULL)
        return;
    switch (s->kind) {
    case STMT_BLOCK:
        for (size_t i = 0; i < s->u.block.len; i++)
            visit_stmt(f, s->u.block.data[i]);
        break;
    case STMT_DECL:
        for (size_t i = 0; i < s->u.decl.len; i++)
            visit_expr(f, s->u.decl.data[i]->init);
        break;
    case STMT_ASSIGN:
        mark(f, s->u.assign.target);
        visit_expr(f, s->u.assign.target);
        visit_expr(f, s->u.assign.value);
        break;
    case STMT_EXPR:
    case STMT_RETURN:
    case STMT_PUSH:
    case STMT_ENQUEUE: visit_expr(f, s->u.expr); break;
    case STMT_IF:
        visit_expr(f, s->u.if_.cond);
        visit_stmt(f, s->u.if_.then);
        visit_stmt(f, s->u.if_.otherwise);
        break;
    case STMT_WHILE:
    case STMT_DO:
    case STMT_FOR:
        visit_stmt(f, s->u.loop.init);
        visit_expr(f, s->u.loop.cond);
        visit_stmt(f, s->u.loop.step);
        visit_stmt(f, s->u.loop.body);
        break;
    case STMT_SEND: visit_exprs(f, &s->u.send.args); break;
    case STMT_ADD:
    case STMT_BODY:
    case STMT_LOOP:
        visit_exprs(f, &s->u.child.args);
        if (s->u.child.anonymous != NULL)
            visit_stream(f, s->u.child.anonymous);
        break;
    default: break;
    }
}

static void visit_function(finder *f, const ast_function *fn)
{
    if (fn != NULL)
        visit_stmt(f, fn->body);
}

static void visit_stream(finder *f, const ast_stream *s)
{
    visit_stmt(f, s->body);
    visit_function(f, s->work);
    visit_function(f, s->prework);
    for (size_t i = 0; i < s->functions.len; i++)
        visit_function(f, s->functions.data[i]);
    for (size_t i = 0; i < s->handlers.len; i++)
        visit_function(f, s->handlers.data[i]);
}

bool elab_mutated(const elab *x, const ast_var *v)
{
    return hmap_getn(&x->mutated, &v, sizeof v) != NULL;
}

void elab_find_mutations(elab *x)
{
    finder f = {.x = x};
    for (size_t i = 0; i < x->program->streams.len; i++)
        visit_stream(&f, x->program->streams.data[i]);
    for (size_t i = 0; i < x->program->tests.len; i++)
        visit_stream(&f, x->program->tests.data[i]->stream);
    for (size_t i = 0; i < x->program->helpers.len; i++)
        visit_function(&f, x->program->helpers.data[i]);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < f.edges.len; i++) {
            const flow_edge *e = &f.edges.data[i];
            if (elab_mutated(x, e->to) && !elab_mutated(x, e->from)) {
                hmap_setn(&x->mutated, &e->from, sizeof e->from, x);
                changed = true;
            }
        }
    }
}
