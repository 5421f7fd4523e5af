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

static rates_value bounded(sir_interval i)
{
    bool all = i.lo < INT32_MIN || i.hi > INT32_MAX || (i.lo == INT32_MIN && i.hi == INT32_MAX);
    return all ? unknown : (rates_value){.bounded = true, .interval = i};
}

sir_interval rates_interval(rates_value v)
{
    if (v.known)
        return (sir_interval){v.v.i, v.v.i};
    return v.bounded ? v.interval : (sir_interval){INT32_MIN, INT32_MAX};
}

static bool is_int(const sir_type *t)
{
    return t->kind == SIR_INT || t->kind == SIR_BIT;
}

static bool first_report(rates_run *r, const sir_expr *e)
{
    if (r->d == NULL || r->module->canonical || hmap_getn(&r->reported, &e, sizeof e) != NULL)
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
    if (position + 1 > r->window && (rates_certain(r) || literal))
        r->window = position + 1;
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

void rates_open(rates_run *r, const sir_expr *access)
{
    if (r->open != NULL && access != NULL)
        hmap_setn(r->open, &access, sizeof access, r->open);
}

void rates_reach(rates_run *r, const sir_expr *peek, sir_interval offset, sir_loc loc)
{
    int64_t pops = r->state.pop.max, beyond = pops < 0 ? 0 : pops + offset.hi + 1;
    int64_t declared = r->function->peek.max;
    bool open = pops < 0 || offset.lo < 0 || offset.hi == INT32_MAX;
    VEC_PUSH(r->scratch, &r->peeks, peek);
    if (open || (declared >= 0 && beyond > declared))
        rates_open(r, peek);
    if (r->reach_open)
        return;
    r->reach_open = open;
    if (open || beyond > r->reach)
        r->reach_at = loc;
    if (beyond > r->reach)
        r->reach = beyond;
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
    sir_interval range = rates_interval(index);
    if (range.lo < 0 || range.hi >= (int64_t)length)
        rates_open(r, e);
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
        if (r->filter == NULL) // of a copy that a pass made of a function
            return none;
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

static bool has_access(const sir_expr *e)
{
    if (e->kind == SIR_INDEX || e->kind == SIR_PEEK)
        return true;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        if (has_access(e->u.arg[i]))
            return true;
    return false;
}

// What is evaluated only if the condition holds (or does not).
static rates_value eval_given(rates_run *r, sir_expr *cond, bool holds, sir_expr *e)
{
    if (!has_access(e))
        return eval_maybe(r, e);
    rates_part **before = rates_keep_locals(r);
    rates_learn(r, cond, holds);
    rates_value v = eval_maybe(r, e);
    rates_restore_locals(r, before);
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
    rates_value b = eval_given(r, e->u.arg[0], !decides, e->u.arg[1]);
    return b.known && (b.v.i != 0) == decides ? b : unknown;
}

static rates_value eval_binary(rates_run *r, sir_expr *e)
{
    if (e->op == LANG_OP_LAND || e->op == LANG_OP_LOR)
        return eval_short(r, e);
    rates_value a = rates_eval(r, e->u.arg[0]), b = rates_eval(r, e->u.arg[1]);
    sir_scalar v;
    if (!a.known || !b.known) {
        bool ints = is_int(e->type) && is_int(e->u.arg[0]->type);
        return ints ? bounded(sir_interval_binary((lang_binary_op)e->op, rates_interval(a), rates_interval(b)))
                    : unknown;
    }
    if (!sir_eval_binary((lang_binary_op)e->op, e->u.arg[0]->type, a.v, b.v, &v))
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
    rates_value a = eval_given(r, e->u.arg[0], true, e->u.arg[1]);
    rates_value b = eval_given(r, e->u.arg[0], false, e->u.arg[2]);
    return is_int(e->type) ? bounded(sir_interval_hull(rates_interval(a), rates_interval(b))) : unknown;
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
    rates_reach(r, e, rates_interval(offset), e->loc);
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
    case SIR_LOCAL: return r->slot[e->index] == SIR_NONE ? unknown : rates_local(r, r->slot[e->index]);
    case SIR_FIELD:
    case SIR_GLOBAL:
    case SIR_INDEX: return read_constant(r, e);
    case SIR_MEMBER: return eval_member(r, e);
    case SIR_UNARY:
        a = rates_eval(r, e->u.arg[0]);
        if (!a.known && e->op == LANG_OP_NEG && is_int(e->type))
            return bounded((sir_interval){-rates_interval(a).hi, -rates_interval(a).lo});
        return a.known && sir_eval_unary((lang_unary_op)e->op, e->type, a.v, &v) ? known(v, a.literal) : unknown;
    case SIR_BINARY: return eval_binary(r, e);
    case SIR_SELECT: return eval_select(r, e);
    case SIR_CONVERT:
        a = rates_eval(r, e->u.arg[0]);
        if (!a.known && is_int(e->type) && is_int(e->u.arg[0]->type))
            return a;
        return a.known ? known(sir_eval_convert(e->u.arg[0]->type, e->type, a.v), a.literal) : unknown;
    case SIR_MATH: return eval_math(r, e);
    case SIR_PEEK: return eval_peek(r, e);
    case SIR_ITER: return unknown;
    case SIR_MAKE_COMPLEX:
        rates_eval(r, e->u.arg[0]);
        rates_eval(r, e->u.arg[1]);
        return unknown;
    case SIR_FETCH:
        for (size_t i = 0; i < sir_expr_arity(e); i++)
            rates_eval(r, e->u.arg[i]);
        return unknown;
    }
    return unknown;
}

// ---- What a condition tells ----

static lang_binary_op negated(lang_binary_op op)
{
    switch (op) {
    case LANG_OP_LT: return LANG_OP_GE;
    case LANG_OP_LE: return LANG_OP_GT;
    case LANG_OP_GT: return LANG_OP_LE;
    case LANG_OP_GE: return LANG_OP_LT;
    case LANG_OP_EQ: return LANG_OP_NE;
    default: return LANG_OP_EQ;
    }
}

// The operation with its operands exchanged.
static lang_binary_op mirrored(lang_binary_op op)
{
    switch (op) {
    case LANG_OP_LT: return LANG_OP_GT;
    case LANG_OP_LE: return LANG_OP_GE;
    case LANG_OP_GT: return LANG_OP_LT;
    case LANG_OP_GE: return LANG_OP_LE;
    default: return op;
    }
}

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t greater(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

// "e op other" holds, e being a local whose value is not known.
static void learn(rates_run *r, const sir_expr *e, lang_binary_op op, sir_interval other)
{
    if (e->kind != SIR_LOCAL || r->slot[e->index] == SIR_NONE || !is_int(e->type))
        return;
    rates_value v = rates_local(r, r->slot[e->index]);
    sir_interval i = rates_interval(v);
    if (v.known)
        return;
    switch (op) {
    case LANG_OP_LT: i.hi = lesser(i.hi, other.hi - 1); break;
    case LANG_OP_LE: i.hi = lesser(i.hi, other.hi); break;
    case LANG_OP_GT: i.lo = greater(i.lo, other.lo + 1); break;
    case LANG_OP_GE: i.lo = greater(i.lo, other.lo); break;
    case LANG_OP_EQ: i = (sir_interval){greater(i.lo, other.lo), lesser(i.hi, other.hi)}; break;
    default: break;
    }
    if (i.lo <= i.hi) // else it does not come to this
        *rates_set_local(r, r->slot[e->index]) = bounded(i);
}

static bool is_comparison(int op)
{
    return op == LANG_OP_LT || op == LANG_OP_LE || op == LANG_OP_GT || op == LANG_OP_GE || op == LANG_OP_EQ ||
           op == LANG_OP_NE;
}

void rates_learn(rates_run *r, sir_expr *cond, bool holds)
{
    if (cond->kind == SIR_UNARY && cond->op == LANG_OP_NOT) {
        rates_learn(r, cond->u.arg[0], !holds);
        return;
    }
    if (cond->kind != SIR_BINARY)
        return;
    sir_expr *a = cond->u.arg[0], *b = cond->u.arg[1];
    if (cond->op == (holds ? LANG_OP_LAND : LANG_OP_LOR)) {
        rates_learn(r, a, holds);
        rates_learn(r, b, holds);
    }
    if (!is_comparison(cond->op) || !is_int(a->type) || (a->kind != SIR_LOCAL && b->kind != SIR_LOCAL))
        return;
    lang_binary_op op = holds ? (lang_binary_op)cond->op : negated((lang_binary_op)cond->op);
    sir_interval of_a = rates_interval(rates_eval(r, a)), of_b = rates_interval(rates_eval(r, b));
    learn(r, a, op, of_b);
    learn(r, b, mirrored(op), of_a);
}
