// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels on processors as an abstract mapping problem (hlc/map): what an assignment of strips comes to, whether the search
// knows a better one, and how far that is from the bound. Times are estimates from counts of operations.
#include "hlc/map/map.h"
#include "hlc/passes/pass.h"
#include "hlc/plan/evaluate.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/profile.h"
#include "hlc/plan/threads.h"
#include "hlc/plan/thresholds.h"

typedef struct problem {
    hlc_program *p;
    const plan_cut *cut;
    map_problem map;
    double strip; // steady states
} problem;

// Seconds of a strip by processor, from those of a steady state by processor (a kernel's) or by kind (an actor's); NULL: all
// processors do the same at the same cost.
static const double *times_of(const problem *k, const double *seconds, const uint32_t *kind_of)
{
    size_t n = k->cut->resources->processors.len;
    double *times = plan_record_is_plain(k->cut->record) ? NULL : ARENA_ARRAY(k->p->arena, double, n + 1);
    for (size_t q = 0; times != NULL && q < n; q++) {
        double x = seconds[kind_of != NULL ? kind_of[q] : q];
        times[q] = x < 0 ? -1 : x * k->strip;
    }
    return times;
}

static void add_kernels(problem *k)
{
    const plan_cut *cut = k->cut;
    const machine_processor *first = cut->resources->processors.data[0].processor;
    for (uint32_t i = 0; i < cut->kernels.len; i++) {
        const plan_cut_kernel *kernel = &cut->kernels.data[i];
        uint32_t named = kernel->pinned_by != SIR_NONE && !kernel->parallel
                             ? kernel->pinned_by
                             : cut->graph->kernels.data[i].actors.data[0];
        VEC_PUSH(k->p->arena, &k->map.tasks,
                 (map_task){.name = cut->graph->whole->actors.data[named]->name,
                            .time = kernel->seconds * k->strip,
                            .times = times_of(k, kernel->on, NULL),
                            .parallel = kernel->parallel,
                            .priming = kernel->primed,
                            .start = plan_start_seconds(first),
                            .processor = MAP_ANY});
    }
}

static void add_queues(problem *k)
{
    const plan_cut *cut = k->cut;
    for (VEC_EACH(const plan_queue, queue, &cut->queues)) {
        const plan_stream *st = &cut->graph->streams.data[queue->stream];
        double item = (double)plan_queue_item_bytes(cut, queue->stream),
               delay = (double)queue->delay; // beyond a strip's own
        map_edge e = {.from = st->from == SIR_NONE ? MAP_OUTSIDE : st->from,
                      .to = st->to == SIR_NONE ? MAP_OUTSIDE : st->to,
                      .bytes = (double)plan_queue_step(cut, queue->stream) * item * k->strip + delay * item,
                      .priming_bytes = (double)plan_queue_prime(cut, queue->stream) * item};
        const machine_processor *engine;
        if (plan_cut_all_straight(cut) && plan_cut_straight(cut, st, &engine)) // not through the shared memory
            e.bytes = e.priming_bytes = 0;
        if (e.from != MAP_OUTSIDE || e.to != MAP_OUTSIDE)
            VEC_PUSH(k->p->arena, &k->map.edges, e);
    }
}

static void add_machine(problem *k)
{
    const plan_resources *r = k->cut->resources;
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

static problem problem_of(hlc_program *p, const plan *pl)
{
    problem k = {.p = p, .cut = pl->cut, .map = {.name = pl->cut->graph->whole->name}, .strip = (double)pl->strip};
    add_machine(&k);
    add_kernels(&k);
    add_queues(&k);
    return k;
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
    const plan_net *graph = k->cut->graph;
    const plan_record *record = k->cut->record;
    map_problem whole = {.name = k->map.name, .fuse = true};
    whole.processors = k->map.processors;
    whole.resources = k->map.resources;
    for (uint32_t i = 0; i < graph->module->actors.len; i++)
        if (graph->actor_of[i] != SIR_NONE)
            VEC_PUSH(k->p->arena, &whole.tasks,
                     (map_task){.name = graph->module->actors.data[i]->name,
                                .time = plan_actor_seconds(k->cut, i) * k->strip,
                                .times = times_of(k, record->of[graph->actor_of[i]].seconds, record->kind_of),
                                .parallel = record->of[graph->actor_of[i]].keeps == NULL,
                                .together = (uint32_t)(graph->schedule->cycle[i] + 1),
                                .processor = MAP_ANY});
    for (uint32_t i = 0; i < graph->streams.len; i++)
        if (graph->streams.data[i].from == SIR_NONE || graph->streams.data[i].to == SIR_NONE) // whichever task it is
            VEC_PUSH(k->p->arena, &whole.edges,
                     (map_edge){.from = MAP_OUTSIDE,
                                .bytes = (double)plan_queue_step(k->cut, i) * (double)plan_queue_item_bytes(k->cut, i) *
                                         k->strip});
    map_limit bound;
    const char *why;
    return map_bound(k->p->arena, &whole, &bound, &why) && bound.seconds > 0 ? bound : r->bound;
}

static void remark(const problem *k, const map_result *r, bool searched)
{
    const plan_cut *cut = k->cut;
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

// Of what was worked out: the problem, seconds of a strip, and what takes that long; NULL: nothing is predicted.
static const map_result *predict(hlc_program *p, const plan_evaluation *e, problem *k)
{
    const char *why = NULL;
    if (e->fails != NULL || e->cut == NULL)
        return NULL;
    for (VEC_EACH(const plan_processor, x, &e->cut->resources->processors))
        if (plan_launches(x->processor))
            return NULL; // what launches cost is no part of the search's problem
    *k = problem_of(p, e->plan);
    const map_result *r = map_judge(p->arena, &k->map, e->cut->strips, e->cut->where, &why);
    return r == NULL || r->seconds <= 0 || r->bound.seconds <= 0 ? NULL : r;
}

static const map_result *search(problem *k, const map_result *there, uint32_t most)
{
    const hlc_program *p = k->p;
    const char *why = NULL;
    if (there->ratio >= 1 - SEARCH_GAIN || k->cut->kernels.len == 0 || k->cut->space ||
        p->config->mapping != HLC_MAPPING_CHOSEN)
        return NULL;
    double seconds = p->config->search;
    map_options o = {.method = seconds > 0 ? MAP_AUTOMATIC : MAP_HEURISTIC,
                     .seconds = seconds,
                     .steps = seconds > 0 ? 0 : SEARCH_STEPS,
                     .seed = p->config->seed};
    k->map.most_strips = most < MAP_MOST_STRIPS ? most : MAP_MOST_STRIPS;
    return map_search(p->arena, &k->map, &o, &why);
}

static bool may_run_so(const plan_cut *cut, const plan_assignment *round)
{
    for (uint32_t i = 0; i < cut->kernels.len; i++)
        for (uint32_t k = 0; k < round->strips; k++)
            if (!plan_kernel_may_run_on(cut, i, round->where[i * round->strips + k]))
                return false;
    return true;
}

plan_evaluation plan_search(hlc_program *p, const plan_candidate *c, plan_evaluation e)
{
    problem k;
    const map_result *there = predict(p, &e, &k), *judged = there;
    if (there == NULL)
        return e;
    // Strips of a round follow each other through the kernels, and few rounds are under way: no shorter ones than there are.
    // With --max-latency no longer ones: rounds under way were counted for these.
    const uint32_t least = e.cut->strips, needed = (uint32_t)plan_cut_least_strips(e.plan, e.cut, e.plan->strip);
    uint32_t most = plan_most_strips(p, e.cut, e.plan->strip);
    most = most < needed ? needed : p->config->max_latency != 0 && most > least ? least : most;
    const map_result *found = search(&k, there, most);
    bool gains = found != NULL && found->seconds < there->seconds * (1 - SEARCH_GAIN);
    // Whole repetitions of what was found: there may be none between the least round and the longest.
    uint32_t times = gains && found->strips < least ? (least + found->strips - 1) / found->strips : 1;
    if (gains && (p->config->max_latency == 0 || found->strips * times <= most)) {
        plan_candidate other = *c;
        other.round = (plan_assignment){found->strips * times, e.cut->slots, e.cut->rounds, repeat(&k, found, times)};
        if (may_run_so(e.cut, &other.round)) {
            problem its;
            const plan_evaluation o = plan_evaluate(p, &other);
            const map_result *then = predict(p, &o, &its);
            e = then != NULL ? o : e;
            judged = then != NULL ? then : there;
        }
    }
    map_limit *bound = ARENA_NEW(p->arena, map_limit);
    *bound = find_bound(&k, judged);
    e.cut->assigned = there;
    e.cut->tried = found;
    e.cut->judged = judged;
    e.cut->bound = bound;
    remark(&k, judged, plan_cut_is_searched(e.cut));
    return e;
}
