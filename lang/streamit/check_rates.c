// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declared rates: what they may be, and that they fit the type of the filter.
#include "lang/streamit/check.h"

static const char *const rate_word[] = {[RATE_PUSH] = "push", [RATE_POP] = "pop", [RATE_PEEK] = "peek"};

static ast_rate *rate_of(ast_function *f, rate_kind kind)
{
    return kind == RATE_PUSH ? &f->push : kind == RATE_POP ? &f->pop : &f->peek;
}

static bool *reported_flag(func_info *info, rate_kind kind)
{
    return kind == RATE_PUSH ? &info->reported_push : kind == RATE_POP ? &info->reported_pop : &info->reported_peek;
}

// Not given, or a literal 0. What only elaboration can compute counts as more.
bool rate_is_zero(const ast_rate *r)
{
    return !r->given || (!r->dynamic && is_literal_zero(r->value));
}

static void check_bounds(checker *c, const ast_rate *r)
{
    const ast_expr *parts[] = {r->min, r->avg, r->max}, *last = NULL;
    for (size_t i = 0; i < 3; i++) {
        if (!parts[i] || parts[i]->kind != EXPR_INT)
            continue;
        if (last && last->u.integer > parts[i]->u.integer) {
            diag_error(c->diags, r->range, "the bounds of a dynamic rate must not decrease: %lld is larger than %lld",
                       (long long)last->u.integer, (long long)parts[i]->u.integer);
            return;
        }
        last = parts[i];
    }
}

static void check_rate(checker *c, ast_rate *r, rate_kind kind)
{
    const char *what = arena_printf(c->arena, "the %s rate", rate_word[kind]);
    if (r->value)
        r->value = check_constant(c, r->value, what);
    ast_expr **parts[] = {&r->min, &r->avg, &r->max};
    for (size_t i = 0; i < 3; i++) {
        if (*parts[i])
            *parts[i] = check_constant(c, *parts[i], what);
    }
    check_bounds(c, r);
}

// One direction of a filter: its type is void exactly if nothing is pushed, or popped and peeked.
static void check_direction(checker *c, ast_function *f, rate_kind kind)
{
    const ast_stream *s = f->stream;
    bool out = kind == RATE_PUSH;
    const lang_type *t = out ? s->output : s->input;
    const ast_rate *r = rate_of(f, kind);
    func_info *info = info_of(c, f);
    if (t->kind == TYPE_ERROR || t->kind == TYPE_UNTYPED || f->broken || c->program->broken)
        return;
    if (t->kind == TYPE_VOID) {
        if (rate_is_zero(r))
            return;
        *reported_flag(info, kind) = true;
        diag_record *d = diag_error(c->diags, r->range, "'%s' cannot %s: the %s type of %s is 'void'", f->name,
                                    rate_word[kind], out ? "output" : "input", stream_name(c, s));
        diag_add_note(c->diags, d, s->type_range, "the type is written here");
        return;
    }
    if (kind == RATE_PEEK || f->kind != FUNC_WORK || !rate_is_zero(r))
        return;
    *reported_flag(info, kind) = true;
    if (kind == RATE_POP)
        info->reported_peek = true;
    const char *type = type_name(c, t);
    if (r->given)
        diag_error(c->diags, r->range, "'work' of %s must %s something: the %s type is '%s', not 'void'",
                   stream_name(c, s), rate_word[kind], out ? "output" : "input", type);
    else
        diag_error(c->diags, f->name_range, "'work' of %s must declare a %s rate: the %s type is '%s', not 'void'",
                   stream_name(c, s), rate_word[kind], out ? "output" : "input", type);
}

void check_rates(checker *c, ast_function *f)
{
    for (rate_kind kind = RATE_PUSH; kind <= RATE_PEEK; kind++)
        check_rate(c, rate_of(f, kind), kind);
    if (!f->stream) {
        for (rate_kind kind = RATE_PUSH; kind <= RATE_PEEK; kind++) {
            const ast_rate *r = rate_of(f, kind);
            if (!rate_is_zero(r))
                diag_error(c->diags, r->range, "a function of a helper block has no stream to %s", rate_word[kind]);
        }
        return;
    }
    check_direction(c, f, RATE_PUSH);
    check_direction(c, f, RATE_POP);
    check_direction(c, f, RATE_PEEK);
    func_info *info = info_of(c, f);
    bool peeks = !rate_is_zero(&f->peek), pops = !rate_is_zero(&f->pop);
    if (peeks && !pops && f->kind != FUNC_PREWORK && !info->reported_pop && !info->reported_peek && !f->broken) {
        info->reported_peek = true;
        diag_error(c->diags, f->peek.range, "'%s' peeks but declares no pop rate", f->name);
    }
}

void check_rate_declared(checker *c, rate_kind kind, src_range range)
{
    ast_function *f = c->function;
    bool declared = !rate_is_zero(rate_of(f, kind));
    if (kind == RATE_PEEK)
        declared |= !rate_is_zero(&f->pop);
    bool *reported = reported_flag(c->info, kind);
    if (declared || *reported || f->broken)
        return;
    *reported = true;
    diag_record *r = diag_error(c->diags, range, "'%s' in '%s', which declares no %s rate", rate_word[kind], f->name,
                                rate_word[kind]);
    diag_add_note(c->diags, r, f->name_range, "'%s' is declared here", f->name);
}
