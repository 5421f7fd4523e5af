// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task graph as a mapping problem: how often tasks run in a strip, what they and their streams cost on each processor.
#include <string.h>

#include "hlc/taskmap/taskmap_int.h"

#define MOST_ROUNDS (UINT64_C(1) << 40)
enum { MOST_STRIPS = 1024 };

// ---- Rates ----

static uint64_t elements_of(const graph_task *t, size_t stream, bool push)
{
    uint64_t sum = 0;
    for (VEC_EACH(const graph_subtask, sub, &t->subtasks))
        for (VEC_EACH(const graph_port, p, &sub->acquire))
            if (p->stream == stream && p->push == push) {
                uint64_t product;
                if (__builtin_mul_overflow(p->elements, sub->repeat, &product) ||
                    __builtin_add_overflow(sum, product, &sum) || sum > MOST_ROUNDS)
                    return MOST_ROUNDS + 1;
            }
    return sum;
}

static uint64_t gcd(uint64_t x, uint64_t y)
{
    while (y != 0) {
        uint64_t t = x % y;
        x = y;
        y = t;
    }
    return x;
}

// rounds times a factor, everywhere; false when numbers get too large.
static bool scale(kernel *kernels, size_t n, uint64_t factor)
{
    for (size_t i = 0; i < n; i++)
        if (kernels[i].rounds > 0 && kernels[i].rounds > MOST_ROUNDS / factor)
            return false;
    for (size_t i = 0; i < n; i++)
        kernels[i].rounds *= factor;
    return true;
}

static bool too_large(diag_engine *d, const graph *g)
{
    diag_error_at(d, g->name,
                  "its tasks' rates differ too much to map it: no iteration of bounded size has whole rounds of all");
    return false;
}

// The graph is connected: rounds spread from task 0 along the streams.
static bool balance(model *m, diag_engine *d)
{
    const graph *g = m->graph;
    size_t n = g->tasks.len;
    kernel *k = m->kernels;
    k[0].rounds = 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < g->streams.len; i++) {
            const graph_stream *s = &g->streams.data[i];
            uint64_t push = elements_of(&g->tasks.data[s->from], i, true),
                     pop = elements_of(&g->tasks.data[s->to], i, false);
            bool forward = k[s->from].rounds > 0;
            size_t known = forward ? s->from : s->to, other = forward ? s->to : s->from;
            if (push > MOST_ROUNDS || pop > MOST_ROUNDS)
                return too_large(d, g);
            if (k[known].rounds == 0 || k[other].rounds != 0)
                continue;
            uint64_t moved = forward ? push : pop, needed = forward ? pop : push;
            uint64_t common = gcd(moved, needed);
            needed /= common, moved /= common;
            if (!scale(k, n, needed / gcd(k[known].rounds, needed)) || k[known].rounds / needed > MOST_ROUNDS / moved)
                return too_large(d, g);
            k[other].rounds = k[known].rounds / needed * moved;
            changed = true;
        }
    }
    for (size_t i = 0; i < g->streams.len; i++) {
        const graph_stream *s = &g->streams.data[i];
        uint64_t in, out;
        if (__builtin_mul_overflow(k[s->from].rounds, elements_of(&g->tasks.data[s->from], i, true), &in) ||
            __builtin_mul_overflow(k[s->to].rounds, elements_of(&g->tasks.data[s->to], i, false), &out))
            return too_large(d, g);
        if (in != out) {
            diag_error(
                d, s->range,
                "stream '%s': its tasks' rates do not agree with those of other ways between them: %llu elements "
                "are pushed while %llu are popped",
                s->name, (unsigned long long)in, (unsigned long long)out);
            return false;
        }
        m->block[i] = in;
    }
    return true;
}

static uint64_t subtasks_of(const graph_task *t)
{
    uint64_t sum = 0;
    for (VEC_EACH(const graph_subtask, sub, &t->subtasks))
        sum += sub->repeat < MOST_ROUNDS && sum < MOST_ROUNDS ? sub->repeat : MOST_ROUNDS;
    return sum;
}

// Divides rounds by what they have in common, and makes the strip a whole number of iterations.
static bool fit_iterations(model *m, diag_engine *d)
{
    const graph *g = m->graph;
    uint64_t common = 0;
    for (size_t i = 0; i < g->tasks.len; i++)
        common = gcd(common, m->kernels[i].rounds);
    for (size_t i = 0; i < g->tasks.len; i++)
        m->kernels[i].rounds /= common;
    for (size_t i = 0; i < g->streams.len; i++)
        m->block[i] /= common;
    uint64_t done;
    if (__builtin_mul_overflow(m->kernels[g->iteration_task].rounds, subtasks_of(&g->tasks.data[g->iteration_task]),
                               &done))
        return too_large(d, g);
    uint64_t factor = g->iteration_subtasks / gcd(done, g->iteration_subtasks);
    if (!scale(m->kernels, g->tasks.len, factor))
        return too_large(d, g);
    for (size_t i = 0; i < g->streams.len; i++)
        if (__builtin_mul_overflow(m->block[i], factor, &m->block[i]) || m->block[i] > MOST_ROUNDS)
            return too_large(d, g);
    m->iterations = done * factor / g->iteration_subtasks;
    return true;
}

// ---- Order ----

// Tasks that reach each other stay together. Quadratic, which is little for graphs written by hand.
static void find_cycles(model *m)
{
    const graph *g = m->graph;
    size_t n = g->tasks.len;
    uint32_t *reaches = ARENA_ARRAY(m->arena, uint32_t, n), *reached = ARENA_ARRAY(m->arena, uint32_t, n), cycles = 0;
    for (size_t from = 0; from < n; from++) {
        if (m->kernels[from].cycle != 0)
            continue;
        for (int back = 0; back < 2; back++) {
            uint32_t *seen = back ? reached : reaches;
            memset(seen, 0, n * sizeof *seen);
            seen[from] = 1;
            for (bool changed = true; changed;) {
                changed = false;
                for (VEC_EACH(const graph_stream, s, &g->streams)) {
                    size_t x = back ? s->to : s->from, y = back ? s->from : s->to;
                    changed |= seen[x] && !seen[y];
                    seen[y] |= seen[x];
                }
            }
        }
        size_t members = 0;
        for (size_t i = 0; i < n; i++)
            members += reaches[i] && reached[i];
        cycles += members > 1;
        for (size_t i = 0; i < n && members > 1; i++)
            if (reaches[i] && reached[i])
                m->kernels[i].cycle = cycles;
    }
}

static void sort_tasks(model *m)
{
    const graph *g = m->graph;
    size_t n = g->tasks.len;
    bool *done = ARENA_ARRAY(m->arena, bool, n);
    for (size_t count = 0; count < n; count++) {
        size_t next = SIZE_MAX;
        for (size_t i = 0; i < n && next == SIZE_MAX; i++) {
            bool waits = done[i];
            for (VEC_EACH(const graph_stream, s, &g->streams))
                waits |= s->to == i && !done[s->from] &&
                         (m->kernels[i].cycle == 0 || m->kernels[s->from].cycle != m->kernels[i].cycle);
            next = waits ? next : i;
        }
        done[next] = true;
        m->order[count] = (uint32_t)next;
        m->rank[next] = (uint32_t)count;
    }
}

// ---- Processors and costs ----

// The first memory of its own; buffers of tasks on processors that have the same one are shared.
size_t model_memory(const model *m, size_t processor)
{
    const machine_processor *p = &m->machine->processors.data[processor];
    for (VEC_EACH(const machine_ref, r, &p->memories))
        if (m->machine->memories.data[r->index].kind != MACHINE_memory_kind_CACHE)
            return r->index;
    return SIZE_MAX;
}

static bool find_processors(model *m, diag_engine *d, uint64_t wanted)
{
    const machine *mach = m->machine;
    uint64_t there = 0;
    bool io = false;
    for (int kind = MACHINE_processor_kind_KERNEL, tries = 0; tries < 2 && m->processors.len == 0; tries++)
        for (size_t i = 0; i < mach->processors.len; i++) {
            bool fits = tries == 0 ? (int)mach->processors.data[i].kind == kind && !mach->processors.data[i].fallback
                                   : mach->processors.data[i].kind != MACHINE_processor_kind_DMA;
            if (!fits || model_memory(m, i) == SIZE_MAX)
                continue;
            there++;
            if (wanted == 0 || m->processors.len < wanted) {
                VEC_PUSH(m->arena, &m->processors, i);
                io |= mach->processors.data[i].io;
            }
        }
    if (m->processors.len == 0 || there < wanted) {
        diag_error_at(d, mach->name, "the machine has %llu processors that run tasks, and %llu are asked for",
                      (unsigned long long)there, (unsigned long long)(wanted == 0 ? 1 : wanted));
        return false;
    }
    bool needs_io = false;
    for (VEC_EACH(const graph_task, t, &m->graph->tasks))
        needs_io |= t->io;
    for (size_t i = 0; i < mach->processors.len && needs_io && !io; i++)
        if (mach->processors.data[i].io && mach->processors.data[i].kind != MACHINE_processor_kind_DMA &&
            model_memory(m, i) != SIZE_MAX) {
            VEC_PUSH(m->arena, &m->processors, i);
            io = true;
        }
    if (needs_io && !io) {
        diag_error_at(d, mach->name, "the machine has no processor with io for the tasks that need it");
        return false;
    }
    return true;
}

static double subtask_seconds(const model *m, const sim *s, const graph_subtask *sub, size_t processor)
{
    const machine_processor *p = &m->machine->processors.data[processor];
    machine_operation missing;
    double work = sim_operations_seconds(s, processor, sub->operations, sub->live_registers, &missing);
    return work < 0 ? -1 : machine_seconds(sub->time, p->clock) + work;
}

static void find_times(model *m, const sim *s)
{
    bool all_control = true;
    for (VEC_EACH(const size_t, i, &m->processors))
        all_control &= m->machine->processors.data[*i].kind == MACHINE_processor_kind_CONTROL;
    for (size_t t = 0; t < m->graph->tasks.len; t++) {
        const graph_task *task = &m->graph->tasks.data[t];
        m->kernels[t].seconds = ARENA_ARRAY(m->arena, double, m->processors.len);
        for (size_t i = 0; i < m->processors.len; i++) {
            double *sum = &m->kernels[t].seconds[i];
            bool control = m->machine->processors.data[m->processors.data[i]].kind == MACHINE_processor_kind_CONTROL;
            for (VEC_EACH(const graph_subtask, sub, &task->subtasks)) {
                double seconds = subtask_seconds(m, s, sub, m->processors.data[i]);
                *sum =
                    seconds < 0 || *sum < 0 ? -1 : *sum + seconds * (double)sub->repeat * (double)m->kernels[t].rounds;
            }
            // A control processor is there for io only, beside kernel processors.
            if ((task->io && !m->machine->processors.data[m->processors.data[i]].io) ||
                (!task->io && control && !all_control))
                *sum = -1;
        }
    }
}

bool model_make(model *m, diag_engine *d, const taskmap_options *o)
{
    const graph *g = m->graph;
    m->kernels = ARENA_ARRAY(m->arena, kernel, g->tasks.len);
    m->block = ARENA_ARRAY(m->arena, uint64_t, g->streams.len + 1);
    m->order = ARENA_ARRAY(m->arena, uint32_t, g->tasks.len);
    m->rank = ARENA_ARRAY(m->arena, uint32_t, g->tasks.len);
    if (!balance(m, d) || !fit_iterations(m, d) || !find_processors(m, d, o->processors))
        return false;
    find_cycles(m);
    sort_tasks(m);
    find_times(m, sim_create(m->arena, m->machine, NULL));
    for (size_t t = 0; t < g->tasks.len; t++) {
        kernel *k = &m->kernels[t];
        // The task that iterations are counted by stays whole, and so does what a delay is between.
        k->splits = g->tasks.data[t].stateless && k->cycle == 0 && t != g->iteration_task;
        for (VEC_EACH(const graph_stream, s, &g->streams))
            k->splits &= (s->from != t && s->to != t) || s->prequeued == 0;
        k->workers = k->splits && !o->split ? g->tasks.data[t].workers : 1;
        k->splits &= o->split;
    }
    m->strips = 1;
    for (size_t t = 0; t < g->tasks.len; t++) {
        uint64_t workers = m->kernels[t].workers;
        if (workers > MOST_STRIPS || m->strips / gcd(m->strips, workers) * workers > MOST_STRIPS) {
            diag_error(d, g->tasks.data[t].range,
                       "task '%s' has %llu workers; together with those of other tasks the pattern in which blocks are "
                       "dealt has more than %d blocks",
                       g->tasks.data[t].name, (unsigned long long)workers, MOST_STRIPS);
            return false;
        }
        m->strips = m->strips / (uint32_t)gcd(m->strips, workers) * (uint32_t)workers;
    }
    return true;
}

// ---- The problem ----

static void add_streams(const model *m, const sim *s, map_problem *p)
{
    const graph *g = m->graph;
    for (size_t i = 0; i < g->streams.len; i++) {
        const graph_stream *gs = &g->streams.data[i];
        if (gs->from == gs->to ||
            (m->kernels[gs->from].cycle != 0 && m->kernels[gs->from].cycle == m->kernels[gs->to].cycle))
            continue;
        const kernel *from = &m->kernels[gs->from], *to = &m->kernels[gs->to];
        uint64_t bytes = m->block[i] * gs->element, pieces = from->workers > to->workers ? from->workers : to->workers;
        size_t some = m->processors.data[0];
        map_edge e = {.bytes = (double)bytes / (double)pieces};
        e.send = sim_to_seconds(sim_add(sim_cost_push_acquire(s, some), sim_cost_push_send(s, some, bytes))) /
                 (double)pieces;
        e.receive = sim_to_seconds(sim_add(sim_cost_pop_acquire(s, some, bytes), sim_cost_pop_discard(s, some))) /
                    (double)pieces;
        e.priming_bytes = (double)gs->consumer.history * (double)gs->element;
        e.local = bytes; // a block at each end at least
        for (uint32_t x = 0; x < from->workers; x++)
            for (uint32_t y = 0; y < to->workers; y++) {
                if (from->workers == to->workers && x != y)
                    continue;
                e.from = from->first + x;
                e.to = to->first + y;
                VEC_PUSH(m->arena, &p->edges, e);
            }
    }
}

// All links between the processors' interfaces together, where there is one only.
static void add_link(const model *m, map_problem *p)
{
    if (m->machine->links.len != 1)
        return;
    const machine_link *l = &m->machine->links.data[0];
    double bandwidth = machine_bytes_per_second(l->bandwidth, l->clock) * (double)l->channels;
    if (bandwidth > 0 && bandwidth < 1e18)
        VEC_PUSH(m->arena, &p->resources, (map_resource){l->element.name, MAP_LINK, bandwidth, 1, 0});
}

void model_problem(const model *m, const sim *s, const double *extra, map_problem *p)
{
    const graph *g = m->graph;
    *p = (map_problem){.name = g->name, .fuse = true, .fine = true};
    for (VEC_EACH(const size_t, i, &m->processors)) {
        const machine_memory *memory = &m->machine->memories.data[model_memory(m, *i)];
        // A memory that others use too is no task's own.
        uint64_t users = 0;
        for (VEC_EACH(const size_t, k, &m->processors))
            users += model_memory(m, *k) == model_memory(m, *i);
        VEC_PUSH(m->arena, &p->processors,
                 (map_processor){m->machine->processors.data[*i].element.name, 1,
                                 users > 1 ? MAP_NO_BOUND : machine_usable(memory)});
    }
    for (size_t t = 0; t < g->tasks.len; t++) {
        kernel *k = &m->kernels[t];
        k->first = (uint32_t)p->tasks.len;
        for (uint64_t w = 0; w < k->workers; w++) {
            double *times = ARENA_ARRAY(m->arena, double, m->processors.len);
            for (size_t i = 0; i < m->processors.len; i++)
                times[i] = k->seconds[i] < 0 ? -1 : (k->seconds[i] + extra[t]) / (double)k->workers;
            VEC_PUSH(m->arena, &p->tasks,
                     (map_task){.name = g->tasks.data[t].name,
                                .times = times,
                                .parallel = k->splits,
                                .together = k->cycle,
                                .processor = MAP_ANY});
        }
    }
    add_streams(m, s, p);
    add_link(m, p);
}

// ---- From the answer ----

// Strips of a task in turn, to each worker as many as it has: the one that is most behind is next.
static void deal(const model *m, struct placed *x, const uint64_t *count, uint32_t strips)
{
    size_t n = x->processors.len;
    int64_t *lead = ARENA_ARRAY(m->arena, int64_t, n); // what a worker has had too much, in parts of a strip
    x->worker = ARENA_ARRAY(m->arena, uint32_t, strips);
    for (uint32_t s = 0; s < strips; s++) {
        size_t next = 0;
        for (size_t i = 0; i < n; i++) {
            lead[i] -= (int64_t)count[i];
            next = lead[i] < lead[next] ? i : next;
        }
        lead[next] += strips;
        x->worker[s] = (uint32_t)next;
    }
}

placement model_placement(const model *m, const map_result *r)
{
    placement where = {.strips = m->strips > 1 ? m->strips : r->strips};
    size_t n = m->graph->tasks.len;
    where.tasks = ARENA_ARRAY(m->arena, struct placed, n);
    for (size_t t = 0; t < n; t++) {
        const kernel *k = &m->kernels[t];
        struct placed *x = &where.tasks[t];
        VEC(uint64_t) counts = {0};
        for (uint64_t w = 0; w < k->workers; w++) {
            const uint32_t *on = r->processor + (k->first + w) * (size_t)r->strips;
            for (uint32_t s = 0; s < r->strips; s++) // one where tasks have workers: the search does not split them
                if (s == 0 || on[s] != on[s - 1]) {
                    VEC_PUSH(m->arena, &x->processors, m->processors.data[on[s]]);
                    VEC_PUSH(m->arena, &counts, k->workers > 1 ? where.strips / k->workers : 1);
                } else {
                    VEC_LAST(&counts)++;
                }
        }
        size_t same = 0;
        for (VEC_EACH(const size_t, i, &x->processors))
            same += *i == x->processors.data[0];
        if (same == x->processors.len) { // workers on one processor are one
            x->processors.len = counts.len = 1;
            counts.data[0] = where.strips;
        }
        deal(m, x, counts.data, where.strips);
    }
    return where;
}
