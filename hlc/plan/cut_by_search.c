// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of programs with very many actors that have state: joined by the mapping search (hlc/map), which puts
// neighbours on one processor, instead of pair by pair.
#include "hlc/map/map.h"
#include "hlc/passes/pass.h"
#include "hlc/plan/cut.h"
#include "hlc/plan/footprint.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/thresholds.h"

#define CUT_OPERATION 1e-9 // seconds; only relations count here

static uint64_t state_of(const hlc_program *p, uint32_t actor)
{
    return plan_footprint_of(p->arena, p->module, &actor, 1).state;
}

static const map_result *search(const hlc_program *p, const plan_resources *r, map_problem *problem, bool keep)
{
    // What is kept must fit where it is kept: the first that leaves a way.
    const double rooms[] = {CUT_ROOM, CUT_LITTLE_ROOM};
    const char *why = NULL;
    const map_options how = {.method = MAP_HEURISTIC, .seed = p->config->seed};
    const map_result *found = NULL;
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms && keep && found == NULL; k++) {
        for (size_t i = 0; i < r->processors.len; i++)
            if (!r->processors.data[i].direct)
                problem->processors.data[i].memory = (uint64_t)((double)r->processors.data[i].bytes * rooms[k]);
        found = map_search(p->arena, problem, &how, &why);
    }
    for (size_t i = 0; i < r->processors.len; i++)
        problem->processors.data[i].memory = MAP_NO_BOUND;
    return found != NULL ? found : map_search(p->arena, problem, &how, &why);
}

// By processor, in the same measure as the time of a task; NULL: all take that.
static const double *times_of(const hlc_program *p, const plan_record *record, uint32_t actor, double time)
{
    const plan_record_actor *a = &record->of[actor];
    size_t n = record->resources->processors.len;
    double *times = plan_record_is_plain(record) ? NULL : ARENA_ARRAY(p->arena, double, n + 1);
    double first =
        a->operations / a->lanes * plan_seconds_an_operation(record->resources->processors.data[0].processor);
    for (size_t q = 0; times != NULL && q < n; q++) {
        double seconds = a->seconds[record->kind_of[q]];
        times[q] = seconds < 0 ? -1 : first > 0 ? time * (seconds / first) : time;
    }
    return times;
}

uint32_t *plan_cut_group_by_search(hlc_program *p, const plan_record *record, bool keep, size_t *count)
{
    const plan_resources *r = record->resources;
    const sir_module *m = p->module;
    size_t n = m->actors.len;
    arena *a = p->arena;
    // What is cut to fit local memories is weighed by all its operations: about as its code is.
    map_problem problem = {.name = m->name, .fuse = true};
    uint32_t *kernel_of = ARENA_ARRAY(a, uint32_t, n + 1), *task = ARENA_ARRAY(a, uint32_t, n + 1);
    for (size_t i = 0; i < r->processors.len; i++)
        VEC_PUSH(a, &problem.processors, (map_processor){"", 1, MAP_NO_BOUND});
    for (uint32_t i = 0; i < n; i++) {
        kernel_of[i] = SIR_NONE;
        task[i] = MAP_OUTSIDE;
        if (sir_is_file(m->actors.data[i]))
            continue;
        task[i] = (uint32_t)problem.tasks.len;
        double time = (keep ? record->of[i].operations : plan_record_work(record, i)) * CUT_OPERATION;
        VEC_PUSH(a, &problem.tasks,
                 (map_task){.name = m->actors.data[i]->name,
                            .time = time,
                            .times = times_of(p, record, i, time),
                            .parallel = !keep && record->of[i].keeps == NULL,
                            .bytes = keep ? state_of(p, i) : 0,
                            .together = (uint32_t)(p->schedule->cycle[i] + 1),
                            .processor = MAP_ANY});
    }
    for (VEC_EACH(const sir_channel, c, &m->channels))
        if (task[c->producer] != MAP_OUTSIDE && task[c->consumer] != MAP_OUTSIDE)
            VEC_PUSH(a, &problem.edges, (map_edge){.from = task[c->producer], .to = task[c->consumer]});
    const map_result *found = search(p, r, &problem, keep);
    if (found == NULL) // times without bound, for one
        return NULL;
    for (uint32_t i = 0; i < n; i++)
        kernel_of[i] = task[i] == MAP_OUTSIDE ? SIR_NONE : found->kernel_of[task[i]];
    *count = found->kernels;
    return kernel_of;
}
