// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// coalesce: the inner schedule of each feedback cycle. Rounds in which every actor in turn fires as often as its input
// allows are played through for one steady state and written down, rounds that repeat as loops; a cycle whose loop
// holds enough items for several steady states at once needs one round for all of them. A cycle with too many different
// rounds keeps going round by counting items when it runs.
#include <string.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/thresholds.h"

typedef struct coalescer {
    arena *arena;
    const sir_module *m;
    const schedule *s;
    const plan_item *item;
    int32_t cycle;
    const uint32_t *members; // actors of the cycle, in order
    size_t count;
    int64_t *items;        // per channel: only those inside the cycle are used
    int64_t *left;         // per member: firings still to come
    VEC(int64_t *) rounds; // firings per member
} coalescer;

static bool inside(const coalescer *c, uint32_t channel)
{
    if (channel == SIR_NONE)
        return false;
    const sir_channel *ch = &c->m->channels.data[channel];
    return c->s->cycle[ch->producer] == c->cycle && c->s->cycle[ch->consumer] == c->cycle;
}

static int64_t can_fire(const coalescer *c, size_t member)
{
    const sir_actor *actor = c->m->actors.data[c->members[member]];
    int64_t k = c->left[member];
    for (uint32_t port = 0; port < actor->inputs.len && k > 0; port++) {
        uint32_t channel = actor->inputs.data[port];
        if (!inside(c, channel))
            continue;
        sched_rate r = sched_input_rate(actor, port, false);
        int64_t have = c->items[channel], can = have < r.peek ? 0 : r.pop == 0 ? k : (have - r.peek) / r.pop + 1;
        k = can < k ? can : k;
    }
    return k;
}

static void fire(coalescer *c, size_t member, int64_t k)
{
    const sir_actor *actor = c->m->actors.data[c->members[member]];
    for (uint32_t port = 0; port < actor->inputs.len; port++)
        if (inside(c, actor->inputs.data[port]))
            c->items[actor->inputs.data[port]] -= k * sched_input_rate(actor, port, false).pop;
    for (uint32_t port = 0; port < actor->outputs.len; port++)
        if (inside(c, actor->outputs.data[port]))
            c->items[actor->outputs.data[port]] += k * sched_output_rate(actor, port, false);
    c->left[member] -= k;
}

static void reset(coalescer *c, int64_t steady_states)
{
    for (size_t i = 0; i < c->count; i++) {
        const sir_actor *actor = c->m->actors.data[c->members[i]];
        c->left[i] = steady_states * c->s->reps[c->members[i]];
        for (VEC_EACH(uint32_t, channel, &actor->outputs))
            if (inside(c, *channel))
                c->items[*channel] = c->s->channels[*channel].remainder;
    }
}

// Plays one round; gives whether anything fired.
static bool play_round(coalescer *c, int64_t *fired)
{
    bool any = false;
    for (size_t i = 0; i < c->count; i++) {
        fired[i] = can_fire(c, i);
        if (fired[i] > 0)
            fire(c, i, fired[i]);
        any |= fired[i] > 0;
    }
    return any;
}

static bool finished(const coalescer *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->left[i] != 0)
            return false;
    return true;
}

// The most steady states that one round can do, up to a bound; 0: not even one.
static int64_t largest_block(coalescer *c)
{
    int64_t *fired = ARENA_ARRAY(c->arena, int64_t, c->count + 1), best = 0;
    for (int64_t n = 1; n <= INT64_C(1) << 20; n *= 2) {
        reset(c, n);
        play_round(c, fired);
        if (!finished(c))
            break;
        best = n;
    }
    for (int64_t add = best / 2; add > 0; add /= 2) {
        reset(c, best + add);
        play_round(c, fired);
        best += finished(c) ? add : 0;
    }
    return best;
}

static bool record_rounds(coalescer *c)
{
    reset(c, 1);
    for (int64_t work = 0; !finished(c); work += (int64_t)c->count) {
        int64_t *fired = ARENA_ARRAY(c->arena, int64_t, c->count + 1);
        if (work > COALESCE_MAX_ROUNDS || !play_round(c, fired))
            return false;
        VEC_PUSH(c->arena, &c->rounds, fired);
    }
    return true;
}

static bool same_round(const coalescer *c, size_t x, size_t y)
{
    return memcmp(c->rounds.data[x], c->rounds.data[y], c->count * sizeof(int64_t)) == 0;
}

static void add_round(coalescer *c, plan_steps *steps, size_t round, const uint32_t *member_of)
{
    for (uint32_t i = 0; i < c->item->stages.len; i++) {
        int64_t count = c->rounds.data[round][member_of[i]];
        if (count != 0)
            VEC_PUSH(c->arena, steps, (plan_step){.count = count, .stage = i});
    }
}

// How often the period rounds from `at` on follow each other.
static size_t repeats(const coalescer *c, size_t at, size_t period)
{
    size_t same = 0;
    while (at + period + same < c->rounds.len && same_round(c, at + same, at + period + same))
        same++;
    return same / period + 1;
}

static bool write_rounds(coalescer *c, plan_steps *steps, const uint32_t *member_of)
{
    for (size_t at = 0; at < c->rounds.len;) {
        size_t best = 1, times = 1;
        for (size_t period = 1; period <= COALESCE_MAX_PERIOD && at + 2 * period <= c->rounds.len; period++) {
            size_t n = repeats(c, at, period);
            if (n > 1 && n * period > times * best) {
                best = period;
                times = n;
            }
        }
        if (times == 1) {
            add_round(c, steps, at, member_of);
        } else {
            plan_step loop = {.count = (int64_t)times, .stage = PLAN_NONE};
            plan_steps inner = {0};
            for (size_t i = 0; i < best; i++)
                add_round(c, &inner, at + i, member_of);
            memcpy(&loop.steps, &inner, sizeof inner);
            VEC_PUSH(c->arena, steps, loop);
        }
        at += best * times;
        if (steps->len > COALESCE_MAX_STEPS)
            return false;
    }
    return true;
}

static bool prints(const coalescer *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (sir_prints(c->m->actors.data[c->members[i]]))
            return true;
    return false;
}

static void coalesce_item(hlc_program *p, plan_item *item, const plan_actor_list *members, int64_t *items)
{
    coalescer c = {.arena = p->arena,
                   .m = p->module,
                   .s = p->schedule,
                   .item = item,
                   .cycle = item->cycle,
                   .members = members->data,
                   .count = members->len,
                   .items = items};
    c.left = ARENA_ARRAY(p->arena, int64_t, c.count + 1);
    item->steps.len = 0;
    item->block = 1;
    int64_t block = largest_block(&c);
    if (item->stages.len == 0 || !record_rounds(&c))
        return;
    uint32_t *member_of = ARENA_ARRAY(p->arena, uint32_t, item->stages.len + 1);
    for (size_t i = 0; i < item->stages.len; i++) { // both are in order of actors
        member_of[i] = i == 0 ? 0 : member_of[i - 1];
        while (members->data[member_of[i]] != item->stages.data[i].actor)
            member_of[i]++;
    }
    plan_steps steps = {0};
    if (!write_rounds(&c, &steps, member_of))
        return;
    memcpy(&item->steps, &steps, sizeof steps);
    // A round that prints is marked once a steady state.
    if (block > 1 && !(prints(&c) && plan_several_print(p->module)))
        item->block = block;
}

bool plan_pass_coalesce(hlc_program *p)
{
    const sir_module *m = p->module;
    plan_actor_list *members = ARENA_ARRAY(p->arena, plan_actor_list, (size_t)p->schedule->cycle_count + 1);
    for (uint32_t i = 0; i < m->actors.len; i++)
        if (p->schedule->cycle[i] >= 0)
            VEC_PUSH(p->arena, &members[p->schedule->cycle[i]], i);
    int64_t *items = ARENA_ARRAY(p->arena, int64_t, m->channels.len + 1);
    for (VEC_EACH(plan_kernel, k, &p->plan->kernels))
        for (VEC_EACH(plan_item, item, &k->items))
            if (item->cycle >= 0)
                coalesce_item(p, item, &members[item->cycle], items);
    plan_remark_coalesce(p);
    return true;
}
