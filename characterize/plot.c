// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A figure as SVG: axes with round ticks, linear or logarithmic, curves or groups of bars, a legend above them.
#include <float.h>
#include <math.h>
#include <string.h>

#include "characterize/characterize.h"
#include "support/quantity.h"
#include "support/svg.h"

enum { WIDTH = 880, HEIGHT = 500, LEFT = 78, RIGHT = 40, TOP = 92, BOTTOM = 64, LABEL_BOTTOM = 132 };

typedef struct axis {
    bool log, bytes;
    double low, high; // values
    double from, to;  // where they are
    VEC(double) ticks;
} axis;

static double position(const axis *x, double value)
{
    double part = x->log ? log(value / x->low) / log(x->high / x->low) : (value - x->low) / (x->high - x->low);
    return x->from + part * (x->to - x->from);
}

// ---- Ticks ----

static void add_tick(arena *a, axis *x, double value)
{
    if (value >= x->low * (1 - 1e-9) && value <= x->high * (1 + 1e-9))
        VEC_PUSH(a, &x->ticks, value);
}

static void set_decades(arena *a, axis *x, double least, double most)
{
    x->low = svg_round(least, false);
    x->high = svg_round(most, true);
    if (x->high <= x->low)
        x->high = x->low * 10;
    bool all = x->high / x->low <= 1000;
    for (double decade = pow(10, floor(log10(x->low) + 1e-9)); decade <= x->high * 1.001; decade *= 10) {
        add_tick(a, x, decade);
        if (all) {
            add_tick(a, x, 2 * decade);
            add_tick(a, x, 5 * decade);
        }
    }
}

static void set_powers(arena *a, axis *x, double least, double most)
{
    int first = (int)floor(log2(least) + 1e-9), last = (int)ceil(log2(most) - 1e-9);
    if (last <= first)
        last = first + 1;
    x->low = exp2(first);
    x->high = exp2(last);
    int step = (last - first) / 11 + 1;
    for (int i = first; i <= last; i += step)
        add_tick(a, x, exp2(i));
}

static void set_linear(arena *a, axis *x, double most)
{
    double step = svg_round(most / 7, true);
    x->low = 0;
    x->high = ceil(most / step - 1e-9) * step;
    for (int i = 0; i * step <= x->high * 1.001; i++)
        VEC_PUSH(a, &x->ticks, i * step);
}

static axis make_axis(arena *a, const figure *f, bool vertical)
{
    axis x = {.log = vertical ? f->log_y : f->log_x, .bytes = !vertical && f->bytes_x};
    double least = DBL_MAX, most = 0;
    for (VEC_EACH(const curve, c, &f->curves))
        for (VEC_EACH(const curve_point, p, &c->points)) {
            double value = vertical ? p->y : p->x;
            if (value > 0 && value < least)
                least = value;
            if (value > most)
                most = value;
        }
    if (most <= 0)
        least = most = 1;
    if (x.log && x.bytes)
        set_powers(a, &x, least, most);
    else if (x.log)
        set_decades(a, &x, least, most);
    else
        set_linear(a, &x, most);
    return x;
}

// ---- Text ----

static const char *tick_text(arena *a, const axis *x, double value)
{
    if (!x->bytes)
        return arena_printf(a, "%g", value);
    return quantity_bytes(a, value);
}

// ---- Parts of the picture ----

// Turned by so many degrees around its place.
static void add_turned(strbuf *b, double x, double y, int degrees, const char *class, const char *text)
{
    strbuf_printf(b, "<g transform=\"rotate(%d %.1f %.1f)\">", degrees, x, y);
    svg_text(b, x, y, class, text, SIZE_MAX);
    strbuf_add(b, "</g>\n");
}

static void draw_frame(strbuf *b, const figure *f, const axis *x, const axis *y)
{
    arena *a = b->arena;
    for (VEC_EACH(const double, t, &y->ticks)) {
        double at = position(y, *t);
        svg_line(b, x->from, at, x->to, at, "scale");
        svg_text(b, x->from - 8, at + 4, "right", tick_text(a, y, *t), SIZE_MAX);
    }
    for (VEC_EACH(const double, t, &x->ticks)) {
        double at = position(x, *t);
        svg_line(b, at, y->to, at, y->from, "scale");
        svg_text(b, at, y->from + 18, "middle", tick_text(a, x, *t), SIZE_MAX);
    }
    strbuf_printf(b, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" stroke=\"#444444\"/>\n",
                  x->from, y->to, x->to - x->from, y->from - y->to);
    if (f->x_label != NULL)
        svg_text(b, (x->from + x->to) / 2, HEIGHT - 18, "middle", f->x_label, SIZE_MAX);
    add_turned(b, 22, (y->from + y->to) / 2, -90, "middle", f->y_label);
}

static void draw_marks(strbuf *b, const figure *f, const axis *x, const axis *y)
{
    for (size_t i = 0; i < f->marks.len; i++) {
        double value = f->marks.data[i].x, at;
        if (value < x->low || value > x->high)
            continue;
        at = position(x, value);
        svg_line(b, at, y->to, at, y->from, "mark");
        svg_text(b, at + 4, y->to + 14, "region", f->mark_names.data[i], SIZE_MAX);
    }
}

static void draw_curve(strbuf *b, const curve *c, const char *color, const axis *x, const axis *y)
{
    strbuf_printf(b, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", color);
    for (VEC_EACH(const curve_point, p, &c->points))
        strbuf_printf(b, "%.1f,%.1f ", position(x, p->x), position(y, p->y));
    strbuf_add(b, "\"/>\n");
    for (VEC_EACH(const curve_point, p, &c->points))
        strbuf_printf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>%g: %.4g</title></circle>\n",
                      position(x, p->x), position(y, p->y), color, p->x, p->y);
}

static void draw_bars(strbuf *b, const figure *f, const axis *x, const axis *y)
{
    double group = (x->to - x->from) / (double)f->labels.len, bar = group * 0.84 / (double)f->curves.len;
    for (size_t i = 0; i < f->labels.len; i++) {
        double at = x->from + ((double)i + 0.5) * group;
        add_turned(b, at + 4, y->from + 14, -40, "right", f->labels.data[i]);
    }
    for (size_t k = 0; k < f->curves.len; k++)
        for (VEC_EACH(const curve_point, p, &f->curves.data[k].points)) {
            double left = x->from + (p->x + 0.08) * group + (double)k * bar, top = position(y, p->y);
            strbuf_printf(b,
                          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>%s, %s: %.4g"
                          "</title></rect>\n",
                          left, top, bar * 0.92, y->from - top, svg_strong_color(k), f->labels.data[(size_t)p->x],
                          f->curves.data[k].name, p->y);
        }
}

static void draw_head(strbuf *b, const figure *f)
{
    svg_text(b, LEFT, 28, "title", f->title, SIZE_MAX);
    if (f->note != NULL)
        svg_text(b, LEFT, 48, "region", f->note, SIZE_MAX);
    double at = LEFT;
    for (size_t i = 0; i < f->curves.len && f->curves.len > 1; i++)
        at = svg_legend(b, at, 66, svg_strong_color(i), f->curves.data[i].name);
}

const char *figure_svg(arena *a, const figure *f)
{
    strbuf b;
    strbuf_init(&b, a);
    bool bars = f->labels.len > 0;
    axis x = bars ? (axis){0} : make_axis(a, f, false), y = make_axis(a, f, true);
    x.from = LEFT;
    x.to = WIDTH - RIGHT;
    y.from = HEIGHT - (bars ? LABEL_BOTTOM : BOTTOM);
    y.to = TOP;
    svg_begin(&b, WIDTH, HEIGHT, "figure", f->title);
    draw_head(&b, f);
    draw_frame(&b, f, &x, &y);
    if (bars) {
        draw_bars(&b, f, &x, &y);
    } else {
        draw_marks(&b, f, &x, &y);
        for (size_t i = 0; i < f->curves.len; i++)
            draw_curve(&b, &f->curves.data[i], svg_strong_color(i), &x, &y);
    }
    svg_end(&b);
    return b.data;
}
