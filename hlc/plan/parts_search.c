// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts on processors as an abstract mapping problem (hlc/map): what a dealing of strips comes to, whether the search knows
// a better one, and how far that is from the bound. Times are estimates from counts of operations.
#include "hlc/map/map.h"
#include "hlc/passes/pass.h"
#include "hlc/plan/parts.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/profile.h"

// What is found must be so much faster than what is there; time for the heuristic unless --search tells.
#define SEARCH_GAIN 0.005
#define SEARCH_SECONDS 0.2

typedef struct problem {
    hlc_program *p;
    map_problem map;
    double strip; // steady states
} problem;

static double start_seconds(const machine_processor *x)
{
    double start = machine_seconds(x->kernel_start, x->clock), stop = machine_seconds(x->kernel_stop, x->clock);
    return (start > 0 ? start : 0) + (stop > 0 ? stop : 0);
}

static double seconds_an_operation(const machine_processor *x)
{
    return x->clock > 0 ? 1 / x->clock : 1e-9;
}

// Firings of actors without state are computed side by side, in as many lanes as vectors have.
static double lanes(const problem *k, uint32_t actor, const machine_processor *x)
{
    if (k->p->profile != NULL) // what is measured has them
        return 1;
    return x->simd_width > 4 && plan_actor_keeps(k->p, actor) == NULL ? (double)x->simd_width / 4 : 1;
}

// Seconds that the actors of the cut graph take for a steady state.
static double *actor_seconds(const problem *k)
{
    const plan_parts *parts = k->p->parts;
    const sir_module *m = parts->cut->module;
    const machine_processor *first = parts->resources->processors.data[0].processor;
    const double *each = plan_costs(k->p, m);
    double *seconds = ARENA_ARRAY(k->p->arena, double, m->actors.len + 1);
    for (uint32_t i = 0; i < m->actors.len; i++)
        if (parts->cut->actor_of[i] != SIR_NONE)
            seconds[i] =
                each[i] * (double)parts->cut->schedule->reps[i] * seconds_an_operation(first) / lanes(k, i, first);
    return seconds;
}

static void add_parts(problem *k)
{
    const plan_parts *parts = k->p->parts;
    const sir_module *m = parts->cut->module;
    const machine_processor *first = parts->resources->processors.data[0].processor;
    const double *seconds = actor_seconds(k);
    double *steady = ARENA_ARRAY(k->p->arena, double, parts->parts.len + 1); // seconds of a steady state
    double *warm = ARENA_ARRAY(k->p->arena, double, parts->parts.len + 1);   // and of a cold run's beginning
    for (uint32_t i = 0; i < m->actors.len; i++) {
        steady[parts->cut->piece_of[i]] += seconds[i];
        warm[parts->cut->piece_of[i]] += seconds[i] * (double)parts->warm[i];
    }
    for (uint32_t i = 0; i < parts->parts.len; i++) {
        const plan_part *part = &parts->parts.data[i];
        uint32_t named =
            part->keeper != SIR_NONE && !part->replicated ? part->keeper : parts->cut->pieces.data[i].actors.data[0];
        VEC_PUSH(k->p->arena, &k->map.tasks,
                 (map_task){.name = parts->cut->whole->actors.data[named]->name,
                            .time = steady[i] * k->strip,
                            .replicable = part->replicated,
                            .cold = warm[i],
                            .start = start_seconds(first),
                            .processor = MAP_ANY});
    }
}

// Bytes that move through a stream in a steady state.
static double steady_bytes(const plan_pieces *cut, const plan_stream *st)
{
    uint64_t align, size = plan_item_size(cut->whole->channels.data[st->channel].type, &align);
    return (double)cut->whole_schedule->channels[st->channel].steady * (double)size;
}

static void add_rings(problem *k)
{
    const plan_parts *parts = k->p->parts;
    const plan_pieces *cut = parts->cut;
    for (VEC_EACH(const plan_stream, st, &cut->streams)) {
        double ahead = 0; // items that a strip reads beyond its own
        for (VEC_EACH(const plan_ring, ring, &parts->rings))
            ahead = &cut->streams.data[ring->stream] == st ? (double)ring->ahead : ahead;
        uint64_t align;
        double item = (double)plan_item_size(cut->whole->channels.data[st->channel].type, &align);
        double step = steady_bytes(cut, st);
        map_edge e = {.from = st->from == SIR_NONE ? MAP_OUTSIDE : st->from,
                      .to = st->to == SIR_NONE ? MAP_OUTSIDE : st->to,
                      .bytes = step * k->strip + ahead * item};
        e.cold_bytes = st->to == SIR_NONE ? 0 : step * (double)parts->parts.data[st->to].lead;
        if (e.from != MAP_OUTSIDE || e.to != MAP_OUTSIDE)
            VEC_PUSH(k->p->arena, &k->map.edges, e);
    }
}

static void add_machine(problem *k)
{
    const plan_resources *r = k->p->parts->resources;
    const machine_processor *first = r->processors.data[0].processor;
    bool direct = true;
    for (VEC_EACH(const plan_processor, x, &r->processors)) {
        double speed = seconds_an_operation(first) / seconds_an_operation(x->processor);
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
    const plan_parts *parts = k->p->parts;
    k->map = (map_problem){.name = parts->cut->whole->name};
    k->strip = (double)k->p->plan->strip;
    add_machine(k);
    add_parts(k);
    add_rings(k);
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

// The program's own bound: parts may have joined what could be apart, so its actors are the tasks here, and only files' items
// pass the shared memory.
static map_limit find_bound(const problem *k, const map_result *r)
{
    const plan_pieces *cut = k->p->parts->cut;
    const double *seconds = actor_seconds(k);
    map_problem whole = {.name = k->map.name, .fuse = true};
    whole.processors = k->map.processors;
    whole.resources = k->map.resources;
    for (uint32_t i = 0; i < cut->module->actors.len; i++)
        if (cut->actor_of[i] != SIR_NONE)
            VEC_PUSH(k->p->arena, &whole.tasks,
                     (map_task){.name = cut->module->actors.data[i]->name,
                                .time = seconds[i] * k->strip,
                                .replicable = plan_actor_keeps(k->p, i) == NULL,
                                .together = (uint32_t)(cut->schedule->cycle[i] + 1),
                                .processor = MAP_ANY});
    for (VEC_EACH(const plan_stream, st, &cut->streams))
        if (st->from == SIR_NONE || st->to == SIR_NONE) // whichever task it is
            VEC_PUSH(k->p->arena, &whole.edges,
                     (map_edge){.from = MAP_OUTSIDE, .bytes = steady_bytes(cut, st) * k->strip});
    map_limit bound;
    const char *why;
    return map_bound(k->p->arena, &whole, &bound, &why) && bound.seconds > 0 ? bound : r->bound;
}

static void remark(const problem *k, const map_result *r, bool searched)
{
    const plan_parts *parts = k->p->parts;
    const sir_module *m = parts->cut->whole;
    diag_engine *d = k->p->diag;
    if (!d->remarks)
        return;
    double items = 0; // written in a steady state, or read
    for (int writes = 1; writes >= 0 && items == 0; writes--)
        for (VEC_EACH(const sir_channel, c, &m->channels)) {
            const sir_actor *end = m->actors.data[writes ? c->consumer : c->producer];
            if (end->kind == (writes ? SIR_WRITER : SIR_READER))
                items += (double)parts->cut->whole_schedule->channels[c - m->channels.data].steady;
        }
    double each = k->strip * (items > 0 ? items : 1);
    map_limit bound = find_bound(k, r);
    diag_remark(d, sir_range(m, k->p->sources, m->regions.data[0].loc),
                "predicted %.4g %s a second by %s (limit: %s); the bound is %.4g (%s); ratio %.3f%s [map]",
                each / r->seconds, items > 0 ? "items" : "steady states",
                k->p->profile != NULL ? "measured times" : "estimated operations",
                map_limit_text(k->p->arena, &r->bottleneck), each / bound.seconds, map_limit_text(k->p->arena, &bound),
                bound.seconds / r->seconds, searched ? "; dealt by the search" : "");
}

void plan_parts_search(hlc_program *p)
{
    plan_parts *parts = p->parts;
    problem k = {.p = p};
    const char *why = NULL;
    uint32_t least, most;
    make_problem(&k);
    plan_parts_strips(p, &least, &most);
    // Strips of a round follow each other through the parts, and few rounds are under way: no shorter ones than there are.
    least = least > parts->strips ? least : parts->strips;
    if (p->config->max_latency != 0 && most > parts->strips) // rounds under way were counted for these
        most = parts->strips;
    const map_result *there = map_judge(p->arena, &k.map, parts->strips, parts->where, &why);
    if (there == NULL || there->seconds <= 0 || there->bound.seconds <= 0)
        return;
    const map_result *best = there;
    if (there->ratio < 1 - SEARCH_GAIN && parts->parts.len > 0) {
        double seconds = p->config->search;
        map_options o = {.method = seconds > 0 ? MAP_AUTOMATIC : MAP_HEURISTIC,
                         .seconds = seconds > 0 ? seconds : SEARCH_SECONDS,
                         .seed = p->config->seed};
        k.map.most_strips = most < MAP_MOST_STRIPS ? most : MAP_MOST_STRIPS;
        map_result *found = map_search(p->arena, &k.map, &o, &why);
        if (found != NULL && found->seconds < there->seconds * (1 - SEARCH_GAIN)) {
            uint32_t times = found->strips < least ? (least + found->strips - 1) / found->strips : 1;
            if (plan_parts_adopt(p, found->strips * times, repeat(&k, found, times)))
                best = found;
        }
    }
    map_limit *bound = ARENA_NEW(p->arena, map_limit);
    *bound = find_bound(&k, best);
    parts->judged = best;
    parts->bound = bound;
    parts->searched = best != there;
    remark(&k, best, best != there);
}
