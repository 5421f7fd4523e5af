// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Time, the event queue, and making a simulation.
#include "sim/sim.h"

#include <math.h>
#include <string.h>

#include "sim/internal.h"

enum { HEAP_ARITY = 4, MOST_ELEMENTS = 1 << 20 };

// ---- Time ----

sim_time sim_from_seconds(double seconds)
{
    if (!(seconds > 0))
        return 0;
    double t = seconds * (double)SIM_SECOND;
    return t >= 9.2e18 ? SIM_NEVER : (sim_time)llround(t);
}

double sim_to_seconds(sim_time t)
{
    return (double)t / (double)SIM_SECOND;
}

sim_time sim_add(sim_time a, sim_time b)
{
    sim_time sum;
    return __builtin_add_overflow(a, b, &sum) ? SIM_NEVER : sum;
}

// ---- Events: a heap with four children a node, which are near each other in memory ----

static bool before(const sim_event *a, const sim_event *b)
{
    return a->when < b->when || (a->when == b->when && a->order < b->order);
}

static void push_event(sim *s, sim_event e)
{
    VEC_PUSH(s->arena, &s->heap, e);
    sim_event *heap = s->heap.data;
    size_t i = s->heap.len - 1;
    while (i > 0) {
        size_t parent = (i - 1) / HEAP_ARITY;
        if (!before(&e, &heap[parent]))
            break;
        heap[i] = heap[parent];
        i = parent;
    }
    heap[i] = e;
}

static sim_event pop_event(sim *s)
{
    sim_event *heap = s->heap.data, top = heap[0], e = heap[--s->heap.len];
    size_t n = s->heap.len, i = 0;
    for (;;) {
        size_t child = i * HEAP_ARITY + 1, end = child + HEAP_ARITY < n ? child + HEAP_ARITY : n, least = child;
        if (child >= n)
            break;
        while (++child < end)
            if (before(&heap[child], &heap[least]))
                least = child;
        if (!before(&heap[least], &e))
            break;
        heap[i] = heap[least];
        i = least;
    }
    if (n > 0)
        heap[i] = e;
    return top;
}

sim_time sim_now(const sim *s)
{
    return s->now;
}

sim_time sim_next(const sim *s)
{
    return s->heap.len == 0 ? SIM_NEVER : s->heap.data[0].when;
}

void sim_at(sim *s, sim_time when, sim_action *action, void *context)
{
    if (when == SIM_NEVER)
        sim_fail(s, "the simulated time runs over 2.5 hours");
    else if (when < s->now)
        sim_fail(s, "internal error: an event is scheduled for a time that is over");
    else
        push_event(s, (sim_event){when, s->order++, action, context});
}

void sim_advance(sim *s, sim_time when)
{
    if (when < s->now || when > sim_next(s) || when == SIM_NEVER)
        sim_fail(s, when == SIM_NEVER ? "the simulated time runs over 2.5 hours"
                                      : "internal error: time is set to before now or beyond an event");
    else
        s->now = when;
}

bool sim_step(sim *s)
{
    if (s->heap.len == 0 || s->stopped || s->failure != NULL)
        return false;
    if (s->events == s->event_limit) {
        sim_fail(s, "there are more than %llu events", (unsigned long long)s->events);
        return false;
    }
    sim_event e = pop_event(s);
    s->now = e.when;
    s->events++;
    e.action(s, e.context);
    return true;
}

void sim_run(sim *s)
{
    while (sim_step(s)) {
    }
}

void sim_stop(sim *s)
{
    s->stopped = true;
}

uint64_t sim_events(const sim *s)
{
    return s->events;
}

// ---- Failures, texts and names ----

void sim_fail(sim *s, const char *format, ...)
{
    if (s->failure != NULL)
        return;
    va_list args;
    va_start(args, format);
    s->failure = arena_vprintf(s->arena, format, args);
    va_end(args);
}

const char *sim_failure(const sim *s)
{
    return s->failure;
}

const char *sim_text(sim *s, const char *text)
{
    const char *known = hmap_get(&s->texts, text);
    if (known == NULL) {
        char *copy = arena_strdup(s->arena, text);
        hmap_set(&s->texts, text, copy);
        known = copy;
    }
    return known;
}

static const char *node_name(sim *s, size_t node, const char *name)
{
    return s->nodes == 1 ? name : sim_text(s, arena_printf(s->arena, "node %zu %s", node, name));
}

const char *sim_processor_name(sim *s, size_t at)
{
    size_t n = s->machine->processors.len;
    return node_name(s, at / n, s->machine->processors.data[at % n].element.name);
}

const char *sim_memory_name(sim *s, size_t at)
{
    size_t n = s->machine->memories.len;
    return node_name(s, at / n, s->machine->memories.data[at % n].element.name);
}

const char *sim_link_name(sim *s, size_t at)
{
    size_t n = s->machine->links.len;
    if (at >= n * s->nodes)
        return "network";
    return node_name(s, at / n, s->machine->links.data[at % n].element.name);
}

const char *sim_element_name(sim *s, sim_element e)
{
    if (e.index == SIZE_MAX)
        return "nothing";
    if (e.kind == MACHINE_MEMORY)
        return sim_memory_name(s, sim_memory_at(s, e));
    if (e.kind == MACHINE_LINK)
        return sim_link_name(s, e.node * s->machine->links.len + e.index);
    return sim_processor_name(s, sim_processor_at(s, e));
}

bool sim_known(sim *s, sim_element e)
{
    size_t count = e.kind == MACHINE_PROCESSOR ? s->machine->processors.len
                   : e.kind == MACHINE_MEMORY  ? s->machine->memories.len
                                               : 0;
    if (e.node < s->nodes && e.index < count)
        return true;
    sim_fail(s, "internal error: there is no such element of the machine");
    return false;
}

// ---- Making one ----

static void build_processors(sim *s)
{
    const machine *m = s->machine;
    s->processor_count = s->nodes * m->processors.len;
    s->processors = ARENA_ARRAY(s->arena, sim_processor_state, s->processor_count);
    for (size_t i = 0; i < s->processor_count; i++) {
        const machine_processor *p = &m->processors.data[i % m->processors.len];
        if (p->kind != MACHINE_processor_kind_DMA)
            continue;
        sim_engine *e = ARENA_NEW(s->arena, sim_engine);
        e->element = sim_processor((uint32_t)(i / m->processors.len), i % m->processors.len);
        e->depth = p->transfer_queue;
        s->processors[i].engine = e;
    }
    s->memory_count = s->nodes * m->memories.len;
    s->memories = ARENA_ARRAY(s->arena, sim_memory_state, s->memory_count);
    for (size_t i = 0; i < s->memory_count; i++)
        s->memories[i].memory = &m->memories.data[i % m->memories.len];
}

sim *sim_create(arena *a, const machine *m, const sim_options *options)
{
    sim *s = ARENA_NEW(a, sim);
    s->arena = a;
    s->machine = m;
    if (options != NULL)
        s->options = *options;
    s->event_limit = s->options.event_limit == 0 ? UINT64_MAX : s->options.event_limit;
    hmap_init(&s->texts, a);
    hmap_init(&s->routes, a);
    s->mark_step = 1;
    s->nodes = m->nodes.count == 0 ? 1 : (size_t)m->nodes.count;
    size_t elements = m->processors.len + m->memories.len + m->links.len;
    if (s->nodes > MOST_ELEMENTS / (elements + 1)) {
        sim_fail(s, "machine '%s' has %zu nodes of %zu elements; more than %d elements cannot be simulated", m->name,
                 s->nodes, elements, MOST_ELEMENTS);
        s->nodes = 1;
    }
    build_processors(s);
    sim_build_links(s);
    return s;
}

const machine *sim_machine(const sim *s)
{
    return s->machine;
}
