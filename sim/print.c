// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A report as tables for people and as JSON.
#include <string.h>

#include "sim/sim.h"
#include "support/json.h"
#include "support/quantity.h"

// ---- Text ----

// The width of the first column.
static int name_width(const sim_report *r)
{
    size_t width = 9;
    for (VEC_EACH(const sim_processor_row, p, &r->processors))
        width = strlen(p->name) > width ? strlen(p->name) : width;
    for (VEC_EACH(const sim_link_row, l, &r->links))
        width = strlen(l->name) > width ? strlen(l->name) : width;
    for (VEC_EACH(const sim_memory_row, m, &r->memories))
        width = strlen(m->name) > width ? strlen(m->name) : width;
    return (int)width;
}

static double most_wait_share(const sim_report *r, const sim_processor_row *p, sim_activity *activity)
{
    sim_time most = 0;
    for (sim_activity k = 0; k < SIM_ACTIVITY_COUNT; k++)
        if (sim_activity_group_of(k) == SIM_WAIT && p->time[k] > most) {
            most = p->time[k];
            *activity = k;
        }
    return r->total == 0 ? 0 : (double)most / (double)r->total;
}

static void add_processors(const sim_report *r, strbuf *out, int width)
{
    if (r->processors.len == 0)
        return;
    strbuf_printf(out, "\n%-*s     work overhead  waiting     idle\n", width, "processor");
    for (VEC_EACH(const sim_processor_row, p, &r->processors)) {
        sim_activity wait = 0;
        double most = most_wait_share(r, p, &wait);
        strbuf_printf(out, "%-*s %7.1f%% %7.1f%% %7.1f%% %7.1f%%", width, p->name, 100 * p->work, 100 * p->overhead,
                      100 * p->waiting, 100 * p->idle);
        if (most >= 0.0005)
            strbuf_printf(out, "  mostly %s", sim_activity_text(wait));
        strbuf_addc(out, '\n');
    }
}

static void add_links(const sim_report *r, strbuf *out, int width)
{
    if (r->links.len == 0)
        return;
    strbuf_printf(out, "\n%-*s     busy channels  messages       bytes  mean wait  queue  busiest interface\n", width,
                  "link");
    for (VEC_EACH(const sim_link_row, l, &r->links)) {
        strbuf_printf(out, "%-*s %7.1f%% %8zu %9llu %11s %10s %6llu", width, l->name, 100 * l->share, l->channels,
                      (unsigned long long)l->messages, quantity_bytes(out->arena, (double)l->bytes),
                      quantity_seconds(out->arena, sim_to_seconds(l->waited) / (double)l->messages),
                      (unsigned long long)l->longest_queue);
        if (l->interface != NULL)
            strbuf_printf(out, "  %s %.1f%%", l->interface, 100 * l->interface_share);
        strbuf_addc(out, '\n');
    }
}

static void add_memories(const sim_report *r, strbuf *out, int width)
{
    if (r->memories.len == 0)
        return;
    strbuf_printf(out, "\n%-*s     busy  requests  sequential     strided      random  mean wait\n", width, "memory");
    for (VEC_EACH(const sim_memory_row, m, &r->memories))
        strbuf_printf(out, "%-*s %7.1f%% %9llu %11s %11s %11s %10s\n", width, m->name, 100 * m->share,
                      (unsigned long long)m->requests, quantity_bytes(out->arena, (double)m->bytes[SIM_SEQUENTIAL]),
                      quantity_bytes(out->arena, (double)m->bytes[SIM_STRIDED]),
                      quantity_bytes(out->arena, (double)m->bytes[SIM_RANDOM]),
                      quantity_seconds(out->arena, sim_to_seconds(m->waited) / (double)m->requests));
}

void sim_report_text(const sim_report *r, strbuf *out)
{
    arena *a = out->arena;
    int width = name_width(r);
    strbuf_printf(out, "%s on %s: %s\n", r->program, r->machine, quantity_seconds(a, sim_to_seconds(r->total)));
    if (r->iterations > 0)
        strbuf_printf(out, "%llu iteration%s, the first after %s", (unsigned long long)r->iterations,
                      r->iterations == 1 ? "" : "s", quantity_seconds(a, sim_to_seconds(r->first_iteration)));
    if (r->iteration_seconds > 0)
        strbuf_printf(out, ", then one in %s", quantity_seconds(a, r->iteration_seconds));
    if (r->iterations > 0)
        strbuf_addc(out, '\n');
    if (r->bottleneck != NULL)
        strbuf_printf(out, "bottleneck: %s: %s\n", r->bottleneck, r->reason);
    add_processors(r, out, width);
    add_links(r, out, width);
    add_memories(r, out, width);
    if (r->trace_dropped > 0)
        strbuf_printf(out, "\n%zu intervals are not in the timeline, which was full\n", r->trace_dropped);
}

// ---- JSON ----

static void json_processors(const sim_report *r, json_out *j)
{
    json_line(j, 1);
    json_begin(j, "processors", '[');
    for (VEC_EACH(const sim_processor_row, p, &r->processors)) {
        json_line(j, 2);
        json_begin(j, NULL, '{');
        json_text(j, "name", p->name);
        json_number(j, "work", p->work);
        json_number(j, "overhead", p->overhead);
        json_number(j, "waiting", p->waiting);
        json_number(j, "idle", p->idle);
        json_begin(j, "seconds", '{');
        for (sim_activity k = 0; k < SIM_ACTIVITY_COUNT; k++)
            if (p->time[k] != 0)
                json_number(j, sim_activity_text(k), sim_to_seconds(p->time[k]));
        json_end(j, '}');
        json_end(j, '}');
    }
    json_end(j, ']');
}

static void json_links(const sim_report *r, json_out *j)
{
    json_line(j, 1);
    json_begin(j, "links", '[');
    for (VEC_EACH(const sim_link_row, l, &r->links)) {
        json_line(j, 2);
        json_begin(j, NULL, '{');
        json_text(j, "name", l->name);
        json_number(j, "busy", l->share);
        json_begin(j, "channel_seconds", '[');
        for (size_t k = 0; k < l->channels; k++)
            json_number(j, NULL, sim_to_seconds(l->busy[k]));
        json_end(j, ']');
        json_count(j, "messages", l->messages);
        json_count(j, "bytes", l->bytes);
        json_number(j, "wait_seconds", sim_to_seconds(l->waited));
        json_count(j, "longest_queue", l->longest_queue);
        json_text(j, "interface", l->interface);
        json_number(j, "interface_busy", l->interface_share);
        json_end(j, '}');
    }
    json_end(j, ']');
}

static void json_memories(const sim_report *r, json_out *j)
{
    json_line(j, 1);
    json_begin(j, "memories", '[');
    for (VEC_EACH(const sim_memory_row, m, &r->memories)) {
        json_line(j, 2);
        json_begin(j, NULL, '{');
        json_text(j, "name", m->name);
        json_number(j, "busy", m->share);
        json_number(j, "busy_seconds", sim_to_seconds(m->busy));
        json_number(j, "wait_seconds", sim_to_seconds(m->waited));
        json_count(j, "requests", m->requests);
        json_count(j, "sequential_bytes", m->bytes[SIM_SEQUENTIAL]);
        json_count(j, "strided_bytes", m->bytes[SIM_STRIDED]);
        json_count(j, "random_bytes", m->bytes[SIM_RANDOM]);
        json_end(j, '}');
    }
    json_end(j, ']');
}

static void json_work(const sim_report *r, json_out *j)
{
    json_line(j, 1);
    json_begin(j, "work", '[');
    for (VEC_EACH(const sim_work_row, w, &r->work)) {
        json_line(j, 2);
        json_begin(j, NULL, '{');
        json_text(j, "processor", w->processor);
        json_text(j, "activity", sim_activity_text(w->activity));
        json_text(j, "about", w->label);
        json_number(j, "seconds", sim_to_seconds(w->time));
        json_count(j, "count", w->count);
        json_end(j, '}');
    }
    json_end(j, ']');
}

void sim_report_json(const sim_report *r, strbuf *out)
{
    json_out j = strbuf_json(out);
    json_begin(&j, NULL, '{');
    json_text(&j, "program", r->program);
    json_text(&j, "machine", r->machine);
    json_number(&j, "seconds", sim_to_seconds(r->total));
    json_count(&j, "events", r->events);
    json_count(&j, "iterations", r->iterations);
    json_number(&j, "first_iteration_seconds", sim_to_seconds(r->first_iteration));
    json_number(&j, "iteration_seconds", r->iteration_seconds);
    json_line(&j, 1);
    json_text(&j, "bottleneck", r->bottleneck);
    json_number(&j, "bottleneck_busy", r->bottleneck_share);
    json_text(&j, "reason", r->reason);
    json_processors(r, &j);
    json_links(r, &j);
    json_memories(r, &j);
    json_work(r, &j);
    json_line(&j, 0);
    json_end(&j, '}');
    strbuf_addc(out, '\n');
}
