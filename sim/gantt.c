// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The trace as a Gantt chart in SVG: all of it when that is little, else a stretch of its middle half.
#include <math.h>
#include <string.h>

#include "sim/trace.h"

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
    bool used[SIM_ACTIVITY_COUNT + 1];
} chart;

static void add_escaped(strbuf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '<')
            strbuf_add(out, "&lt;");
        else if (c == '&')
            strbuf_add(out, "&amp;");
        else if (c == '"')
            strbuf_add(out, "&quot;");
        else
            strbuf_addc(out, c < 0x20 || c == 0x7f ? ' ' : (char)c);
    }
}

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
        add_escaped(c->out, v->label);
    }
    strbuf_printf(c->out, ", %.10g to %.10g us", (double)v->begin / 1e9, (double)v->end / 1e9);
    if (message)
        strbuf_printf(c->out, ", %llu bytes", (unsigned long long)v->bytes);
    strbuf_add(c->out, "</title></rect>\n");
    const char *text = v->label != NULL ? v->label : what;
    if (width < (double)(strlen(text) * LETTER + 6))
        return;
    strbuf_printf(c->out, "<text x=\"%.2f\" y=\"%zu\" class=\"in\" style=\"fill: %s\">", x + width / 2, y + BAR / 2 + 4,
                  waits ? "#777" : "#fff");
    add_escaped(c->out, text);
    strbuf_add(c->out, "</text>\n");
}

static void draw_rows(chart *c)
{
    for (size_t row = 0; row < c->sim->row_count; row++) {
        if (c->lines[row] == 0)
            continue;
        sim_row_kind kind;
        size_t y = TOP + (c->lines[row] - 1) * ROW;
        if (c->lines[row] % 2 == 1)
            strbuf_printf(c->out, "<rect x=\"0\" y=\"%zu\" width=\"%d\" height=\"%d\" fill=\"#f7f7f7\"/>\n", y, WIDTH,
                          ROW);
        strbuf_printf(c->out, "<text x=\"12\" y=\"%zu\" class=\"row\">", y + ROW / 2 + 4);
        add_escaped(c->out, sim_row_name(c->sim, row, &kind));
        strbuf_add(c->out, "</text>\n");
    }
}

static void draw_axis(chart *c)
{
    static const struct {
        double femtoseconds;
        const char *name;
    } units[] = {{1e15, "s"}, {1e12, "ms"}, {1e9, "us"}, {1e6, "ns"}};
    double span = (double)(c->end - c->begin), step = pow(10, floor(log10(span / 8)));
    step *= span / 8 / step >= 5 ? 5 : span / 8 / step >= 2 ? 2 : 1;
    size_t unit = 0, bottom = TOP + c->line_count * ROW;
    while (unit + 1 < sizeof units / sizeof *units && (double)c->end < units[unit].femtoseconds)
        unit++;
    for (double t = ceil((double)c->begin / step) * step; t <= (double)c->end; t += step) {
        double x = x_of(c, (sim_time)t);
        strbuf_printf(c->out,
                      "<line x1=\"%.2f\" y1=\"%d\" x2=\"%.2f\" y2=\"%zu\" stroke=\"#ccc\" stroke-width=\"0.6\"/>\n", x,
                      TOP, x, bottom + 4);
        strbuf_printf(c->out, "<text x=\"%.2f\" y=\"%zu\" class=\"tick\">%.7g</text>\n", x, bottom + 17,
                      t / units[unit].femtoseconds);
    }
    strbuf_printf(c->out, "<text x=\"%d\" y=\"%zu\" class=\"axis\">time (%s)</text>\n", WIDTH - RIGHT, bottom + 33,
                  units[unit].name);
}

static void draw_legend(chart *c)
{
    size_t x = c->left, y = TOP + c->line_count * ROW + 44;
    for (size_t i = 0; i <= SIM_ACTIVITY_COUNT; i++) {
        if (!c->used[i])
            continue;
        const char *text = i == SIM_ACTIVITY_COUNT ? "message" : sim_activity_text((sim_activity)i);
        size_t width = 26 + strlen(text) * LETTER;
        if (x + width > WIDTH - RIGHT) {
            x = c->left;
            y += 20;
        }
        strbuf_printf(
            c->out,
            "<rect x=\"%zu\" y=\"%zu\" width=\"12\" height=\"12\" fill=\"%s\" stroke=\"#999\" stroke-width=\"0.4\"/>"
            "<text x=\"%zu\" y=\"%zu\" class=\"row\">%s</text>\n",
            x, y, activity_colors[i], x + 17, y + 10, text);
        x += width;
    }
}

void sim_trace_gantt(sim *s, const char *title, strbuf *out)
{
    chart c = {.sim = s, .out = out};
    choose_window(&c);
    size_t height = TOP + c.line_count * ROW + 110;
    strbuf_printf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %zu\" width=\"%d\" height=\"%zu\" "
                  "class=\"gantt\">\n",
                  WIDTH, height, WIDTH, height);
    // Of this chart alone, as it may be put into a page with others.
    strbuf_add(out, "<style>.gantt text { font: 12px sans-serif; fill: #222 }\n"
                    ".gantt .title { font-size: 15px; font-weight: bold } .gantt .in { font-size: 11px; text-anchor: middle }\n"
                    ".gantt .tick { text-anchor: middle; fill: #555 } .gantt .axis { text-anchor: end; fill: #555 }</style>\n"
                    "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<text x=\"12\" y=\"26\" class=\"title\">");
    add_escaped(out, title);
    strbuf_add(out, "</text>\n<text x=\"12\" y=\"46\">");
    if (c.line_count == 0)
        strbuf_add(out, "nothing was recorded");
    else
        strbuf_printf(out, "%s, %.6g to %.6g us", c.begin == 0 ? "from the start" : "a stretch of the run",
                      (double)c.begin / 1e9, (double)c.end / 1e9);
    strbuf_add(out, "</text>\n");
    draw_rows(&c);
    if (c.line_count > 0 && c.end > c.begin) {
        draw_axis(&c);
        for (VEC_EACH(const sim_interval, v, &s->trace))
            if (v->end > c.begin && v->begin < c.end)
                draw_bar(&c, v);
        draw_legend(&c);
    }
    strbuf_add(out, "</svg>\n");
}
