// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who is on which link, and the way of a transfer over links.
#include <string.h>

#include "sim/internal.h"

// ---- Links ----

static sim_ports *ports_of(sim *s, machine_ref element)
{
    return element.kind == MACHINE_PROCESSOR ? &s->processor_ports[element.index]
           : element.kind == MACHINE_MEMORY  ? &s->memory_ports[element.index]
                                             : &s->link_ports[element.index];
}

static void add_interface(sim *s, size_t link, machine_ref element, bool may_send, bool may_receive)
{
    sim_ports *ports = ports_of(s, element);
    for (VEC_EACH(const sim_port, port, ports))
        if (port->link == link) { // listed twice: under both senders and receivers
            sim_interface *there = &s->links[link].interfaces.data[port->interface];
            there->may_send |= may_send;
            there->may_receive |= may_receive;
            return;
        }
    VEC_PUSH(s->arena, ports, (sim_port){link, s->links[link].interfaces.len});
    VEC_PUSH(s->arena, &s->links[link].interfaces,
             (sim_interface){.element = element, .may_send = may_send, .may_receive = may_receive});
}

static void add_interfaces(sim *s, size_t index)
{
    const machine_link *link = &s->machine->links.data[index];
    for (VEC_EACH(const machine_ref, e, &link->elements))
        add_interface(s, index, *e, true, true);
    for (VEC_EACH(const machine_ref, e, &link->senders))
        add_interface(s, index, *e, true, false);
    for (VEC_EACH(const machine_ref, e, &link->receivers))
        add_interface(s, index, *e, false, true);
}

// A link that is an element of another has that one as an element too: messages pass between them.
static void add_bridges(sim *s)
{
    for (size_t i = 0; i < s->machine->links.len; i++)
        for (size_t k = 0; k < s->links[i].interfaces.len; k++) {
            sim_interface e = s->links[i].interfaces.data[k];
            if (e.element.kind == MACHINE_LINK)
                add_interface(s, e.element.index, (machine_ref){MACHINE_LINK, i}, e.may_receive, e.may_send);
        }
}

// The links of the other nodes are copies of the first's.
static void copy_links(sim *s)
{
    size_t n = s->machine->links.len;
    for (size_t i = n; i < n * s->nodes; i++)
        for (VEC_EACH(const sim_interface, e, &s->links[i % n].interfaces))
            VEC_PUSH(s->arena, &s->links[i].interfaces, *e);
}

void sim_build_links(sim *s)
{
    const machine *m = s->machine;
    size_t n = m->links.len;
    s->link_count = n * s->nodes + (s->nodes > 1);
    s->links = ARENA_ARRAY(s->arena, sim_link_state, s->link_count);
    s->processor_ports = ARENA_ARRAY(s->arena, sim_ports, m->processors.len);
    s->memory_ports = ARENA_ARRAY(s->arena, sim_ports, m->memories.len);
    s->link_ports = ARENA_ARRAY(s->arena, sim_ports, n);
    for (size_t i = 0; i < n; i++)
        add_interfaces(s, i);
    add_bridges(s);
    copy_links(s);
    s->row_count = s->processor_count;
    for (size_t i = 0; i < s->link_count; i++) {
        sim_link_state *l = &s->links[i];
        l->link = i < n * s->nodes ? &m->links.data[i % n] : &m->nodes.network;
        l->channel_busy = ARENA_ARRAY(s->arena, bool, l->link->channels);
        l->channel_time = ARENA_ARRAY(s->arena, sim_time, l->link->channels);
        l->row = s->row_count;
        s->row_count += l->link->channels;
    }
    if (s->nodes > 1)
        for (size_t i = 0; i < s->nodes; i++)
            VEC_PUSH(s->arena, &s->links[n * s->nodes].interfaces, (sim_interface){{0, i}, true, true, 0, 0, 0, 0});
    s->row_count += s->memory_count;
}

// ---- Searching ----

// How a search came to a link.
typedef struct arrival {
    size_t before;                // the link before; SIZE_MAX: the first
    size_t out, in;               // the router's interfaces on the link before and on this one
    bool seen, store_and_forward; // the link before hands on whole messages
} arrival;

typedef struct search {
    sim *sim;
    arena *scratch;
    arrival *links;
    VEC(size_t) queue;
} search;

static const sim_port *port_on(const sim_ports *ports, size_t link)
{
    for (VEC_EACH(const sim_port, port, ports))
        if (port->link == link)
            return port;
    return NULL;
}

// Goes on from a link to all others that its interface there is a router for.
static void pass_on(search *q, size_t link, size_t interface)
{
    sim *s = q->sim;
    const machine_link *l = &s->machine->links.data[link];
    const sim_interface *e = &s->links[link].interfaces.data[interface];
    bool bridge = e->element.kind == MACHINE_LINK;
    if (!e->may_receive || (!bridge && (l->routing == MACHINE_routing_NONE ||
                                        !machine_refers(&l->routers, e->element.kind, e->element.index))))
        return;
    for (VEC_EACH(const sim_port, port, ports_of(s, e->element))) {
        size_t next = port->link;
        if (bridge) // across the bridge only
            next = e->element.index;
        if (q->links[next].seen)
            continue;
        const sim_port *in = bridge ? port_on(&s->link_ports[link], next) : port;
        if (in == NULL || !s->links[next].interfaces.data[in->interface].may_send)
            continue;
        q->links[next] =
            (arrival){link, interface, in->interface, true, l->routing == MACHINE_routing_STORE_AND_FORWARD};
        VEC_PUSH(q->scratch, &q->queue, next);
    }
}

static void add_stage(sim *s, sim_route *route, sim_stage stage, uint64_t largest)
{
    sim_stage *stages = ARENA_ARRAY(s->arena, sim_stage, route->count + 1);
    if (route->count > 0)
        memcpy(stages, route->stages, route->count * sizeof *stages);
    if (stage.kind == STAGE_LINK && route->first_link == SIZE_MAX)
        route->first_link = route->count;
    stages[route->count++] = stage;
    route->stages = stages;
    if (largest < route->largest)
        route->largest = largest;
}

static sim_lane *lane_of(sim *s, size_t link, size_t from, size_t to)
{
    sim_link_state *l = &s->links[link];
    for (VEC_EACH(sim_lane *, lane, &l->lanes))
        if ((*lane)->from == from && (*lane)->to == to)
            return *lane;
    sim_lane *lane = ARENA_NEW(s->arena, sim_lane);
    lane->from = from;
    lane->to = to;
    VEC_PUSH(s->arena, &l->lanes, lane);
    return lane;
}

static void add_link(sim *s, sim_route *route, size_t node, size_t link, size_t from, size_t to, bool whole)
{
    const machine_link *l = &s->machine->links.data[link];
    uint64_t largest = l->largest_transfer;
    if (largest != MACHINE_UNBOUNDED && l->alignment > 1 && largest > l->alignment)
        largest -= largest % l->alignment;
    size_t at = node * s->machine->links.len + link;
    sim_lane *lane = lane_of(s, at, from, to);
    add_stage(s, route, (sim_stage){.kind = STAGE_LINK, .resource = at, .lane = lane, .store_and_forward = whole},
              largest);
}

// Adds the links to where the search has come, in the order in which a message passes them.
static void add_links(search *q, sim_route *route, size_t node, size_t link, size_t to, bool whole)
{
    VEC(size_t) way = {0};
    for (size_t at = link; at != SIZE_MAX; at = q->links[at].before)
        VEC_PUSH(q->scratch, &way, at);
    for (size_t i = way.len; i > 0; i--) {
        size_t at = way.data[i - 1];
        bool end = i == 1;
        const arrival *next = end ? NULL : &q->links[way.data[i - 2]];
        add_link(q->sim, route, node, at, q->links[at].in, end ? to : next->out, end ? whole : next->store_and_forward);
    }
}

// The fewest links from one element to the other, added to the route; false when there is none.
static bool find_links(sim *s, sim_route *route, size_t node, machine_ref from, machine_ref to, size_t fixed)
{
    size_t n = s->machine->links.len;
    search q = {.sim = s, .scratch = arena_create()};
    q.links = ARENA_ARRAY(q.scratch, arrival, n);
    for (VEC_EACH(const sim_port, port, ports_of(s, from)))
        if (s->links[port->link].interfaces.data[port->interface].may_send &&
            (fixed == SIM_ROUTED || fixed == port->link)) {
            q.links[port->link] = (arrival){SIZE_MAX, 0, port->interface, true, false};
            VEC_PUSH(q.scratch, &q.queue, port->link);
        }
    bool found = false;
    for (size_t i = 0; i < q.queue.len && !found; i++) {
        size_t link = q.queue.data[i];
        const sim_port *end = port_on(ports_of(s, to), link);
        if (end != NULL && s->links[link].interfaces.data[end->interface].may_receive) {
            add_links(&q, route, node, link, end->interface, false);
            found = true;
        } else if (fixed == SIM_ROUTED) {
            for (size_t k = 0; k < s->links[link].interfaces.len; k++)
                pass_on(&q, link, k);
        }
    }
    arena_destroy(q.scratch);
    return found;
}

// ---- Ways ----

enum { MOST_STAND_INS = 8 };
typedef VEC(machine_ref) candidates;

// Who can be on a link for an element: itself; for a memory the processors that reach it, kernel processors first; for
// a processor the memories that it reaches.
static candidates stand_ins(sim *s, arena *scratch, sim_element e)
{
    static const machine_processor_kind order[] = {MACHINE_processor_kind_KERNEL, MACHINE_processor_kind_DMA,
                                                   MACHINE_processor_kind_CONTROL};
    const machine *m = s->machine;
    candidates c = {0};
    VEC_PUSH(scratch, &c, (machine_ref){e.kind, e.index});
    if (e.kind == MACHINE_PROCESSOR)
        for (VEC_EACH(const machine_ref, r, &m->processors.data[e.index].memories))
            if (c.len < MOST_STAND_INS && s->memory_ports[r->index].len > 0)
                VEC_PUSH(scratch, &c, *r);
    for (size_t k = 0; k < sizeof order / sizeof *order && e.kind == MACHINE_MEMORY; k++)
        for (size_t i = 0; i < m->processors.len && c.len < MOST_STAND_INS; i++)
            if (m->processors.data[i].kind == order[k] && s->processor_ports[i].len > 0 &&
                machine_refers(&m->processors.data[i].memories, MACHINE_MEMORY, e.index))
                VEC_PUSH(scratch, &c, (machine_ref){MACHINE_PROCESSOR, i});
    return c;
}

static bool route_links(sim *s, sim_route *route, const sim_transfer *t)
{
    arena *scratch = arena_create();
    candidates from = stand_ins(s, scratch, t->from.element), to = stand_ins(s, scratch, t->to.element);
    bool found = false;
    // Those that stand in least come first.
    for (size_t sum = 0; sum < from.len + to.len - 1 && !found; sum++)
        for (size_t i = 0; i <= sum && !found; i++) {
            if (i >= from.len || sum - i >= to.len)
                continue;
            machine_ref a = from.data[i], b = to.data[sum - i];
            found =
                (a.kind != b.kind || a.index != b.index) && find_links(s, route, t->from.element.node, a, b, t->link);
        }
    arena_destroy(scratch);
    return found;
}

static bool reaches(const sim *s, sim_element processor, sim_element memory)
{
    return processor.kind == MACHINE_PROCESSOR && memory.kind == MACHINE_MEMORY && processor.index != SIZE_MAX &&
           machine_refers(&s->machine->processors.data[processor.index].memories, MACHINE_MEMORY, memory.index);
}

// Whether no link is needed: it is one element, or one reaches the other.
static bool is_direct(const sim *s, const sim_transfer *t)
{
    sim_element a = t->from.element, b = t->to.element;
    return (a.kind == b.kind && a.index == b.index) || reaches(s, a, b) || reaches(s, b, a);
}

// Whether a processor could copy between the two itself: the engine, or without one any processor.
static bool can_copy(const sim *s, const sim_transfer *t)
{
    sim_element a = t->from.element, b = t->to.element;
    if (t->engine.index != SIZE_MAX)
        return (a.kind == MACHINE_PROCESSOR || reaches(s, t->engine, a)) &&
               (b.kind == MACHINE_PROCESSOR || reaches(s, t->engine, b));
    for (size_t i = 0; i < s->machine->processors.len; i++) {
        sim_element p = sim_processor(a.node, i);
        if (reaches(s, p, a) && reaches(s, p, b))
            return true;
    }
    return false;
}

static void add_memory(sim *s, sim_route *route, const sim_transfer *t, const sim_side *side)
{
    if (side->element.kind == MACHINE_MEMORY && !t->ideal_memories)
        add_stage(
            s, route,
            (sim_stage){.kind = STAGE_MEMORY, .resource = sim_memory_at(s, side->element), .target = side == &t->to},
            MACHINE_UNBOUNDED);
}

static const char *describe_problem(sim *s, const sim_transfer *t)
{
    const char *from = sim_element_name(s, t->from.element), *to = sim_element_name(s, t->to.element);
    if (t->link != SIM_ROUTED)
        return arena_printf(s->arena, "link '%s' does not carry messages from '%s' to '%s'",
                            s->machine->links.data[t->link].element.name, from, to);
    return arena_printf(s->arena, "no link of machine '%s' leads from '%s' to '%s'%s", s->machine->name, from, to,
                        t->engine.index == SIZE_MAX
                            ? ""
                            : arena_printf(s->arena, ", and '%s' does not reach both", sim_element_name(s, t->engine)));
}

static sim_route *make_route(sim *s, const sim_transfer *t)
{
    sim_route *route = ARENA_NEW(s->arena, sim_route);
    *route = (sim_route){.first_link = SIZE_MAX, .largest = MACHINE_UNBOUNDED};
    uint32_t a = t->from.element.node, b = t->to.element.node;
    add_memory(s, route, t, &t->from);
    if (a != b)
        add_stage(
            s, route,
            (sim_stage){.kind = STAGE_LINK, .resource = s->link_count - 1, .lane = lane_of(s, s->link_count - 1, a, b)},
            s->machine->nodes.network.largest_transfer);
    else if ((t->link != SIM_ROUTED || !is_direct(s, t)) && !route_links(s, route, t) &&
             (t->link != SIM_ROUTED || !can_copy(s, t)))
        route->problem = describe_problem(s, t);
    add_memory(s, route, t, &t->to);
    return route;
}

const sim_route *sim_find_route(sim *s, const sim_transfer *t)
{
    uint64_t key[] = {(uint64_t)t->from.element.node << 32 | t->to.element.node,
                      t->from.element.index * 4 + t->from.element.kind,
                      t->to.element.index * 4 + t->to.element.kind,
                      t->link,
                      t->engine.index,
                      t->ideal_memories};
    sim_route *route = hmap_getn(&s->routes, key, sizeof key);
    if (route == NULL) {
        route = make_route(s, t);
        hmap_setn(&s->routes, key, sizeof key, route);
    }
    return route;
}
