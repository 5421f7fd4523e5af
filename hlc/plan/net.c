// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts a program with dynamic rates or messages into kernels.
#include "hlc/plan/net.h"

#include <inttypes.h>
#include <string.h>

#include "hlc/plan/plan.h"

typedef struct cutter {
    arena *a;
    const sir_module *m;
    const schedule *s;
    plan_net *p;
    bool *alone;       // per actor: a kernel of its own
    uint32_t *level;   // per actor
    bool *stream;      // per channel
    const bool *apart; // per channel; or NULL
    uint32_t *kernel;  // per actor of the program; SIR_NONE: the control program's
    uint32_t *copy;    // per actor of the program: its number in the static graph
    hmap names;        // of actors, taken
    bool given;        // the kernels are: they keep the whole program's counts
} cutter;

static bool is_dynamic(const sir_actor *a)
{
    return a->kind == SIR_FILTER && (sched_dynamic_input(a) || sched_dynamic_output(a));
}

// A feedback loop is one kernel, or each of its actors is.
static void loosen_cycles(cutter *c)
{
    size_t n = c->m->actors.len;
    bool *loose = ARENA_ARRAY(c->a, bool, (size_t)c->s->cycle_count + 1);
    for (uint32_t i = 0; i < n; i++)
        if (c->alone[i] && c->s->cycle[i] >= 0)
            loose[c->s->cycle[i]] = true;
    for (uint32_t i = 0; i < n; i++)
        c->alone[i] |= c->s->cycle[i] >= 0 && loose[c->s->cycle[i]];
}

static void find_alone(cutter *c)
{
    for (uint32_t i = 0; i < c->m->actors.len; i++)
        c->alone[i] = is_dynamic(c->m->actors.data[i]);
    plan_ways_find_alone(c->p->ways, c->alone);
    for (VEC_EACH(const sched_outside, to, &c->s->outside))
        c->alone[to->receiver] = true;
    loosen_cycles(c);
}

// Levels: actors of a cycle have one.
static void find_levels(cutter *c)
{
    const sched_units u = sched_units_of(c->a, c->m, c->s);
    for (size_t at = 0; at < u.count; at++) {
        const uint32_t unit = u.order[at];
        for (uint32_t k = u.start[unit]; k < u.start[unit + 1]; k++)
            for (VEC_EACH(uint32_t, out, &c->m->actors.data[u.members[k]]->outputs)) {
                uint32_t to = *out == SIR_NONE ? unit : c->m->channels.data[*out].consumer;
                bool rises =
                    c->alone[u.members[k]] || c->alone[to] || (c->apart != NULL && *out != SIR_NONE && c->apart[*out]);
                if (u.of[to] != unit && c->level[unit] + rises > c->level[u.of[to]])
                    c->level[u.of[to]] = c->level[unit] + rises;
            }
    }
    for (uint32_t i = 0; i < c->m->actors.len; i++)
        c->level[i] = c->level[u.of[i]];
}

static void find_streams(cutter *c)
{
    for (size_t i = 0; i < c->m->channels.len; i++) {
        const sir_channel *ch = &c->m->channels.data[i];
        c->stream[i] = c->alone[ch->producer] || c->alone[ch->consumer] ||
                       c->level[ch->producer] != c->level[ch->consumer] ||
                       sir_is_file(c->m->actors.data[ch->producer]) || sir_is_file(c->m->actors.data[ch->consumer]);
    }
}

// ---- Kernels ----

static uint32_t find_root(uint32_t *parent, uint32_t a)
{
    while (parent[a] != a)
        a = parent[a] = parent[parent[a]];
    return a;
}

static void make_kernels(cutter *c)
{
    size_t n = c->m->actors.len;
    uint32_t *parent = ARENA_ARRAY(c->a, uint32_t, n + 1), *number = ARENA_ARRAY(c->a, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++)
        parent[i] = i;
    for (size_t i = 0; i < c->m->channels.len; i++)
        if (!c->stream[i])
            parent[find_root(parent, c->m->channels.data[i].producer)] =
                find_root(parent, c->m->channels.data[i].consumer);
    for (uint32_t i = 0; i < n; i++) {
        c->kernel[i] = SIR_NONE;
        if (sir_is_file(c->m->actors.data[i]))
            continue;
        uint32_t root = find_root(parent, i);
        if (number[root] == 0) {
            plan_net_kernel kernel = {.dynamic = is_dynamic(c->m->actors.data[i]),
                                      .paced = c->s->paced[c->s->static_region[i]]};
            VEC_PUSH(c->a, &c->p->kernels, kernel);
            number[root] = (uint32_t)c->p->kernels.len;
        }
        c->kernel[i] = number[root] - 1;
        plan_net_kernel *kernel = &c->p->kernels.data[c->kernel[i]];
        VEC_PUSH(c->a, &kernel->actors, i);
        kernel->steady = sched_gcd(kernel->steady, c->s->reps[i]);
    }
}

// ---- The static graph ----

static const char *unique_name(cutter *c, const char *wanted)
{
    const char *name = wanted;
    for (unsigned n = 2; hmap_get(&c->names, name) != NULL; n++)
        name = arena_printf(c->a, "%s_%u", wanted, n);
    hmap_set(&c->names, name, c->p);
    return name;
}

static uint32_t add_actor(cutter *c, sir_actor *actor, uint32_t kernel, uint32_t of, uint32_t stream)
{
    uint32_t number = (uint32_t)c->p->module->actors.len;
    VEC_PUSH(c->a, &c->p->module->actors, actor);
    c->p->kernel_of[number] = kernel;
    c->p->actor_of[number] = of;
    c->p->stream_of[number] = stream;
    return number;
}

static uint32_t add_end(cutter *c, uint32_t stream, bool reader)
{
    const plan_stream *st = &c->p->streams.data[stream];
    const sir_channel *ch = &c->m->channels.data[st->channel];
    uint32_t other = reader ? ch->consumer : ch->producer;
    const sir_actor *whose = c->m->actors.data[other];
    sir_actor *end = ARENA_NEW(c->a, sir_actor);
    *end = (sir_actor){.kind = reader ? SIR_READER : SIR_WRITER,
                       .name = unique_name(c, arena_printf(c->a, "%s_%s", st->name, reader ? "in" : "out")),
                       .region = whose->region,
                       .item = ch->type,
                       .loc = whose->loc};
    return add_actor(c, end, c->kernel[other], SIR_NONE, stream);
}

static uint32_t add_channel(cutter *c, const sir_channel *like, uint32_t producer, uint32_t consumer, bool cut)
{
    sir_channel ch = *like;
    ch.producer = producer;
    ch.consumer = consumer;
    if (cut || !c->given)
        ch.zeros = NULL; // it is a stream, or runs are of other counts
    if (cut)
        memset(&ch.initial, 0, sizeof ch.initial); // they are in the stream
    VEC_PUSH(c->a, &c->p->module->channels, ch);
    return (uint32_t)c->p->module->channels.len - 1;
}

static void copy_ports(cutter *c, const sir_actor *from, sir_actor *to)
{
    memset(&to->inputs, 0, sizeof to->inputs);
    memset(&to->outputs, 0, sizeof to->outputs);
    for (size_t i = 0; i < from->inputs.len; i++)
        VEC_PUSH(c->a, &to->inputs, SIR_NONE);
    for (size_t i = 0; i < from->outputs.len; i++)
        VEC_PUSH(c->a, &to->outputs, SIR_NONE);
}

static void copy_actors(cutter *c)
{
    for (uint32_t i = 0; i < c->m->actors.len; i++) {
        const sir_actor *actor = c->m->actors.data[i];
        c->copy[i] = SIR_NONE;
        if (c->kernel[i] == SIR_NONE || c->p->kernels.data[c->kernel[i]].dynamic)
            continue;
        sir_actor *copy = ARENA_NEW(c->a, sir_actor);
        *copy = *actor;
        copy_ports(c, actor, copy);
        c->copy[i] = add_actor(c, copy, c->kernel[i], i, SIR_NONE);
    }
}

static bool in_graph(const cutter *c, uint32_t actor)
{
    return c->kernel[actor] != SIR_NONE && !c->p->kernels.data[c->kernel[actor]].dynamic;
}

// Receivers by their numbers in the graph.
static void copy_portals(cutter *c)
{
    memset(&c->p->module->portals, 0, sizeof c->p->module->portals);
    for (VEC_EACH(const sir_portal, portal, &c->m->portals)) {
        sir_portal copy = {.name = portal->name, .inside = true, .loc = portal->loc};
        for (size_t i = 0; i < portal->receivers.len; i++)
            if (in_graph(c, portal->receivers.data[i]))
                VEC_PUSH(c->a, &copy.receivers, c->copy[portal->receivers.data[i]]);
        VEC_PUSH(c->a, &c->p->module->portals, copy);
    }
}

// "Encode_to_Decode", or after the end at a splitter's or joiner's port.
static const char *stream_name(cutter *c, const sir_channel *ch)
{
    const sir_actor *from = c->m->actors.data[ch->producer], *to = c->m->actors.data[ch->consumer];
    return unique_name(c, arena_printf(c->a, "%s_to_%s", from->name, to->name));
}

static void make_streams(cutter *c)
{
    for (uint32_t i = 0; i < c->m->channels.len; i++) {
        if (!c->stream[i])
            continue;
        const sir_channel *ch = &c->m->channels.data[i];
        plan_stream st = {.channel = i,
                          .name = stream_name(c, ch),
                          .from = c->kernel[ch->producer],
                          .to = c->kernel[ch->consumer],
                          .writer = SIR_NONE,
                          .reader = SIR_NONE};
        VEC_PUSH(c->a, &c->p->streams, st);
        c->p->single |= c->s->channels[i].cut && st.to != SIR_NONE && c->p->kernels.data[st.to].paced;
    }
}

static void add_ends(cutter *c, bool readers)
{
    for (uint32_t i = 0; i < c->p->streams.len; i++) {
        plan_stream *st = &c->p->streams.data[i];
        const sir_channel *ch = &c->m->channels.data[st->channel];
        if (readers && in_graph(c, ch->consumer))
            st->reader = add_end(c, i, true);
        if (!readers && in_graph(c, ch->producer))
            st->writer = add_end(c, i, false);
    }
}

static void connect(cutter *c, const sir_channel *like, uint32_t producer, uint32_t producer_port, uint32_t consumer,
                    uint32_t consumer_port, bool cut)
{
    uint32_t channel = add_channel(c, like, producer, consumer, cut);
    sir_channel *ch = &c->p->module->channels.data[channel];
    ch->producer_port = producer_port;
    ch->consumer_port = consumer_port;
    sir_actor *from = c->p->module->actors.data[producer], *to = c->p->module->actors.data[consumer];
    if (from->kind == SIR_READER)
        VEC_PUSH(c->a, &from->outputs, channel);
    else
        from->outputs.data[producer_port] = channel;
    if (to->kind == SIR_WRITER)
        VEC_PUSH(c->a, &to->inputs, channel);
    else
        to->inputs.data[consumer_port] = channel;
}

static void make_graph(cutter *c)
{
    size_t most = c->m->actors.len + 2 * c->m->channels.len + 1;
    sir_module *graph = c->p->module = ARENA_NEW(c->a, sir_module);
    *graph = *c->m;
    memset(&graph->actors, 0, sizeof graph->actors);
    memset(&graph->channels, 0, sizeof graph->channels);
    c->p->kernel_of = ARENA_ARRAY(c->a, uint32_t, most);
    c->p->actor_of = ARENA_ARRAY(c->a, uint32_t, most);
    c->p->stream_of = ARENA_ARRAY(c->a, uint32_t, most);
    make_streams(c);
    add_ends(c, true);
    copy_actors(c);
    copy_portals(c);
    add_ends(c, false);
    for (size_t i = 0; i < c->m->channels.len; i++) {
        const sir_channel *ch = &c->m->channels.data[i];
        if (!c->stream[i])
            connect(c, ch, c->copy[ch->producer], ch->producer_port, c->copy[ch->consumer], ch->consumer_port, false);
    }
    for (VEC_EACH(plan_stream, st, &c->p->streams)) {
        const sir_channel *ch = &c->m->channels.data[st->channel];
        if (st->reader != SIR_NONE)
            connect(c, ch, st->reader, 0, c->copy[ch->consumer], ch->consumer_port, true);
        if (st->writer != SIR_NONE)
            connect(c, ch, c->copy[ch->producer], ch->producer_port, st->writer, 0, true);
    }
}

// ---- Its schedule ----

static void count_firings(cutter *c)
{
    schedule *s = c->p->schedule;
    for (uint32_t i = 0; i < c->p->module->actors.len; i++) {
        uint32_t of = c->p->actor_of[i];
        plan_net_kernel *kernel = &c->p->kernels.data[c->p->kernel_of[i]];
        s->static_region[i] = (int32_t)c->p->kernel_of[i];
        s->cycle[i] = -1;
        if (of == SIR_NONE)
            continue;
        s->reps[i] = c->given ? c->s->reps[of] : kernel->steady == 0 ? 0 : c->s->reps[of] / kernel->steady;
        s->init[i] = c->s->init[of];
        s->source[i] = c->s->source[of];
        if (!c->alone[of]) {
            s->cycle[i] = c->s->cycle[of];
            continue;
        }
        // Alone, all but a first firing of its own are steady states.
        const sir_actor *actor = c->m->actors.data[of];
        bool first = actor->kind == SIR_FILTER && actor->filter->prework != NULL && s->init[i] > 0;
        kernel->init = s->init[i] - first;
        s->init[i] = first;
        s->reps[i] = 1;
        if (kernel->steady == 0 && kernel->paced)
            s->reps[i] = 1; // it fires in no steady state of the program
    }
}

// The cycles that are left, numbered anew.
static void number_cycles(cutter *c)
{
    schedule *s = c->p->schedule;
    int32_t *number = ARENA_ARRAY(c->a, int32_t, (size_t)c->s->cycle_count + 1);
    for (uint32_t i = 0; i < c->p->module->actors.len; i++) {
        if (s->cycle[i] < 0)
            continue;
        if (number[s->cycle[i]] == 0)
            number[s->cycle[i]] = ++s->cycle_count;
        s->cycle[i] = number[s->cycle[i]] - 1;
    }
}

static bool moved(int64_t firings, int64_t first, int64_t each, int64_t *items)
{
    *items = 0;
    return firings <= 0 ||
           (!__builtin_mul_overflow(firings - 1, each, items) && !__builtin_add_overflow(*items, first, items));
}

bool plan_end_needs(const sir_module *m, const schedule *s, uint32_t channel, int64_t *items)
{
    const sir_channel *ch = &m->channels.data[channel];
    const sir_actor *to = m->actors.data[ch->consumer];
    sched_rate first = sched_input_rate(to, ch->consumer_port, true),
               rate = sched_input_rate(to, ch->consumer_port, false);
    int64_t firings = s->init[ch->consumer], before;
    *items = firings > 0 ? first.peek : 0;
    if (firings < 2)
        return true;
    if (!moved(firings - 1, first.pop, rate.pop, &before) || __builtin_add_overflow(before, rate.peek, &before))
        return false;
    *items = before > *items ? before : *items;
    return true;
}

static bool count_channel(cutter *c, uint32_t channel)
{
    const sir_channel *ch = &c->p->module->channels.data[channel];
    const sir_actor *from = c->p->module->actors.data[ch->producer], *to = c->p->module->actors.data[ch->consumer];
    schedule *s = c->p->schedule;
    sched_channel *sc = &s->channels[channel];
    sched_rate first = sched_input_rate(to, ch->consumer_port, true),
               rate = sched_input_rate(to, ch->consumer_port, false);
    int64_t popped;
    if (to->kind == SIR_WRITER) { // as many as are pushed
        int64_t push = sched_output_rate(from, ch->producer_port, false);
        if (!moved(s->init[ch->producer], sched_output_rate(from, ch->producer_port, true), push,
                   &s->init[ch->consumer]) ||
            __builtin_mul_overflow(s->reps[ch->producer], push, &s->reps[ch->consumer]))
            return false;
    }
    if (!moved(s->init[ch->consumer], first.pop, rate.pop, &popped))
        return false;
    if (from->kind == SIR_READER && c->given) {
        const sched_channel *whole = &c->s->channels[c->p->streams.data[c->p->stream_of[ch->producer]].channel];
        s->source[ch->producer] = true;
        s->init[ch->producer] = whole->init_items;
        s->reps[ch->producer] = whole->steady;
    } else if (from->kind == SIR_READER) { // it fills the window of the first steady state too
        int64_t window = s->reps[ch->consumer] != 0 ? rate.peek - rate.pop : 0, needed;
        s->source[ch->producer] = true;
        if (!plan_end_needs(c->p->module, s, channel, &needed) ||
            __builtin_mul_overflow(s->reps[ch->consumer], rate.pop, &s->reps[ch->producer]) ||
            __builtin_add_overflow(popped, window, &s->init[ch->producer]))
            return false;
        if (needed > s->init[ch->producer])
            s->init[ch->producer] = needed;
    }
    sc->initial = (int64_t)ch->initial.len;
    if (!moved(s->init[ch->producer], sched_output_rate(from, ch->producer_port, true),
               sched_output_rate(from, ch->producer_port, false), &sc->init_items) ||
        __builtin_mul_overflow(s->reps[ch->producer], sched_output_rate(from, ch->producer_port, false), &sc->steady))
        return false;
    sc->remainder = sc->initial + sc->init_items - popped;
    sc->back_edge = ch->consumer <= ch->producer;
    return !__builtin_add_overflow(sc->remainder, sc->steady, &sc->peak);
}

static bool make_schedule(cutter *c)
{
    size_t n = c->p->module->actors.len, channels = c->p->module->channels.len;
    schedule *s = c->p->schedule = ARENA_NEW(c->a, schedule);
    s->reps = ARENA_ARRAY(c->a, int64_t, n + 1);
    s->init = ARENA_ARRAY(c->a, int64_t, n + 1);
    s->channels = ARENA_ARRAY(c->a, sched_channel, channels + 1);
    s->cycle = ARENA_ARRAY(c->a, int32_t, n + 1);
    s->source = ARENA_ARRAY(c->a, bool, n + 1);
    s->static_region = ARENA_ARRAY(c->a, int32_t, n + 1);
    s->static_region_count = (int32_t)c->p->kernels.len;
    s->paced = ARENA_ARRAY(c->a, bool, c->p->kernels.len + 1);
    for (size_t i = 0; i < c->p->kernels.len; i++) {
        plan_net_kernel *kernel = &c->p->kernels.data[i];
        s->paced[i] = kernel->paced;
        if (kernel->dynamic)
            kernel->init = c->s->init[kernel->actors.data[0]];
    }
    count_firings(c);
    number_cycles(c);
    for (uint32_t i = 0; i < channels; i++)
        if (!count_channel(c, i))
            return false;
    return true;
}

static cutter begin(arena *a, const sir_module *m, const schedule *s)
{
    size_t n = m->actors.len;
    cutter c = {.a = a, .m = m, .s = s, .p = ARENA_NEW(a, plan_net)};
    c.p->whole = m;
    c.p->whole_schedule = s;
    c.alone = ARENA_ARRAY(a, bool, n + 1);
    c.level = ARENA_ARRAY(a, uint32_t, n + 1);
    c.stream = ARENA_ARRAY(a, bool, m->channels.len + 1);
    c.kernel = ARENA_ARRAY(a, uint32_t, n + 1);
    c.copy = ARENA_ARRAY(a, uint32_t, n + 1);
    hmap_init(&c.names, a);
    for (VEC_EACH(sir_actor *, actor, &m->actors))
        hmap_set(&c.names, (*actor)->name, c.p);
    return c;
}

plan_net *plan_net_cut(arena *a, const sir_module *m, const schedule *s, const uint32_t *part, size_t count)
{
    cutter c = begin(a, m, s);
    c.given = true;
    for (size_t i = 0; i < count; i++)
        VEC_PUSH(a, &c.p->kernels, (plan_net_kernel){.paced = true});
    for (uint32_t i = 0; i < m->actors.len; i++) {
        c.kernel[i] = part[i];
        if (part[i] != SIR_NONE)
            VEC_PUSH(a, &c.p->kernels.data[part[i]].actors, i);
    }
    for (size_t i = 0; i < m->channels.len; i++)
        c.stream[i] = part[m->channels.data[i].producer] != part[m->channels.data[i].consumer];
    make_graph(&c);
    return make_schedule(&c) ? c.p : NULL;
}

// Cuts the program where `alone` says.
static void cut(cutter *c)
{
    size_t n = c->m->actors.len;
    c->level = ARENA_ARRAY(c->a, uint32_t, n + 1);
    c->stream = ARENA_ARRAY(c->a, bool, c->m->channels.len + 1);
    c->kernel = ARENA_ARRAY(c->a, uint32_t, n + 1);
    c->p->kernels.len = 0;
    find_levels(c);
    find_streams(c);
    make_kernels(c);
}

// Texts of several actors are put in order by the steady states that they are from. Kernels mark these, but not within
// feedback loops.
static bool must_be_single(const cutter *c)
{
    bool loops = false;
    for (uint32_t i = 0; i < c->m->actors.len; i++)
        loops |= sir_prints(c->m->actors.data[i]) && c->s->cycle[i] >= 0 && !c->alone[i];
    return !c->s->dynamic && loops && plan_several_print(c->m);
}

plan_net *plan_net_build(arena *a, const sir_module *m, const schedule *s, const plan_ways *ways, const bool *apart)
{
    size_t n = m->actors.len;
    cutter c = {.a = a, .m = m, .s = s, .p = ARENA_NEW(a, plan_net), .apart = apart};
    c.p->apart = apart;
    c.p->whole = m;
    c.p->whole_schedule = s;
    c.p->ways = ways;
    c.alone = ARENA_ARRAY(a, bool, n + 1);
    c.copy = ARENA_ARRAY(a, uint32_t, n + 1);
    hmap_init(&c.names, a);
    for (VEC_EACH(sir_actor *, actor, &m->actors))
        hmap_set(&c.names, (*actor)->name, &c);
    find_alone(&c);
    cut(&c);
    if (plan_ways_find_between(a, ways, m, s, c.kernel, (uint32_t)c.p->kernels.len, c.alone)) {
        loosen_cycles(&c);
        cut(&c);
    }
    c.p->single = must_be_single(&c);
    make_graph(&c);
    return make_schedule(&c) ? c.p : NULL;
}
