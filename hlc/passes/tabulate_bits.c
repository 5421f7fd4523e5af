// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bits that the values of a function's locals may have, for the tables of the pass 'tabulate'. They are found by following
// masks, shifts, sums and look-ups through the function, elements of an array together, until there are no new ones.
#include "hlc/passes/tabulate_int.h"

// Rounds until all bits are known.
enum { BITS_ROUNDS = 64 };

typedef struct bit_walk {
    arena *a;
    const sir_module *m;
    const sir_filter *filter;
    const sir_function *f;
    uint32_t *bits; // per local
    bool changed;
} bit_walk;

uint32_t tab_below(uint64_t n)
{
    uint32_t r = 0;
    while (r < n && r != UINT32_MAX)
        r = r << 1 | 1;
    return r;
}

static uint32_t table_bits(const bit_walk *x, const sir_expr *root)
{
    const sir_value *v = sir_constant_value(x->m, x->filter, root);
    uint32_t r = 0;
    if (v == NULL)
        return UINT32_MAX;
    for (uint64_t i = 0; !v->zero && i < v->type->words; i++)
        r |= (uint32_t)v->data[i].i;
    return r;
}

static uint32_t bits_of(const bit_walk *x, const sir_expr *e);

static uint32_t shifted_bits(const bit_walk *x, const sir_expr *e)
{
    uint32_t a = bits_of(x, e->u.arg[0]);
    const sir_expr *by = e->u.arg[1];
    if (by->kind != SIR_CONST || by->u.value.i < 0 || by->u.value.i > 31 || (e->op == LANG_OP_SHR && a >> 31 != 0))
        return UINT32_MAX;
    return e->op == LANG_OP_SHR ? a >> by->u.value.i : a << by->u.value.i;
}

static uint32_t bits_of(const bit_walk *x, const sir_expr *e)
{
    if (e->type->kind == SIR_BOOLEAN || e->type->kind == SIR_BIT)
        return 1;
    if (e->type->kind != SIR_INT)
        return UINT32_MAX;
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: return (uint32_t)e->u.value.i;
    case SIR_LOCAL: return x->bits[e->index];
    case SIR_SELECT: return bits_of(x, e->u.arg[1]) | bits_of(x, e->u.arg[2]);
    case SIR_INDEX: {
        const sir_expr *root = sir_lvalue_root((sir_expr *)(uintptr_t)e);
        bool local = root != NULL && root->kind == SIR_LOCAL;
        return local ? x->bits[root->index] : table_bits(x, root);
    }
    case SIR_BINARY: break;
    default: return UINT32_MAX;
    }
    if (e->op == LANG_OP_SHL || e->op == LANG_OP_SHR)
        return shifted_bits(x, e);
    uint32_t a = bits_of(x, e->u.arg[0]), b = bits_of(x, e->u.arg[1]);
    const int32_t divisor = e->u.arg[1]->kind == SIR_CONST ? e->u.arg[1]->u.value.i : 0;
    switch (e->op) {
    case LANG_OP_AND: return a & b;
    case LANG_OP_OR:
    case LANG_OP_XOR: return a | b;
    case LANG_OP_ADD: return (a | b) >> 30 != 0 ? UINT32_MAX : tab_below((uint64_t)a + b);
    case LANG_OP_MUL: return (uint64_t)a * b >> 31 != 0 ? UINT32_MAX : tab_below((uint64_t)a * b);
    case LANG_OP_DIV: return divisor <= 0 || a >> 31 != 0 ? UINT32_MAX : tab_below(a / (uint32_t)divisor);
    case LANG_OP_REM: return divisor <= 0 || a >> 31 != 0 ? UINT32_MAX : a & tab_below((uint32_t)divisor - 1);
    default: return UINT32_MAX;
    }
}

static void add_bits(bit_walk *x, uint32_t local, uint32_t bits)
{
    x->changed |= (x->bits[local] | bits) != x->bits[local];
    x->bits[local] |= bits;
}

static void follow_bits(void *context, sir_stmt *s)
{
    bit_walk *x = context;
    sir_parts parts = sir_stmt_parts(s);
    const sir_expr *root = parts.target == NULL ? NULL : sir_lvalue_root(*parts.target);
    if (s->kind == SIR_DECL)
        add_bits(x, s->u.decl.local, s->u.decl.init != NULL ? bits_of(x, s->u.decl.init) : 0);
    if (s->kind == SIR_FOR) {
        const sir_expr *lo = s->u.for_.lo, *hi = s->u.for_.hi;
        bool known = lo->kind == SIR_CONST && hi->kind == SIR_CONST && lo->u.value.i >= 0 && hi->u.value.i >= -1;
        int32_t most = !known ? 0 : lo->u.value.i > hi->u.value.i ? lo->u.value.i : hi->u.value.i;
        add_bits(x, s->u.for_.local, known ? tab_below((uint64_t)most) : UINT32_MAX);
    }
    if (root != NULL && root->kind == SIR_LOCAL)
        add_bits(x, root->index, s->kind == SIR_SET ? bits_of(x, s->u.set.value) : UINT32_MAX);
    for (size_t i = 0; i < parts.arg_count; i++) { // arrays go by reference
        root = sir_lvalue_root(parts.args[i]);
        if (root != NULL && root->kind == SIR_LOCAL)
            add_bits(x, root->index, UINT32_MAX);
    }
}

// An array's first zeroes need no bits, and nothing reads what is not initialised; whole arrays are copied by SIR_SET, too.
uint32_t *tab_local_bits(arena *a, const sir_module *m, const sir_filter *filter, const sir_function *f)
{
    bit_walk walk = {.a = a, .m = m, .filter = filter, .f = f}, *const x = &walk;
    x->bits = ARENA_ARRAY(x->a, uint32_t, x->f->locals.len + 1);
    for (uint32_t i = 0; i < x->f->param_count; i++)
        x->bits[i] = UINT32_MAX;
    x->changed = true;
    for (int round = 0; x->changed; round++) {
        x->changed = false;
        sir_visit_stmts(&x->f->body, follow_bits, x);
        for (uint32_t i = 0; round > BITS_ROUNDS && i < x->f->locals.len; i++)
            add_bits(x, i, UINT32_MAX);
    }
    return x->bits;
}
