// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a task graph: each task is a state machine whose steps are events.
#include <string.h>

#include "sim/graph.h"

typedef struct runner runner;

// A block that was sent and finds no room at the consumer yet, or is on its way.
typedef struct block {
    struct stream_state *stream;
    uint64_t elements;
    struct block *next;
} block;

typedef struct stream_state {
    runner *runner;
    const graph_stream *stream;
    uint64_t producer_room, consumer_room; // elements; a shared buffer has only the producer's
    uint64_t ready;                        // arrived and not acquired
    block *first, *last;                   // sent, waiting for room at the consumer
    sim_element from, to;                  // interfaces or memories
} stream_state;

typedef enum task_phase { ACQUIRE, PROCESS, RELEASE } task_phase;

typedef struct task_state {
    runner *runner;
    const graph_task *task;
    sim_element processor;
    bool shares; // its processor with other tasks
    size_t subtask, port;
    uint64_t repeat, subtasks; // subtasks: done so far
    task_phase phase;
    sim_time since; // when working or waiting: from then on
    sim_activity activity;
    bool working, waiting, paid; // paid: the step's cost on the processor is over
} task_state;

struct runner {
    const graph *graph;
    sim *sim;
    task_state *tasks;
    stream_state *streams;
    block *free_blocks;
    uint64_t iterations, wanted;
    graph_waits *waits; // NULL: nobody asks
};

static void step(sim *s, void *context);

static const graph_subtask *subtask_of(const task_state *t)
{
    return &t->task->subtasks.data[t->subtask];
}

// The block that the task is about to acquire or release.
static const graph_port *port_of(const task_state *t)
{
    const graph_subtask *sub = subtask_of(t);
    return &sub->acquire.data[t->phase == RELEASE ? sub->release.data[t->port] : t->port];
}

// ---- Streams ----

static bool has_block(const task_state *t, const graph_port *p)
{
    const stream_state *st = &t->runner->streams[p->stream];
    return p->push ? st->producer_room >= p->elements : st->ready >= p->elements;
}

// A wait has ended, or begins to count.
static void count_wait(sim *s, const task_state *t)
{
    graph_waits *w = t->runner->waits;
    if (w == NULL || t->runner->iterations < t->runner->wanted / 2)
        return;
    const graph_port *p = port_of(t);
    (p->push ? w->room : w->data)[p->stream] += sim_now(s) - t->since;
}

// Somebody's room or data may be what the task at one end of a stream waits for.
static void wake(sim *s, runner *r, size_t stream, bool producer)
{
    const graph_stream *gs = r->streams[stream].stream;
    task_state *t = &r->tasks[producer ? gs->from : gs->to];
    if (!t->waiting)
        return;
    const graph_port *p = port_of(t);
    if (p->stream != stream || p->push != producer || !has_block(t, p))
        return;
    t->waiting = false;
    count_wait(s, t);
    if (t->shares) { // others may have had the processor meanwhile
        sim_acquire(s, t->processor, step, t);
        return;
    }
    sim_occupy(s, t->processor, t->since, sim_now(s), producer ? SIM_WAIT_ROOM : SIM_WAIT_DATA, gs->name);
    step(s, t);
}

static void block_left(sim *s, void *context)
{
    block *b = context;
    stream_state *st = b->stream;
    st->producer_room += b->elements;
    wake(s, st->runner, (size_t)(st - st->runner->streams), true);
}

static void block_arrived(sim *s, void *context)
{
    block *b = context;
    stream_state *st = b->stream;
    runner *r = st->runner;
    st->ready += b->elements;
    b->next = r->free_blocks;
    r->free_blocks = b;
    wake(s, r, (size_t)(st - r->streams), false);
}

// Sends the blocks that find room.
static void send_blocks(sim *s, stream_state *st)
{
    while (st->first != NULL && st->first->elements <= st->consumer_room) {
        block *b = st->first;
        st->first = b->next;
        st->consumer_room -= b->elements;
        const graph_stream *gs = st->stream;
        sim_transfer t = {.from = {.element = st->from},
                          .to = {.element = st->to},
                          .bytes = b->elements * gs->element,
                          .engine = SIM_NONE,
                          .link = gs->link,
                          .ideal_memories = true,
                          .stream = gs,
                          .label = gs->name,
                          .sent = block_left,
                          .arrived = block_arrived,
                          .context = b};
        sim_start(s, &t);
    }
}

static void send(sim *s, stream_state *st, uint64_t elements)
{
    runner *r = st->runner;
    if (st->stream->shared) {
        st->ready += elements;
        wake(s, r, (size_t)(st - r->streams), false);
        return;
    }
    block *b = r->free_blocks;
    if (b != NULL)
        r->free_blocks = b->next;
    else
        b = ARENA_NEW(r->graph->arena, block);
    *b = (block){st, elements, NULL};
    if (st->first == NULL)
        st->first = b;
    else
        st->last->next = b;
    st->last = b;
    send_blocks(s, st);
}

static void discard(sim *s, stream_state *st, uint64_t elements)
{
    if (st->stream->shared) {
        st->producer_room += elements;
        wake(s, st->runner, (size_t)(st - st->runner->streams), true);
    } else {
        st->consumer_room += elements;
        send_blocks(s, st);
    }
}

// ---- Tasks ----

static sim_time cost_of(const sim *s, const task_state *t, sim_activity *activity)
{
    size_t processor = t->task->processor;
    if (t->phase == PROCESS) {
        *activity = SIM_COMPUTE;
        const graph_subtask *sub = subtask_of(t);
        machine_operation missing; // graph_bind has seen that there is none
        return sim_from_seconds(machine_seconds(sub->time, sim_machine(s)->processors.data[processor].clock) +
                                sim_operations_seconds(s, processor, sub->operations, sub->live_registers, &missing));
    }
    const graph_port *p = port_of(t);
    uint64_t bytes = p->elements * t->runner->streams[p->stream].stream->element;
    if (t->phase == ACQUIRE) {
        *activity = p->push ? SIM_PUSH_ACQUIRE : SIM_POP_ACQUIRE;
        return p->push ? sim_cost_push_acquire(s, processor) : sim_cost_pop_acquire(s, processor, bytes);
    }
    *activity = p->push ? SIM_PUSH_SEND : SIM_POP_DISCARD;
    return p->push ? sim_cost_push_send(s, processor, bytes) : sim_cost_pop_discard(s, processor);
}

static void count_subtask(sim *s, task_state *t)
{
    runner *r = t->runner;
    t->subtasks++;
    if (t != &r->tasks[r->graph->iteration_task] || t->subtasks % r->graph->iteration_subtasks != 0)
        return;
    sim_iteration(s, sim_now(s));
    if (++r->iterations == r->wanted)
        sim_stop(s);
}

// On to the next step: block, phase, repetition, subtask.
static void advance(sim *s, task_state *t)
{
    const graph_subtask *sub = subtask_of(t);
    t->paid = false;
    if (t->phase == PROCESS) {
        t->phase = RELEASE;
        t->port = 0;
    } else {
        t->port++;
    }
    if (t->port < sub->acquire.len)
        return;
    t->port = 0;
    if (t->phase == ACQUIRE) {
        t->phase = PROCESS;
        return;
    }
    t->phase = ACQUIRE;
    count_subtask(s, t);
    if (++t->repeat < sub->repeat)
        return;
    t->repeat = 0;
    if (++t->subtask < t->task->subtasks.len)
        return;
    t->subtask = 0;
}

// What a step does once it is paid for. False when the task has to wait.
static bool act(sim *s, task_state *t)
{
    if (t->phase == PROCESS)
        return true;
    const graph_port *p = port_of(t);
    stream_state *st = &t->runner->streams[p->stream];
    if (t->phase == RELEASE) {
        (p->push ? send : discard)(s, st, p->elements);
        return true;
    }
    if (!has_block(t, p))
        return false;
    *(p->push ? &st->producer_room : &st->ready) -= p->elements;
    return true;
}

// Subtasks without blocks do only the processing phase.
static void skip_empty_phases(task_state *t)
{
    if (t->phase == ACQUIRE && subtask_of(t)->acquire.len == 0)
        t->phase = PROCESS;
}

static void take_steps(sim *s, task_state *t)
{
    for (;;) {
        skip_empty_phases(t);
        if (!t->paid) {
            sim_time cost = cost_of(s, t, &t->activity);
            t->paid = true;
            if (cost > 0) {
                t->working = true;
                t->since = sim_now(s);
                sim_at(s, sim_add(t->since, cost), step, t);
                return;
            }
        }
        if (!act(s, t)) {
            t->waiting = true;
            t->since = sim_now(s);
            if (t->shares)
                sim_release(s, t->processor);
            return;
        }
        bool done = t->phase == RELEASE || t->phase == PROCESS;
        advance(s, t);
        // Other tasks of the processor get it between subtasks; and tasks that cost nothing at all still end.
        if (done && t->phase == ACQUIRE && t->port == 0) {
            if (t->shares) {
                sim_release(s, t->processor);
                sim_acquire(s, t->processor, step, t);
            } else {
                sim_at(s, sim_now(s), step, t);
            }
            return;
        }
    }
}

static void step(sim *s, void *context)
{
    task_state *t = context;
    if (t->working)
        sim_occupy(s, t->processor, t->since, sim_now(s), t->activity, t->task->name);
    t->working = false;
    take_steps(s, t);
}

// ---- The whole ----

// The stream's end on its link: the processor where the link lists it, as in the ASM, else the buffer's memory.
static sim_element end_of(const graph *g, const machine *m, const graph_stream *s, bool producer)
{
    const graph_task *t = &g->tasks.data[producer ? s->from : s->to];
    const graph_buffer *b = producer ? &s->producer : &s->consumer;
    bool own = m->processors.data[t->processor].memories.len == 1; // the buffer is local to the processor
    for (size_t i = 0; i < m->links.len && own; i++)
        if ((s->link == i || s->link == SIM_ROUTED) &&
            (machine_refers(&m->links.data[i].elements, MACHINE_PROCESSOR, t->processor) ||
             machine_refers(producer ? &m->links.data[i].senders : &m->links.data[i].receivers, MACHINE_PROCESSOR,
                            t->processor)))
            return sim_processor(0, t->processor);
    return sim_memory(0, b->memory);
}

static bool make_streams(runner *r, diag_engine *d)
{
    const graph *g = r->graph;
    bool ok = true;
    r->streams = ARENA_ARRAY(g->arena, stream_state, g->streams.len);
    for (size_t i = 0; i < g->streams.len; i++) {
        const graph_stream *gs = &g->streams.data[i];
        stream_state *st = &r->streams[i];
        *st = (stream_state){.runner = r,
                             .stream = gs,
                             .producer_room = gs->producer.length - gs->producer.history,
                             .consumer_room = gs->consumer.length - gs->consumer.history,
                             .ready = gs->prequeued};
        *(gs->shared ? &st->producer_room : &st->consumer_room) -= gs->prequeued;
        if (gs->shared)
            continue;
        st->from = end_of(g, sim_machine(r->sim), gs, true);
        st->to = end_of(g, sim_machine(r->sim), gs, false);
        strbuf why;
        strbuf_init(&why, g->arena);
        sim_transfer t = {.from = {.element = st->from},
                          .to = {.element = st->to},
                          .engine = SIM_NONE,
                          .link = gs->link,
                          .ideal_memories = true};
        if (!sim_can_start(r->sim, &t, &why)) {
            diag_error(d, gs->fixed_link ? gs->link_range : gs->range, "stream '%s': %s", gs->name, why.data);
            ok = false;
        }
    }
    return ok;
}

static void make_tasks(runner *r)
{
    const graph *g = r->graph;
    size_t *users = ARENA_ARRAY(g->arena, size_t, sim_machine(r->sim)->processors.len);
    r->tasks = ARENA_ARRAY(g->arena, task_state, g->tasks.len);
    for (VEC_EACH(const graph_task, t, &g->tasks))
        users[t->processor]++;
    for (size_t i = 0; i < g->tasks.len; i++) {
        const graph_task *t = &g->tasks.data[i];
        r->tasks[i] = (task_state){
            .runner = r, .task = t, .processor = sim_processor(0, t->processor), .shares = users[t->processor] > 1};
        if (r->tasks[i].shares)
            sim_acquire(r->sim, r->tasks[i].processor, step, &r->tasks[i]);
        else
            sim_at(r->sim, 0, step, &r->tasks[i]);
    }
}

// ---- Deadlock ----

static size_t waits_on(const runner *r, size_t task)
{
    const graph_port *p = port_of(&r->tasks[task]);
    const graph_stream *s = &r->graph->streams.data[p->stream];
    return p->push ? s->to : s->from;
}

static void explain_wait(const runner *r, diag_engine *d, diag_record *e, size_t task)
{
    const task_state *t = &r->tasks[task];
    const graph_port *p = port_of(t);
    const stream_state *st = &r->streams[p->stream];
    diag_add_note(
        d, e, p->range, "task '%s' waits for %s%llu element%s in stream '%s', which has %llu; task '%s' has to %s",
        t->task->name, p->push ? "room for " : "", (unsigned long long)p->elements, p->elements == 1 ? "" : "s",
        st->stream->name, (unsigned long long)(p->push ? st->producer_room : st->ready),
        r->graph->tasks.data[waits_on(r, task)].name, p->push ? "discard some" : "send them");
}

// All tasks wait; following from one to the task that it waits for ends in a cycle.
static void report_deadlock(const runner *r, diag_engine *d)
{
    const graph *g = r->graph;
    size_t at = 0;
    for (size_t i = 0; i < g->tasks.len; i++)
        at = waits_on(r, at);
    diag_record *e = diag_error(d, g->tasks.data[at].range,
                                "deadlock after %llu of %llu iterations: each task of a cycle waits for the next",
                                (unsigned long long)r->iterations, (unsigned long long)r->wanted);
    size_t first = at;
    do {
        explain_wait(r, d, e, at);
        at = waits_on(r, at);
    } while (at != first);
}

graph_waits graph_waits_make(arena *a, const graph *g)
{
    size_t n = g->streams.len;
    return (graph_waits){ARENA_ARRAY(a, sim_time, n), ARENA_ARRAY(a, sim_time, n), ARENA_ARRAY(a, bool, n),
                         ARENA_ARRAY(a, bool, n)};
}

static void note_open_waits(const runner *r)
{
    for (size_t i = 0; i < r->graph->tasks.len && r->waits != NULL && r->tasks != NULL; i++) {
        const task_state *t = &r->tasks[i];
        if (!t->waiting)
            continue;
        count_wait(r->sim, t);
        (port_of(t)->push ? r->waits->open_room : r->waits->open_data)[port_of(t)->stream] = true;
    }
}

bool graph_run(const graph *g, diag_engine *d, sim *s, uint64_t iterations, graph_waits *waits)
{
    runner r = {.graph = g, .sim = s, .wanted = iterations, .waits = waits};
    if (sim_failure(s) == NULL && !make_streams(&r, d))
        return false;
    if (sim_failure(s) == NULL)
        make_tasks(&r);
    sim_run(s);
    note_open_waits(&r);
    if (sim_failure(s) != NULL) {
        diag_error_at(d, g->name, "%s", sim_failure(s));
        return false;
    }
    if (r.iterations < iterations)
        report_deadlock(&r, d);
    return r.iterations >= iterations;
}
