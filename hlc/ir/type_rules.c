// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The type that each operation gives.
#include "hlc/ir/type_rules.h"

#include "hlc/ir/ops.h"

bool sir_is_integer(const sir_type *t)
{
    return t->kind == SIR_INT || t->kind == SIR_BIT;
}

bool sir_is_real(const sir_type *t)
{
    return sir_is_integer(t) || t->kind == SIR_FLOAT || t->kind == SIR_DOUBLE;
}

bool sir_is_number(const sir_type *t)
{
    return sir_is_real(t) || t->kind == SIR_COMPLEX;
}

bool sir_is_scalar(const sir_type *t)
{
    return t->kind == SIR_BOOLEAN || sir_is_number(t);
}

bool sir_is_aggregate(const sir_type *t)
{
    return t->kind == SIR_ARRAY || t->kind == SIR_STRUCT;
}

const sir_type *sir_unary_type(lang_unary_op op, const sir_type *a)
{
    switch (op) {
    case LANG_OP_NEG: return sir_is_number(a) ? a : NULL;
    case LANG_OP_NOT: return a->kind == SIR_BOOLEAN ? a : NULL;
    case LANG_OP_COMPL: return sir_is_integer(a) ? a : NULL;
    case LANG_UNARY_COUNT: break;
    }
    return NULL;
}

const sir_type *sir_binary_type(const sir_module *m, lang_binary_op op, const sir_type *a, const sir_type *b)
{
    const sir_type *boolean = m->scalar[SIR_BOOLEAN];
    sir_op_class class = sir_binary_ops[op].class;
    if (class == SIR_OP_SHIFT)
        return sir_is_integer(a) && sir_is_integer(b) ? a : NULL;
    if (a != b)
        return NULL;
    switch (class) {
    case SIR_OP_ARITH: return sir_is_number(a) ? a : NULL;
    case SIR_OP_INTEGER: return sir_is_integer(a) ? a : NULL;
    case SIR_OP_LOGIC: return sir_is_integer(a) || a == boolean ? a : NULL;
    case SIR_OP_COMPARE: return sir_is_real(a) ? boolean : NULL;
    case SIR_OP_EQUAL: return sir_is_scalar(a) ? boolean : NULL;
    case SIR_OP_SHORT: return a == boolean ? boolean : NULL;
    case SIR_OP_SHIFT: break;
    }
    return NULL;
}

const sir_type *sir_math_type(const sir_module *m, lang_math_op op, const sir_type *a, const sir_type *b)
{
    const sir_math_info *info = &sir_math_ops[op];
    if (info->arity == 2 && a != b)
        return NULL;
    if (a->kind == SIR_COMPLEX) {
        bool real = op == LANG_MATH_ARG || op == LANG_MATH_ABS;
        return !info->complex ? NULL : real ? m->scalar[SIR_FLOAT] : a;
    }
    bool only_complex = op == LANG_MATH_ARG || op == LANG_MATH_CSQRT;
    return !only_complex && (a->kind == SIR_FLOAT || a->kind == SIR_DOUBLE) ? a : NULL;
}

bool sir_converts(const sir_type *from, const sir_type *to)
{
    return sir_is_number(to) && (sir_is_real(from) || (from->kind == SIR_COMPLEX && to == from));
}
