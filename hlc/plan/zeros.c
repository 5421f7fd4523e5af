// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels of which all but every so many items are zeros (sir_zeros, hlc/passes/polyphase.c): where runs of whole steady
// states can leave these out, NOTE(zeros) in hlc/emit/program_zeros.c.
#include "hlc/plan/plan_int.h"
#include "hlc/plan/threads.h"

// The stage of a kernel that fires the actor by itself, outside of feedback loops; NULL: there is none.
static const plan_stage *stage_of(const plan_kernel *k, uint32_t actor)
{
    for (VEC_EACH(const plan_item, item, &k->items))
        for (VEC_EACH(const plan_stage, st, &item->stages))
            if (item->cycle < 0 && st->kind == PLAN_FIRE && st->actor == actor && st->others.len == 0)
                return st;
    return NULL;
}

static bool is_plain(const sir_actor *a)
{
    return !plan_actor_has_prework(a) && !a->filter->prints;
}

static bool find(arena *a, const plan *pl, const sir_module *m, const schedule *s, const sir_channel *c, plan_zeros *z)
{
    const sir_zeros *known = c->zeros;
    for (VEC_EACH(const plan_kernel, k, &pl->kernels)) {
        if (z->from == NULL && z->to == NULL) { // both in one kernel
            z->from = stage_of(k, c->producer);
            z->to = stage_of(k, c->consumer);
        }
    }
    if (z->from == NULL || z->to == NULL || z->from->out.buffer != z->to->in.buffer ||
        !is_plain(m->actors.data[c->producer]) || !is_plain(m->actors.data[c->consumer]))
        return false;
    const plan_buffer *b = &pl->buffers.data[z->from->out.buffer];
    const sir_function *many = known->phases->work;
    z->buffer = z->from->out.buffer;
    z->kept = b->keep > known->first ? (b->keep - 1 - known->first) / known->every + 1 : 0;
    z->firings = many->push.max / m->actors.data[c->consumer]->filter->work->push.max;
    z->room = z->kept + pl->strip * (b->step / known->every);
    const plan_view plain = view_identity(a, 0);
    plan_walk walk;
    return &m->channels.data[b->channel] == c && view_contiguous(&z->from->out.view) &&
           view_contiguous(&z->to->in.view) && b->keep == s->channels[b->channel].remainder &&
           many->peek.max - many->pop.max <= z->kept && (z->kept != 0 || b->keep == 0) &&
           plan_in_start(pl, m, s, z->to, PLAN_STEADY) == 0 &&
           plan_out_start(pl, m, s, z->from, PLAN_STEADY) == b->keep &&
           plan_filter_walk(a, known->phases, &plain, 0, &z->to->out.view,
                            plan_out_items(m, z->to, s->init[c->consumer]), s->reps[c->consumer] / z->firings, &walk) &&
           plan_filter_walk(a, known->samples, &z->from->in.view, plan_in_items(m, z->from, s->init[c->producer]),
                            &plain, 0, s->reps[c->producer], &walk);
}

bool plan_find_zeros(arena *a, const plan *pl, const sir_module *m, const schedule *s, uint32_t channel, plan_zeros *z)
{
    *z = (plan_zeros){0};
    const sir_channel *c = &m->channels.data[channel];
    return pl->net == NULL && c->zeros != NULL && find(a, pl, m, s, c, z);
}

// Threads of soft processors take all items.
bool plan_leaves_zeros_out(const plan *pl)
{
    return pl->net == NULL && pl->cut != NULL && plan_cut_move(pl->cut) &&
           plan_launcher(pl->cut->resources->machine) == NULL;
}
