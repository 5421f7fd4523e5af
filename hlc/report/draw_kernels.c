// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What runs where: a box a kernel, in layers, so that all that is moved goes down.
#include <string.h>

#include "hlc/report/draw.h"
#include "support/quantity.h"
#include "support/svg.h"

enum { MOST_LETTERS = 40, MOST_IN_LAYER = 12 };
#define BOX_HEIGHT 52.0
#define LAYER 104.0
#define SIDE 28.0
#define EDGE 16.0

typedef struct layers {
    const draw_flows *f;
    uint32_t *layer;
    double *x, *y, *width, *wish; // by box
    uint32_t *order;              // by layer, then place
    uint32_t count;               // layers
} layers;

// A layer below everything that sends to a box; wide layers go on in the next one.
static void find_layers(arena *a, layers *l)
{
    size_t n = l->f->boxes.len;
    uint32_t *used = ARENA_ARRAY(a, uint32_t, 2 * n + 2);
    for (uint32_t i = 0; i < n; i++) {
        for (VEC_EACH(const draw_flow, e, &l->f->flows))
            if (e->to == i && e->from < i && l->layer[e->from] + 1 > l->layer[i])
                l->layer[i] = l->layer[e->from] + 1;
        while (used[l->layer[i]] >= MOST_IN_LAYER)
            l->layer[i]++;
        used[l->layer[i]]++;
        l->count = l->layer[i] + 1 > l->count ? l->layer[i] + 1 : l->count;
    }
}

// Where a box would like to be: the middle of what sends to it.
static void find_wish(layers *l, uint32_t box)
{
    double sum = 0;
    size_t senders = 0;
    for (VEC_EACH(const draw_flow, e, &l->f->flows))
        if (e->to == box && l->layer[e->from] < l->layer[box]) {
            sum += l->x[e->from] + l->width[e->from] / 2;
            senders++;
        }
    l->wish[box] = senders == 0 ? 0 : sum / (double)senders;
}

static double place_layer(layers *l, uint32_t layer)
{
    uint32_t *row = l->order;
    size_t count = 0;
    for (uint32_t i = 0; i < l->f->boxes.len; i++) {
        if (l->layer[i] != layer)
            continue;
        find_wish(l, i);
        size_t at = count++;
        for (; at > 0 && l->wish[row[at - 1]] > l->wish[i]; at--)
            row[at] = row[at - 1];
        row[at] = i;
    }
    double across = -SIDE;
    for (size_t i = 0; i < count; i++)
        across += l->width[row[i]] + SIDE;
    double x = -across / 2;
    for (size_t i = 0; i < count; i++) {
        l->x[row[i]] = x;
        l->y[row[i]] = EDGE + layer * LAYER;
        x += l->width[row[i]] + SIDE;
    }
    return across;
}

static void draw_one_box(strbuf *out, const layers *l, uint32_t i)
{
    const draw_kernel_box *p = &l->f->boxes.data[i];
    double middle = l->x[i] + l->width[i] / 2;
    svg_box(out, l->x[i], l->y[i], l->width[i], BOX_HEIGHT, p->color == SIR_NONE ? "#f4f4f4" : svg_color(p->color),
            "#666", p->name);
    svg_text(out, middle, l->y[i] + 16, "name", p->name, MOST_LETTERS);
    svg_text(out, middle, l->y[i] + 31, "name", p->where, MOST_LETTERS + 10);
    svg_text(out, middle, l->y[i] + 45, "small", p->note, 70);
}

static double widest_of(const draw_kernel_box *p)
{
    double name = svg_text_width(p->name, MOST_LETTERS), where = svg_text_width(p->where, MOST_LETTERS + 10),
           note = svg_text_width(p->note, 70) * 0.85;
    double width = name > where ? name : where;
    width = note > width ? note : width;
    return width + 20 < 120 ? 120 : width + 20;
}

void draw_kernels(arena *a, strbuf *out, const draw_flows *f)
{
    size_t n = f->boxes.len;
    layers l = {.f = f,
                .layer = ARENA_ARRAY(a, uint32_t, n + 1),
                .x = ARENA_ARRAY(a, double, n + 1),
                .y = ARENA_ARRAY(a, double, n + 1),
                .width = ARENA_ARRAY(a, double, n + 1),
                .wish = ARENA_ARRAY(a, double, n + 1),
                .order = ARENA_ARRAY(a, uint32_t, n + 1)};
    for (uint32_t i = 0; i < n; i++)
        l.width[i] = widest_of(&f->boxes.data[i]);
    find_layers(a, &l);
    double width = 0;
    for (uint32_t layer = 0; layer < l.count; layer++) {
        double across = place_layer(&l, layer);
        width = across > width ? across : width;
    }
    for (uint32_t i = 0; i < n; i++)
        l.x[i] += width / 2 + EDGE;
    svg_begin(out, width + 2 * EDGE, 2 * EDGE + (l.count == 0 ? 0 : l.count - 1) * LAYER + BOX_HEIGHT, NULL,
              "what runs where");
    for (VEC_EACH(const draw_flow, e, &f->flows)) {
        double x1 = l.x[e->from] + l.width[e->from] / 2, y1 = l.y[e->from] + BOX_HEIGHT;
        double x2 = l.x[e->to] + l.width[e->to] / 2, y2 = l.y[e->to];
        svg_arrow(out, x1, y1, x2, y2, e->label);
        if (l.layer[e->to] == l.layer[e->from] + 1)
            svg_text(out, (x1 + x2) / 2 + 6, (y1 + y2) / 2 + 3, "edge", e->label, 40);
    }
    for (uint32_t i = 0; i < n; i++)
        draw_one_box(out, &l, i);
    svg_end(out);
}
