// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of bodies.
#include "hlc/ir/copy.h"

#include "hlc/ir/walk.h"

sir_expr *sir_copy_operands(const sir_copier *c, const sir_expr *e)
{
    sir_expr *copy = ARENA_NEW(c->arena, sir_expr);
    *copy = *e;
    if (e->kind == SIR_LOCAL && c->locals != NULL)
        copy->index = c->locals[e->index];
    if (e->kind == SIR_FIELD)
        copy->index += c->field;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        copy->u.arg[i] = sir_copy_expr(c, e->u.arg[i]);
    return copy;
}

sir_expr *sir_copy_expr(const sir_copier *c, const sir_expr *e)
{
    if (e == NULL)
        return NULL;
    sir_expr *other = c->expr == NULL ? NULL : c->expr(c->context, e);
    return other != NULL ? other : sir_copy_operands(c, e);
}

// Arguments of calls and messages are a list of the statement's.
static void copy_args(const sir_copier *c, sir_stmt *s)
{
    if (s->kind != SIR_CALL && s->kind != SIR_SEND)
        return;
    sir_parts p = sir_stmt_parts(s);
    sir_expr **args = ARENA_ARRAY(c->arena, sir_expr *, p.arg_count + 1);
    for (size_t i = 0; i < p.arg_count; i++)
        args[i] = sir_copy_expr(c, p.args[i]);
    if (s->kind == SIR_CALL) {
        s->u.call.args.data = args;
        s->u.call.args.cap = p.arg_count;
    } else {
        s->u.send.args.data = args;
        s->u.send.args.cap = p.arg_count;
    }
}

static uint32_t *declared(sir_stmt *s)
{
    return s->kind == SIR_DECL ? &s->u.decl.local : s->kind == SIR_FOR ? &s->u.for_.local : NULL;
}

sir_stmt *sir_copy_parts(const sir_copier *c, const sir_stmt *s)
{
    sir_stmt *copy = ARENA_NEW(c->arena, sir_stmt);
    *copy = *s;
    sir_parts p = sir_stmt_parts(copy);
    size_t first = s->kind == SIR_LOOP ? 0 : p.expr_count; // a loop's condition has what its blocks declare
    for (size_t k = 0; k < first; k++)
        *p.expr[k] = sir_copy_expr(c, *p.expr[k]);
    uint32_t *local = declared(copy);
    if (local != NULL && c->declare != NULL)
        c->declare(c->context, *local);
    if (local != NULL && c->locals != NULL)
        *local = c->locals[*local];
    if (p.target != NULL)
        *p.target = sir_copy_expr(c, *p.target);
    for (size_t k = 0; k < p.block_count; k++)
        *p.block[k] = sir_copy_block(c, p.block[k]);
    for (size_t k = first; k < p.expr_count; k++)
        *p.expr[k] = sir_copy_expr(c, *p.expr[k]);
    copy_args(c, copy);
    return copy;
}

void sir_copy_stmts(const sir_copier *c, const sir_block *b, size_t first, size_t end, sir_block *to)
{
    for (size_t i = first; i < end; i++)
        if (c->stmt == NULL || !c->stmt(c->context, b->data[i], to))
            VEC_PUSH(c->arena, to, sir_copy_parts(c, b->data[i]));
}

sir_block sir_copy_block(const sir_copier *c, const sir_block *b)
{
    sir_block copy = {0};
    sir_copy_stmts(c, b, 0, b->len, &copy);
    return copy;
}
