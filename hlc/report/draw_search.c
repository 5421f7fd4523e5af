// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The history of a mapping search: time of a steady state upwards, tries from left to right. Each method has as much of the
// width as another, as one tries dozens of mappings and the next a hundred thousand.
#include <inttypes.h>

#include "hlc/report/draw.h"
#include "support/quantity.h"
#include "support/svg.h"

#define CHART_LEFT 92.0
#define CHART_TOP 40.0
#define CHART_WIDTH 760.0
#define CHART_HEIGHT 200.0
#define CHART_BELOW 34.0
#define CHART_RIGHT 130.0
#define SHOWN 2.0 // so many times as much above the even assignment as lies between that and the bound

typedef struct chart {
    arena *arena;
    strbuf *out;
    const draw_search_history *h;
    double least, most; // seconds shown
} chart;

size_t draw_search_end(const draw_search_history *h, size_t from)
{
    size_t end = from + 1;
    while (end < h->count && h->moments[end].stage == h->moments[from].stage)
        end++;
    return end;
}

static double y_of(const chart *c, double seconds)
{
    seconds = seconds < c->most ? seconds : c->most;
    return CHART_TOP + CHART_HEIGHT * (1 - (seconds - c->least) / (c->most - c->least));
}

static void find_range(chart *c)
{
    const draw_search_history *h = c->h;
    double least = h->first, most = h->first;
    for (size_t i = 0; i < h->count; i++) {
        const map_moment *m = &h->moments[i];
        least = m->lower > 0 && m->lower / h->strip < least ? m->lower / h->strip : least;
        most = m->seconds / h->strip > most ? m->seconds / h->strip : most;
    }
    // The first tries may take many times as long: what comes after them would be a line along the bottom.
    double top = h->first + SHOWN * (h->first - least) + h->first * 0.02;
    most = most < top ? most : top;
    double margin = (most - least) * 0.05 + most * 1e-3;
    c->least = least > margin ? least - margin : 0;
    c->most = most + margin;
}

// label: where its name stands, up or down from the line.
static void draw_level(const chart *c, double seconds, const char *color, const char *dashes, const char *name,
                       double label)
{
    double y = y_of(c, seconds);
    strbuf_printf(c->out,
                  "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-dasharray=\"%s\"/>\n",
                  CHART_LEFT, y, CHART_LEFT + CHART_WIDTH, y, color, dashes);
    svg_text(c->out, CHART_LEFT + CHART_WIDTH + 6, y + label, "left", name, 40);
}

static void draw_scale(const chart *c)
{
    quantity_unit unit = quantity_unit_for(c->most);
    for (int i = 0; i <= 4; i++) {
        double seconds = c->least + (c->most - c->least) * i / 4, y = y_of(c, seconds);
        svg_line(c->out, CHART_LEFT - 4, y, CHART_LEFT + CHART_WIDTH, y, "scale");
        svg_text(c->out, CHART_LEFT - 8, y + 4, "right",
                 arena_printf(c->arena, "%s %s", quantity_seconds_in(c->arena, seconds, unit), unit.name), 30);
    }
}

// The steps of one method, in a column of its own.
static void draw_method(const chart *c, size_t from, size_t end, double left, double width, size_t number)
{
    const map_moment *m = c->h->moments;
    uint64_t first = m[from].step, last = m[end - 1].step;
    last = last > first ? last : first + 1;
    svg_box(c->out, left, CHART_TOP, width, CHART_HEIGHT, svg_color(number), "none", NULL);
    svg_text(c->out, left + width / 2, CHART_TOP - 8, "middle", map_stage_name(m[from].stage), 40);
    svg_text(c->out, left + width / 2, CHART_TOP + CHART_HEIGHT + 16, "middle",
             arena_printf(c->arena, "%" PRIu64 " %s", m[end - 1].step - first,
                          m[from].stage == MAP_INTEGER ? "nodes" : "tries"),
             60);
    double best = 0, at = left;
    strbuf path;
    strbuf_init(&path, c->arena);
    for (size_t i = from; i < end; i++) {
        double seconds = m[i].seconds / c->h->strip;
        double x = left + width * (double)(m[i].step - first) / (double)(last - first);
        if (seconds <= 0)
            continue;
        if (best > 0)
            strbuf_printf(&path, " H%.1f", x);
        strbuf_printf(&path, best > 0 ? " V%.1f" : "M%.1f,%.1f", best > 0 ? y_of(c, seconds) : x, y_of(c, seconds));
        best = seconds;
        at = x;
    }
    if (best > 0 && at < left + width)
        strbuf_printf(&path, " H%.1f", left + width);
    if (best > 0)
        strbuf_printf(c->out, "<path d=\"%s\" fill=\"none\" stroke=\"#234f7d\" stroke-width=\"1.6\"/>\n", path.data);
}

static void draw_points(const chart *c, size_t from, size_t end, double left, double width)
{
    const map_moment *m = c->h->moments;
    uint64_t first = m[from].step, last = m[end - 1].step;
    last = last > first ? last : first + 1;
    for (size_t i = from; i < end; i++) {
        double seconds = m[i].seconds / c->h->strip;
        if (seconds <= 0 || seconds > c->most || (i > 0 && m[i].seconds == m[i - 1].seconds))
            continue;
        strbuf_printf(c->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\" fill=\"#234f7d\"><title>",
                      left + width * (double)(m[i].step - first) / (double)(last - first), y_of(c, seconds));
        svg_add_text(c->out,
                     arena_printf(c->arena, "try %" PRIu64 ": %s a steady state", m[i].step,
                                  quantity_seconds(c->arena, seconds)),
                     200);
        strbuf_add(c->out, "</title></circle>\n");
    }
}

void draw_search(arena *a, strbuf *out, const draw_search_history *h)
{
    chart c = {.arena = a, .out = out, .h = h};
    size_t methods = 0;
    for (size_t i = 0; i < h->count; i = draw_search_end(h, i))
        methods++;
    if (methods == 0)
        return;
    find_range(&c);
    svg_begin(out, CHART_LEFT + CHART_WIDTH + CHART_RIGHT, CHART_TOP + CHART_HEIGHT + CHART_BELOW, NULL,
              "the best mapping after so many tries");
    draw_scale(&c);
    double width = CHART_WIDTH / (double)methods, left = CHART_LEFT;
    size_t number = 0;
    for (size_t i = 0, end; i < h->count; i = end, left += width) {
        end = draw_search_end(h, i);
        draw_method(&c, i, end, left, width, number++);
        draw_points(&c, i, end, left, width);
    }
    draw_level(&c, h->first, "#999", "2 3", "assigned evenly", -2);
    draw_level(&c, h->moments[h->count - 1].lower / h->strip, "#b03a2e", "6 3", "lower bound", 10);
    svg_end(out);
}
