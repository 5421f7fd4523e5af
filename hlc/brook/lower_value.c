// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on values: conversions between element types, operations on one component.
#include "hlc/brook/lower.h"

#include <math.h>

// ---- Nodes ----

sir_expr *brook_copy(brook_lowering *L, const sir_expr *e)
{
    sir_expr *copy = ARENA_NEW(L->m->arena, sir_expr);
    *copy = *e;
    L->nodes++;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        copy->u.arg[i] = brook_copy(L, e->u.arg[i]);
    return copy;
}

bool brook_is_simple(const sir_expr *e)
{
    while (e->kind == SIR_MEMBER || e->kind == SIR_CONVERT)
        e = e->u.arg[0];
    return e->kind == SIR_CONST || e->kind == SIR_LOCAL || e->kind == SIR_FIELD;
}

sir_expr *brook_temp(brook_lowering *L, sir_expr *init, sir_loc loc)
{
    uint32_t local = sir_local_new(L->m, L->fn, "t", init->type, loc);
    sir_stmt *s = sir_stmt_new(L->m, SIR_DECL, loc);
    s->u.decl.local = local;
    s->u.decl.init = init;
    brook_emit(L, s);
    return sir_ref(L->m, SIR_LOCAL, local, init->type, loc);
}

static uint8_t part_count(const brook_value *v)
{
    return v->type.element == BROOK_VOID ? 0 : v->type.width;
}

brook_value brook_keep(brook_lowering *L, brook_value v, sir_loc loc)
{
    for (uint8_t i = 0; i < part_count(&v); i++)
        if (!brook_is_simple(v.part[i]))
            v.part[i] = brook_temp(L, v.part[i], loc);
    return v;
}

brook_value brook_save(brook_lowering *L, brook_value v, sir_loc loc)
{
    for (uint8_t i = 0; i < part_count(&v); i++)
        if (v.part[i]->kind != SIR_CONST)
            v.part[i] = brook_temp(L, v.part[i], loc);
    return v;
}

brook_value brook_copy_value(brook_lowering *L, brook_value v)
{
    for (uint8_t i = 0; i < part_count(&v); i++)
        v.part[i] = brook_copy(L, v.part[i]);
    return v;
}

sir_expr *brook_const(brook_lowering *L, brook_element e, double v, sir_loc loc)
{
    const sir_type *t = brook_scalar_type(L, e);
    sir_scalar value = {.d = v};
    if (t->kind == SIR_FLOAT)
        value = (sir_scalar){.f = (float)v};
    else if (t->kind == SIR_INT)
        value = sir_eval_convert(L->m->scalar[SIR_DOUBLE], t, value);
    return sir_const(L->m, t, value, loc);
}

sir_expr *brook_float(brook_lowering *L, float v, sir_loc loc)
{
    return sir_const_float(L->m, v, loc);
}

sir_expr *brook_math1(brook_lowering *L, lang_math_op op, sir_expr *a)
{
    return sir_expr1(L->m, SIR_MATH, op, a->type, a, a->loc);
}

sir_expr *brook_math2(brook_lowering *L, lang_math_op op, sir_expr *a, sir_expr *b)
{
    return sir_expr2(L->m, SIR_MATH, op, a->type, a, b, a->loc);
}

static bool is_comparison(int op)
{
    return op == LANG_OP_EQ || op == LANG_OP_NE || op == LANG_OP_LT || op == LANG_OP_LE || op == LANG_OP_GT ||
           op == LANG_OP_GE;
}

sir_expr *brook_op(brook_lowering *L, lang_binary_op op, sir_expr *a, sir_expr *b)
{
    const sir_type *t = is_comparison((int)op) ? L->m->scalar[SIR_BOOLEAN] : a->type;
    L->nodes++;
    return sir_expr2(L->m, SIR_BINARY, op, t, a, b, a->loc);
}

sir_expr *brook_select(brook_lowering *L, sir_expr *c, sir_expr *a, sir_expr *b)
{
    return sir_expr3(L->m, SIR_SELECT, a->type, c, a, b, c->loc);
}

static sir_expr *sir_to(brook_lowering *L, sir_expr *e, sir_type_kind kind)
{
    const sir_type *t = L->m->scalar[kind];
    return e->type == t ? e : sir_expr1(L->m, SIR_CONVERT, 0, t, e, e->loc);
}

static sir_expr *integer(brook_lowering *L, int32_t v, sir_loc loc)
{
    return sir_const_int(L->m, v, loc);
}

// ---- Conversions ----

// An int to the 8 bits of a char, or the 32 of an unsigned int (which are the int's).
static sir_expr *wrap(brook_lowering *L, sir_expr *e, brook_element to)
{
    if (to == BROOK_UCHAR)
        return brook_op(L, LANG_OP_AND, e, integer(L, 255, e->loc));
    if (to == BROOK_CHAR)
        return brook_op(L, LANG_OP_SHR, brook_op(L, LANG_OP_SHL, e, integer(L, 24, e->loc)), integer(L, 24, e->loc));
    return e;
}

// The number that an unsigned int's bits mean.
static sir_expr *unsigned_value(brook_lowering *L, sir_expr *e, sir_loc loc)
{
    sir_expr *kept = brook_is_simple(e) ? e : brook_temp(L, e, loc);
    sir_expr *negative = brook_op(L, LANG_OP_LT, brook_copy(L, kept), integer(L, 0, loc));
    sir_expr *value = sir_to(L, kept, SIR_DOUBLE);
    sir_expr *above = brook_op(L, LANG_OP_ADD, brook_copy(L, value), brook_const(L, BROOK_DOUBLE, 4294967296.0, loc));
    return brook_select(L, negative, above, value);
}

// The bits of a real number as an unsigned int, which it is cut to.
static sir_expr *unsigned_bits(brook_lowering *L, sir_expr *e, sir_loc loc)
{
    sir_expr *d = brook_temp(L, sir_to(L, e, SIR_DOUBLE), loc);
    sir_expr *large = brook_op(L, LANG_OP_GE, brook_copy(L, d), brook_const(L, BROOK_DOUBLE, 2147483648.0, loc));
    sir_expr *low = brook_op(L, LANG_OP_SUB, brook_copy(L, d), brook_const(L, BROOK_DOUBLE, 4294967296.0, loc));
    sir_expr *shifted = sir_to(L, low, SIR_INT);
    return brook_select(L, large, shifted, sir_to(L, d, SIR_INT));
}

sir_expr *brook_convert_part(brook_lowering *L, sir_expr *e, brook_element from, brook_element to, sir_loc loc)
{
    if (from == to)
        return e;
    const sir_type *t = brook_scalar_type(L, to);
    bool whole = t->kind == SIR_INT;
    if (e->kind == SIR_CONST && !whole && from != BROOK_UINT)
        return sir_const(L->m, t, sir_eval_convert(e->type, t, e->u.value), e->loc);
    if (from == BROOK_UINT && !whole)
        return sir_to(L, unsigned_value(L, e, loc), t->kind);
    if (to == BROOK_UINT && e->type->kind != SIR_INT)
        return unsigned_bits(L, e, loc);
    sir_expr *converted = sir_to(L, e, t->kind);
    bool inside = (to == BROOK_UCHAR && from == BROOK_UCHAR) || (to == BROOK_CHAR && from == BROOK_CHAR);
    return inside ? converted : wrap(L, converted, to);
}

brook_value brook_convert(brook_lowering *L, brook_value v, brook_type to, sir_loc loc)
{
    if (to.element == BROOK_STRUCT || to.element == BROOK_VOID)
        return v;
    if (to.width > v.type.width)
        v.part[v.type.width - 1] = brook_is_simple(v.part[v.type.width - 1])
                                       ? v.part[v.type.width - 1]
                                       : brook_temp(L, v.part[v.type.width - 1], loc);
    brook_value r = {.type = to};
    for (uint8_t i = 0; i < to.width; i++) {
        sir_expr *part = i < v.type.width ? v.part[i] : brook_copy(L, v.part[v.type.width - 1]);
        if (i < v.type.width && i + 1 == v.type.width && to.width > v.type.width)
            part = brook_copy(L, part); // the original is copied again
        r.part[i] = brook_convert_part(L, part, v.type.element, to.element, loc);
    }
    return r;
}

// ---- Operations ----

sir_expr *brook_flag(brook_lowering *L, sir_expr *boolean, sir_loc loc)
{
    return brook_select(L, boolean, brook_float(L, 1, loc), brook_float(L, 0, loc));
}

sir_expr *brook_is_true(brook_lowering *L, sir_expr *e, brook_element of, sir_loc loc)
{
    // 0 or 1 of a comparison is asked for the comparison itself.
    if (e->kind == SIR_SELECT && e->u.arg[1]->kind == SIR_CONST && e->u.arg[2]->kind == SIR_CONST &&
        e->type->kind == SIR_FLOAT && e->u.arg[1]->u.value.f == 1 && e->u.arg[2]->u.value.f == 0)
        return e->u.arg[0];
    return brook_op(L, LANG_OP_NE, e, brook_const(L, of, 0, loc));
}

sir_expr *brook_compare_part(brook_lowering *L, int op, brook_element e, sir_expr *a, sir_expr *b, sir_loc loc)
{
    if (e == BROOK_UINT && op != LANG_OP_EQ && op != LANG_OP_NE) {
        a = unsigned_value(L, a, loc);
        b = unsigned_value(L, b, loc);
    }
    sir_expr *r = brook_op(L, (lang_binary_op)op, a, b);
    r->loc = loc;
    return r;
}

// Quotient or remainder of unsigned ints, by doubles, which are exact there; the divisor 0 stops the program as an int's.
static sir_expr *divide_unsigned(brook_lowering *L, int op, sir_expr *a, sir_expr *b, sir_loc loc)
{
    sir_expr *x = brook_temp(L, unsigned_value(L, a, loc), loc);
    sir_expr *y = brook_temp(L, unsigned_value(L, b, loc), loc);
    sir_expr *q = brook_math1(L, LANG_MATH_FLOOR, brook_op(L, LANG_OP_DIV, x, y));
    if (op == LANG_OP_REM)
        q = brook_op(L, LANG_OP_SUB, brook_copy(L, x), brook_op(L, LANG_OP_MUL, q, brook_copy(L, y)));
    return unsigned_bits(L, q, loc);
}

sir_expr *brook_binary_part(brook_lowering *L, int op, brook_element e, sir_expr *a, sir_expr *b, sir_loc loc)
{
    if (e == BROOK_UINT && (op == LANG_OP_DIV || op == LANG_OP_REM))
        return divide_unsigned(L, op, a, b, loc);
    if (e == BROOK_UINT && op == LANG_OP_SHR) { // logical: what comes in from above is cleared
        sir_expr *n = brook_temp(L, brook_op(L, LANG_OP_AND, b, integer(L, 31, loc)), loc);
        sir_expr *mask = brook_op(L, LANG_OP_SHL, integer(L, -2, loc),
                                  brook_op(L, LANG_OP_SUB, integer(L, 31, loc), brook_copy(L, n)));
        mask = sir_expr1(L->m, SIR_UNARY, LANG_OP_COMPL, mask->type, mask, loc);
        return brook_op(L, LANG_OP_AND, brook_op(L, LANG_OP_SHR, a, n), mask);
    }
    sir_expr *r = brook_op(L, (lang_binary_op)op, a, b);
    r->loc = loc;
    return wrap(L, r, e);
}
