// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Actors in canonical order, channels between them, and the regions they lie in.
#include <string.h>

#include "hlc/elaborate/graph.h"

static const sir_region_kind region_kinds[] = {
    [STREAM_FILTER] = SIR_FILTER_REGION,
    [STREAM_PIPELINE] = SIR_PIPELINE,
    [STREAM_SPLITJOIN] = SIR_SPLITJOIN,
    [STREAM_FEEDBACKLOOP] = SIR_FEEDBACKLOOP,
};

static uint32_t new_region(graph *g, const elab_inst *inst, uint32_t parent)
{
    return sir_region_add(g->m, (sir_region){.kind = region_kinds[inst->decl->kind],
                                             .name = inst->decl->name != NULL ? inst->decl->name : "anon",
                                             .args = inst->args,
                                             .parent = parent,
                                             .loc = elab_loc(g->x, inst->where)});
}

static uint32_t new_actor(graph *g, sir_actor_kind kind, uint32_t region, const char *base, src_range where)
{
    sir_actor *a = ARENA_NEW(g->x->arena, sir_actor);
    a->kind = kind;
    a->region = region;
    a->loc = elab_loc(g->x, where);
    VEC_PUSH(g->x->arena, &g->m->actors, a);
    VEC_PUSH(g->x->scratch, &g->bases, base);
    return (uint32_t)(g->m->actors.len - 1);
}

static graph_end no_end(const graph *g)
{
    return (graph_end){.actor = SIR_NONE, .type = g->m->scalar[SIR_VOID]};
}

static void connect(graph *g, graph_end from, graph_end to)
{
    if (graph_same_type(g, from, to))
        sir_channel_connect(g->m, from.actor, from.port, to.actor, to.port, to.type);
}

static graph_ends flatten(graph *g, elab_inst *inst, uint32_t parent);

// ---- Filters, readers, writers ----

static graph_ends flatten_filter(graph *g, elab_inst *inst, uint32_t region)
{
    sir_actor_kind kind = SIR_FILTER;
    if (inst->decl->builtin == BUILTIN_FILE_READER)
        kind = SIR_READER;
    else if (inst->decl->builtin == BUILTIN_FILE_WRITER)
        kind = SIR_WRITER;
    const char *base = kind == SIR_FILTER ? inst->shared->filter->name : inst->decl->name;
    uint32_t number = new_actor(g, kind, region, base, inst->where);
    sir_actor *a = g->m->actors.data[number];
    inst->actor = number;
    a->path = inst->path;
    if (kind == SIR_FILTER)
        a->filter = inst->shared->filter;
    else
        a->item = kind == SIR_READER ? inst->output : inst->input;
    graph_ends ends = {no_end(g), no_end(g)};
    if (inst->input->kind != SIR_VOID)
        ends.in = (graph_end){.actor = number, .type = inst->input, .inst = inst};
    if (inst->output->kind != SIR_VOID)
        ends.out = (graph_end){.actor = number, .type = inst->output, .inst = inst};
    return ends;
}

// ---- Pipelines ----

static graph_ends flatten_pipeline(graph *g, elab_inst *inst, uint32_t region)
{
    graph_ends all = {no_end(g), no_end(g)};
    const elab_inst *before = NULL;
    for (elab_inst *child = inst->first; child != NULL; child = child->next) {
        graph_ends ends = flatten(g, child, region);
        if (before == NULL) {
            all.in = ends.in;
        } else if (all.out.type == NULL || ends.in.type == NULL) {
            // nothing more to say
        } else if (all.out.actor == SIR_NONE || ends.in.actor == SIR_NONE) {
            bool no_output = all.out.actor == SIR_NONE;
            diag_record *r =
                graph_error(g, child->where, "'%s' follows '%s' in '%s', but '%s' has no %s",
                            elab_inst_name(g->x, child), elab_inst_name(g->x, before), elab_inst_name(g->x, inst),
                            elab_inst_name(g->x, no_output ? before : child), no_output ? "output" : "input");
            graph_note(g, r, before->where, "'%s' is added here", elab_inst_name(g->x, before));
        } else {
            connect(g, all.out, ends.in);
        }
        all.out = ends.out;
        before = child;
    }
    return all;
}

// ---- Splitjoins ----

typedef struct branches {
    uint32_t count;
    elab_inst **child;
    graph_ends *ends;
    bool *no_in, *no_out;
    uint32_t *in, *out; // weights
} branches;

static branches flatten_branches(graph *g, elab_inst *inst, uint32_t region)
{
    arena *a = g->x->scratch;
    uint32_t n = inst->child_count, i = 0;
    branches b = {n,
                  ARENA_ARRAY(a, elab_inst *, n),
                  ARENA_ARRAY(a, graph_ends, n),
                  ARENA_ARRAY(a, bool, n),
                  ARENA_ARRAY(a, bool, n),
                  ARENA_ARRAY(a, uint32_t, n),
                  ARENA_ARRAY(a, uint32_t, n)};
    for (elab_inst *child = inst->first; child != NULL; child = child->next, i++) {
        b.child[i] = child;
        b.ends[i] = flatten(g, child, region);
        b.no_in[i] = b.ends[i].in.actor == SIR_NONE && b.ends[i].in.type != NULL;
        b.no_out[i] = b.ends[i].out.actor == SIR_NONE && b.ends[i].out.type != NULL;
    }
    return b;
}

// The one item type of all ends that are there; void when none is.
static graph_end common_end(graph *g, const elab_inst *inst, const branches *b, bool input)
{
    graph_end found = no_end(g);
    for (uint32_t i = 0; i < b->count; i++) {
        graph_end end = input ? b->ends[i].in : b->ends[i].out;
        if (end.actor == SIR_NONE)
            continue;
        if (found.actor == SIR_NONE) {
            found = end;
        } else if (found.type != end.type) {
            const char *verb = input ? "takes" : "gives";
            diag_record *r = graph_error(g, end.inst->where, "'%s' %s '%s', but '%s' in the same '%s' %s '%s'",
                                         elab_inst_name(g->x, end.inst), verb, elab_type_name(g->x, end.type),
                                         elab_inst_name(g->x, found.inst), elab_inst_name(g->x, inst), verb,
                                         elab_type_name(g->x, found.type));
            graph_note(g, r, found.inst->where, "'%s' is added here", elab_inst_name(g->x, found.inst));
            break;
        }
    }
    return found;
}

static void check_duplicate(graph *g, const elab_inst *inst, const branches *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        if (!b->no_in[i])
            continue;
        diag_record *r = graph_error(g, inst->split->range,
                                     "'split duplicate' gives every item to every child, but '%s' has no input; "
                                     "use 'roundrobin' with weight 0",
                                     elab_inst_name(g->x, b->child[i]));
        graph_note(g, r, b->child[i]->where, "'%s' is added here", elab_inst_name(g->x, b->child[i]));
        return;
    }
}

static graph_end connect_split(graph *g, elab_inst *inst, uint32_t splitter, const branches *b)
{
    graph_end common = common_end(g, inst, b, true);
    if (splitter == SIR_NONE || g->failed)
        return common;
    sir_actor *a = g->m->actors.data[splitter];
    a->item = common.type;
    a->duplicate = inst->split->duplicate;
    for (uint32_t i = 0; i < b->count; i++) {
        if (!a->duplicate)
            VEC_PUSH(g->x->arena, &a->weights, b->in[i]);
        if (!b->no_in[i])
            connect(g, (graph_end){splitter, i, common.type, inst}, b->ends[i].in);
    }
    while (a->outputs.len < b->count)
        VEC_PUSH(g->x->arena, &a->outputs, SIR_NONE);
    return (graph_end){.actor = splitter, .type = common.type, .inst = common.inst};
}

static graph_end connect_join(graph *g, elab_inst *inst, uint32_t joiner, const branches *b)
{
    graph_end common = common_end(g, inst, b, false);
    if (joiner == SIR_NONE || g->failed)
        return common;
    sir_actor *a = g->m->actors.data[joiner];
    a->item = common.type;
    for (uint32_t i = 0; i < b->count; i++) {
        VEC_PUSH(g->x->arena, &a->weights, b->out[i]);
        if (!b->no_out[i])
            connect(g, b->ends[i].out, (graph_end){joiner, i, common.type, inst});
    }
    while (a->inputs.len < b->count)
        VEC_PUSH(g->x->arena, &a->inputs, SIR_NONE);
    return (graph_end){.actor = joiner, .type = common.type, .inst = common.inst};
}

// Whether a stream has input (or output): as its declaration says, or its contents where that leaves it open.
static bool has_side(const elab_inst *inst, bool input)
{
    const lang_type *t = input ? inst->decl->input : inst->decl->output;
    if (t->kind != TYPE_ERROR || inst->decl->kind == STREAM_FILTER || inst->decl->kind == STREAM_FEEDBACKLOOP)
        return t->kind != TYPE_VOID;
    if (inst->decl->kind == STREAM_PIPELINE)
        return has_side(input ? inst->first : inst->last, input);
    for (const elab_inst *child = inst->first; child != NULL; child = child->next)
        if (has_side(child, input))
            return true;
    return false;
}

static graph_ends flatten_splitjoin(graph *g, elab_inst *inst, uint32_t region)
{
    // A side that is void has no splitter or joiner.
    bool has_in = has_side(inst, true), has_out = has_side(inst, false);
    uint32_t splitter = SIR_NONE, joiner = SIR_NONE;
    if (has_in)
        splitter = new_actor(g, SIR_SPLIT, region, graph_base(g, inst, "_split"), inst->split->range);
    branches b = flatten_branches(g, inst, region);
    if (has_out)
        joiner = new_actor(g, SIR_JOIN, region, graph_base(g, inst, "_join"), inst->join->range);
    bool weighed = true;
    if (inst->split->duplicate) {
        if (has_in)
            check_duplicate(g, inst, &b);
        for (uint32_t i = 0; i < b.count; i++)
            b.in[i] = !b.no_in[i];
    } else {
        // Where the whole side is void any weights will do.
        bool *none = has_in ? b.no_in : ARENA_ARRAY(g->x->scratch, bool, b.count);
        weighed = graph_weights(g, inst, inst->split, "split", none, b.count, b.in);
    }
    bool *none = has_out ? b.no_out : ARENA_ARRAY(g->x->scratch, bool, b.count);
    weighed = graph_weights(g, inst, inst->join, "join", none, b.count, b.out) && weighed;
    for (uint32_t i = 0; weighed && i < b.count; i++)
        graph_check_fires(g, b.child[i], &b.ends[i], b.in[i], b.out[i]);
    graph_ends ends = {connect_split(g, inst, splitter, &b), connect_join(g, inst, joiner, &b)};
    return ends;
}

// ---- Feedback loops ----

static void enqueue(graph *g, const elab_inst *inst, uint32_t number)
{
    sir_channel *c = &g->m->channels.data[number];
    for (size_t i = 0; i < inst->items.len; i++) {
        elab_item item = inst->items.data[i];
        if (item.type != c->type && item.type->kind < SIR_STRUCT && c->type->kind < SIR_STRUCT)
            *item.data = sir_eval_convert(item.type, c->type, *item.data);
        else if (item.type != c->type) {
            graph_error(g, item.range, "an item of type '%s' is enqueued, but the loop of '%s' carries '%s'",
                        elab_type_name(g->x, item.type), elab_inst_name(g->x, inst), elab_type_name(g->x, c->type));
            return;
        }
        VEC_PUSH(g->x->arena, &c->initial, elab_value(g->x, c->type, item.data));
        if (i == 0)
            c->loc = elab_loc(g->x, item.range);
    }
}

static bool check_both_sides(graph *g, const elab_inst *inst, const elab_inst *part, const graph_ends *ends,
                             const char *what)
{
    if (ends->in.actor != SIR_NONE && ends->out.actor != SIR_NONE)
        return true;
    graph_error(g, part->where, "the %s of '%s' must have input and output, but '%s' has no %s", what,
                elab_inst_name(g->x, inst), elab_inst_name(g->x, part),
                ends->in.actor == SIR_NONE ? "input" : "output");
    return false;
}

static bool loop_weights(graph *g, const elab_inst *inst, bool has_in, bool has_out, uint32_t *join, uint32_t *split)
{
    const bool no_in[2] = {!has_in, false}, no_out[2] = {!has_out, false};
    bool ok = graph_weights(g, inst, inst->join, "join", no_in, 2, join);
    if (inst->split->duplicate) {
        split[0] = split[1] = 1;
        if (!has_out) {
            graph_error(g, inst->split->range,
                        "'split duplicate' gives every item to the output too, but '%s' has none; "
                        "use 'roundrobin(0, 1)'",
                        elab_inst_name(g->x, inst));
            return false;
        }
    } else {
        ok = graph_weights(g, inst, inst->split, "split", no_out, 2, split) && ok;
    }
    if (ok && (join[1] == 0 || split[1] == 0)) {
        bool joins = join[1] == 0;
        graph_error(g, joins ? inst->join->range : inst->split->range,
                    "the %s weight of the loop of '%s' is 0, so nothing goes round; write a pipeline instead",
                    joins ? "join" : "split", elab_inst_name(g->x, inst));
        return false;
    }
    return ok;
}

static graph_ends flatten_loop(graph *g, elab_inst *inst, uint32_t region)
{
    bool has_in = inst->decl->input->kind != TYPE_VOID, has_out = inst->decl->output->kind != TYPE_VOID;
    uint32_t joiner = new_actor(g, SIR_JOIN, region, graph_base(g, inst, "_join"), inst->join->range);
    graph_ends body = flatten(g, inst->body, region);
    uint32_t splitter = new_actor(g, SIR_SPLIT, region, graph_base(g, inst, "_split"), inst->split->range);
    graph_ends loop = flatten(g, inst->loop, region);
    graph_ends all = {no_end(g), no_end(g)};
    static const graph_ends reported = {{.actor = SIR_NONE}, {.actor = SIR_NONE}};
    uint32_t join[2], split[2];
    bool ok = check_both_sides(g, inst, inst->body, &body, "body");
    ok = check_both_sides(g, inst, inst->loop, &loop, "loop") && ok;
    if (!loop_weights(g, inst, has_in, has_out, join, split) || !ok || g->failed)
        return reported;
    sir_actor *j = g->m->actors.data[joiner], *s = g->m->actors.data[splitter];
    j->item = body.in.type;
    s->item = body.out.type;
    s->duplicate = inst->split->duplicate;
    for (int i = 0; i < 2; i++) {
        VEC_PUSH(g->x->arena, &j->weights, join[i]);
        VEC_PUSH(g->x->arena, &j->inputs, SIR_NONE);
        VEC_PUSH(g->x->arena, &s->outputs, SIR_NONE);
        if (!s->duplicate)
            VEC_PUSH(g->x->arena, &s->weights, split[i]);
    }
    connect(g, (graph_end){joiner, 0, j->item, body.in.inst}, body.in);
    connect(g, body.out, (graph_end){splitter, 0, s->item, body.out.inst});
    connect(g, (graph_end){splitter, 1, s->item, body.out.inst}, loop.in);
    if (!graph_same_type(g, loop.out, (graph_end){joiner, 1, j->item, body.in.inst}))
        return reported;
    enqueue(g, inst, sir_channel_connect(g->m, loop.out.actor, loop.out.port, joiner, 1, j->item));
    if (has_in)
        all.in = (graph_end){joiner, 0, j->item, body.in.inst};
    if (has_out)
        all.out = (graph_end){splitter, 0, s->item, body.out.inst};
    return all;
}

// ---- All of it ----

static graph_ends flatten(graph *g, elab_inst *inst, uint32_t parent)
{
    uint32_t region = new_region(g, inst, parent);
    graph_ends ends = {no_end(g), no_end(g)};
    switch (inst->decl->kind) {
    case STREAM_FILTER: return flatten_filter(g, inst, region);
    case STREAM_PIPELINE: ends = flatten_pipeline(g, inst, region); break;
    case STREAM_SPLITJOIN: ends = flatten_splitjoin(g, inst, region); break;
    case STREAM_FEEDBACKLOOP: ends = flatten_loop(g, inst, region); break;
    }
    if (!g->failed)
        graph_check_written(g, inst, &ends);
    return ends;
}

static void make_portals(graph *g)
{
    hmap names;
    hmap_init(&names, g->x->scratch);
    for (size_t i = 0; i < g->x->portals.len; i++) {
        const elab_portal *p = &g->x->portals.data[i];
        sir_portal to = {.name = elab_unique(g->x, &names, p->var->name, false), .loc = elab_loc(g->x, p->var->range)};
        for (size_t k = 0; k < p->receivers.len; k++)
            VEC_PUSH(g->x->arena, &to.receivers, p->receivers.data[k]->actor);
        VEC_PUSH(g->x->arena, &g->m->portals, to);
    }
}

// A program that is not void->void reads its own input and writes its own output.
static void make_program(graph *g)
{
    elab_inst *top = g->x->top;
    bool reads = top->decl->input->kind != TYPE_VOID, writes = top->decl->output->kind != TYPE_VOID;
    uint32_t reader = SIR_NONE;
    if (reads)
        reader = new_actor(g, SIR_READER, 0, "input", top->decl->type_range);
    graph_ends ends = flatten(g, top, SIR_NONE);
    if (g->failed)
        return;
    if (reads) {
        g->m->actors.data[reader]->item = ends.in.type;
        sir_channel_connect(g->m, reader, 0, ends.in.actor, ends.in.port, ends.in.type);
    }
    if (writes) {
        uint32_t writer = new_actor(g, SIR_WRITER, 0, "output", top->decl->type_range);
        g->m->actors.data[writer]->item = ends.out.type;
        sir_channel_connect(g->m, ends.out.actor, ends.out.port, writer, 0, ends.out.type);
    }
}

// Channels in the order of their producers, whatever order they were found in.
static void order_channels(graph *g)
{
    sir_module *m = g->m;
    __typeof__(m->channels) sorted;
    memset(&sorted, 0, sizeof sorted);
    vec_reserve(g->x->arena, &sorted, m->channels.len, sizeof *sorted.data);
    for (size_t i = 0; i < m->actors.len; i++) {
        const sir_actor *a = m->actors.data[i];
        for (size_t k = 0; k < a->outputs.len; k++) {
            if (a->outputs.data[k] == SIR_NONE)
                continue;
            sir_channel c = m->channels.data[a->outputs.data[k]];
            a->outputs.data[k] = (uint32_t)sorted.len;
            m->actors.data[c.consumer]->inputs.data[c.consumer_port] = (uint32_t)sorted.len;
            VEC_PUSH(g->x->arena, &sorted, c);
        }
    }
    m->channels = sorted;
}

bool elab_make_graph(elab *x)
{
    graph g = {.x = x, .m = x->module};
    make_program(&g);
    if (g.failed) {
        x->failed = true;
        return false;
    }
    order_channels(&g);
    make_portals(&g);
    graph_name_actors(&g);
    for (size_t i = 0; i < x->module->filters.len; i++)
        sir_filter_derive(x->module, x->module->filters.data[i]);
    graph_check_messages(&g);
    graph_warn(&g);
    x->failed = g.failed;
    return !g.failed;
}
