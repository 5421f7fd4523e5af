// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What follows from the stages of a plan: sizes of buffers, dependences between kernels.
#include <stdlib.h>
#include <string.h>

#include "hlc/plan/plan_int.h"
#include "hlc/plan/thresholds.h"
#include "support/numbers.h"

int64_t plan_weights(const sir_actor *actor, size_t count)
{
    int64_t sum = 0;
    for (size_t i = 0; i < count && i < actor->weights.len; i++)
        sum += actor->weights.data[i];
    return sum;
}

uint64_t plan_item_size(const sir_type *t, uint64_t *align)
{
    uint64_t size = 0, greatest = 1;
    switch (t->kind) {
    case SIR_VOID: break;
    case SIR_BOOLEAN: *align = 1; return 1;
    case SIR_INT: *align = sir_int_bytes(t); return *align;
    case SIR_BIT:
    case SIR_FLOAT: *align = 4; return 4;
    case SIR_COMPLEX: *align = 4; return 8;
    case SIR_DOUBLE: *align = 8; return 8;
    case SIR_ARRAY: return plan_item_size(t->element, align) * (t->length == 0 ? 1 : t->length);
    case SIR_STRUCT:
        for (size_t i = 0; i < t->decl->members.len; i++) {
            uint64_t one, bytes = plan_item_size(t->decl->members.data[i].type, &one);
            size = (size + one - 1) / one * one + bytes;
            greatest = one > greatest ? one : greatest;
        }
        break;
    }
    *align = greatest;
    size = (size + greatest - 1) / greatest * greatest;
    return size == 0 ? 1 : size;
}

uint64_t plan_element_bytes(const sir_module *m, uint32_t channel)
{
    uint64_t align;
    const sir_type *t = m->channels.data[channel].type;
    return t->kind == SIR_BIT && m->byte_bits ? 1 : plan_item_size(t, &align);
}

uint64_t plan_buffer_bytes(const plan_buffer *b, const sir_module *m)
{
    return (uint64_t)b->capacity * plan_element_bytes(m, b->channel);
}

// Items that so many firings of a channel's producer push, the first being its first ever or not.
static int64_t pushed(const sir_module *m, uint32_t channel, int64_t firings, bool first)
{
    const sir_channel *c = &m->channels.data[channel];
    const sir_actor *a = m->actors.data[c->producer];
    int64_t push = sched_output_rate(a, c->producer_port, false);
    if (firings <= 0 || !first)
        return firings <= 0 ? 0 : firings * push;
    return sched_output_rate(a, c->producer_port, true) + (firings - 1) * push;
}

// Those of the whole program, told in terms of the cut graph.
static void count_cut_drains(arena *a, plan *pl)
{
    const plan_net *graph = pl->cut->graph;
    plan whole = {0};
    plan_count_drains(a, graph->whole, graph->whole_schedule, &whole);
    pl->drains = whole.drains;
    for (size_t i = 0; i < graph->module->actors.len && whole.drains; i++) {
        uint32_t of = graph->actor_of[i];
        if (of != SIR_NONE) {
            pl->drain[i] = whole.drain[of];
            pl->init_drain[i] = whole.init_drain[of];
            continue;
        }
        uint32_t channel = graph->streams.data[graph->stream_of[i]].channel;
        uint32_t producer = graph->whole->channels.data[channel].producer;
        pl->drain[i] = pushed(graph->whole, channel, whole.drain[producer], graph->whole_schedule->init[producer] == 0);
        pl->init_drain[i] = pushed(graph->whole, channel, whole.init_drain[producer], true);
    }
}

void plan_count_drains(arena *a, const sir_module *m, const schedule *s, plan *pl)
{
    size_t actors = m->actors.len, channels = m->channels.len;
    pl->drain = ARENA_ARRAY(a, int64_t, actors + 1);
    pl->init_drain = ARENA_ARRAY(a, int64_t, actors + 1);
    if (pl->cut != NULL) {
        count_cut_drains(a, pl);
        return;
    }
    pl->drains = pl->net != NULL ? plan_has_reader(m) : plan_drain_shows(m, s);
    if (!pl->drains)
        return;
    int64_t *tokens = ARENA_ARRAY(a, int64_t, channels + 1), *limits = ARENA_ARRAY(a, int64_t, actors + 1);
    bool *before = ARENA_ARRAY(a, bool, actors + 1);
    for (size_t i = 0; i < actors; i++)
        limits[i] = s->source[i] ? s->init[i] : -1;
    for (size_t i = 0; i < channels; i++)
        tokens[i] = s->channels[i].initial;
    sched_exhaust(m, tokens, limits, before, pl->init_drain);
    for (size_t i = 0; i < actors; i++) {
        limits[i] = s->source[i] ? s->reps[i] : -1;
        before[i] = s->init[i] != 0;
    }
    for (size_t i = 0; i < channels; i++)
        tokens[i] = s->channels[i].remainder;
    sched_exhaust(m, tokens, limits, before, pl->drain);
}

// ---- Uses ----

typedef struct visitor {
    const plan *plan;
    const sir_module *m;
    const schedule *s;
    plan_use_visitor *visit;
    void *context;
} visitor;

static void visit_stage(visitor *v, const plan_stage *st, uint32_t kernel, uint32_t item)
{
    int64_t init = v->s->init[st->actor], reps = v->s->reps[st->actor];
    int64_t drain = init + v->plan->drain[st->actor], init_drain = v->plan->init_drain[st->actor];
    for (int side = 0; side < 2; side++) {
        const plan_access *access = side == 0 ? &st->in : &st->out;
        if (access->buffer == PLAN_NONE)
            continue;
        int64_t (*items)(const sir_module *, const plan_stage *, int64_t) = side == 0 ? plan_in_items : plan_out_items;
        int64_t moved = items(v->m, st, init);
        plan_use use = {.buffer = access->buffer,
                        .writes = side == 1,
                        .kernel = kernel,
                        .item = item,
                        .access = access,
                        .init = moved,
                        .steady =
                            reps * (side == 0 ? plan_in_rate(v->m, st, false).pop : plan_out_rate(v->m, st, false)),
                        .drain = items(v->m, st, drain) - moved,
                        .init_drain = items(v->m, st, init_drain)};
        v->visit(v->context, &use);
    }
}

static void visit_io(visitor *v, const plan_io *io, bool writes)
{
    plan_use use = {.buffer = io->access.buffer,
                    .writes = writes,
                    .kernel = PLAN_NONE,
                    .item = PLAN_NONE,
                    .access = &io->access,
                    .init = v->s->init[io->actor],
                    .steady = v->s->reps[io->actor],
                    .drain = v->plan->drain[io->actor],
                    .init_drain = v->plan->init_drain[io->actor]};
    v->visit(v->context, &use);
}

void plan_visit_uses(const plan *pl, const sir_module *m, const schedule *s, plan_use_visitor *visit, void *context)
{
    visitor v = {pl, m, s, visit, context};
    for (VEC_EACH(plan_initial, i, &pl->initials)) {
        plan_use use = {.buffer = i->access.buffer,
                        .writes = true,
                        .kernel = PLAN_NONE,
                        .item = PLAN_NONE,
                        .access = &i->access,
                        .init = (int64_t)m->channels.data[i->channel].initial.len};
        use.init_drain = use.init;
        visit(context, &use);
    }
    for (VEC_EACH(plan_io, io, &pl->readers))
        visit_io(&v, io, true);
    for (uint32_t k = 0; k < pl->kernels.len; k++)
        for (uint32_t i = 0; i < pl->kernels.data[k].items.len; i++)
            for (VEC_EACH(plan_stage, st, &pl->kernels.data[k].items.data[i].stages))
                for (size_t member = 0; member < plan_stage_members(st); member++) {
                    plan_stage one = plan_stage_member(st, member);
                    visit_stage(&v, &one, k, i);
                }
    for (VEC_EACH(plan_io, io, &pl->writers))
        visit_io(&v, io, false);
}

// ---- Sizes ----

typedef struct sizes {
    plan *plan;
    bool *has_step;
    int64_t *end;       // per buffer: elements written by the end of the initialisation
    int64_t *strip_end; // and of the longest strip after it
    int64_t *furthest;  // and by the end of the longest drain, from the program's start
    int64_t *init_furthest;
    bool *has_reader;
} sizes;

static void note_drained(void *context, const plan_use *use)
{
    sizes *z = context;
    if (use->writes)
        z->furthest[use->buffer] =
            number_max(z->furthest[use->buffer], view_end(&use->access->view, use->init + use->drain));
}

static void size_use(void *context, const plan_use *use)
{
    sizes *z = context;
    plan_buffer *b = &z->plan->buffers.data[use->buffer];
    const plan_view *v = &use->access->view;
    if (use->steady != 0 && !z->has_step[use->buffer]) { // the same for all uses: each goes on where it stopped
        b->step = view_at(v, use->init + use->steady) - view_at(v, use->init);
        z->has_step[use->buffer] = true;
    }
    if (use->writes) {
        z->strip_end[use->buffer] =
            number_max(z->strip_end[use->buffer], view_end(v, use->init + use->steady * z->plan->strip));
        z->end[use->buffer] = number_max(z->end[use->buffer], view_end(v, use->init));
        note_drained(z, use);
        z->init_furthest[use->buffer] = number_max(z->init_furthest[use->buffer], view_end(v, use->init_drain));
    } else {
        int64_t next = view_at(v, use->init);
        if (!z->has_reader[use->buffer] || next < b->base)
            b->base = next;
        z->has_reader[use->buffer] = true;
    }
}

int64_t *plan_drain_writes(arena *a, const plan *pl, const sir_module *m, const schedule *s)
{
    sizes z = {.furthest = ARENA_ARRAY(a, int64_t, pl->buffers.len + 1)};
    plan_visit_uses(pl, m, s, note_drained, &z);
    for (size_t i = 0; i < pl->buffers.len; i++)
        z.furthest[i] = number_max(z.furthest[i] - pl->buffers.data[i].base, 0);
    return z.furthest;
}

static const plan_reason *find_sizes(arena *a, plan *pl, const sir_module *m, const schedule *s)
{
    size_t n = pl->buffers.len;
    bool small = pl->strip <= PLAN_MAX_NUMBER;
    for (size_t i = 0; i < m->channels.len && small; i++)
        small = s->channels[i].steady == 0 || pl->strip <= PLAN_MAX_NUMBER / s->channels[i].steady;
    if (!small)
        return plan_reason_of(a, (plan_reason){PLAN_WHY_LARGE_STRIP, .names = {pl->name}, .counts = {pl->strip}});
    sizes z = {.plan = pl,
               .has_step = ARENA_ARRAY(a, bool, n + 1),
               .strip_end = ARENA_ARRAY(a, int64_t, n + 1),
               .end = ARENA_ARRAY(a, int64_t, n + 1),
               .furthest = ARENA_ARRAY(a, int64_t, n + 1),
               .init_furthest = ARENA_ARRAY(a, int64_t, n + 1),
               .has_reader = ARENA_ARRAY(a, bool, n + 1)};
    plan_visit_uses(pl, m, s, size_use, &z);
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++) {
        plan_buffer *b = &pl->buffers.data[i];
        if (!z.has_reader[i])
            b->base = z.end[i];
        b->step = z.has_step[i] ? b->step : 0;
        b->keep = number_max(z.end[i] - b->base, 0);
        plan_zeros zeros;
        int64_t strip = plan_leaves_zeros_out(pl) && plan_find_zeros(a, pl, m, s, b->channel, &zeros)
                            ? b->keep + zeros.room
                            : z.strip_end[i] - b->base;
        b->capacity = number_max(number_max(z.end[i], z.init_furthest[i]), number_max(strip, z.furthest[i] - b->base));
        b->capacity = number_max(b->capacity, 1) + plan_offload_room(pl, m, (uint32_t)i);
        total += plan_buffer_bytes(b, m);
        if (total > PLAN_MAX_BYTES)
            return plan_reason_of(
                a, (plan_reason){PLAN_WHY_LARGE_CHANNELS, .names = {pl->name}, .counts = {PLAN_MAX_BYTES, pl->strip}});
    }
    return NULL;
}

// ---- Dependences ----

typedef struct user {
    uint32_t buffer, kernel;
    bool writes;
} user;
typedef struct users {
    arena *arena;
    VEC(user) all;
} users;

static void note_user(void *context, const plan_use *use)
{
    users *u = context;
    if (use->kernel != PLAN_NONE)
        VEC_PUSH(u->arena, &u->all, (user){use->buffer, use->kernel, use->writes});
}

static int compare_users(const void *x, const void *y)
{
    const user *a = x, *b = y;
    if (a->buffer != b->buffer)
        return a->buffer < b->buffer ? -1 : 1;
    if (a->kernel != b->kernel)
        return a->kernel < b->kernel ? -1 : 1;
    return (int)b->writes - (int)a->writes;
}

static int compare_numbers(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return a < b ? -1 : a > b;
}

static void depend(arena *a, plan *pl, uint32_t kernel, uint32_t on)
{
    if (kernel != on)
        VEC_PUSH(a, &pl->kernels.data[kernel].after, on);
}

// Users of one buffer, by kernel. Readers wait for writers, and the last user, which moves the kept elements, for all.
// A buffer with very many users is used in order, so that dependences stay few.
static void depend_users(arena *a, plan *pl, const user *u, size_t count)
{
    uint32_t last = u[count - 1].kernel;
    for (size_t i = 1; i < count; i++) {
        if (count > PLAN_MANY_USERS) {
            depend(a, pl, u[i].kernel, u[i - 1].kernel);
            continue;
        }
        for (size_t k = 0; k < i; k++)
            if (u[k].writes || u[i].writes || u[i].kernel == last)
                depend(a, pl, u[i].kernel, u[k].kernel);
    }
}

static void settle_dependences(arena *a, plan *pl, const sir_module *m, const schedule *s)
{
    users u = {.arena = a};
    for (VEC_EACH(plan_kernel, k, &pl->kernels))
        k->after.len = 0;
    plan_visit_uses(pl, m, s, note_user, &u);
    if (u.all.len == 0)
        return;
    qsort(u.all.data, u.all.len, sizeof *u.all.data, compare_users);
    for (size_t i = 0, end; i < u.all.len; i = end) {
        for (end = i + 1; end < u.all.len && u.all.data[end].buffer == u.all.data[i].buffer;)
            end++;
        depend_users(a, pl, &u.all.data[i], end - i);
    }
    for (VEC_EACH(plan_kernel, k, &pl->kernels)) {
        size_t kept = 0;
        if (k->after.len != 0)
            qsort(k->after.data, k->after.len, sizeof *k->after.data, compare_numbers);
        for (size_t i = 0; i < k->after.len; i++)
            if (i == 0 || k->after.data[i] != k->after.data[i - 1])
                k->after.data[kept++] = k->after.data[i];
        k->after.len = kept;
    }
}

// ---- Streams ----

static void settle_streams(arena *a, plan *pl, const schedule *s)
{
    if (pl->net == NULL)
        return;
    pl->capacities.len = 0;
    for (VEC_EACH(const plan_stream, st, &pl->net->streams)) {
        const sir_channel *ch = &pl->net->whole->channels.data[st->channel];
        uint64_t size = plan_element_bytes(pl->net->whole, st->channel);
        int64_t items = number_max(st->writer == SIR_NONE ? 0 : s->reps[st->writer] * pl->strip,
                                   st->reader == SIR_NONE ? 0 : s->reps[st->reader] * pl->strip);
        bool bytes = size == 1 || STREAM_BYTES / size < STREAM_ELEMENTS;
        int64_t capacity = bytes ? (int64_t)(STREAM_BYTES / size) : STREAM_ELEMENTS;
        VEC_PUSH(a, &pl->capacities,
                 number_max(number_max(capacity, 2 * items), number_max(16, (int64_t)ch->initial.len)));
    }
}

const plan_reason *plan_find_sizes(arena *a, plan *pl, const sir_module *m, const schedule *s)
{
    plan_forget_addresses(pl);
    const plan_reason *fails = find_sizes(a, pl, m, s);
    if (fails == NULL)
        settle_streams(a, pl, s);
    return fails;
}

bool plan_resize(arena *a, diag_engine *d, plan *pl, const sir_module *m, const schedule *s)
{
    const plan_reason *fails = plan_find_sizes(a, pl, m, s);
    if (fails != NULL)
        diag_error_at(d, NULL, "%s", plan_reason_text(a, fails));
    return fails == NULL;
}

bool plan_settle(arena *a, diag_engine *d, plan *pl, const sir_module *m, const schedule *s)
{
    settle_dependences(a, pl, m, s);
    return plan_resize(a, d, pl, m, s);
}
