// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All measurements as one JSON object. Times are in seconds, rates a second, spreads parts of one.
#include <string.h>

#include "characterize/characterize.h"
#include "support/strbuf.h"

static void add_key(strbuf *b, const char *key)
{
    if (b->data[b->len - 1] != '{' && b->data[b->len - 1] != '[')
        strbuf_add(b, ",");
    strbuf_add(b, "\n");
    if (key == NULL)
        return;
    strbuf_add_quoted(b, key, strlen(key));
    strbuf_add(b, ": ");
}

static void add_string(strbuf *b, const char *key, const char *text)
{
    add_key(b, key);
    strbuf_add_quoted(b, text, strlen(text));
}

static void add_number(strbuf *b, const char *key, double value)
{
    add_key(b, key);
    strbuf_printf(b, "%.6g", value);
}

static void add_measurement(strbuf *b, const char *key, measurement m)
{
    add_key(b, key);
    strbuf_printf(b, "{\"seconds\": %.6g, \"spread\": %.4f}", m.seconds, m.spread);
}

static void add_level(strbuf *b, const char *key, const data_level *level)
{
    add_key(b, key);
    strbuf_add(b, "{");
    add_measurement(b, "latency", level->latency);
    add_measurement(b, "sequential_byte", level->sequential);
    add_measurement(b, "random_byte", level->random);
    strbuf_add(b, "}");
}

static void add_operations(strbuf *b, const operation_costs *costs)
{
    add_key(b, "operations");
    strbuf_add(b, "{");
    for (machine_operation op = 0; op < MACHINE_OP_COUNT; op++) {
        add_key(b, machine_operation_text(op));
        strbuf_add(b, "{");
        for (int w = 0; w < WIDTHS; w++)
            if (costs->of[op][w].seconds > 0)
                add_measurement(b, w == 0 ? "scalar" : arena_printf(b->arena, "%u B", operation_widths[w]),
                                costs->of[op][w]);
        strbuf_add(b, "}");
    }
    strbuf_add(b, "}");
}

static void add_figure(strbuf *b, const figure *f)
{
    add_key(b, NULL);
    strbuf_add(b, "{");
    add_string(b, "name", f->file);
    add_string(b, "title", f->title);
    add_string(b, "x", f->x_label == NULL ? "" : f->x_label);
    add_string(b, "y", f->y_label);
    add_key(b, "curves");
    strbuf_add(b, "[");
    for (VEC_EACH(const curve, c, &f->curves)) {
        add_key(b, NULL);
        strbuf_add(b, "{");
        add_string(b, "name", c->name);
        add_key(b, "points");
        strbuf_add(b, "[");
        for (size_t i = 0; i < c->points.len; i++) {
            const curve_point *p = &c->points.data[i];
            strbuf_add(b, i == 0 ? "[" : ", [");
            if (f->labels.len > 0)
                strbuf_add_quoted(b, f->labels.data[(size_t)p->x], strlen(f->labels.data[(size_t)p->x]));
            else
                strbuf_printf(b, "%.6g", p->x);
            strbuf_printf(b, ", %.6g, %.4f]", p->y, p->spread);
        }
        strbuf_add(b, "]}");
    }
    strbuf_add(b, "]}");
}

static void add_data(strbuf *b, const results *r)
{
    add_key(b, "memory");
    strbuf_add(b, "{");
    add_number(b, "set_bytes", (double)r->data.largest);
    add_level(b, "main", &r->data.memory);
    for (size_t i = 0; i < r->topology.caches.len && i < MAX_CACHES; i++)
        add_level(b, arena_printf(b->arena, "L%u", r->topology.caches.data[i].level), &r->data.caches[i]);
    add_measurement(b, "copied_byte", r->data.copy);
    uint64_t sizes[MAX_CACHES];
    size_t levels = find_levels(&r->data.latency.curves.data[0], sizes);
    add_key(b, "levels_of_latency_end_at");
    strbuf_add(b, "[");
    for (size_t i = 0; i < levels; i++)
        strbuf_printf(b, "%s%llu", i == 0 ? "" : ", ", (unsigned long long)sizes[i]);
    strbuf_add(b, "]");
    strbuf_add(b, "}");
}

static void add_kernels(strbuf *b, const char *key, const runtime_results *r)
{
    add_key(b, key);
    strbuf_add(b, "{");
    add_measurement(b, "run_wait", r->run_wait);
    add_number(b, "start_seconds", r->start);
    add_number(b, "stop_seconds", r->stop);
    add_measurement(b, "queued", r->queued);
    add_measurement(b, "transfer", r->transfer);
    strbuf_add(b, "}");
}

static void add_runtime(strbuf *b, const results *r)
{
    add_kernels(b, "kernels_on_one_thread", &r->one_thread);
    add_kernels(b, "kernels_on_threads", &r->threads);
    add_key(b, "streams");
    strbuf_add(b, "{");
    add_measurement(b, "push_acquire", r->cores.push_acquire);
    add_measurement(b, "push_send", r->cores.push_send);
    add_measurement(b, "pop_acquire", r->cores.pop_acquire);
    add_measurement(b, "pop_discard", r->cores.pop_discard);
    if (r->cores.two) {
        add_measurement(b, "latency", r->cores.latency);
        add_number(b, "bytes_per_second", r->cores.bandwidth);
        add_number(b, "block_seconds", r->cores.block);
    }
    strbuf_add(b, "}");
}

const char *results_json(arena *a, const results *r)
{
    strbuf b;
    strbuf_init(&b, a);
    strbuf_add(&b, "{");
    add_string(&b, "processor", r->topology.cpu);
    add_number(&b, "cores", (double)r->topology.cores);
    add_number(&b, "kernel_processors", (double)r->settings.processors);
    add_measurement(&b, "cycle", r->cycle);
    add_number(&b, "simd_width", r->settings.width);
    add_number(&b, "repetitions", r->settings.repetitions * r->settings.rounds);
    add_number(&b, "seconds", r->seconds);
    add_number(&b, "load", r->load);
    add_operations(&b, &r->operations);
    add_data(&b, r);
    add_runtime(&b, r);
    add_key(&b, "figures");
    strbuf_add(&b, "[");
    figure_list figures = results_figures(a, r);
    for (VEC_EACH(const figure *, f, &figures))
        add_figure(&b, *f);
    strbuf_add(&b, "]\n}\n");
    return b.data;
}
