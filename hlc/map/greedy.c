// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mappings to begin with: by longest processing time, and by cutting the topological order into stretches, one a
// processor; and how many strips a round has.
#include <stdlib.h>
#include <string.h>

#include "hlc/map/map_int.h"

enum { LARGE_CELLS = 4096 };

typedef struct builder {
    const map_core *core;
    uint32_t strips;
    uint32_t *count;
    double *load;        // by processor, seconds a round
    uint64_t *free;      // bytes
    uint32_t *by_weight; // clusters that are not data-parallel, heaviest first
    uint32_t heavies;
} builder;

static uint32_t *cell(const builder *b, uint32_t cluster, uint32_t processor)
{
    return &b->count[(size_t)cluster * b->core->processors + processor];
}

static void clear(builder *b)
{
    const map_core *c = b->core;
    memset(b->count, 0, c->clusters.len * c->processors * sizeof *b->count);
    for (uint32_t i = 0; i < c->processors; i++) {
        b->load[i] = 0;
        b->free[i] = c->problem->processors.data[i].memory;
    }
}

static bool has_room(const builder *b, uint32_t cluster, uint32_t processor)
{
    return *cell(b, cluster, processor) > 0 || b->core->clusters.data[cluster].bytes <= b->free[processor];
}

static void put(builder *b, uint32_t cluster, uint32_t processor, uint32_t strips)
{
    const map_cluster *x = &b->core->clusters.data[cluster];
    uint32_t *count = cell(b, cluster, processor);
    if (*count == 0 && b->free[processor] != MAP_NO_BOUND)
        b->free[processor] -= x->bytes < b->free[processor] ? x->bytes : b->free[processor];
    if (*count == 0 && strips < b->strips)
        b->load[processor] += x->priming;
    *count += strips;
    b->load[processor] += strips * x->time[processor];
}

// The processor that is done first with so many strips of a cluster more; one without room only if none has.
static uint32_t soonest(const builder *b, uint32_t cluster, uint32_t strips)
{
    const map_cluster *x = &b->core->clusters.data[cluster];
    uint32_t best = UINT32_MAX;
    double best_end = 0;
    bool best_room = false;
    for (uint32_t i = 0; i < b->core->processors; i++) {
        if (x->time[i] < 0)
            continue;
        bool room = has_room(b, cluster, i);
        double end =
            b->load[i] + strips * x->time[i] + (strips < b->strips && *cell(b, cluster, i) == 0 ? x->priming : 0);
        if (best == UINT32_MAX || (room && !best_room) || (room == best_room && end < best_end))
            best = i, best_end = end, best_room = room;
    }
    return best;
}

// Assigns a data-parallel cluster: each processor up to the level that all would reach, the strips left one by one.
static void assign(builder *b, uint32_t cluster, double level)
{
    const map_core *c = b->core;
    const map_cluster *x = &c->clusters.data[cluster];
    uint32_t left = b->strips;
    for (uint32_t i = 0; i < c->processors && left > 0; i++) {
        if (x->time[i] < 0 || !has_room(b, cluster, i))
            continue;
        double room = level - b->load[i] - x->priming;
        double fits = x->time[i] > 0 ? room / x->time[i] * (1 + 1e-9) : left;
        uint32_t strips = fits < 1 ? 0 : fits >= left ? left : (uint32_t)fits;
        if (strips > 0)
            put(b, cluster, i, strips);
        left -= strips;
    }
    for (; left > 0; left--)
        put(b, cluster, soonest(b, cluster, 1), 1);
}

// The time of a round if work were assigned as finely as one likes, times slack.
static double level_of(const builder *b, double slack)
{
    return b->core->bound.seconds * b->strips * slack;
}

static void by_processing_time(builder *b, double slack)
{
    const map_core *c = b->core;
    clear(b);
    for (uint32_t i = 0; i < b->heavies; i++)
        put(b, b->by_weight[i], soonest(b, b->by_weight[i], b->strips), b->strips);
    for (uint32_t i = 0; i < c->clusters.len; i++)
        if (c->clusters.data[i].parallel)
            assign(b, i, level_of(b, slack));
}

// Clusters in topological order fill one processor after the other.
static void by_stretches(builder *b, double slack)
{
    const map_core *c = b->core;
    double level = level_of(b, slack);
    uint32_t at = 0;
    clear(b);
    for (uint32_t i = 0; i < c->clusters.len; i++) {
        const map_cluster *x = &c->clusters.data[i];
        uint32_t left = b->strips;
        while (left > 0 && at < c->processors) {
            double fits = 0, room = level - b->load[at];
            if (x->time[at] >= 0 && has_room(b, i, at))
                fits = x->time[at] * left <= room ? left : x->parallel ? (room - x->priming) / x->time[at] : 0;
            uint32_t strips = fits < 1 ? 0 : (uint32_t)fits;
            if (strips > 0)
                put(b, i, at, strips);
            left -= strips;
            at += left > 0;
        }
        // Past the last processor: where it ends soonest.
        if (left > 0 && !x->parallel)
            put(b, i, soonest(b, i, left), left);
        for (; left > 0 && x->parallel; left--)
            put(b, i, soonest(b, i, 1), 1);
    }
}

static int heavier(const void *x, const void *y, void *core)
{
    const map_core *c = core;
    const map_cluster *a = &c->clusters.data[*(const uint32_t *)x], *b = &c->clusters.data[*(const uint32_t *)y];
    if (a->heaviest != b->heaviest)
        return a->heaviest > b->heaviest ? -1 : 1;
    return *(const uint32_t *)x < *(const uint32_t *)y ? -1 : 1;
}

typedef struct best {
    map_state state;
    double burdened, seconds, overflow;
    bool found;
} best;

static bool is_better(const best *x, const best *than)
{
    if (!than->found || x->overflow != than->overflow)
        return !than->found || x->overflow < than->overflow;
    return x->burdened < than->burdened;
}

static void keep(const map_core *c, best *to, const best *from)
{
    uint32_t *count = to->state.count;
    memcpy(count, from->state.count, c->clusters.len * c->processors * sizeof *count);
    *to = *from;
    to->state.count = count;
}

static void consider(best *so_far, const builder *b, map_costs *costs)
{
    best now = {.state = {b->strips, b->count}, .found = true};
    map_costs_of(b->core, &now.state, costs);
    now.seconds = costs->seconds;
    now.overflow = costs->overflow;
    now.burdened = now.seconds * (1 + map_burden(b->core, &now.state, costs));
    map_history_step(b->core, 1);
    if (!is_better(&now, so_far))
        return;
    keep(b->core, so_far, &now);
    map_history_keep(b->core, MAP_GREEDY, costs);
}

static void try_strips(best *so_far, builder *b, map_costs *costs)
{
    static const double slacks[] = {1, 1.01, 1.03, 1.06, 1.12, 1.25, 1.5};
    for (size_t i = 0; i < sizeof slacks / sizeof *slacks; i++) {
        by_stretches(b, slacks[i]);
        consider(so_far, b, costs);
        if (i > 2)
            continue;
        by_processing_time(b, slacks[i]);
        consider(so_far, b, costs);
    }
}

map_state map_greedy(arena *a, const map_core *c)
{
    const map_problem *p = c->problem;
    builder b = {.core = c};
    b.count = ARENA_ARRAY(a, uint32_t, c->clusters.len * c->processors);
    b.load = ARENA_ARRAY(a, double, c->processors);
    b.free = ARENA_ARRAY(a, uint64_t, c->processors);
    b.by_weight = ARENA_ARRAY(a, uint32_t, c->clusters.len);
    for (uint32_t i = 0; i < c->clusters.len; i++)
        if (!c->clusters.data[i].parallel)
            b.by_weight[b.heavies++] = i;
    qsort_r(b.by_weight, b.heavies, sizeof *b.by_weight, heavier, (void *)c);
    map_costs costs = map_costs_make(a, c);
    best so_far = {.state.count = ARENA_ARRAY(a, uint32_t, c->clusters.len * c->processors)};
    uint32_t most = p->most_strips != 0 ? p->most_strips : MAP_MOST_STRIPS;
    bool assigns = b.heavies < c->clusters.len && c->processors > 1;
    uint32_t first = p->strips != 0 ? p->strips : 1, last = p->strips != 0 ? p->strips : assigns ? most : 1;
    bool large = c->clusters.len * c->processors > LARGE_CELLS; // doubling is enough: clusters are small beside a round
    for (b.strips = first; b.strips <= last; b.strips += large ? b.strips : 1) {
        try_strips(&so_far, &b, &costs);
        if (so_far.overflow == 0 && so_far.seconds <= c->bound.seconds * 1.0001)
            break;
    }
    return so_far.state;
}
