// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions to stream IR, folding what is constant.
#include <string.h>

#include "hlc/elaborate/lower.h"
#include "hlc/ir/ops.h"
#include "hlc/ir/walk.h"

static sir_expr *nothing(lower *L, const ast_expr *e)
{
    return sir_const_int(L->m, 0, elab_loc(L->x, e->range));
}

static sir_expr *refuse(lower *L, const ast_expr *e)
{
    if (!L->x->failed) {
        diag_internal(L->x->diags, e->range, "elaboration cannot lower this expression");
        L->x->failed = true;
    }
    return nothing(L, e);
}

const sir_type *lower_scalar_type(const lower *L, const lang_type *t)
{
    return elab_scalar_type(L->x, t);
}

// ---- Variables and places ----

// A reference to an aggregate constant while its place is being lowered: an element at constant indices is folded, and
// only what is then left of it becomes a constant of the module.
typedef struct pending_constant {
    sir_expr expr; // GLOBAL SIR_NONE
    elab_slot *slot;
    const ast_var *var;
} pending_constant;

static sir_expr *constant(lower *L, const ast_var *v, const ast_expr *e)
{
    elab_slot *slot = elab_find(L->x, v, e->range);
    if (slot == NULL || slot->type->kind == SIR_VOID)
        return refuse(L, e);
    sir_loc loc = elab_loc(L->x, e->range);
    if (slot->type->kind < SIR_STRUCT)
        return sir_const(L->m, slot->type, *slot->data, loc);
    pending_constant *p = ARENA_NEW(L->x->arena, pending_constant);
    p->expr = *sir_ref(L->m, SIR_GLOBAL, SIR_NONE, slot->type, loc);
    p->slot = slot;
    p->var = v;
    return &p->expr;
}

static sir_expr *variable(lower *L, const ast_expr *e)
{
    const ast_var *v = e->u.name.var;
    sir_loc loc = elab_loc(L->x, e->range);
    if (v->kind == VAR_FIELD)
        return sir_ref(L->m, SIR_FIELD, v->index, L->filter->fields.data[v->index].type, loc);
    if (v->kind == VAR_STREAM_PARAM && L->decl == v->owner && L->param_fields[v->index] != SIR_NONE) {
        uint32_t field = L->param_fields[v->index];
        return sir_ref(L->m, SIR_FIELD, field, L->filter->fields.data[field].type, loc);
    }
    if (v->function == NULL)
        return constant(L, v, e);
    if (v->function != L->ast || L->locals[v->index] == SIR_NONE)
        return refuse(L, e);
    uint32_t local = L->locals[v->index];
    return sir_ref(L->m, SIR_LOCAL, local, L->fn->locals.data[local].type, loc);
}

static sir_expr *index_of(lower *L, const ast_expr *e, sir_expr *base)
{
    lower_held held = {&base, true};
    sir_expr *index = lower_after(L, e->u.index.index, &held, 1);
    index = lower_convert(L, index, lower_scalar_type(L, &lang_type_int));
    if (L->x->failed || base->type->kind != SIR_ARRAY)
        return refuse(L, e);
    return sir_expr2(L->m, SIR_INDEX, 0, base->type->element, base, index, elab_loc(L->x, e->range));
}

static sir_expr *chain(lower *L, const ast_expr *e)
{
    if (e->kind == EXPR_NAME)
        return variable(L, e);
    if (e->kind == EXPR_INDEX)
        return index_of(L, e, chain(L, e->u.index.base));
    if (e->kind == EXPR_FIELD) {
        sir_expr *base = chain(L, e->u.field.base);
        if (L->x->failed || (base->type->kind != SIR_STRUCT && base->type->kind != SIR_COMPLEX))
            return refuse(L, e);
        sir_loc loc = elab_loc(L->x, e->range);
        if (base->kind == SIR_CONST)
            return sir_const_float(L->m, e->u.field.index == 0 ? base->u.value.c.re : base->u.value.c.im, loc);
        return sir_member(L->m, base, (uint32_t)e->u.field.index, loc);
    }
    sir_expr *value = lower_expr(L, e);
    return value->kind == SIR_LOCAL || value->kind == SIR_GLOBAL ? value
                                                                 : lower_temp(L, value->type, value, value->loc);
}

// The scalars at a place with constant indices; NULL when it has others, or one out of range.
static sir_scalar *constant_place(const sir_expr *e, const elab_slot *slot)
{
    if (e->kind == SIR_GLOBAL)
        return slot->data;
    sir_scalar *base = constant_place(e->u.arg[0], slot);
    if (base == NULL)
        return NULL;
    if (e->kind == SIR_MEMBER)
        return e->u.arg[0]->type->kind == SIR_COMPLEX ? base : base + elab_member_offset(e->u.arg[0]->type, e->index);
    const sir_expr *index = e->u.arg[1];
    if (index->kind != SIR_CONST || index->u.value.i < 0 || (uint32_t)index->u.value.i >= e->u.arg[0]->type->length)
        return NULL;
    return base + (uint64_t)index->u.value.i * e->type->words;
}

static uint32_t module_constant(lower *L, const pending_constant *p)
{
    bool global = p->var->kind == VAR_GLOBAL;
    if (global && p->slot->global != 0)
        return p->slot->global - 1;
    for (size_t i = 0; i < L->constants.len; i++)
        if (L->constants.data[i].slot == p->slot)
            return L->constants.data[i].global;
    uint32_t number = elab_global(L->x, p->slot->type, p->slot->data, p->var->name, p->var->range);
    if (global)
        p->slot->global = number + 1;
    else
        VEC_PUSH(L->x->scratch, &L->constants, (struct lower_constant){p->slot, number});
    return number;
}

static sir_expr *finish_place(lower *L, sir_expr *e)
{
    sir_expr *root = L->x->failed ? NULL : sir_lvalue_root(e);
    if (root == NULL || root->kind != SIR_GLOBAL || root->index != SIR_NONE)
        return e;
    const pending_constant *p = (const pending_constant *)root;
    const sir_scalar *value = e->type->kind < SIR_STRUCT ? constant_place(e, p->slot) : NULL;
    if (value == NULL) {
        root->index = module_constant(L, p);
        return e;
    }
    if (e->kind == SIR_MEMBER && e->u.arg[0]->type->kind == SIR_COMPLEX)
        return sir_const_float(L->m, e->index == 0 ? value->c.re : value->c.im, e->loc);
    return sir_const(L->m, e->type, *value, e->loc);
}

sir_expr *lower_place(lower *L, const ast_expr *e)
{
    return finish_place(L, chain(L, e));
}

// ---- Conversions and operations ----

sir_expr *lower_convert(lower *L, sir_expr *e, const sir_type *t)
{
    if (e->type == t || t == NULL || t->kind >= SIR_STRUCT || e->type->kind >= SIR_STRUCT)
        return e;
    if (e->kind == SIR_CONST)
        return sir_const(L->m, t, sir_eval_convert(e->type, t, e->u.value), e->loc);
    return sir_expr1(L->m, SIR_CONVERT, 0, t, e, e->loc);
}

sir_expr *lower_expr_as(lower *L, const ast_expr *e, const sir_type *t)
{
    return lower_convert(L, lower_expr(L, e), t);
}

sir_expr *lower_binary(lower *L, lang_binary_op op, const sir_type *operand, sir_expr *a, sir_expr *b, sir_loc loc)
{
    sir_op_class class = sir_binary_ops[op].class;
    bool compares = class == SIR_OP_COMPARE || class == SIR_OP_EQUAL || class == SIR_OP_SHORT;
    const sir_type *type = compares ? L->m->scalar[SIR_BOOLEAN] : operand;
    a = lower_convert(L, a, operand);
    b = lower_convert(L, b, class == SIR_OP_SHIFT ? L->m->scalar[SIR_INT] : operand);
    sir_scalar value;
    // An operation that stops the program stays: it may never be reached.
    if (a->kind == SIR_CONST && b->kind == SIR_CONST && sir_eval_binary(op, operand, a->u.value, b->u.value, &value))
        return sir_const(L->m, type, value, loc);
    return sir_expr2(L->m, SIR_BINARY, op, type, a, b, loc);
}

static sir_expr *unary(lower *L, const ast_expr *e)
{
    const sir_type *t = lower_scalar_type(L, e->type);
    sir_expr *a = lower_expr_as(L, e->u.unary.operand, t);
    sir_loc loc = elab_loc(L->x, e->range);
    sir_scalar value;
    if (a->kind == SIR_CONST && sir_eval_unary(e->u.unary.op, t, a->u.value, &value))
        return sir_const(L->m, t, value, loc);
    return sir_expr1(L->m, SIR_UNARY, e->u.unary.op, t, a, loc);
}

// ---- Branches ----

static sir_expr *lower_aside(lower *L, const ast_expr *e, sir_block *block)
{
    sir_block *outer = L->block;
    *block = (sir_block){0};
    L->block = block;
    sir_expr *value = lower_expr(L, e);
    L->block = outer;
    return value;
}

// Ends a branch that was lowered aside: its value goes to the temporary.
static void set_in(lower *L, sir_block *block, const sir_expr *temp, sir_expr *value)
{
    sir_block *outer = L->block;
    L->block = block;
    lower_emit_set(L, lower_clone(L, temp), value, value->loc);
    L->block = outer;
}

// && and || whose right side has statements: it runs only if the left side leaves the result open.
static sir_expr *short_circuit(lower *L, const ast_expr *e)
{
    bool is_or = e->u.binary.op == LANG_OP_LOR;
    sir_loc loc = elab_loc(L->x, e->range);
    sir_expr *a = lower_expr(L, e->u.binary.left);
    if (a->kind == SIR_CONST)
        return (a->u.value.i != 0) == is_or ? a : lower_expr(L, e->u.binary.right);
    sir_block right;
    sir_expr *b = lower_aside(L, e->u.binary.right, &right);
    if (right.len == 0)
        return sir_expr2(L->m, SIR_BINARY, e->u.binary.op, L->m->scalar[SIR_BOOLEAN], a, b, loc);
    sir_expr *temp = lower_temp(L, L->m->scalar[SIR_BOOLEAN], a, loc);
    set_in(L, &right, temp, b);
    sir_stmt *s = sir_stmt_new(L->m, SIR_IF, loc);
    s->u.if_.cond = lower_clone(L, temp);
    if (is_or)
        s->u.if_.cond = sir_expr1(L->m, SIR_UNARY, LANG_OP_NOT, temp->type, s->u.if_.cond, loc);
    s->u.if_.then = right;
    lower_emit(L, s);
    return temp;
}

static sir_expr *conditional(lower *L, const ast_expr *e)
{
    const sir_type *t = lower_scalar_type(L, e->type);
    sir_expr *cond = lower_expr(L, e->u.cond.cond);
    if (cond->kind == SIR_CONST)
        return lower_expr_as(L, cond->u.value.i ? e->u.cond.then : e->u.cond.otherwise, t);
    sir_loc loc = elab_loc(L->x, e->range);
    sir_block then, otherwise;
    sir_expr *a = lower_convert(L, lower_aside(L, e->u.cond.then, &then), t);
    sir_expr *b = lower_convert(L, lower_aside(L, e->u.cond.otherwise, &otherwise), t);
    if (L->x->failed || !elab_same_type(L->x, b->type, a->type, e->u.cond.otherwise->range, "the second branch"))
        return nothing(L, e);
    if (then.len == 0 && otherwise.len == 0 && t != NULL)
        return sir_expr3(L->m, SIR_SELECT, a->type, cond, a, b, loc);
    // The condition is used by the 'if' right away, so the branches cannot change it.
    sir_expr *temp = lower_temp(L, a->type, NULL, loc);
    set_in(L, &then, temp, a);
    set_in(L, &otherwise, temp, b);
    sir_stmt *s = sir_stmt_new(L->m, SIR_IF, loc);
    s->u.if_.cond = cond;
    s->u.if_.then = then;
    s->u.if_.otherwise = otherwise;
    lower_emit(L, s);
    return temp;
}

static sir_expr *binary(lower *L, const ast_expr *e)
{
    if (e->u.binary.op == LANG_OP_LAND || e->u.binary.op == LANG_OP_LOR)
        return short_circuit(L, e);
    sir_expr *a = lower_expr(L, e->u.binary.left);
    lower_held held = {&a, false};
    sir_expr *b = lower_after(L, e->u.binary.right, &held, 1);
    if (L->x->failed)
        return nothing(L, e);
    return lower_binary(L, e->u.binary.op, lower_scalar_type(L, elab_operand_type(e)), a, b, elab_loc(L->x, e->range));
}

// ---- Increments, tapes ----

static sir_expr *one(lower *L, const sir_type *t, sir_loc loc)
{
    return lower_convert(L, sir_const_int(L->m, 1, loc), t);
}

// A place that names the same storage after it was written: its subscripts cannot depend on what it holds.
static bool is_stable(const sir_expr *place)
{
    for (; place->kind == SIR_INDEX || place->kind == SIR_MEMBER; place = place->u.arg[0])
        if (place->kind == SIR_INDEX && place->u.arg[1]->kind != SIR_CONST)
            return false;
    return true;
}

sir_expr *lower_incdec(lower *L, const ast_expr *e, bool wanted)
{
    sir_expr *place = lower_place(L, e->u.incdec.target);
    if (L->x->failed)
        return nothing(L, e);
    sir_loc loc = elab_loc(L->x, e->range);
    bool prefix = e->u.incdec.prefix;
    const sir_type *t = place->type->kind == SIR_BIT ? L->m->scalar[SIR_INT] : place->type;
    sir_expr *old = lower_clone(L, place);
    if (wanted && !prefix)
        old = lower_temp(L, place->type, old, loc);
    sir_expr *next = lower_binary(L, e->u.incdec.increment ? LANG_OP_ADD : LANG_OP_SUB, t, old, one(L, t, loc), loc);
    next = lower_convert(L, next, place->type);
    if (wanted && prefix && !is_stable(place))
        next = lower_temp(L, place->type, next, loc);
    lower_emit_set(L, place, next, loc);
    if (!wanted)
        return place;
    return lower_clone(L, !prefix ? old : is_stable(place) ? place : next);
}

static sir_expr *pop(lower *L, const ast_expr *e)
{
    if (L->filter == NULL || L->filter->input->kind == SIR_VOID)
        return refuse(L, e);
    sir_loc loc = elab_loc(L->x, e->range);
    sir_expr *temp = lower_temp(L, L->filter->input, NULL, loc);
    sir_stmt *s = sir_stmt_new(L->m, SIR_POP, loc);
    s->u.set.target = temp;
    lower_emit(L, s);
    return lower_clone(L, temp);
}

static sir_expr *peek(lower *L, const ast_expr *e)
{
    sir_expr *offset = lower_expr_as(L, e->u.peek.offset, L->m->scalar[SIR_INT]);
    if (L->filter == NULL || L->filter->input->kind == SIR_VOID)
        return refuse(L, e);
    return sir_expr1(L->m, SIR_PEEK, 0, L->filter->input, offset, elab_loc(L->x, e->range));
}

static sir_expr *literal(lower *L, const ast_expr *e)
{
    sir_scalar v;
    memset(&v, 0, sizeof v);
    switch (e->kind) {
    case EXPR_INT: v.i = (int32_t)e->u.integer; break;
    case EXPR_FLOAT: v.f = (float)e->u.number; break;
    case EXPR_IMAG: v.c.im = (float)e->u.number; break;
    default: v.i = e->u.boolean; break;
    }
    return sir_const(L->m, lower_scalar_type(L, e->type), v, elab_loc(L->x, e->range));
}

sir_expr *lower_expr(lower *L, const ast_expr *e)
{
    if (L->x->failed)
        return nothing(L, e);
    switch (e->kind) {
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_IMAG:
    case EXPR_BOOL: return literal(L, e);
    case EXPR_NAME:
    case EXPR_FIELD:
    case EXPR_INDEX: return lower_place(L, e);
    case EXPR_UNARY: return unary(L, e);
    case EXPR_BINARY: return binary(L, e);
    case EXPR_COND: return conditional(L, e);
    case EXPR_CAST:
    case EXPR_CONVERT: return lower_expr_as(L, e->u.cast.operand, lower_scalar_type(L, e->type));
    case EXPR_INCDEC: return lower_incdec(L, e, true);
    case EXPR_CALL: return lower_call(L, e);
    case EXPR_POP: return pop(L, e);
    case EXPR_PEEK: return peek(L, e);
    case EXPR_ITER: return sir_ref(L->m, SIR_ITER, 0, L->m->scalar[SIR_INT], elab_loc(L->x, e->range));
    case EXPR_ERROR:
    case EXPR_STRING:
    case EXPR_ARRAY: break;
    }
    return refuse(L, e);
}
