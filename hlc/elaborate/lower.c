// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of a filter, and those of helper blocks: one body each, callees as they are met.
#include "hlc/elaborate/lower.h"

static bool lower_body(lower *L, const ast_function *ast, sir_function *fn)
{
    L->ast = ast;
    L->fn = fn;
    L->block = &fn->body;
    L->locals = ARENA_ARRAY(L->x->scratch, uint32_t, ast->locals.len + 1);
    for (size_t i = 0; i < ast->locals.len; i++)
        L->locals[i] = SIR_NONE;
    for (size_t i = 0; i < ast->params.len; i++)
        L->locals[ast->params.data[i]->index] = (uint32_t)i;
    elab_mark mark = elab_mark_here(L->x);
    lower_stmt(L, ast->body);
    elab_release(L->x, mark);
    return !L->x->failed;
}

static bool lower_handler(lower *L, const ast_function *ast)
{
    elab *x = L->x;
    sir_function *fn = ARENA_NEW(x->arena, sir_function);
    fn->kind = SIR_HANDLER;
    fn->name = ast->name;
    fn->result = L->m->scalar[SIR_VOID];
    fn->loc = elab_loc(x, ast->name_range);
    for (size_t i = 0; i < ast->params.len; i++) {
        const ast_var *v = ast->params.data[i];
        const sir_type *t = elab_type(x, v->type, v->type_range);
        if (t == NULL)
            return false;
        sir_local_new(L->m, fn, v->name, t, elab_loc(x, v->range));
    }
    fn->param_count = (uint32_t)ast->params.len;
    VEC_PUSH(x->arena, &L->filter->handlers, fn);
    return lower_body(L, ast, fn);
}

bool elab_lower_filter(elab *x, sir_filter *f, const uint32_t *param_fields, const sir_function *helper_rates)
{
    lower L = {.x = x,
               .m = x->module,
               .filter = f,
               .decl = x->env->decl,
               .param_fields = param_fields,
               .helper_rates = helper_rates};
    if (L.decl->prework != NULL && !lower_body(&L, L.decl->prework, f->prework))
        return false;
    if (!lower_body(&L, L.decl->work, f->work))
        return false;
    for (size_t i = 0; i < L.decl->handlers.len; i++)
        if (!lower_handler(&L, L.decl->handlers.data[i]))
            return false;
    for (; L.lowered < L.functions.len; L.lowered++) {
        lower_request r = L.functions.data[L.lowered];
        if (!lower_body(&L, r.decl, r.function))
            return false;
    }
    return true;
}

bool elab_lower_pending(elab *x)
{
    lower L = {.x = x, .m = x->module};
    for (; x->lowered < x->pending.len; x->lowered++) {
        struct elab_pending p = x->pending.data[x->lowered];
        if (!lower_body(&L, p.decl, p.function))
            return false;
    }
    return true;
}
