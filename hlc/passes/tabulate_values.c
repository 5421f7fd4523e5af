// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of expressions, by the run time's own arithmetic: elements of the tables of the pass 'tabulate'.
#include <string.h>

#include "hlc/passes/tabulate_int.h"

int64_t tab_offset(const tab_values *t, const sir_expr *e)
{
    if (e->kind != SIR_INDEX && e->kind != SIR_MEMBER)
        return 0;
    const sir_type *base = e->u.arg[0]->type;
    int64_t at = tab_offset(t, e->u.arg[0]);
    if (at < 0)
        return -1;
    if (e->kind == SIR_INDEX) {
        sir_scalar i;
        if (!tab_compute(t, e->u.arg[1], &i) || i.i < 0 || (uint32_t)i.i >= base->length)
            return -1;
        return at + (int64_t)base->element->words * i.i;
    }
    for (uint32_t i = 0; base->kind == SIR_STRUCT && i < e->index; i++)
        at += (int64_t)base->decl->members.data[i].type->words;
    return at;
}

static bool compute_element(const tab_values *t, const sir_expr *e, sir_scalar *r)
{
    const sir_value *v = sir_constant_value(t->m, t->filter, sir_lvalue_root((sir_expr *)(uintptr_t)e));
    int64_t at = v == NULL ? -1 : tab_offset(t, e);
    if (at < 0)
        return false;
    memset(r, 0, sizeof *r);
    sir_scalar s = v->zero ? *r : v->data[at];
    if (e->kind == SIR_MEMBER && e->u.arg[0]->type->kind == SIR_COMPLEX)
        r->f = e->index == 0 ? s.c.re : s.c.im;
    else
        *r = s;
    return true;
}

static bool compute_binary(const tab_values *t, const sir_expr *e, sir_scalar *r)
{
    sir_scalar a, b;
    if (!tab_compute(t, e->u.arg[0], &a))
        return false;
    bool decided = (e->op == LANG_OP_LAND && a.i == 0) || (e->op == LANG_OP_LOR && a.i != 0);
    if (e->op == LANG_OP_LAND || e->op == LANG_OP_LOR) {
        *r = a;
        return decided || tab_compute(t, e->u.arg[1], r);
    }
    return tab_compute(t, e->u.arg[1], &b) && sir_eval_binary((lang_binary_op)e->op, e->u.arg[0]->type, a, b, r);
}

bool tab_compute(const tab_values *t, const sir_expr *e, sir_scalar *r)
{
    sir_scalar a, b = {0};
    if (t->given(t->context, e, r))
        return true;
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: *r = e->u.value; return true;
    case SIR_FIELD:
    case SIR_GLOBAL:
    case SIR_INDEX: return compute_element(t, e, r);
    case SIR_MEMBER:
        if (sir_lvalue_root((sir_expr *)(uintptr_t)e) != NULL)
            return compute_element(t, e, r);
        if (!tab_compute(t, e->u.arg[0], &a))
            return false;
        *r = (sir_scalar){.f = e->index == 0 ? a.c.re : a.c.im};
        return true;
    case SIR_UNARY:
        return tab_compute(t, e->u.arg[0], &a) && sir_eval_unary((lang_unary_op)e->op, e->u.arg[0]->type, a, r);
    case SIR_BINARY: return compute_binary(t, e, r);
    case SIR_SELECT: return tab_compute(t, e->u.arg[0], &a) && tab_compute(t, e->u.arg[a.i != 0 ? 1 : 2], r);
    case SIR_CONVERT:
        if (!tab_compute(t, e->u.arg[0], &a))
            return false;
        *r = sir_eval_convert(e->u.arg[0]->type, e->type, a);
        return true;
    case SIR_MATH:
        return tab_compute(t, e->u.arg[0], &a) && (sir_expr_arity(e) < 2 || tab_compute(t, e->u.arg[1], &b)) &&
               sir_eval_math((lang_math_op)e->op, e->u.arg[0]->type, a, b, r);
    case SIR_MAKE_COMPLEX:
        if (!tab_compute(t, e->u.arg[0], &a) || !tab_compute(t, e->u.arg[1], &b))
            return false;
        *r = (sir_scalar){.c = {a.f, b.f}};
        return true;
    case SIR_LOCAL:
    case SIR_PEEK:
    case SIR_FETCH:
    case SIR_ITER: break;
    }
    return false;
}
