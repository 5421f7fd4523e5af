// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels called by kernels: the body takes the place of the call. Values go in and out as copies. A return in the middle
// leaves a loop that runs once; inside of the callee's own loops it sets a flag, and these are left one after the other.
#include "hlc/brook/lower.h"

// Expressions of one filter, at most: calls of calls can multiply. So many take a second, and some hundred megabytes.
#define MAX_NODES 100000

static bool is_last(const brook_stmt *body, const brook_stmt *s)
{
    return body->kind == BROOK_STMT_BLOCK && body->u.block.len > 0 && VEC_LAST(&body->u.block) == s;
}

static size_t count_returns(const brook_stmt *s, const brook_stmt *body, bool in_loop, bool *inner)
{
    size_t n = 0;
    switch (s->kind) {
    case BROOK_STMT_BLOCK:
        for (VEC_EACH(brook_stmt *const, part, &s->u.block))
            n += count_returns(*part, body, in_loop, inner);
        return n;
    case BROOK_STMT_IF:
        n = count_returns(s->u.if_.then, body, in_loop, inner);
        return s->u.if_.otherwise == NULL ? n : n + count_returns(s->u.if_.otherwise, body, in_loop, inner);
    case BROOK_STMT_WHILE:
    case BROOK_STMT_DO:
    case BROOK_STMT_FOR: return count_returns(s->u.loop.body, body, true, inner);
    case BROOK_STMT_RETURN: *inner |= in_loop; return is_last(body, s) ? 0 : 1;
    default: return 0;
    }
}

static bool is_copied_out(const brook_var *v)
{
    return v->kind == BROOK_OUTPUT || v->kind == BROOK_REDUCE;
}

static void bind_argument(brook_lowering *L, brook_frame *frame, const brook_var *v, const brook_expr *a,
                          brook_binding *b)
{
    brook_frame *caller = L->frame;
    if (v->kind == BROOK_GATHER) {
        *b = caller->bindings[a->u.name.var->index];
        return;
    }
    brook_value value = {.type = v->type};
    if (v->kind != BROOK_OUTPUT || !v->whole)
        value = brook_lower_as(L, a, v->type);
    L->frame = frame;
    brook_bind_local(L, v, b, value);
    L->frame = caller;
    if (a->kind == BROOK_EXPR_NAME && v->indexed)
        b->stream = caller->bindings[a->u.name.var->index].stream;
}

// Locals that get the result, without a value yet.
static brook_value result_locals(brook_lowering *L, brook_type t, sir_loc loc)
{
    brook_value r = {.type = t};
    if (t.element == BROOK_VOID)
        return r;
    bool structure = t.element == BROOK_STRUCT;
    for (uint8_t i = 0; i < (structure ? 1 : t.width); i++) {
        const sir_type *type = structure ? brook_sir_type(L, t) : brook_scalar_type(L, t.element);
        sir_stmt *s = sir_stmt_new(L->m, SIR_DECL, loc);
        s->u.decl.local = sir_local_new(L->m, L->fn, "t", type, loc);
        brook_emit(L, s);
        r.part[i] = sir_ref(L->m, SIR_LOCAL, s->u.decl.local, type, loc);
    }
    return r;
}

void brook_lower_body(brook_lowering *L, const brook_kernel *k, sir_loc loc)
{
    bool inner = false;
    brook_frame *f = L->frame;
    f->returned = SIR_NONE;
    f->wrapped = count_returns(k->body, k->body, false, &inner) > 0;
    if (!f->wrapped) {
        brook_lower_stmt(L, k->body);
        return;
    }
    if (inner) {
        sir_stmt *s = sir_stmt_new(L->m, SIR_DECL, loc);
        s->u.decl.local = f->returned = sir_local_new(L->m, L->fn, "t", L->m->scalar[SIR_BOOLEAN], loc);
        brook_emit(L, s);
    }
    sir_stmt *once = sir_stmt_new(L->m, SIR_LOOP, loc);
    once->u.loop.post_test = true;
    once->u.loop.cond = sir_const_bool(L->m, false, loc);
    sir_block *outer = L->block;
    L->block = &once->u.loop.body;
    brook_lower_stmt(L, k->body);
    L->block = outer;
    brook_emit(L, once);
}

brook_value brook_lower_call(brook_lowering *L, const brook_expr *e)
{
    const brook_kernel *k = e->u.call.kernel;
    sir_loc loc = brook_loc(L, e->range);
    brook_value none = {.type = k->result};
    if (L->nodes > MAX_NODES) {
        if (!L->failed)
            diag_error(L->program->diags, e->range,
                       "the kernels that '%s' calls, put in the places of their calls, are too large", L->filter->name);
        L->failed = true;
        return result_locals(L, k->result, loc);
    }
    brook_frame *caller = L->frame;
    brook_frame frame = {.kernel = k,
                         .outer = caller,
                         .returned = SIR_NONE,
                         .bindings = ARENA_ARRAY(L->m->arena, brook_binding, k->vars.len + 1),
                         .wholes = brook_find_wholes(L, k)};
    for (size_t i = 0; i < e->u.call.args.len; i++)
        bind_argument(L, &frame, k->params.data[i], e->u.call.args.data[i], &frame.bindings[i]);
    frame.result = result_locals(L, k->result, loc);
    L->frame = &frame;
    sir_stmt *block = sir_stmt_new(L->m, SIR_BLOCK, loc);
    sir_block *outer = L->block;
    L->block = &block->u.block;
    brook_lower_body(L, k, loc);
    L->block = outer;
    brook_emit(L, block);
    for (size_t i = 0; i < e->u.call.args.len; i++) {
        const brook_var *v = k->params.data[i];
        if (!is_copied_out(v))
            continue;
        brook_value value = brook_read_binding(L, &frame.bindings[i], v->type, loc);
        L->frame = caller;
        brook_store(L, e->u.call.args.data[i], value);
        L->frame = &frame;
    }
    L->frame = caller;
    return k->result.element == BROOK_VOID ? none : frame.result;
}
