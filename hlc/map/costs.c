// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a mapping of the core costs, also by differences; and the bound below which no mapping goes.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hlc/map/map_int.h"

double map_time(const map_problem *p, uint32_t task, uint32_t processor)
{
    const map_task *t = &p->tasks.data[task];
    if (t->processor != MAP_ANY && t->processor != processor)
        return -1;
    return t->times != NULL ? t->times[processor] : t->time / p->processors.data[processor].speed;
}

bool map_crosses(const map_core *c, const map_state *s, uint32_t edge)
{
    const map_core_edge *e = &c->edges.data[edge];
    size_t n = c->processors;
    return memcmp(s->count + e->from * n, s->count + e->to * n, n * sizeof *s->count) != 0;
}

map_costs map_costs_make(arena *a, const map_core *c)
{
    return (map_costs){.load = ARENA_ARRAY(a, double, c->processors),
                       .passing = ARENA_ARRAY(a, double, c->problem->resources.len + 1),
                       .bytes = ARENA_ARRAY(a, uint64_t, c->processors)};
}

static void add_bytes(map_costs *costs, uint32_t processor, uint64_t bytes, int sign)
{
    // Sums of a few that are each far too large may wrap; a quarter of the range keeps order among all that fit.
    uint64_t most = UINT64_MAX / (UINT64_C(1) << 24);
    bytes = bytes > most ? most : bytes;
    costs->bytes[processor] += sign > 0 ? bytes : -bytes;
}

static void add_edge(const map_core *c, const map_state *s, map_costs *costs, const map_core_edge *e, int sign)
{
    size_t n = c->processors;
    const uint32_t *from = s->count + e->from * n, *to = s->count + e->to * n;
    costs->crossings += sign;
    for (uint32_t i = 0; i < n; i++) {
        costs->load[i] += sign * (from[i] * e->send + to[i] * e->receive);
        if (e->local > 0 && from[i] > 0)
            add_bytes(costs, i, e->local, sign);
        if (e->local > 0 && to[i] > 0)
            add_bytes(costs, i, e->local, sign);
    }
    for (size_t i = 0; i < c->problem->resources.len; i++)
        costs->passing[i] += sign * e->bytes * c->problem->resources.data[i].crossing * s->strips;
}

static void add_own(const map_core *c, const map_state *s, map_costs *costs, uint32_t cluster, int sign)
{
    const map_cluster *x = &c->clusters.data[cluster];
    const uint32_t *count = s->count + (size_t)cluster * c->processors;
    for (uint32_t i = 0; i < c->processors; i++) {
        if (count[i] == 0)
            continue;
        bool primes = count[i] < s->strips;
        costs->load[i] += sign * (count[i] * x->time[i] + (primes ? x->priming : 0));
        add_bytes(costs, i, x->bytes, sign);
        for (size_t r = 0; r < c->problem->resources.len && primes; r++)
            costs->passing[r] += sign * x->priming_bytes * c->problem->resources.data[r].outside;
    }
}

void map_costs_add(const map_core *c, const map_state *s, map_costs *costs, uint32_t cluster, uint32_t but, int sign)
{
    add_own(c, s, costs, cluster, sign);
    for (VEC_EACH(uint32_t, e, &c->clusters.data[cluster].edges)) {
        const map_core_edge *x = &c->edges.data[*e];
        if (x->from != but && x->to != but && map_crosses(c, s, *e))
            add_edge(c, s, costs, x, sign);
    }
}

void map_costs_sum(const map_core *c, const map_state *s, map_costs *costs)
{
    double worst = 0;
    costs->overflow = 0;
    for (uint32_t i = 0; i < c->processors; i++) {
        worst = costs->load[i] > worst ? costs->load[i] : worst;
        uint64_t room = c->problem->processors.data[i].memory;
        if (costs->bytes[i] > room)
            costs->overflow += ((double)costs->bytes[i] - (double)room) / ((double)room + 1);
    }
    for (size_t i = 0; i < c->problem->resources.len; i++) {
        double time = costs->passing[i] / c->problem->resources.data[i].bandwidth;
        worst = time > worst ? time : worst;
    }
    costs->seconds = worst / s->strips;
}

void map_costs_of(const map_core *c, const map_state *s, map_costs *costs)
{
    memset(costs->load, 0, c->processors * sizeof *costs->load);
    memset(costs->bytes, 0, c->processors * sizeof *costs->bytes);
    for (size_t i = 0; i < c->problem->resources.len; i++)
        costs->passing[i] = c->base[i] * s->strips;
    costs->crossings = 0;
    for (uint32_t i = 0; i < c->clusters.len; i++)
        add_own(c, s, costs, i, 1);
    for (uint32_t i = 0; i < c->edges.len; i++)
        if (map_crosses(c, s, i))
            add_edge(c, s, costs, &c->edges.data[i], 1);
    map_costs_sum(c, s, costs);
}

double map_burden(const map_core *c, const map_state *s, const map_costs *costs)
{
    return 1e-4 * s->strips + 1e-3 * costs->crossings / c->processors;
}

// ---- Bound ----

enum { MOST_PACKED = 4096 }; // clusters, beyond which sizes hardly matter

static void tighten(map_limit *bound, map_limit_kind kind, const char *name, double seconds)
{
    if (seconds > bound->seconds)
        *bound = (map_limit){kind, name, seconds};
}

// Seconds a strip of a cluster where it is fastest, without what other mappings of the problem may save: clusters that
// become one kernel start one kernel.
static double least_time(const map_core *c, const map_cluster *x)
{
    const map_problem *p = c->problem;
    double least = -1, start = 0, fastest = 0;
    for (VEC_EACH(uint32_t, t, &x->tasks))
        start = p->fuse && p->tasks.data[*t].start > start ? p->tasks.data[*t].start : start;
    for (uint32_t i = 0; i < c->processors; i++) {
        if (x->time[i] < 0)
            continue;
        fastest = x->time[i] - start / p->processors.data[i].speed;
        least = least < 0 || fastest < least ? fastest : least;
    }
    return least > 0 ? least : 0;
}

// Two that hold, and the greater counts: each cluster where it is fastest, over all processors; the tasks' times alone
// at the speed of all processors.
static double compute_bound(const map_core *c)
{
    const map_problem *p = c->problem;
    double work = 0, speed = 0, each = 0;
    for (VEC_EACH(const map_processor, x, &p->processors))
        speed += x->speed;
    for (VEC_EACH(const map_task, t, &p->tasks))
        work += t->times == NULL ? t->time : 0;
    for (VEC_EACH(const map_cluster, x, &c->clusters))
        each += least_time(c, x);
    return work / speed > each / c->processors ? work / speed : each / c->processors;
}

static int descending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? 1 : a > b ? -1 : 0;
}

// Of the k * processors + 1 heaviest clusters with state, k + 1 share a processor: at least the lightest of them do.
static void tighten_by_packing(const map_core *c, map_limit *bound)
{
    uint32_t n = 0;
    double *times = ARENA_ARRAY(c->arena, double, c->clusters.len);
    const char *heaviest = NULL;
    for (VEC_EACH(const map_cluster, x, &c->clusters)) {
        double time = x->parallel ? -1 : least_time(c, x);
        if (time < 0)
            continue;
        bool first = true;
        for (uint32_t i = 0; i < n; i++)
            first &= times[i] < time;
        heaviest = first ? x->name : heaviest;
        times[n++] = time;
    }
    qsort(times, n, sizeof *times, descending);
    for (uint32_t k = 1; (uint64_t)k * c->processors < n; k++) {
        double sum = 0;
        for (uint32_t i = 0; i <= k; i++)
            sum += times[k * c->processors - i];
        tighten(bound, MAP_SHARED, heaviest, sum);
    }
}

map_limit map_core_bound(const map_core *c)
{
    map_limit bound = {MAP_COMPUTE, NULL, compute_bound(c)};
    for (VEC_EACH(const map_cluster, x, &c->clusters))
        if (!x->parallel)
            tighten(&bound, MAP_CRITICAL, x->name, least_time(c, x));
    if (c->clusters.len < MOST_PACKED)
        tighten_by_packing(c, &bound);
    for (size_t i = 0; i < c->problem->resources.len; i++) {
        const map_resource *r = &c->problem->resources.data[i];
        tighten(&bound, r->kind, r->name, c->base[i] / r->bandwidth);
    }
    return bound;
}

const char *map_limit_text(arena *a, const map_limit *l)
{
    switch (l->kind) {
    case MAP_SHARED: return arena_printf(a, "state of '%s' and others that share processors", l->name);
    case MAP_CRITICAL: return arena_printf(a, "critical cycle of '%s'", l->name);
    case MAP_MEMORY: return arena_printf(a, "memory %s", l->name);
    case MAP_LINK: return arena_printf(a, "link %s", l->name);
    case MAP_COMPUTE: break;
    }
    return l->name == NULL ? "compute" : arena_printf(a, "compute on %s", l->name);
}

// ---- Clock ----

double map_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool map_clock_over(map_clock *k)
{
    k->cut_off |= map_now() > k->end;
    return k->cut_off;
}
