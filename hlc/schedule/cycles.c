// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feedback cycles (strongly connected components, by Tarjan's algorithm without recursion), and which actors are
// limited by steady states rather than by input.
#include "hlc/schedule/schedule_int.h"

typedef struct component_search {
    const sched_table *t;
    bool flowing;     // follow only channels that carry items in every steady state
    uint32_t *number; // per actor: order of discovery from 1, 0 not seen
    uint32_t *low;
    uint32_t *component; // per actor: result
    uint32_t *next_out;  // per actor: the output to look at next
    bool *on_stack;
    uint32_t *stack, *path;
    uint32_t stack_len, path_len, seen, components;
} component_search;

static bool is_flowing(const sched_table *t, uint32_t channel)
{
    return sched_producer(t, channel)->push > 0 && sched_consumer(t, channel)->pop > 0;
}

static void enter(component_search *k, uint32_t a)
{
    k->number[a] = k->low[a] = ++k->seen;
    k->next_out[a] = k->t->out_start[a];
    k->stack[k->stack_len++] = a;
    k->on_stack[a] = true;
    k->path[k->path_len++] = a;
}

static void leave(component_search *k, uint32_t a)
{
    if (k->low[a] == k->number[a]) {
        uint32_t member;
        do {
            member = k->stack[--k->stack_len];
            k->on_stack[member] = false;
            k->component[member] = k->components;
        } while (member != a);
        k->components++;
    }
    if (--k->path_len > 0) {
        uint32_t parent = k->path[k->path_len - 1];
        if (k->low[a] < k->low[parent])
            k->low[parent] = k->low[a];
    }
}

static void walk(component_search *k, uint32_t root)
{
    enter(k, root);
    while (k->path_len > 0) {
        uint32_t a = k->path[k->path_len - 1];
        if (k->next_out[a] == k->t->out_start[a + 1]) {
            leave(k, a);
            continue;
        }
        uint32_t channel = k->t->outs[k->next_out[a]++].channel;
        if (k->flowing && !is_flowing(k->t, channel))
            continue;
        uint32_t to = sched_consumer(k->t, channel)->actor;
        if (k->number[to] == 0)
            enter(k, to);
        else if (k->on_stack[to] && k->number[to] < k->low[a])
            k->low[a] = k->number[to];
    }
}

// The component of every actor; components are numbered from 0.
static uint32_t *find_components(arena *a, const sched_table *t, bool flowing)
{
    component_search k = {.t = t, .flowing = flowing};
    k.number = ARENA_ARRAY(a, uint32_t, t->actors);
    k.low = ARENA_ARRAY(a, uint32_t, t->actors);
    k.component = ARENA_ARRAY(a, uint32_t, t->actors);
    k.next_out = ARENA_ARRAY(a, uint32_t, t->actors);
    k.on_stack = ARENA_ARRAY(a, bool, t->actors);
    k.stack = ARENA_ARRAY(a, uint32_t, t->actors);
    k.path = ARENA_ARRAY(a, uint32_t, t->actors);
    for (uint32_t i = 0; i < t->actors; i++)
        if (k.number[i] == 0)
            walk(&k, i);
    return k.component;
}

// Cycles are numbered in the order of their first actors. A component is a cycle when a channel stays inside it.
static void number_cycles(scheduler *c, const uint32_t *component)
{
    const sched_table *t = c->table;
    bool *is_cycle = ARENA_ARRAY(c->arena, bool, t->actors);
    int32_t *number = ARENA_ARRAY(c->arena, int32_t, t->actors);
    for (uint32_t i = 0; i < t->channels; i++) {
        uint32_t from = component[sched_producer(t, i)->actor];
        if (from == component[sched_consumer(t, i)->actor])
            is_cycle[from] = true;
    }
    c->s->cycle_count = 0;
    for (uint32_t i = 0; i < t->actors; i++) {
        uint32_t k = component[i];
        c->s->cycle[i] = -1;
        if (!is_cycle[k])
            continue;
        if (number[k] == 0)
            number[k] = ++c->s->cycle_count;
        c->s->cycle[i] = number[k] - 1;
    }
}

// A component is bounded by its input when some member pops from outside, or from a channel that nothing flows into:
// every other member is reached from that one by channels that flow. Otherwise its members are sources.
static void find_sources(scheduler *c, const uint32_t *component)
{
    const sched_table *t = c->table;
    bool *bounded = ARENA_ARRAY(c->arena, bool, t->actors);
    for (uint32_t i = 0; i < t->channels; i++) {
        const sched_port *from = sched_producer(t, i), *to = sched_consumer(t, i);
        if (t->cut[i])
            bounded[component[to->actor]] = true;
        if (to->pop > 0 && (from->push == 0 || component[from->actor] != component[to->actor]))
            bounded[component[to->actor]] = true;
    }
    for (uint32_t i = 0; i < t->actors; i++)
        c->s->source[i] = !bounded[component[i]];
}

static uint32_t find_root(uint32_t *parent, uint32_t a)
{
    while (parent[a] != a)
        a = parent[a] = parent[parent[a]];
    return a;
}

void sched_find_static_regions(scheduler *c)
{
    const sched_table *t = c->table;
    schedule *s = c->s;
    uint32_t *parent = ARENA_ARRAY(c->arena, uint32_t, t->actors);
    int32_t *number = ARENA_ARRAY(c->arena, int32_t, t->actors);
    for (uint32_t i = 0; i < t->actors; i++)
        parent[i] = i;
    s->dynamic = false;
    for (uint32_t i = 0; i < t->channels; i++) {
        s->channels[i].cut = t->cut[i];
        s->dynamic |= t->cut[i];
        if (!t->cut[i])
            parent[find_root(parent, sched_producer(t, i)->actor)] = find_root(parent, sched_consumer(t, i)->actor);
    }
    s->static_region_count = 0;
    for (uint32_t i = 0; i < t->actors; i++) { // numbered in the order of their first actors
        uint32_t root = find_root(parent, i);
        if (number[root] == 0)
            number[root] = ++s->static_region_count;
        s->static_region[i] = number[root] - 1;
        s->paced[s->static_region[i]] |= s->source[i];
    }
}

void sched_find_cycles(scheduler *c)
{
    for (uint32_t i = 0; i < c->table->channels; i++)
        c->s->channels[i].back_edge = sched_consumer(c->table, i)->actor <= sched_producer(c->table, i)->actor;
    number_cycles(c, find_components(c->arena, c->table, false));
    find_sources(c, find_components(c->arena, c->table, true));
}
