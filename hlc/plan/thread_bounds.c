// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hlc/plan/thread_bounds.h"

#include <math.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/thresholds.h"

// Of a filter, once it has been asked for. While it is worked out, and in a loop for good, nothing is known.
typedef struct bounds {
    thread_bound in, out;
    bool has_out;
} bounds;

typedef struct finder {
    hlc_program *p;
    unsigned depth;
} finder;

static const thread_bound nothing_known = {INFINITY, false};

static thread_bound hull(thread_bound a, thread_bound b)
{
    return (thread_bound){a.most > b.most ? a.most : b.most, a.positive && b.positive};
}

static thread_bound of_values(const sir_value *v)
{
    thread_bound r = {0, true};
    for (uint64_t i = 0; !v->zero && i < v->type->words; i++)
        r = hull(r, (thread_bound){fabs((double)v->data[i].i), v->data[i].i >= 0});
    return r;
}

static bounds *bounds_of(finder *d, const sir_filter *f);

// What a function of the filter pushes.
static thread_bound of_pushed(finder *d, const sir_filter *f, const sir_function *work, thread_bound in)
{
    thread_bound r = {0, true};
    if (work == NULL)
        return r;
    thread_walk w = thread_walk_of(d->p->arena, f, work, &(thread_walk_options){true, true, in, 0});
    for (VEC_EACH(uint32_t, node, &w.pushed))
        r = hull(r, (thread_bound){w.ops->bounds.data[*node], w.ops->positive.data[*node]});
    return w.lack.why == NULL ? r : nothing_known;
}

static thread_bound of_filter(finder *d, const sir_filter *f)
{
    bounds *b = bounds_of(d, f);
    if (b->has_out || (f->output->kind != SIR_INT && f->output->kind != SIR_BIT))
        return b->out;
    b->has_out = true;
    b->out = hull(of_pushed(d, f, f->work, b->in), of_pushed(d, f, f->prework, b->in));
    return b->out;
}

static thread_bound of_channel(finder *d, uint32_t channel)
{
    const sir_module *m = d->p->module;
    if (channel == SIR_NONE)
        return (thread_bound){0, true};
    const sir_channel *c = &m->channels.data[channel];
    const sir_actor *from = m->actors.data[c->producer];
    thread_bound r = {0, true};
    if (c->type->kind == SIR_BIT && (m->byte_bits || from->kind == SIR_READER))
        return (thread_bound){1, true};
    if ((c->type->kind != SIR_INT && c->type->kind != SIR_BIT) || d->depth > THREAD_DEEPEST || from->kind == SIR_READER)
        return nothing_known;
    d->depth++;
    for (VEC_EACH(sir_value, v, &c->initial))
        r = hull(r, of_values(v));
    if (from->kind == SIR_FILTER)
        r = hull(r, of_filter(d, from->filter));
    else
        for (VEC_EACH(uint32_t, in, &from->inputs))
            r = hull(r, of_channel(d, *in));
    d->depth--;
    return r;
}

static bounds *bounds_of(finder *d, const sir_filter *f)
{
    hlc_program *p = d->p;
    bounds *b = hmap_getn(p->item_bounds, &f, sizeof f);
    if (b != NULL)
        return b;
    b = ARENA_NEW(p->arena, bounds);
    *b = (bounds){nothing_known, nothing_known, false};
    hmap_setn(p->item_bounds, &f, sizeof f, b);
    thread_bound all = {0, true};
    bool any = false;
    for (VEC_EACH(sir_actor *, a, &p->module->actors)) {
        if ((*a)->kind != SIR_FILTER || (*a)->filter != f || (*a)->inputs.len == 0)
            continue;
        all = hull(all, of_channel(d, (*a)->inputs.data[0]));
        any = true;
    }
    if (any)
        b->in = all;
    return b;
}

thread_bound thread_bound_of(hlc_program *p, const sir_filter *f)
{
    finder d = {p, 0};
    if (p->item_bounds == NULL) {
        p->item_bounds = ARENA_NEW(p->arena, hmap);
        hmap_init(p->item_bounds, p->arena);
    }
    return bounds_of(&d, f)->in;
}
