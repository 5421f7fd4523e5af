// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program's graph as it is written: pipelines from top to bottom, branches side by side, a frame around each
// composite stream. Boxes have the actors' names, as all else has; how many items a firing pushes and pops stands at the ends of edges. Large graphs are shortened: of many alike branches a few are drawn, and composite streams that are
// nested deeply become one box.
#include <inttypes.h>
#include <string.h>

#include "hlc/report/draw.h"
#include "support/quantity.h"
#include "support/svg.h"

enum { MOST_BOXES = 300, MOST_BRANCHES = 8, MOST_STEPS = 24, MOST_LETTERS = 30 };
#define BOX_HEIGHT 30.0
#define GAP 34.0
#define SIDE 14.0
#define FRAME 9.0
#define FRAME_TOP 20.0
#define LEGEND_HEIGHT 44.0
#define GRAPH_LEGEND 560.0 // its width

typedef struct node node;
struct node {
    const sir_region *region; // NULL: an actor, or what is left out
    uint32_t actor;           // SIR_NONE: of a region, or left out
    size_t omitted;           // what is left out: how many
    size_t actors;            // in it
    bool closed, up;          // drawn as one box; from bottom to top
    VEC(node *) children;
    node *parent;
    const char *label, *note;
    size_t outputs, inputs; // edges that are drawn
    double x, y, width, height;
};

// From box to box; port: which of the box's edges it is there.
typedef struct edge {
    node *from, *to;
    size_t from_port, to_port;
    const sir_channel *channel; // the first of those that it stands for
    size_t channels;
} edge;

typedef struct drawing {
    arena *arena;
    strbuf *out;
    const sir_module *m;
    const draw_colors *colors;
    node *root;
    node **of_region, **of_actor;
    VEC(edge) edges;
} drawing;

// ---- The tree ----

static node *region_node(drawing *d, uint32_t region)
{
    if (d->of_region[region] != NULL)
        return d->of_region[region];
    node *n = ARENA_NEW(d->arena, node);
    n->region = &d->m->regions.data[region];
    n->actor = SIR_NONE;
    d->of_region[region] = n;
    uint32_t parent = n->region->parent;
    if (parent != SIR_NONE && parent < d->m->regions.len) {
        n->parent = region_node(d, parent);
        VEC_PUSH(d->arena, &n->parent->children, n);
    }
    return n;
}

static const char *rate(arena *a, sir_rate r)
{
    if (!r.dynamic)
        return arena_printf(a, "%" PRId64, r.min);
    return r.max < 0 ? arena_printf(a, "%" PRId64 "+", r.min)
                     : arena_printf(a, "%" PRId64 " to %" PRId64, r.min, r.max);
}

static const char *weights(arena *a, const sir_actor *actor)
{
    bool same = true;
    for (size_t i = 1; i < actor->weights.len; i++)
        same = same && actor->weights.data[i] == actor->weights.data[0];
    if (same && actor->weights.len > 0)
        return arena_printf(a, "%u each", (unsigned)actor->weights.data[0]);
    strbuf b;
    strbuf_init(&b, a);
    for (size_t i = 0; i < actor->weights.len && i < 6; i++)
        strbuf_printf(&b, "%s%u", i == 0 ? "" : ", ", (unsigned)actor->weights.data[i]);
    strbuf_add(&b, actor->weights.len > 6 ? ", ..." : "");
    return b.data;
}

const char *draw_actor_label(arena *a, const sir_actor *actor)
{
    switch (actor->kind) {
    case SIR_FILTER: return actor->filter->source != NULL ? actor->filter->source : actor->filter->name;
    case SIR_SPLIT: return actor->duplicate ? "duplicate" : "split";
    case SIR_JOIN: return "join";
    case SIR_READER: return actor->path == NULL ? "input" : arena_printf(a, "read %s", actor->path);
    case SIR_WRITER: return actor->path == NULL ? "output" : arena_printf(a, "write %s", actor->path);
    }
    return actor->name;
}

static const char *actor_note(arena *a, const sir_actor *actor)
{
    if (actor->kind == SIR_SPLIT || actor->kind == SIR_JOIN)
        return actor->duplicate ? "duplicate" : arena_printf(a, "round robin, %s", weights(a, actor));
    if (actor->kind != SIR_FILTER)
        return actor->path == NULL ? "" : actor->path;
    const sir_function *w = actor->filter->work;
    const char *peek = w->peek.dynamic || w->peek.min > w->pop.min ? arena_printf(a, "peek %s", rate(a, w->peek)) : "";
    return arena_printf(a, "%s%s%s", peek, peek[0] != '\0' && actor->filter->stateful ? ", " : "",
                        actor->filter->stateful ? "state" : "");
}

static void add_actors(drawing *d)
{
    for (uint32_t i = 0; i < d->m->actors.len; i++) {
        const sir_actor *actor = d->m->actors.data[i];
        node *n = ARENA_NEW(d->arena, node);
        n->actor = i;
        n->actors = 1;
        n->label = actor->name;
        n->note = actor_note(d->arena, actor);
        uint32_t region = actor->region < d->m->regions.len ? actor->region : 0;
        if (d->m->regions.data[region].kind == SIR_FILTER_REGION && d->m->regions.data[region].parent != SIR_NONE)
            region = d->m->regions.data[region].parent; // a frame around one box tells nothing
        n->parent = region_node(d, region);
        VEC_PUSH(d->arena, &n->parent->children, n);
        d->of_actor[i] = n;
        for (node *p = n->parent; p != NULL; p = p->parent)
            p->actors++;
    }
    d->root = region_node(d, 0);
}

// ---- Shortening ----

// Leaves out the middle of a long row of children. first, last: children that always stay (a splitter, a joiner).
static void shorten_children(drawing *d, node *n)
{
    bool branches = n->region != NULL && n->region->kind == SIR_SPLITJOIN;
    size_t most = branches ? MOST_BRANCHES + 2 : MOST_STEPS;
    if (n->children.len <= most)
        return;
    size_t front = branches ? 4 : most / 2, back = branches ? 2 : most / 4;
    node *gap = ARENA_NEW(d->arena, node);
    gap->actor = SIR_NONE;
    gap->parent = n;
    gap->omitted = n->children.len - front - back;
    for (size_t i = front; i < n->children.len - back; i++) {
        n->children.data[i]->closed = true;
        n->children.data[i]->omitted = SIZE_MAX; // stands for itself no more: see visible
        gap->actors += n->children.data[i]->actors;
    }
    gap->label = arena_printf(d->arena, "%zu more", gap->omitted);
    gap->note = arena_printf(d->arena, "%zu actors", gap->actors);
    size_t len = n->children.len;
    n->children.data[front] = gap;
    for (size_t i = 0; i < back; i++)
        n->children.data[front + 1 + i] = n->children.data[len - back + i];
    n->children.len = front + 1 + back;
}

static size_t count_boxes(drawing *d, node *n, int depth, int limit)
{
    if (n->region == NULL)
        return 1;
    if (depth >= limit)
        return 1;
    size_t boxes = 0;
    for (size_t i = 0; i < n->children.len && boxes <= MOST_BOXES; i++)
        boxes += count_boxes(d, n->children.data[i], depth + 1, limit);
    return boxes;
}

static void close_below(drawing *d, node *n, int depth, int limit)
{
    if (n->region == NULL)
        return;
    if (depth >= limit) {
        n->closed = true;
        n->label = n->region->name;
        n->note = arena_printf(d->arena, "%zu actors", n->actors);
        return;
    }
    for (VEC_EACH(node *, c, &n->children))
        close_below(d, *c, depth + 1, limit);
}

static void shorten(drawing *d, node *n)
{
    shorten_children(d, n);
    for (VEC_EACH(node *, c, &n->children))
        if ((*c)->region != NULL)
            shorten(d, *c);
}

// ---- Places ----

static bool is_split_or_join(const drawing *d, const node *n)
{
    return n->actor != SIR_NONE &&
           (d->m->actors.data[n->actor]->kind == SIR_SPLIT || d->m->actors.data[n->actor]->kind == SIR_JOIN);
}

static void lay_out(drawing *d, node *n, bool up);

static void lay_out_box(node *n)
{
    double label = svg_text_width(n->label, MOST_LETTERS), note = svg_text_width(n->note, 60) * 0.85;
    n->width = (label > note ? label : note) + 18;
    n->width = n->width < 56 ? 56 : n->width;
    n->height = n->note[0] == '\0' ? BOX_HEIGHT - 6 : BOX_HEIGHT;
}

// Rows from top to bottom: each child by itself, but all branches between a splitter and a joiner in one.
static void lay_out_rows(drawing *d, node *n, bool up)
{
    bool parallel = n->region->kind == SIR_SPLITJOIN || n->region->kind == SIR_FEEDBACKLOOP;
    double y = FRAME_TOP, width = 0;
    size_t count = n->children.len;
    for (size_t row = 0, end; row < count; row = end) {
        end = row + 1;
        while (parallel && end < count && !is_split_or_join(d, n->children.data[row]) &&
               !is_split_or_join(d, n->children.data[end]))
            end++;
        double height = 0, across = -SIDE;
        for (size_t i = row; i < end; i++) {
            node *c = n->children.data[i];
            height = c->height > height ? c->height : height;
            across += SIDE + c->width;
        }
        double x = 0;
        for (size_t i = row; i < end; i++) {
            node *c = n->children.data[i];
            c->x = x - across / 2;
            c->y = y + (height - c->height) / 2;
            x += c->width + SIDE;
        }
        width = across > width ? across : width;
        y += height + GAP;
    }
    double label = svg_text_width(n->label, 60) * 0.95 + 8;
    width = width < label ? label : width;
    n->width = width + 2 * FRAME;
    n->height = y - GAP + FRAME;
    for (VEC_EACH(node *, c, &n->children)) {
        (*c)->x += n->width / 2;
        if (up)
            (*c)->y = n->height + FRAME_TOP - FRAME - (*c)->y - (*c)->height;
    }
}

// A feedback loop is written joiner, body, splitter, loop; the loop stands beside the body.
static void order_loop(drawing *d, node *n)
{
    size_t splitter = 0;
    for (size_t i = 1; i < n->children.len; i++)
        if (n->children.data[i]->actor != SIR_NONE && is_split_or_join(d, n->children.data[i]))
            splitter = i;
    if (splitter == 0 || splitter + 1 != n->children.len - 1)
        return;
    node *s = n->children.data[splitter];
    n->children.data[splitter] = n->children.data[splitter + 1];
    n->children.data[splitter + 1] = s;
}

static void lay_out(drawing *d, node *n, bool up)
{
    n->up = up;
    if (n->region == NULL || n->closed) {
        lay_out_box(n);
        return;
    }
    n->label =
        n->region->args[0] == '\0' ? n->region->name : arena_printf(d->arena, "%s%s", n->region->name, n->region->args);
    bool loop = n->region->kind == SIR_FEEDBACKLOOP;
    node *back = loop && n->children.len == 4 ? n->children.data[3] : NULL;
    if (back != NULL)
        order_loop(d, n);
    for (VEC_EACH(node *, c, &n->children))
        lay_out(d, *c, *c == back ? !up : up);
    lay_out_rows(d, n, up);
}

static void place(node *n, double x, double y)
{
    n->x += x;
    n->y += y;
    if (n->region == NULL || n->closed)
        return;
    for (VEC_EACH(node *, c, &n->children))
        place(*c, n->x, n->y);
}

// ---- Drawing ----

static const char *actor_fill(const drawing *d, const node *n)
{
    if (n->actor == SIR_NONE)
        return "#f4f4f4";
    if (d->colors != NULL && d->colors->of_actor[n->actor] != SIR_NONE)
        return svg_color(d->colors->of_actor[n->actor]);
    return "#ffffff";
}

static void draw_box(drawing *d, const node *n)
{
    const char *tip = n->label;
    if (n->actor != SIR_NONE)
        tip = arena_printf(d->arena, "%s: %s%s%s%s", n->label, draw_actor_label(d->arena, d->m->actors.data[n->actor]),
                           n->note[0] == '\0' ? "" : "; ", n->note,
                           d->colors != NULL && d->colors->of_actor[n->actor] != SIR_NONE
                               ? arena_printf(d->arena, "; kernel %s", d->colors->names[d->colors->of_actor[n->actor]])
                               : "");
    bool state = n->actor != SIR_NONE && d->m->actors.data[n->actor]->kind == SIR_FILTER &&
                 d->m->actors.data[n->actor]->filter->stateful;
    svg_box(d->out, n->x, n->y, n->width, n->height, actor_fill(d, n), state ? "#b8651b" : "#888", tip);
    double middle = n->x + n->width / 2;
    if (n->note[0] == '\0') {
        svg_text(d->out, middle, n->y + n->height / 2 + 4, "name", n->label, MOST_LETTERS);
        return;
    }
    svg_text(d->out, middle, n->y + 13, "name", n->label, MOST_LETTERS);
    svg_text(d->out, middle, n->y + 25, "small", n->note, 60);
}

static void draw_node(drawing *d, const node *n)
{
    if (n->region == NULL || n->closed) {
        draw_box(d, n);
        return;
    }
    svg_box(d->out, n->x, n->y, n->width, n->height, "none", "#ccc", NULL);
    svg_text(d->out, n->x + 6, n->y + 13, "region", n->label, 60);
    for (VEC_EACH(node *, c, &n->children))
        draw_node(d, *c);
}

// What is drawn in an actor's place: itself, a closed box around it, or the box that stands for what is left out.
static node *visible(node *n)
{
    node *seen = n;
    for (node *p = n; p != NULL; p = p->parent) {
        if (p->omitted == SIZE_MAX) {
            for (VEC_EACH(node *, c, &p->parent->children))
                if ((*c)->omitted != 0 && (*c)->omitted != SIZE_MAX)
                    seen = *c;
        } else if (p->closed) {
            seen = p;
        }
    }
    return seen;
}

static void find_edges(drawing *d)
{
    hmap numbers;
    hmap_init(&numbers, d->arena);
    for (VEC_EACH(const sir_channel, ch, &d->m->channels)) {
        node *pair[2] = {visible(d->of_actor[ch->producer]), visible(d->of_actor[ch->consumer])};
        if (pair[0] == pair[1])
            continue;
        size_t number = (size_t)hmap_getn(&numbers, pair, sizeof pair);
        if (number != 0) {
            d->edges.data[number - 1].channels++;
            continue;
        }
        const edge e = {pair[0], pair[1], pair[0]->outputs++, pair[1]->inputs++, ch, 1};
        VEC_PUSH(d->arena, &d->edges, e);
        hmap_setn(&numbers, pair, sizeof pair, (void *)d->edges.len);
    }
}

static bool is_single(const node *n)
{
    return n->actor != SIR_NONE;
}

// What a firing pushes into a channel, or pops from it; "" where that is not one number to tell.
static const char *rate_at(const drawing *d, const edge *e, bool push)
{
    const node *n = push ? e->from : e->to;
    if (e->channels > 1 || !is_single(n))
        return "";
    const sir_actor *actor = d->m->actors.data[n->actor];
    size_t port = push ? e->channel->producer_port : e->channel->consumer_port;
    switch (actor->kind) {
    case SIR_FILTER: return rate(d->arena, push ? actor->filter->work->push : actor->filter->work->pop);
    case SIR_SPLIT:
    case SIR_JOIN:
        if ((actor->kind == SIR_SPLIT) != push || actor->duplicate)
            return "";
        return port < actor->weights.len ? arena_printf(d->arena, "%u", (unsigned)actor->weights.data[port]) : "";
    default: return "";
    }
}

// Where an edge's end is along its box: edges of a box stand side by side.
static double along(double width, size_t port, size_t count)
{
    return width * (double)(port + 1) / (double)(count + 1);
}

// A number beside an edge's end, if the next edge leaves it room.
static void draw_rate(drawing *d, const edge *e, bool push, double x, double y)
{
    const char *text = rate_at(d, e, push);
    const node *n = push ? e->from : e->to;
    double room = n->width / (double)((push ? n->outputs : n->inputs) + 1) - 4;
    if (text[0] != '\0' && svg_text_width(text, 20) * 0.85 <= room)
        svg_text(d->out, x + 3, y, "edge", text, 20);
}

static void draw_edge(drawing *d, const edge *e)
{
    const node *from = e->from, *to = e->to;
    bool down = from->y + from->height <= to->y;
    double x1 = from->x + along(from->width, e->from_port, from->outputs), y1 = from->y + from->height;
    double x2 = to->x + along(to->width, e->to_port, to->inputs), y2 = to->y;
    bool up1 = !down && from->up, up2 = !down && to->up;
    if (!down) {
        if (from->up)
            y1 = from->y;
        else
            x1 = from->x + from->width, y1 = from->y + from->height / 2;
        if (to->up)
            y2 = to->y + to->height;
        else
            x2 = to->x + to->width, y2 = to->y + to->height / 2;
    }
    strbuf tip;
    strbuf_init(&tip, d->arena);
    strbuf_printf(&tip, "%s to %s: ", from->label, to->label);
    sir_type_print(&tip, e->channel->type);
    if (e->channel->initial.len > 0)
        strbuf_printf(&tip, ", %zu items at the start", e->channel->initial.len);
    svg_arrow(d->out, x1, y1, x2, y2, tip.data);
    draw_rate(d, e, true, x1, up1 ? y1 - 4 : y1 + 10);
    draw_rate(d, e, false, x2, up2 ? y2 + 13 : y2 - 7);
}

static void draw_legend(drawing *d, double y)
{
    bool several = d->colors != NULL && d->colors->count > 1;
    double x = 12;
    if (d->colors != NULL)
        x = svg_legend(d->out, x, y, svg_color(0), several ? "one colour: one kernel" : "in the kernel");
    x = svg_legend(d->out, x, y, "#ffffff", "done by index maps, or by the control program");
    svg_box(d->out, x, y, 12, 12, "#ffffff", "#b8651b", NULL);
    svg_text(d->out, x + 17, y + 10, "left", "has state", 40);
    svg_text(d->out, 12, y + 28, "left",
             "Numbers at the ends of edges: items that a firing pushes, and that the next actor's firing pops.", 120);
}

void draw_graph(arena *a, strbuf *out, const sir_module *m, const draw_colors *colors)
{
    drawing d = {.arena = a, .out = out, .m = m, .colors = colors};
    d.of_region = ARENA_ARRAY(a, node *, m->regions.len + 1);
    d.of_actor = ARENA_ARRAY(a, node *, m->actors.len + 1);
    add_actors(&d);
    shorten(&d, d.root);
    int limit = 30;
    while (limit > 1 && count_boxes(&d, d.root, 0, limit) > MOST_BOXES)
        limit--;
    close_below(&d, d.root, 0, limit);
    lay_out(&d, d.root, false);
    place(d.root, 10, 10);
    double width = d.root->width + 20;
    width = width < GRAPH_LEGEND ? GRAPH_LEGEND : width;
    svg_begin(out, width, d.root->height + 20 + LEGEND_HEIGHT, NULL, "the program's graph");
    draw_node(&d, d.root);
    find_edges(&d);
    for (VEC_EACH(const edge, e, &d.edges))
        draw_edge(&d, e);
    draw_legend(&d, d.root->height + 24);
    svg_end(out);
}
