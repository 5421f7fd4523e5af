// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graph's names of processors, memories and links become the machine's elements; what does not fit is an error.
#include <string.h>

#include "sim/graph.h"

typedef struct binder {
    graph *graph;
    diag_engine *diag;
    const machine *machine;
    bool failed;
} binder;

static void unknown(binder *b, src_range range, unsigned kind, const char *noun, const char *name)
{
    const char *near = machine_nearest(b->machine, kind, name);
    diag_error(b->diag, range,
               near == NULL ? "machine '%s' has no %s '%.60s'%s" : "machine '%s' has no %s '%.60s'; did you mean '%s'?",
               b->machine->name, noun, name, near == NULL ? "" : near);
    b->failed = true;
}

static void wrong(binder *b, src_range range, const char *text)
{
    diag_error(b->diag, range, "%s", text);
    b->failed = true;
}

static void bind_operations(binder *b, const graph_task *t)
{
    const machine_processor *p = &b->machine->processors.data[t->processor];
    for (VEC_EACH(const graph_subtask, sub, &t->subtasks))
        for (machine_operation op = 0; op < MACHINE_OP_COUNT; op++)
            if (sub->operations[op] > 0 && !machine_can_run(p, op))
                wrong(b, sub->operations_range,
                      arena_printf(b->graph->arena,
                                   "processor '%s' of task '%s' cannot run '%s': the machine file has no cost of it",
                                   t->processor_name, t->name, machine_operation_text(op)));
}

static void bind_task(binder *b, graph_task *t)
{
    if (t->processor_name == NULL) {
        wrong(b, t->range,
              arena_printf(b->graph->arena,
                           "task '%s' has no processor; say which with 'processor', or let --search=SECONDS find one",
                           t->name));
        return;
    }
    const machine_processor *p = machine_processor_by_name(b->machine, t->processor_name);
    if (p == NULL) {
        unknown(b, t->processor_range, MACHINE_PROCESSOR, "processor", t->processor_name);
        return;
    }
    t->processor = (size_t)(p - b->machine->processors.data);
    if (p->kind == MACHINE_processor_kind_DMA)
        wrong(b, t->processor_range,
              arena_printf(b->graph->arena, "processor '%s' only moves data; it runs no task", t->processor_name));
    else if (t->io && !p->io)
        wrong(b, t->processor_range,
              arena_printf(b->graph->arena, "task '%s' does input or output, and processor '%s' cannot", t->name,
                           t->processor_name));
    bind_operations(b, t);
}

// The memory of a buffer: the one named, or the only one that the task's processor reaches.
static void bind_buffer(binder *b, graph_buffer *buffer, const graph_task *t)
{
    const machine_processor *p = &b->machine->processors.data[t->processor];
    arena *a = b->graph->arena;
    if (buffer->memory_name == NULL) {
        if (p->memories.len == 1)
            buffer->memory = p->memories.data[0].index;
        else
            wrong(b, buffer->range,
                  arena_printf(a, "processor '%s' reaches %zu memories; say in which the buffer is with 'memory'",
                               t->processor_name, p->memories.len));
        return;
    }
    const machine_memory *m = machine_memory_by_name(b->machine, buffer->memory_name);
    if (m == NULL) {
        unknown(b, buffer->memory_range, MACHINE_MEMORY, "memory", buffer->memory_name);
        return;
    }
    buffer->memory = (size_t)(m - b->machine->memories.data);
    if (m->kind == MACHINE_memory_kind_CACHE)
        wrong(b, buffer->memory_range, arena_printf(a, "'%s' is a cache, which is not addressed", buffer->memory_name));
    else if (!machine_reaches(b->machine, p, m))
        wrong(b, buffer->memory_range,
              arena_printf(a, "processor '%s' of task '%s' does not reach memory '%s'", t->processor_name, t->name,
                           buffer->memory_name));
}

static void bind_stream(binder *b, graph_stream *s)
{
    const graph_task *from = &b->graph->tasks.data[s->from], *to = &b->graph->tasks.data[s->to];
    bind_buffer(b, &s->producer, from);
    bind_buffer(b, &s->consumer, to);
    if (s->link_name == NULL)
        return;
    const machine_link *l = machine_link_by_name(b->machine, s->link_name);
    if (l == NULL)
        unknown(b, s->link_range, MACHINE_LINK, "link", s->link_name);
    else
        s->link = (size_t)(l - b->machine->links.data);
}

// ---- Limits ----

// A buffer takes its memory's room.
static void take_room(binder *b, uint64_t *used, const graph_stream *s, const graph_buffer *buffer)
{
    const machine_memory *m = &b->machine->memories.data[buffer->memory];
    uint64_t bytes, alignment = m->alignment == 0 ? 1 : m->alignment;
    if (__builtin_mul_overflow(buffer->length, s->element, &bytes) ||
        __builtin_add_overflow(bytes, used[buffer->memory] + alignment - 1, &bytes) || bytes > UINT64_MAX / 2)
        bytes = UINT64_MAX / 2;
    used[buffer->memory] = bytes / alignment * alignment;
    if (used[buffer->memory] > machine_usable(m)) {
        wrong(b, buffer->range,
              arena_printf(b->graph->arena,
                           "the buffers up to this one need %llu bytes of memory '%s', which has %llu for programs",
                           (unsigned long long)used[buffer->memory], m->element.name,
                           (unsigned long long)machine_usable(m)));
        used[buffer->memory] = 0;
    }
}

static void check_links(binder *b)
{
    graph *g = b->graph;
    for (VEC_EACH(graph_stream, s, &g->streams)) {
        if (!s->fixed_link || b->machine->links.data[s->link].multiplexed)
            continue;
        for (graph_stream *other = g->streams.data; other < s; other++)
            if (other->fixed_link && other->link == s->link) {
                diag_record *e =
                    diag_error(b->diag, s->link_range, "link '%s' carries one stream only, and '%s' is the second",
                               s->link_name, s->name);
                diag_add_note(b->diag, e, other->link_range, "'%s' is allocated to it here", other->name);
                b->failed = true;
                break;
            }
    }
}

bool graph_bind(graph *g, diag_engine *d, const machine *m)
{
    binder b = {g, d, m, false};
    for (VEC_EACH(graph_task, t, &g->tasks))
        bind_task(&b, t);
    if (!b.failed)
        for (VEC_EACH(graph_stream, s, &g->streams))
            bind_stream(&b, s);
    if (b.failed)
        return false;
    uint64_t *used = ARENA_ARRAY(g->arena, uint64_t, m->memories.len);
    for (VEC_EACH(graph_stream, s, &g->streams)) {
        if (s->shared && s->producer.memory != s->consumer.memory)
            wrong(&b, s->producer.range,
                  arena_printf(g->arena, "tasks '%s' and '%s' reach no memory in common for a shared buffer",
                               g->tasks.data[s->from].name, g->tasks.data[s->to].name));
        take_room(&b, used, s, &s->producer);
        if (!s->shared)
            take_room(&b, used, s, &s->consumer);
    }
    check_links(&b);
    return !b.failed;
}
