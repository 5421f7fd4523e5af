// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hlc/passes/regions.h"

#include <string.h>

#include "hlc/schedule/schedule.h"

bool pass_is_source(const sir_actor *a)
{
    return a->kind == SIR_FILTER && a->filter->input->kind == SIR_VOID;
}

bool pass_has_gaps(const sir_actor *a)
{
    bool gaps = false;
    for (VEC_EACH(uint32_t, c, &a->inputs))
        gaps = gaps || (*c == SIR_NONE && !pass_is_source(a));
    for (size_t i = 0; i < a->outputs.len; i++)
        gaps = gaps ||
               (a->outputs.data[i] == SIR_NONE && (a->kind != SIR_SPLIT || a->duplicate || a->weights.data[i] != 0));
    return gaps;
}

pass_region_ends pass_find_region_ends(arena *a, const sir_module *m, uint32_t first, uint32_t most, size_t held,
                                       bool may(void *context, uint32_t actor), void *context)
{
    pass_region_ends ends = {0};
    int64_t entering = 0, leaving = 0;
    uint32_t end = most < m->actors.len - first ? first + most : (uint32_t)m->actors.len;
    for (uint32_t i = first; i < end && may(context, i); i++) {
        const sir_actor *actor = m->actors.data[i];
        uint32_t out = SIR_NONE;
        bool fits = true;
        for (VEC_EACH(uint32_t, c, &actor->inputs)) {
            if (*c == SIR_NONE)
                continue;
            bool inside = m->channels.data[*c].producer >= first && m->channels.data[*c].producer < i;
            leaving -= inside;
            entering += !inside;
            fits = fits && (!inside || m->channels.data[*c].initial.len <= held);
        }
        for (VEC_EACH(uint32_t, c, &actor->outputs)) {
            if (*c == SIR_NONE)
                continue;
            fits = fits && m->channels.data[*c].consumer > i;
            leaving++;
            out = *c;
        }
        if (entering != 1 || !fits)
            break;
        if (leaving == 1 && i > first && out != SIR_NONE)
            VEC_PUSH(a, &ends, ((pass_region_end){i, out}));
    }
    return ends;
}

// ---- Rates ----

// Items that a firing of a channel's producer gives to it, and one of its consumer takes.
static int64_t given(const sir_module *m, const sir_channel *c)
{
    return sched_output_rate(m->actors.data[c->producer], c->producer_port, false);
}

static int64_t taken(const sir_module *m, const sir_channel *c)
{
    return sched_input_rate(m->actors.data[c->consumer], c->consumer_port, false).pop;
}

// The first input that does not come from a source; SIR_NONE: none.
static uint32_t main_input(const sir_module *m, const sir_actor *a)
{
    for (VEC_EACH(uint32_t, c, &a->inputs))
        if (*c != SIR_NONE && !pass_is_source(m->actors.data[m->channels.data[*c].producer]))
            return *c;
    return SIR_NONE;
}

// Has actor i of the region take or give so many items on a channel, of which a firing has `rate`: where they are no whole
// firings, all actors before `known` fire so many times as often. false: too many.
static bool fires_for(pass_region *r, size_t i, int64_t items, int64_t rate, size_t known, int64_t *factor)
{
    if (items == 0 || rate == 0 || items > r->most * r->most)
        return false;
    int64_t d = sched_gcd(items, rate), more = rate / d;
    *factor *= more;
    if (*factor > r->most)
        return false;
    for (size_t k = 0; more != 1 && k < known; k++)
        r->reps[k] *= more;
    r->reps[i] = items / d;
    return true;
}

// Whether joiners take what comes to each of their inputs: in a program whose rates are inconsistent they do not.
static bool all_is_taken(const pass_region *r)
{
    const sir_module *m = r->m;
    for (uint32_t i = r->first + 1; i <= r->last; i++)
        for (VEC_EACH(uint32_t, in, &m->actors.data[i]->inputs)) {
            const sir_channel *c = *in == SIR_NONE ? NULL : &m->channels.data[*in];
            if (c != NULL && r->reps[c->producer - r->first] * given(m, c) != r->reps[i - r->first] * taken(m, c))
                return false;
        }
    return true;
}

bool pass_region_balances(pass_region *r)
{
    const sir_module *m = r->m;
    size_t n = r->last - r->first + 1;
    int64_t factor = 1, all = 0;
    r->reps = ARENA_ARRAY(r->a, int64_t, n);
    r->reps[0] = 1;
    for (size_t i = 1; i < n; i++) {
        const sir_actor *a = m->actors.data[r->first + i];
        uint32_t in = main_input(m, a);
        if (pass_is_source(a))
            continue;
        if (in == SIR_NONE)
            return false;
        const sir_channel *c = &m->channels.data[in];
        if (!fires_for(r, i, r->reps[c->producer - r->first] * given(m, c), taken(m, c), i, &factor))
            return false;
    }
    for (size_t i = 1; i < n; i++) {
        const sir_actor *a = m->actors.data[r->first + i];
        if (!pass_is_source(a))
            continue;
        const sir_channel *c = &m->channels.data[a->outputs.data[0]];
        if (!fires_for(r, i, r->reps[c->consumer - r->first] * taken(m, c), given(m, c), n, &factor))
            return false;
    }
    for (size_t i = 0; i < n; i++)
        all = sched_gcd(all, r->reps[i]);
    for (size_t i = 0; i < n; i++)
        r->reps[i] /= all;
    return all_is_taken(r);
}

int64_t pass_region_items(const pass_region *r, uint32_t channel)
{
    const sir_channel *c = &r->m->channels.data[channel];
    if (channel == r->in)
        return r->reps[c->consumer - r->first] * taken(r->m, c);
    return r->reps[c->producer - r->first] * given(r->m, c);
}

bool pass_region_comes_out_at_once(const pass_region *r)
{
    const sir_module *m = r->m;
    size_t n = r->last - r->first + 1;
    int64_t *fires = ARENA_ARRAY(r->a, int64_t, n);
    for (size_t i = 0; i < n; i++) {
        const sir_actor *a = m->actors.data[r->first + i];
        fires[i] = INT64_MAX;
        for (size_t k = 0; k < a->inputs.len && !pass_is_source(a); k++) {
            if (pass_is_source(m->actors.data[m->channels.data[a->inputs.data[k]].producer]))
                continue; // never waited for
            const sir_channel *c = &m->channels.data[a->inputs.data[k]];
            int64_t items, each = taken(m, c);
            if (a->inputs.data[k] == r->in)
                items = pass_region_items(r, r->in) - 1;
            else if (__builtin_mul_overflow(fires[c->producer - r->first], given(m, c), &items))
                items = INT64_MAX; // of an actor that waits for nothing
            if (r->lead != NULL && a->inputs.data[k] != r->in &&
                __builtin_add_overflow(items, r->lead[a->inputs.data[k]], &items))
                items = INT64_MAX;
            if (each > 0 && items / each < fires[i])
                fires[i] = items / each;
        }
    }
    const sir_channel *out = &m->channels.data[r->out];
    return fires[out->producer - r->first] == 0 || given(m, out) == 0;
}

const char *pass_region_name(const pass_region *r)
{
    const sir_module *m = r->m;
    uint32_t common = m->actors.data[r->first]->region;
    for (uint32_t i = r->first + 1; i <= r->last; i++) {
        uint32_t other = m->actors.data[i]->region;
        while (common != other) // a region's parent has a smaller number
            if (common > other)
                common = m->regions.data[common].parent;
            else
                other = m->regions.data[other].parent;
    }
    const char *name = m->regions.data[common].name;
    if (strcmp(name, "anon") != 0)
        return name;
    for (uint32_t i = r->first; i <= r->last; i++)
        if (m->actors.data[i]->kind == SIR_FILTER)
            return m->actors.data[i]->filter->name;
    return name;
}

void pass_region_replace(sir_module *m, const pass_region *r, sir_filter *filter, const char *name, bool *gone_actor,
                         bool *gone_channel)
{
    sir_actor *actor = ARENA_NEW(m->arena, sir_actor);
    const sir_actor *first = m->actors.data[r->first];
    *actor =
        (sir_actor){.kind = SIR_FILTER, .name = name, .region = first->region, .filter = filter, .loc = first->loc};
    VEC_PUSH(m->arena, &actor->inputs, r->in);
    VEC_PUSH(m->arena, &actor->outputs, r->out);
    for (uint32_t i = r->first; i <= r->last; i++) {
        gone_actor[i] = i != r->first;
        for (VEC_EACH(uint32_t, c, &m->actors.data[i]->outputs))
            if (*c != SIR_NONE)
                gone_channel[*c] = *c != r->out;
    }
    m->actors.data[r->first] = actor;
    m->channels.data[r->in].consumer = m->channels.data[r->out].producer = r->first;
    m->channels.data[r->in].consumer_port = m->channels.data[r->out].producer_port = 0;
}
