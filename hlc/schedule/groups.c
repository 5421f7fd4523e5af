// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether actors that fire in groups, whole runs at a time, hold up one that messages wait for.
//
// NOTE(groups). What an actor's n-th firing needs of all others is found as stream dependences are (sdep.c), once
// firing by firing and once with every group raised to the end of a run. Both repeat with the steady states; if they
// agree until then in what is needed of actors outside the groups, a schedule by runs can let the actor fire whenever
// a schedule by firings can, in the middle and when input ends.
#include <string.h>

#include "hlc/schedule/schedule_int.h"

// Work that is worth it: firing vectors times actors.
#define GROUPS_WORK (INT64_C(1) << 24)

typedef struct grouping {
    const sched_table *t;
    const schedule *s;
    uint32_t to;
    const int32_t *group;      // per actor; NULL: none is in one
    int64_t *each;             // per actor: firings of a run
    int64_t *runs;             // per group: so many, behind the initialisation; -1: not begun
    uint32_t *start, *members; // per group: where its members begin
    int64_t *firings;          // per actor
    uint64_t *dirty;
    size_t top; // words of dirty that may have bits
    int64_t updates;
} grouping;

static void raise(grouping *g, uint32_t actor, int64_t k)
{
    if (k <= g->firings[actor])
        return;
    g->firings[actor] = k;
    g->dirty[actor / 64] |= UINT64_C(1) << (actor % 64);
    if (actor / 64 + 1 > g->top)
        g->top = actor / 64 + 1;
    g->updates++;
}

// All members of the actor's group come to the end of the run in which it fires for the k-th time.
static void raise_group(grouping *g, uint32_t actor, int64_t k)
{
    int32_t own = g->group == NULL ? -1 : g->group[actor];
    raise(g, actor, k);
    if (own < 0 || k <= 0)
        return;
    int64_t later = k - g->s->init[actor], runs = 0;
    if (later > 0 && g->each[actor] > 0)
        runs = later / g->each[actor] + (later % g->each[actor] != 0);
    if (runs <= g->runs[own])
        return;
    g->runs[own] = runs;
    for (uint32_t i = g->start[own]; i < g->start[own + 1]; i++)
        raise(g, g->members[i], g->s->init[g->members[i]] + runs * g->each[g->members[i]]);
}

static bool settle(grouping *g)
{
    const sched_table *t = g->t;
    while (g->top > 0) {
        size_t w = g->top - 1;
        if (g->dirty[w] == 0) {
            g->top--;
            continue;
        }
        uint32_t a = (uint32_t)w * 64 + 63 - (uint32_t)__builtin_clzll(g->dirty[w]);
        g->dirty[w] &= ~(UINT64_C(1) << (a % 64));
        for (uint32_t i = t->in_start[a]; i < t->in_start[a + 1]; i++) {
            const sched_port *in = &t->ins[i], *out = sched_producer(t, in->channel);
            int64_t items = sched_items_needed(in, g->firings[a]) - g->s->channels[in->channel].initial;
            if (out->actor != g->to)
                raise_group(g, out->actor, sched_firings_for(out, items));
        }
        if (g->updates > SCHED_MAX_BURSTS)
            return false;
    }
    return true;
}

// Members by group: a counting sort.
static void list_members(arena *a, grouping *g, int32_t groups)
{
    size_t n = g->t->actors;
    g->start = ARENA_ARRAY(a, uint32_t, (size_t)groups + 2);
    g->members = ARENA_ARRAY(a, uint32_t, n + 1);
    for (size_t i = 0; i < n; i++)
        if (g->group[i] >= 0)
            g->start[g->group[i] + 2]++;
    for (int32_t k = 0; k < groups; k++)
        g->start[k + 2] += g->start[k + 1];
    for (uint32_t i = 0; i < n; i++)
        if (g->group[i] >= 0)
            g->members[g->start[g->group[i] + 1]++] = i;
}

static grouping grouping_new(arena *a, const sched_table *t, const schedule *s, uint32_t to, const int32_t *group,
                             int32_t groups)
{
    grouping g = {.t = t, .s = s, .to = to, .group = group};
    g.firings = ARENA_ARRAY(a, int64_t, t->actors + 1);
    g.dirty = ARENA_ARRAY(a, uint64_t, t->actors / 64 + 1);
    if (group == NULL)
        return g;
    int64_t *common = ARENA_ARRAY(a, int64_t, (size_t)groups + 1);
    g.each = ARENA_ARRAY(a, int64_t, t->actors + 1);
    g.runs = ARENA_ARRAY(a, int64_t, (size_t)groups + 1);
    for (int32_t i = 0; i < groups; i++)
        g.runs[i] = -1;
    list_members(a, &g, groups);
    for (uint32_t i = 0; i < t->actors; i++)
        if (group[i] >= 0)
            common[group[i]] = sched_gcd(common[group[i]], s->reps[i]);
    for (uint32_t i = 0; i < t->actors; i++)
        if (group[i] >= 0 && common[group[i]] > 0)
            g.each[i] = s->reps[i] / common[group[i]];
    return g;
}

bool sched_groups_fit(arena *a, const sir_module *m, const schedule *s, uint32_t to, const int32_t *group,
                      int32_t groups)
{
    sched_table t;
    sched_table_build(a, m, &t);
    int64_t last = sched_sdep_range(a, &t, s, to);
    if (last > GROUPS_WORK / (int64_t)(t.actors + 1))
        return false;
    grouping fine = grouping_new(a, &t, s, to, NULL, 0), coarse = grouping_new(a, &t, s, to, group, groups);
    for (int64_t n = 1; n <= last; n++) {
        raise(&fine, to, n);
        raise(&coarse, to, n);
        if (!settle(&fine) || !settle(&coarse))
            return false;
        for (uint32_t i = 0; i < t.actors; i++)
            if (group[i] < 0 && fine.firings[i] != coarse.firings[i])
                return false;
    }
    return true;
}
