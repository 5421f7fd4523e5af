// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages between the kernels of a program: who sends and receives, the ways between them, and the delivery.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/program_int.h"

// Messages that a way has room for to begin with.
enum { WAY_CAPACITY = 64 };

static bool is_outside(const program_emitter *x, uint32_t actor)
{
    for (VEC_EACH(const sched_outside, to, &x->net->whole_schedule->outside))
        if (to->receiver == actor)
            return true;
    return false;
}

bool program_has_messages(const program_emitter *x)
{
    return x->net != NULL && (x->net->ways->len != 0 || x->net->whole_schedule->outside.len != 0);
}

size_t program_way_count(const program_emitter *x)
{
    return x->net == NULL ? 0 : x->net->ways->len;
}

bool program_receives(const program_emitter *x, uint32_t actor)
{
    for (size_t i = 0; i < program_way_count(x); i++)
        if (x->net->ways->data[i].receiver == actor)
            return true;
    return x->net != NULL && is_outside(x, actor);
}

bool program_sends(const program_emitter *x, uint32_t actor)
{
    for (size_t i = 0; i < program_way_count(x); i++)
        if (x->net->ways->data[i].sender == actor)
            return true;
    return false;
}

void program_message_types(program_emitter *x)
{
    emit_receivers receivers = {0};
    hmap seen;
    hmap_init(&seen, x->e.arena);
    if (!program_has_messages(x))
        return;
    for (uint32_t i = 0; i < x->net->whole->actors.len; i++) {
        const sir_filter *f = x->net->whole->actors.data[i]->filter;
        if (!program_receives(x, i) || hmap_getn(&seen, &f, sizeof f) != NULL)
            continue;
        hmap_setn(&seen, &f, sizeof f, x);
        VEC_PUSH(x->e.arena, &receivers, ((emit_receiver){f, is_outside(x, i)}));
    }
    emit_message_types(&x->e, &receivers);
}

// ---- Delivery ----

bool program_handlers_touch(program_emitter *x, const emit_filter_info *info)
{
    bool any = false;
    for (size_t i = 0; i < info->handlers.len; i++) {
        const body_effects *effects = body_effects_of(&x->e, (emit_filter_info *)(uintptr_t)info, info->handlers.data[i].function);
        for (size_t f = 0; f < info->filter->fields.len; f++)
            any |= effects->fields[f];
    }
    return any;
}

void program_handler_names(program_emitter *x, const emit_filter_info *info, const char *name, hmap *taken, program_actor_names *names)
{
    arena *a = x->e.arena;
    bool state = program_handlers_touch(x, info), random = false, log = false;
    for (size_t i = 0; i < info->handlers.len; i++) {
        const body_effects *effects = body_effects_of(&x->e, (emit_filter_info *)(uintptr_t)info, info->handlers.data[i].function);
        random |= effects->random;
        log |= effects->log;
    }
    if (state && names->state == NULL)
        names->state = taken == NULL ? "state" : text_member(x, taken, name);
    if (random && names->random == NULL)
        names->random = taken == NULL ? "random" : text_member(x, taken, arena_printf(a, "%s_random", name));
    if (log && names->log == NULL)
        names->log = taken == NULL ? "log" : text_member(x, taken, arena_printf(a, "%s_log", name));
}

static bool is_scalar(const sir_type *t)
{
    return t->kind != SIR_ARRAY && t->kind != SIR_STRUCT;
}

static bool is_local(const emit_filter_info *info, const emit_signature *local, uint32_t field)
{
    if (local == NULL || !is_scalar(info->filter->fields.data[field].type))
        return false;
    for (VEC_EACH(uint32_t, f, &local->fields))
        if (*f == field)
            return true;
    return false;
}

static text_args handler_arguments(program_emitter *x, uint32_t actor, const emit_filter_info *info, const sir_function *handler,
                                   const program_actor_names *n, const emit_signature *local)
{
    arena *a = x->e.arena;
    text_args args = {0};
    const body_effects *effects = body_effects_of(&x->e, (emit_filter_info *)(uintptr_t)info, handler);
    for (uint32_t f = 0; f < info->filter->fields.len; f++) {
        const char *name = info->field_names.data[f];
        bool array = info->filter->fields.data[f].type->kind == SIR_ARRAY;
        if (effects->fields[f])
            VEC_PUSH(a, &args,
                     is_local(info, local, f) ? arena_printf(a, "&%s", name)
                                              : arena_printf(a, "%s%s->%s.%s", array ? "" : "&", x->own, n->state, name));
    }
    if (effects->iter)
        VEC_PUSH(a, &args, arena_printf(a, "%s->%s", x->own, n->iter));
    if (effects->random)
        VEC_PUSH(a, &args, arena_printf(a, "&%s->%s", x->own, n->random));
    if (effects->log)
        VEC_PUSH(a, &args, arena_printf(a, "&self->%s", n->log));
    if (effects->sends)
        VEC_PUSH(a, &args, arena_printf(a, "&self->%s", n->sender));
    if (body_needs_of(&x->e, handler).actor)
        VEC_PUSH(a, &args, program_quoted(x, x->net->whole->actors.data[actor]->name));
    for (uint32_t i = 0; i < handler->param_count; i++)
        VEC_PUSH(a, &args, arena_printf(a, "a->a%" PRIu32, i));
    return args;
}

void program_deliver(program_emitter *x, int indent, uint32_t actor, const emit_filter_info *info, const program_actor_names *names,
                     const emit_signature *local)
{
    text_line(x, indent, "for (svm_Message *m; (m = svm_mailNext(&self->svm_mail)) != NULL;) {");
    text_line(x, indent + 1, "switch (m->handler) {");
    for (size_t i = 0; i < info->handlers.len; i++) {
        const sir_function *handler = info->handlers.data[i].function;
        const char *type = emit_message_type(&x->e, handler);
        bool sends = body_effects_of(&x->e, (emit_filter_info *)(uintptr_t)info, handler)->sends;
        text_args args = handler_arguments(x, actor, info, handler, names, local);
        text_line(x, indent + 1, "case %d: {", emit_message_number(&x->e, handler->name));
        if (type != NULL)
            text_line(x, indent + 2, "%s *a = m->arguments;", type);
        if (sends)
            text_line(x, indent + 2, "self->%s.firing++; /* what it sends counts as the next firing's */", names->sender);
        text_call(x, indent + 2, arena_printf(x->e.arena, "%s(", info->handlers.data[i].c_name), &args, ");");
        if (sends)
            text_line(x, indent + 2, "self->%s.firing--;", names->sender);
        text_line(x, indent + 2, "break;");
        text_line(x, indent + 1, "}");
    }
    text_line(x, indent + 1, "}");
    text_line(x, indent, "}");
}

// ---- The ways ----

static const char *actor_place(program_emitter *x, uint32_t actor)
{
    const sir_actor *a = x->net->whole->actors.data[actor];
    sir_loc loc = a->loc.line == 0 && a->kind == SIR_FILTER ? a->filter->loc : a->loc;
    const char *place = body_place(&x->e, loc);
    return program_quoted(x, place == NULL ? "" : place);
}

static const char *actor_name(program_emitter *x, uint32_t actor)
{
    return program_quoted(x, x->net->whole->actors.data[actor]->name);
}

static size_t entries_of(const program_emitter *x, uint32_t sender)
{
    size_t count = 0;
    for (VEC_EACH(const sched_message, m, &x->net->whole_schedule->messages))
        count += m->sender == sender;
    return count;
}

static size_t ways_to(const program_emitter *x, uint32_t receiver)
{
    size_t count = 0;
    for (VEC_EACH(const plan_way, w, x->net->ways))
        count += w->receiver == receiver;
    return count;
}

void program_way_instance(program_emitter *x)
{
    size_t lists = 0, ways = program_way_count(x);
    if (ways == 0)
        return;
    text_line(x, 1, "svm_Way svm_ways[%zu]; /* of messages, from a sender to a receiver each */", ways);
    for (uint32_t i = 0; i < x->net->whole->actors.len; i++)
        lists += entries_of(x, i) + ways_to(x, i);
    text_line(x, 1, "svm_Way *svm_wayLists[%zu]; /* of each sender and receiver */", lists);
}

static void emit_sdep(program_emitter *x, size_t way)
{
    const plan_way *w = &x->net->ways->data[way];
    const sir_module *m = x->net->whole;
    uint32_t from = w->upstream ? w->receiver : w->sender, to = w->upstream ? w->sender : w->receiver;
    if (w->anytime)
        return;
    const char *comment = arena_printf(x->e.arena, "For each count of firings of %s, from 0 on, how many of %s %s.", m->actors.data[to]->name,
                                       m->actors.data[from]->name, w->steady ? "their steady states have" : "it takes");
    program_count_table(x, comment, arena_printf(x->e.arena, "%s_sdep%zu", x->name, way), "int64_t", w->sdep.values, (size_t)w->sdep.known);
}

void program_way_tables(program_emitter *x)
{
    const plan_ways *ways = x->net->ways;
    if (ways->len == 0)
        return;
    for (size_t i = 0; i < ways->len; i++)
        emit_sdep(x, i);
    text_line(x, 0, "/* The ways of messages: from whom to whom, in what direction, the least latency, and how firings depend on each other. */");
    text_line(x, 0, "static const svm_WayRow %s_ways[] = {", x->name);
    for (size_t i = 0; i < ways->len; i++) {
        const plan_way *w = &ways->data[i];
        text_line(x, 1, "{%s, %s, %s, %s,", actor_name(x, w->sender), actor_place(x, w->sender), actor_name(x, w->receiver),
                  actor_place(x, w->receiver));
        text_line(x, 1, " %s, %s, %s, %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %s},", w->upstream ? "true" : "false",
                  w->held ? "true" : "false", w->anytime ? "true" : "false", w->latency, w->sdep.known, w->sdep.period, w->sdep.step,
                  w->anytime ? "NULL" : arena_printf(x->e.arena, "%s_sdep%zu", x->name, i));
    }
    text_line(x, 0, "};\n");
    for (uint32_t i = 0; i < x->net->whole->actors.len; i++) {
        text_args portals = {0};
        for (VEC_EACH(const sched_message, m, &x->net->whole_schedule->messages))
            if (m->sender == i)
                VEC_PUSH(x->e.arena, &portals, arena_printf(x->e.arena, "%" PRIu32, m->portal));
        if (portals.len == 0)
            continue;
        text_line(x, 0, "/* The portals to which %s sends, each as often as it has receivers. */", x->net->whole->actors.data[i]->name);
        text_call(x, 0, arena_printf(x->e.arena, "static const int32_t %s_portals%" PRIu32 "[] = {", x->name, i), &portals, "};");
        strbuf_addc(x->e.out, '\n');
    }
}

void program_way_streams(program_emitter *x)
{
    const char *all = program_way_count(x) == 0 ? NULL : emit_message_union(&x->e);
    const char *size = all == NULL ? "sizeof(svm_Message)" : arena_printf(x->e.arena, "sizeof(svm_Message) + sizeof(%s)", all);
    for (size_t i = 0; i < program_way_count(x); i++) {
        const plan_way *w = &x->net->ways->data[i];
        const sir_module *m = x->net->whole;
        text_line(x, 1, "{\"%s_tells_%s\", %s, %s, %s, %s, %d, %s},", m->actors.data[w->sender]->name, m->actors.data[w->receiver]->name,
                  actor_name(x, w->sender), actor_place(x, w->sender), actor_name(x, w->receiver), actor_place(x, w->receiver), WAY_CAPACITY,
                  size);
    }
}

static size_t way_index(const program_emitter *x, uint32_t sender, uint32_t receiver)
{
    const plan_ways *ways = x->net->ways;
    size_t i = 0;
    while (ways->data[i].sender != sender || ways->data[i].receiver != receiver)
        i++;
    return i;
}

static bool is_waited_for(const program_emitter *x, uint32_t sender)
{
    for (VEC_EACH(const plan_way, w, x->net->ways))
        if (w->sender == sender && (w->upstream || w->held))
            return true;
    return false;
}

static size_t create_sender(program_emitter *x, const program_way_places *places, uint32_t actor, size_t list)
{
    const char *sender = places->sender[actor];
    size_t count = 0;
    for (VEC_EACH(const sched_message, m, &x->net->whole_schedule->messages))
        if (m->sender == actor)
            text_line(x, 1, "self->svm_wayLists[%zu] = &self->svm_ways[%zu];", list + count++, way_index(x, actor, m->receiver));
    if (count == 0)
        return list;
    text_line(x, 1, "%s.count = %zu;", sender, count);
    text_line(x, 1, "%s.portals = %s_portals%" PRIu32 ";", sender, x->name, actor);
    text_line(x, 1, "%s.ways = &self->svm_wayLists[%zu];", sender, list);
    if (is_waited_for(x, actor))
        text_line(x, 1, "%s.sender = &%s;", places->common[actor], sender);
    return list + count;
}

static size_t create_mail(program_emitter *x, const program_way_places *places, uint32_t actor, size_t list)
{
    size_t count = 0;
    for (size_t i = 0; i < x->net->ways->len; i++)
        if (x->net->ways->data[i].receiver == actor)
            text_line(x, 1, "self->svm_wayLists[%zu] = &self->svm_ways[%zu];", list + count++, i);
    if (!program_receives(x, actor))
        return list;
    const char *mail = arena_printf(x->e.arena, "%s.svm_mail", places->kernel[actor]);
    if (count != 0) {
        text_line(x, 1, "%s.wayCount = %zu;", mail, count);
        text_line(x, 1, "%s.ways = &self->svm_wayLists[%zu];", mail, list);
    }
    text_line(x, 1, "%s.mail = &%s;", places->common[actor], mail);
    return list + count;
}

void program_way_create(program_emitter *x, const program_way_places *places)
{
    const plan_ways *ways = x->net->ways;
    size_t list = 0, streams = x->net->streams.len;
    for (size_t i = 0; i < ways->len; i++) {
        const plan_way *w = &ways->data[i];
        text_line(x, 1, "svm_wayInit(&self->net, &self->svm_ways[%zu], &%s_ways[%zu], &self->streams[%zu]);", i, x->name, i, streams + i);
        text_line(x, 1, "self->streams[%zu].producer = &%s;", streams + i, places->common[w->sender]);
        text_line(x, 1, "self->streams[%zu].consumer = &%s;", streams + i, places->common[w->receiver]);
    }
    for (uint32_t i = 0; i < x->net->whole->actors.len; i++) {
        list = create_sender(x, places, i, list);
        list = create_mail(x, places, i, list);
    }
}
