// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'linear', of -Ofast alone: filters that are sums of products of their items and constants, in rows and in
// splitjoins, are one such filter where that takes fewer operations.
//
//     duplicate { LowPass(a) LowPass(b) } Subtract  ->  Fir (weights b - a)
//
// Forms of stretches are composed from those of their filters, some of which do not pay by themselves: a splitjoin of ten
// bands is as dear as they are, and one sum with the filter that adds them. So a stretch remembers what it was made of,
// and the outermost ones that pay become filters. (Lamb, Thies and Amarasinghe: Linear analysis and optimization of stream
// programs, PLDI 2003, section 4.)
#include <inttypes.h>

#include "hlc/passes/linear_int.h"
#include "hlc/passes/pass.h"

// What remains of the operations before, so that a stretch is worth it.
static const double WORTH = 0.9;

typedef struct stretch stretch;
struct stretch {
    uint32_t in, out; // channels
    linear_form *form;
    double cost;      // of a firing, the cheapest way: as one filter, or as those it is made of
    double written;   // of a firing, by the filters as they are
    uint32_t actor;   // the filter that it is; of a splitjoin the splitter; SIR_NONE: two in a row
    uint32_t joiner;  // of a splitjoin; SIR_NONE
    stretch **inside; // NULL: passes items on
    size_t count;
    bool one; // is to become one filter, if it is reached
};

typedef struct extracted {
    linear_form *form; // NULL: the filter is no such sum
    double operations;
} extracted;

typedef struct finder {
    hlc_program *hlc;
    sir_module *m;
    arena *a;
    stretch **after, **before; // by channel: the stretch that takes, and that gives its items
    bool *gone_actor, *gone_channel;
    hmap filters; // extracted
    double work;
    bool any;
} finder;

// ---- Filters ----

static bool is_plain(const finder *x, const sir_actor *a)
{
    const sir_filter *f = a->filter;
    if (a->kind != SIR_FILTER || a->inputs.len != 1 || a->outputs.len != 1 || a->least != 0 || f->stateful ||
        f->prework != NULL || f->handlers.len != 0 || f->uses_iter || f->uses_random || f->prints || f->sends ||
        f->work->peek.dynamic || f->work->pop.dynamic || f->work->push.dynamic)
        return false;
    return f->input == f->output && (f->input->kind == SIR_FLOAT || f->input->kind == SIR_DOUBLE) &&
           f->work->pop.max != 0 && f->work->push.max != 0 && !pass_in_loop(x->m, a->region);
}

static bool is_clear(const finder *x, uint32_t channel)
{
    return channel != SIR_NONE && x->m->channels.data[channel].initial.len == 0 &&
           x->m->channels.data[channel].zeros == NULL;
}

static void set_ends(finder *x, stretch *s)
{
    x->after[s->in] = s;
    x->before[s->out] = s;
}

static void add_filter(finder *x, uint32_t actor)
{
    const sir_actor *a = x->m->actors.data[actor];
    if (!is_plain(x, a))
        return;
    extracted *e = hmap_getn(&x->filters, &a->filter, sizeof a->filter);
    if (e == NULL) {
        e = ARENA_NEW(x->a, extracted);
        e->form = linear_extract(x->a, x->m, a->filter, &e->operations, &x->work);
        hmap_setn(&x->filters, &a->filter, sizeof a->filter, e);
    }
    if (e->form == NULL)
        return;
    stretch *s = ARENA_NEW(x->a, stretch);
    *s = (stretch){.in = a->inputs.data[0],
                   .out = a->outputs.data[0],
                   .form = e->form,
                   .cost = e->operations,
                   .written = e->operations,
                   .actor = actor,
                   .joiner = SIR_NONE};
    set_ends(x, s);
}

// ---- Stretches ----

static void choose(const finder *x, stretch *s, double apart)
{
    s->one = s->form->cost <= WORTH * apart && linear_is_short(s->form, x->m->channels.data[s->in].type);
    s->cost = s->one ? s->form->cost : apart;
}

// Those on both sides of a channel, which is gone if they are one; NULL: they cannot be. worth: only if they pay as one.
static stretch *join_row(finder *x, uint32_t channel, bool worth)
{
    stretch *first = x->before[channel], *second = x->after[channel];
    int64_t firings;
    if (!is_clear(x, channel) || first == NULL || second == NULL)
        return NULL;
    linear_form *form = linear_in_row(x->a, first->form, second->form, &firings, &x->work);
    double apart = form == NULL ? 0 : (double)firings * first->cost + second->cost;
    if (form == NULL || (worth && form->cost > apart))
        return NULL;
    stretch *s = ARENA_NEW(x->a, stretch);
    *s =
        (stretch){.in = first->in, .out = second->out, .form = form, .actor = SIR_NONE, .joiner = SIR_NONE, .count = 2};
    s->inside = ARENA_ARRAY(x->a, stretch *, 2);
    s->inside[0] = first;
    s->inside[1] = second;
    s->written = (double)firings * first->written + second->written;
    choose(x, s, apart);
    x->before[channel] = x->after[channel] = NULL;
    set_ends(x, s);
    return s;
}

// The joiner behind a splitter's output and the stretch between, or none. False: there is something else.
static bool find_branch(finder *x, uint32_t channel, size_t port, uint32_t *joiner, stretch **between)
{
    const sir_module *m = x->m;
    *between = NULL;
    if (!is_clear(x, channel))
        return false;
    while (x->after[channel] != NULL && is_clear(x, x->after[channel]->out)) {
        *between = x->after[channel];
        if (m->actors.data[m->channels.data[(*between)->out].consumer]->kind == SIR_JOIN)
            break;
        if (join_row(x, (*between)->out, false) == NULL)
            return false;
    }
    const sir_channel *last = &m->channels.data[*between == NULL ? channel : (*between)->out];
    if (m->actors.data[last->consumer]->kind != SIR_JOIN || last->consumer_port != port || last->initial.len != 0)
        return false;
    *joiner = last->consumer;
    return true;
}

static bool is_real(const sir_type *t)
{
    return t != NULL && (t->kind == SIR_FLOAT || t->kind == SIR_DOUBLE);
}

static bool join_sides(finder *x, uint32_t splitter)
{
    sir_module *m = x->m;
    const sir_actor *split = m->actors.data[splitter];
    size_t n = split->outputs.len;
    uint32_t joiner = SIR_NONE;
    if (split->kind != SIR_SPLIT || split->inputs.len != 1 || !is_clear(x, split->inputs.data[0]) || n == 0 ||
        !is_real(split->item) || split->least != 0 || pass_in_loop(m, split->region) ||
        x->after[split->inputs.data[0]] != NULL)
        return false;
    stretch *s = ARENA_NEW(x->a, stretch);
    *s = (stretch){.in = split->inputs.data[0], .actor = splitter, .count = n};
    s->inside = ARENA_ARRAY(x->a, stretch *, n);
    const linear_form **forms = ARENA_ARRAY(x->a, const linear_form *, n);
    for (size_t i = 0; i < n; i++) {
        uint32_t at;
        if (!find_branch(x, split->outputs.data[i], i, &at, &s->inside[i]) || (i > 0 && at != joiner))
            return false;
        forms[i] = s->inside[i] == NULL ? NULL : s->inside[i]->form;
        joiner = at;
    }
    const sir_actor *join = m->actors.data[joiner];
    if (join->inputs.len != n || join->outputs.len != 1 || !is_clear(x, join->outputs.data[0]) || join->least != 0)
        return false;
    int64_t *firings = ARENA_ARRAY(x->a, int64_t, n);
    s->form = linear_side_by_side(x->a, forms, split->duplicate ? NULL : split->weights.data, join->weights.data, n,
                                  firings, &x->work);
    if (s->form == NULL)
        return false;
    s->out = join->outputs.data[0];
    s->joiner = joiner;
    double apart = 0;
    for (size_t i = 0; i < n; i++)
        if (s->inside[i] != NULL) {
            apart += (double)firings[i] * s->inside[i]->cost;
            s->written += (double)firings[i] * s->inside[i]->written;
        }
    choose(x, s, apart);
    for (size_t i = 0; i < n; i++) {
        x->after[split->outputs.data[i]] = NULL;
        x->before[join->inputs.data[i]] = NULL;
    }
    set_ends(x, s);
    return true;
}

static void find_stretches(finder *x)
{
    for (uint32_t i = 0; i < x->m->actors.len; i++)
        add_filter(x, i);
    for (bool again = true; again && x->work > 0;) {
        again = false;
        for (uint32_t c = 0; c < x->m->channels.len; c++)
            again |= join_row(x, c, true) != NULL;
        for (uint32_t i = (uint32_t)x->m->actors.len; i-- > 0;)
            again |= join_sides(x, i);
    }
}

// ---- The graph ----

// Takes away what a stretch is made of, but for the actor `kept` and the channels at its ends. Gives how many actors.
static size_t take_away(finder *x, const stretch *s, uint32_t kept)
{
    size_t taken = 0;
    uint32_t own[2] = {s->actor, s->joiner};
    for (size_t i = 0; i < 2; i++)
        if (own[i] != SIR_NONE) {
            taken++;
            x->gone_actor[own[i]] = own[i] != kept;
        }
    for (size_t i = 0; i < s->count; i++)
        if (s->inside[i] != NULL)
            taken += take_away(x, s->inside[i], kept);
    if (s->joiner == SIR_NONE && s->count == 2)
        x->gone_channel[s->inside[0]->out] = true;
    for (size_t i = 0; s->joiner != SIR_NONE && i < s->count; i++) {
        x->gone_channel[x->m->actors.data[s->actor]->outputs.data[i]] = true;
        x->gone_channel[x->m->actors.data[s->joiner]->inputs.data[i]] = true;
    }
    return taken;
}

static uint32_t first_actor(const stretch *s)
{
    while (s->actor == SIR_NONE)
        s = s->inside[0];
    return s->actor;
}

static uint32_t last_actor(const stretch *s)
{
    while (s->actor == SIR_NONE)
        s = s->inside[1];
    return s->joiner != SIR_NONE ? s->joiner : s->actor;
}

static void make_one(finder *x, const stretch *s)
{
    sir_module *m = x->m;
    uint32_t first = first_actor(s), last = last_actor(s);
    sir_actor *from = m->actors.data[first];
    const sir_actor *to = m->actors.data[last];
    const char *name = arena_printf(m->arena, "%s_to_%s", from->name, to->name),
               *source = arena_printf(m->arena, "%s to %s", from->name, to->name);
    const sir_type *item = m->channels.data[s->in].type;
    sir_actor *one = ARENA_NEW(m->arena, sir_actor);
    *one = (sir_actor){.kind = SIR_FILTER, .region = from->region, .loc = from->loc};
    one->name = pass_unique_actor_name(m, m->arena, name);
    one->filter = linear_filter(m, s->form, item, pass_unique_filter_name(m, m->arena, name), source, from->loc);
    VEC_PUSH(m->arena, &one->inputs, s->in);
    VEC_PUSH(m->arena, &one->outputs, s->out);
    m->channels.data[s->in].consumer_port = 0;
    m->channels.data[s->out].producer = first;
    m->channels.data[s->out].producer_port = 0;
    size_t taken = take_away(x, s, first);
    m->actors.data[first] = one;
    x->gone_actor[first] = false;
    x->any = true;
    if (x->hlc->diag->remarks)
        diag_remark(x->hlc->diag, sir_range(m, x->hlc->sources, one->loc),
                    "%zu actors from '%s' to '%s' are one filter of %" PRId64 " sums: %.0f operations instead of %.0f "
                    "[linear]",
                    taken, from->name, to->name, s->form->push, s->form->cost, s->written);
}

static void realize(finder *x, const stretch *s)
{
    if (s == NULL)
        return;
    if (s->one) {
        make_one(x, s);
        return;
    }
    for (size_t i = 0; i < s->count; i++)
        realize(x, s->inside[i]);
}

bool pass_linear(hlc_program *p)
{
    sir_module *m = p->module;
    if (!p->config->fast_math || !pass_may_change_more(p) || m->portals.len != 0)
        return false;
    finder x = {.hlc = p, .m = m, .a = arena_create(), .work = LINEAR_WORK};
    hmap_init(&x.filters, x.a);
    x.after = ARENA_ARRAY(x.a, stretch *, m->channels.len + 1);
    x.before = ARENA_ARRAY(x.a, stretch *, m->channels.len + 1);
    x.gone_actor = ARENA_ARRAY(x.a, bool, m->actors.len + 1);
    x.gone_channel = ARENA_ARRAY(x.a, bool, m->channels.len + 1);
    find_stretches(&x);
    for (uint32_t c = 0; c < m->channels.len; c++)
        realize(&x, x.after[c]);
    if (x.any) {
        pass_sweep(m, x.a, x.gone_actor, x.gone_channel);
        pass_tidy(m);
    }
    arena_destroy(x.a);
    return x.any;
}
