// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search as a whole: greedy, annealing, and for small problems the integer program.
#include <math.h>

#include "hlc/map/map_int.h"

// Steps a second, low enough for a slow computer: they and not a clock end the search.
enum { ANNEALING_STEPS = 60000, MOST_CLUSTERS = 40, MOST_CELLS = 400, MOST_EDGES = 100, NODES = 100 };
#define MOST_SEARCH_SECONDS 86400.0

static uint64_t annealing_steps(const map_core *c, const map_options *o, double seconds)
{
    double enough = 3000.0 * (double)c->clusters.len * (c->processors < 8 ? c->processors : 8);
    double most = (o->steps != 0 ? (double)o->steps : ANNEALING_STEPS * seconds) * 32 / (32 + c->processors);
    return (uint64_t)(enough < most ? enough : most);
}

static bool is_small(const map_core *c)
{
    return c->clusters.len <= MOST_CLUSTERS && c->clusters.len * c->processors <= MOST_CELLS &&
           c->edges.len <= MOST_EDGES;
}

// What is known of a state before kernels are made.
static bool is_near_bound(const map_core *c, const map_costs *costs)
{
    return costs->overflow == 0 && costs->seconds <= c->bound.seconds * (1 + MAP_GAP);
}

static const char *what_overflows(arena *a, const map_core *c, const map_state *s, const map_costs *costs)
{
    for (uint32_t i = 0; i < c->processors; i++) {
        const map_processor *p = &c->problem->processors.data[i];
        if (costs->bytes[i] <= p->memory)
            continue;
        uint32_t largest = UINT32_MAX;
        for (uint32_t k = 0; k < c->clusters.len; k++)
            if (s->count[(size_t)k * c->processors + i] > 0 &&
                (largest == UINT32_MAX || c->clusters.data[k].bytes > c->clusters.data[largest].bytes))
                largest = k;
        return arena_printf(a,
                            "the search found no way to fit all tasks into the local memories: processor '%s' has %llu "
                            "bytes, and '%s' with the others there needs %llu",
                            p->name, (unsigned long long)p->memory,
                            largest == UINT32_MAX ? "" : c->clusters.data[largest].name,
                            (unsigned long long)costs->bytes[i]);
    }
    return "the tasks do not fit";
}

map_result *map_search(arena *a, const map_problem *p, const map_options *o, const char **why)
{
    arena *scratch = arena_create();
    double seconds = o->seconds > 0 ? o->seconds : MAP_SECONDS;
    seconds = seconds < MOST_SEARCH_SECONDS ? seconds : MOST_SEARCH_SECONDS;
    map_clock clock = {.end = o->seconds > 0 || o->method == MAP_EXACT ? map_now() + seconds : INFINITY};
    map_result *r = NULL;
    const char *wrong = NULL;
    map_core *c = map_core_make(scratch, p, &wrong);
    if (c != NULL && o->method == MAP_EXACT && !map_has_solver()) {
        c = NULL;
        wrong = "integer programs are solved by CBC, whose library is not there (package coinor-libcbc3)";
    }
    if (c != NULL) {
        c->history = ARENA_NEW(scratch, map_history);
        map_history_mark(c, MAP_GREEDY, 0);
        map_state s = map_greedy(scratch, c);
        map_costs costs = map_costs_make(scratch, c);
        map_exact_result exact = {0};
        uint64_t steps = 0;
        bool tried = false;
        map_costs_of(c, &s, &costs);
        map_history_mark(c, MAP_GREEDY, 0);
        if (o->method != MAP_EXACT && !is_near_bound(c, &costs)) {
            map_history_mark(c, MAP_ANNEALING, 0);
            steps = map_anneal(scratch, c, &s, o->seed, annealing_steps(c, o, seconds), &clock);
            map_costs_of(c, &s, &costs);
            map_history_mark(c, MAP_ANNEALING, 0);
        }
        if (o->method == MAP_EXACT || (o->method == MAP_AUTOMATIC && o->seconds > 0 && is_small(c) &&
                                       !is_near_bound(c, &costs) && map_has_solver())) {
            tried = true;
            map_history_mark(c, MAP_INTEGER, 0);
            exact = map_solve_exactly(scratch, c, &s, (uint64_t)(NODES * seconds) + 1, &clock);
            map_costs_of(c, &s, &costs);
            map_history_step(c, exact.nodes);
            map_history_keep(c, MAP_INTEGER, &costs);
            map_history_mark(c, MAP_INTEGER, exact.lower);
        }
        if (costs.overflow == 0) {
            r = map_result_of(a, c, &s);
            r->exact = tried;
            r->lower = exact.lower;
            r->proven = exact.proven || is_near_bound(c, &costs);
            r->steps = steps + exact.nodes;
            r->cut_off = clock.cut_off;
            for (VEC_EACH(const map_moment, moment, &c->history->moments))
                VEC_PUSH(a, &r->history, *moment);
        } else {
            wrong = what_overflows(a, c, &s, &costs);
        }
    }
    if (r == NULL)
        *why = arena_strdup(a, wrong);
    arena_destroy(scratch);
    return r;
}

bool map_bound(arena *a, const map_problem *p, map_limit *bound, const char **why)
{
    arena *scratch = arena_create();
    const char *wrong = NULL;
    const map_core *c = map_core_make(scratch, p, &wrong);
    if (c != NULL)
        *bound = c->bound;
    else
        *why = arena_strdup(a, wrong);
    arena_destroy(scratch);
    return c != NULL;
}

map_result *map_judge(arena *a, const map_problem *p, uint32_t strips, const uint32_t *processor, const char **why)
{
    arena *scratch = arena_create();
    map_result *r = NULL;
    const char *wrong = NULL;
    map_core *c = map_core_make(scratch, p, &wrong);
    if (c != NULL) {
        map_state s = {strips, ARENA_ARRAY(scratch, uint32_t, c->clusters.len * c->processors)};
        for (uint32_t i = 0; i < c->clusters.len; i++)
            for (uint32_t k = 0; k < strips; k++)
                s.count[(size_t)i * c->processors +
                        processor[(size_t)c->clusters.data[i].tasks.data[0] * strips + k]]++;
        r = map_result_of(a, c, &s);
    } else {
        *why = arena_strdup(a, wrong);
    }
    arena_destroy(scratch);
    return r;
}
