// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The trace as a Gantt chart in SVG: all of it when that is little, else a stretch of its middle half.
#include <math.h>
#include <string.h>

#include "sim/trace.h"
#include "support/quantity.h"
#include "support/svg.h"

enum { WIDTH = 1280, ROW = 26, BAR = 20, TOP = 64, RIGHT = 24, LETTER = 7, DRAW_IN_ROW = 30, STRETCHES = 6 };

static const char *const activity_colors[SIM_ACTIVITY_COUNT + 1] = {
#define ACTIVITY(id, text, group, color) [SIM_##id] = color,
#include "sim/activities.def"
#undef ACTIVITY
    [SIM_ACTIVITY_COUNT] = "#9c6f9e",
};

typedef struct chart {
    sim *sim;
    strbuf *out;
    sim_time begin, end;
    size_t *lines; // of each row of the trace: 1 + its place in the chart, 0 when it has none
    size_t line_count, left;
    quantity_unit unit; // of all times
    bool used[SIM_ACTIVITY_COUNT + 1];
} chart;

static double x_of(const chart *c, sim_time t)
{
    double span = (double)(c->end - c->begin), width = (double)(WIDTH - RIGHT) - (double)c->left;
    return (double)c->left + (double)(t - c->begin) / (span > 0 ? span : 1) * width;
}

// The latest end of a stretch in which there is no more than that. Intervals are in no strict order: what is known of the
// future is noted early.
static sim_time end_of_stretch(const sim *s, sim_time begin, sim_time end, size_t most)
{
    sim_time low = begin + 1;
    while (low < end) {
        sim_time middle = low + (end - low + 1) / 2;
        size_t count = 0;
        for (VEC_EACH(const sim_interval, v, &s->trace))
            count += v->end > begin && v->begin < middle;
        if (count <= most)
            low = middle;
        else
            end = middle - 1;
    }
    return low;
}

// The longest of some in the middle of the run: one may fall into many short intervals that come together once a round.
static void choose_stretch(chart *c, size_t most)
{
    sim_time all = c->end, longest = 0;
    for (int i = 0; i < STRETCHES; i++) {
        sim_time begin = all / (2 * STRETCHES) * (STRETCHES / 2 + i), end = end_of_stretch(c->sim, begin, all, most);
        if (end - begin <= longest)
            continue;
        longest = end - begin;
        c->begin = begin;
        c->end = end;
    }
}

// The stretch to draw, and which rows have something in it.
static void choose_window(chart *c)
{
    const sim *s = c->sim;
    bool *rows = ARENA_ARRAY(c->out->arena, bool, s->row_count);
    size_t draw = 0;
    for (VEC_EACH(const sim_interval, v, &s->trace)) {
        draw += rows[v->row] ? 0 : DRAW_IN_ROW;
        rows[v->row] = true;
    }
    for (VEC_EACH(const sim_interval, v, &s->trace))
        c->end = v->end > c->end ? v->end : c->end;
    if (s->trace.len > 3 * draw)
        choose_stretch(c, draw);
    bool *seen = ARENA_ARRAY(c->out->arena, bool, s->row_count);
    for (VEC_EACH(const sim_interval, v, &s->trace))
        if (v->end > c->begin && v->begin < c->end) {
            seen[v->row] = true;
            c->used[v->activity] = true;
        }
    c->lines = ARENA_ARRAY(c->out->arena, size_t, s->row_count);
    size_t longest = 0;
    for (size_t row = 0; row < s->row_count; row++) {
        sim_row_kind kind;
        if (!seen[row])
            continue;
        c->lines[row] = ++c->line_count;
        size_t n = strlen(sim_row_name(c->sim, row, &kind));
        longest = n > longest ? n : longest;
    }
    c->left = 24 + longest * LETTER;
}

// ---- Parts ----

static void draw_bar(chart *c, const sim_interval *v)
{
    sim_time begin = v->begin < c->begin ? c->begin : v->begin, end = v->end > c->end ? c->end : v->end;
    double x = x_of(c, begin), width = x_of(c, end) - x;
    size_t y = TOP + (c->lines[v->row] - 1) * ROW + (ROW - BAR) / 2;
    bool message = v->activity == SIM_ACTIVITY_COUNT;
    bool waits = !message && sim_activity_group_of((sim_activity)v->activity) == SIM_WAIT;
    const char *what = message ? "message" : sim_activity_text((sim_activity)v->activity);
    strbuf_printf(c->out, "<rect x=\"%.2f\" y=\"%zu\" width=\"%.2f\" height=\"%d\" fill=\"%s\"%s><title>", x, y,
                  width < 0.4 ? 0.4 : width, BAR, activity_colors[v->activity],
                  waits ? "" : " stroke=\"#fff\" stroke-width=\"0.4\"");
    strbuf_add(c->out, what);
    if (v->label != NULL) {
        strbuf_add(c->out, ": ");
        svg_add_text(c->out, v->label, SIZE_MAX);
    }
    double one = c->unit.seconds * (double)SIM_SECOND;
    strbuf_printf(c->out, ", %.10g to %.10g %s", (double)v->begin / one, (double)v->end / one, c->unit.name);
    if (message)
        strbuf_printf(c->out, ", %llu bytes", (unsigned long long)v->bytes);
    strbuf_add(c->out, "</title></rect>\n");
    const char *text = v->label != NULL ? v->label : what;
    if (width < (double)(strlen(text) * LETTER + 6))
        return;
    svg_text(c->out, x + width / 2, (double)(y + BAR / 2 + 4), waits ? "name" : "light", text, SIZE_MAX);
}

static void draw_rows(chart *c)
{
    for (size_t row = 0; row < c->sim->row_count; row++) {
        if (c->lines[row] == 0)
            continue;
        sim_row_kind kind;
        size_t y = TOP + (c->lines[row] - 1) * ROW;
        if (c->lines[row] % 2 == 1)
            strbuf_printf(c->out, "<rect x=\"0\" y=\"%zu\" width=\"%d\" height=\"%d\" class=\"band\"/>\n", y, WIDTH,
                          ROW);
        svg_text(c->out, 12, (double)(y + ROW / 2 + 4), "left", sim_row_name(c->sim, row, &kind), SIZE_MAX);
    }
}

static void draw_axis(chart *c)
{
    double span = (double)(c->end - c->begin), step = svg_round(span / 8, false),
           one = c->unit.seconds * (double)SIM_SECOND;
    double bottom = (double)(TOP + c->line_count * ROW);
    for (double t = ceil((double)c->begin / step) * step; t <= (double)c->end; t += step) {
        double x = x_of(c, (sim_time)t);
        svg_line(c->out, x, TOP, x, bottom + 4, "scale");
        svg_text(c->out, x, bottom + 17, "middle", arena_printf(c->out->arena, "%.7g", t / one), SIZE_MAX);
    }
    svg_text(c->out, WIDTH - RIGHT, bottom + 33, "right", arena_printf(c->out->arena, "time (%s)", c->unit.name),
             SIZE_MAX);
}

// Rows of the legend that are needed; drawn if `draw`.
static size_t legend(chart *c, bool draw)
{
    double x = (double)c->left;
    size_t rows = 1;
    strbuf nothing;
    strbuf_init(&nothing, c->out->arena);
    for (size_t i = 0; i <= SIM_ACTIVITY_COUNT; i++) {
        if (!c->used[i])
            continue;
        const char *text = i == SIM_ACTIVITY_COUNT ? "message" : sim_activity_text((sim_activity)i);
        if (x + 32 + svg_text_width(text, SIZE_MAX) > WIDTH - RIGHT) {
            x = (double)c->left;
            rows++;
        }
        x = svg_legend(draw ? c->out : &nothing, x, (double)(TOP + c->line_count * ROW + 24 + 20 * rows),
                       activity_colors[i], text);
    }
    return rows;
}

void sim_trace_gantt(sim *s, const char *title, strbuf *out)
{
    chart c = {.sim = s, .out = out};
    choose_window(&c);
    c.unit = quantity_unit_for(sim_to_seconds(c.end));
    bool any = c.line_count > 0 && c.end > c.begin;
    svg_begin(out, WIDTH, (double)(TOP + c.line_count * ROW + (any ? 46 + 20 * legend(&c, false) : 12)), "gantt",
              title);
    svg_text(out, 12, 26, "title", title, SIZE_MAX);
    svg_text(out, 12, 46, "left",
             c.line_count == 0
                 ? "nothing was recorded"
                 : arena_printf(out->arena, "%s, %s to %s %s", c.begin == 0 ? "from the start" : "a stretch of the run",
                                c.begin == 0 ? "0" : quantity_seconds_in(out->arena, sim_to_seconds(c.begin), c.unit),
                                quantity_seconds_in(out->arena, sim_to_seconds(c.end), c.unit), c.unit.name),
             SIZE_MAX);
    draw_rows(&c);
    if (any) {
        draw_axis(&c);
        for (VEC_EACH(const sim_interval, v, &s->trace))
            if (v->end > c.begin && v->begin < c.end)
                draw_bar(&c, v);
        legend(&c, true);
    }
    svg_end(out);
}
