// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The history of a search as a table, and the graph that it found as a file.
#include <string.h>

#include "hlc/taskmap/taskmap.h"

static void add_time(strbuf *out, double seconds)
{
    static const struct {
        double least, factor;
        const char *unit;
    } units[] = {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "us"}, {0, 1e9, "ns"}};
    size_t i = 0;
    while (seconds < units[i].least)
        i++;
    if (seconds == 0)
        strbuf_printf(out, " %11s", "-");
    else
        strbuf_printf(out, " %8.4g %-2s", seconds * units[i].factor, units[i].unit);
}

void taskmap_print_history(const taskmap_result *r, strbuf *out)
{
    strbuf_printf(out, "step   simulated   predicted  an iteration; bottleneck; what was changed\n");
    for (size_t i = 0; i < r->history.len; i++) {
        const taskmap_step *s = &r->history.data[i];
        strbuf_printf(out, "%4zu", i);
        add_time(out, s->seconds);
        add_time(out, s->predicted);
        strbuf_printf(out, " %c %-24s %s\n", s->kept ? '*' : ' ', s->bottleneck == NULL ? "deadlock" : s->bottleneck,
                      s->change);
    }
    strbuf_printf(out, "found:");
    add_time(out, r->seconds);
    strbuf_printf(out, " an iteration on %llu of %llu processors; bound:", (unsigned long long)r->processors,
                  (unsigned long long)r->available);
    add_time(out, r->bound.seconds);
    strbuf_printf(out, " (%s); ratio %.4f\n", map_limit_text(out->arena, &r->bound), r->bound.seconds / r->seconds);
    if (r->iterations > 1)
        strbuf_printf(out, "an iteration of the mapped graph is %llu of the given one's\n",
                      (unsigned long long)r->iterations);
    if (r->cut_off)
        strbuf_printf(out, "the time given ended the search: another run may find something else\n");
}

static void add_name(strbuf *out, const char *name)
{
    bool plain = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-") == strlen(name);
    if (plain)
        strbuf_add(out, name);
    else
        strbuf_add_quoted(out, name, strlen(name));
}

static void add_subtask(const graph *g, const graph_subtask *sub, strbuf *out)
{
    strbuf_add(out, "      - {acquire: [");
    for (size_t i = 0; i < sub->acquire.len; i++) {
        const graph_port *p = &sub->acquire.data[i];
        strbuf_printf(out, "%s{%s: ", i == 0 ? "" : ", ", p->push ? "push" : "pop");
        add_name(out, g->streams.data[p->stream].name);
        strbuf_printf(out, ", elements: %llu}", (unsigned long long)p->elements);
    }
    strbuf_printf(out, "], time: %.0f ps}\n", sub->time.amount * 1e12);
}

static void add_buffer(strbuf *out, const char *key, const graph_buffer *b)
{
    strbuf_printf(out, ",\n     %s: {memory: ", key);
    add_name(out, b->memory_name);
    strbuf_printf(out, ", length: %llu", (unsigned long long)b->length);
    if (b->history > 0)
        strbuf_printf(out, ", history: %llu", (unsigned long long)b->history);
    strbuf_add(out, "}");
}

void taskmap_print_graph(const taskmap_result *r, const machine *m, strbuf *out)
{
    const graph *g = r->graph;
    strbuf_add(out, "graph: ");
    add_name(out, g->name);
    strbuf_add(out, "\nmachine: ");
    add_name(out, m->name);
    strbuf_printf(out, "\niterations: %llu\niteration: {task: ", (unsigned long long)g->iterations);
    add_name(out, g->tasks.data[g->iteration_task].name);
    strbuf_printf(out, ", subtasks: %llu}\ntasks:\n", (unsigned long long)g->iteration_subtasks);
    for (VEC_EACH(const graph_task, t, &g->tasks)) {
        strbuf_add(out, "  ");
        add_name(out, t->name);
        strbuf_add(out, ":\n    processor: ");
        add_name(out, t->processor_name);
        strbuf_printf(out, "%s\n    subtasks:\n", t->io ? "\n    io: true" : "");
        for (VEC_EACH(const graph_subtask, sub, &t->subtasks))
            add_subtask(g, sub, out);
    }
    strbuf_add(out, g->streams.len == 0 ? "" : "streams:\n");
    for (VEC_EACH(const graph_stream, s, &g->streams)) {
        strbuf_add(out, "  ");
        add_name(out, s->name);
        strbuf_printf(out, ":\n    {element: %llu B, from: ", (unsigned long long)s->element);
        add_name(out, g->tasks.data[s->from].name);
        strbuf_add(out, ", to: ");
        add_name(out, g->tasks.data[s->to].name);
        strbuf_printf(out, ", push: %llu, pop: %llu", (unsigned long long)s->push, (unsigned long long)s->pop);
        if (s->prequeued > 0)
            strbuf_printf(out, ", prequeue: %llu", (unsigned long long)s->prequeued);
        if (s->shared) {
            add_buffer(out, "shared", &s->producer);
        } else {
            add_buffer(out, "producer", &s->producer);
            add_buffer(out, "consumer", &s->consumer);
        }
        strbuf_add(out, "}\n");
    }
}
