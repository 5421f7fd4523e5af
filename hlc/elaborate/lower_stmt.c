// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements to stream IR.
#include "hlc/elaborate/lower.h"
#include "hlc/ir/walk.h"

enum { CLONED_INDEX = 6 }; // a larger subscript of a compound assignment is computed once

static sir_loc loc_of(lower *L, const ast_stmt *s)
{
    return elab_loc(L->x, s->range);
}

static void lower_into(lower *L, const ast_stmt *s, sir_block *to)
{
    sir_block *outer = L->block;
    L->block = to;
    if (s != NULL)
        lower_stmt(L, s);
    L->block = outer;
}

// ---- Values straight into a variable ----

// pop, random and calls write their target themselves; false when e is something else.
static bool lower_direct(lower *L, sir_expr *target, const ast_expr *e)
{
    sir_stmt *s = NULL;
    sir_loc loc = elab_loc(L->x, e->range);
    if (e->kind == EXPR_POP && L->filter != NULL && target->type == L->filter->input) {
        s = sir_stmt_new(L->m, SIR_POP, loc);
        s->u.set.target = target;
        lower_held held = {&s->u.set.target, true};
        lower_protect(L, &(sir_block){.data = &s, .len = 1, .cap = 1}, &held, 1);
    } else if (e->kind == EXPR_CALL && e->u.call.callee == CALLEE_RANDOM && target->type->kind == SIR_DOUBLE) {
        s = sir_stmt_new(L->m, SIR_RANDOM, loc);
        s->u.set.target = target;
    } else if (e->kind == EXPR_CALL && (e->u.call.callee == CALLEE_FUNCTION || e->u.call.callee == CALLEE_NATIVE) &&
               target->type->kind < SIR_STRUCT && target->type == lower_scalar_type(L, e->type) &&
               (target->kind == SIR_LOCAL || target->kind == SIR_FIELD)) {
        s = lower_call_stmt(L, e);
        if (s == NULL)
            return true;
        s->u.call.target = target;
    }
    if (s == NULL)
        return false;
    lower_emit(L, s);
    return true;
}

// ---- Declarations ----

// Lowers the elements of {...} in order; false with an error when they do not fit the type.
static bool elements(lower *L, const ast_expr *init, const sir_type *t, sir_expr *place, bool *constant,
                     elab_place *data)
{
    if (init->kind == EXPR_ARRAY) {
        const ast_expr_list *list = &init->u.array;
        if (t->kind != SIR_ARRAY || list->len != t->length) {
            elab_error(L->x, init->range, "%zu elements are given, but the type is '%s'", list->len,
                       elab_type_name(L->x, t));
            return false;
        }
        for (size_t i = 0; i < list->len; i++) {
            sir_loc loc = elab_loc(L->x, list->data[i]->range);
            sir_expr *element = sir_expr2(L->m, SIR_INDEX, 0, t->element, lower_clone(L, place),
                                          sir_const_int(L->m, (int32_t)i, loc), loc);
            if (!elements(L, list->data[i], t->element, element, constant, data))
                return false;
        }
        return true;
    }
    sir_expr *value = lower_convert(L, lower_expr(L, init), t);
    if (L->x->failed || !elab_same_type(L->x, value->type, t, init->range, "the element"))
        return false;
    if (value->kind == SIR_CONST && t->kind < SIR_STRUCT)
        *data->data = value->u.value;
    else
        *constant = false;
    data->data += t->words;
    lower_emit_set(L, place, value, value->loc);
    return true;
}

static void declare_elements(lower *L, const ast_var *v, uint32_t local, const sir_type *t)
{
    sir_loc loc = elab_loc(L->x, v->range);
    sir_stmt *decl = sir_stmt_new(L->m, SIR_DECL, loc);
    decl->u.decl.local = local;
    elab_mark mark = elab_mark_here(L->x);
    sir_scalar *scalars = elab_push_scalars(L->x, t->words, v->range);
    elab_place data = {.type = t, .data = scalars};
    bool constant = true;
    sir_block sets = {0}, *outer = L->block;
    L->block = &sets;
    bool ok = scalars != NULL && elements(L, v->init, t, sir_ref(L->m, SIR_LOCAL, local, t, loc), &constant, &data);
    L->block = outer;
    if (!ok)
        return;
    lower_emit(L, decl);
    if (!constant) {
        lower_append(L, &sets);
    } else if (!elab_value(L->x, t, scalars).zero) {
        uint32_t global = elab_global(L->x, t, scalars, v->name, v->range);
        decl->u.decl.init = sir_ref(L->m, SIR_GLOBAL, global, t, loc);
    }
    elab_release(L->x, mark);
}

// The initial value, into decl; false when the statements emitted after it give the value.
static bool lower_init(lower *L, const ast_var *v, sir_stmt *decl, const sir_type *t, sir_loc loc)
{
    const ast_expr *init = v->init;
    if (init->kind == EXPR_CALL &&
        (init->u.call.callee == CALLEE_INIT_ARRAY_INT || init->u.call.callee == CALLEE_INIT_ARRAY_FLOAT)) {
        decl->u.decl.init = lower_number_file(L, init, v->name);
        return true;
    }
    if (init->kind == EXPR_POP || init->kind == EXPR_CALL) {
        sir_block own = {0}, *outer = L->block;
        L->block = &own;
        bool filled = lower_direct(L, sir_ref(L->m, SIR_LOCAL, decl->u.decl.local, t, loc), init);
        L->block = outer;
        if (filled) {
            lower_emit(L, decl);
            lower_append(L, &own);
            return false;
        }
    }
    decl->u.decl.init = lower_convert(L, lower_expr(L, init), t);
    return true;
}

static void declare(lower *L, const ast_var *v)
{
    const sir_type *t = elab_type(L->x, v->type, v->type_range);
    if (t == NULL)
        return;
    sir_loc loc = elab_loc(L->x, v->range);
    uint32_t local = sir_local_new(L->m, L->fn, v->name, t, loc);
    if (v->init != NULL && v->init->kind == EXPR_ARRAY) {
        declare_elements(L, v, local, t);
        L->locals[v->index] = local;
        return;
    }
    sir_stmt *decl = sir_stmt_new(L->m, SIR_DECL, loc);
    decl->u.decl.local = local;
    bool emit = v->init == NULL || lower_init(L, v, decl, t, loc);
    L->locals[v->index] = local;
    if (L->x->failed || !emit)
        return;
    if (v->init == NULL || elab_same_type(L->x, decl->u.decl.init->type, t, v->init->range, "the initialiser"))
        lower_emit(L, decl);
}

// ---- Assignments ----

static bool check_target(lower *L, const ast_expr *target, sir_expr *place)
{
    const sir_expr *root = L->x->failed ? NULL : sir_lvalue_root(place);
    if (root != NULL && root->kind != SIR_GLOBAL)
        return true;
    if (!L->x->failed)
        elab_error(L->x, target->range, "this cannot be assigned: its value is fixed when the graph is built");
    return false;
}

static void lower_compound(lower *L, const ast_stmt *s, sir_expr *place)
{
    lang_binary_op op = s->u.assign.op;
    sir_loc loc = loc_of(L, s);
    for (sir_expr *e = place; e->kind == SIR_INDEX || e->kind == SIR_MEMBER; e = e->u.arg[0])
        if (e->kind == SIR_INDEX && lower_size(e->u.arg[1]) > CLONED_INDEX)
            e->u.arg[1] = lower_temp(L, e->u.arg[1]->type, e->u.arg[1], e->loc);
    sir_expr *old = lower_clone(L, place);
    lower_held held[2] = {{&place, true}, {&old, false}};
    sir_expr *value = lower_after(L, s->u.assign.value, held, 2);
    if (L->x->failed)
        return;
    const sir_type *t = place->type->kind == SIR_BIT ? L->m->scalar[SIR_INT] : place->type;
    sir_expr *result = lower_binary(L, op, t, old, value, loc);
    lower_emit_set(L, place, lower_convert(L, result, place->type), loc);
}

static void lower_assign(lower *L, const ast_stmt *s)
{
    sir_expr *place = lower_place(L, s->u.assign.target);
    if (!check_target(L, s->u.assign.target, place))
        return;
    if (s->u.assign.compound) {
        lower_compound(L, s, place);
        return;
    }
    if (lower_direct(L, place, s->u.assign.value))
        return;
    lower_held held = {&place, true};
    sir_expr *value = lower_after(L, s->u.assign.value, &held, 1);
    value = lower_convert(L, value, place->type);
    if (!L->x->failed && elab_same_type(L->x, value->type, place->type, s->u.assign.value->range, "the assigned value"))
        lower_emit_set(L, place, value, loc_of(L, s));
}

// ---- Expressions as statements ----

static void lower_expr_stmt(lower *L, const ast_stmt *s)
{
    const ast_expr *e = s->u.expr;
    if (e->kind == EXPR_INCDEC) {
        sir_expr *place = lower_incdec(L, e, false);
        check_target(L, e->u.incdec.target, place);
    } else if (e->kind == EXPR_POP && L->filter != NULL) {
        lower_emit(L, sir_stmt_new(L->m, SIR_POP, loc_of(L, s)));
    } else if (e->kind == EXPR_CALL && (e->u.call.callee == CALLEE_FUNCTION || e->u.call.callee == CALLEE_NATIVE)) {
        sir_stmt *call = lower_call_stmt(L, e);
        if (call != NULL)
            lower_emit(L, call);
    } else {
        lower_expr(L, e);
    }
}

static void lower_push(lower *L, const ast_stmt *s)
{
    sir_expr *value = lower_expr(L, s->u.expr);
    if (L->x->failed)
        return;
    if (L->filter == NULL || L->filter->output->kind == SIR_VOID) {
        elab_error(L->x, s->range, "'push' needs an output");
        return;
    }
    value = lower_convert(L, value, L->filter->output);
    if (!elab_same_type(L->x, value->type, L->filter->output, s->u.expr->range, "the pushed item"))
        return;
    sir_stmt *push = sir_stmt_new(L->m, SIR_PUSH, loc_of(L, s));
    push->u.value = value;
    lower_emit(L, push);
}

static void lower_return(lower *L, const ast_stmt *s)
{
    sir_stmt *ret = sir_stmt_new(L->m, SIR_RETURN, loc_of(L, s));
    if (s->u.expr != NULL) {
        sir_expr *value = lower_convert(L, lower_expr(L, s->u.expr), L->fn->result);
        if (L->x->failed || !elab_same_type(L->x, value->type, L->fn->result, s->u.expr->range, "the returned value"))
            return;
        ret->u.value = value;
    }
    lower_emit(L, ret);
}

// ---- Control flow ----

static void lower_if(lower *L, const ast_stmt *s)
{
    sir_expr *cond = lower_expr(L, s->u.if_.cond);
    if (cond->kind == SIR_CONST) {
        const ast_stmt *branch = cond->u.value.i ? s->u.if_.then : s->u.if_.otherwise;
        if (branch != NULL)
            lower_stmt(L, branch);
        return;
    }
    sir_stmt *branch = sir_stmt_new(L->m, SIR_IF, loc_of(L, s));
    branch->u.if_.cond = cond;
    lower_into(L, s->u.if_.then, &branch->u.if_.then);
    lower_into(L, s->u.if_.otherwise, &branch->u.if_.otherwise);
    lower_emit(L, branch);
}

static void lower_loop(lower *L, const ast_stmt *s)
{
    if (s->u.loop.init != NULL)
        lower_stmt(L, s->u.loop.init);
    sir_stmt *loop = sir_stmt_new(L->m, SIR_LOOP, loc_of(L, s));
    loop->u.loop.post_test = s->kind == STMT_DO;
    sir_expr *cond = NULL;
    if (s->u.loop.cond != NULL) {
        sir_block *outer = L->block;
        L->block = &loop->u.loop.pre;
        cond = lower_expr(L, s->u.loop.cond);
        L->block = outer;
    }
    if (L->x->failed)
        return;
    bool fixed = cond != NULL && cond->kind == SIR_CONST;
    if (fixed && cond->u.value.i == 0 && s->kind != STMT_DO) {
        lower_append(L, &loop->u.loop.pre);
        return;
    }
    loop->u.loop.cond = fixed && cond->u.value.i != 0 ? NULL : cond;
    lower_into(L, s->u.loop.body, &loop->u.loop.body);
    lower_into(L, s->u.loop.step, &loop->u.loop.step);
    lower_emit(L, loop);
}

void lower_stmt(lower *L, const ast_stmt *s)
{
    if (!elab_step(L->x, 1, s->range))
        return;
    switch (s->kind) {
    case STMT_EMPTY: return;
    case STMT_BLOCK:
        for (size_t i = 0; i < s->u.block.len && !L->x->failed; i++)
            lower_stmt(L, s->u.block.data[i]);
        return;
    case STMT_DECL:
        for (size_t i = 0; i < s->u.decl.len && !L->x->failed; i++)
            declare(L, s->u.decl.data[i]);
        return;
    case STMT_ASSIGN: lower_assign(L, s); return;
    case STMT_EXPR: lower_expr_stmt(L, s); return;
    case STMT_IF: lower_if(L, s); return;
    case STMT_WHILE:
    case STMT_DO:
    case STMT_FOR: lower_loop(L, s); return;
    case STMT_BREAK: lower_emit(L, sir_stmt_new(L->m, SIR_BREAK, loc_of(L, s))); return;
    case STMT_CONTINUE: lower_emit(L, sir_stmt_new(L->m, SIR_CONTINUE, loc_of(L, s))); return;
    case STMT_RETURN: lower_return(L, s); return;
    case STMT_PUSH: lower_push(L, s); return;
    case STMT_SEND: lower_send(L, s); return;
    case STMT_ERROR:
    case STMT_ENQUEUE:
    case STMT_ADD:
    case STMT_BODY:
    case STMT_LOOP:
    case STMT_SPLIT:
    case STMT_JOIN: break;
    }
    elab_error(L->x, s->range, "this statement belongs into the body of a composite stream");
}
