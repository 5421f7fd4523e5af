// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'canonicalize': the rules of its other files, function by function, until nothing changes.
#include "hlc/passes/canonicalize.h"

#include "hlc/passes/canonicalize_int.h"
#include "hlc/passes/pass.h"
#include "hlc/schedule/schedule.h"

// Rounds of rules over one function, and of functions over one filter. Far more than is ever needed.
enum { MOST_ROUNDS = 16, MOST_FILTER_ROUNDS = 4 };

static void run_rules(canon *c)
{
    sir_block before = c->f->body; // the rules change nodes of their own
    canon_unshare(c);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        if (round > 0)
            before = canon_copy_body(c);
        canon_remove_jumps(c); // later rounds: what is behind loops found to be endless
        if (!c->options->keep_locals) {
            canon_count_loops(c);
            canon_propagate(c);
            canon_even_loops(c);
            canon_place_temporaries(c);
            canon_remove_dead(c);
        }
        if (canon_same_block(&before, &c->f->body))
            break;
    }
    if (c->options->remarks != NULL)
        canon_explain_loops(c, c->options->remarks);
    canon_compact_locals(c);
}

static bool same_locals(const sir_local *a, size_t count, const sir_function *f)
{
    if (count != f->locals.len)
        return false;
    for (size_t i = 0; i < count; i++)
        if (a[i].name != f->locals.data[i].name || a[i].type != f->locals.data[i].type)
            return false;
    return true;
}

static bool run_function(canon *c, sir_function *f)
{
    if (f->kind == SIR_NATIVE)
        return false;
    sir_function was = *f;
    sir_local *locals = ARENA_ARRAY(c->scratch, sir_local, f->locals.len);
    for (size_t i = 0; i < f->locals.len; i++)
        locals[i] = f->locals.data[i];
    c->f = f;
    run_rules(c);
    if (!canon_same_block(&was.body, &f->body) || !same_locals(locals, was.locals.len, f))
        return true;
    *f = was;
    return false;
}

static bool run_module_functions(sir_module *m, const canon_options *options)
{
    canon c = {.m = m, .options = options, .scratch = arena_create()};
    sir_effects effects;
    sir_effects_init(&effects, c.scratch, NULL);
    for (size_t i = 0; i < m->functions.len; i++)
        sir_effects_add(&effects, m->functions.data[i]);
    sir_effects_solve(&effects);
    c.effects = &effects;
    bool changed = false;
    for (size_t i = 0; i < m->functions.len; i++)
        changed |= run_function(&c, m->functions.data[i]);
    arena_destroy(c.scratch);
    return changed;
}

static bool takes_dynamically(const sir_function *f)
{
    return f->pop.dynamic || f->peek.dynamic;
}

// All functions of a filter once.
static bool run_filter_once(sir_module *m, sir_filter *filter, const canon_options *options)
{
    canon c = {.m = m, .filter = filter, .options = options, .scratch = arena_create()};
    c.peeks_wait = takes_dynamically(filter->work) || (filter->prework != NULL && takes_dynamically(filter->prework));
    sir_effects effects;
    sir_effects_init(&effects, c.scratch, filter);
    VEC(sir_function *) all = {0};
    VEC_PUSH(c.scratch, &all, filter->work);
    if (filter->prework != NULL)
        VEC_PUSH(c.scratch, &all, filter->prework);
    if (filter->ahead != NULL)
        VEC_PUSH(c.scratch, &all, filter->ahead);
    for (size_t i = 0; i < filter->functions.len; i++)
        VEC_PUSH(c.scratch, &all, filter->functions.data[i]);
    for (size_t i = 0; i < filter->handlers.len; i++)
        VEC_PUSH(c.scratch, &all, filter->handlers.data[i]);
    for (size_t i = 0; i < all.len; i++)
        sir_effects_add(&effects, all.data[i]);
    sir_effects_solve(&effects);
    c.effects = &effects;
    bool changed = false;
    for (size_t i = 0; i < all.len; i++)
        changed |= run_function(&c, all.data[i]);
    arena_destroy(c.scratch);
    return changed;
}

// Dead assignments that go may leave a field constant, and then more can be folded.
static bool run_filter(sir_module *m, sir_filter *filter, const canon_options *options)
{
    bool changed = false;
    for (int round = 0; round < MOST_FILTER_ROUNDS; round++) {
        size_t constants = 0, constants_now = 0;
        for (size_t i = 0; i < filter->fields.len; i++)
            constants += filter->fields.data[i].constant;
        bool now = run_filter_once(m, filter, options);
        changed |= now;
        if (now)
            sir_filter_derive(m, filter);
        for (size_t i = 0; i < filter->fields.len; i++)
            constants_now += filter->fields.data[i].constant;
        if (constants_now == constants)
            break;
    }
    return changed;
}

bool sir_canonicalize(sir_module *m, const canon_options *options)
{
    bool changed = !m->canonical;
    changed |= run_module_functions(m, options);
    for (size_t i = 0; i < m->filters.len; i++)
        changed |= run_filter(m, m->filters.data[i], options);
    m->canonical = true;
    return changed;
}

static const schedule *schedule_quietly(hlc_program *p)
{
    diag_engine quiet; // errors and warnings come from the pass 'schedule'
    diag_init(&quiet, p->arena, p->sources);
    return schedule_compute(p->arena, &quiet, p->sources, p->module);
}

// The initialisation is the same whether a message that is never sent is gone from the text or not: it decides where the
// first steady state begins.
bool pass_canonicalize(hlc_program *p)
{
    sir_module *m = p->module;
    const schedule *before = m->portals.len == 0 ? NULL : schedule_quietly(p);
    const canon_options options = {.remarks = p->diag->remarks ? p->diag : NULL,
                                   .keep_subscripts = p->config->check_bounds,
                                   .keep_peeks = p->config->check_rates,
                                   .keep_locals = hlc_keeps_names(p->config)};
    bool changed = sir_canonicalize(m, &options);
    const schedule *after = before == NULL || !changed ? NULL : schedule_quietly(p);
    for (size_t i = 0; i < m->actors.len && after != NULL; i++)
        if (before->init[i] != after->init[i])
            m->actors.data[i]->least = before->init[i];
    return changed;
}
