// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rotations by counts that are not known. A language without shifts that fill with zeros has them as
//
//     n == 0 ? x : (x << n) | ((x >> (32 - n)) & ((1 << n) - 1))   ->   svm_rotl(x, n)
//
// with or without the choice: counts are taken modulo 32, so that for 0 and 32 the right operand is 0, and the left one x. C
// compilers see through this only where n is a constant.
#include "hlc/emit/body_int.h"

static bool is_int_const(const sir_expr *e, int64_t value)
{
    return e->kind == SIR_CONST && e->type->kind == SIR_INT && body_const_int(e) == value;
}

static bool is_binary(const sir_expr *e, lang_binary_op op)
{
    return e->kind == SIR_BINARY && e->op == op && e->type->kind == SIR_INT;
}

static bool same_local(const sir_expr *a, const sir_expr *b)
{
    return a->kind == SIR_LOCAL && b->kind == SIR_LOCAL && a->index == b->index;
}

// 32 - n
static const sir_expr *less_than_word(const sir_expr *e)
{
    return is_binary(e, LANG_OP_SUB) && is_int_const(e->u.arg[0], 32) ? e->u.arg[1] : e;
}

// Whether the counts are n and 32 - n, either of them a local.
static bool are_counts(const sir_expr *left, const sir_expr *right)
{
    return same_local(left, less_than_word(right)) != same_local(less_than_word(left), right);
}

static bool same_count(const sir_expr *a, const sir_expr *b)
{
    return same_local(a, b) ||
           (less_than_word(a) != a && less_than_word(b) != b && same_local(less_than_word(a), less_than_word(b)));
}

// (1 << n) - 1
static const sir_expr *mask_count(const sir_expr *e)
{
    const sir_expr *power = NULL;
    if (is_binary(e, LANG_OP_SUB) && is_int_const(e->u.arg[1], 1))
        power = e->u.arg[0];
    else if (is_binary(e, LANG_OP_ADD) && is_int_const(e->u.arg[1], -1))
        power = e->u.arg[0];
    return power != NULL && is_binary(power, LANG_OP_SHL) && is_int_const(power->u.arg[0], 1) ? power->u.arg[1] : NULL;
}

// Whether it is ((x >> (32 - n)) & ((1 << n) - 1)), of the x << n.
static bool is_other_part(const sir_expr *left, const sir_expr *e)
{
    if (!is_binary(left, LANG_OP_SHL) || !is_binary(e, LANG_OP_AND))
        return false;
    const bool first = is_binary(e->u.arg[0], LANG_OP_SHR);
    const sir_expr *shifted = e->u.arg[first ? 0 : 1], *count = mask_count(e->u.arg[first ? 1 : 0]);
    return is_binary(shifted, LANG_OP_SHR) && count != NULL && same_local(left->u.arg[0], shifted->u.arg[0]) &&
           same_count(left->u.arg[1], count) && are_counts(left->u.arg[1], shifted->u.arg[1]);
}

// What is shifted to the left by the count, if the sum is the rotation of it; else NULL.
static const sir_expr *shift_of(const sir_expr *e)
{
    if (!is_binary(e, LANG_OP_OR) && !is_binary(e, LANG_OP_XOR) && !is_binary(e, LANG_OP_ADD))
        return NULL;
    const sir_expr *a = e->u.arg[0], *b = e->u.arg[1];
    return is_other_part(a, b) ? a : is_other_part(b, a) ? b : NULL;
}

bool body_is_rotation(const body_context *c, const sir_expr *e, const sir_expr **x, const sir_expr **n)
{
    const bool chosen = e->kind == SIR_SELECT;
    const sir_expr *shift = c->e->cached && !c->e->keep_names ? shift_of(chosen ? e->u.arg[2] : e) : NULL;
    if (shift == NULL)
        return false;
    *x = shift->u.arg[0];
    *n = shift->u.arg[1];
    const sir_expr *cond = e->u.arg[0];
    return !chosen ||
           (cond->kind == SIR_BINARY && cond->op == LANG_OP_EQ && same_local(cond->u.arg[0], less_than_word(*n)) &&
            is_int_const(cond->u.arg[1], 0) && same_local(e->u.arg[1], *x));
}
