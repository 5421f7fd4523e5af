// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements of kernels.
#include "hlc/brook/lower.h"

static sir_block *into(brook_lowering *L, sir_block *block)
{
    sir_block *outer = L->block;
    L->block = block;
    return outer;
}

static void lower_decl(brook_lowering *L, const brook_stmt *s)
{
    for (VEC_EACH(brook_var *const, v, &s->u.decl)) {
        brook_value init = {.type = (*v)->type};
        if ((*v)->init != NULL)
            init = brook_lower_as(L, (*v)->init, (*v)->type);
        brook_bind_local(L, *v, &L->frame->bindings[(*v)->index], init);
    }
}

static void leave(brook_lowering *L, sir_stmt_kind kind, sir_loc loc)
{
    brook_emit(L, sir_stmt_new(L->m, kind, loc));
}

// Behind a loop of a kernel whose return left it: on out.
static void go_on_leaving(brook_lowering *L, sir_loc loc)
{
    const brook_frame *f = L->frame;
    sir_stmt *s = sir_stmt_new(L->m, SIR_IF, loc);
    s->u.if_.cond = sir_ref(L->m, SIR_LOCAL, f->returned, L->m->scalar[SIR_BOOLEAN], loc);
    sir_block *outer = into(L, &s->u.if_.then);
    leave(L, SIR_BREAK, loc);
    into(L, outer);
    brook_emit(L, s);
}

static bool has_return(const brook_stmt *s)
{
    switch (s->kind) {
    case BROOK_STMT_BLOCK:
        for (VEC_EACH(brook_stmt *const, part, &s->u.block))
            if (has_return(*part))
                return true;
        return false;
    case BROOK_STMT_IF:
        return has_return(s->u.if_.then) || (s->u.if_.otherwise != NULL && has_return(s->u.if_.otherwise));
    case BROOK_STMT_WHILE:
    case BROOK_STMT_DO:
    case BROOK_STMT_FOR: return has_return(s->u.loop.body);
    case BROOK_STMT_RETURN: return true;
    default: return false;
    }
}

static void lower_loop(brook_lowering *L, const brook_stmt *s)
{
    sir_loc loc = brook_loc(L, s->u.loop.cond != NULL ? s->u.loop.cond->range : s->range);
    sir_stmt *around = sir_stmt_new(L->m, SIR_BLOCK, loc); // what the loop declares ends with it
    sir_block *outer = into(L, &around->u.block);
    if (s->u.loop.init != NULL)
        brook_lower_stmt(L, s->u.loop.init);
    sir_stmt *loop = sir_stmt_new(L->m, SIR_LOOP, loc);
    loop->u.loop.post_test = s->kind == BROOK_STMT_DO;
    sir_block *inside = into(L, &loop->u.loop.pre);
    if (s->u.loop.cond != NULL)
        loop->u.loop.cond = brook_lower_condition(L, s->u.loop.cond);
    into(L, &loop->u.loop.body);
    L->frame->loops++;
    brook_lower_stmt(L, s->u.loop.body);
    L->frame->loops--;
    into(L, &loop->u.loop.step);
    if (s->u.loop.step != NULL)
        brook_lower_effects(L, s->u.loop.step);
    into(L, inside);
    brook_emit(L, loop);
    into(L, outer);
    brook_emit(L, around);
    if (L->frame->outer != NULL && L->frame->returned != SIR_NONE && has_return(s->u.loop.body))
        go_on_leaving(L, loc);
}

static void lower_if(brook_lowering *L, const brook_stmt *s)
{
    sir_stmt *r = sir_stmt_new(L->m, SIR_IF, brook_loc(L, s->u.if_.cond->range));
    r->u.if_.cond = brook_lower_condition(L, s->u.if_.cond);
    sir_block *outer = into(L, &r->u.if_.then);
    brook_lower_stmt(L, s->u.if_.then);
    into(L, &r->u.if_.otherwise);
    if (s->u.if_.otherwise != NULL)
        brook_lower_stmt(L, s->u.if_.otherwise);
    into(L, outer);
    brook_emit(L, r);
}

static void lower_return(brook_lowering *L, const brook_stmt *s)
{
    sir_loc loc = brook_loc(L, s->range);
    brook_frame *f = L->frame;
    if (s->u.expr != NULL) {
        brook_value v = brook_lower_as(L, s->u.expr, f->kernel->result);
        uint8_t parts = v.type.element == BROOK_STRUCT ? 1 : v.type.width;
        for (uint8_t i = 0; i < parts; i++) {
            sir_stmt *set = sir_stmt_new(L->m, SIR_SET, loc);
            set->u.set.target = brook_copy(L, f->result.part[i]);
            set->u.set.value = v.part[i];
            brook_emit(L, set);
        }
    }
    if (f->outer == NULL) {
        leave(L, SIR_RETURN, loc);
        return;
    }
    if (!f->wrapped)
        return; // the last statement
    if (f->loops > 0) {
        sir_stmt *set = sir_stmt_new(L->m, SIR_SET, loc);
        set->u.set.target = sir_ref(L->m, SIR_LOCAL, f->returned, L->m->scalar[SIR_BOOLEAN], loc);
        set->u.set.value = sir_const_bool(L->m, true, loc);
        brook_emit(L, set);
    }
    leave(L, SIR_BREAK, loc);
}

// A vector that is pushed is put together in a local.
static void lower_push(brook_lowering *L, const brook_stmt *s)
{
    sir_loc loc = brook_loc(L, s->range);
    const brook_var *var = s->u.push.var;
    brook_value v = brook_read_binding(L, &L->frame->bindings[var->index], var->type, loc);
    for (uint8_t i = 0; L->border != NULL && i < var->type.width; i++) { // a channel has scalars
        sir_stmt *part = sir_stmt_new(L->m, SIR_PUSH, loc);
        part->u.value = v.part[i];
        brook_emit(L, part);
    }
    if (L->border != NULL)
        return;
    sir_stmt *push = sir_stmt_new(L->m, SIR_PUSH, loc);
    push->u.value = v.part[0];
    if (var->type.width > 1) {
        const sir_type *t = brook_sir_type(L, var->type);
        sir_stmt *decl = sir_stmt_new(L->m, SIR_DECL, loc);
        decl->u.decl.local = sir_local_new(L->m, L->fn, "t", t, loc);
        brook_emit(L, decl);
        for (uint8_t i = 0; i < var->type.width; i++) {
            sir_stmt *set = sir_stmt_new(L->m, SIR_SET, loc);
            set->u.set.target = sir_member(L->m, sir_ref(L->m, SIR_LOCAL, decl->u.decl.local, t, loc), i, loc);
            set->u.set.value = v.part[i];
            brook_emit(L, set);
        }
        push->u.value = sir_ref(L->m, SIR_LOCAL, decl->u.decl.local, t, loc);
    }
    brook_emit(L, push);
}

void brook_lower_stmt(brook_lowering *L, const brook_stmt *s)
{
    sir_loc loc = brook_loc(L, s->range);
    switch (s->kind) {
    case BROOK_STMT_BLOCK: {
        sir_stmt *block = sir_stmt_new(L->m, SIR_BLOCK, loc);
        sir_block *outer = into(L, &block->u.block);
        for (VEC_EACH(brook_stmt *const, part, &s->u.block))
            brook_lower_stmt(L, *part);
        into(L, outer);
        brook_emit(L, block);
        break;
    }
    case BROOK_STMT_DECL: lower_decl(L, s); break;
    case BROOK_STMT_EXPR: brook_lower_effects(L, s->u.expr); break;
    case BROOK_STMT_PUSH: lower_push(L, s); break;
    case BROOK_STMT_IF: lower_if(L, s); break;
    case BROOK_STMT_WHILE:
    case BROOK_STMT_DO:
    case BROOK_STMT_FOR: lower_loop(L, s); break;
    case BROOK_STMT_BREAK: leave(L, SIR_BREAK, loc); break;
    case BROOK_STMT_CONTINUE: leave(L, SIR_CONTINUE, loc); break;
    case BROOK_STMT_RETURN: lower_return(L, s); break;
    case BROOK_STMT_DISCARD: // has been refused
    case BROOK_STMT_EMPTY: break;
    }
}
