// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels on processors as an abstract mapping problem (hlc/map): what an assignment of strips comes to, whether the search
// knows a better one, and how far that is from the bound. Times are estimates from counts of operations.
#include "hlc/map/map.h"
#include "hlc/passes/pass.h"
#include "hlc/plan/cut.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/profile.h"
#include "hlc/plan/threads.h"
#include "hlc/plan/thresholds.h"

typedef struct problem {
    hlc_program *p;
    map_problem map;
    double strip; // steady states
} problem;

// Seconds of a strip by processor, from those of a steady state by processor (a kernel's) or by kind (an actor's); NULL: all
// processors do the same at the same cost.
static const double *times_of(const problem *k, const double *seconds, const uint32_t *kind_of)
{
    size_t n = k->p->cut->resources->processors.len;
    double *times = plan_record_is_plain(k->p->cut->record) ? NULL : ARENA_ARRAY(k->p->arena, double, n + 1);
    for (size_t q = 0; times != NULL && q < n; q++) {
        double x = seconds[kind_of != NULL ? kind_of[q] : q];
        times[q] = x < 0 ? -1 : x * k->strip;
    }
    return times;
}

static void add_kernels(problem *k)
{
    const plan_cut *cut = k->p->cut;
    const sir_module *m = cut->graph->module;
    const machine_processor *first = cut->resources->processors.data[0].processor;
    const double *seconds = plan_actor_seconds(k->p);
    double *steady = ARENA_ARRAY(k->p->arena, double, cut->kernels.len + 1); // seconds of a steady state
    double *primed = ARENA_ARRAY(k->p->arena, double, cut->kernels.len + 1); // and of a priming run's beginning
    for (uint32_t i = 0; i < m->actors.len; i++) {
        steady[cut->graph->kernel_of[i]] += seconds[i];
        primed[cut->graph->kernel_of[i]] += seconds[i] * plan_cut_repeats(cut, i);
    }
    for (uint32_t i = 0; i < cut->kernels.len; i++) {
        const plan_cut_kernel *kernel = &cut->kernels.data[i];
        uint32_t named = kernel->pinned_by != SIR_NONE && !kernel->parallel ? kernel->pinned_by
                                                                            : cut->graph->kernels.data[i].actors.data[0];
        VEC_PUSH(k->p->arena, &k->map.tasks,
                 (map_task){.name = cut->graph->whole->actors.data[named]->name,
                            .time = steady[i] * k->strip,
                            .times = times_of(k, kernel->on, NULL),
                            .parallel = kernel->parallel,
                            .priming = primed[i],
                            .start = plan_start_seconds(first),
                            .processor = MAP_ANY});
    }
}

// Bytes that move through a stream in a steady state.
static double steady_bytes(const plan_net *graph, const plan_stream *st)
{
    int64_t items = graph->whole_schedule->channels[st->channel].steady;
    return (double)items * (double)plan_element_bytes(graph->whole, st->channel);
}

static void add_queues(problem *k)
{
    const plan_cut *cut = k->p->cut;
    const plan_net *graph = cut->graph;
    for (VEC_EACH(const plan_stream, st, &graph->streams)) {
        double delay = 0; // items that a strip reads beyond its own
        for (VEC_EACH(const plan_queue, queue, &cut->queues))
            delay = &graph->streams.data[queue->stream] == st ? (double)queue->delay : delay;
        double item = (double)plan_element_bytes(graph->whole, st->channel);
        double step = steady_bytes(graph, st);
        map_edge e = {.from = st->from == SIR_NONE ? MAP_OUTSIDE : st->from,
                      .to = st->to == SIR_NONE ? MAP_OUTSIDE : st->to,
                      .bytes = step * k->strip + delay * item};
        e.priming_bytes = (double)plan_queue_prime(cut, (uint32_t)(st - graph->streams.data)) * item;
        const machine_processor *engine;
        if (plan_cut_all_straight(cut) && plan_cut_straight(cut, st, &engine)) // not through the shared memory
            e.bytes = e.priming_bytes = 0;
        if (e.from != MAP_OUTSIDE || e.to != MAP_OUTSIDE)
            VEC_PUSH(k->p->arena, &k->map.edges, e);
    }
}

static void add_machine(problem *k)
{
    const plan_resources *r = k->p->cut->resources;
    const machine_processor *first = r->processors.data[0].processor;
    bool direct = true;
    for (VEC_EACH(const plan_processor, x, &r->processors)) {
        double speed = plan_seconds_an_operation(first) / plan_seconds_an_operation(x->processor);
        direct &= x->direct;
        VEC_PUSH(k->p->arena, &k->map.processors, (map_processor){x->processor->element.name, speed, MAP_NO_BOUND});
    }
    double bandwidth = machine_bytes_per_second(r->shared->sequential, r->shared->clock);
    // Caches stand before the memory that kernels work in themselves.
    if (!direct && bandwidth > 0 && bandwidth < 1e18)
        VEC_PUSH(k->p->arena, &k->map.resources, (map_resource){r->shared->element.name, MAP_MEMORY, bandwidth, 2, 1});
}

static void make_problem(problem *k)
{
    const plan_cut *cut = k->p->cut;
    k->map = (map_problem){.name = cut->graph->whole->name};
    k->strip = (double)k->p->plan->strip;
    add_machine(k);
    add_kernels(k);
    add_queues(k);
}

// Whole rounds of the answer one after the other, so that a round has at least so many strips: each chunk is that much longer.
static uint32_t *repeat(const problem *k, const map_result *r, uint32_t times)
{
    size_t n = k->map.tasks.len;
    uint32_t *where = ARENA_ARRAY(k->p->arena, uint32_t, n * r->strips * times + 1), *to = where;
    for (size_t i = 0; i < n * r->strips; i++)
        for (uint32_t t = 0; t < times; t++)
            *to++ = r->processor[i];
    return where;
}

// The program's own bound: kernels may have joined what could be apart, so its actors are the tasks here, and only files' items
// pass the shared memory.
static map_limit find_bound(const problem *k, const map_result *r)
{
    const plan_net *graph = k->p->cut->graph;
    const plan_record *record = k->p->cut->record;
    const double *seconds = plan_actor_seconds(k->p);
    map_problem whole = {.name = k->map.name, .fuse = true};
    whole.processors = k->map.processors;
    whole.resources = k->map.resources;
    for (uint32_t i = 0; i < graph->module->actors.len; i++)
        if (graph->actor_of[i] != SIR_NONE)
            VEC_PUSH(k->p->arena, &whole.tasks,
                     (map_task){.name = graph->module->actors.data[i]->name,
                                .time = seconds[i] * k->strip,
                                .times = times_of(k, record->of[graph->actor_of[i]].seconds, record->kind_of),
                                .parallel = record->of[graph->actor_of[i]].keeps == NULL,
                                .together = (uint32_t)(graph->schedule->cycle[i] + 1),
                                .processor = MAP_ANY});
    for (VEC_EACH(const plan_stream, st, &graph->streams))
        if (st->from == SIR_NONE || st->to == SIR_NONE) // whichever task it is
            VEC_PUSH(k->p->arena, &whole.edges,
                     (map_edge){.from = MAP_OUTSIDE, .bytes = steady_bytes(graph, st) * k->strip});
    map_limit bound;
    const char *why;
    return map_bound(k->p->arena, &whole, &bound, &why) && bound.seconds > 0 ? bound : r->bound;
}

static void remark(const problem *k, const map_result *r, bool searched)
{
    const plan_cut *cut = k->p->cut;
    const sir_module *m = cut->graph->whole;
    diag_engine *d = k->p->diag;
    if (!d->remarks)
        return;
    double items = 0; // written in a steady state, or read
    for (int writes = 1; writes >= 0 && items == 0; writes--)
        for (VEC_EACH(const sir_channel, c, &m->channels)) {
            const sir_actor *end = m->actors.data[writes ? c->consumer : c->producer];
            if (end->kind == (writes ? SIR_WRITER : SIR_READER))
                items += (double)cut->graph->whole_schedule->channels[c - m->channels.data].steady;
        }
    double each = k->strip * (items > 0 ? items : 1);
    map_limit bound = find_bound(k, r);
    diag_remark(d, sir_range(m, k->p->sources, m->regions.data[0].loc),
                "predicted %.4g %s a second by %s (limit: %s); the bound is %.4g (%s); ratio %.3f%s [map]",
                each / r->seconds, items > 0 ? "items" : "steady states",
                k->p->profile != NULL ? "measured times" : "estimated operations",
                map_limit_text(k->p->arena, &r->bottleneck), each / bound.seconds, map_limit_text(k->p->arena, &bound),
                bound.seconds / r->seconds, searched ? "; assigned by the search" : "");
}

void plan_cut_search(hlc_program *p)
{
    plan_cut *cut = p->cut;
    problem k = {.p = p};
    const char *why = NULL;
    uint32_t least, most;
    for (VEC_EACH(const plan_processor, x, &cut->resources->processors))
        if (plan_launches(x->processor))
            return; // what launches cost is no part of the search's problem
    make_problem(&k);
    plan_cut_strips(p, &least, &most);
    // Strips of a round follow each other through the kernels, and few rounds are under way: no shorter ones than there are.
    least = least > cut->strips ? least : cut->strips;
    if (p->config->max_latency != 0 && most > cut->strips) // rounds under way were counted for these
        most = cut->strips;
    const map_result *there = map_judge(p->arena, &k.map, cut->strips, cut->where, &why);
    if (there == NULL || there->seconds <= 0 || there->bound.seconds <= 0)
        return;
    const map_result *best = there;
    cut->assigned = there;
    if (there->ratio < 1 - SEARCH_GAIN && cut->kernels.len > 0 && !cut->space &&
        p->config->mapping == HLC_MAPPING_CHOSEN) {
        double seconds = p->config->search;
        map_options o = {.method = seconds > 0 ? MAP_AUTOMATIC : MAP_HEURISTIC,
                         .seconds = seconds,
                         .steps = seconds > 0 ? 0 : SEARCH_STEPS,
                         .seed = p->config->seed};
        k.map.most_strips = most < MAP_MOST_STRIPS ? most : MAP_MOST_STRIPS;
        map_result *found = map_search(p->arena, &k.map, &o, &why);
        cut->tried = found;
        if (found != NULL && found->seconds < there->seconds * (1 - SEARCH_GAIN)) {
            // Whole repetitions of what was found: there may be none between the least round and the longest.
            uint32_t times = found->strips < least ? (least + found->strips - 1) / found->strips : 1;
            bool fits = p->config->max_latency == 0 || found->strips * times <= most;
            if (fits && plan_cut_adopt(p, found->strips * times, repeat(&k, found, times)))
                best = found;
        }
    }
    map_limit *bound = ARENA_NEW(p->arena, map_limit);
    *bound = find_bound(&k, best);
    cut->judged = best;
    cut->bound = bound;
    cut->searched = best != there;
    remark(&k, best, best != there);
}
