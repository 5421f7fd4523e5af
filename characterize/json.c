// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All measurements as one JSON object. Times are in seconds, rates a second, spreads parts of one.
#include <string.h>

#include "characterize/characterize.h"
#include "support/json.h"
#include "support/strbuf.h"

static void add_number(json_out *j, const char *key, double value)
{
    json_number_to(j, key, value, 6);
}

static void add_measurement(json_out *j, const char *key, measurement m)
{
    json_line(j, 0);
    json_begin(j, key, '{');
    json_number_to(j, "seconds", m.seconds, 6);
    json_number_to(j, "spread", m.spread, 4);
    json_end(j, '}');
}

static void add_level(json_out *j, const char *key, const data_level *level)
{
    json_line(j, 0);
    json_begin(j, key, '{');
    add_measurement(j, "latency", level->latency);
    add_measurement(j, "sequential_byte", level->sequential);
    add_measurement(j, "random_byte", level->random);
    json_end(j, '}');
}

static void add_operations(arena *a, json_out *j, const operation_costs *costs)
{
    json_begin(j, "operations", '{');
    for (machine_operation op = 0; op < MACHINE_OP_COUNT; op++) {
        json_line(j, 0);
        json_begin(j, machine_operation_text(op), '{');
        for (int w = 0; w < WIDTHS; w++)
            if (costs->of[op][w].seconds > 0)
                add_measurement(j, w == 0 ? "scalar" : arena_printf(a, "%u B", operation_widths[w]), costs->of[op][w]);
        json_end(j, '}');
    }
    json_end(j, '}');
}

static void add_figure(json_out *j, const figure *f)
{
    json_line(j, 0);
    json_begin(j, NULL, '{');
    json_text(j, "name", f->file);
    json_text(j, "title", f->title);
    json_text(j, "x", f->x_label == NULL ? "" : f->x_label);
    json_text(j, "y", f->y_label);
    json_begin(j, "curves", '[');
    for (VEC_EACH(const curve, c, &f->curves)) {
        json_line(j, 0);
        json_begin(j, NULL, '{');
        json_text(j, "name", c->name);
        json_begin(j, "points", '[');
        for (size_t i = 0; i < c->points.len; i++) {
            const curve_point *p = &c->points.data[i];
            json_begin(j, NULL, '[');
            if (f->labels.len > 0)
                json_text(j, NULL, f->labels.data[(size_t)p->x]);
            else
                add_number(j, NULL, p->x);
            add_number(j, NULL, p->y);
            json_number_to(j, NULL, p->spread, 4);
            json_end(j, ']');
        }
        json_end(j, ']');
        json_end(j, '}');
    }
    json_end(j, ']');
    json_end(j, '}');
}

static void add_data(arena *a, json_out *j, const results *r)
{
    json_begin(j, "memory", '{');
    add_number(j, "set_bytes", (double)r->data.largest);
    add_level(j, "main", &r->data.memory);
    for (size_t i = 0; i < r->topology.caches.len && i < MAX_CACHES; i++)
        add_level(j, arena_printf(a, "L%u", r->topology.caches.data[i].level), &r->data.caches[i]);
    add_measurement(j, "copied_byte", r->data.copy);
    uint64_t sizes[MAX_CACHES];
    size_t levels = find_levels(&r->data.latency.curves.data[0], sizes);
    json_begin(j, "levels_of_latency_end_at", '[');
    for (size_t i = 0; i < levels; i++)
        json_count(j, NULL, sizes[i]);
    json_end(j, ']');
    json_end(j, '}');
}

static void add_kernels(json_out *j, const char *key, const runtime_results *r)
{
    json_line(j, 0);
    json_begin(j, key, '{');
    add_measurement(j, "run_wait", r->run_wait);
    add_number(j, "start_seconds", r->start);
    add_number(j, "stop_seconds", r->stop);
    add_measurement(j, "queued", r->queued);
    add_measurement(j, "transfer", r->transfer);
    json_end(j, '}');
}

static void add_runtime(json_out *j, const results *r)
{
    add_kernels(j, "kernels_on_one_thread", &r->one_thread);
    add_kernels(j, "kernels_on_threads", &r->threads);
    json_begin(j, "streams", '{');
    add_measurement(j, "push_acquire", r->cores.push_acquire);
    add_measurement(j, "push_send", r->cores.push_send);
    add_measurement(j, "pop_acquire", r->cores.pop_acquire);
    add_measurement(j, "pop_discard", r->cores.pop_discard);
    if (r->cores.two) {
        add_measurement(j, "latency", r->cores.latency);
        add_number(j, "bytes_per_second", r->cores.bandwidth);
        add_number(j, "block_seconds", r->cores.block);
    }
    json_end(j, '}');
}

const char *results_json(arena *a, const results *r)
{
    strbuf b;
    strbuf_init(&b, a);
    json_out j = strbuf_json(&b);
    json_begin(&j, NULL, '{');
    json_text(&j, "processor", r->topology.cpu);
    add_number(&j, "cores", (double)r->topology.cores);
    add_number(&j, "kernel_processors", (double)r->settings.processors);
    add_measurement(&j, "cycle", r->cycle);
    add_number(&j, "simd_width", r->settings.width);
    add_number(&j, "repetitions", r->settings.repetitions * r->settings.rounds);
    add_number(&j, "seconds", r->seconds);
    add_number(&j, "load", r->load);
    add_operations(a, &j, &r->operations);
    add_data(a, &j, r);
    add_runtime(&j, r);
    json_begin(&j, "figures", '[');
    figure_list figures = results_figures(a, r);
    for (VEC_EACH(const figure *, f, &figures))
        add_figure(&j, *f);
    json_end(&j, ']');
    json_line(&j, 0);
    json_end(&j, '}');
    strbuf_addc(&b, '\n');
    return b.data;
}
