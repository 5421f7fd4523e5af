// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluation of expressions. Variables are found by index, types are known: nothing here hashes or searches.
#include <inttypes.h>
#include <string.h>

#include "hlc/elaborate/elab.h"

// ---- Variables ----

static void not_constant(elab *x, const ast_var *v, src_range where)
{
    diag_record *r = elab_error(x, where, "%s is not constant: '%s' has its value only when the filter runs",
                                x->constant_what != NULL ? x->constant_what : "expression", v->name);
    elab_note(x, r, v->range, "'%s' declared here", v->name);
}

// A local that never changes after a constant initialiser may be used in a length.
static elab_slot *constant_local(elab *x, const ast_var *v, src_range where)
{
    if (v->kind != VAR_LOCAL || v->assigned || v->init == NULL || elab_scalar_type(x, v->type) == NULL) {
        not_constant(x, v, where);
        return NULL;
    }
    const ast_var *outer = x->constant_of;
    src_range outer_where = x->constant_where;
    x->constant_of = v;
    x->constant_where = where;
    elab_slot *slot = elab_push(x, sizeof *slot);
    if (elab_enter(x, where, v->name)) {
        elab_slot_set(x, slot, elab_scalar_type(x, v->type), where);
        *slot->data = elab_scalar_as(x, v->init, slot->type);
    }
    elab_leave(x);
    x->constant_of = outer;
    x->constant_where = outer_where;
    return x->failed ? NULL : slot;
}

static elab_slot *find_field(elab *x, const ast_var *v, src_range where)
{
    if (x->env == NULL || x->env->fields == NULL) {
        diag_internal(x->diags, where, "field '%s' used outside of its filter", v->name);
        x->failed = true;
        return NULL;
    }
    if (x->constant_what != NULL && (v->assigned || (v->init == NULL && !x->init_done))) {
        diag_record *r =
            v->assigned
                ? elab_error(x, where, "%s is not constant: field '%s' changes while the filter runs", x->constant_what,
                             v->name)
                : elab_error(x, where, "%s uses field '%s', which has no initialiser; 'init' runs too late to give one",
                             x->constant_what, v->name);
        elab_note(x, r, v->range, "field declared here");
        return NULL;
    }
    return &x->env->fields[v->index];
}

elab_slot *elab_find(elab *x, const ast_var *v, src_range where)
{
    elab_slot *slot = NULL;
    if (v->kind == VAR_GLOBAL) {
        slot = &x->globals[v->index];
    } else if (v->kind == VAR_FIELD) {
        slot = find_field(x, v, where);
        if (slot == NULL)
            return NULL;
    } else if (v->function != NULL) {
        if (v->function != x->function) {
            return constant_local(x, v, where);
        }
        slot = &x->frame[v->index];
    } else {
        const elab_env *env = x->env;
        while (env != NULL && env->decl != v->owner)
            env = env->parent;
        if (env != NULL)
            slot = v->kind == VAR_STREAM_PARAM ? &env->params[v->index] : &env->locals[v->index];
    }
    if (slot == NULL || slot->type == NULL) {
        diag_record *r = elab_error(x, where, "'%s' is used before it has a value", v->name);
        elab_note(x, r, v->range, "'%s' declared here", v->name);
        return NULL;
    }
    return slot;
}

// ---- Places ----

static const elab_place no_place = {0};

elab_place elab_place_of(elab *x, const ast_expr *e)
{
    if (e->kind == EXPR_NAME) {
        elab_slot *slot = elab_find(x, e->u.name.var, e->range);
        return slot == NULL ? no_place : (elab_place){.type = slot->type, .data = slot->data};
    }
    if (e->kind == EXPR_INDEX) {
        elab_place base = elab_place_of(x, e->u.index.base);
        int32_t i = elab_scalar_as(x, e->u.index.index, x->scalar_of[TYPE_INT]).i;
        if (x->failed || base.data == NULL)
            return no_place;
        if (i < 0 || (uint32_t)i >= base.type->length) {
            elab_error(x, e->u.index.index->range,
                       "index %" PRId32 " is outside of '%s', whose indices are 0 to %" PRId64, i,
                       elab_type_name(x, base.type), (int64_t)base.type->length - 1);
            return no_place;
        }
        return (elab_place){.type = base.type->element, .data = base.data + (uint64_t)i * base.type->element->words};
    }
    if (e->kind == EXPR_FIELD) {
        elab_place base = elab_place_of(x, e->u.field.base);
        if (base.data == NULL)
            return no_place;
        uint32_t index = (uint32_t)e->u.field.index;
        if (base.type->kind == SIR_COMPLEX)
            return (elab_place){.type = x->scalar_of[TYPE_FLOAT], .data = base.data, .part = (int)index + 1};
        return (elab_place){.type = base.type->decl->members.data[index].type,
                            .data = base.data + elab_member_offset(base.type, index)};
    }
    return elab_aggregate(x, e);
}

sir_scalar elab_load(elab_place p)
{
    if (p.part == 0)
        return *p.data;
    sir_scalar r;
    memset(&r, 0, sizeof r);
    r.f = p.part == 1 ? p.data->c.re : p.data->c.im;
    return r;
}

void elab_store(elab_place p, sir_scalar v)
{
    if (p.part == 0)
        *p.data = v;
    else if (p.part == 1)
        p.data->c.re = v.f;
    else
        p.data->c.im = v.f;
}

static elab_place read_array(elab *x, const ast_expr *e)
{
    bool floats = e->u.call.callee == CALLEE_INIT_ARRAY_FLOAT;
    strbuf path;
    strbuf_init(&path, x->scratch);
    elab_text(x, &path, e->u.call.args.data[0]);
    int32_t count = elab_scalar_as(x, e->u.call.args.data[1], x->scalar_of[TYPE_INT]).i;
    if (x->failed)
        return no_place;
    if (count < 0) {
        elab_error(x, e->u.call.args.data[1]->range, "array length %" PRId32 " is negative", count);
        return no_place;
    }
    elab_place p = {.type = sir_type_array(x->module, x->scalar_of[floats ? TYPE_FLOAT : TYPE_INT], (uint32_t)count)};
    p.data = elab_push_scalars(x, (uint64_t)count, e->range);
    if (p.data == NULL || !elab_read_numbers(x, e, path.data, (uint64_t)count, floats, p.data))
        return no_place;
    return p;
}

elab_place elab_aggregate(elab *x, const ast_expr *e)
{
    switch (e->kind) {
    case EXPR_NAME:
    case EXPR_INDEX:
    case EXPR_FIELD: return elab_place_of(x, e);
    case EXPR_CONVERT: return elab_aggregate(x, e->u.cast.operand);
    case EXPR_COND: {
        bool chosen = elab_scalar(x, e->u.cond.cond).i != 0;
        return x->failed ? no_place : elab_aggregate(x, chosen ? e->u.cond.then : e->u.cond.otherwise);
    }
    case EXPR_CALL:
        if (e->u.call.callee == CALLEE_INIT_ARRAY_INT || e->u.call.callee == CALLEE_INIT_ARRAY_FLOAT)
            return read_array(x, e);
        return elab_call_aggregate(x, e);
    default: break;
    }
    elab_error(x, e->range, "this cannot be evaluated while the graph is built");
    return no_place;
}

// ---- Operations ----

const lang_type *elab_operand_type(const ast_expr *e)
{
    const lang_type *left = e->u.binary.left->type, *right = e->u.binary.right->type;
    switch (e->u.binary.op) {
    case LANG_OP_SHL:
    case LANG_OP_SHR: return e->type;
    case LANG_OP_EQ:
    case LANG_OP_NE:
    case LANG_OP_LT:
    case LANG_OP_LE:
    case LANG_OP_GT:
    case LANG_OP_GE: {
        const lang_type *common = left->kind == right->kind ? left : lang_type_common(left, right);
        return common == NULL ? left : common;
    }
    default: return e->type;
    }
}

static sir_scalar zero(void)
{
    sir_scalar r;
    memset(&r, 0, sizeof r);
    return r;
}

static sir_scalar boolean(bool v)
{
    sir_scalar r = zero();
    r.i = v;
    return r;
}

static sir_scalar binary(elab *x, const ast_expr *e)
{
    lang_binary_op op = e->u.binary.op;
    const ast_expr *left = e->u.binary.left, *right = e->u.binary.right;
    if (op == LANG_OP_LAND || op == LANG_OP_LOR) {
        bool a = elab_scalar(x, left).i != 0;
        return boolean(a == (op == LANG_OP_LOR) ? a : elab_scalar(x, right).i != 0);
    }
    const lang_type *type = elab_operand_type(e);
    const sir_type *t = elab_scalar_type(x, type);
    sir_scalar a = elab_scalar(x, left), b = elab_scalar(x, right), r = zero();
    if (left->type->kind != type->kind)
        a = sir_eval_convert(elab_scalar_type(x, left->type), t, a);
    if (right->type->kind != type->kind && op != LANG_OP_SHL && op != LANG_OP_SHR)
        b = sir_eval_convert(elab_scalar_type(x, right->type), t, b);
    if (!sir_eval_binary(op, t, a, b, &r) && !x->failed)
        elab_error(x, e->range, "division by zero while the graph is built");
    return r;
}

static sir_scalar incdec(elab *x, const ast_expr *e)
{
    elab_place p = elab_place_of(x, e->u.incdec.target);
    if (p.data == NULL)
        return zero();
    const sir_type *t = p.type->kind == SIR_BIT ? x->scalar_of[TYPE_INT] : p.type;
    sir_scalar old = elab_load(p), one = zero(), next = zero();
    one.i = 1;
    sir_eval_binary(e->u.incdec.increment ? LANG_OP_ADD : LANG_OP_SUB, t, old,
                    sir_eval_convert(x->scalar_of[TYPE_INT], t, one), &next);
    elab_store(p, next);
    return e->u.incdec.prefix ? next : old;
}

static sir_scalar unary(elab *x, const ast_expr *e)
{
    const ast_expr *operand = e->u.unary.operand;
    sir_scalar a = elab_scalar_as(x, operand, elab_scalar_type(x, e->type)), r = zero();
    sir_eval_unary(e->u.unary.op, elab_scalar_type(x, e->type), a, &r);
    return r;
}

static sir_scalar literal(const ast_expr *e)
{
    sir_scalar r = zero();
    switch (e->kind) {
    case EXPR_INT: r.i = (int32_t)e->u.integer; break;
    case EXPR_FLOAT: r.f = (float)e->u.number; break;
    case EXPR_IMAG: r.c.im = (float)e->u.number; break;
    case EXPR_BOOL: r.i = e->u.boolean; break;
    default: break;
    }
    return r;
}

sir_scalar elab_scalar_as(elab *x, const ast_expr *e, const sir_type *t)
{
    sir_scalar v = elab_scalar(x, e);
    const sir_type *from = elab_scalar_type(x, e->type);
    return from == t || from == NULL ? v : sir_eval_convert(from, t, v);
}

static void at_run_time(elab *x, const ast_expr *e)
{
    if (x->constant_of != NULL)
        not_constant(x, x->constant_of, x->constant_where);
    else if (x->constant_what != NULL)
        elab_error(x, e->range, "%s is not constant: this has a value only when the filter runs", x->constant_what);
    else
        elab_error(x, e->range, "tapes and 'iter' exist only while a filter runs, not while the graph is built");
}

sir_scalar elab_scalar(elab *x, const ast_expr *e)
{
    switch (e->kind) {
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_IMAG:
    case EXPR_BOOL: return literal(e);
    case EXPR_NAME:
    case EXPR_INDEX:
    case EXPR_FIELD: {
        elab_place p = elab_place_of(x, e);
        return p.data == NULL ? zero() : elab_load(p);
    }
    case EXPR_UNARY: return unary(x, e);
    case EXPR_BINARY: return binary(x, e);
    case EXPR_COND: {
        bool chosen = elab_scalar(x, e->u.cond.cond).i != 0;
        if (x->failed)
            return zero();
        return elab_scalar_as(x, chosen ? e->u.cond.then : e->u.cond.otherwise, elab_scalar_type(x, e->type));
    }
    case EXPR_CAST:
    case EXPR_CONVERT: return elab_scalar_as(x, e->u.cast.operand, elab_scalar_type(x, e->type));
    case EXPR_INCDEC: return incdec(x, e);
    case EXPR_CALL: return elab_call(x, e);
    case EXPR_POP:
    case EXPR_PEEK:
    case EXPR_ITER: at_run_time(x, e); break;
    case EXPR_ERROR:
    case EXPR_STRING:
    case EXPR_ARRAY: elab_error(x, e->range, "this cannot be evaluated while the graph is built"); break;
    }
    return zero();
}
