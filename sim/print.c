// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A report as tables for people and as JSON.
#include <string.h>

#include "sim/sim.h"

// Seconds with three or four digits that count and their unit: "14.70 ms".
static const char *seconds_text(arena *a, double s)
{
    static const struct {
        double scale;
        const char *unit;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}, {1e-12, "ps"}};
    if (s <= 0)
        return "0 s";
    size_t i = 0;
    while (i + 1 < sizeof units / sizeof *units && s < units[i].scale * 0.99995)
        i++;
    double v = s / units[i].scale;
    return arena_printf(a, "%.*f %s", v >= 99.995 ? 1 : v >= 9.9995 ? 2 : 3, v, units[i].unit);
}

static const char *bytes_text(arena *a, double n)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t i = 0;
    for (; i + 1 < sizeof units / sizeof *units && n >= 1024; i++)
        n /= 1024;
    return arena_printf(a, i == 0 ? "%.0f %s" : "%.1f %s", n, units[i]);
}

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
                      (unsigned long long)l->messages, bytes_text(out->arena, (double)l->bytes),
                      seconds_text(out->arena, sim_to_seconds(l->waited) / (double)l->messages),
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
                      (unsigned long long)m->requests, bytes_text(out->arena, (double)m->bytes[SIM_SEQUENTIAL]),
                      bytes_text(out->arena, (double)m->bytes[SIM_STRIDED]),
                      bytes_text(out->arena, (double)m->bytes[SIM_RANDOM]),
                      seconds_text(out->arena, sim_to_seconds(m->waited) / (double)m->requests));
}

void sim_report_text(const sim_report *r, strbuf *out)
{
    arena *a = out->arena;
    int width = name_width(r);
    strbuf_printf(out, "%s on %s: %s\n", r->program, r->machine, seconds_text(a, sim_to_seconds(r->total)));
    if (r->iterations > 0)
        strbuf_printf(out, "%llu iteration%s, the first after %s", (unsigned long long)r->iterations,
                      r->iterations == 1 ? "" : "s", seconds_text(a, sim_to_seconds(r->first_iteration)));
    if (r->iteration_seconds > 0)
        strbuf_printf(out, ", then one in %s", seconds_text(a, r->iteration_seconds));
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

static void add_name(strbuf *out, const char *key, const char *text)
{
    strbuf_printf(out, "\"%s\": ", key);
    if (text == NULL)
        strbuf_add(out, "null");
    else
        strbuf_add_quoted(out, text, strlen(text));
}

static void add_number(strbuf *out, const char *key, double v)
{
    strbuf_printf(out, ", \"%s\": ", key);
    strbuf_add_double(out, v);
}

static void add_count(strbuf *out, const char *key, uint64_t n)
{
    strbuf_printf(out, ", \"%s\": %llu", key, (unsigned long long)n);
}

static void json_processors(const sim_report *r, strbuf *out)
{
    strbuf_add(out, ",\n \"processors\": [");
    for (size_t i = 0; i < r->processors.len; i++) {
        const sim_processor_row *p = &r->processors.data[i];
        strbuf_add(out, i == 0 ? "\n  {" : ",\n  {");
        add_name(out, "name", p->name);
        add_number(out, "work", p->work);
        add_number(out, "overhead", p->overhead);
        add_number(out, "waiting", p->waiting);
        add_number(out, "idle", p->idle);
        strbuf_add(out, ", \"seconds\": {");
        const char *separator = "";
        for (sim_activity k = 0; k < SIM_ACTIVITY_COUNT; k++) {
            if (p->time[k] == 0)
                continue;
            strbuf_printf(out, "%s\"%s\": ", separator, sim_activity_text(k));
            strbuf_add_double(out, sim_to_seconds(p->time[k]));
            separator = ", ";
        }
        strbuf_add(out, "}}");
    }
    strbuf_addc(out, ']');
}

static void json_links(const sim_report *r, strbuf *out)
{
    strbuf_add(out, ",\n \"links\": [");
    for (size_t i = 0; i < r->links.len; i++) {
        const sim_link_row *l = &r->links.data[i];
        strbuf_add(out, i == 0 ? "\n  {" : ",\n  {");
        add_name(out, "name", l->name);
        add_number(out, "busy", l->share);
        strbuf_add(out, ", \"channel_seconds\": [");
        for (size_t k = 0; k < l->channels; k++) {
            strbuf_add(out, k == 0 ? "" : ", ");
            strbuf_add_double(out, sim_to_seconds(l->busy[k]));
        }
        strbuf_addc(out, ']');
        add_count(out, "messages", l->messages);
        add_count(out, "bytes", l->bytes);
        add_number(out, "wait_seconds", sim_to_seconds(l->waited));
        add_count(out, "longest_queue", l->longest_queue);
        strbuf_add(out, ", ");
        add_name(out, "interface", l->interface);
        add_number(out, "interface_busy", l->interface_share);
        strbuf_addc(out, '}');
    }
    strbuf_addc(out, ']');
}

static void json_memories(const sim_report *r, strbuf *out)
{
    strbuf_add(out, ",\n \"memories\": [");
    for (size_t i = 0; i < r->memories.len; i++) {
        const sim_memory_row *m = &r->memories.data[i];
        strbuf_add(out, i == 0 ? "\n  {" : ",\n  {");
        add_name(out, "name", m->name);
        add_number(out, "busy", m->share);
        add_number(out, "busy_seconds", sim_to_seconds(m->busy));
        add_number(out, "wait_seconds", sim_to_seconds(m->waited));
        add_count(out, "requests", m->requests);
        add_count(out, "sequential_bytes", m->bytes[SIM_SEQUENTIAL]);
        add_count(out, "strided_bytes", m->bytes[SIM_STRIDED]);
        add_count(out, "random_bytes", m->bytes[SIM_RANDOM]);
        strbuf_addc(out, '}');
    }
    strbuf_addc(out, ']');
}

static void json_work(const sim_report *r, strbuf *out)
{
    strbuf_add(out, ",\n \"work\": [");
    for (size_t i = 0; i < r->work.len; i++) {
        const sim_work_row *w = &r->work.data[i];
        strbuf_add(out, i == 0 ? "\n  {" : ",\n  {");
        add_name(out, "processor", w->processor);
        strbuf_add(out, ", ");
        add_name(out, "activity", sim_activity_text(w->activity));
        strbuf_add(out, ", ");
        add_name(out, "about", w->label);
        add_number(out, "seconds", sim_to_seconds(w->time));
        add_count(out, "count", w->count);
        strbuf_addc(out, '}');
    }
    strbuf_addc(out, ']');
}

void sim_report_json(const sim_report *r, strbuf *out)
{
    strbuf_addc(out, '{');
    add_name(out, "program", r->program);
    strbuf_add(out, ", ");
    add_name(out, "machine", r->machine);
    add_number(out, "seconds", sim_to_seconds(r->total));
    add_count(out, "events", r->events);
    add_count(out, "iterations", r->iterations);
    add_number(out, "first_iteration_seconds", sim_to_seconds(r->first_iteration));
    add_number(out, "iteration_seconds", r->iteration_seconds);
    strbuf_add(out, ",\n ");
    add_name(out, "bottleneck", r->bottleneck);
    add_number(out, "bottleneck_busy", r->bottleneck_share);
    strbuf_add(out, ", ");
    add_name(out, "reason", r->reason);
    json_processors(r, out);
    json_links(r, out);
    json_memories(r, out);
    json_work(r, out);
    strbuf_add(out, "\n}\n");
}
