// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Improves a mapping by simulated annealing: clusters move, change places, or take a neighbour's strips; strips of
// data-parallel ones move from one processor to another. Costs are kept by differences.
#include <math.h>
#include <string.h>

#include "hlc/map/map_int.h"

// What a step takes grows with the edges of what it moves. So many cells, of a cluster or an edge on a processor, take about
// a second at most.
enum { MOST_WORK = 500000000 };

typedef struct annealer {
    const map_core *core;
    uint64_t work; // cells looked at
    map_state *state;
    map_costs costs;
    uint64_t random;
    double energy;
} annealer;

// splitmix64
static uint64_t random_bits(annealer *k)
{
    uint64_t z = k->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint32_t below(annealer *k, size_t n)
{
    return (uint32_t)(random_bits(k) % n);
}

static double unit(annealer *k)
{
    return (double)(random_bits(k) >> 11) * 0x1p-53;
}

static uint32_t *row(const annealer *k, uint32_t cluster)
{
    return k->state->count + (size_t)cluster * k->core->processors;
}

// The time of a strip; a little of the loads' mean square and of what memories and links carry, which lead towards
// mappings from which the worst can be improved; memory that is missing.
static double energy_of(annealer *k)
{
    const map_core *c = k->core;
    map_costs_sum(c, k->state, &k->costs);
    double squares = 0, passing = 0;
    for (uint32_t i = 0; i < c->processors; i++)
        squares += k->costs.load[i] * k->costs.load[i];
    for (size_t i = 0; i < c->problem->resources.len; i++)
        passing += k->costs.passing[i] / c->problem->resources.data[i].bandwidth;
    double strips = k->state->strips;
    return k->costs.seconds + c->bound.seconds * map_burden(c, k->state, &k->costs) +
           0.05 * sqrt(squares / c->processors) / strips + 0.01 * passing / strips +
           (k->costs.overflow > 0 ? c->bound.seconds * (1 + 10 * k->costs.overflow) : 0);
}

// ---- Moves: they change the rows of one or two clusters ----

typedef struct move {
    uint32_t cluster[2];
    int clusters;
} move;

static bool may_run(const annealer *k, uint32_t cluster, const uint32_t *count)
{
    const map_cluster *x = &k->core->clusters.data[cluster];
    uint32_t used = 0;
    for (uint32_t i = 0; i < k->core->processors; i++) {
        used += count[i] > 0;
        if (count[i] > 0 && x->time[i] < 0)
            return false;
    }
    return used == 1 || x->parallel;
}

static uint32_t some_processor_of(annealer *k, uint32_t cluster)
{
    const uint32_t *count = row(k, cluster);
    uint32_t at = below(k, k->core->processors);
    while (count[at] == 0)
        at = at + 1 == k->core->processors ? 0 : at + 1;
    return at;
}

static uint32_t slowest_processor(const annealer *k)
{
    uint32_t at = 0;
    for (uint32_t i = 1; i < k->core->processors; i++)
        at = k->costs.load[i] > k->costs.load[at] ? i : at;
    return at;
}

static bool take_neighbours_row(annealer *k, uint32_t cluster)
{
    const map_cluster *x = &k->core->clusters.data[cluster];
    if (x->edges.len == 0)
        return false;
    const map_core_edge *e = &k->core->edges.data[x->edges.data[below(k, x->edges.len)]];
    const uint32_t *other = row(k, e->from == cluster ? e->to : e->from);
    if (!may_run(k, cluster, other))
        return false;
    memcpy(row(k, cluster), other, k->core->processors * sizeof *other);
    return true;
}

static bool move_strips(annealer *k, uint32_t cluster, uint32_t from, uint32_t to)
{
    const map_cluster *x = &k->core->clusters.data[cluster];
    uint32_t *count = row(k, cluster);
    if (from == to || x->time[to] < 0 || count[from] == 0)
        return false;
    uint32_t strips = !x->parallel || below(k, 3) == 0 ? count[from] : 1 + below(k, count[from]);
    count[from] -= strips;
    count[to] += strips;
    return true;
}

static bool exchange(annealer *k, uint32_t x, uint32_t y)
{
    size_t n = k->core->processors;
    uint32_t *a = row(k, x), *b = row(k, y);
    if (x == y || memcmp(a, b, n * sizeof *a) == 0 || !may_run(k, x, b) || !may_run(k, y, a))
        return false;
    for (size_t i = 0; i < n; i++) {
        uint32_t t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
    return true;
}

static move choose(annealer *k)
{
    const map_core *c = k->core;
    uint32_t x = below(k, c->clusters.len), y = below(k, c->clusters.len), kind = below(k, 8);
    if (kind < 2 && x != y)
        return (move){{x, y}, 2};
    return (move){{x, 0}, 1};
}

static bool do_move(annealer *k, const move *m)
{
    uint32_t x = m->cluster[0];
    if (m->clusters == 2)
        return exchange(k, x, m->cluster[1]);
    if (below(k, 4) == 0 && take_neighbours_row(k, x))
        return true;
    uint32_t from = some_processor_of(k, x), slow = slowest_processor(k);
    if (row(k, x)[slow] > 0)
        from = slow;
    return move_strips(k, x, from, below(k, k->core->processors));
}

static void count_move(annealer *k, const move *m, int sign)
{
    for (int i = 0; i < m->clusters; i++) { // an edge between both counts once
        k->work += (1 + k->core->clusters.data[m->cluster[i]].edges.len) * k->core->processors;
        map_costs_add(k->core, k->state, &k->costs, m->cluster[i], i == 0 ? UINT32_MAX : m->cluster[0], sign);
    }
}

typedef struct snapshot {
    uint32_t *rows[2];
    map_costs costs;
    double energy;
} snapshot;

static void copy_costs(const map_core *c, map_costs *to, const map_costs *from)
{
    memcpy(to->load, from->load, c->processors * sizeof *to->load);
    memcpy(to->passing, from->passing, c->problem->resources.len * sizeof *to->passing);
    memcpy(to->bytes, from->bytes, c->processors * sizeof *to->bytes);
    to->crossings = from->crossings;
    to->seconds = from->seconds;
    to->overflow = from->overflow;
}

static void take_back(annealer *k, const move *m, const snapshot *before)
{
    for (int i = 0; i < m->clusters; i++)
        memcpy(row(k, m->cluster[i]), before->rows[i], k->core->processors * sizeof **before->rows);
    copy_costs(k->core, &k->costs, &before->costs);
}

// One move, accepted if it is better or, the hotter the likelier, worse.
static void step(annealer *k, snapshot *before, double temperature)
{
    move m = choose(k);
    for (int i = 0; i < m.clusters; i++)
        memcpy(before->rows[i], row(k, m.cluster[i]), k->core->processors * sizeof **before->rows);
    copy_costs(k->core, &before->costs, &k->costs);
    count_move(k, &m, -1);
    if (!do_move(k, &m)) {
        take_back(k, &m, before);
        return;
    }
    count_move(k, &m, 1);
    double energy = energy_of(k);
    if (energy <= k->energy || (temperature > 0 && unit(k) < exp((k->energy - energy) / temperature)))
        k->energy = energy;
    else
        take_back(k, &m, before);
}

static void start_from(annealer *k)
{
    k->work += (k->core->clusters.len + k->core->edges.len) * k->core->processors;
    map_costs_of(k->core, k->state, &k->costs);
    k->energy = energy_of(k);
}

// Large problems begin near their bound, and copying whole mappings costs: they only go downhill.
uint64_t map_anneal(arena *a, const map_core *c, map_state *s, uint64_t seed, uint64_t steps, map_clock *clock)
{
    size_t size = c->clusters.len * c->processors;
    bool hot = size <= 1 << 15;
    annealer k = {.core = c, .state = s, .costs = map_costs_make(a, c), .random = seed};
    snapshot before = {.rows = {ARENA_ARRAY(a, uint32_t, c->processors), ARENA_ARRAY(a, uint32_t, c->processors)},
                       .costs = map_costs_make(a, c)};
    uint32_t *best = ARENA_ARRAY(a, uint32_t, size);
    start_from(&k);
    double best_energy = k.energy, first = 0.02 * k.energy;
    memcpy(best, s->count, size * sizeof *best);
    uint64_t done = 0;
    for (; done < steps; done++) {
        if (done % 1024 == 0) {
            if (map_clock_over(clock) || k.work > MOST_WORK ||
                (k.costs.overflow == 0 && k.costs.seconds <= c->bound.seconds * 1.00001))
                break;
            start_from(&k); // what differences have lost
        }
        double temperature = hot ? first * pow(1e-5, (double)done / (double)steps) : 0;
        step(&k, &before, temperature);
        map_history_step(c, 1);
        if (k.energy < best_energy * (1 - 1e-9)) {
            best_energy = k.energy;
            map_history_keep(c, MAP_ANNEALING, &k.costs);
            if (hot)
                memcpy(best, s->count, size * sizeof *best);
        }
    }
    if (hot && k.energy > best_energy)
        memcpy(s->count, best, size * sizeof *best);
    return done;
}
