// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a program needs a drain. What is left of the input when it ends makes some actors fire; often it comes to no
// writer and to no actor that prints, as where blocks of items are transformed. Then nothing need fire at all.
#include "hlc/ir/walk.h"
#include "hlc/plan/plan_int.h"

// ---- What can be seen of a firing ----

typedef struct finder {
    bool found;
} finder;

static void find_in_expr(void *context, sir_expr *e, bool written)
{
    finder *f = context;
    (void)written;
    if (e->kind != SIR_BINARY || (e->op != LANG_OP_DIV && e->op != LANG_OP_REM) || e->type->kind == SIR_FLOAT ||
        e->type->kind == SIR_DOUBLE || e->type->kind == SIR_COMPLEX)
        return;
    f->found |= e->u.arg[1]->kind != SIR_CONST || e->u.arg[1]->u.value.i == 0;
}

static void find_in_stmt(void *context, sir_stmt *s)
{
    finder *f = context;
    f->found |= s->kind == SIR_CALL || s->kind == SIR_SEND || s->kind == SIR_PRINT || s->kind == SIR_LOOP;
    sir_visit_exprs(s, find_in_expr, f);
}

// It prints, or may stop the program or go on for ever.
static bool function_shows(const sir_module *m, const sir_function *function)
{
    if (function == NULL)
        return false;
    arena *scratch = arena_create();
    finder f = {0};
    hmap open;
    hmap_init(&open, scratch);
    sir_unproved_accesses(m, function, &open);
    sir_rate_bounds r = sir_function_rates(m, function);
    sir_visit_stmts(&function->body, find_in_stmt, &f);
    f.found |= open.len != 0 || r.pop_min != r.pop_max || r.push_min != r.push_max;
    arena_destroy(scratch);
    return f.found;
}

static bool has_output(const sir_actor *a)
{
    return a->kind == SIR_WRITER || sir_prints(a);
}

static bool may_stop(const sir_module *m, const sir_actor *a)
{
    return a->kind == SIR_FILTER && (function_shows(m, a->filter->work) || function_shows(m, a->filter->prework));
}

// ---- What fires ----

static size_t count_readers(const sir_module *m)
{
    size_t count = 0;
    for (VEC_EACH(sir_actor *, a, &m->actors))
        count += (*a)->kind == SIR_READER;
    return count;
}

bool plan_has_reader(const sir_module *m)
{
    return count_readers(m) != 0;
}

// With as much input as can be left, which is one item less than all if there is one reader.
static bool phase_shows(arena *a, const sir_module *m, const schedule *s, bool started)
{
    size_t actors = m->actors.len, readers = count_readers(m);
    int64_t *limits = ARENA_ARRAY(a, int64_t, actors + 1), *fired = ARENA_ARRAY(a, int64_t, actors + 1);
    int64_t *tokens = ARENA_ARRAY(a, int64_t, m->channels.len + 1);
    bool *before = ARENA_ARRAY(a, bool, actors + 1), shows = false;
    for (size_t i = 0; i < actors; i++) {
        int64_t all = started ? s->reps[i] : s->init[i];
        bool less = readers == 1 && m->actors.data[i]->kind == SIR_READER && all > 0;
        limits[i] = s->source[i] ? all - less : -1;
        before[i] = started && s->init[i] != 0;
    }
    for (size_t i = 0; i < m->channels.len; i++)
        tokens[i] = started ? s->channels[i].remainder : s->channels[i].initial;
    sched_exhaust(m, tokens, limits, before, fired);
    for (size_t i = 0; i < actors; i++)
        shows |= fired[i] != 0 && has_output(m->actors.data[i]);
    for (size_t i = 0; i < actors && !shows; i++)
        shows = fired[i] != 0 && may_stop(m, m->actors.data[i]);
    return shows;
}

bool plan_drain_shows(const sir_module *m, const schedule *s)
{
    if (!plan_has_reader(m))
        return false;
    arena *scratch = arena_create();
    bool shows = phase_shows(scratch, m, s, true) || phase_shows(scratch, m, s, false);
    arena_destroy(scratch);
    return shows;
}
