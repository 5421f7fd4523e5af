// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graph as a picture: a cluster for each composite stream, a node for each actor, and on each edge its type, what a
// firing pushes at its tail, what one pops (and peeks) at its head, and the items that are there from the begin.
#include <stdlib.h>
#include <string.h>

#include "hlc/ir/graph.h"
#include "support/strbuf.h"

typedef struct graph_printer {
    strbuf *out;
    const sir_module *m;
    uint32_t *first_child, *next; // regions by parent, in order
    uint32_t *first_actor, *next_actor;
    uint32_t depth;   // 0: all of it is drawn
    uint32_t *folded; // by region: the one that is drawn for it as a box; SIR_NONE: it is drawn itself
    uint32_t *count;  // filters in a folded region
} graph_printer;

static void indent(graph_printer *g, int depth)
{
    strbuf_pad(g->out, ' ', 4 * (size_t)(depth > 40 ? 40 : depth));
}

// A label in DOT, in quotes; long ones are cut.
static void print_quoted(strbuf *out, const char *s, size_t most)
{
    strbuf_addc(out, '"');
    size_t n = strlen(s);
    for (size_t i = 0; i < n && i < most; i++) {
        if (s[i] == '"' || s[i] == '\\')
            strbuf_addc(out, '\\');
        strbuf_addc(out, (unsigned char)s[i] < ' ' ? ' ' : s[i]);
    }
    if (n > most)
        strbuf_add(out, "...");
    strbuf_addc(out, '"');
}

static const char *rate_text(arena *a, sir_rate r)
{
    if (!r.dynamic)
        return arena_printf(a, "%lld", (long long)r.min);
    return r.max < 0 ? arena_printf(a, "[%lld,*]", (long long)r.min)
                     : arena_printf(a, "[%lld,%lld]", (long long)r.min, (long long)r.max);
}

static const char *weights_text(arena *a, const sir_actor *actor)
{
    strbuf b;
    strbuf_init(&b, a);
    bool same = actor->weights.len > 4;
    for (size_t i = 1; i < actor->weights.len; i++)
        same = same && actor->weights.data[i] == actor->weights.data[0];
    if (same)
        return arena_printf(a, "%u each", (unsigned)actor->weights.data[0]);
    for (size_t i = 0; i < actor->weights.len && i < 12; i++)
        strbuf_printf(&b, "%s%u", i == 0 ? "" : ", ", (unsigned)actor->weights.data[i]);
    if (actor->weights.len > 12)
        strbuf_add(&b, ", ...");
    return b.data;
}

static const char *actor_label(arena *a, const sir_module *m, const sir_actor *actor)
{
    (void)m;
    switch (actor->kind) {
    case SIR_FILTER: {
        const char *source = actor->filter->source != NULL ? actor->filter->source : actor->filter->name;
        // Names made up for anonymous filters say where they are; so does the source.
        return actor->filter->stateful ? arena_printf(a, "%s *", source) : source;
    }
    case SIR_SPLIT: return actor->duplicate ? "duplicate" : arena_printf(a, "split %s", weights_text(a, actor));
    case SIR_JOIN: return arena_printf(a, "join %s", weights_text(a, actor));
    case SIR_READER: return actor->path == NULL ? "input" : arena_printf(a, "read %s", actor->path);
    case SIR_WRITER: return actor->path == NULL ? "output" : arena_printf(a, "write %s", actor->path);
    }
    return actor->name;
}

static void print_actor(graph_printer *g, uint32_t number, int depth)
{
    const sir_actor *actor = g->m->actors.data[number];
    static const char *const styles[] = {
        [SIR_FILTER] = "",
        [SIR_SPLIT] = ", shape=trapezium, style=filled, fillcolor=\"#e8eef7\", height=0.3, margin=\"0.02,0.02\"",
        [SIR_JOIN] = ", shape=invtrapezium, style=filled, fillcolor=\"#e8eef7\", height=0.3, margin=\"0.02,0.02\"",
        [SIR_READER] = ", shape=cds, style=filled, fillcolor=\"#e9f5e9\"",
        [SIR_WRITER] = ", shape=cds, style=filled, fillcolor=\"#fdf1e3\"",
    };
    indent(g, depth);
    strbuf_printf(g->out, "a%u [label=", (unsigned)number);
    print_quoted(g->out, actor_label(g->out->arena, g->m, actor), 48);
    strbuf_add(g->out, ", tooltip=");
    print_quoted(g->out, actor->name, 200);
    strbuf_add(g->out, styles[actor->kind]);
    if (actor->kind == SIR_FILTER && actor->filter->stateful)
        strbuf_add(g->out, ", fillcolor=\"#fbe9e7\"");
    strbuf_add(g->out, "]\n");
}

static void print_region_head(graph_printer *g, uint32_t number, int depth)
{
    const sir_region *r = &g->m->regions.data[number];
    indent(g, depth);
    strbuf_printf(g->out, "subgraph cluster_r%u {\n", (unsigned)number);
    indent(g, depth + 1);
    bool anonymous = strcmp(r->name, "anon") == 0;
    const char *args = r->args == NULL ? "" : r->args;
    strbuf_add(g->out, "label=");
    print_quoted(g->out, anonymous ? "" : arena_printf(g->out->arena, "%s%s", r->name, args), 60);
    strbuf_add(g->out, "\n");
}

// A filter's own region, or one inlined for a built-in, has no box of its own.
static bool has_box(const graph_printer *g, uint32_t number)
{
    return g->m->regions.data[number].kind != SIR_FILTER_REGION;
}

static void print_folded(graph_printer *g, uint32_t number, int depth)
{
    const sir_region *r = &g->m->regions.data[number];
    arena *a = g->out->arena;
    indent(g, depth);
    strbuf_printf(g->out, "r%u [label=", (unsigned)number);
    static const char *const kinds[] = {
        [SIR_PIPELINE] = "pipeline", [SIR_SPLITJOIN] = "splitjoin", [SIR_FEEDBACKLOOP] = "feedback loop"};
    const char *args = r->args == NULL || strlen(r->args) > 30 ? "" : r->args;
    const char *name = strcmp(r->name, "anon") == 0 ? kinds[r->kind] : arena_printf(a, "%s%s", r->name, args);
    print_quoted(g->out, arena_printf(a, "%s: %u filters", name, (unsigned)g->count[number]), 100);
    strbuf_printf(g->out, ", tooltip=\"%u filters\", peripheries=2]\n", (unsigned)g->count[number]);
}

// Which regions are in a box that stands for them all. Parents come before their children.
static void fold_regions(graph_printer *g)
{
    size_t n = g->m->regions.len;
    arena *a = g->out->arena;
    uint32_t *level = ARENA_ARRAY(a, uint32_t, n + 1), *filters = ARENA_ARRAY(a, uint32_t, n + 1);
    g->folded = ARENA_ARRAY(a, uint32_t, n + 1);
    g->count = filters;
    for (VEC_EACH(sir_actor *const, actor, &g->m->actors))
        filters[(*actor)->region] += (*actor)->kind == SIR_FILTER;
    for (size_t i = n; i-- > 1;)
        filters[g->m->regions.data[i].parent] += filters[i];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t parent = g->m->regions.data[i].parent;
        g->folded[i] = i == 0 ? SIR_NONE : g->folded[parent];
        level[i] = i == 0 ? 0 : level[parent] + has_box(g, i);
        if (g->folded[i] == SIR_NONE && g->depth != 0 && has_box(g, i) && level[i] >= g->depth && filters[i] > 1)
            g->folded[i] = i;
    }
}

// Depth-first without recursion: the hierarchy may be deep.
static void print_regions(graph_printer *g)
{
    if (g->m->regions.len == 0)
        return;
    VEC(uint32_t) path = {0};
    uint32_t *child = ARENA_ARRAY(g->out->arena, uint32_t, g->m->regions.len);
    VEC_PUSH(g->out->arena, &path, 0);
    bool entering = true;
    while (path.len > 0) {
        uint32_t r = VEC_LAST(&path);
        int depth = (int)path.len;
        if (entering) {
            bool folded = g->folded[r] != SIR_NONE;
            child[r] = folded ? SIR_NONE : g->first_child[r];
            if (folded)
                print_folded(g, r, depth);
            else if (has_box(g, r))
                print_region_head(g, r, depth);
            for (uint32_t a = g->first_actor[r]; a != SIR_NONE && !folded; a = g->next_actor[a])
                print_actor(g, a, depth + 1);
        }
        entering = child[r] != SIR_NONE;
        if (entering) {
            VEC_PUSH(g->out->arena, &path, child[r]);
            child[r] = g->next[child[r]];
        } else {
            if (has_box(g, r) && g->folded[r] == SIR_NONE) {
                indent(g, depth);
                strbuf_add(g->out, "}\n");
            }
            path.len--;
        }
    }
}

static const char *push_text(arena *a, const sir_actor *actor, uint32_t port)
{
    switch (actor->kind) {
    case SIR_FILTER: return rate_text(a, actor->filter->work->push);
    case SIR_SPLIT: return actor->duplicate ? "1" : arena_printf(a, "%u", (unsigned)actor->weights.data[port]);
    case SIR_JOIN: {
        uint64_t sum = 0;
        for (size_t i = 0; i < actor->weights.len; i++)
            sum += actor->weights.data[i];
        return arena_printf(a, "%llu", (unsigned long long)sum);
    }
    default: return "1";
    }
}

static const char *pop_text(arena *a, const sir_actor *actor, uint32_t port)
{
    if (actor->kind == SIR_JOIN)
        return arena_printf(a, "%u", (unsigned)actor->weights.data[port]);
    if (actor->kind == SIR_SPLIT) {
        uint64_t sum = actor->duplicate ? 1 : 0;
        for (size_t i = 0; i < actor->weights.len; i++)
            sum += actor->weights.data[i];
        return arena_printf(a, "%llu", (unsigned long long)sum);
    }
    if (actor->kind != SIR_FILTER)
        return "1";
    const sir_function *w = actor->filter->work;
    bool peeks = w->peek.min != w->pop.min || w->peek.max != w->pop.max;
    return peeks ? arena_printf(a, "%s\\npeek %s", rate_text(a, w->pop), rate_text(a, w->peek)) : rate_text(a, w->pop);
}

static bool has_dynamic_rate(const sir_actor *actor, bool output)
{
    if (actor->kind != SIR_FILTER)
        return false;
    const sir_function *functions[] = {actor->filter->work, actor->filter->prework};
    for (size_t i = 0; i < 2; i++) {
        const sir_function *f = functions[i];
        if (f != NULL && (output ? f->push.dynamic : f->pop.dynamic || f->peek.dynamic))
            return true;
    }
    return false;
}

// The node of an actor: its own, or that of the box that it is in.
static const char *node_of(const graph_printer *g, uint32_t actor)
{
    uint32_t box = g->folded[g->m->actors.data[actor]->region];
    return box == SIR_NONE ? arena_printf(g->out->arena, "a%u", (unsigned)actor)
                           : arena_printf(g->out->arena, "r%u", (unsigned)box);
}

// Edges that begin or end in a box are drawn once, without rates; those within, not at all.
static bool print_folded_edge(graph_printer *g, const sir_channel *c, hmap *drawn)
{
    const char *from = node_of(g, c->producer), *to = node_of(g, c->consumer);
    if (from[0] == 'a' && to[0] == 'a')
        return false;
    const char *edge = arena_printf(g->out->arena, "    %s -> %s", from, to);
    if (strcmp(from, to) == 0 || hmap_get(drawn, edge) != NULL)
        return true;
    hmap_set(drawn, edge, (void *)(uintptr_t)edge);
    strbuf_add(g->out, edge);
    strbuf_add(g->out, c->consumer <= c->producer ? " [constraint=false, style=dashed]\n" : "\n");
    return true;
}

static void print_edge(graph_printer *g, uint32_t number, hmap *drawn)
{
    const sir_channel *c = &g->m->channels.data[number];
    arena *a = g->out->arena;
    const sir_actor *from = g->m->actors.data[c->producer], *to = g->m->actors.data[c->consumer];
    if (print_folded_edge(g, c, drawn))
        return;
    strbuf type;
    strbuf_init(&type, a);
    sir_type_print(&type, c->type);
    bool back = c->consumer <= c->producer;
    strbuf_printf(g->out, "    a%u -> a%u [taillabel=\"%s\", headlabel=\"%s\"", (unsigned)c->producer,
                  (unsigned)c->consumer, push_text(a, from, c->producer_port), pop_text(a, to, c->consumer_port));
    if (c->initial.len > 0)
        strbuf_printf(g->out, ", label=\"%s, %zu initial\"", type.data, c->initial.len);
    else
        strbuf_printf(g->out, ", label=\"%s\"", type.data);
    if (has_dynamic_rate(from, true) || has_dynamic_rate(to, false)) // regions end here
        strbuf_add(g->out, ", color=\"#c2410c\", penwidth=2, arrowhead=vee");
    strbuf_add(g->out, back ? ", constraint=false, style=dashed]\n" : "]\n");
}

// Lists of children and actors by region, in order.
static void sort_regions(graph_printer *g)
{
    arena *a = g->out->arena;
    size_t regions = g->m->regions.len, actors = g->m->actors.len;
    g->first_child = ARENA_ARRAY(a, uint32_t, regions);
    g->next = ARENA_ARRAY(a, uint32_t, regions);
    g->first_actor = ARENA_ARRAY(a, uint32_t, regions);
    g->next_actor = ARENA_ARRAY(a, uint32_t, actors);
    for (size_t i = 0; i < regions; i++)
        g->first_child[i] = g->first_actor[i] = SIR_NONE;
    for (size_t i = regions; i > 1; i--) {
        uint32_t parent = g->m->regions.data[i - 1].parent;
        g->next[i - 1] = g->first_child[parent];
        g->first_child[parent] = (uint32_t)(i - 1);
    }
    for (size_t i = actors; i > 0; i--) {
        uint32_t region = g->m->actors.data[i - 1]->region;
        g->next_actor[i - 1] = g->first_actor[region];
        g->first_actor[region] = (uint32_t)(i - 1);
    }
}

void sir_print_graph(strbuf *out, const sir_module *m, uint32_t depth)
{
    graph_printer g = {.out = out, .m = m, .depth = depth};
    hmap drawn;
    hmap_init(&drawn, out->arena);
    sort_regions(&g);
    fold_regions(&g);
    strbuf_add(out, "digraph ");
    print_quoted(out, m->name, 200);
    strbuf_add(out, " {\n"
                    "    graph [fontname=\"Helvetica\", fontsize=11, labeljust=l, style=rounded, color=\"#9aa5b1\", "
                    "nodesep=0.4, ranksep=0.75]\n"
                    "    node [fontname=\"Helvetica\", fontsize=11, shape=box, style=\"rounded,filled\", "
                    "fillcolor=white, height=0.35]\n"
                    "    edge [fontname=\"Helvetica\", fontsize=9, fontcolor=\"#52606d\", color=\"#52606d\", "
                    "arrowsize=0.6, labeldistance=1.2]\n");
    print_regions(&g);
    for (size_t i = 0; i < m->channels.len; i++)
        print_edge(&g, (uint32_t)i, &drawn);
    strbuf_add(out, "}\n");
}
