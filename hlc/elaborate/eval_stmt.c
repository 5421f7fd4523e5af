// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Execution of statements: declarations, assignments, control flow. Graph statements are in build.c.
#include <inttypes.h>
#include <string.h>

#include "hlc/elaborate/elab.h"

// ---- Initial values ----

static bool fill_array(elab *x, const sir_type *t, sir_scalar *data, const ast_expr *init)
{
    const ast_expr_list *elements = &init->u.array;
    if (t->kind != SIR_ARRAY) {
        elab_error(x, init->range, "'{...}' initialises an array, but '%s' is none", elab_type_name(x, t));
        return false;
    }
    if (elements->len != t->length) {
        elab_error(x, init->range, "%zu elements are given, but '%s' has %" PRIu32, elements->len, elab_type_name(x, t),
                   t->length);
        return false;
    }
    for (size_t i = 0; i < elements->len; i++)
        if (!elab_fill(x, t->element, data + i * t->element->words, elements->data[i]))
            return false;
    return true;
}

bool elab_fill(elab *x, const sir_type *t, sir_scalar *data, const ast_expr *init)
{
    if (init->kind == EXPR_ARRAY)
        return fill_array(x, t, data, init);
    elab_mark mark = elab_mark_here(x);
    if (t->kind < SIR_STRUCT) {
        *data = elab_scalar_as(x, init, t);
        elab_release(x, mark);
        return !x->failed;
    }
    elab_place p = elab_aggregate(x, init);
    bool ok = p.data != NULL && elab_same_type(x, p.type, t, init->range, "the initialiser") &&
              elab_step(x, t->words / ELAB_SCALARS_PER_STEP, init->range);
    if (ok)
        memmove(data, p.data, (size_t)t->words * sizeof *data);
    elab_release(x, mark);
    return ok;
}

bool elab_declare(elab *x, elab_slot *slot, const ast_var *v)
{
    const sir_type *t = elab_scalar_type(x, v->type);
    if (t == NULL)
        t = elab_type(x, v->type, v->type_range);
    if (t == NULL)
        return false;
    if (v->type->kind == TYPE_PORTAL) {
        elab_slot_set(x, slot, t, v->range);
        slot->scalar.i = (int32_t)x->portals.len;
        VEC_PUSH(x->scratch, &x->portals, (elab_portal){.var = v});
        return true;
    }
    if (!elab_slot_set(x, slot, t, v->range))
        return false;
    return v->init == NULL || elab_fill(x, t, slot->data, v->init);
}

static elab_flow exec_decl(elab *x, const ast_stmt *s)
{
    for (size_t i = 0; i < s->u.decl.len; i++) {
        const ast_var *v = s->u.decl.data[i];
        elab_slot *slots = v->function != NULL ? x->frame : x->env->locals;
        if (!elab_declare(x, &slots[v->index], v))
            return FLOW_STOP;
    }
    return FLOW_NEXT;
}

// ---- Assignments ----

static bool check_target(elab *x, const ast_expr *target)
{
    const ast_expr *e = target;
    while (e->kind == EXPR_INDEX || e->kind == EXPR_FIELD)
        e = e->kind == EXPR_INDEX ? e->u.index.base : e->u.field.base;
    if (e->kind != EXPR_NAME || e->u.name.var->kind != VAR_GLOBAL || x->globals_open)
        return true;
    diag_record *r = elab_error(x, target->range, "global '%s' is constant outside of 'static'", e->u.name.name);
    elab_note(x, r, e->u.name.var->range, "global declared here");
    return false;
}

static bool assign_aggregate(elab *x, const ast_stmt *s)
{
    elab_place to = elab_place_of(x, s->u.assign.target);
    elab_place from = elab_aggregate(x, s->u.assign.value);
    if (to.data == NULL || from.data == NULL ||
        !elab_same_type(x, from.type, to.type, s->u.assign.value->range, "the assigned value") ||
        !elab_step(x, to.type->words / ELAB_SCALARS_PER_STEP, s->range))
        return false;
    memmove(to.data, from.data, (size_t)to.type->words * sizeof *to.data);
    return true;
}

static bool assign_compound(elab *x, const ast_stmt *s, elab_place to)
{
    lang_binary_op op = s->u.assign.op;
    bool shift = op == LANG_OP_SHL || op == LANG_OP_SHR;
    const sir_type *t = to.type->kind == SIR_BIT ? x->scalar_of[TYPE_INT] : to.type;
    sir_scalar old = elab_load(to), result;
    sir_scalar v = elab_scalar_as(x, s->u.assign.value, shift ? x->scalar_of[TYPE_INT] : t);
    if (x->failed)
        return false;
    if (!sir_eval_binary(op, t, old, v, &result)) {
        elab_error(x, s->range, "division by zero while the graph is built");
        return false;
    }
    elab_store(to, result);
    return true;
}

static elab_flow exec_assign(elab *x, const ast_stmt *s)
{
    elab_mark mark = elab_mark_here(x);
    bool ok = check_target(x, s->u.assign.target);
    if (ok && elab_is_aggregate(s->u.assign.target->type)) {
        ok = assign_aggregate(x, s);
    } else if (ok) {
        elab_place to = elab_place_of(x, s->u.assign.target);
        if (to.data == NULL) {
            ok = false;
        } else if (s->u.assign.compound) {
            ok = assign_compound(x, s, to);
        } else {
            sir_scalar v = elab_scalar_as(x, s->u.assign.value, to.type);
            ok = !x->failed;
            if (ok)
                elab_store(to, v);
        }
    }
    elab_release(x, mark);
    return ok ? FLOW_NEXT : FLOW_STOP;
}

static elab_flow exec_expr(elab *x, const ast_expr *e)
{
    elab_mark mark = elab_mark_here(x);
    if (e->kind == EXPR_INCDEC && !check_target(x, e->u.incdec.target))
        return FLOW_STOP;
    if (e->kind == EXPR_CALL && elab_is_aggregate(e->type))
        elab_call_aggregate(x, e);
    else
        elab_scalar(x, e);
    elab_release(x, mark);
    return x->failed ? FLOW_STOP : FLOW_NEXT;
}

// ---- Control flow ----

static elab_flow exec_return(elab *x, const ast_expr *e)
{
    if (e == NULL || x->function == NULL)
        return FLOW_RETURN;
    const lang_type *wanted = x->function->result;
    if (!elab_is_aggregate(wanted)) {
        x->result = elab_scalar_as(x, e, elab_scalar_type(x, wanted));
        return x->failed ? FLOW_STOP : FLOW_RETURN;
    }
    elab_place p = elab_aggregate(x, e);
    const sir_type *t = p.data == NULL ? NULL : elab_type(x, wanted, x->function->name_range);
    if (t == NULL || !elab_same_type(x, p.type, t, e->range, "the returned value") ||
        !elab_step(x, t->words / ELAB_SCALARS_PER_STEP, e->range))
        return FLOW_STOP;
    if (x->result_cap < t->words) {
        x->result_cap = t->words;
        x->result_data = ARENA_ARRAY(x->scratch, sir_scalar, t->words);
    }
    memcpy(x->result_data, p.data, (size_t)t->words * sizeof *p.data);
    x->result_type = t;
    return FLOW_RETURN;
}

static elab_flow exec_block(elab *x, const ast_stmt_list *list)
{
    for (size_t i = 0; i < list->len; i++) {
        elab_flow flow = elab_exec(x, list->data[i]);
        if (flow != FLOW_NEXT)
            return flow;
    }
    return FLOW_NEXT;
}

// -1 after an error.
static int condition(elab *x, const ast_expr *e)
{
    if (e == NULL)
        return 1;
    elab_mark mark = elab_mark_here(x);
    int v = elab_scalar(x, e).i != 0;
    elab_release(x, mark);
    return x->failed ? -1 : v;
}

static elab_flow exec_loop(elab *x, const ast_stmt *s)
{
    if (s->u.loop.init != NULL) {
        elab_flow flow = elab_exec(x, s->u.loop.init);
        if (flow != FLOW_NEXT)
            return flow;
    }
    for (bool first = s->kind == STMT_DO;; first = false) {
        int c = first ? 1 : condition(x, s->u.loop.cond);
        if (c <= 0)
            return c < 0 ? FLOW_STOP : FLOW_NEXT;
        if (!elab_step(x, 1, s->range))
            return FLOW_STOP;
        elab_flow flow = elab_exec(x, s->u.loop.body);
        if (flow == FLOW_BREAK)
            return FLOW_NEXT;
        if (flow == FLOW_RETURN || flow == FLOW_STOP)
            return flow;
        if (s->u.loop.step != NULL && elab_exec(x, s->u.loop.step) == FLOW_STOP)
            return FLOW_STOP;
    }
}

elab_flow elab_exec(elab *x, const ast_stmt *s)
{
    if (++x->steps > x->step_limit && !elab_step(x, 0, s->range))
        return FLOW_STOP;
    switch (s->kind) {
    case STMT_EMPTY: return FLOW_NEXT;
    case STMT_BLOCK: return exec_block(x, &s->u.block);
    case STMT_DECL: return exec_decl(x, s);
    case STMT_ASSIGN: return exec_assign(x, s);
    case STMT_EXPR: return exec_expr(x, s->u.expr);
    case STMT_IF: {
        int c = condition(x, s->u.if_.cond);
        if (c < 0)
            return FLOW_STOP;
        const ast_stmt *branch = c ? s->u.if_.then : s->u.if_.otherwise;
        return branch == NULL ? FLOW_NEXT : elab_exec(x, branch);
    }
    case STMT_WHILE:
    case STMT_DO:
    case STMT_FOR: return exec_loop(x, s);
    case STMT_BREAK: return FLOW_BREAK;
    case STMT_CONTINUE: return FLOW_CONTINUE;
    case STMT_RETURN: return exec_return(x, s->u.expr);
    case STMT_ENQUEUE:
    case STMT_ADD:
    case STMT_BODY:
    case STMT_LOOP:
    case STMT_SPLIT:
    case STMT_JOIN: return elab_exec_graph(x, s);
    case STMT_PUSH:
    case STMT_SEND:
        elab_error(x, s->range,
                   "items and messages can be sent only while a filter runs, not while the graph is built");
        return FLOW_STOP;
    case STMT_ERROR: break;
    }
    elab_error(x, s->range, "this statement cannot run while the graph is built");
    return FLOW_STOP;
}
