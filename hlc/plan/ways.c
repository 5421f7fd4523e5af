// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ways of messages as the plan knows them, and the actors that must be kernels of their own for them.
#include "hlc/plan/ways.h"

#include <string.h>

static plan_way *way_between(arena *a, plan_ways *ways, uint32_t sender, uint32_t receiver)
{
    for (VEC_EACH(plan_way, w, ways))
        if (w->sender == sender && w->receiver == receiver)
            return w;
    VEC_PUSH(a, ways, (plan_way){.sender = sender, .receiver = receiver, .latency = INT64_MAX});
    return &VEC_LAST(ways);
}

plan_ways *plan_ways_build(arena *a, diag_engine *d, source_set *sources, const sir_module *m, const schedule *s)
{
    plan_ways *ways = ARENA_NEW(a, plan_ways);
    for (VEC_EACH(const sched_message, message, &s->messages)) {
        plan_way *w = way_between(a, ways, message->sender, message->receiver);
        int64_t latency = message->latency > 0 ? message->latency : 0;
        bool is_new = w->latency == INT64_MAX;
        w->latency = latency < w->latency ? latency : w->latency;
        if (!is_new)
            continue;
        w->upstream = message->upstream;
        w->steady = message->steady;
        w->held = message->held;
        w->anytime = message->anytime;
        if (w->anytime || sched_sdep_tabulate(sched_sdep_of_message(a, m, s, message), &w->sdep))
            continue;
        diag_error(
            d, sir_range(m, sources, message->loc),
            "'%s' and '%s' fire in a proportion that takes too large a table for messages between them: send this one "
            "between filters whose rates have a smaller common multiple",
            m->actors.data[w->sender]->name, m->actors.data[w->receiver]->name);
        return NULL;
    }
    return ways;
}

void plan_ways_find_alone(const plan_ways *ways, bool *alone)
{
    for (VEC_EACH(const plan_way, w, ways)) {
        alone[w->receiver] = true;
        alone[w->sender] |= w->upstream || w->held;
    }
}

// ---- What lies between ----

static void reach(arena *a, const sir_module *m, const schedule *s, uint32_t from, bool down, bool *seen)
{
    VEC(uint32_t) stack = {0};
    VEC_PUSH(a, &stack, from);
    while (stack.len > 0) {
        const sir_actor *actor = m->actors.data[stack.data[--stack.len]];
        size_t ports = down ? actor->outputs.len : actor->inputs.len;
        for (size_t i = 0; i < ports; i++) {
            uint32_t channel = down ? actor->outputs.data[i] : actor->inputs.data[i];
            if (channel == SIR_NONE || s->channels[channel].cut)
                continue;
            uint32_t next = down ? m->channels.data[channel].consumer : m->channels.data[channel].producer;
            if (!seen[next])
                VEC_PUSH(a, &stack, next);
            seen[next] = true;
        }
    }
}

static void find_between(arena *a, const plan_ways *ways, const sir_module *m, const schedule *s, bool *between)
{
    size_t n = m->actors.len;
    bool *below = ARENA_ARRAY(a, bool, n + 1), *above = ARENA_ARRAY(a, bool, n + 1);
    for (VEC_EACH(const plan_way, w, ways)) {
        if (!w->upstream)
            continue;
        reach(a, m, s, w->receiver, true, below);
        reach(a, m, s, w->sender, false, above);
    }
    for (size_t i = 0; i < n; i++)
        between[i] = below[i] && above[i];
}

bool plan_ways_any_time(const plan_ways *ways)
{
    bool any = false;
    for (VEC_EACH(const plan_way, w, ways))
        any |= w->anytime;
    return any;
}

// Firings that a receiver is ahead of those that the sender's messages leave alone, at most.
static int64_t most_ahead(const plan_way *w)
{
    int64_t all;
    if (w->sdep.period == 0 || __builtin_mul_overflow(w->latency + 1, w->sdep.step, &all))
        return INT64_MAX;
    return all / w->sdep.period + w->sdep.step;
}

const int64_t *plan_ways_most_firings(arena *a, const plan_ways *ways, const sir_module *m, const schedule *s)
{
    size_t n = m->actors.len;
    int64_t *most = ARENA_ARRAY(a, int64_t, n + 1);
    for (size_t i = 0; i < n; i++)
        most[i] = INT64_MAX;
    for (VEC_EACH(const plan_way, w, ways)) {
        bool *below = ARENA_ARRAY(a, bool, n + 1), *above = ARENA_ARRAY(a, bool, n + 1);
        int64_t ahead = w->upstream && !w->anytime ? most_ahead(w) : INT64_MAX, reps = s->reps[w->receiver];
        if (ahead == INT64_MAX || reps == 0)
            continue;
        reach(a, m, s, w->receiver, true, below);
        reach(a, m, s, w->sender, false, above);
        below[w->receiver] = above[w->sender] = true;
        above[w->receiver] = below[w->sender] = true;
        for (size_t i = 0; i < n; i++) {
            int64_t firings;
            if (!below[i] || !above[i] || __builtin_mul_overflow(ahead, s->reps[i], &firings))
                continue;
            firings = firings / reps + 1;
            most[i] = firings < most[i] ? firings : most[i];
        }
    }
    return most;
}

bool plan_ways_find_between(arena *a, const plan_ways *ways, const sir_module *m, const schedule *s,
                            const uint32_t *kernel, uint32_t kernels, bool *alone)
{
    size_t n = m->actors.len;
    bool *between = ARENA_ARRAY(a, bool, n + 1), *holds = ARENA_ARRAY(a, bool, (size_t)kernels + 1), fits = true,
         any = false;
    int32_t *group = ARENA_ARRAY(a, int32_t, n + 1);
    find_between(a, ways, m, s, between);
    for (uint32_t i = 0; i < n; i++)
        if (between[i] && !alone[i] && kernel[i] != SIR_NONE)
            holds[kernel[i]] = any = true;
    if (!any)
        return false;
    for (uint32_t i = 0; i < n; i++)
        group[i] = kernel[i] != SIR_NONE && holds[kernel[i]] && !alone[i] ? (int32_t)kernel[i] : -1;
    for (size_t i = 0; i < ways->len && fits; i++) {
        const plan_way *w = &ways->data[i];
        if (w->upstream)
            fits = sched_groups_fit(a, m, s, w->sender, group, (int32_t)kernels);
    }
    bool marked = false;
    for (uint32_t i = 0; i < n && !fits; i++) {
        bool mark = between[i] && !alone[i] && kernel[i] != SIR_NONE;
        alone[i] |= mark;
        marked |= mark;
    }
    return marked;
}
