// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the figures say of themselves, and the one of operations.
#include "characterize/characterize.h"

static void name_figure(figure *f, const char *file, const char *title, const char *x, const char *y)
{
    f->file = file;
    f->title = title;
    f->x_label = x;
    f->y_label = y;
}

static void draw_operations(arena *a, const results *r, figure *f)
{
    for (machine_operation op = 0; op < MACHINE_OP_COUNT; op++)
        VEC_PUSH(a, &f->labels, machine_operation_text(op));
    for (int w = 0; w < WIDTHS; w++) {
        if (!operations_have_width(operation_widths[w]))
            continue;
        curve *c = figure_add(a, f, w == 0 ? "scalar" : arena_printf(a, "vectors of %u B", operation_widths[w]));
        for (machine_operation op = 0; op < MACHINE_OP_COUNT; op++) {
            measurement m = r->operations.of[op][w];
            if (m.seconds > 0)
                curve_add(a, c, op, 1e-9 / m.seconds, m.spread);
        }
    }
    f->log_y = true;
}

void name_figures(arena *a, results *r)
{
    data_results *d = &r->data;
    const char *note = arena_printf(a, "%s, %.2f GHz; best of %u repetitions", r->topology.cpu, 1e-9 / r->cycle.seconds,
                                    r->settings.rounds * r->settings.repetitions);
    draw_operations(a, r, &r->operation_figure);
    name_figure(&r->operation_figure, "operations", "Operations a second, by class and width", NULL,
                "10⁹ operations a second");
    name_figure(&r->registers, "registers", "Rate against live values", "values that are live",
                "10⁹ operations a second");
    name_figure(&d->bandwidth, "bandwidth", "Bandwidth against the set of data", "bytes in the set", "GB/s");
    name_figure(&d->latency, "latency", "Time of an access against the set of data", "bytes in the set", "ns");
    name_figure(&d->stride, "stride", "Bandwidth against the stride of 8 B reads", "bytes from one read to the next",
                "GB/s of what is read");
    name_figure(&r->cores.cores, "cores", "Blocks from core to core", "bytes in a block", "µs a block");
    d->bandwidth.log_x = d->latency.log_x = d->stride.log_x = r->cores.cores.log_x = true;
    d->bandwidth.log_y = d->latency.log_y = d->stride.log_y = r->cores.cores.log_y = true;
    d->bandwidth.bytes_x = d->latency.bytes_x = d->stride.bytes_x = r->cores.cores.bytes_x = true;
    r->operation_figure.note = r->registers.note = d->bandwidth.note = d->latency.note = d->stride.note = note;
    r->cores.cores.note = note;
}

figure_list results_figures(arena *a, const results *r)
{
    const figure *all[] = {&r->operation_figure, &r->registers,   &r->data.bandwidth,
                           &r->data.latency,     &r->data.stride, &r->cores.cores};
    figure_list list = {0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]->curves.len > 0)
            VEC_PUSH(a, &list, all[i]);
    return list;
}
