// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Canonicalize: constants, identities that are exact, and sums in subscripts and peek offsets.
#include <math.h>
#include <string.h>

#include "hlc/ir/ops.h"
#include "hlc/ir/type_rules.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/canonicalize_int.h"
#include "support/numbers.h"

static sir_expr *constant(canon *c, const sir_expr *at, const sir_type *t, sir_scalar v)
{
    return sir_const(c->m, t, v, at->loc);
}

static sir_expr *boolean(canon *c, const sir_expr *at, bool v)
{
    return sir_const_bool(c->m, v, at->loc);
}

// ---- Reading constant fields and globals ----

typedef struct memory {
    const sir_value *value; // NULL: not constant
    uint64_t offset;
} memory;

static memory find_memory(const canon *c, const sir_expr *e)
{
    const memory none = {0};
    if (e->kind == SIR_GLOBAL)
        return (memory){.value = &c->m->globals.data[e->index].value};
    if (e->kind == SIR_FIELD) {
        const sir_field *f = &c->filter->fields.data[e->index];
        return f->constant ? (memory){.value = &f->init} : none;
    }
    if (e->kind != SIR_INDEX && e->kind != SIR_MEMBER)
        return none;
    const sir_expr *base = e->u.arg[0];
    memory at = find_memory(c, base);
    if (at.value == NULL)
        return none;
    if (e->kind == SIR_MEMBER) {
        if (base->type->kind != SIR_STRUCT)
            return none;
        for (uint32_t i = 0; i < e->index; i++)
            at.offset += base->type->decl->members.data[i].type->words;
        return at;
    }
    const sir_expr *index = e->u.arg[1];
    if (!canon_is_const(index) || index->u.value.i < 0 || (uint32_t)index->u.value.i >= base->type->length)
        return none;
    at.offset += (uint64_t)index->u.value.i * e->type->words;
    return at;
}

static sir_expr *fold_memory(canon *c, sir_expr *e)
{
    if (!sir_is_scalar(e->type))
        return e;
    memory at = find_memory(c, e);
    if (at.value == NULL)
        return e;
    sir_scalar v;
    memset(&v, 0, sizeof v);
    return constant(c, e, e->type, at.value->zero ? v : at.value->data[at.offset]);
}

// ---- Unary ----

static int opposite(lang_binary_op op, bool integer)
{
    switch (op) {
    case LANG_OP_EQ: return LANG_OP_NE;
    case LANG_OP_NE: return LANG_OP_EQ;
    case LANG_OP_LT: return integer ? LANG_OP_GE : -1; // with a NaN both are false
    case LANG_OP_LE: return integer ? LANG_OP_GT : -1;
    case LANG_OP_GT: return integer ? LANG_OP_LE : -1;
    case LANG_OP_GE: return integer ? LANG_OP_LT : -1;
    default: return -1;
    }
}

static sir_expr *fold_unary(canon *c, sir_expr *e)
{
    sir_expr *a = e->u.arg[0];
    sir_scalar v;
    if (canon_is_const(a) && sir_eval_unary((lang_unary_op)e->op, e->type, a->u.value, &v))
        return constant(c, e, e->type, v);
    if (a->kind == SIR_UNARY && a->op == e->op)
        return a->u.arg[0]; // --x, !!x, ~~x
    if (e->op == LANG_OP_NOT && a->kind == SIR_BINARY) {
        int op = opposite((lang_binary_op)a->op, sir_is_integer(a->u.arg[0]->type));
        if (op >= 0)
            return sir_expr2(c->m, SIR_BINARY, op, e->type, a->u.arg[0], a->u.arg[1], a->loc);
    }
    return e;
}

// ---- Binary ----

static bool is_float_value(const sir_expr *e, double v)
{
    if (!canon_is_const(e))
        return false;
    double is = e->type->kind == SIR_FLOAT    ? (double)e->u.value.f
                : e->type->kind == SIR_DOUBLE ? e->u.value.d
                                              : (double)NAN;
    return is == v && !signbit(is) == !signbit(v);
}

// x + -0, x - 0, x * 1, x / 1: x, whatever x is; not so x + 0 and x * 0.
static sir_expr *fold_real(sir_expr *e)
{
    sir_expr *a = e->u.arg[0], *b = e->u.arg[1];
    switch (e->op) {
    case LANG_OP_ADD: return is_float_value(b, -0.0) ? a : is_float_value(a, -0.0) ? b : e;
    case LANG_OP_SUB: return is_float_value(b, 0.0) ? a : e;
    case LANG_OP_MUL: return is_float_value(b, 1.0) ? a : is_float_value(a, 1.0) ? b : e;
    case LANG_OP_DIV: return is_float_value(b, 1.0) ? a : e;
    default: return e;
    }
}

// An integer as base + offset.
static sir_expr *split_offset(sir_expr *e, uint32_t *offset)
{
    *offset = 0;
    if (e->kind != SIR_BINARY || (e->op != LANG_OP_ADD && e->op != LANG_OP_SUB))
        return e;
    bool add = e->op == LANG_OP_ADD;
    if (canon_is_const(e->u.arg[1])) {
        *offset = add ? (uint32_t)e->u.arg[1]->u.value.i : -(uint32_t)e->u.arg[1]->u.value.i;
        return e->u.arg[0];
    }
    if (add && canon_is_const(e->u.arg[0])) {
        *offset = (uint32_t)e->u.arg[0]->u.value.i;
        return e->u.arg[1];
    }
    return e;
}

static sir_expr *add_offset(canon *c, sir_expr *base, uint32_t offset, sir_loc loc)
{
    if (offset == 0)
        return base;
    bool negative = (int32_t)offset < 0 && offset != UINT32_C(0x80000000);
    sir_scalar v;
    memset(&v, 0, sizeof v);
    v.i = (int32_t)(negative ? -offset : offset);
    sir_expr *k = sir_const(c->m, base->type, v, loc);
    return sir_expr2(c->m, SIR_BINARY, negative ? LANG_OP_SUB : LANG_OP_ADD, base->type, base, k, loc);
}

// (x + 1) + 2
static sir_expr *fold_offsets(canon *c, sir_expr *e)
{
    uint32_t outer, inner;
    sir_expr *a = split_offset(e, &outer);
    if (a == e)
        return e;
    sir_expr *base = split_offset(a, &inner);
    sir_expr *k = e->u.arg[1];
    bool plain = !canon_is_const(k) || k->u.value.i >= 0 || k->u.value.i == INT32_MIN; // not "x + -1"
    return base == a && outer != 0 && plain ? e : add_offset(c, base, outer + inner, e->loc);
}

static sir_expr *fold_integer(canon *c, sir_expr *e)
{
    sir_expr *a = e->u.arg[0], *b = e->u.arg[1];
    sir_scalar zero;
    memset(&zero, 0, sizeof zero);
    switch (e->op) {
    case LANG_OP_ADD:
    case LANG_OP_SUB:
        if (e->op == LANG_OP_SUB && sir_same_expr(a, b, false) && !canon_may_trap(c, a))
            return constant(c, e, e->type, zero);
        return fold_offsets(c, e);
    case LANG_OP_MUL:
        if (canon_is_int(b, 1))
            return a;
        if (canon_is_int(a, 1))
            return b;
        if ((canon_is_int(a, 0) && !canon_may_trap(c, b)) || (canon_is_int(b, 0) && !canon_may_trap(c, a)))
            return constant(c, e, e->type, zero);
        return e;
    case LANG_OP_DIV: return canon_is_int(b, 1) ? a : e;
    case LANG_OP_AND:
        if ((canon_is_int(a, 0) && !canon_may_trap(c, b)) || (canon_is_int(b, 0) && !canon_may_trap(c, a)))
            return constant(c, e, e->type, zero);
        return canon_is_int(b, -1) ? a : canon_is_int(a, -1) ? b : e;
    case LANG_OP_OR:
    case LANG_OP_XOR: return canon_is_int(b, 0) ? a : canon_is_int(a, 0) ? b : e;
    case LANG_OP_SHL:
    case LANG_OP_SHR: return canon_is_int(b, 0) ? a : e;
    default: return e;
    }
}

static sir_expr *fold_short(canon *c, sir_expr *e)
{
    sir_expr *a = e->u.arg[0], *b = e->u.arg[1];
    bool decides = e->op == LANG_OP_LOR; // the value that settles it
    if (canon_is_const(a))
        return (a->u.value.i != 0) == decides ? boolean(c, e, decides) : b;
    if (!canon_is_const(b))
        return e;
    if ((b->u.value.i != 0) != decides)
        return a;
    return canon_may_trap(c, a) ? e : boolean(c, e, decides);
}

static bool is_chosen_number(const sir_expr *e)
{
    return e->kind == SIR_SELECT && canon_is_const(e->u.arg[1]) && canon_is_const(e->u.arg[2]);
}

// An int as a float is the zero, or beside it, as the int is. And two choices of the same numbers are equal where what they
// are chosen by is.
static sir_expr *fold_comparison(canon *c, sir_expr *e)
{
    sir_expr *a = e->u.arg[0], *b = e->u.arg[1];
    const bool real = a->type->kind == SIR_FLOAT || a->type->kind == SIR_DOUBLE;
    if (!real)
        return e;
    if (a->kind == SIR_CONVERT && a->u.arg[0]->type->kind == SIR_INT && is_float_value(b, 0)) {
        sir_scalar zero;
        memset(&zero, 0, sizeof zero);
        e->u.arg[0] = a->u.arg[0];
        e->u.arg[1] = constant(c, b, a->u.arg[0]->type, zero);
        return e;
    }
    if ((e->op != LANG_OP_EQ && e->op != LANG_OP_NE) || !is_chosen_number(a) || !is_chosen_number(b))
        return e;
    sir_scalar differ, same_first, same_second;
    if (!sir_eval_binary(LANG_OP_NE, a->type, a->u.arg[1]->u.value, a->u.arg[2]->u.value, &differ) ||
        !sir_eval_binary(LANG_OP_EQ, a->type, a->u.arg[1]->u.value, b->u.arg[1]->u.value, &same_first) ||
        !sir_eval_binary(LANG_OP_EQ, a->type, a->u.arg[2]->u.value, b->u.arg[2]->u.value, &same_second) ||
        differ.i == 0 || same_first.i == 0 || same_second.i == 0)
        return e;
    e->u.arg[0] = a->u.arg[0];
    e->u.arg[1] = b->u.arg[0];
    return e;
}

static sir_expr *fold_binary(canon *c, sir_expr *e)
{
    sir_expr *a = e->u.arg[0], *b = e->u.arg[1];
    sir_scalar v;
    if (canon_is_const(a) && canon_is_const(b) &&
        sir_eval_binary((lang_binary_op)e->op, a->type, a->u.value, b->u.value, &v))
        return constant(c, e, e->type, v);
    if (e->op == LANG_OP_LAND || e->op == LANG_OP_LOR)
        return fold_short(c, e);
    if (e->type->kind == SIR_BOOLEAN)
        return fold_comparison(c, e);
    if (sir_is_integer(e->type))
        return fold_integer(c, e);
    if (e->type->kind == SIR_FLOAT || e->type->kind == SIR_DOUBLE)
        return fold_real(e);
    return e;
}

// ---- The others ----

static sir_expr *fold_select(canon *c, sir_expr *e)
{
    sir_expr *cond = e->u.arg[0], *a = e->u.arg[1], *b = e->u.arg[2];
    if (canon_is_const(cond))
        return cond->u.value.i != 0 ? a : b;
    if (sir_same_expr(a, b, false) && !canon_may_trap(c, cond))
        return a;
    if (e->type->kind == SIR_BOOLEAN && canon_is_const(a) && canon_is_const(b) && a->u.value.i != b->u.value.i)
        return a->u.value.i != 0 ? cond : canon_not(c, cond);
    if (cond->kind == SIR_UNARY && cond->op == LANG_OP_NOT) {
        e->u.arg[0] = cond->u.arg[0];
        e->u.arg[1] = b;
        e->u.arg[2] = a;
    }
    return e;
}

// Nodes of an int that is written twice to be compared and chosen.
enum { MOST_CHOSEN = 8 };

static bool divides(const sir_expr *e)
{
    bool any = e->kind == SIR_BINARY && (e->op == LANG_OP_DIV || e->op == LANG_OP_REM);
    for (size_t i = 0; i < sir_expr_arity(e) && !any; i++)
        any = divides(e->u.arg[i]);
    return any;
}

static sir_expr *choose_ints(canon *c, const sir_expr *e);

// The int that a float was made of, or a constant is; NULL: none, or a large one.
static sir_expr *int_of(canon *c, const sir_expr *e)
{
    if (e->kind == SIR_CONST && fabsf(e->u.value.f) < NUMBER_FLOAT_INTS && e->u.value.f == truncf(e->u.value.f))
        return sir_const_int(c->m, (int32_t)e->u.value.f, e->loc);
    if (sir_count_nodes_in(e) > MOST_CHOSEN || divides(e))
        return NULL;
    if (e->kind == SIR_CONVERT && e->u.arg[0]->type->kind == SIR_INT)
        return canon_may_trap(c, e) ? NULL : canon_copy(c, e->u.arg[0]);
    const sir_expr *chosen = choose_ints(c, e);
    return chosen == NULL ? NULL : chosen->u.arg[0];
}

// The lesser or greater of two ints, which max and min give as a float: chosen as ints. A float's order is that of the ints that it was
// made of, or it is the same for both.
static sir_expr *choose_ints(canon *c, const sir_expr *e)
{
    if (e->kind != SIR_MATH || (e->op != LANG_MATH_MIN && e->op != LANG_MATH_MAX) || e->type->kind != SIR_FLOAT)
        return NULL;
    sir_expr *a = int_of(c, e->u.arg[0]), *b = a == NULL ? NULL : int_of(c, e->u.arg[1]);
    if (b == NULL)
        return NULL;
    sir_expr *less = sir_expr2(c->m, SIR_BINARY, e->op == LANG_MATH_MIN ? LANG_OP_LT : LANG_OP_GT,
                               c->m->scalar[SIR_BOOLEAN], canon_copy(c, a), canon_copy(c, b), e->loc);
    sir_expr *chosen = sir_expr3(c->m, SIR_SELECT, a->type, canon_fold(c, less), a, b, e->loc);
    return sir_expr1(c->m, SIR_CONVERT, 0, e->type, canon_fold(c, chosen), e->loc);
}

static sir_expr *fold_convert(canon *c, sir_expr *e)
{
    sir_expr *a = e->u.arg[0], *chosen = e->type->kind == SIR_INT ? choose_ints(c, a) : NULL;
    if (chosen != NULL)
        e->u.arg[0] = a = chosen;
    if (a->type == e->type)
        return a;
    if (canon_is_const(a))
        return constant(c, e, e->type, sir_eval_convert(a->type, e->type, a->u.value));
    if (a->kind != SIR_CONVERT || a->u.arg[0]->type != e->type)
        return e;
    // There and back through a type that holds every value: float through double, int through bit and back.
    bool exact = (e->type->kind == SIR_FLOAT && a->type->kind == SIR_DOUBLE) ||
                 (e->type->kind == SIR_INT && (a->type->kind == SIR_DOUBLE || a->type->kind == SIR_BIT)) ||
                 (e->type->kind == SIR_BIT && (a->type->kind == SIR_DOUBLE || a->type->kind == SIR_INT));
    return exact ? a->u.arg[0] : e;
}

static sir_expr *fold_math(canon *c, sir_expr *e)
{
    sir_expr *a = e->u.arg[0], *b = sir_expr_arity(e) == 2 ? e->u.arg[1] : a;
    sir_scalar v;
    if (canon_is_const(a) && canon_is_const(b) &&
        sir_eval_math((lang_math_op)e->op, a->type, a->u.value, b->u.value, &v))
        return constant(c, e, e->type, v);
    return e;
}

static sir_expr *fold_member(canon *c, sir_expr *e)
{
    sir_expr *base = e->u.arg[0];
    if (base->type->kind != SIR_COMPLEX)
        return fold_memory(c, e);
    if (canon_is_const(base))
        return sir_const_float(c->m, e->index == 0 ? base->u.value.c.re : base->u.value.c.im, e->loc);
    if (base->kind == SIR_MAKE_COMPLEX && !canon_may_trap(c, base->u.arg[1 - e->index]))
        return base->u.arg[e->index];
    if (base->kind == SIR_CONVERT) {
        if (e->index == 0)
            return canon_fold(c, sir_expr1(c->m, SIR_CONVERT, 0, e->type, base->u.arg[0], e->loc));
        if (!canon_may_trap(c, base))
            return sir_const_float(c->m, 0, e->loc);
    }
    return e;
}

static sir_expr *fold_make_complex(canon *c, sir_expr *e)
{
    sir_expr *a = e->u.arg[0], *b = e->u.arg[1];
    if (!canon_is_const(a) || !canon_is_const(b))
        return e;
    sir_scalar v;
    memset(&v, 0, sizeof v);
    v.c.re = a->u.value.f;
    v.c.im = b->u.value.f;
    return constant(c, e, e->type, v);
}

// ---- Sums ----

// An integer as a sum of atoms with coefficients, modulo 2^32: exact, as arithmetic wraps.
enum { MOST_TERMS = 8, MOST_NODES = 64 };
typedef struct sum {
    struct {
        sir_expr *atom;
        uint32_t factor;
    } terms[MOST_TERMS];
    size_t count, nodes;
    uint32_t offset;
    bool failed;
} sum;

static void add_term(sum *s, sir_expr *atom, uint32_t factor)
{
    for (size_t i = 0; i < s->count; i++)
        if (sir_same_expr(s->terms[i].atom, atom, false)) {
            s->terms[i].factor += factor;
            return;
        }
    if (s->count == MOST_TERMS) {
        s->failed = true;
        return;
    }
    s->terms[s->count].atom = atom;
    s->terms[s->count++].factor = factor;
}

static void add_sum(sum *s, sir_expr *e, uint32_t factor)
{
    if (++s->nodes > MOST_NODES || s->failed) {
        s->failed = true;
    } else if (canon_is_const(e)) {
        s->offset += factor * (uint32_t)e->u.value.i;
    } else if (e->kind == SIR_BINARY && (e->op == LANG_OP_ADD || e->op == LANG_OP_SUB)) {
        add_sum(s, e->u.arg[0], factor);
        add_sum(s, e->u.arg[1], e->op == LANG_OP_ADD ? factor : -factor);
    } else if (e->kind == SIR_BINARY && e->op == LANG_OP_MUL && canon_is_const(e->u.arg[1])) {
        s->nodes++;
        add_sum(s, e->u.arg[0], factor * (uint32_t)e->u.arg[1]->u.value.i);
    } else if (e->kind == SIR_BINARY && e->op == LANG_OP_MUL && canon_is_const(e->u.arg[0])) {
        s->nodes++;
        add_sum(s, e->u.arg[1], factor * (uint32_t)e->u.arg[0]->u.value.i);
    } else if (e->kind == SIR_UNARY && e->op == LANG_OP_NEG) {
        add_sum(s, e->u.arg[0], -factor);
    } else {
        add_term(s, e, factor);
    }
}

static sir_expr *int_const(canon *c, const sir_type *t, uint32_t v, sir_loc loc)
{
    sir_scalar k;
    memset(&k, 0, sizeof k);
    k.i = (int32_t)v;
    return sir_const(c->m, t, k, loc);
}

static sir_expr *build_sum(canon *c, const sum *s, const sir_expr *at)
{
    sir_expr *e = NULL;
    // Positive terms first, so that the sum begins without a minus where it can.
    for (int negative = 0; negative < 2; negative++)
        for (size_t i = 0; i < s->count; i++) {
            uint32_t factor = s->terms[i].factor;
            if (factor == 0 || ((int32_t)factor < 0) != negative)
                continue;
            uint32_t size = negative && e != NULL ? -factor : factor;
            sir_expr *atom = s->terms[i].atom;
            sir_expr *term = atom;
            if (size != 1)
                term = sir_expr2(c->m, SIR_BINARY, LANG_OP_MUL, at->type, atom, int_const(c, at->type, size, at->loc),
                                 at->loc);
            int op = negative ? LANG_OP_SUB : LANG_OP_ADD;
            e = e == NULL ? term : sir_expr2(c->m, SIR_BINARY, op, at->type, e, term, at->loc);
        }
    return e == NULL ? int_const(c, at->type, s->offset, at->loc) : add_offset(c, e, s->offset, at->loc);
}

static bool is_sum(const sir_expr *e)
{
    return e->kind == SIR_BINARY && (e->op == LANG_OP_ADD || e->op == LANG_OP_SUB || e->op == LANG_OP_MUL);
}

// A subscript or peek offset as a sum in which every atom occurs once, where that makes it smaller.
sir_expr *canon_fold_sum(canon *c, sir_expr *e)
{
    if (!is_sum(e) || canon_may_trap(c, e))
        return e;
    sum s = {0};
    add_sum(&s, e, 1);
    if (s.failed)
        return e;
    sir_expr *better = build_sum(c, &s, e);
    return sir_count_nodes_in(better) < sir_count_nodes_in(e) ? better : e;
}

static sir_expr *fold_one(canon *c, sir_expr *e)
{
    switch ((sir_expr_kind)e->kind) {
    case SIR_FIELD: return fold_memory(c, e);
    case SIR_INDEX: e->u.arg[1] = canon_fold_sum(c, e->u.arg[1]); return fold_memory(c, e);
    case SIR_MEMBER: return fold_member(c, e);
    case SIR_UNARY: return fold_unary(c, e);
    case SIR_BINARY: return fold_binary(c, e);
    case SIR_SELECT: return fold_select(c, e);
    case SIR_CONVERT: return fold_convert(c, e);
    case SIR_MATH: return fold_math(c, e);
    case SIR_PEEK: e->u.arg[0] = canon_fold_sum(c, e->u.arg[0]); return e;
    case SIR_MAKE_COMPLEX: return fold_make_complex(c, e);
    default: return e;
    }
}

sir_expr *canon_fold(canon *c, sir_expr *e)
{
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++)
        e->u.arg[i] = canon_fold(c, e->u.arg[i]);
    return fold_one(c, e);
}
