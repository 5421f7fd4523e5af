// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results: shares, iterations, and what limits the program.
#include <string.h>

#include "sim/internal.h"

// An element that is busy this much of the time is what the program waits for.
#define SATURATED 0.9

// ---- Iterations ----

// Keeps at most SIM_MARKS ends: when they are full, every other one goes.
void sim_iteration(sim *s, sim_time when)
{
    if (s->iterations % s->mark_step == 0) {
        if (s->mark_count == SIM_MARKS) {
            for (size_t i = 0; i < SIM_MARKS / 2; i++)
                s->marks[i] = s->marks[2 * i];
            s->mark_count = SIM_MARKS / 2;
            s->mark_step *= 2;
        }
        if (s->iterations % s->mark_step == 0)
            s->marks[s->mark_count++] = when;
    }
    s->iterations++;
    s->last_mark = when;
}

// The second half: what fills first is over by then.
static double iteration_seconds(const sim *s)
{
    if (s->iterations < 2)
        return 0;
    size_t middle = (size_t)((s->iterations - 1) / 2 / s->mark_step);
    if (middle >= s->mark_count)
        middle = s->mark_count - 1;
    uint64_t after = s->iterations - 1 - middle * s->mark_step;
    return after == 0 ? 0 : sim_to_seconds(s->last_mark - s->marks[middle]) / (double)after;
}

// ---- Rows ----

static double share(sim_time part, sim_time total)
{
    return total == 0 ? 0 : (double)part / (double)total;
}

static void add_processor(sim *s, arena *a, sim_report *r, size_t at)
{
    const sim_processor_state *p = &s->processors[at];
    sim_time sums[3] = {0}, used = 0;
    for (sim_activity k = 0; k < SIM_ACTIVITY_COUNT; k++) {
        sums[sim_activity_group_of(k)] += p->time[k];
        used += p->time[k];
    }
    if (used == 0)
        return;
    sim_processor_row *row = VEC_ADD(a, &r->processors);
    row->name = sim_processor_name(s, at);
    row->kind = s->machine->processors.data[at % s->machine->processors.len].kind;
    memcpy(row->time, p->time, sizeof row->time);
    row->work = share(sums[SIM_WORK], r->total);
    row->overhead = share(sums[SIM_OVERHEAD], r->total);
    row->waiting = share(sums[SIM_WAIT], r->total);
    row->idle = used < r->total ? share(r->total - used, r->total) : 0;
}

static const char *interface_name(sim *s, size_t link, const sim_interface *e)
{
    if (e->element.kind == 0)
        return sim_text(s, arena_printf(s->arena, "node %zu", e->element.index));
    uint32_t node = s->machine->links.len == 0 ? 0 : (uint32_t)(link / s->machine->links.len);
    return sim_element_name(s, (sim_element){node, e->element.kind, e->element.index});
}

static void add_link(sim *s, arena *a, sim_report *r, size_t at)
{
    const sim_link_state *l = &s->links[at];
    if (l->messages == 0)
        return;
    size_t channels = l->link->channels;
    sim_time *busy = ARENA_ARRAY(a, sim_time, channels);
    double sum = 0;
    for (size_t i = 0; i < channels; i++) {
        busy[i] = l->channel_time[i];
        sum += share(busy[i], r->total);
    }
    sim_link_row *row = VEC_ADD(a, &r->links);
    *row = (sim_link_row){.name = sim_link_name(s, at),
                          .channels = channels,
                          .busy = busy,
                          .messages = l->messages,
                          .bytes = l->bytes,
                          .longest_queue = l->longest,
                          .waited = l->waited,
                          .share = sum / (double)channels};
    sim_time most = 0;
    bool half = l->link->duplex == MACHINE_duplex_HALF;
    for (VEC_EACH(const sim_interface, e, &l->interfaces))
        for (int k = 0; k < 2; k++) {
            sim_time t = half ? e->send_time + e->receive_time : k == 0 ? e->send_time : e->receive_time;
            if (t <= most)
                continue;
            most = t;
            row->interface = arena_printf(a, "%s %s", interface_name(s, at, e),
                                          half     ? "sending or receiving"
                                          : k == 0 ? "sending"
                                                   : "receiving");
        }
    row->interface_share = share(most, r->total);
}

static void add_memory(sim *s, arena *a, sim_report *r, size_t at)
{
    const sim_memory_state *m = &s->memories[at];
    if (m->requests == 0)
        return;
    sim_memory_row *row = VEC_ADD(a, &r->memories);
    *row = (sim_memory_row){.name = sim_memory_name(s, at),
                            .busy = m->busy_time,
                            .waited = m->waited,
                            .requests = m->requests,
                            .share = share(m->busy_time, r->total)};
    memcpy(row->bytes, m->bytes, sizeof row->bytes);
}

// ---- The bottleneck ----

static void consider(sim_report *r, double busy, const char *name, const char *reason)
{
    if (busy <= r->bottleneck_share)
        return;
    r->bottleneck_share = busy;
    r->bottleneck = name;
    r->reason = reason;
}

// "compute 60.1 %, push send 20.0 %": the activities of a processor that are no waits, in the table's order.
static const char *list_activities(arena *a, const sim_report *r, const sim_processor_row *p)
{
    strbuf b;
    strbuf_init(&b, a);
    for (sim_activity k = 0; k < SIM_ACTIVITY_COUNT; k++)
        if (sim_activity_group_of(k) != SIM_WAIT && share(p->time[k], r->total) >= 0.0005)
            strbuf_printf(&b, "%s%s %.1f %%", b.len == 0 ? "" : ", ", sim_activity_text(k),
                          100 * share(p->time[k], r->total));
    return b.data;
}

static const sim_work_row *longest_wait(const sim_report *r)
{
    const sim_work_row *most = NULL;
    for (VEC_EACH(const sim_work_row, w, &r->work))
        if (sim_activity_group_of(w->activity) == SIM_WAIT && (most == NULL || w->time > most->time))
            most = w;
    return most;
}

static void find_bottleneck(arena *a, sim_report *r)
{
    for (VEC_EACH(const sim_processor_row, p, &r->processors))
        consider(
            r, p->work + p->overhead, arena_printf(a, "processor %s", p->name),
            arena_printf(a, "busy %.1f %% of the time: %s", 100 * (p->work + p->overhead), list_activities(a, r, p)));
    for (VEC_EACH(const sim_link_row, l, &r->links)) {
        consider(r, l->share, arena_printf(a, "link %s", l->name),
                 arena_printf(a, "its %zu channel%s %s busy %.1f %% of the time", l->channels,
                              l->channels == 1 ? "" : "s", l->channels == 1 ? "is" : "are", 100 * l->share));
        if (l->channels > 1 && l->interface != NULL)
            consider(r, l->interface_share, arena_printf(a, "link %s, %s", l->name, l->interface),
                     arena_printf(a, "busy %.1f %% of the time, with one message at a time", 100 * l->interface_share));
    }
    for (VEC_EACH(const sim_memory_row, m, &r->memories))
        consider(r, m->share, arena_printf(a, "memory %s", m->name),
                 arena_printf(a, "busy %.1f %% of the time: %s accesses", 100 * m->share,
                              m->bytes[SIM_RANDOM] > m->bytes[SIM_SEQUENTIAL] + m->bytes[SIM_STRIDED] ? "random"
                              : m->bytes[SIM_STRIDED] > m->bytes[SIM_SEQUENTIAL]                      ? "strided"
                                                                                                      : "sequential"));
    const sim_work_row *wait = longest_wait(r);
    if (r->bottleneck == NULL || r->bottleneck_share >= SATURATED || wait == NULL)
        return;
    r->reason = arena_printf(
        a, "no element is busy %d %% of the time (most is %s: %s); %s waits%s%s%s%s for %.1f %% of it",
        (int)(100 * SATURATED), r->bottleneck, r->reason, wait->processor,
        sim_activity_text(wait->activity) + strlen("wait"), wait->label == NULL ? "" : " ('",
        wait->label == NULL ? "" : wait->label, wait->label == NULL ? "" : "')", 100 * share(wait->time, r->total));
    r->bottleneck = "latency";
}

const sim_report *sim_make_report(sim *s, arena *a, const char *program)
{
    sim_report *r = ARENA_NEW(a, sim_report);
    *r = (sim_report){.machine = s->machine->name,
                      .program = program,
                      .total = s->latest > s->now ? s->latest : s->now,
                      .events = s->events,
                      .iterations = s->iterations,
                      .first_iteration = s->mark_count > 0 ? s->marks[0] : 0,
                      .iteration_seconds = iteration_seconds(s),
                      .trace_dropped = s->trace_dropped};
    for (size_t i = 0; i < s->processor_count; i++)
        add_processor(s, a, r, i);
    for (size_t i = 0; i < s->link_count; i++)
        add_link(s, a, r, i);
    for (size_t i = 0; i < s->memory_count; i++)
        add_memory(s, a, r, i);
    for (VEC_EACH(const sim_work, w, &s->work))
        VEC_PUSH(a, &r->work,
                 (sim_work_row){sim_processor_name(s, w->processor), w->label, w->activity, w->time, w->count});
    find_bottleneck(a, r);
    return r;
}
