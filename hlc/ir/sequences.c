// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fields that go through a linear congruential sequence, such as those of sources of random numbers.
//
// NOTE(sequences). Ints wrap, so that x = a x + c is exact modulo 2^32, and with a mask of low bits modulo 2^k: after n
// firings x is a^n x + c (a^(n-1) + ... + 1), which can be had without the values between. `work` is followed once, with
// values that are such forms of what the field is at first.
#include "hlc/ir/counters.h"
#include "hlc/ir/walk.h"

enum { ALL_BITS = 32 };

// times x + plus modulo 2^bits. exact: the value is what is left of it, not another number congruent to that.
typedef struct form {
    bool known, exact;
    uint32_t times, plus;
    int bits;
} form;

typedef struct following {
    uint32_t field;
    form *locals, now;
    bool fails;
} following;

static form form_of(uint32_t times, uint32_t plus, int bits)
{
    return (form){.known = true, .exact = bits == ALL_BITS, .times = times, .plus = plus, .bits = bits};
}

static bool is_number(form v)
{
    return v.known && v.times == 0 && v.bits == ALL_BITS;
}

static int fewer(form a, form b)
{
    return a.bits < b.bits ? a.bits : b.bits;
}

static form product(form a, form b)
{
    if (!is_number(b))
        return is_number(a) ? product(b, a) : (form){0};
    return form_of(a.times * b.plus, a.plus * b.plus, fewer(a, b));
}

// The low bits, if as many are known.
static form low_bits(form v, int bits)
{
    if (bits == ALL_BITS || (v.exact && v.bits <= bits && v.bits < ALL_BITS))
        return v;
    form r = form_of(v.times, v.plus, bits);
    r.known = v.known && bits <= v.bits;
    r.exact = true;
    return r;
}

// n of 2^n - 1; -1: it is none.
static int bits_of_mask(uint32_t mask)
{
    int n = 0;
    while (n < ALL_BITS && (mask >> n & 1) != 0)
        n++;
    return n == ALL_BITS || mask >> n == 0 ? n : -1;
}

static form eval(const following *w, const sir_expr *e);

static form eval_and(form a, form b)
{
    if (!is_number(b))
        return is_number(a) ? eval_and(b, a) : (form){0};
    int bits = bits_of_mask(b.plus);
    return bits < 0 ? (form){0} : low_bits(a, bits);
}

// Of what is not negative.
static form eval_remainder(form a, form b)
{
    if (!is_number(b) || b.plus == 0 || b.plus > INT32_MAX || !a.exact || a.bits == ALL_BITS)
        return (form){0};
    int bits = bits_of_mask(b.plus - 1);
    return bits < 0 ? (form){0} : low_bits(a, bits);
}

static form eval_binary(const following *w, const sir_expr *e)
{
    form a = eval(w, e->u.arg[0]), b = eval(w, e->u.arg[1]);
    if (!a.known || !b.known)
        return (form){0};
    switch (e->op) {
    case LANG_OP_ADD: return form_of(a.times + b.times, a.plus + b.plus, fewer(a, b));
    case LANG_OP_SUB: return form_of(a.times - b.times, a.plus - b.plus, fewer(a, b));
    case LANG_OP_MUL: return product(a, b);
    case LANG_OP_SHL:
        return is_number(b) && b.plus < ALL_BITS ? product(a, form_of(0, 1u << b.plus, ALL_BITS)) : (form){0};
    case LANG_OP_AND: return eval_and(a, b);
    case LANG_OP_REM: return eval_remainder(a, b);
    default: return (form){0};
    }
}

static form eval(const following *w, const sir_expr *e)
{
    if (e == NULL || e->type->kind != SIR_INT)
        return (form){0};
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: return form_of(0, (uint32_t)e->u.value.i, ALL_BITS);
    case SIR_LOCAL: return w->locals[e->index];
    case SIR_FIELD: return e->index == w->field ? w->now : (form){0};
    case SIR_UNARY: {
        form v = eval(w, e->u.arg[0]);
        return e->op == LANG_OP_NEG && v.known ? form_of(0 - v.times, 0 - v.plus, v.bits) : (form){0};
    }
    case SIR_BINARY: return eval_binary(w, e);
    default: return (form){0};
    }
}

static void assign(following *w, const sir_expr *target, form v)
{
    if (target == NULL)
        return;
    const sir_expr *root = sir_lvalue_root((sir_expr *)(uintptr_t)target);
    if (root->kind == SIR_LOCAL)
        w->locals[root->index] = root == target ? v : (form){0};
    else if (root->kind == SIR_FIELD && root->index == w->field)
        w->now = v;
}

// What a branch or a loop changes is not known behind it.
static void forget(void *context, sir_stmt *s)
{
    following *w = context;
    const sir_expr *root = sir_assigned_root(s);
    w->fails |= s->kind == SIR_CALL || s->kind == SIR_SEND ||
                (root != NULL && root->kind == SIR_FIELD && root->index == w->field);
    if (root != NULL && root->kind == SIR_LOCAL)
        w->locals[root->index] = (form){0};
    if (s->kind == SIR_DECL)
        w->locals[s->u.decl.local] = (form){0};
    if (s->kind == SIR_FOR)
        w->locals[s->u.for_.local] = (form){0};
}

bool sir_find_sequence(arena *a, const sir_filter *f, uint32_t field, sir_sequence *found)
{
    const sir_field *x = &f->fields.data[field];
    const sir_function *work = f->work;
    following w = {.field = field, .now = form_of(1, 0, ALL_BITS)};
    if (x->type->kind != SIR_INT)
        return false;
    w.locals = ARENA_ARRAY(a, form, work->locals.len + 1);
    for (size_t i = 0; i < work->body.len && !w.fails; i++) {
        sir_stmt *s = work->body.data[i];
        if (s->kind == SIR_SET)
            assign(&w, s->u.set.target, eval(&w, s->u.set.value));
        else if (s->kind == SIR_DECL)
            w.locals[s->u.decl.local] = eval(&w, s->u.decl.init);
        else if (s->kind == SIR_POP || s->kind == SIR_RANDOM)
            assign(&w, s->u.set.target, (form){0});
        else
            sir_visit_stmts(&(sir_block){.data = &s, .len = 1}, forget, &w);
    }
    uint32_t mask = w.now.bits == ALL_BITS ? UINT32_MAX : (1u << w.now.bits) - 1;
    uint32_t first = x->init.zero ? 0 : (uint32_t)x->init.data[0].i;
    *found = (sir_sequence){field, w.now.times, w.now.plus, mask};
    return !w.fails && w.now.known && w.now.exact && (first & mask) == first;
}
