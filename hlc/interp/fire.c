// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Actors and channels: how they are built from a module, and how an actor fires.
#include <string.h>

#include "hlc/interp/interp_int.h"

// ---- Building ----

static void build_ports(interp *r, vm_actor *a)
{
    const sir_actor *source = a->source;
    a->in_count = (uint32_t)source->inputs.len;
    a->out_count = (uint32_t)source->outputs.len;
    a->in = ARENA_ARRAY(r->arena, vm_port, a->in_count);
    a->out = ARENA_ARRAY(r->arena, vm_port, a->out_count);
    for (uint32_t i = 0; i < a->in_count; i++) {
        sched_rate first = sched_input_rate(source, i, true), each = sched_input_rate(source, i, false);
        a->in[i] = (vm_port){.channel = source->inputs.data[i],
                             .first_peek = first.peek,
                             .first_pop = first.pop,
                             .peek = each.peek,
                             .pop = each.pop};
    }
    for (uint32_t i = 0; i < a->out_count; i++)
        a->out[i] = (vm_port){.channel = source->outputs.data[i],
                              .first_push = sched_output_rate(source, i, true),
                              .push = sched_output_rate(source, i, false)};
}

static bool build_filter(interp *r, vm_actor *a)
{
    const sir_filter *f = a->source->filter;
    const int32_t *start = vm_field_starts(&r->program, f);
    a->work = vm_compile(&r->program, f, f->work);
    if (a->work != NULL && f->prework != NULL)
        a->prework = vm_compile(&r->program, f, f->prework);
    if (r->program.failed)
        return false;
    a->state = ARENA_ARRAY(r->arena, word, (size_t)start[f->fields.len] + 1);
    for (size_t i = 0; i < f->fields.len; i++)
        vm_store_value(a->state + start[i], &f->fields.data[i].init);
    a->random = UINT64_C(1182736490827);
    if (sched_dynamic_input(a->source) || sched_dynamic_output(a->source))
        a->dynamic = interp_dynamic_build(r, a);
    return true;
}

static bool build_actor(interp *r, uint32_t number)
{
    vm_actor *a = &r->actors[number];
    a->source = r->m->actors.data[number];
    build_ports(r, a);
    switch (a->source->kind) {
    case SIR_FILTER: return build_filter(r, a);
    case SIR_READER:
        a->reader = vm_reader_open(r, a->source);
        VEC_PUSH(r->arena, &r->readers, number);
        return a->reader != NULL;
    case SIR_WRITER:
        a->writer = vm_writer_open(r, a->source);
        if (a->writer != NULL)
            VEC_PUSH(r->arena, &r->writers, number);
        return a->writer != NULL;
    case SIR_SPLIT:
    case SIR_JOIN: break;
    }
    return true;
}

// Room for so many firings' items behind the tail; false and an error when that is too much. What was popped is given up
// when it is at least half of the storage.
static bool reserve(interp *r, uint32_t channel, int64_t firings, int64_t items)
{
    vm_channel *c = &r->channels[channel];
    size_t held = c->tail - c->head, words;
    if (__builtin_mul_overflow((size_t)items, c->item, &words) ||
        __builtin_mul_overflow(words, (size_t)firings, &words) || words > VM_MAX_CHANNEL_WORDS ||
        held + words > VM_MAX_CHANNEL_WORDS) {
        const sir_channel *source = &r->m->channels.data[channel];
        uint32_t from = source->producer;
        diag_error(r->d, sir_range(r->m, r->d->sources, r->m->actors.data[from]->loc),
                   "the channel from '%s' to '%s' would hold more than %zu scalars, too many to be interpreted",
                   r->m->actors.data[from]->name, r->m->actors.data[source->consumer]->name, VM_MAX_CHANNEL_WORDS);
        r->failed = true;
        return false;
    }
    if (c->cap - c->tail >= words)
        return true;
    if (c->head < c->cap / 2 || c->cap - held < words) {
        size_t cap = c->cap < 64 ? 64 : c->cap * 2;
        if (cap < held + words)
            cap = held + words;
        word *data = ARENA_ARRAY(r->arena, word, cap);
        memcpy(data, c->data + c->head, held * sizeof *data);
        c->data = data;
        c->cap = cap;
    } else {
        memmove(c->data, c->data + c->head, held * sizeof *c->data);
    }
    c->head = 0;
    c->tail = held;
    return true;
}

bool interp_reserve(interp *r, uint32_t channel, int64_t items)
{
    return reserve(r, channel, 1, items);
}

#define FIRST_BOUND ((size_t)1 << 15) // words

static bool build_channel(interp *r, uint32_t number)
{
    const sir_channel *source = &r->m->channels.data[number];
    vm_channel *c = &r->channels[number];
    c->item = source->type->words > 0 ? source->type->words : 1;
    c->bound = r->s->dynamic ? FIRST_BOUND : VM_UNBOUNDED;
    c->cap = 64;
    c->data = ARENA_ARRAY(r->arena, word, c->cap);
    if (!reserve(r, number, 1, (int64_t)source->initial.len))
        return false;
    for (size_t i = 0; i < source->initial.len; i++, c->tail += c->item)
        vm_store_value(c->data + c->tail, &source->initial.data[i]);
    return true;
}

bool interp_build(interp *r)
{
    const sir_module *m = r->m;
    vm_program *p = &r->program;
    size_t words = 1;
    for (size_t i = 0; i < m->globals.len; i++)
        words += m->globals.data[i].value.type->words;
    p->globals = ARENA_ARRAY(r->arena, word, words);
    p->global_start = ARENA_ARRAY(r->arena, int32_t, m->globals.len + 1);
    size_t at = 0;
    for (size_t i = 0; i < m->globals.len; i++) {
        p->global_start[i] = (int32_t)at;
        vm_store_value(p->globals + at, &m->globals.data[i].value);
        at += m->globals.data[i].value.type->words;
    }
    r->actors = ARENA_ARRAY(r->arena, vm_actor, m->actors.len);
    r->channels = ARENA_ARRAY(r->arena, vm_channel, m->channels.len);
    r->in_order = true;
    for (uint32_t i = 0; i < m->channels.len; i++) {
        if (!build_channel(r, i))
            return false;
        r->in_order &= !r->s->channels[i].back_edge;
    }
    r->in_order &= !r->s->dynamic && r->s->messages.len == 0;
    for (int32_t i = 0; r->s->dynamic && i < r->s->static_region_count; i++)
        r->endless |= !r->s->paced[i];
    for (uint32_t i = 0; i < m->actors.len; i++)
        if (!build_actor(r, i))
            return false;
    if (!interp_build_routes(r))
        return false;
    // Functions do not know whose they are, so one that prints makes every actor one that may.
    bool any = false;
    for (size_t i = 0; i < p->functions.len; i++)
        any |= p->functions.data[i]->prints && p->functions.data[i]->frame == NULL;
    for (uint32_t i = 0; i < m->actors.len; i++) {
        const vm_actor *a = &r->actors[i];
        bool handlers = a->work != NULL && a->source->filter->handlers.len != 0 && a->source->filter->prints;
        if (a->work != NULL && (any || handlers || a->work->prints || (a->prework != NULL && a->prework->prints)))
            VEC_PUSH(r->arena, &r->printers, i);
    }
    return true;
}

// ---- Firing ----

// Of k firings those that the outputs have room for.
static int64_t firings_with_room(const interp *r, const vm_actor *a, bool first, int64_t k)
{
    for (uint32_t i = 0; i < a->out_count && k > 0; i++) {
        const vm_port *out = &a->out[i];
        int64_t push = first ? out->first_push : out->push;
        if (out->channel == SIR_NONE || push <= 0)
            continue;
        vm_channel *c = &r->channels[out->channel];
        int64_t most = interp_room_in(c) / push;
        c->too_full |= most < k;
        k = most < k ? most : k;
    }
    return k;
}

int64_t interp_can_fire(const interp *r, uint32_t actor)
{
    const vm_actor *a = &r->actors[actor];
    if (a->dynamic != NULL)
        return interp_dynamic_can_fire(r, a, r->left[actor]) == 0 ? 0
               : a->dynamic->stopped                              ? 1
                                                                  : interp_before_message(r, actor, 1);
    int64_t k = r->left[actor] < 0 ? INT64_MAX : r->left[actor];
    bool first = !a->fired && a->prework != NULL;
    for (uint32_t i = 0; i < a->in_count && k > 0; i++) {
        const vm_port *in = &a->in[i];
        if (in->channel == SIR_NONE)
            continue;
        int64_t have = interp_items_in(&r->channels[in->channel]);
        if (have < (first ? in->first_peek : in->peek))
            return 0;
        if (first)
            k = 1;
        else if (in->pop > 0 && (have - in->peek) / in->pop < k - 1)
            k = (have - in->peek) / in->pop + 1;
    }
    if (r->s->dynamic && k != INT64_MAX)
        k = firings_with_room(r, a, first, k);
    return k == INT64_MAX || k == 0 ? 0 : interp_before_message(r, actor, k);
}

// A burst of firings of one function.
static bool fire_function(interp *r, vm_actor *a, vm_function *f, int64_t k)
{
    static const word nothing = {.bits = 0};
    vm *v = &r->machine;
    const sir_function *source = f->source;
    word no_output = nothing;
    bool has_in = a->in_count > 0 && a->in[0].channel != SIR_NONE;
    bool has_out = a->out_count > 0 && a->out[0].channel != SIR_NONE;
    vm_channel *in = has_in ? &r->channels[a->in[0].channel] : NULL;
    vm_channel *out = has_out ? &r->channels[a->out[0].channel] : NULL;
    v->pop = has_in ? source->pop.min : 0;
    v->peek = has_in && source->peek.min > v->pop ? source->peek.min : v->pop;
    v->push = has_out ? source->push.min : 0;
    v->in_item = has_in ? in->item : 1;
    v->out_item = has_out ? out->item : 1;
    if (has_out && !reserve(r, a->out[0].channel, k, v->push))
        return false;
    v->in = has_in ? in->data + in->head : &nothing;
    v->out = has_out ? out->data + out->tail : &no_output;
    if (!vm_execute(v, a, f, k))
        return false;
    if (has_in)
        in->head += (size_t)k * (size_t)v->pop * in->item;
    if (has_out)
        out->tail += (size_t)k * (size_t)v->push * out->item;
    return true;
}

static bool fire_filter(interp *r, vm_actor *a, int64_t k)
{
    if (!a->fired && a->prework != NULL && k > 0) {
        if (!fire_function(r, a, a->prework, 1))
            return false;
        k--;
    }
    a->fired = true;
    return k == 0 || fire_function(r, a, a->work, k);
}

static void copy_items(word *to, const word *from, size_t words)
{
    if (words == 1)
        *to = *from;
    else
        memcpy(to, from, words * sizeof *to);
}

static bool fire_split(interp *r, const vm_actor *a, int64_t k)
{
    vm_channel *in = &r->channels[a->in[0].channel];
    size_t item = in->item;
    for (uint32_t p = 0; p < a->out_count; p++)
        if (a->out[p].channel != SIR_NONE && !reserve(r, a->out[p].channel, k, a->out[p].push))
            return false;
    const word *from = in->data + in->head;
    for (int64_t n = 0; n < k; n++) {
        for (uint32_t p = 0; p < a->out_count; p++) {
            if (a->out[p].channel == SIR_NONE || a->out[p].push == 0)
                continue;
            vm_channel *out = &r->channels[a->out[p].channel];
            size_t words = (size_t)a->out[p].push * item;
            copy_items(out->data + out->tail, from, words);
            out->tail += words;
            from += a->source->duplicate ? 0 : words;
            r->machine.operations += words;
        }
        from += a->source->duplicate ? item : 0;
    }
    in->head += (size_t)k * (size_t)a->in[0].pop * item;
    return true;
}

static bool fire_join(interp *r, const vm_actor *a, int64_t k)
{
    vm_channel *out = &r->channels[a->out[0].channel];
    size_t item = out->item;
    if (!reserve(r, a->out[0].channel, k, a->out[0].push))
        return false;
    word *to = out->data + out->tail;
    for (int64_t n = 0; n < k; n++) {
        for (uint32_t p = 0; p < a->in_count; p++) {
            if (a->in[p].channel == SIR_NONE || a->in[p].pop == 0)
                continue;
            vm_channel *in = &r->channels[a->in[p].channel];
            size_t words = (size_t)a->in[p].pop * item;
            copy_items(to, in->data + in->head, words);
            in->head += words;
            to += words;
            r->machine.operations += words;
        }
    }
    out->tail += (size_t)k * (size_t)a->out[0].push * item;
    return true;
}

static int64_t fire_reader(interp *r, vm_actor *a, int64_t k)
{
    vm_channel *out = &r->channels[a->out[0].channel];
    int64_t done = 0;
    if (!reserve(r, a->out[0].channel, k, 1) || !vm_reader_read(a->reader, out->data + out->tail, k, &done))
        return -1;
    out->tail += (size_t)done * out->item;
    r->machine.operations += (uint64_t)done * out->item;
    r->input_ended |= done < k;
    return done;
}

static bool has_port(const vm_port *ports, uint32_t count)
{
    return count > 0 && ports[0].channel != SIR_NONE;
}

int64_t interp_fire(interp *r, uint32_t actor, int64_t k)
{
    vm_actor *a = &r->actors[actor];
    if (a->messages.len > 0 && !(a->dynamic != NULL && a->dynamic->stopped) && !interp_deliver(r, actor))
        return -1;
    switch (a->source->kind) {
    case SIR_FILTER: return a->dynamic != NULL ? interp_dynamic_fire(r, a) : fire_filter(r, a, k) ? k : -1;
    case SIR_SPLIT: return !has_port(a->in, a->in_count) || fire_split(r, a, k) ? k : -1;
    case SIR_JOIN: return !has_port(a->out, a->out_count) || fire_join(r, a, k) ? k : -1;
    case SIR_READER: return has_port(a->out, a->out_count) ? fire_reader(r, a, k) : k;
    case SIR_WRITER: {
        vm_channel *in = &r->channels[a->in[0].channel];
        const word *from = in->data + in->head;
        in->head += (size_t)k * in->item;
        r->machine.operations += (uint64_t)k * in->item;
        return vm_writer_write(a->writer, from, k) ? k : -1;
    }
    }
    return -1;
}
