// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluation of calls: functions of filters and helper blocks, built-in functions, random numbers.
#include <string.h>

#include "hlc/elaborate/elab.h"

static sir_scalar zero(void)
{
    sir_scalar r;
    memset(&r, 0, sizeof r);
    return r;
}

// ---- Built-in functions ----

const sir_type *elab_math_type(const elab *x, const ast_expr *e)
{
    lang_type_kind kind = e->u.call.math == LANG_MATH_CSQRT ? TYPE_COMPLEX : TYPE_FLOAT;
    for (size_t i = 0; i < e->u.call.args.len; i++) {
        lang_type_kind arg = e->u.call.args.data[i]->type->kind;
        if (arg == TYPE_COMPLEX || (arg == TYPE_DOUBLE && kind != TYPE_COMPLEX))
            kind = arg;
    }
    if (e->u.call.math == LANG_MATH_ARG) // of a real number: of it as a complex one
        kind = TYPE_COMPLEX;
    return x->scalar_of[kind];
}

static sir_scalar math(elab *x, const ast_expr *e)
{
    const sir_type *t = elab_math_type(x, e);
    sir_scalar v[2] = {zero(), zero()}, r = zero();
    for (size_t i = 0; i < e->u.call.args.len && i < 2; i++)
        v[i] = elab_scalar_as(x, e->u.call.args.data[i], t);
    sir_eval_math(e->u.call.math, t, v[0], v[1], &r);
    return r;
}

// streamit.md 5.6: a linear congruential generator of 48 bits; two steps give 26 + 27 bits.
static uint64_t random_bits(uint64_t *state, int bits)
{
    *state = (*state * UINT64_C(0x5DEECE66D) + 0xB) & ((UINT64_C(1) << 48) - 1);
    return *state >> (48 - bits);
}

static sir_scalar next_random(elab *x)
{
    uint64_t *state = x->env == NULL ? &x->global_random : &x->env->random;
    uint64_t high = random_bits(state, 26);
    sir_scalar r = zero();
    r.d = (double)((high << 27) + random_bits(state, 27)) / (double)(UINT64_C(1) << 53);
    return r;
}

static void print(elab *x, const ast_expr *e)
{
    strbuf text;
    strbuf_init(&text, x->scratch);
    if (e->u.call.args.len > 0)
        elab_text(x, &text, e->u.call.args.data[0]);
    if (e->u.call.callee == CALLEE_PRINTLN)
        strbuf_addc(&text, '\n');
    if (elab_step(x, text.len * ELAB_STEPS_PER_BYTE, e->range))
        strbuf_addn(x->printed, text.data, text.len);
}

// ---- Functions ----

static const ast_var *root_of(const ast_expr *e)
{
    while (e->kind == EXPR_INDEX || e->kind == EXPR_FIELD)
        e = e->kind == EXPR_INDEX ? e->u.index.base : e->u.field.base;
    return e->kind == EXPR_NAME ? e->u.name.var : NULL;
}

// An array handed to a function that changes it must be the caller's own.
static bool check_reference(elab *x, const ast_expr *arg, const ast_var *param)
{
    const ast_var *root = root_of(arg);
    if (root == NULL || !elab_mutated(x, param))
        return true;
    bool constant = root->kind == VAR_GLOBAL && !x->globals_open;
    bool captured = (root->kind == VAR_STREAM_PARAM || (root->kind == VAR_LOCAL && root->function == NULL)) &&
                    x->env != NULL && root->owner != x->env->decl;
    if (!constant && !captured)
        return true;
    diag_record *r =
        elab_error(x, arg->range, "'%s' is read-only here, but the function changes its parameter '%s'; pass a copy",
                   root->name, param->name);
    elab_note(x, r, root->range, "%s '%s' declared here", constant ? "global" : "captured variable", root->name);
    elab_note(x, r, param->range, "parameter declared here");
    return false;
}

// Evaluates one argument into the callee's frame. The parameter's type may depend on earlier parameters.
static bool pass(elab *x, const ast_function *f, elab_slot *frame, const ast_var *param, const ast_expr *arg)
{
    elab_slot *slot = &frame[param->index];
    const sir_type *scalar = elab_scalar_type(x, param->type);
    if (scalar != NULL) {
        sir_scalar v = elab_scalar_as(x, arg, scalar);
        elab_slot_set(x, slot, scalar, arg->range);
        slot->scalar = v;
        return !x->failed;
    }
    elab_place given = elab_aggregate(x, arg);
    if (given.data == NULL || !check_reference(x, arg, param))
        return false;
    const ast_function *caller = x->function;
    elab_slot *caller_frame = x->frame;
    x->function = f;
    x->frame = frame;
    const sir_type *t = elab_type(x, param->type, param->type_range);
    x->function = caller;
    x->frame = caller_frame;
    if (t == NULL)
        return false;
    if (given.type != t) {
        diag_record *r = elab_error(x, arg->range, "argument has type '%s', but parameter '%s' has type '%s'",
                                    elab_type_name(x, given.type), param->name, elab_type_name(x, t));
        elab_note(x, r, param->type_range, "parameter declared here");
        return false;
    }
    if (t->kind == SIR_ARRAY) { // by reference
        slot->type = t;
        slot->data = given.data;
        return true;
    }
    if (!elab_slot_set(x, slot, t, arg->range))
        return false;
    memcpy(slot->data, given.data, (size_t)t->words * sizeof *given.data);
    return true;
}

// Runs the function; its result is in x->result or x->result_data then.
static void run_function(elab *x, const ast_expr *e)
{
    const ast_function *f = e->u.call.function;
    if (e->u.call.callee == CALLEE_NATIVE || f->body == NULL) {
        elab_error(x, e->range, "native function '%s.%s' cannot run while the graph is built", f->module, f->name);
        return;
    }
    if (!elab_step(x, 1, e->range) || !elab_enter(x, e->range, f->name))
        return;
    elab_mark mark = elab_mark_here(x);
    elab_slot *frame = elab_push(x, (f->locals.len + 1) * sizeof *frame);
    bool passed = true;
    for (size_t i = 0; i < f->params.len && passed; i++)
        passed = pass(x, f, frame, f->params.data[i], e->u.call.args.data[i]);
    if (passed) {
        const ast_function *caller = x->function;
        elab_slot *caller_frame = x->frame;
        x->function = f;
        x->frame = frame;
        x->result_type = NULL;
        elab_flow flow = elab_exec(x, f->body);
        if (flow == FLOW_NEXT && f->result->kind != TYPE_VOID && !x->failed) {
            diag_record *r = elab_error(x, e->range, "'%s' ended without a 'return'", f->name);
            elab_note(x, r, f->name_range, "'%s' declared here", f->name);
        }
        x->function = caller;
        x->frame = caller_frame;
    }
    elab_release(x, mark);
    elab_leave(x);
}

sir_scalar elab_call(elab *x, const ast_expr *e)
{
    switch (e->u.call.callee) {
    case CALLEE_MATH: return math(x, e);
    case CALLEE_RANDOM: return next_random(x);
    case CALLEE_PRINT:
    case CALLEE_PRINTLN: print(x, e); return zero();
    case CALLEE_FUNCTION:
    case CALLEE_NATIVE: run_function(x, e); return x->failed ? zero() : x->result;
    default: break;
    }
    elab_error(x, e->range, "this call cannot be evaluated while the graph is built");
    return zero();
}

elab_place elab_call_aggregate(elab *x, const ast_expr *e)
{
    elab_place p = {0};
    if (e->u.call.callee != CALLEE_FUNCTION && e->u.call.callee != CALLEE_NATIVE) {
        elab_error(x, e->range, "this call cannot be evaluated while the graph is built");
        return p;
    }
    run_function(x, e);
    if (x->failed || x->result_type == NULL)
        return p;
    p.type = x->result_type;
    p.data = elab_push_scalars(x, p.type->words, e->range);
    if (p.data != NULL)
        memcpy(p.data, x->result_data, (size_t)p.type->words * sizeof *p.data);
    return p;
}
