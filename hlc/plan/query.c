// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Questions to a plan: what a stage moves, where its runs start, how it walks its buffers.
#include <string.h>

#include "hlc/plan/plan_int.h"

const plan_net *plan_graph_of(const plan *pl)
{
    return pl->net != NULL ? pl->net : pl->cut != NULL ? pl->cut->graph : NULL;
}

plan *plan_copy(arena *a, const plan *pl, const plan_cut *cut)
{
    plan *copy = ARENA_NEW(a, plan);
    *copy = *pl;
    copy->cut = cut;
    memset(&copy->buffers, 0, sizeof copy->buffers);
    memset(&copy->capacities, 0, sizeof copy->capacities);
    for (VEC_EACH(const plan_buffer, b, &pl->buffers))
        VEC_PUSH(a, &copy->buffers, *b);
    return copy;
}

uint32_t plan_end_of(const plan *pl, const sir_module *m, uint32_t buffer)
{
    const sir_channel *c = &m->channels.data[pl->buffers.data[buffer].channel];
    if (pl->cut == NULL)
        return PLAN_NONE;
    if (m->actors.data[c->producer]->kind == SIR_READER)
        return c->producer;
    return m->actors.data[c->consumer]->kind == SIR_WRITER ? c->consumer : PLAN_NONE;
}

const plan_buffer *plan_buffer_of_end(const plan *pl, uint32_t actor)
{
    size_t at = (size_t)hmap_getn(pl->ends, &actor, sizeof actor);
    if (at == 0)
        return NULL;
    const plan_io *io = at <= pl->readers.len ? &pl->readers.data[at - 1] : &pl->writers.data[at - 1 - pl->readers.len];
    return &pl->buffers.data[io->access.buffer];
}

void plan_know_ends(arena *a, plan *pl)
{
    pl->ends = ARENA_NEW(a, hmap);
    hmap_init(pl->ends, a);
    for (size_t i = 0; i < pl->readers.len + pl->writers.len; i++) {
        const plan_io *io = i < pl->readers.len ? &pl->readers.data[i] : &pl->writers.data[i - pl->readers.len];
        if (hmap_getn(pl->ends, &io->actor, sizeof io->actor) == NULL)
            hmap_setn(pl->ends, &io->actor, sizeof io->actor, (void *)(uintptr_t)(i + 1));
    }
}

size_t plan_stage_members(const plan_stage *st)
{
    return st->others.len + 1;
}

plan_stage plan_stage_member(const plan_stage *st, size_t member)
{
    plan_stage one = *st;
    one.others.len = 0;
    one.in_members = one.out_members = (plan_digits){0};
    if (member != 0) {
        one.actor = st->others.data[member - 1].actor;
        one.port = st->others.data[member - 1].port;
        one.in.view.offset += digits_at(&st->in_members, (int64_t)member);
        one.out.view.offset += digits_at(&st->out_members, (int64_t)member);
    }
    return one;
}

bool plan_actor_has_prework(const sir_actor *actor)
{
    return actor->kind == SIR_FILTER && actor->filter->prework != NULL;
}

// Items that one firing of a splitter, joiner or identity moves through a port.
static int64_t copied(const sir_actor *actor, uint32_t port)
{
    if (actor->kind == SIR_FILTER || (actor->kind == SIR_SPLIT && actor->duplicate))
        return 1;
    return actor->weights.data[port];
}

sched_rate plan_in_rate(const sir_module *m, const plan_stage *st, bool first)
{
    const sir_actor *actor = m->actors.data[st->actor];
    if (st->kind == PLAN_FIRE)
        return actor->inputs.len != 0 ? sched_input_rate(actor, 0, first) : (sched_rate){0};
    int64_t weight = copied(actor, st->port);
    return (sched_rate){.peek = weight, .pop = weight};
}

int64_t plan_out_rate(const sir_module *m, const plan_stage *st, bool first)
{
    const sir_actor *actor = m->actors.data[st->actor];
    if (st->kind == PLAN_FIRE)
        return actor->outputs.len != 0 ? sched_output_rate(actor, 0, first) : 0;
    return copied(actor, st->port);
}

int64_t plan_in_items(const sir_module *m, const plan_stage *st, int64_t firings)
{
    return firings == 0 ? 0 : plan_in_rate(m, st, true).pop + (firings - 1) * plan_in_rate(m, st, false).pop;
}

int64_t plan_out_items(const sir_module *m, const plan_stage *st, int64_t firings)
{
    return firings == 0 ? 0 : plan_out_rate(m, st, true) + (firings - 1) * plan_out_rate(m, st, false);
}

static int64_t start_of(const plan *pl, const plan_access *access, int64_t moved, plan_phase phase)
{
    if (phase == PLAN_INIT)
        return view_at(&access->view, 0);
    return view_at(&access->view, moved) - pl->buffers.data[access->buffer].base;
}

int64_t plan_in_start(const plan *pl, const sir_module *m, const schedule *s, const plan_stage *st, plan_phase phase)
{
    return start_of(pl, &st->in, plan_in_items(m, st, s->init[st->actor]), phase);
}

int64_t plan_out_start(const plan *pl, const sir_module *m, const schedule *s, const plan_stage *st, plan_phase phase)
{
    return start_of(pl, &st->out, plan_out_items(m, st, s->init[st->actor]), phase);
}

int64_t plan_io_start(const plan *pl, const schedule *s, const plan_io *io, plan_phase phase)
{
    return start_of(pl, &io->access, s->init[io->actor], phase);
}

plan_actor_list plan_printing_actors(arena *a, const sir_module *m)
{
    plan_actor_list list = {0};
    for (uint32_t i = 0; i < m->actors.len; i++)
        if (sir_prints(m->actors.data[i]))
            VEC_PUSH(a, &list, i);
    return list;
}

bool plan_several_print(const sir_module *m)
{
    size_t count = 0;
    for (VEC_EACH(sir_actor *const, a, &m->actors))
        count += sir_prints(*a);
    return count > 1;
}

bool plan_side_walk(arena *a, const plan_view *v, const plan_side *side, plan_side_digits *d)
{
    plan_digits none;
    *d = (plan_side_digits){0};
    int64_t first = 0;
    if (side->prework) {
        first = side->first_step;
        if (!view_windows(a, v, 0, side->first_window, 0, &d->first, &none))
            return false;
        d->skip = view_at(v, first) - v->offset;
    }
    // The work firings of the initialisation, then those of a later run: the same walk from each run's start.
    if (!view_windows(a, v, first, side->window, side->step, &d->items, &d->firing))
        return false;
    int64_t works = side->init - (side->prework && side->init != 0 ? 1 : 0),
            moved = (side->init != 0 ? first : 0) + works * side->step;
    plan_digits items, firing;
    return view_windows(a, v, moved, side->window, side->step, &items, &firing) &&
           side->reps % digits_period(&d->firing) == 0;
}

plan_side plan_copy_side(const schedule *s, uint32_t actor, int64_t weight)
{
    if (s->cycle[actor] >= 0) // a run of copies may begin at any firing
        return (plan_side){.step = weight, .window = weight, .init = s->init[actor], .reps = s->reps[actor]};
    return (plan_side){.step = 1, .window = 1, .init = s->init[actor] * weight, .reps = s->reps[actor] * weight};
}

bool plan_filter_walk(arena *a, const sir_filter *f, const plan_view *in, int64_t in_first, const plan_view *out,
                      int64_t out_first, int64_t firings, plan_walk *w)
{
    const sir_function *work = f->work;
    *w = (plan_walk){0};
    return view_windows(a, in, in_first, work->peek.max, work->pop.max, &w->in_items, &w->in_firing) &&
           view_windows(a, out, out_first, work->push.max, work->push.max, &w->out_items, &w->out_firing) &&
           firings % digits_period(&w->in_firing) == 0 && firings % digits_period(&w->out_firing) == 0;
}

bool plan_stage_walk(arena *a, const sir_module *m, const schedule *s, const plan_stage *st, plan_walk *w)
{
    const sir_actor *actor = m->actors.data[st->actor];
    plan_side side = {.prework = plan_actor_has_prework(actor), .init = s->init[st->actor], .reps = s->reps[st->actor]};
    *w = (plan_walk){0};
    plan_side_digits d;
    if (st->kind == PLAN_COPY) {
        plan_side_digits from, to;
        side = plan_copy_side(s, st->actor, plan_out_rate(m, st, false));
        bool fits = plan_side_walk(a, &st->in.view, &side, &from) && plan_side_walk(a, &st->out.view, &side, &to);
        w->in_firing = from.firing;
        w->out_firing = to.firing;
        return fits;
    }
    if (st->in.buffer != PLAN_NONE) {
        sched_rate first = plan_in_rate(m, st, true), work = plan_in_rate(m, st, false);
        side.first_step = first.pop;
        side.first_window = first.peek;
        side.step = work.pop;
        side.window = work.peek;
        if (!plan_side_walk(a, &st->in.view, &side, &d))
            return false;
        w->in_items = d.items;
        w->in_first = d.first;
        w->in_firing = d.firing;
        w->in_skip = d.skip;
    }
    if (st->out.buffer != PLAN_NONE) {
        side.first_step = side.first_window = plan_out_rate(m, st, true);
        side.step = side.window = plan_out_rate(m, st, false);
        if (!plan_side_walk(a, &st->out.view, &side, &d))
            return false;
        w->out_items = d.items;
        w->out_first = d.first;
        w->out_firing = d.firing;
        w->out_skip = d.skip;
    }
    return true;
}
