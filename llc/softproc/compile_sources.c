// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Source addresses: an instruction has three of registers' or constants' red, green and blue, and three of alphas. Operands of
// both halves choose one of three pairs. Here six operands get pairs, by trying.
#include <string.h>

#include "llc/softproc/compile.h"

int spc_easy_swizzle(uint64_t key)
{
    return key == 0 ? SP_ZERO : key == 0x3f000000 ? SP_HALF : key == 0x3f800000 ? SP_ONE : -1;
}

bool spc_key(const spc_value *v, bool neg, bool abs, uint64_t *key)
{
    const uint32_t sign = 0x80000000u;
    *key = v->op == SPC_SCALAR ? SPC_KEY_SCALAR + v->bits : v->bits;
    if (v->op == SPC_SCALAR)
        return true; // its modifiers are the operand's
    if (abs && (v->bits >> 31 != 0) != neg)
        return false;
    if (neg || abs)
        *key = abs ? v->bits & ~sign : v->bits ^ sign;
    return true;
}

static bool add_key(spc_source *s, uint64_t key)
{
    for (unsigned i = 0; i < s->keys; i++)
        if (s->key[i] == key)
            return true;
    if (s->keys == 3)
        return false;
    s->key[s->keys++] = key;
    return true;
}

static bool need_register(spc_source *s, const spc_value *v)
{
    spc_kind *kind = v->lane == 3 ? &s->alpha : &s->rgb;
    uint32_t *reg = v->lane == 3 ? &s->alpha_reg : &s->rgb_reg;
    if (*kind != SPC_NOTHING && (*kind != SPC_REGISTER || *reg != v->reg))
        return false;
    *kind = SPC_REGISTER;
    *reg = v->reg;
    return true;
}

static bool need_constant(spc_source *s, uint64_t key, bool by_alpha)
{
    if (by_alpha) {
        if (s->alpha != SPC_NOTHING && (s->alpha != SPC_CONSTANT || s->alpha_key != key))
            return false;
        s->alpha = SPC_CONSTANT;
        s->alpha_key = key;
        return true;
    }
    if (s->rgb == SPC_REGISTER)
        return false;
    s->rgb = SPC_CONSTANT;
    return add_key(s, key);
}

// The modifiers of operand k of a half: those that all lanes but numbers have. Numbers alone are negated if that makes them
// easy. False when lanes differ.
static bool modifiers(const spc_function *f, const spc_half *h, unsigned k, spc_operand *out)
{
    bool any = false, numbers = false, easy = true;
    *out = (spc_operand){0};
    for (unsigned lane = 0; lane < 3; lane++) {
        if (h->value[lane] == SPC_NONE)
            continue;
        spc_operand o = f->values.data[h->value[lane]].operand[k];
        const spc_value *v = &f->values.data[o.value];
        uint64_t key;
        if (v->op == SPC_NUMBER) {
            numbers = true;
            easy = easy && spc_key(v, true, false, &key) && spc_easy_swizzle(key) >= 0;
            continue;
        }
        if (any && (out->neg != o.neg || out->abs != o.abs || out->presubtract != o.presubtract))
            return false;
        any = true;
        *out = o;
    }
    if (!any)
        out->neg = easy;
    return !(numbers && out->presubtract);
}

// What operand k of a half needs; false when no single source has it.
static bool needs(const spc_function *f, const spc_half *h, unsigned k, bool by_alpha, spc_source *out,
                  spc_operand *modifier)
{
    *out = (spc_source){0};
    if (!modifiers(f, h, k, modifier))
        return false;
    for (unsigned lane = 0; lane < 3; lane++) {
        if (h->value[lane] == SPC_NONE)
            continue;
        const spc_value *v = &f->values.data[f->values.data[h->value[lane]].operand[k].value];
        uint64_t key;
        if (!spc_is_constant(v) ? !need_register(out, v)
                                : !spc_key(v, modifier->neg, modifier->abs, &key) ||
                                      (spc_easy_swizzle(key) < 0 && !need_constant(out, key, by_alpha)))
            return false;
    }
    return true;
}

static bool merge(spc_source *into, const spc_source *from)
{
    spc_source s = *into;
    if (from->rgb != SPC_NOTHING) {
        if (s.rgb != SPC_NOTHING && (s.rgb != from->rgb || (s.rgb == SPC_REGISTER && s.rgb_reg != from->rgb_reg)))
            return false;
        s.rgb = from->rgb;
        s.rgb_reg = from->rgb_reg;
        for (unsigned i = 0; i < from->keys; i++)
            if (!add_key(&s, from->key[i]))
                return false;
    }
    if (from->alpha != SPC_NOTHING) {
        if (s.alpha != SPC_NOTHING &&
            (s.alpha != from->alpha ||
             (s.alpha == SPC_REGISTER ? s.alpha_reg != from->alpha_reg : s.alpha_key != from->alpha_key)))
            return false;
        s.alpha = from->alpha;
        s.alpha_reg = from->alpha_reg;
        s.alpha_key = from->alpha_key;
    }
    *into = s;
    return true;
}

typedef struct search {
    const spc_function *f;
    struct {
        const spc_half *half;
        unsigned which, k;
    } operand[6];
    unsigned count;
} search;

static bool assign(const search *s, unsigned at, spc_assignment *a)
{
    if (at == s->count)
        return true;
    const spc_half *h = s->operand[at].half;
    unsigned which = s->operand[at].which, k = s->operand[at].k;
    for (unsigned by_alpha = 0; by_alpha < 2; by_alpha++) {
        spc_source need;
        if (!needs(s->f, h, k, by_alpha != 0, &need, &a->modifier[which][k]))
            continue;
        // What is presubtracted is source 0.
        bool first = a->modifier[which][k].presubtract;
        for (uint8_t sel = 0; sel < (first ? 1 : 3); sel++) {
            spc_source before = a->source[sel];
            if (!merge(&a->source[sel], &need))
                continue;
            a->sel[which][k] = first ? SP_SRCP : sel;
            a->by_alpha[which][k] = by_alpha != 0;
            if (assign(s, at + 1, a))
                return true;
            a->source[sel] = before;
            if (before.rgb == SPC_NOTHING && before.alpha == SPC_NOTHING)
                break; // the other empty sources are no better
        }
        if (by_alpha == 0 && need.rgb != SPC_CONSTANT && need.alpha != SPC_CONSTANT)
            break; // there are no constants to move
    }
    return false;
}

static bool presubtracts(const spc_function *f, const spc_half *h, unsigned k)
{
    for (unsigned lane = 0; lane < 3; lane++)
        if (h->value[lane] != SPC_NONE && f->values.data[h->value[lane]].operand[k].presubtract)
            return true;
    return false;
}

bool spc_assign_sources(const spc_function *f, const spc_half *vector, const spc_half *scalar, spc_assignment *out)
{
    const spc_half *halves[2] = {vector, scalar};
    search s = {.f = f};
    // Presubtracts first: they need a certain source.
    for (unsigned round = 0; round < 2; round++)
        for (unsigned which = 0; which < 2; which++)
            for (unsigned k = 0; halves[which] != NULL && k < spc_operands(halves[which]->op); k++)
                if (presubtracts(f, halves[which], k) == (round == 0)) {
                    s.operand[s.count].half = halves[which];
                    s.operand[s.count].which = which;
                    s.operand[s.count++].k = k;
                }
    memset(out, 0, sizeof *out);
    return assign(&s, 0, out);
}
