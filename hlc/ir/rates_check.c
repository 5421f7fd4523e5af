// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What functions do against what they declare.
#include <string.h>

#include "hlc/ir/rates_int.h"

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

const char *sir_rate_text(arena *a, const sir_rate *r)
{
    if (!r->dynamic)
        return arena_printf(a, "%lld", (long long)r->min);
    if (r->max < 0)
        return arena_printf(a, "[%lld,*]", (long long)r->min);
    return arena_printf(a, "[%lld,%lld]", (long long)r->min, (long long)r->max);
}

static const char *rate_text(arena *a, const char *word, sir_rate rate)
{
    if (!rate.dynamic)
        return rate.min == 0 && rate.loc.file == 0 ? arena_printf(a, "no '%s'", word)
                                                   : arena_printf(a, "'%s %lld'", word, (long long)rate.min);
    return arena_printf(a, "'%s %s'", word, sir_rate_text(a, &rate));
}

typedef struct side {
    const char *word, *verb; // "push", "pushes"
    sir_rate declared;
    rates_count count;
    rates_ways ways;
    sir_loc last;
} side;

static void add_last(rates_run *r, diag_record *record, const side *s)
{
    src_range range = sir_range(r->module, r->d->sources, s->last);
    if (range.file != 0)
        diag_add_note(r->d, record, range, "the last %s is here", s->word);
}

// ---- Ways ----

enum { SHOWN_STEPS = 4 };

static const char *turn_text(rates_turn t)
{
    switch (t) {
    case RATES_TRUE: return "this condition is true";
    case RATES_FALSE: return "this condition is false";
    case RATES_AGAIN: return "this loop goes on";
    case RATES_NO_MORE: return "this loop is not gone through, or no more";
    }
    return "";
}

// Notes at the decisions that lead to a count: the last few, in the order in which they are met.
static void add_way(rates_run *r, diag_record *record, const side *s, const rates_step *way, const char *count)
{
    const rates_step *shown[SHOWN_STEPS];
    size_t n = 0, more = 0;
    for (const rates_step *step = way; step != NULL; step = step->before)
        if (n < SHOWN_STEPS)
            shown[n++] = step;
        else
            more++;
    for (size_t i = n; i-- > 0;) {
        src_range range = sir_range(r->module, r->d->sources, shown[i]->loc);
        if (range.file == 0)
            continue;
        if (i + 1 == n && more > 0)
            diag_add_note(r->d, record, range, "it %s %s where, after %zu more such decision%s, %s", s->verb, count,
                          more, plural((int64_t)more), turn_text(shown[i]->turn));
        else if (i + 1 == n)
            diag_add_note(r->d, record, range, "it %s %s where %s", s->verb, count, turn_text(shown[i]->turn));
        else
            diag_add_note(r->d, record, range, "and %s", turn_text(shown[i]->turn));
    }
}

static const char *count_text(const rates_run *r, int64_t n)
{
    if (n < 0 || n >= INT64_MAX / 4)
        return "any number of items";
    return arena_printf(r->d->arena, "%lld item%s", (long long)n, plural(n));
}

static bool is_same_way(const rates_step *a, const rates_step *b)
{
    while (a != b && a != NULL && b != NULL && memcmp(&a->loc, &b->loc, sizeof a->loc) == 0 && a->turn == b->turn) {
        a = a->before;
        b = b->before;
    }
    return a == b;
}

// What one way may come to: a function called there has a range of its own.
static const char *range_text(const rates_run *r, rates_count c)
{
    if (c.max >= 0 && c.max < INT64_MAX / 4)
        return arena_printf(r->d->arena, "%lld to %lld items", (long long)c.min, (long long)c.max);
    return c.min == 0 ? count_text(r, -1) : arena_printf(r->d->arena, "%lld items or more", (long long)c.min);
}

// The ways to counts that the declaration does not allow.
static void add_wrong_ways(rates_run *r, diag_record *record, const side *s)
{
    if (s->count.min != s->count.max && is_same_way(s->ways.least, s->ways.most)) {
        add_way(r, record, s, s->ways.least, range_text(r, s->count));
        return;
    }
    if (s->count.min < s->declared.min)
        add_way(r, record, s, s->ways.least, count_text(r, s->count.min));
    if (s->declared.max >= 0 && (s->count.max < 0 || s->count.max > s->declared.max))
        add_way(r, record, s, s->ways.most, count_text(r, s->count.max));
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

// What to write where the number is meant to differ.
static void add_cure(rates_run *r, diag_record *record, const side *s)
{
    bool few = s->count.min < s->declared.min && !(strcmp(s->word, "pop") == 0),
         open = s->count.max < 0 || s->count.max >= INT64_MAX / 4;
    if (s->count.min == s->count.max || s->declared.min != s->declared.max ||
        (!few && s->count.max <= s->declared.max && !open))
        return;
    const char *most = open ? "*" : arena_printf(r->d->arena, "%lld", (long long)s->count.max);
    diag_add_note(r->d, record, (src_range){0, 0, 0},
                  "if the number is meant to differ from firing to firing, declare a dynamic rate: '%s [%lld, %s]'",
                  s->word, (long long)s->count.min, most);
}

// What cannot be proved of one instance cannot be proved of others; one is told.
static bool first_at(rates_run *r, sir_loc at)
{
    if (at.file == 0)
        return true;
    if (hmap_getn(r->told, &at, sizeof at) != NULL)
        return false;
    hmap_setn(r->told, &at, sizeof at, r->told);
    return true;
}

// The declared number is never exceeded, but fewer may be moved.
static void report_few(rates_run *r, const char *function, const side *s, sir_loc at, const char *declared)
{
    bool pop = strcmp(s->word, "pop") == 0;
    if (!first_at(r, at))
        return;
    diag_record *w =
        diag_warning(r->d, WARN_UNPROVED_RATE, sir_range(r->module, r->d->sources, at),
                     "%s %s a number of items that depends on values, and declares %s; %s", function, s->verb, declared,
                     pop ? "what it does not pop is discarded" : "fewer are an error at run time");
    add_wrong_ways(r, w, s);
    add_cure(r, w, s);
}

static bool check_side(rates_run *r, const char *function, const side *s)
{
    bool fewer, pop = strcmp(s->word, "pop") == 0;
    int64_t n = wrong_number(r, s, &fewer);
    sir_loc at = s->declared.loc.file != 0 ? s->declared.loc : r->function->loc;
    const char *declared = rate_text(r->d->arena, s->word, s->declared);
    bool sometimes = s->count.min != s->count.max;
    if (n >= 0 && pop && fewer) {
        diag_record *w = diag_warning(r->d, WARN_IMPLICIT_POP, sir_range(r->module, r->d->sources, at),
                                      "%s pops %lld item%s%s but declares %s; the rest is discarded", function,
                                      (long long)n, plural(n), sometimes ? " on a path" : "", declared);
        add_way(r, w, s, s->ways.least, count_text(r, n));
        return true;
    }
    if (n >= 0) {
        bool runs = r->module->canonical; // up to there
        const char *text = arena_printf(r->d->arena, "%s %s %lld item%s%s but declares %s%s", function, s->verb,
                                        (long long)n, plural(n), sometimes ? " on a path" : "", declared,
                                        runs ? "; the program stops when it does" : "");
        diag_record *e =
            runs ? diag_warning(r->d, WARN_UNPROVED_RATE, sir_range(r->module, r->d->sources, at), "%s", text)
                 : sir_error(r->module, r->d, at, "%s", text);
        add_last(r, e, s);
        add_way(r, e, s, fewer ? s->ways.least : s->ways.most, count_text(r, n));
        add_cure(r, e, s);
        return runs;
    }
    bool enough = s->count.min >= s->declared.min;
    if (s->declared.max < 0 || (s->count.max >= 0 && s->count.max <= s->declared.max)) {
        if (!enough)
            report_few(r, function, s, at, declared);
        return true;
    }
    if (!first_at(r, at))
        return true;
    bool firing = r->function->kind == SIR_WORK || r->function->kind == SIR_PREWORK;
    diag_record *w = diag_warning(r->d, WARN_UNPROVED_RATE, sir_range(r->module, r->d->sources, at),
                                  "%s %s a number of items that depends on values, and declares %s; that is checked at "
                                  "run time%s",
                                  function, s->verb, declared, firing ? "" : " with -fcheck-rates");
    add_wrong_ways(r, w, s);
    add_cure(r, w, s);
    return true;
}

// Peeks that may go past the window, where none is known to.
static void check_peeks(rates_run *r, const char *function)
{
    const sir_rate *peek = &r->function->peek;
    if (peek->max < 0 || r->wrong || (!r->reach_open && r->reach <= peek->max))
        return;
    if (!first_at(r, r->reach_at))
        return;
    diag_warning(r->d, WARN_UNPROVED_PEEK, sir_range(r->module, r->d->sources, r->reach_at),
                 "%s peeks at an item that depends on values; that it is one of the window's %lld is checked in the "
                 "interpreter, and in compiled programs with -fcheck-rates",
                 function, (long long)peek->max);
}

static bool check_function(const sir_module *m, const sir_filter *filter, const sir_function *f, diag_engine *d,
                           hmap *told)
{
    if (f->kind == SIR_NATIVE)
        return true;
    rates_run r;
    rates_execute(&r, m, filter, f, d, NULL);
    r.told = told;
    bool ok = !r.wrong;
    if (r.state.alive && f->kind != SIR_HANDLER) { // else a firing that never ends
        const char *name = rates_function_text(&r);
        const side pop = {"pop", "pops", f->pop, r.state.pop, r.state.pop_ways, r.last_pop};
        const side push = {"push", "pushes", f->push, r.state.push, r.state.push_ways, r.last_push};
        ok &= check_side(&r, name, &pop);
        ok &= check_side(&r, name, &push);
        check_peeks(&r, name);
    }
    rates_finish(&r);
    return ok;
}

bool sir_check_rates(const sir_module *m, diag_engine *d)
{
    bool ok = true;
    hmap told;
    hmap_init(&told, d->arena);
    for (size_t i = 0; i < m->functions.len; i++)
        ok &= check_function(m, NULL, m->functions.data[i], d, &told);
    for (size_t i = 0; i < m->filters.len; i++) {
        const sir_filter *f = m->filters.data[i];
        if (f->prework != NULL)
            ok &= check_function(m, f, f->prework, d, &told);
        ok &= check_function(m, f, f->work, d, &told);
        if (f->ahead != NULL)
            ok &= check_function(m, f, f->ahead, d, &told);
        for (size_t k = 0; k < f->functions.len; k++)
            ok &= check_function(m, f, f->functions.data[k], d, &told);
        for (size_t k = 0; k < f->handlers.len; k++)
            ok &= check_function(m, f, f->handlers.data[k], d, &told);
    }
    return ok;
}
