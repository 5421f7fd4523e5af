// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Abstract execution: expressions.
#include <string.h>

#include "hlc/ir/rates_int.h"
#include "hlc/ir/type_rules.h"
#include "hlc/ir/walk.h"

static const rates_value unknown = {0};

static rates_value known(sir_scalar v, bool literal)
{
    return (rates_value){.known = true, .literal = literal, .v = v};
}

static bool first_report(rates_run *r, const sir_expr *e)
{
    if (r->d == NULL || hmap_getn(&r->reported, &e, sizeof e) != NULL)
        return false;
    hmap_setn(&r->reported, &e, sizeof e, r);
    r->wrong = true;
    return true;
}

const char *rates_function_text(const rates_run *r)
{
    const sir_filter *f = r->filter;
    return f == NULL ? arena_printf(r->d->arena, "'%s'", r->function->name)
                     : arena_printf(r->d->arena, "'%s' of filter '%s'", r->function->name,
                                    f->source != NULL ? f->source : f->name);
}

void rates_touch(rates_run *r, const sir_expr *at, int64_t offset, bool literal, sir_loc loc)
{
    // The least position that this can be.
    int64_t position = r->state.pop.min + offset;
    if (position + 1 > r->window && (rates_certain(r) || literal)) {
        r->window = position + 1;
        r->window_at = loc;
    }
    const sir_rate *peek = &r->function->peek;
    bool exact = r->state.pop.min == r->state.pop.max;
    bool outside = offset < 0 || (exact && peek->max >= 0 && position >= peek->max);
    if (at == NULL || !outside || !(rates_certain(r) || (literal && exact)) || !first_report(r, at))
        return;
    if (offset < 0)
        sir_error(r->module, r->d, loc, "peek at offset %lld, before the window of %s", (long long)offset,
                  rates_function_text(r));
    else
        sir_error(r->module, r->d, loc, "peek at item %lld of the window, but %s declares 'peek %lld'",
                  (long long)position, rates_function_text(r), (long long)peek->max);
}

// ---- Constants in memory ----

typedef struct constant {
    const sir_value *value; // NULL: not constant
    uint64_t offset;        // in words
    bool literal;
} constant;

static void check_index(rates_run *r, const sir_expr *e, rates_value index)
{
    uint32_t length = e->u.arg[0]->type->length;
    if (!index.known || !(rates_certain(r) || index.literal) || (index.v.i >= 0 && (uint32_t)index.v.i < length))
        return;
    if (first_report(r, e))
        sir_error(r->module, r->d, e->loc, "array index %d is outside of the array, which has %u element%s",
                  (int)index.v.i, (unsigned)length, length == 1 ? "" : "s");
}

static constant find_constant(rates_run *r, sir_expr *e)
{
    const constant none = {0};
    switch (e->kind) {
    case SIR_GLOBAL: return (constant){.value = &r->module->globals.data[e->index].value, .literal = true};
    case SIR_FIELD: {
        const sir_field *f = &r->filter->fields.data[e->index];
        return f->constant ? (constant){.value = &f->init, .literal = true} : none;
    }
    case SIR_MEMBER: {
        constant c = find_constant(r, e->u.arg[0]);
        if (c.value == NULL || e->u.arg[0]->type->kind != SIR_STRUCT)
            return none;
        for (uint32_t i = 0; i < e->index; i++)
            c.offset += e->u.arg[0]->type->decl->members.data[i].type->words;
        return c;
    }
    case SIR_INDEX: {
        constant c = find_constant(r, e->u.arg[0]);
        rates_value index = rates_eval(r, e->u.arg[1]);
        check_index(r, e, index);
        if (c.value == NULL || !index.known || index.v.i < 0 || (uint32_t)index.v.i >= e->u.arg[0]->type->length)
            return none;
        c.offset += (uint64_t)index.v.i * e->type->words;
        c.literal = c.literal && index.literal;
        return c;
    }
    default: return none;
    }
}

static rates_value read_constant(rates_run *r, sir_expr *e)
{
    constant c = find_constant(r, e);
    if (c.value == NULL || sir_is_aggregate(e->type))
        return unknown;
    sir_scalar zero;
    memset(&zero, 0, sizeof zero);
    return known(c.value->zero ? zero : c.value->data[c.offset], c.literal);
}

void rates_lvalue(rates_run *r, sir_expr *e)
{
    find_constant(r, e);
}

// ---- Operations ----

static rates_value eval_member(rates_run *r, sir_expr *e)
{
    if (e->u.arg[0]->type->kind != SIR_COMPLEX)
        return read_constant(r, e);
    rates_value z = rates_eval(r, e->u.arg[0]);
    sir_scalar part;
    memset(&part, 0, sizeof part);
    part.f = e->index == 0 ? z.v.c.re : z.v.c.im;
    return z.known ? known(part, z.literal) : unknown;
}

// What may or may not be evaluated.
static rates_value eval_maybe(rates_run *r, sir_expr *e)
{
    bool certain = r->certain;
    r->certain = false;
    rates_value v = rates_eval(r, e);
    r->certain = certain;
    return v;
}

static rates_value eval_short(rates_run *r, sir_expr *e)
{
    rates_value a = rates_eval(r, e->u.arg[0]);
    bool decides = e->op == LANG_OP_LOR;
    if (a.known && (a.v.i != 0) == decides)
        return a;
    if (a.known) {
        rates_value b = rates_eval(r, e->u.arg[1]);
        b.literal = b.literal && a.literal;
        return b;
    }
    rates_value b = eval_maybe(r, e->u.arg[1]);
    return b.known && (b.v.i != 0) == decides ? b : unknown;
}

static rates_value eval_binary(rates_run *r, sir_expr *e)
{
    if (e->op == LANG_OP_LAND || e->op == LANG_OP_LOR)
        return eval_short(r, e);
    rates_value a = rates_eval(r, e->u.arg[0]), b = rates_eval(r, e->u.arg[1]);
    sir_scalar v;
    if (!a.known || !b.known || !sir_eval_binary((lang_binary_op)e->op, e->u.arg[0]->type, a.v, b.v, &v))
        return unknown;
    return known(v, a.literal && b.literal);
}

static rates_value eval_select(rates_run *r, sir_expr *e)
{
    rates_value c = rates_eval(r, e->u.arg[0]);
    if (c.known) {
        rates_value v = rates_eval(r, e->u.arg[c.v.i != 0 ? 1 : 2]);
        v.literal = v.literal && c.literal;
        return v;
    }
    eval_maybe(r, e->u.arg[1]);
    eval_maybe(r, e->u.arg[2]);
    return unknown;
}

static rates_value eval_math(rates_run *r, sir_expr *e)
{
    rates_value a = rates_eval(r, e->u.arg[0]), b = a;
    if (sir_expr_arity(e) == 2)
        b = rates_eval(r, e->u.arg[1]);
    sir_scalar v;
    if (!a.known || !b.known || !sir_eval_math((lang_math_op)e->op, e->u.arg[0]->type, a.v, b.v, &v))
        return unknown;
    return known(v, a.literal && b.literal);
}

static rates_value eval_peek(rates_run *r, sir_expr *e)
{
    rates_value offset = rates_eval(r, e->u.arg[0]);
    if (offset.known)
        rates_touch(r, e, offset.v.i, offset.literal, e->loc);
    else
        r->window_open = true;
    return unknown;
}

rates_value rates_eval(rates_run *r, sir_expr *e)
{
    sir_scalar v;
    rates_value a;
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: return known(e->u.value, true);
    case SIR_LOCAL: return r->slot[e->index] == SIR_NONE ? unknown : r->state.locals[r->slot[e->index]];
    case SIR_FIELD:
    case SIR_GLOBAL:
    case SIR_INDEX: return read_constant(r, e);
    case SIR_MEMBER: return eval_member(r, e);
    case SIR_UNARY:
        a = rates_eval(r, e->u.arg[0]);
        return a.known && sir_eval_unary((lang_unary_op)e->op, e->type, a.v, &v) ? known(v, a.literal) : unknown;
    case SIR_BINARY: return eval_binary(r, e);
    case SIR_SELECT: return eval_select(r, e);
    case SIR_CONVERT:
        a = rates_eval(r, e->u.arg[0]);
        return a.known ? known(sir_eval_convert(e->u.arg[0]->type, e->type, a.v), a.literal) : unknown;
    case SIR_MATH: return eval_math(r, e);
    case SIR_PEEK: return eval_peek(r, e);
    case SIR_ITER: return unknown;
    case SIR_MAKE_COMPLEX:
        rates_eval(r, e->u.arg[0]);
        rates_eval(r, e->u.arg[1]);
        return unknown;
    }
    return unknown;
}
