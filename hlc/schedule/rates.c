// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rates of actors' ports, one by one and as a table of the whole graph.
#include "hlc/schedule/schedule_int.h"

static const sir_function *firing_function(const sir_actor *actor, bool first)
{
    return first && actor->filter->prework ? actor->filter->prework : actor->filter->work;
}

static int64_t weight_sum(const sir_actor *actor)
{
    int64_t sum = 0;
    for (size_t i = 0; i < actor->weights.len; i++)
        sum += actor->weights.data[i];
    return sum;
}

static int64_t weight(const sir_actor *actor, uint32_t port)
{
    return port < actor->weights.len ? (int64_t)actor->weights.data[port] : 0;
}

sched_rate sched_input_rate(const sir_actor *actor, uint32_t port, bool first)
{
    sched_rate r = {0, 0, 0};
    switch (actor->kind) {
    case SIR_FILTER: {
        const sir_function *f = firing_function(actor, first);
        r.pop = f->pop.min;
        r.peek = f->peek.min > f->pop.min ? f->peek.min : f->pop.min;
        break;
    }
    case SIR_SPLIT: r.peek = r.pop = actor->duplicate ? 1 : weight_sum(actor); break;
    case SIR_JOIN: r.peek = r.pop = weight(actor, port); break;
    case SIR_WRITER: r.peek = r.pop = 1; break;
    case SIR_READER: break;
    }
    return r;
}

int64_t sched_output_rate(const sir_actor *actor, uint32_t port, bool first)
{
    switch (actor->kind) {
    case SIR_FILTER: return firing_function(actor, first)->push.min;
    case SIR_SPLIT: return actor->duplicate ? 1 : weight(actor, port);
    case SIR_JOIN: return weight_sum(actor);
    case SIR_READER: return 1;
    case SIR_WRITER: break;
    }
    return 0;
}

static bool any_rate(const sir_actor *actor, bool output)
{
    if (actor->kind != SIR_FILTER)
        return false;
    const sir_function *functions[] = {actor->filter->work, actor->filter->prework};
    for (size_t i = 0; i < 2; i++)
        if (functions[i] != NULL &&
            (output ? functions[i]->push.dynamic : functions[i]->pop.dynamic || functions[i]->peek.dynamic))
            return true;
    return false;
}

bool sched_dynamic_input(const sir_actor *actor)
{
    return any_rate(actor, false);
}

bool sched_dynamic_output(const sir_actor *actor)
{
    return any_rate(actor, true);
}

// What crosses a cut channel balances nothing and limits nothing here.
static void cut_channels(sched_table *t)
{
    for (uint32_t i = 0; i < t->channels; i++) {
        sched_port *in = &t->ins[t->consumer[i]], *out = &t->outs[t->producer[i]];
        t->cut[i] =
            sched_dynamic_input(t->m->actors.data[in->actor]) || sched_dynamic_output(t->m->actors.data[out->actor]);
        if (!t->cut[i])
            continue;
        *in = (sched_port){.channel = i, .actor = in->actor};
        *out = (sched_port){.channel = i, .actor = out->actor};
    }
}

static void add_input(sched_table *t, uint32_t actor, uint32_t port, uint32_t channel, uint32_t slot)
{
    const sir_actor *a = t->m->actors.data[actor];
    sched_rate first = sched_input_rate(a, port, true), each = sched_input_rate(a, port, false);
    t->ins[slot] = (sched_port){.channel = channel,
                                .actor = actor,
                                .first_peek = first.peek,
                                .first_pop = first.pop,
                                .peek = each.peek,
                                .pop = each.pop};
    t->consumer[channel] = slot;
}

static void add_output(sched_table *t, uint32_t actor, uint32_t port, uint32_t channel, uint32_t slot)
{
    const sir_actor *a = t->m->actors.data[actor];
    t->outs[slot] = (sched_port){.channel = channel,
                                 .actor = actor,
                                 .first_push = sched_output_rate(a, port, true),
                                 .push = sched_output_rate(a, port, false)};
    t->producer[channel] = slot;
}

void sched_table_build(arena *a, const sir_module *m, sched_table *t)
{
    t->m = m;
    t->actors = m->actors.len;
    t->channels = m->channels.len;
    t->in_start = ARENA_ARRAY(a, uint32_t, t->actors + 1);
    t->out_start = ARENA_ARRAY(a, uint32_t, t->actors + 1);
    t->ins = ARENA_ARRAY(a, sched_port, t->channels + 1);
    t->outs = ARENA_ARRAY(a, sched_port, t->channels + 1);
    t->consumer = ARENA_ARRAY(a, uint32_t, t->channels + 1);
    t->producer = ARENA_ARRAY(a, uint32_t, t->channels + 1);
    t->has_prework = ARENA_ARRAY(a, bool, t->actors + 1);
    t->cut = ARENA_ARRAY(a, bool, t->channels + 1);
    uint32_t in = 0, out = 0;
    for (uint32_t i = 0; i < t->actors; i++) {
        const sir_actor *actor = m->actors.data[i];
        t->in_start[i] = in;
        t->out_start[i] = out;
        t->has_prework[i] = actor->kind == SIR_FILTER && actor->filter->prework;
        for (uint32_t p = 0; p < actor->inputs.len; p++)
            if (actor->inputs.data[p] != SIR_NONE)
                add_input(t, i, p, actor->inputs.data[p], in++);
        for (uint32_t p = 0; p < actor->outputs.len; p++)
            if (actor->outputs.data[p] != SIR_NONE)
                add_output(t, i, p, actor->outputs.data[p], out++);
    }
    t->in_start[t->actors] = in;
    t->out_start[t->actors] = out;
    cut_channels(t);
}

bool sched_add(int64_t a, int64_t b, int64_t *sum)
{
    return !__builtin_add_overflow(a, b, sum) && *sum <= SCHED_MAX && *sum >= -SCHED_MAX;
}

bool sched_mul(int64_t a, int64_t b, int64_t *product)
{
    return !__builtin_mul_overflow(a, b, product) && *product <= SCHED_MAX && *product >= -SCHED_MAX;
}

bool sched_moved(int64_t k, int64_t first, int64_t each, int64_t *items)
{
    *items = 0;
    return k <= 0 || (sched_mul(k - 1, each, items) && sched_add(*items, first, items));
}
