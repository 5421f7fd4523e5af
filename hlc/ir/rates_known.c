// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// By what rates of functions are known: their statements, and what these name, mixed to 128 bits. Names and places say
// nothing of rates.
#include <string.h>

#include "hlc/ir/rates_int.h"
#include "hlc/ir/walk.h"

enum { MOST_WORDS = 4096 }; // of a constant field, which passes may set anew

typedef struct mixer {
    rates_key key;
    const sir_module *m;
    const sir_filter *filter;
    bool large; // it has larger fields
} mixer;

static void mix(mixer *x, uint64_t v)
{
    uint64_t a = (x->key.part[0] ^ v) * UINT64_C(0x9e3779b97f4a7c15),
             b = (x->key.part[1] + v) * UINT64_C(0xc4ceb9fe1a85ec53);
    x->key.part[0] = a ^ a >> 32;
    x->key.part[1] = b ^ b >> 29 ^ a >> 47;
}

static void mix_pointer(mixer *x, const void *p)
{
    mix(x, (uint64_t)(uintptr_t)p);
}

static void mix_rate(mixer *x, const sir_rate *r)
{
    mix(x, (uint64_t)r->min);
    mix(x, (uint64_t)r->max);
    mix(x, r->dynamic);
}

static void mix_field(mixer *x, const sir_field *f)
{
    uint64_t words = f->init.zero ? 0 : f->type->words;
    mix(x, words << 1 | f->constant);
    x->large = x->large || (f->constant && words > MOST_WORDS);
    for (uint64_t i = 0; f->constant && !x->large && i < words; i++) {
        uint64_t bits;
        memcpy(&bits, &f->init.data[i], sizeof bits);
        mix(x, bits);
    }
}

static void mix_expr(mixer *x, const sir_expr *e)
{
    mix(x, (uint64_t)e->kind << 48 | (uint64_t)e->op << 40 | e->index);
    mix_pointer(x, e->type);
    if (e->kind == SIR_CONST) {
        uint64_t bits;
        memcpy(&bits, &e->u.value, sizeof bits);
        mix(x, bits);
        return;
    }
    if (e->kind == SIR_FIELD && x->filter != NULL)
        mix_field(x, &x->filter->fields.data[e->index]);
    if (e->kind == SIR_GLOBAL)
        mix_pointer(x, x->m->globals.data[e->index].value.data);
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        mix_expr(x, e->u.arg[i]);
}

// What calls of a function move.
static void mix_signature(mixer *x, const sir_function *f)
{
    mix_rate(x, &f->peek);
    mix_rate(x, &f->pop);
    mix_rate(x, &f->push);
    for (uint32_t i = 0; i < f->param_count; i++)
        mix(x, f->locals.data[i].by_reference);
}

static void mix_block(mixer *x, const sir_block *b)
{
    mix(x, b->len);
    for (size_t i = 0; i < b->len && !x->large; i++) {
        sir_stmt *s = b->data[i];
        const sir_parts p = sir_stmt_parts(s);
        mix(x, (uint64_t)s->kind << 56 | (uint64_t)p.expr_count << 48 | (uint64_t)p.block_count << 40 |
                   (uint64_t)(p.target != NULL) << 32 | (uint32_t)p.arg_count);
        if (s->kind == SIR_DECL)
            mix(x, s->u.decl.local);
        if (s->kind == SIR_FOR)
            mix(x, (uint64_t)s->u.for_.local << 32 | (uint32_t)s->u.for_.step);
        if (s->kind == SIR_LOOP)
            mix(x, (uint64_t)s->u.loop.post_test << 1 | (s->u.loop.cond != NULL));
        if (s->kind == SIR_SEND)
            mix(x, (uint64_t)(s->u.send.min != NULL) << 1 | (s->u.send.max != NULL));
        if (s->kind == SIR_CALL)
            mix_signature(x, s->u.call.function);
        for (size_t k = 0; k < p.expr_count; k++)
            mix_expr(x, *p.expr[k]);
        for (size_t k = 0; k < p.arg_count; k++)
            mix_expr(x, p.args[k]);
        if (p.target != NULL)
            mix_expr(x, *p.target);
        for (size_t k = 0; k < p.block_count; k++)
            mix_block(x, p.block[k]);
    }
}

bool rates_find_key(const sir_module *m, const sir_filter *filter, const sir_function *f, rates_key *key)
{
    mixer x = {.m = m, .filter = filter};
    mix(&x, filter != NULL);
    mix_signature(&x, f);
    mix(&x, f->locals.len);
    for (VEC_EACH(const sir_local, l, &f->locals))
        mix_pointer(&x, l->type);
    mix_block(&x, &f->body);
    *key = x.key;
    return !x.large;
}
