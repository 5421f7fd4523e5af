// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which filters send messages to which, in what direction, and whether latencies can be kept.
#include <string.h>

#include "hlc/ir/walk.h"
#include "hlc/schedule/schedule_int.h"

typedef VEC(const sir_stmt *) send_list;

static void collect(void *context, sir_stmt *s)
{
    send_list *sends = ((void **)context)[0];
    if (s->kind == SIR_SEND)
        VEC_PUSH((arena *)((void **)context)[1], sends, s);
}

static void collect_from(arena *a, send_list *sends, const sir_function *f)
{
    void *context[] = {sends, a};
    if (f != NULL)
        sir_visit_stmts(&f->body, collect, context);
}

static send_list sends_of(arena *a, const sir_filter *f)
{
    send_list sends = {0};
    collect_from(a, &sends, f->work);
    collect_from(a, &sends, f->prework);
    for (size_t i = 0; i < f->functions.len; i++)
        collect_from(a, &sends, f->functions.data[i]);
    for (size_t i = 0; i < f->handlers.len; i++)
        collect_from(a, &sends, f->handlers.data[i]);
    return sends;
}

// ---- Paths ----

typedef struct path_search {
    const scheduler *c;
    bool *seen;
    uint32_t *stack;
} path_search;

static void prepare_search(const scheduler *c, path_search *paths)
{
    if (paths->seen != NULL)
        return;
    paths->seen = ARENA_ARRAY(c->arena, bool, c->m->actors.len);
    paths->stack = ARENA_ARRAY(c->arena, uint32_t, c->m->actors.len);
}

// A way along channels: backward ones too, and cut ones too, if asked for.
static bool leads_to(const path_search *p, uint32_t from, uint32_t to, bool backward, bool cut)
{
    const sched_table *t = p->c->table;
    size_t count = 0;
    memset(p->seen, 0, t->actors * sizeof *p->seen);
    p->stack[count++] = from;
    p->seen[from] = true;
    while (count > 0) {
        uint32_t a = p->stack[--count];
        for (uint32_t i = t->out_start[a]; i < t->out_start[a + 1]; i++) {
            uint32_t channel = t->outs[i].channel, next = sched_consumer(t, channel)->actor;
            if ((!backward && p->c->s->channels[channel].back_edge) || (!cut && t->cut[channel]))
                continue;
            if (next == to)
                return true;
            if (!p->seen[next])
                p->stack[count++] = next;
            p->seen[next] = true;
        }
    }
    return false;
}

// ---- Latencies ----

// Whether every message sent in the steady states would come too late.
static bool always_missed(scheduler *c, const sched_message *m, int64_t latency)
{
    if (latency >= 0)
        return false;
    const schedule *s = c->s;
    uint32_t from = m->upstream ? m->receiver : m->sender, to = m->upstream ? m->sender : m->receiver;
    int64_t reps = s->reps[m->sender], begin = 2 * reps + 2 - latency; // past first firings
    if (reps == 0 || reps > 1 << 16 || latency < -(1 << 20))
        return false;
    sched_sdep *d = sched_sdep_new(c->arena, c->m, s, from, to);
    for (int64_t n = begin; n < begin + reps; n++)
        if (sched_delivery(d, m->upstream, n, latency) != 0)
            return false;
    return true;
}

static const char *name_of(const scheduler *c, uint32_t actor)
{
    return c->m->actors.data[actor]->name;
}

static bool report_no_way(scheduler *c, const sir_stmt *send, uint32_t sender, uint32_t receiver, bool regions)
{
    diag_record *r = diag_error(
        c->d, sir_range(c->m, c->sources, send->loc),
        regions ? "the message from '%s' to '%s' crosses a channel with a dynamic rate, so that its latency has no meaning"
                : "there is no way along channels between '%s', which sends this message, and '%s', which receives it",
        name_of(c, sender), name_of(c, receiver));
    diag_add_note(c->d, r, sched_actor_range(c, receiver), "'%s' is registered with the portal '%s' here",
                  name_of(c, receiver), c->m->portals.data[send->u.send.portal].name);
    if (regions)
        diag_add_note(c->d, r, (src_range){0, 0, 0}, "send it best effort, with [*]");
    return false;
}

static bool report_missed(scheduler *c, const sir_stmt *send, const sched_message *m, int64_t latency)
{
    diag_record *r = diag_error(c->d, sir_range(c->m, c->sources, send->loc),
                                "the latency %lld of this message cannot be kept: when '%s' sends it, '%s' has passed the "
                                "firing before which it is due",
                                (long long)latency, name_of(c, m->sender), name_of(c, m->receiver));
    diag_add_note(c->d, r, sched_actor_range(c, m->receiver), "'%s' is %s of '%s'", name_of(c, m->receiver),
                  m->upstream ? "upstream" : "downstream", name_of(c, m->sender));
    return false;
}

// ---- All messages ----

static sched_message *message_for(scheduler *c, uint32_t portal, uint32_t sender, uint32_t receiver, size_t first,
                                  bool *is_new)
{
    schedule *s = c->s;
    for (size_t i = first; i < s->messages.len; i++)
        if (s->messages.data[i].portal == portal && s->messages.data[i].receiver == receiver)
            return &s->messages.data[i];
    *is_new = true;
    VEC_PUSH(c->result, &s->messages, (sched_message){.portal = portal, .sender = sender, .receiver = receiver});
    return &VEC_LAST(&s->messages);
}

static bool add_message(scheduler *c, const path_search *paths, const sir_stmt *send, uint32_t sender, uint32_t receiver,
                        size_t first)
{
    bool is_new = false, best = send->u.send.best_effort;
    schedule *s = c->s;
    sched_message *m = message_for(c, send->u.send.portal, sender, receiver, first, &is_new);
    const sir_expr *max = send->u.send.max;
    int64_t latency = best || max == NULL || max->kind != SIR_CONST ? 0 : max->u.value.i;
    if (is_new) {
        m->loc = send->loc;
        m->latency = latency;
        bool down = leads_to(paths, sender, receiver, false, false);
        m->upstream = !down && leads_to(paths, receiver, sender, false, false);
        bool none = !down && !m->upstream && !leads_to(paths, sender, receiver, true, false);
        m->steady = none && s->paced[s->static_region[sender]] && s->paced[s->static_region[receiver]];
        m->anytime = none && !m->steady;
        m->upstream |= m->steady;
        m->held = !none && !m->upstream && sched_dynamic_input(c->m->actors.data[sender]);
    }
    if (latency < m->latency)
        m->latency = latency;
    bool none = m->anytime || m->steady;
    if (none && !best)
        return report_no_way(c, send, sender, receiver, leads_to(paths, sender, receiver, true, true) ||
                                                            leads_to(paths, receiver, sender, true, true));
    return none || !always_missed(c, m, latency) || report_missed(c, send, m, latency);
}

// ---- From outside ----

static bool *find_reached(scheduler *c)
{
    const sir_module *m = c->m;
    bool *reached = ARENA_ARRAY(c->arena, bool, m->actors.len + 1);
    for (VEC_EACH(const sir_portal, portal, &m->portals))
        for (size_t i = 0; i < portal->receivers.len && !portal->inside; i++)
            reached[portal->receivers.data[i]] |= m->actors.data[portal->receivers.data[i]]->filter->handlers.len != 0;
    return reached;
}

static uint32_t own_input(const sir_module *m)
{
    for (uint32_t i = 0; i < m->actors.len; i++)
        if (m->actors.data[i]->kind == SIR_READER && m->actors.data[i]->path == NULL)
            return i;
    return SIR_NONE;
}

static void find_outside(scheduler *c, path_search *paths)
{
    schedule *s = c->s;
    uint32_t from = own_input(c->m);
    const bool *reached = find_reached(c);
    prepare_search(c, paths);
    for (uint32_t i = 0; i < c->m->actors.len; i++) {
        if (!reached[i])
            continue;
        sched_outside to = {.receiver = i, .from = from};
        bool leads = from != SIR_NONE && s->reps[from] != 0 &&
                     (leads_to(paths, from, i, false, false) || leads_to(paths, from, i, true, false));
        to.steady = !leads && s->paced[s->static_region[i]] && (from == SIR_NONE || s->paced[s->static_region[from]]);
        to.anytime = !leads && !to.steady;
        VEC_PUSH(c->result, &s->outside, to);
    }
}

bool sched_find_messages(scheduler *c)
{
    path_search paths = {.c = c};
    bool ok = true;
    if (c->m->portals.len != 0)
        find_outside(c, &paths);
    for (uint32_t i = 0; i < c->m->actors.len; i++) {
        const sir_actor *a = c->m->actors.data[i];
        if (a->kind != SIR_FILTER || !a->filter->sends)
            continue;
        prepare_search(c, &paths);
        size_t first = c->s->messages.len;
        send_list sends = sends_of(c->arena, a->filter);
        for (VEC_EACH(const sir_stmt *, send, &sends)) {
            const sir_portal *portal = &c->m->portals.data[(*send)->u.send.portal];
            for (size_t k = 0; k < portal->receivers.len && ok; k++)
                ok = add_message(c, &paths, *send, i, portal->receivers.data[k], first);
        }
    }
    return ok;
}
