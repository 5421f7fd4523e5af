// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks a problem and brings it to its core: clusters of tasks that are never parted, in topological order.
#include "hlc/map/map_int.h"

enum { MOST_STRIPS = 1 << 16 };
#define MOST_CELLS (UINT64_C(1) << 28) // of tables by task and processor or strip
#define MOST_SECONDS 1e9
#define MOST_BYTES 1e18

typedef struct maker {
    arena *arena;
    const map_problem *problem;
    const char *why;
    uint32_t *root; // union-find, by task
} maker;

static bool wrong(maker *k, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool wrong(maker *k, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (k->why == NULL)
        k->why = arena_vprintf(k->arena, format, args);
    va_end(args);
    return false;
}

static bool in_range(double x, double most)
{
    return x >= 0 && x <= most; // false for NaN
}

// ---- What is checked ----

static bool check_processors(maker *k)
{
    const map_problem *p = k->problem;
    if (p->processors.len == 0)
        return wrong(k, "there is no processor");
    if (p->tasks.len == 0)
        return wrong(k, "there is no task");
    uint64_t strips = p->strips != 0 ? p->strips : p->most_strips != 0 ? p->most_strips : MAP_MOST_STRIPS;
    if (strips > MOST_STRIPS)
        return wrong(k, "%llu strips in a round are asked for; at most %d are expected", (unsigned long long)strips,
                     MOST_STRIPS);
    if (p->tasks.len >= UINT32_MAX / 2 || p->edges.len >= UINT32_MAX / 2 ||
        p->processors.len > MOST_CELLS / p->tasks.len)
        return wrong(k, "%zu tasks on %zu processors are too many", p->tasks.len, p->processors.len);
    for (VEC_EACH(const map_processor, x, &p->processors))
        if (!(x->speed > 0 && x->speed <= MOST_SECONDS))
            return wrong(k, "processor '%s' has the speed %g; a positive number is expected", x->name, x->speed);
    for (VEC_EACH(const map_resource, r, &p->resources))
        if (!(r->bandwidth > 0 && r->bandwidth <= MOST_BYTES) || !in_range(r->crossing, MOST_SECONDS) ||
            !in_range(r->outside, MOST_SECONDS))
            return wrong(k, "%s has a bandwidth or factor that is no positive number", r->name);
    return true;
}

static bool check_task(maker *k, const map_task *t)
{
    const map_problem *p = k->problem;
    if (!in_range(t->time, MOST_SECONDS) || !in_range(t->priming, MOST_SECONDS) || !in_range(t->start, MOST_SECONDS))
        return wrong(k, "task '%s' has a time that is negative or no number", t->name);
    if (t->processor != MAP_ANY && t->processor >= p->processors.len)
        return wrong(k, "task '%s' is to run on processor number %u, and there are %zu", t->name, t->processor,
                     p->processors.len);
    for (size_t i = 0; i < p->processors.len && t->times != NULL; i++)
        if (!(t->times[i] <= MOST_SECONDS)) // NaN too
            return wrong(k, "task '%s' has a time on processor '%s' that is no number", t->name,
                         p->processors.data[i].name);
    return true;
}

static bool check_edge(maker *k, const map_edge *e)
{
    const map_problem *p = k->problem;
    if ((e->from >= p->tasks.len && e->from != MAP_OUTSIDE) || (e->to >= p->tasks.len && e->to != MAP_OUTSIDE) ||
        (e->from == MAP_OUTSIDE && e->to == MAP_OUTSIDE))
        return wrong(k, "an edge leads from task number %u to number %u, and there are %zu", e->from, e->to,
                     p->tasks.len);
    if (!in_range(e->bytes, MOST_BYTES) || !in_range(e->priming_bytes, MOST_BYTES) ||
        !in_range(e->send, MOST_SECONDS) || !in_range(e->receive, MOST_SECONDS))
        return wrong(k, "the edge from '%s' to '%s' has a cost that is negative or no number",
                     e->from == MAP_OUTSIDE ? "outside" : p->tasks.data[e->from].name,
                     e->to == MAP_OUTSIDE ? "outside" : p->tasks.data[e->to].name);
    return true;
}

static bool check(maker *k)
{
    const map_problem *p = k->problem;
    if (!check_processors(k))
        return false;
    for (VEC_EACH(const map_task, t, &p->tasks))
        if (!check_task(k, t))
            return false;
    for (VEC_EACH(const map_edge, e, &p->edges))
        if (!check_edge(k, e))
            return false;
    return true;
}

// ---- Which tasks are one cluster ----

static uint32_t find(maker *k, uint32_t task)
{
    while (k->root[task] != task)
        task = k->root[task] = k->root[k->root[task]];
    return task;
}

static void unite(maker *k, uint32_t x, uint32_t y)
{
    x = find(k, x), y = find(k, y);
    if (x < y)
        k->root[y] = x;
    else
        k->root[x] = y;
}

static bool leads_on(maker *k, const map_edge *e)
{
    return e->from != MAP_OUTSIDE && e->to != MAP_OUTSIDE && find(k, e->from) != find(k, e->to);
}

static void heap_push(uint32_t *heap, uint32_t *len, uint32_t x)
{
    uint32_t i = (*len)++;
    for (; i > 0 && heap[(i - 1) / 2] > x; i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = x;
}

static uint32_t heap_pop(uint32_t *heap, uint32_t *len)
{
    uint32_t least = heap[0], x = heap[--*len], i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= *len)
            break;
        if (child + 1 < *len && heap[child + 1] < heap[child])
            child++;
        if (heap[child] >= x)
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = x;
    return least;
}

// Roots in topological order, those with the least task first where there is a choice: neighbours in the program's
// text stay neighbours. False when there is a cycle.
static bool sort_roots(maker *k, uint32_t *sorted, uint32_t *count)
{
    const map_problem *p = k->problem;
    size_t n = p->tasks.len;
    uint32_t *waits = ARENA_ARRAY(k->arena, uint32_t, n), *first = ARENA_ARRAY(k->arena, uint32_t, n + 1);
    uint32_t *next = ARENA_ARRAY(k->arena, uint32_t, p->edges.len + 1), *heap = ARENA_ARRAY(k->arena, uint32_t, n);
    uint32_t len = 0, roots = 0;
    for (size_t i = 0; i < p->edges.len; i++) { // lists of edges by root; 0 ends one
        const map_edge *e = &p->edges.data[i];
        if (!leads_on(k, e))
            continue;
        waits[find(k, e->to)]++;
        next[i] = first[find(k, e->from)];
        first[find(k, e->from)] = (uint32_t)i + 1;
    }
    for (uint32_t i = 0; i < n; i++) {
        roots += find(k, i) == i;
        if (find(k, i) == i && waits[i] == 0)
            heap_push(heap, &len, i);
    }
    *count = 0;
    while (len > 0) {
        uint32_t at = heap_pop(heap, &len);
        sorted[(*count)++] = at;
        for (uint32_t e = first[at]; e != 0; e = next[e - 1])
            if (--waits[find(k, p->edges.data[e - 1].to)] == 0)
                heap_push(heap, &len, find(k, p->edges.data[e - 1].to));
    }
    if (*count < roots)
        for (uint32_t i = 0; i < n; i++)
            if (find(k, i) == i && waits[i] > 0)
                return wrong(k, "tasks form a cycle through '%s', and are not said to stay together",
                             p->tasks.data[i].name);
    return true;
}

typedef VEC(uint32_t) index_list;

// Whether all tasks of each root's set may be assigned to several processors.
static bool *find_parallel(maker *k)
{
    const map_problem *p = k->problem;
    bool *parallel = ARENA_ARRAY(k->arena, bool, p->tasks.len);
    for (uint32_t i = 0; i < p->tasks.len; i++)
        parallel[i] = true;
    for (uint32_t i = 0; i < p->tasks.len; i++)
        parallel[find(k, i)] &= p->tasks.data[i].parallel && p->tasks.data[i].processor == MAP_ANY;
    return parallel;
}

// By root: how many clusters with state lie on the way there, at most; edges between data-parallel ones do not count.
static uint32_t *find_levels(maker *k, const uint32_t *sorted, uint32_t count, const bool *parallel)
{
    const map_problem *p = k->problem;
    uint32_t *level = ARENA_ARRAY(k->arena, uint32_t, p->tasks.len);
    index_list *out = ARENA_ARRAY(k->arena, index_list, p->tasks.len);
    for (uint32_t i = 0; i < p->edges.len; i++)
        if (leads_on(k, &p->edges.data[i]))
            VEC_PUSH(k->arena, &out[find(k, p->edges.data[i].from)], find(k, p->edges.data[i].to));
    for (uint32_t i = 0; i < count; i++)
        for (VEC_EACH(uint32_t, to, &out[sorted[i]])) {
            uint32_t reached = level[sorted[i]] + !(parallel[sorted[i]] && parallel[*to]);
            level[*to] = reached > level[*to] ? reached : level[*to];
        }
    return level;
}

// Replicable tasks of one level with edges between them become one cluster: what comes on a way between two of them is
// of their level too, so the set is convex, and edges between sets lead to higher levels. A cluster's memory must fit
// everywhere: a set that is too large is cut in topological order.
static void merge_parallel(maker *k, const uint32_t *sorted, uint32_t count)
{
    const map_problem *p = k->problem;
    uint32_t n = (uint32_t)p->tasks.len;
    const bool *parallel = find_parallel(k);
    const uint32_t *level = find_levels(k, sorted, count, parallel);
    uint32_t *old = ARENA_ARRAY(k->arena, uint32_t, n), *last = ARENA_ARRAY(k->arena, uint32_t, n);
    uint64_t *bytes = ARENA_ARRAY(k->arena, uint64_t, n), *used = ARENA_ARRAY(k->arena, uint64_t, n);
    uint64_t room = MAP_NO_BOUND;
    for (VEC_EACH(const map_processor, x, &p->processors))
        room = x->memory < room ? x->memory : room;
    for (uint32_t i = 0; i < n; i++) {
        old[i] = find(k, i);
        if (__builtin_add_overflow(bytes[old[i]], p->tasks.data[i].bytes, &bytes[old[i]]))
            bytes[old[i]] = UINT64_MAX;
    }
    for (VEC_EACH(const map_edge, e, &p->edges))
        if (e->from != MAP_OUTSIDE && e->to != MAP_OUTSIDE && parallel[old[e->from]] && parallel[old[e->to]] &&
            level[old[e->from]] == level[old[e->to]])
            unite(k, e->from, e->to);
    uint32_t *set = ARENA_ARRAY(k->arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        set[i] = find(k, i), last[i] = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++)
        k->root[i] = old[i];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = sorted[i], in = set[at];
        if (last[in] != UINT32_MAX && bytes[at] <= room && used[in] <= room - bytes[at]) {
            unite(k, last[in], at);
            used[in] += room == MAP_NO_BOUND ? 0 : bytes[at];
        } else {
            used[in] = bytes[at];
        }
        last[in] = at;
    }
}

// ---- The core ----

static void add_task(maker *k, map_core *c, map_cluster *cluster, uint32_t task)
{
    const map_problem *p = k->problem;
    const map_task *t = &p->tasks.data[task];
    VEC_PUSH(k->arena, &cluster->tasks, task);
    cluster->parallel &= t->parallel;
    cluster->priming += t->priming;
    double least = 0;
    for (uint32_t i = 0; i < c->processors; i++) {
        double time = map_time(p, task, i);
        cluster->time[i] = time < 0 || cluster->time[i] < 0 ? -1 : cluster->time[i] + time;
        least = least < time ? time : least;
    }
    if (cluster->name == NULL || least > cluster->heaviest)
        cluster->name = t->name, cluster->heaviest = least;
    if (__builtin_add_overflow(cluster->bytes, t->bytes, &cluster->bytes))
        cluster->bytes = UINT64_MAX;
}

// Starting a kernel costs once a cluster, as it is one kernel at least.
static void add_start(const map_core *c, map_cluster *cluster)
{
    double start = 0;
    for (VEC_EACH(uint32_t, t, &cluster->tasks))
        start = c->problem->tasks.data[*t].start > start ? c->problem->tasks.data[*t].start : start;
    for (uint32_t i = 0; i < c->processors; i++)
        if (cluster->time[i] >= 0)
            cluster->time[i] += start / c->problem->processors.data[i].speed;
}

static void add_end(map_core *c, uint32_t task, double seconds, uint64_t local)
{
    map_cluster *cluster = &c->clusters.data[c->cluster_of[task]];
    for (uint32_t i = 0; i < c->processors; i++)
        if (cluster->time[i] >= 0)
            cluster->time[i] += seconds;
    if (__builtin_add_overflow(cluster->bytes, local, &cluster->bytes))
        cluster->bytes = UINT64_MAX;
}

// What an edge costs in every mapping is its clusters' and resources' own.
static void add_edge(maker *k, map_core *c, const map_edge *e)
{
    const map_problem *p = k->problem;
    bool outside = e->from == MAP_OUTSIDE || e->to == MAP_OUTSIDE;
    if (!outside && c->cluster_of[e->from] == c->cluster_of[e->to])
        return;
    if (outside || !p->fuse) {
        if (e->from != MAP_OUTSIDE)
            add_end(c, e->from, e->send, e->local);
        if (e->to != MAP_OUTSIDE) {
            add_end(c, e->to, e->receive, e->local);
            c->clusters.data[c->cluster_of[e->to]].priming_bytes += e->priming_bytes;
        }
        for (size_t i = 0; i < p->resources.len; i++)
            c->base[i] += e->bytes * (outside ? p->resources.data[i].outside : p->resources.data[i].crossing);
        return;
    }
    uint32_t from = c->cluster_of[e->from], to = c->cluster_of[e->to];
    for (VEC_EACH(uint32_t, known, &c->clusters.data[from].edges)) {
        map_core_edge *x = &c->edges.data[*known];
        if (x->from != from || x->to != to)
            continue;
        x->bytes += e->bytes, x->send += e->send, x->receive += e->receive;
        if (__builtin_add_overflow(x->local, e->local, &x->local))
            x->local = UINT64_MAX;
        return;
    }
    VEC_PUSH(k->arena, &c->clusters.data[from].edges, (uint32_t)c->edges.len);
    VEC_PUSH(k->arena, &c->clusters.data[to].edges, (uint32_t)c->edges.len);
    VEC_PUSH(k->arena, &c->edges, (map_core_edge){from, to, e->bytes, e->send, e->receive, e->local});
}

static void find_kinds(maker *k, map_core *c)
{
    const map_problem *p = k->problem;
    c->kind = ARENA_ARRAY(k->arena, uint32_t, c->processors);
    for (uint32_t i = 0; i < c->processors; i++) {
        c->kind[i] = i;
        for (uint32_t j = 0; j < i && c->kind[i] == i; j++) {
            bool same = p->processors.data[i].memory == p->processors.data[j].memory && c->kind[j] == j;
            for (size_t t = 0; t < c->clusters.len && same; t++)
                same = c->clusters.data[t].time[i] == c->clusters.data[t].time[j];
            c->kind[i] = same ? j : i;
        }
    }
}

// Some processor can run each cluster and has the memory.
static bool check_clusters(maker *k, const map_core *c)
{
    for (VEC_EACH(const map_cluster, x, &c->clusters)) {
        const map_task *t = &k->problem->tasks.data[x->tasks.data[0]];
        uint64_t most = 0;
        uint32_t able = UINT32_MAX;
        bool fits = false;
        for (uint32_t i = 0; i < c->processors; i++) {
            uint64_t room = k->problem->processors.data[i].memory;
            if (x->time[i] < 0)
                continue;
            fits |= x->bytes <= room;
            if (able == UINT32_MAX || room > most)
                most = room, able = i;
        }
        if (able == UINT32_MAX)
            return wrong(k,
                         x->tasks.len == 1 ? "no processor can run task '%s'"
                                           : "no processor can run task '%s' and what must stay with it",
                         t->name);
        if (!fits)
            return wrong(
                k, "task '%s' needs %llu bytes of local memory, and processor '%s', which has most of it, has %llu",
                x->name, (unsigned long long)x->bytes, k->problem->processors.data[able].name,
                (unsigned long long)most);
    }
    return true;
}

static map_core *make_core(maker *k, const uint32_t *sorted, uint32_t count)
{
    const map_problem *p = k->problem;
    map_core *c = ARENA_NEW(k->arena, map_core);
    *c = (map_core){.arena = k->arena, .problem = p, .processors = (uint32_t)p->processors.len};
    c->cluster_of = ARENA_ARRAY(k->arena, uint32_t, p->tasks.len);
    c->base = ARENA_ARRAY(k->arena, double, p->resources.len + 1);
    for (uint32_t i = 0; i < count; i++) {
        map_cluster *x = VEC_ADD(k->arena, &c->clusters);
        x->time = ARENA_ARRAY(k->arena, double, c->processors);
        x->parallel = true;
        c->cluster_of[sorted[i]] = i;
    }
    for (uint32_t i = 0; i < p->tasks.len; i++) {
        c->cluster_of[i] = c->cluster_of[find(k, i)];
        add_task(k, c, &c->clusters.data[c->cluster_of[i]], i);
    }
    for (VEC_EACH(map_cluster, x, &c->clusters))
        add_start(c, x);
    for (VEC_EACH(const map_edge, e, &p->edges))
        add_edge(k, c, e);
    find_kinds(k, c);
    c->bound = map_core_bound(c);
    return c;
}

// Tasks pinned to one processor together must be pinned to the same one.
static void unite_together(maker *k)
{
    const map_problem *p = k->problem;
    uint32_t n = (uint32_t)p->tasks.len;
    typedef struct group {
        uint32_t number, task;
    } group;
    uint32_t size = 16;
    while (size < 2 * n)
        size *= 2;
    group *table = ARENA_ARRAY(k->arena, group, size); // open addressing; number 0 is free
    k->root = ARENA_ARRAY(k->arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        k->root[i] = i;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t number = p->tasks.data[i].together;
        if (number == 0)
            continue;
        uint32_t at = number * UINT32_C(2654435769) & (size - 1);
        while (table[at].number != 0 && table[at].number != number)
            at = (at + 1) & (size - 1);
        if (table[at].number == number)
            unite(k, table[at].task, i);
        else
            table[at] = (group){number, i};
    }
}

map_core *map_core_make(arena *a, const map_problem *p, const char **why)
{
    maker k = {.arena = a, .problem = p};
    map_core *c = NULL;
    if (check(&k)) {
        uint32_t *sorted = ARENA_ARRAY(a, uint32_t, p->tasks.len), count;
        unite_together(&k);
        if (sort_roots(&k, sorted, &count)) {
            if (p->fuse && !p->fine) {
                merge_parallel(&k, sorted, count);
                sort_roots(&k, sorted, &count);
            }
            c = make_core(&k, sorted, count);
            if (!check_clusters(&k, c))
                c = NULL;
        }
    }
    if (c == NULL)
        *why = k.why;
    return c;
}
