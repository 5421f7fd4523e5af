// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the mapping search on abstract problems, checks what comes out, and prints it.
//   map-test FILE [--method=exact|heuristic] [--seconds=S] [--seed=N] [--table]
//   map-test --random=TASKS,PROCESSORS,SEED [the same]
//   map-test --chain=TASKS,PROCESSORS,SEED [the same]
//   map-test --compare=COUNT,TASKS,PROCESSORS [--seconds=S]   exact against heuristic on COUNT random graphs of 2 to
//            TASKS tasks on 2 to PROCESSORS processors
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "map-test.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static _Noreturn void broken(const char *what, uint32_t task)
{
    printf("BROKEN: %s (task %u)\n", what, task);
    exit(1);
}

// ---- What every answer promises ----

static void check_strips(const map_problem *p, const map_result *r, uint32_t t)
{
    const map_task *task = &p->tasks.data[t];
    const uint32_t *on = r->processor + (size_t)t * r->strips;
    for (uint32_t s = 0; s < r->strips; s++) {
        if (on[s] >= p->processors.len || map_time(p, t, on[s]) < 0)
            broken("a strip is on a processor that cannot run it", t);
        if (s > 0 && on[s] != on[s - 1] && !task->parallel)
            broken("a task with state is on two processors", t);
        for (uint32_t before = 0; before + 1 < s; before++)
            if (on[before] == on[s] && on[s - 1] != on[s])
                broken("a processor has two chunks of a task", t);
    }
}

static bool same_strips(const map_result *r, uint32_t x, uint32_t y)
{
    return memcmp(r->processor + (size_t)x * r->strips, r->processor + (size_t)y * r->strips,
                  r->strips * sizeof *r->processor) == 0;
}

static void check_kernels(arena *a, const map_problem *p, const map_result *r)
{
    uint32_t *first = ARENA_ARRAY(a, uint32_t, r->kernels);
    for (uint32_t i = 0; i < r->kernels; i++)
        first[i] = UINT32_MAX;
    for (uint32_t t = 0; t < p->tasks.len; t++) {
        if (r->kernel_of[t] >= r->kernels)
            broken("there is no such kernel", t);
        if (first[r->kernel_of[t]] == UINT32_MAX)
            first[r->kernel_of[t]] = t;
        if (!same_strips(r, first[r->kernel_of[t]], t) || r->stage[first[r->kernel_of[t]]] != r->stage[t])
            broken("tasks of one kernel are on different processors or in different stages", t);
        if (r->stage[t] >= r->rounds)
            broken("there are more stages than rounds under way", t);
    }
    for (VEC_EACH(const map_edge, e, &p->edges)) {
        if (e->from == MAP_OUTSIDE || e->to == MAP_OUTSIDE)
            continue;
        const map_task *x = &p->tasks.data[e->from], *y = &p->tasks.data[e->to];
        if (r->kernel_of[e->from] > r->kernel_of[e->to]) // so kernels are convex
            broken("an edge leads to an earlier kernel", e->to);
        if (r->stage[e->from] > r->stage[e->to])
            broken("an edge leads to an earlier stage", e->to);
        if (r->kernel_of[e->from] != r->kernel_of[e->to] && !same_strips(r, e->from, e->to) &&
            r->stage[e->from] == r->stage[e->to])
            broken("an edge between processors stays in a stage", e->to);
        if (x->together != 0 && x->together == y->together && r->kernel_of[e->from] != r->kernel_of[e->to])
            broken("what must stay together was parted", e->to);
    }
}

static void check_memory(arena *a, const map_problem *p, const map_result *r)
{
    size_t n = p->processors.len;
    uint64_t *used = ARENA_ARRAY(a, uint64_t, n);
    bool *there = ARENA_ARRAY(a, bool, p->tasks.len *n);
    for (uint32_t t = 0; t < p->tasks.len; t++)
        for (uint32_t s = 0; s < r->strips; s++)
            there[t * n + r->processor[(size_t)t * r->strips + s]] = true;
    for (size_t i = 0; i < n; i++) {
        for (uint32_t t = 0; t < p->tasks.len; t++)
            used[i] += there[t * n + i] ? p->tasks.data[t].bytes : 0;
        for (VEC_EACH(const map_edge, e, &p->edges)) {
            if (e->from != MAP_OUTSIDE && e->to != MAP_OUTSIDE && r->kernel_of[e->from] == r->kernel_of[e->to])
                continue;
            used[i] += e->from != MAP_OUTSIDE && there[e->from * n + i] ? e->local : 0;
            used[i] += e->to != MAP_OUTSIDE && there[e->to * n + i] ? e->local : 0;
        }
        if (p->processors.data[i].memory != MAP_NO_BOUND && used[i] > p->processors.data[i].memory)
            printf("memory of %s: %llu bytes of %llu\n", p->processors.data[i].name, (unsigned long long)used[i],
                   (unsigned long long)p->processors.data[i].memory);
    }
}

static void check_times(const map_problem *p, const map_result *r)
{
    double worst = 0, work = 0, busy = 0;
    for (uint32_t i = 0; i < p->processors.len; i++) {
        worst = fmax(worst, r->busy[i]);
        busy += r->busy[i];
    }
    for (uint32_t t = 0; t < p->tasks.len; t++)
        for (uint32_t s = 0; s < r->strips; s++)
            work += map_time(p, t, r->processor[(size_t)t * r->strips + s]) / r->strips;
    if (busy < work * (1 - 1e-9))
        broken("the processors are busy for less than the tasks take", 0);
    if (r->seconds < worst * (1 - 1e-9) || r->seconds < r->bound.seconds * (1 - 1e-9))
        broken("the prediction is below the busiest processor or the bound", 0);
}

static void check(arena *a, const map_problem *p, const map_result *r)
{
    for (uint32_t t = 0; t < p->tasks.len; t++)
        check_strips(p, r, t);
    check_kernels(a, p, r);
    check_memory(a, p, r);
    check_times(p, r);
}

// ---- Printing ----

static void print_table(arena *a, const map_problem *p, const map_result *r)
{
    for (uint32_t t = 0; t < p->tasks.len; t++) {
        strbuf b;
        strbuf_init(&b, a);
        const uint32_t *on = r->processor + (size_t)t * r->strips;
        for (uint32_t s = 0, chunk = 0; s < r->strips; s++) {
            chunk++;
            if (s + 1 < r->strips && on[s + 1] == on[s])
                continue;
            strbuf_printf(&b, " %s:%u", p->processors.data[on[s]].name, chunk);
            chunk = 0;
        }
        printf("  %s: kernel %u, stage %u,%s\n", p->tasks.data[t].name, r->kernel_of[t], r->stage[t], b.data);
    }
}

static void print(arena *a, const map_problem *p, const map_result *r, bool table)
{
    printf("%u strips a round, %u kernels, %u rounds under way\n", r->strips, r->kernels, r->rounds);
    printf("predicted %.4g us a strip: %s; bound %.4g us: %s; ratio %.4f\n", r->seconds * 1e6,
           map_limit_text(a, &r->bottleneck), r->bound.seconds * 1e6, map_limit_text(a, &r->bound), r->ratio);
    printf("%s%s%s\n", r->exact ? "exact" : "heuristic", r->proven ? ", proven" : "",
           r->cut_off ? ", cut off by the clock" : "");
    if (table)
        print_table(a, p, r);
}

// ---- Exact against heuristic ----

// Of graphs on which the exact method ends, and of the others, which are held against what it has shown to be impossible.
typedef struct tally {
    int graphs, agree, open, open_near, cut_off;
    double worst, open_worst, exact_seconds, longest, heuristic_seconds;
} tally;

static void compare(arena *a, const map_problem *p, double seconds, tally *k)
{
    const char *why = NULL;
    double begin = now();
    const map_result *h =
        map_search(a, p, &(map_options){.method = MAP_HEURISTIC, .seconds = seconds, .seed = 1}, &why);
    k->heuristic_seconds += now() - begin;
    if (h == NULL) {
        printf("BROKEN: %s: %s\n", p->name, why);
        exit(1);
    }
    check(a, p, h);
    map_problem same = *p; // the exact method is to solve the same problem
    same.strips = h->strips;
    begin = now();
    const map_result *e = map_search(a, &same, &(map_options){.method = MAP_EXACT, .seconds = seconds}, &why);
    double took = now() - begin;
    k->exact_seconds += took;
    k->longest = fmax(k->longest, took);
    if (e != NULL)
        check(a, &same, e);
    // Where the exact method has not ended, what it has shown to be impossible takes its place.
    bool proven = e != NULL && e->proven;
    double reference = e == NULL ? h->bound.seconds : proven ? e->seconds : e->lower;
    double apart = fabs(h->seconds / reference - 1);
    k->graphs++;
    k->cut_off += e != NULL && e->cut_off;
    if (proven) {
        k->agree += apart <= 0.05;
        k->worst = fmax(k->worst, apart);
    } else {
        k->open++;
        k->open_near += apart <= 0.05;
        k->open_worst = fmax(k->open_worst, apart);
    }
    if (apart > 0.05)
        printf("%s: heuristic %.4g us, exact %.4g us%s, lower bound %.4g us\n", p->name, h->seconds * 1e6,
               e == NULL ? 0 : e->seconds * 1e6, proven ? "" : " (not proven)", e == NULL ? 0 : e->lower * 1e6);
}

static int compare_many(const char *text, double seconds)
{
    unsigned count = 0, tasks = 0, processors = 0;
    if (sscanf(text, "%u,%u,%u", &count, &tasks, &processors) != 3 || tasks < 2 || processors < 2)
        return 2;
    tally k = {0};
    for (unsigned i = 0; i < count; i++) {
        arena *a = arena_create();
        map_problem p = {0};
        map_make_random(a, &p, &(random_shape){2 + i * 7 % (tasks - 1), 2 + i * 3 % (processors - 1), i + 1, false});
        compare(a, &p, seconds, &k);
        arena_destroy(a);
    }
    printf("%d graphs: the exact method ends on %d, of which %d agree within 5 %%; most apart %.2f %%\n", k.graphs,
           k.graphs - k.open, k.agree, 100 * k.worst);
    printf("%d on which it does not end: %d within 5 %% of what it shows to be impossible; most apart %.2f %%\n", k.open,
           k.open_near, 100 * k.open_worst);
    fprintf(stderr, "exact %.2f s, at most %.2f s a graph, heuristic %.2f s, cut off %d\n", k.exact_seconds, k.longest,
            k.heuristic_seconds, k.cut_off);
    return k.agree + k.open < k.graphs;
}

int main(int argc, char **argv)
{
    map_options o = {.seed = 1};
    map_problem p = {0};
    arena *a = arena_create();
    bool table = false;
    const char *many = NULL;
    for (int i = 1; i < argc; i++) {
        const char *value = strchr(argv[i], '=') == NULL ? "" : strchr(argv[i], '=') + 1;
        random_shape shape = {.chain = strncmp(argv[i], "--chain=", 8) == 0};
        unsigned long long seed;
        if (strncmp(argv[i], "--method=", 9) == 0)
            o.method = strcmp(value, "exact") == 0 ? MAP_EXACT : MAP_HEURISTIC;
        else if (strncmp(argv[i], "--seconds=", 10) == 0)
            o.seconds = strtod(value, NULL);
        else if (strncmp(argv[i], "--seed=", 7) == 0)
            o.seed = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--table") == 0)
            table = true;
        else if (strncmp(argv[i], "--compare=", 10) == 0)
            many = value;
        else if ((shape.chain || strncmp(argv[i], "--random=", 9) == 0) &&
                 sscanf(value, "%u,%u,%llu", &shape.tasks, &shape.processors, &seed) == 3) {
            shape.seed = seed;
            map_make_random(a, &p, &shape);
        } else if (argv[i][0] != '-')
            map_read(a, &p, argv[i]);
        else
            return 2;
    }
    if (many != NULL) {
        arena_destroy(a);
        return compare_many(many, o.seconds);
    }
    const char *why = NULL;
    double begin = now();
    const map_result *r = map_search(a, &p, &o, &why);
    fprintf(stderr, "%.2f s\n", now() - begin);
    if (r == NULL)
        printf("error: %s\n", why);
    else {
        check(a, &p, r);
        if (r->cut_off && o.seconds == 0 && o.method != MAP_EXACT)
            puts("error: a clock that nobody asked for ended the search");
        print(a, &p, r, table);
    }
    arena_destroy(a);
    return r == NULL;
}
