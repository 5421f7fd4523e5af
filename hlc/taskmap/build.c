// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a placement to a task graph. Whole kernels on one processor that lie together become one task, whose streams
// cost nothing. A worker of a kernel is a task too; blocks go to workers in turn, and where a worker's block does not
// follow its last one, the history before it is sent as well. Subtasks follow the pattern of strips.
#include <string.h>

#include "hlc/taskmap/taskmap_int.h"

enum { LEAST_ITERATIONS = 512, LEAST_PATTERNS = 64 };

typedef struct node {
    size_t processor;
    bool whole;
    VEC(uint32_t) kernels; // in topological order
    uint32_t worker;
} node;

// A stream between two nodes; push and pop by strip, elements.
typedef struct lane {
    size_t stream, from, to; // stream: of the source graph
    uint64_t *push, *pop;
    uint64_t prequeued;
} lane;

typedef struct builder {
    const model *model;
    const placement *where;
    arena *arena;
    VEC(node) nodes;
    VEC(lane) lanes;
    uint32_t *part;       // by task: the root of the whole kernels that it is one task with
    size_t *whole_node;   // by root
    size_t *first_worker; // by task: its first worker's node
} builder;

static bool is_whole(const builder *b, size_t task)
{
    return b->where->tasks[task].processors.len == 1;
}

static uint32_t root(const builder *b, size_t task)
{
    while (b->part[task] != task)
        task = b->part[task];
    return (uint32_t)task;
}

// ---- Which kernels become one task ----

// Whether a way leads from the part of one task to that of another through others.
static bool is_way_around(const builder *b, size_t from, size_t to)
{
    const graph *g = b->model->graph;
    size_t n = g->tasks.len, x = root(b, from), y = root(b, to);
    bool *seen = ARENA_ARRAY(b->arena, bool, n);
    for (size_t i = 0; i < n; i++)
        seen[i] = root(b, i) == x;
    for (size_t i = 0; i < n; i++) {
        uint32_t at = b->model->order[i];
        for (VEC_EACH(const graph_stream, s, &g->streams)) {
            if (s->from != at || !seen[at] || seen[s->to])
                continue;
            if (root(b, s->to) == y && root(b, at) != x)
                return true;
            seen[s->to] = root(b, s->to) != y;
        }
    }
    return false;
}

static void unite_kernels(builder *b)
{
    const model *m = b->model;
    const graph *g = m->graph;
    for (size_t t = 0; t < g->tasks.len; t++)
        b->part[t] = (uint32_t)t;
    for (size_t t = 0; t < g->tasks.len; t++) // cycles first
        for (size_t u = 0; u < t; u++)
            if (m->kernels[t].cycle != 0 && m->kernels[t].cycle == m->kernels[u].cycle && root(b, t) != root(b, u))
                b->part[root(b, t)] = root(b, u);
    for (size_t i = 0; i < g->tasks.len; i++)
        for (VEC_EACH(const graph_stream, s, &g->streams)) {
            if (s->from != m->order[i] || root(b, s->from) == root(b, s->to) || !is_whole(b, s->from) ||
                !is_whole(b, s->to))
                continue;
            if (b->where->tasks[s->from].processors.data[0] == b->where->tasks[s->to].processors.data[0] &&
                !is_way_around(b, s->from, s->to))
                b->part[root(b, s->to)] = root(b, s->from);
        }
}

static void make_nodes(builder *b)
{
    const model *m = b->model;
    unite_kernels(b);
    for (size_t t = 0; t < m->graph->tasks.len; t++)
        b->whole_node[t] = SIZE_MAX;
    for (size_t i = 0; i < m->graph->tasks.len; i++) {
        uint32_t t = m->order[i];
        const struct placed *x = &b->where->tasks[t];
        if (!is_whole(b, t)) {
            b->first_worker[t] = b->nodes.len;
            for (uint32_t w = 0; w < x->processors.len; w++) {
                node *worker = VEC_ADD(b->arena, &b->nodes);
                *worker = (node){.processor = x->processors.data[w], .worker = w};
                VEC_PUSH(b->arena, &worker->kernels, t);
            }
            continue;
        }
        size_t *at = &b->whole_node[root(b, t)];
        if (*at == SIZE_MAX) {
            *at = b->nodes.len;
            *VEC_ADD(b->arena, &b->nodes) = (node){.processor = x->processors.data[0], .whole = true};
        }
        VEC_PUSH(b->arena, &b->nodes.data[*at].kernels, t);
    }
}

static size_t node_of(const builder *b, size_t task, uint32_t strip)
{
    return is_whole(b, task) ? b->whole_node[root(b, task)]
                             : b->first_worker[task] + b->where->tasks[task].worker[strip];
}

// ---- Streams ----

static lane *lane_of(builder *b, size_t stream, size_t from, size_t to)
{
    for (VEC_EACH(lane, l, &b->lanes))
        if (l->stream == stream && l->from == from && l->to == to)
            return l;
    lane *l = VEC_ADD(b->arena, &b->lanes);
    *l = (lane){stream,
                from,
                to,
                ARENA_ARRAY(b->arena, uint64_t, b->where->strips),
                ARENA_ARRAY(b->arena, uint64_t, b->where->strips),
                0};
    return l;
}

// What the consumer of a strip takes of a strip that is `back` before it.
static void add_piece(builder *b, size_t stream, uint32_t strip, uint64_t back, uint64_t elements)
{
    const graph_stream *s = &b->model->graph->streams.data[stream];
    uint32_t strips = b->where->strips;
    uint32_t source = (uint32_t)(((uint64_t)strip + strips - back % strips) % strips);
    lane *l = lane_of(b, stream, node_of(b, s->from, source), node_of(b, s->to, strip));
    l->push[source] += elements;
    l->pop[strip] += elements;
    // What comes from before the first round is there at the start.
    uint64_t rounds = back > strip ? (back - strip + strips - 1) / strips : 0;
    l->prequeued += elements * rounds;
}

static void make_lanes(builder *b)
{
    const model *m = b->model;
    const graph *g = m->graph;
    for (size_t i = 0; i < g->streams.len; i++) {
        const graph_stream *s = &g->streams.data[i];
        uint64_t history = s->consumer.history, block = m->block[i];
        if (node_of(b, s->from, 0) == node_of(b, s->to, 0) && is_whole(b, s->from))
            continue; // inside a task; a task's stream to itself too
        for (uint32_t strip = 0; strip < b->where->strips; strip++) {
            add_piece(b, i, strip, 0, block);
            uint32_t before = strip == 0 ? b->where->strips - 1 : strip - 1;
            if (node_of(b, s->to, before) == node_of(b, s->to, strip))
                continue;
            uint64_t left = history;
            for (uint64_t back = 1; left > 0; back++) {
                uint64_t piece = left < block ? left : block;
                add_piece(b, i, strip, back, piece);
                left -= piece;
            }
        }
        if (s->prequeued > 0)
            lane_of(b, i, node_of(b, s->from, 0), node_of(b, s->to, 0))->prequeued += s->prequeued;
    }
}

// ---- The graph ----

static const char *name_of(const builder *b, const node *x)
{
    const graph *g = b->model->graph;
    strbuf text;
    strbuf_init(&text, b->arena);
    for (size_t i = 0; i < x->kernels.len; i++)
        strbuf_printf(&text, "%s%s", i == 0 ? "" : "+", g->tasks.data[x->kernels.data[i]].name);
    if (!x->whole)
        strbuf_printf(&text, ".%u", x->worker + 1);
    return text.data;
}

static void add_streams(builder *b, mapped *x)
{
    const model *m = b->model;
    const graph *source = m->graph;
    for (VEC_EACH(const lane, l, &b->lanes)) {
        const graph_stream *from = &source->streams.data[l->stream];
        size_t copies = 0, before = 0;
        for (VEC_EACH(const lane, k, &b->lanes)) {
            copies += k->stream == l->stream;
            before += k->stream == l->stream && k < l;
        }
        graph_stream s = {.name = copies == 1 ? from->name : arena_printf(b->arena, "%s.%zu", from->name, before + 1),
                          .range = from->range,
                          .element = from->element,
                          .from = l->from,
                          .to = l->to,
                          .prequeued = l->prequeued,
                          .link = SIM_ROUTED};
        const machine_memory *memories = m->machine->memories.data;
        s.producer.memory = model_memory(m, b->nodes.data[l->from].processor);
        s.consumer.memory = model_memory(m, b->nodes.data[l->to].processor);
        s.producer.memory_name = memories[s.producer.memory].element.name;
        s.consumer.memory_name = memories[s.consumer.memory].element.name;
        s.shared = s.producer.memory == s.consumer.memory;
        s.consumer.history = from->consumer.history;
        size_t i = x->graph->streams.len;
        for (uint32_t strip = 0; strip < b->where->strips; strip++) {
            x->push[i] = l->push[strip] > x->push[i] ? l->push[strip] : x->push[i];
            x->pop[i] = l->pop[strip] > x->pop[i] ? l->pop[strip] : x->pop[i];
        }
        s.push = x->push[i], s.pop = x->pop[i];
        VEC_PUSH(b->arena, &x->graph->streams, s);
    }
}

static graph_subtask subtask_of(const builder *b, size_t number, uint32_t strip)
{
    const model *m = b->model;
    const node *x = &b->nodes.data[number];
    graph_subtask sub = {.repeat = 1};
    for (int push = 0; push < 2; push++)
        for (size_t i = 0; i < b->lanes.len; i++) {
            const lane *l = &b->lanes.data[i];
            uint64_t elements = push ? l->push[strip] : l->pop[strip];
            if ((push ? l->from : l->to) != number || elements == 0)
                continue;
            VEC_PUSH(b->arena, &sub.release, sub.acquire.len);
            VEC_PUSH(b->arena, &sub.acquire, (graph_port){i, push, elements, {0}});
        }
    size_t processor = 0;
    while (m->processors.data[processor] != x->processor)
        processor++;
    for (VEC_EACH(const uint32_t, k, &x->kernels))
        sub.time.amount += m->kernels[*k].seconds[processor];
    return sub;
}

static bool equal(const graph_subtask *x, const graph_subtask *y)
{
    if (x->acquire.len != y->acquire.len)
        return false;
    for (size_t i = 0; i < x->acquire.len; i++) {
        const graph_port *p = &x->acquire.data[i], *q = &y->acquire.data[i];
        if (p->stream != q->stream || p->push != q->push || p->elements != q->elements)
            return false;
    }
    return true;
}

static void add_task(builder *b, graph *g, size_t number)
{
    const node *x = &b->nodes.data[number];
    const machine_processor *p = &b->model->machine->processors.data[x->processor];
    graph_task t = {.name = name_of(b, x),
                    .processor_name = p->element.name,
                    .range = b->model->graph->tasks.data[x->kernels.data[0]].range,
                    .processor = x->processor,
                    .workers = 1};
    for (VEC_EACH(const uint32_t, k, &x->kernels))
        t.io |= b->model->graph->tasks.data[*k].io;
    bool same = true;
    for (uint32_t strip = 0; strip < b->where->strips; strip++) {
        if (!x->whole && b->where->tasks[x->kernels.data[0]].worker[strip] != x->worker)
            continue;
        graph_subtask sub = subtask_of(b, number, strip);
        same &= t.subtasks.len == 0 || equal(&sub, &t.subtasks.data[0]);
        VEC_PUSH(b->arena, &t.subtasks, sub);
    }
    t.subtasks.len = same ? 1 : t.subtasks.len;
    VEC_PUSH(b->arena, &g->tasks, t);
}

mapped *build_graph(const model *m, const placement *where)
{
    const graph *source = m->graph;
    size_t n = source->tasks.len;
    builder b = {.model = m, .where = where, .arena = m->arena};
    b.part = ARENA_ARRAY(b.arena, uint32_t, n);
    b.whole_node = ARENA_ARRAY(b.arena, size_t, n);
    b.first_worker = ARENA_ARRAY(b.arena, size_t, n);
    make_nodes(&b);
    make_lanes(&b);

    mapped *x = ARENA_NEW(b.arena, mapped);
    x->graph = ARENA_NEW(b.arena, graph);
    *x->graph = (graph){.arena = b.arena,
                        .name = source->name,
                        .summary = source->summary,
                        .machine_name = m->machine->name,
                        .iterations = source->iterations};
    x->producer_blocks = ARENA_ARRAY(b.arena, uint64_t, b.lanes.len + 1);
    x->consumer_blocks = ARENA_ARRAY(b.arena, uint64_t, b.lanes.len + 1);
    x->push = ARENA_ARRAY(b.arena, uint64_t, b.lanes.len + 1);
    x->pop = ARENA_ARRAY(b.arena, uint64_t, b.lanes.len + 1);
    for (size_t i = 0; i < b.lanes.len; i++)
        x->producer_blocks[i] = x->consumer_blocks[i] = 1;
    add_streams(&b, x);
    for (size_t i = 0; i < b.nodes.len; i++)
        add_task(&b, x->graph, i);
    x->graph->iteration_task = node_of(&b, source->iteration_task, 0);
    x->graph->iteration_subtasks = 1;
    // Only the second half of a run is measured: whole patterns, and so many that what buffers hold counts little.
    uint64_t pattern = 2 * (uint64_t)where->strips, patterns = (LEAST_ITERATIONS + pattern - 1) / pattern;
    x->graph->iterations = pattern * (patterns < LEAST_PATTERNS ? LEAST_PATTERNS : patterns);
    build_buffers(x);
    return x;
}

static uint64_t length_of(uint64_t blocks, uint64_t block, uint64_t more)
{
    uint64_t length;
    if (__builtin_mul_overflow(blocks, block, &length) || __builtin_add_overflow(length, more, &length))
        return UINT64_MAX / 4; // which fits no memory
    return length;
}

void build_buffers(const mapped *x)
{
    for (size_t i = 0; i < x->graph->streams.len; i++) {
        graph_stream *s = &x->graph->streams.data[i];
        uint64_t largest = x->push[i] > x->pop[i] ? x->push[i] : x->pop[i];
        if (s->shared) {
            s->producer.history = s->consumer.history;
            s->producer.length = s->consumer.length =
                length_of(x->consumer_blocks[i], largest, s->prequeued + s->consumer.history);
        } else {
            s->producer.length = length_of(x->producer_blocks[i], x->push[i], 0);
            s->consumer.length = length_of(x->consumer_blocks[i], largest, s->prequeued + s->consumer.history);
        }
    }
}
