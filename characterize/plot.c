// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A figure as SVG: axes with round ticks, linear or logarithmic, curves or groups of bars, a legend above them.
#include <float.h>
#include <math.h>
#include <string.h>

#include "characterize/characterize.h"
#include "support/strbuf.h"

enum { WIDTH = 880, HEIGHT = 500, LEFT = 78, RIGHT = 40, TOP = 92, BOTTOM = 64, LABEL_BOTTOM = 132, COLORS = 6 };
static const char *const colors[COLORS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9"};

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

// The nearest number 1, 2 or 5 times a power of ten that is not above (or, up, not below) value.
static double round_number(double value, bool up)
{
    static const double steps[] = {1, 2, 5, 10};
    double decade = pow(10, floor(log10(value) + 1e-9)), best = decade;
    for (int i = 0; i < 4; i++) {
        if (!up && steps[i] * decade <= value * (1 + 1e-9))
            best = steps[i] * decade;
        if (up && steps[i] * decade >= value * (1 - 1e-9))
            return steps[i] * decade;
    }
    return best;
}

static void set_decades(arena *a, axis *x, double least, double most)
{
    x->low = round_number(least, false);
    x->high = round_number(most, true);
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
    double step = round_number(most / 7, true);
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

static void add_text(strbuf *b, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '<')
            strbuf_add(b, "&lt;");
        else if (*text == '&')
            strbuf_add(b, "&amp;");
        else
            strbuf_addc(b, *text);
    }
}

static void add_label(strbuf *b, double x, double y, const char *attributes, const char *text)
{
    strbuf_printf(b, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    add_text(b, text);
    strbuf_add(b, "</text>\n");
}

static const char *tick_text(arena *a, const axis *x, double value)
{
    if (!x->bytes)
        return arena_printf(a, "%g", value);
    return value >= 1 << 30   ? arena_printf(a, "%g GiB", value / (1 << 30))
           : value >= 1 << 20 ? arena_printf(a, "%g MiB", value / (1 << 20))
           : value >= 1 << 10 ? arena_printf(a, "%g KiB", value / (1 << 10))
                              : arena_printf(a, "%g B", value);
}

// ---- Parts of the picture ----

static void add_line(strbuf *b, double x1, double y1, double x2, double y2, const char *style)
{
    strbuf_printf(b, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2, style);
}

static void draw_frame(strbuf *b, const figure *f, const axis *x, const axis *y)
{
    arena *a = b->arena;
    for (VEC_EACH(const double, t, &y->ticks)) {
        double at = position(y, *t);
        add_line(b, x->from, at, x->to, at, "stroke=\"#dddddd\"");
        add_label(b, x->from - 8, at + 4, "text-anchor=\"end\"", tick_text(a, y, *t));
    }
    for (VEC_EACH(const double, t, &x->ticks)) {
        double at = position(x, *t);
        add_line(b, at, y->to, at, y->from, "stroke=\"#eeeeee\"");
        add_label(b, at, y->from + 18, "text-anchor=\"middle\"", tick_text(a, x, *t));
    }
    strbuf_printf(b, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" stroke=\"#444444\"/>\n",
                  x->from, y->to, x->to - x->from, y->from - y->to);
    if (f->x_label != NULL)
        add_label(b, (x->from + x->to) / 2, HEIGHT - 18, "text-anchor=\"middle\"", f->x_label);
    double middle = (y->from + y->to) / 2;
    add_label(b, 22, middle, arena_printf(a, "text-anchor=\"middle\" transform=\"rotate(-90 22 %.1f)\"", middle),
              f->y_label);
}

static void draw_marks(strbuf *b, const figure *f, const axis *x, const axis *y)
{
    for (size_t i = 0; i < f->marks.len; i++) {
        double value = f->marks.data[i].x, at;
        if (value < x->low || value > x->high)
            continue;
        at = position(x, value);
        add_line(b, at, y->to, at, y->from, "stroke=\"#888888\" stroke-dasharray=\"5 4\"");
        add_label(b, at + 4, y->to + 14, "fill=\"#666666\" font-size=\"12\"", f->mark_names.data[i]);
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
        add_label(b, at + 4, y->from + 14,
                  arena_printf(b->arena, "text-anchor=\"end\" font-size=\"12\" transform=\"rotate(-40 %.1f %.1f)\"",
                               at + 4, y->from + 14),
                  f->labels.data[i]);
    }
    for (size_t k = 0; k < f->curves.len; k++)
        for (VEC_EACH(const curve_point, p, &f->curves.data[k].points)) {
            double left = x->from + (p->x + 0.08) * group + (double)k * bar, top = position(y, p->y);
            strbuf_printf(b,
                          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>%s, %s: %.4g"
                          "</title></rect>\n",
                          left, top, bar * 0.92, y->from - top, colors[k % COLORS], f->labels.data[(size_t)p->x],
                          f->curves.data[k].name, p->y);
        }
}

static void draw_head(strbuf *b, const figure *f)
{
    add_label(b, LEFT, 28, "font-size=\"17\" font-weight=\"bold\"", f->title);
    if (f->note != NULL)
        add_label(b, LEFT, 48, "fill=\"#555555\" font-size=\"12\"", f->note);
    double at = LEFT;
    for (size_t i = 0; i < f->curves.len && f->curves.len > 1; i++) {
        strbuf_printf(b, "<rect x=\"%.1f\" y=\"66\" width=\"14\" height=\"10\" fill=\"%s\"/>\n", at,
                      colors[i % COLORS]);
        add_label(b, at + 20, 75, "font-size=\"13\"", f->curves.data[i].name);
        at += 48 + 6.6 * (double)strlen(f->curves.data[i].name);
    }
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
    strbuf_printf(&b,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                  "font-family=\"sans-serif\" font-size=\"13\" fill=\"#222222\">\n"
                  "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
                  WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
    draw_head(&b, f);
    draw_frame(&b, f, &x, &y);
    if (bars) {
        draw_bars(&b, f, &x, &y);
    } else {
        draw_marks(&b, f, &x, &y);
        for (size_t i = 0; i < f->curves.len; i++)
            draw_curve(&b, &f->curves.data[i], colors[i % COLORS], &x, &y);
    }
    strbuf_add(&b, "</svg>\n");
    return b.data;
}
