// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that halve a number until it is small, and count how often: the length of a number in bits, as in codes whose words are as
// long as what they stand for.
//
//     while (t > 1) {                   const int svm_halves1 = svm_halves(t, 0);
//         t = t >> 1;                   t = svm_shr(t, svm_halves1);
//         n++;                    ->    n += svm_halves1;
//     }
//
// How many trips such a loop has data decide, so that processors guess its end wrong; counting zeros above the number's highest
// bit takes one instruction. -O1 and below keep the loop, as -g does.
#include <inttypes.h>

#include "hlc/emit/body_int.h"

static bool is_local(const sir_expr *e, uint32_t local)
{
    return e->kind == SIR_LOCAL && e->index == local && e->type->kind == SIR_INT;
}

static bool is_number(const sir_expr *e, int32_t *n)
{
    if (e->kind == SIR_CONST)
        *n = e->u.value.i;
    return e->kind == SIR_CONST && e->type->kind == SIR_INT;
}

// "x > c", c + 1 a power of two: the number and the power; it is positive in the loop. -1: another condition.
static int power_of(const sir_expr *cond, uint32_t *number)
{
    int32_t c;
    if (cond == NULL || cond->kind != SIR_BINARY)
        return -1;
    bool turned = cond->u.arg[0]->kind == SIR_CONST;
    const sir_expr *x = cond->u.arg[turned], *limit = cond->u.arg[!turned];
    bool more = cond->op == (turned ? LANG_OP_LT : LANG_OP_GT), least = cond->op == (turned ? LANG_OP_LE : LANG_OP_GE);
    if (x->kind != SIR_LOCAL || x->type->kind != SIR_INT || !is_number(limit, &c) || (!more && !least))
        return -1;
    int64_t power = (int64_t)c + more;
    *number = x->index;
    return power < 1 || (power & (power - 1)) != 0 ? -1 : __builtin_ctzll((unsigned long long)power);
}

// x = x >> 1, x = x / 2: it is positive.
static bool halves(const sir_stmt *s, uint32_t number)
{
    int32_t by;
    const sir_expr *v = s->kind == SIR_SET && is_local(s->u.set.target, number) ? s->u.set.value : NULL;
    return v != NULL && v->kind == SIR_BINARY && is_local(v->u.arg[0], number) && is_number(v->u.arg[1], &by) &&
           ((v->op == LANG_OP_SHR && by == 1) || (v->op == LANG_OP_DIV && by == 2));
}

// n = n + 1 of another local: what it goes up by; 0: it is no such statement.
static int32_t counts(const sir_stmt *s, uint32_t number)
{
    int32_t by = 0;
    const sir_expr *t = s->kind == SIR_SET ? s->u.set.target : NULL, *v = t != NULL ? s->u.set.value : NULL;
    if (t == NULL || t->kind != SIR_LOCAL || t->index == number || !is_local(t, t->index) || v->kind != SIR_BINARY ||
        (v->op != LANG_OP_ADD && v->op != LANG_OP_SUB) || !is_local(v->u.arg[0], t->index) ||
        !is_number(v->u.arg[1], &by))
        return 0;
    return v->op == LANG_OP_ADD ? by : -by;
}

bool body_halves(body_context *c, const sir_stmt *s)
{
    uint32_t number;
    int power = power_of(s->u.loop.cond, &number), halvings = 0;
    if (power < 0 || !c->e->cached || c->e->most_trips == 0 || c->e->keep_names || c->lanes > 0 || c->vectors > 0 ||
        c->trips != NULL || s->u.loop.pre.len != 0 || s->u.loop.step.len != 0 || s->u.loop.post_test)
        return false;
    for (VEC_EACH(sir_stmt *const, p, &s->u.loop.body)) {
        bool half = halves(*p, number);
        halvings += half;
        if (!half && counts(*p, number) == 0)
            return false;
    }
    if (halvings != 1)
        return false;
    const char *x = body_local_named(c, number), *trips = arena_printf(c->e->arena, "svm_halves%" PRIu32, ++c->labels);
    body_line(c, "const int %s = svm_halves(%s, %d);", trips, x, power);
    body_line(c, "%s = %s >> %s;", x, x, trips);
    for (VEC_EACH(sir_stmt *const, p, &s->u.loop.body)) {
        const int32_t by = counts(*p, number);
        const uint32_t n = (*p)->u.set.target->index;
        if (by == 0 || c->locals[n].dead)
            continue;
        if (by == 1)
            body_line(c, "%s += %s;", body_local_named(c, n), trips);
        else
            body_line(c, "%s += %" PRId32 " * %s;", body_local_named(c, n), by, trips);
    }
    return true;
}
