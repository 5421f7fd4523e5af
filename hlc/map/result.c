// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a mapping of the core to an answer: kernels, their order and stages, a processor for each strip, and the times
// of what then runs.
#include <string.h>

#include "hlc/map/map_int.h"

#define MERGE_STEPS 30000000 // of looking for ways around, before clusters are left alone

typedef VEC(uint32_t) index_list;

typedef struct merger {
    const map_core *core;
    const map_state *state;
    arena *arena;
    index_list *next;       // by cluster: clusters that edges lead to
    index_list *members;    // by root: clusters
    uint32_t *root;         // by cluster
    uint32_t *first, *last; // by root: least and greatest cluster
    uint32_t *seen, mark;
    uint64_t steps;
} merger;

static uint32_t find(merger *k, uint32_t cluster)
{
    while (k->root[cluster] != cluster)
        cluster = k->root[cluster] = k->root[k->root[cluster]];
    return cluster;
}

// Whether a way leads from kernel x to kernel y through a third one.
static bool is_way_around(merger *k, uint32_t x, uint32_t y)
{
    index_list stack = {0};
    k->mark++;
    VEC_PUSH(k->arena, &stack, x);
    k->seen[x] = k->mark;
    while (stack.len > 0) {
        uint32_t at = stack.data[--stack.len];
        for (VEC_EACH(uint32_t, m, &k->members[at]))
            for (VEC_EACH(uint32_t, to, &k->next[*m])) {
                uint32_t kernel = find(k, *to);
                if (++k->steps > MERGE_STEPS)
                    return true;
                if (kernel == y && at != x)
                    return true;
                if (kernel == y || k->seen[kernel] == k->mark || k->first[kernel] > k->last[y])
                    continue;
                k->seen[kernel] = k->mark;
                VEC_PUSH(k->arena, &stack, kernel);
            }
    }
    return false;
}

static void merge(merger *k, uint32_t x, uint32_t y)
{
    if (k->members[x].len < k->members[y].len) {
        uint32_t t = x;
        x = y;
        y = t;
    }
    for (VEC_EACH(uint32_t, m, &k->members[y]))
        VEC_PUSH(k->arena, &k->members[x], *m);
    k->root[y] = x;
    k->first[x] = k->first[y] < k->first[x] ? k->first[y] : k->first[x];
    k->last[x] = k->last[y] > k->last[x] ? k->last[y] : k->last[x];
}

static bool same_row(const map_core *c, const map_state *s, uint32_t x, uint32_t y)
{
    size_t n = c->processors;
    return memcmp(s->count + x * n, s->count + y * n, n * sizeof *s->count) == 0;
}

// Neighbours with the same strips on the same processors become one kernel, where it stays convex.
static void merge_neighbours(merger *k)
{
    for (uint32_t i = 0; i < k->core->clusters.len; i++)
        for (VEC_EACH(uint32_t, to, &k->next[i])) {
            uint32_t x = find(k, i), y = find(k, *to);
            if (x != y && same_row(k->core, k->state, i, *to) && !is_way_around(k, x, y))
                merge(k, x, y);
        }
}

static void push(uint32_t *heap, uint32_t *len, uint32_t x)
{
    uint32_t i = (*len)++;
    for (; i > 0 && heap[(i - 1) / 2] > x; i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = x;
}

static uint32_t pop(uint32_t *heap, uint32_t *len)
{
    uint32_t least = heap[0], x = heap[--*len], i = 0;
    for (uint32_t child; (child = 2 * i + 1) < *len; i = child) {
        child += child + 1 < *len && heap[child + 1] < heap[child];
        if (heap[child] >= x)
            break;
        heap[i] = heap[child];
    }
    heap[i] = x;
    return least;
}

// Numbers kernels in topological order, the one with the least cluster first where there is a choice. By root.
static uint32_t *number_kernels(merger *k, uint32_t *count)
{
    uint32_t n = (uint32_t)k->core->clusters.len, len = 0;
    uint32_t *waits = ARENA_ARRAY(k->arena, uint32_t, n), *heap = ARENA_ARRAY(k->arena, uint32_t, n);
    uint32_t *number = ARENA_ARRAY(k->arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        for (VEC_EACH(uint32_t, to, &k->next[i]))
            waits[find(k, *to)] += find(k, *to) != find(k, i);
    for (uint32_t i = 0; i < n; i++)
        if (find(k, i) == i && waits[i] == 0)
            push(heap, &len, k->first[i]);
    *count = 0;
    while (len > 0) {
        uint32_t kernel = find(k, pop(heap, &len));
        number[kernel] = (*count)++;
        for (VEC_EACH(uint32_t, m, &k->members[kernel]))
            for (VEC_EACH(uint32_t, to, &k->next[*m])) {
                uint32_t other = find(k, *to);
                if (other != kernel && --waits[other] == 0)
                    push(heap, &len, k->first[other]);
            }
    }
    return number;
}

// ---- Strips, stages, times ----

static void place_strips(map_result *r, const map_core *c, const map_state *s)
{
    for (uint32_t t = 0; t < c->problem->tasks.len; t++) {
        const uint32_t *count = s->count + (size_t)c->cluster_of[t] * c->processors;
        uint32_t *to = r->processor + (size_t)t * s->strips;
        for (uint32_t i = 0; i < c->processors; i++)
            for (uint32_t j = 0; j < count[i]; j++)
                *to++ = i;
    }
}

static bool crosses(const map_result *r, const map_edge *e)
{
    return e->from == MAP_OUTSIDE || e->to == MAP_OUTSIDE || r->kernel_of[e->from] != r->kernel_of[e->to];
}

typedef struct costs_of_kernels {
    uint32_t *count; // by kernel and processor: strips
    double *time;    // the same: seconds a strip
    double *start, *priming;
    double *passing;
} costs_of_kernels;

static void add_edges(map_result *r, const map_core *c, const map_state *s, costs_of_kernels *k)
{
    const map_problem *p = c->problem;
    size_t n = c->processors;
    for (VEC_EACH(const map_edge, e, &p->edges)) {
        if (!crosses(r, e))
            continue;
        bool outside = e->from == MAP_OUTSIDE || e->to == MAP_OUTSIDE;
        uint32_t priming = 0;
        for (uint32_t i = 0; i < n; i++) {
            if (e->from != MAP_OUTSIDE)
                r->busy[i] += s->count[c->cluster_of[e->from] * n + i] * e->send;
            if (e->to == MAP_OUTSIDE)
                continue;
            uint32_t strips = s->count[c->cluster_of[e->to] * n + i];
            r->busy[i] += strips * e->receive;
            priming += strips > 0 && strips < s->strips;
        }
        for (size_t i = 0; i < p->resources.len; i++)
            k->passing[i] += (e->bytes * s->strips + e->priming_bytes * priming) *
                             (outside ? p->resources.data[i].outside : p->resources.data[i].crossing);
    }
}

static void add_kernels(map_result *r, const map_core *c, const map_state *s, costs_of_kernels *k)
{
    const map_problem *p = c->problem;
    size_t n = c->processors;
    k->start = ARENA_ARRAY(c->arena, double, r->kernels);
    k->priming = ARENA_ARRAY(c->arena, double, r->kernels);
    uint32_t *some = ARENA_ARRAY(c->arena, uint32_t, r->kernels); // a cluster of the kernel
    for (uint32_t t = 0; t < p->tasks.len; t++) {
        const map_task *task = &p->tasks.data[t];
        uint32_t kernel = r->kernel_of[t];
        some[kernel] = c->cluster_of[t];
        k->priming[kernel] += task->priming;
        k->start[kernel] = task->start > k->start[kernel] ? task->start : k->start[kernel];
        for (uint32_t i = 0; i < n; i++)
            if (s->count[c->cluster_of[t] * n + i] > 0)
                r->busy[i] += s->count[c->cluster_of[t] * n + i] * map_time(p, t, i);
    }
    for (uint32_t kernel = 0; kernel < r->kernels; kernel++)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t strips = s->count[some[kernel] * n + i];
            r->busy[i] += strips * k->start[kernel] / p->processors.data[i].speed;
            if (strips > 0 && strips < s->strips)
                r->busy[i] += k->priming[kernel];
        }
}

static void work_out_times(map_result *r, const map_core *c, const map_state *s)
{
    const map_problem *p = c->problem;
    costs_of_kernels k = {.passing = ARENA_ARRAY(c->arena, double, p->resources.len + 1)};
    add_kernels(r, c, s, &k);
    add_edges(r, c, s, &k);
    r->seconds = -1;
    for (uint32_t i = 0; i < c->processors; i++) {
        r->busy[i] /= s->strips;
        if (r->busy[i] > r->seconds) {
            r->seconds = r->busy[i];
            r->bottleneck = (map_limit){MAP_COMPUTE, p->processors.data[i].name, r->seconds};
        }
    }
    for (size_t i = 0; i < p->resources.len; i++) {
        double seconds = k.passing[i] / p->resources.data[i].bandwidth / s->strips;
        if (seconds <= r->seconds)
            continue;
        r->seconds = seconds;
        r->bottleneck = (map_limit){p->resources.data[i].kind, p->resources.data[i].name, seconds};
    }
}

// A kernel is a stage behind what it reads from other processors, two where transfers come in between.
static void work_out_stages(arena *a, map_result *r, const map_core *c, const map_state *s)
{
    const map_problem *p = c->problem;
    index_list *into = ARENA_ARRAY(a, index_list, r->kernels); // edges by the kernel that reads
    uint32_t *stage = ARENA_ARRAY(a, uint32_t, r->kernels);
    for (uint32_t i = 0; i < p->edges.len; i++)
        if (p->edges.data[i].from != MAP_OUTSIDE && p->edges.data[i].to != MAP_OUTSIDE && crosses(r, &p->edges.data[i]))
            VEC_PUSH(a, &into[r->kernel_of[p->edges.data[i].to]], i);
    for (uint32_t kernel = 0; kernel < r->kernels; kernel++)
        for (VEC_EACH(uint32_t, i, &into[kernel])) {
            const map_edge *e = &p->edges.data[*i];
            bool same = same_row(c, s, c->cluster_of[e->from], c->cluster_of[e->to]);
            uint32_t reached = stage[r->kernel_of[e->from]] + (e->local > 0 ? 2 : !same);
            stage[kernel] = reached > stage[kernel] ? reached : stage[kernel];
        }
    for (uint32_t t = 0; t < p->tasks.len; t++) {
        r->stage[t] = stage[r->kernel_of[t]];
        r->rounds = r->stage[t] + 1 > r->rounds ? r->stage[t] + 1 : r->rounds;
    }
}

map_result *map_result_of(arena *a, const map_core *c, const map_state *s)
{
    uint32_t n = (uint32_t)c->clusters.len;
    size_t tasks = c->problem->tasks.len;
    merger k = {.core = c, .state = s, .arena = c->arena};
    k.root = ARENA_ARRAY(c->arena, uint32_t, n), k.seen = ARENA_ARRAY(c->arena, uint32_t, n);
    k.first = ARENA_ARRAY(c->arena, uint32_t, n), k.last = ARENA_ARRAY(c->arena, uint32_t, n);
    k.members = ARENA_ARRAY(c->arena, index_list, n), k.next = ARENA_ARRAY(c->arena, index_list, n);
    for (uint32_t i = 0; i < n; i++) {
        k.root[i] = k.first[i] = k.last[i] = i;
        VEC_PUSH(c->arena, &k.members[i], i);
    }
    for (VEC_EACH(const map_edge, e, &c->problem->edges))
        if (e->from != MAP_OUTSIDE && e->to != MAP_OUTSIDE && c->cluster_of[e->from] != c->cluster_of[e->to])
            VEC_PUSH(c->arena, &k.next[c->cluster_of[e->from]], c->cluster_of[e->to]);
    if (c->problem->fuse)
        merge_neighbours(&k);

    map_result *r = ARENA_NEW(a, map_result);
    const uint32_t *number = number_kernels(&k, &r->kernels);
    r->strips = s->strips;
    r->kernel_of = ARENA_ARRAY(a, uint32_t, tasks);
    r->stage = ARENA_ARRAY(a, uint32_t, tasks);
    r->processor = ARENA_ARRAY(a, uint32_t, tasks * s->strips);
    r->busy = ARENA_ARRAY(a, double, c->processors);
    for (uint32_t t = 0; t < tasks; t++)
        r->kernel_of[t] = number[find(&k, c->cluster_of[t])];
    place_strips(r, c, s);
    work_out_times(r, c, s);
    work_out_stages(a, r, c, s);
    r->bound = c->bound;
    r->ratio = r->seconds > 0 ? c->bound.seconds / r->seconds : 1;
    return r;
}
