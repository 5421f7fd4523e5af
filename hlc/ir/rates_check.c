// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What functions do against what they declare.
#include <string.h>

#include "hlc/ir/rates_int.h"

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

static const char *rate_text(arena *a, const char *word, sir_rate rate)
{
    if (!rate.dynamic)
        return rate.min == 0 && rate.loc.file == 0 ? arena_printf(a, "no '%s'", word)
                                                   : arena_printf(a, "'%s %lld'", word, (long long)rate.min);
    if (rate.max < 0)
        return arena_printf(a, "'%s [%lld,*]'", word, (long long)rate.min);
    return arena_printf(a, "'%s [%lld,%lld]'", word, (long long)rate.min, (long long)rate.max);
}

typedef struct side {
    const char *word, *verb; // "push", "pushes"
    sir_rate declared;
    rates_count count;
    sir_loc last;
} side;

static void add_last(rates_run *r, diag_record *record, const side *s)
{
    src_range range = sir_range(r->module, r->d->sources, s->last);
    if (range.file != 0)
        diag_add_note(r->d, record, range, "the last %s is here", s->word);
}

// A number of items that some execution moves and that the declaration does not allow; -1: none is known.
static int64_t wrong_number(const rates_run *r, const side *s, bool *fewer)
{
    const rates_count c = s->count;
    const sir_rate d = s->declared;
    *fewer = false;
    if (d.max >= 0 && c.min > d.max)
        return c.min;
    if (c.max >= 0 && c.max < d.min) {
        *fewer = true;
        return c.max;
    }
    // Both sides of the one undecided branch are taken.
    bool both = r->forks == 1 && !r->loops_open && c.max >= 0;
    if (both && d.max >= 0 && c.max > d.max)
        return c.max;
    if (both && c.min < d.min) {
        *fewer = true;
        return c.min;
    }
    return -1;
}

static bool check_side(rates_run *r, const char *function, const side *s)
{
    bool fewer, pop = strcmp(s->word, "pop") == 0;
    int64_t n = wrong_number(r, s, &fewer);
    sir_loc at = s->declared.loc.file != 0 ? s->declared.loc : r->function->loc;
    const char *declared = rate_text(r->d->arena, s->word, s->declared);
    bool sometimes = s->count.min != s->count.max;
    if (n >= 0 && pop && fewer) {
        diag_warning(r->d, WARN_IMPLICIT_POP, sir_range(r->module, r->d->sources, at),
                     "%s pops %lld item%s%s but declares %s; the rest is discarded", function, (long long)n, plural(n),
                     sometimes ? " on a path" : "", declared);
        return true;
    }
    if (n >= 0) {
        diag_record *e = sir_error(r->module, r->d, at, "%s %s %lld item%s%s but declares %s", function, s->verb,
                                   (long long)n, plural(n), sometimes ? " on a path" : "", declared);
        add_last(r, e, s);
        return false;
    }
    if (s->count.min != s->count.max && !s->declared.dynamic)
        diag_warning(r->d, WARN_UNPROVED_RATE, sir_range(r->module, r->d->sources, at),
                     "%s %s a number of items that depends on values; that it is %lld is checked at run time", function,
                     s->verb, (long long)s->declared.min);
    return true;
}

static bool check_function(const sir_module *m, const sir_filter *filter, const sir_function *f, diag_engine *d)
{
    if (f->kind == SIR_NATIVE)
        return true;
    rates_run r;
    rates_execute(&r, m, filter, f, d);
    bool ok = !r.wrong;
    if (!r.state.alive || f->kind == SIR_HANDLER)
        return ok; // a firing that never ends
    const char *name = rates_function_text(&r);
    const side pop = {"pop", "pops", f->pop, r.state.pop, r.last_pop};
    const side push = {"push", "pushes", f->push, r.state.push, r.last_push};
    ok &= check_side(&r, name, &pop);
    ok &= check_side(&r, name, &push);
    return ok;
}

bool sir_check_rates(const sir_module *m, diag_engine *d)
{
    bool ok = true;
    for (size_t i = 0; i < m->functions.len; i++)
        ok &= check_function(m, NULL, m->functions.data[i], d);
    for (size_t i = 0; i < m->filters.len; i++) {
        const sir_filter *f = m->filters.data[i];
        if (f->prework != NULL)
            ok &= check_function(m, f, f->prework, d);
        ok &= check_function(m, f, f->work, d);
        for (size_t k = 0; k < f->functions.len; k++)
            ok &= check_function(m, f, f->functions.data[k], d);
        for (size_t k = 0; k < f->handlers.len; k++)
            ok &= check_function(m, f, f->handlers.data[k], d);
    }
    return ok;
}
