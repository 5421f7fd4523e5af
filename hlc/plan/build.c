// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds a plan for given places of the channels: buffers, stages in topological order, readers and writers.
#include <inttypes.h>
#include <string.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"

typedef struct builder {
    hlc_program *p;
    const sir_module *m;
    const schedule *s;
    const plan_place *places;
    plan *plan;
    uint32_t *buffer_of; // per channel: the buffer it is the root of, or PLAN_NONE
} builder;

static plan_access access_of(builder *b, const plan_place *place)
{
    return (plan_access){b->buffer_of[place->root], place->view};
}

// The access of a port whose item j is item inner(j) of the channel.
static bool channel_access(builder *b, uint32_t channel, plan_view inner, plan_access *access)
{
    const plan_place *place = &b->places[channel];
    access->buffer = b->buffer_of[place->root];
    return view_compose(b->p->arena, &place->view, &inner, &access->view);
}

static uint32_t port_channel(const uint32_t *channels, size_t count, uint32_t port)
{
    return port < count ? channels[port] : SIR_NONE;
}

// Adds the stage that copies port's items, unless they are where they should be.
static bool add_copy(builder *b, plan_item *item, uint32_t actor, uint32_t port, uint32_t from, plan_view from_view,
                     uint32_t to, plan_view to_view)
{
    plan_stage st = {.kind = PLAN_COPY, .actor = actor, .port = port};
    if (!channel_access(b, from, from_view, &st.in) || !channel_access(b, to, to_view, &st.out))
        return false;
    if (st.in.buffer != st.out.buffer || !view_equal(&st.in.view, &st.out.view))
        VEC_PUSH(b->p->arena, &item->stages, st);
    return true;
}

static int64_t initial_items(const builder *b, uint32_t channel)
{
    return (int64_t)b->m->channels.data[channel].initial.len;
}

static bool add_splitter(builder *b, plan_item *item, uint32_t index)
{
    const sir_actor *actor = b->m->actors.data[index];
    arena *a = b->p->arena;
    int64_t total = plan_weights(actor, actor->weights.len), first = 0;
    for (uint32_t port = 0; port < actor->outputs.len; port++) {
        uint32_t to = actor->outputs.data[port];
        int64_t weight = actor->duplicate ? 1 : actor->weights.data[port];
        if (to != SIR_NONE && weight != 0 && actor->inputs.len != 0 && actor->inputs.data[0] != SIR_NONE &&
            !add_copy(b, item, index, port, actor->inputs.data[0],
                      actor->duplicate ? view_identity(a, 0) : view_blocks(a, first, weight, total), to,
                      view_identity(a, initial_items(b, to))))
            return false;
        first += weight;
    }
    return true;
}

static bool add_joiner(builder *b, plan_item *item, uint32_t index)
{
    const sir_actor *actor = b->m->actors.data[index];
    arena *a = b->p->arena;
    uint32_t to = port_channel(actor->outputs.data, actor->outputs.len, 0);
    int64_t total = plan_weights(actor, actor->weights.len), first = 0;
    for (uint32_t port = 0; port < actor->inputs.len; port++) {
        uint32_t from = actor->inputs.data[port];
        int64_t weight = actor->weights.data[port];
        if (from != SIR_NONE && to != SIR_NONE && weight != 0 &&
            !add_copy(b, item, index, port, from, view_identity(a, 0), to,
                      view_blocks(a, initial_items(b, to) + first, weight, total)))
            return false;
        first += weight;
    }
    return true;
}

static bool add_filter(builder *b, plan_item *item, uint32_t index)
{
    const sir_actor *actor = b->m->actors.data[index];
    arena *a = b->p->arena;
    uint32_t in = port_channel(actor->inputs.data, actor->inputs.len, 0),
             out = port_channel(actor->outputs.data, actor->outputs.len, 0);
    if (actor->filter->identity && in != SIR_NONE && out != SIR_NONE)
        return add_copy(b, item, index, 0, in, view_identity(a, 0), out, view_identity(a, initial_items(b, out)));
    plan_stage st = {.kind = PLAN_FIRE, .actor = index, .in.buffer = PLAN_NONE, .out.buffer = PLAN_NONE};
    if (in != SIR_NONE && !channel_access(b, in, view_identity(a, 0), &st.in))
        return false;
    if (out != SIR_NONE && !channel_access(b, out, view_identity(a, initial_items(b, out)), &st.out))
        return false;
    VEC_PUSH(a, &item->stages, st);
    return true;
}

static bool add_io(builder *b, uint32_t index, bool reader)
{
    const sir_actor *actor = b->m->actors.data[index];
    plan_io io = {.actor = index};
    uint32_t channel = reader ? actor->outputs.data[0] : actor->inputs.data[0];
    if (channel == SIR_NONE)
        return true;
    if (!channel_access(b, channel, view_identity(b->p->arena, reader ? initial_items(b, channel) : 0), &io.access))
        return false;
    VEC_PUSH(b->p->arena, reader ? &b->plan->readers : &b->plan->writers, io);
    return true;
}

static bool add_actor(builder *b, plan_item *item, uint32_t index)
{
    switch (b->m->actors.data[index]->kind) {
    case SIR_FILTER: return add_filter(b, item, index);
    case SIR_SPLIT: return add_splitter(b, item, index);
    case SIR_JOIN: return add_joiner(b, item, index);
    case SIR_READER: return add_io(b, index, true);
    case SIR_WRITER: return add_io(b, index, false);
    }
    return false;
}

static void add_kernel(builder *b, const plan_item *item, uint32_t actor)
{
    plan_kernel k = {.name = b->m->actors.data[actor]->name, .region = b->m->actors.data[actor]->region};
    VEC_PUSH(b->p->arena, &k.items, *item);
    VEC_PUSH(b->p->arena, &b->plan->kernels, k);
}

// ---- Units ----

static bool build_unit(builder *b, const uint32_t *members, size_t count)
{
    plan_item item = {.cycle = b->s->cycle[members[0]], .block = 1};
    for (size_t i = 0; i < count; i++)
        if (!add_actor(b, &item, members[i]))
            return false;
    if (item.cycle >= 0 || item.stages.len == 1) {
        if (item.stages.len != 0)
            add_kernel(b, &item, members[0]);
        return true;
    }
    // Ports of a splitter or joiner that are copied are one kernel of several items.
    if (item.stages.len > 1) {
        plan_item none = {.cycle = -1, .block = 1};
        add_kernel(b, &none, members[0]);
        plan_kernel *k = &VEC_LAST(&b->plan->kernels);
        k->items.len = 0;
        for (VEC_EACH(plan_stage, st, &item.stages)) {
            plan_item one = {.cycle = -1, .block = 1};
            VEC_PUSH(b->p->arena, &one.stages, *st);
            VEC_PUSH(b->p->arena, &k->items, one);
        }
    }
    return true;
}

static bool build_units(builder *b)
{
    const sched_units u = sched_units_of(b->p->arena, b->m, b->s);
    for (size_t i = 0; i < u.count; i++) {
        const uint32_t start = u.start[u.order[i]], end = u.start[u.order[i] + 1];
        if (!build_unit(b, u.members + start, end - start))
            return false;
    }
    return true;
}

static void build_buffers(builder *b)
{
    size_t n = b->m->channels.len;
    b->buffer_of = ARENA_ARRAY(b->p->arena, uint32_t, n + 1);
    memset(b->buffer_of, 0xff, (n + 1) * sizeof *b->buffer_of);
    bool *root = ARENA_ARRAY(b->p->arena, bool, n + 1);
    for (size_t i = 0; i < n; i++)
        root[b->places[i].root] = true;
    for (uint32_t i = 0; i < n; i++)
        if (root[i]) {
            b->buffer_of[i] = (uint32_t)b->plan->buffers.len;
            VEC_PUSH(b->p->arena, &b->plan->buffers, (plan_buffer){.channel = i});
        }
    for (uint32_t i = 0; i < n; i++)
        if (b->m->channels.data[i].initial.len != 0)
            VEC_PUSH(b->p->arena, &b->plan->initials, (plan_initial){i, access_of(b, &b->places[i])});
}

void plan_gather_kernels(arena *a, plan *pl)
{
    const plan_net *graph = plan_graph_of(pl);
    if (graph == NULL)
        return;
    plan_kernel *of = ARENA_ARRAY(a, plan_kernel, graph->kernels.len + 1);
    for (VEC_EACH(plan_kernel, k, &pl->kernels))
        for (VEC_EACH(plan_item, item, &k->items))
            VEC_PUSH(a, &of[graph->kernel_of[item->stages.data[0].actor]].items, *item);
    pl->kernels.len = 0;
    for (size_t i = 0; i < graph->kernels.len; i++) {
        const plan_net_kernel *kernel = &graph->kernels.data[i];
        const sir_actor *first = graph->whole->actors.data[kernel->actors.data[0]];
        of[i].name = first->name;
        of[i].region = first->region;
        if (!kernel->dynamic)
            VEC_PUSH(a, &pl->kernels, of[i]);
    }
}

plan *plan_build(hlc_program *p, const plan_place *places, int64_t strip)
{
    builder b = {.p = p, .m = p->module, .s = p->schedule, .places = places};
    b.plan = ARENA_NEW(p->arena, plan);
    *b.plan = (plan){.name = p->module->name, .strip = strip, .net = p->net, .cut = p->cut};
    if (p->plan != NULL) {
        b.plan->machine = p->plan->machine;
        b.plan->control = p->plan->control;
        b.plan->processor = p->plan->processor;
        b.plan->memory = p->plan->memory;
    }
    plan_count_drains(p->arena, p->module, p->schedule, b.plan);
    build_buffers(&b);
    if (!build_units(&b)) {
        diag_internal(p->diag, (src_range){0}, "the places of the channels of '%s' make no plan", p->module->name);
        return NULL;
    }
    plan_know_ends(p->arena, b.plan);
    plan_gather_kernels(p->arena, b.plan);
    return plan_settle(p->arena, p->diag, b.plan, p->module, p->schedule) ? b.plan : NULL;
}
