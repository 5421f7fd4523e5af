// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'share': filters that do the same to the same items run once. Bands of an equaliser that are differences of
// low-pass filters compute each of those twice:
//
//     duplicate { A  B }  duplicate { B  C }  behind one source: B runs once, and what it gives is duplicated.
//
// Streams of items are numbered, equal ones equally: what a duplicating splitter gives is what it takes, and what a filter
// gives depends on the filter and the stream that it takes, since equal filters begin with equal state.
#include <inttypes.h>
#include <string.h>

#include "hlc/ir/walk.h"
#include "hlc/passes/pass.h"

// Nodes of a body from which it is worth it; less is cheaper than the copy.
enum { SHARE_NODES = 24 };

typedef VEC(uint32_t) numbers;

// Equal items, in order. Number 0 is none.
typedef struct stream {
    uint32_t producer, port; // the actor that computes them
    bool changes;            // an equal one is no longer computed, or no longer used
    uint32_t splitter;       // the first that duplicates it; SIR_NONE
    numbers uses;            // channels to actors that stay and do not duplicate
} stream;

typedef struct sharer {
    arena *a;
    hlc_program *hlc;
    sir_module *m;
    VEC(stream) streams;
    uint32_t *of;  // per channel: its stream, 0 not known yet
    bool *gone;    // per actor
    hmap computed; // filter and stream taken: the actor's number and one
    bool any;
} sharer;

bool pass_in_loop(const sir_module *m, uint32_t region)
{
    return region != SIR_NONE && m->regions.data[region].in_loop;
}

// ---- Which filters ----

typedef struct body_facts {
    size_t nodes;
    bool foreign; // it calls what may depend on more than its arguments
} body_facts;

static void count_node(void *context, sir_expr *e, bool written)
{
    (void)e;
    (void)written;
    ((body_facts *)context)->nodes++;
}

static void look(void *context, sir_stmt *s)
{
    body_facts *b = context;
    b->nodes += s->kind == SIR_FOR || s->kind == SIR_LOOP ? SHARE_NODES : 1;
    b->foreign |= s->kind == SIR_CALL && s->u.call.function->kind == SIR_NATIVE;
    sir_visit_exprs(s, count_node, b);
}

static bool is_static(const sir_function *f)
{
    return f == NULL || (!f->peek.dynamic && !f->pop.dynamic && !f->push.dynamic);
}

static bool can_share(const sir_module *m, const sir_actor *a)
{
    const sir_filter *f = a->filter;
    if (a->kind != SIR_FILTER || a->inputs.len != 1 || a->outputs.len != 1 || f->prints || f->uses_random || f->sends ||
        f->handlers.len != 0 || f->functions.len != 0 || a->least != 0 || !is_static(f->work) ||
        !is_static(f->prework) || m->channels.data[a->inputs.data[0]].initial.len != 0 ||
        m->channels.data[a->outputs.data[0]].initial.len != 0)
        return false;
    body_facts b = {0};
    sir_visit_stmts(&f->work->body, look, &b);
    if (f->prework != NULL)
        sir_visit_stmts(&f->prework->body, look, &b);
    return !b.foreign && b.nodes >= SHARE_NODES && !pass_in_loop(m, a->region);
}

static bool duplicates(const sir_module *m, const sir_actor *a)
{
    if (a->kind != SIR_SPLIT || !a->duplicate || pass_in_loop(m, a->region) || a->inputs.len != 1 ||
        m->channels.data[a->inputs.data[0]].initial.len != 0)
        return false;
    for (VEC_EACH(uint32_t, c, &a->outputs))
        if (*c == SIR_NONE || m->channels.data[*c].initial.len != 0)
            return false;
    return true;
}

// ---- Numbering ----

static uint32_t new_stream(sharer *x, uint32_t producer, uint32_t port)
{
    VEC_PUSH(x->a, &x->streams, (stream){.producer = producer, .port = port, .splitter = SIR_NONE});
    return (uint32_t)x->streams.len - 1;
}

static void number_outputs(sharer *x, uint32_t actor)
{
    const sir_actor *a = x->m->actors.data[actor];
    for (uint32_t i = 0; i < a->outputs.len; i++)
        if (a->outputs.data[i] != SIR_NONE && x->of[a->outputs.data[i]] == 0)
            x->of[a->outputs.data[i]] = new_stream(x, actor, i);
}

static void number_actor(sharer *x, uint32_t actor)
{
    const sir_actor *a = x->m->actors.data[actor];
    uint32_t in = a->inputs.len == 1 && a->inputs.data[0] != SIR_NONE ? x->of[a->inputs.data[0]] : 0;
    if (in != 0 && duplicates(x->m, a)) {
        for (VEC_EACH(uint32_t, c, &a->outputs))
            x->of[*c] = in;
        if (x->streams.data[in].splitter == SIR_NONE)
            x->streams.data[in].splitter = actor;
        return;
    }
    if (in == 0 || !can_share(x->m, a)) {
        number_outputs(x, actor);
        return;
    }
    struct {
        const void *filter;
        uint64_t in;
    } key = {a->filter, in};
    size_t known = (size_t)hmap_getn(&x->computed, &key, sizeof key);
    if (known == 0) {
        hmap_setn(&x->computed, &key, sizeof key, (void *)((size_t)actor + 1));
        number_outputs(x, actor);
        return;
    }
    const sir_actor *same = x->m->actors.data[known - 1];
    uint32_t out = x->of[same->outputs.data[0]];
    x->of[a->outputs.data[0]] = out;
    x->gone[actor] = x->any = true;
    x->streams.data[in].changes = x->streams.data[out].changes = true;
    if (x->hlc->diag->remarks)
        diag_remark(x->hlc->diag, sir_range(x->m, x->hlc->sources, a->loc),
                    "'%s' computes what '%s' computes: it runs once for both [share]", a->name, same->name);
}

// ---- The graph without them ----

static sir_actor *splitter_of(sharer *x, const stream *s)
{
    const sir_actor *p = x->m->actors.data[s->producer];
    sir_actor *r = ARENA_NEW(x->m->arena, sir_actor);
    if (s->splitter != SIR_NONE) {
        *r = *x->m->actors.data[s->splitter];
    } else {
        const sir_channel *c = &x->m->channels.data[p->outputs.data[s->port]];
        *r = (sir_actor){.kind = SIR_SPLIT, .duplicate = true, .item = c->type, .region = p->region, .loc = p->loc};
        r->name = arena_printf(x->m->arena, "%s_shared", p->name);
        for (VEC_EACH(sir_actor *, other, &x->m->actors))
            if (strcmp((*other)->name, r->name) == 0)
                r->name = arena_printf(x->m->arena, "%s_shared_%" PRIu32, p->name, s->producer);
    }
    memset(&r->inputs, 0, sizeof r->inputs);
    memset(&r->outputs, 0, sizeof r->outputs);
    return r;
}

typedef struct graph {
    VEC(sir_actor *) actors;
    VEC(sir_channel) channels;
} graph;

static void connect(sharer *x, graph *g, sir_channel c, sir_actor *from, uint32_t from_number, uint32_t from_port,
                    sir_actor *to, uint32_t to_number, uint32_t to_port)
{
    c.producer = from_number;
    c.producer_port = from_port;
    c.consumer = to_number;
    c.consumer_port = to_port;
    from->outputs.data[from_port] = to->inputs.data[to_port] = (uint32_t)g->channels.len;
    VEC_PUSH(x->m->arena, &g->channels, c);
}

static void find_uses(sharer *x)
{
    for (uint32_t i = 0; i < x->m->actors.len; i++) {
        const sir_actor *a = x->m->actors.data[i];
        for (VEC_EACH(uint32_t, c, &a->inputs)) {
            if (*c == SIR_NONE)
                continue;
            stream *s = &x->streams.data[x->of[*c]];
            if (s->changes && !x->gone[i] && duplicates(x->m, a))
                x->gone[i] = true; // what replaces it stands behind the producer
            else if (!x->gone[i])
                VEC_PUSH(x->a, &s->uses, *c);
        }
    }
}

static void rebuild(sharer *x)
{
    sir_module *m = x->m;
    graph g = {0};
    uint32_t *number = ARENA_ARRAY(x->a, uint32_t, m->actors.len + 1),
             *first = ARENA_ARRAY(x->a, uint32_t, x->streams.len);
    for (uint32_t i = 0; i < m->actors.len; i++) {
        if (x->gone[i])
            continue;
        const sir_actor *a = m->actors.data[i];
        number[i] = (uint32_t)g.actors.len;
        VEC_PUSH(m->arena, &g.actors, m->actors.data[i]);
        for (uint32_t port = 0; port < a->outputs.len; port++) {
            uint32_t s = a->outputs.data[port] == SIR_NONE ? 0 : x->of[a->outputs.data[port]];
            if (!x->streams.data[s].changes || x->streams.data[s].producer != i || x->streams.data[s].uses.len < 2)
                continue;
            first[s] = (uint32_t)g.actors.len;
            VEC_PUSH(m->arena, &g.actors, splitter_of(x, &x->streams.data[s]));
        }
    }
    // Types and places of channels are those of the ones before.
    for (uint32_t s = 1; s < x->streams.len; s++) {
        const stream *st = &x->streams.data[s];
        if (!st->changes)
            continue;
        sir_actor *from = m->actors.data[st->producer];
        sir_channel c = m->channels.data[from->outputs.data[st->port]];
        uint32_t from_number = number[st->producer], port = st->port;
        if (st->uses.len > 1) {
            sir_actor *split = g.actors.data[first[s]];
            VEC_PUSH(m->arena, &split->inputs, SIR_NONE);
            for (size_t i = 0; i < st->uses.len; i++)
                VEC_PUSH(m->arena, &split->outputs, SIR_NONE);
            connect(x, &g, c, from, from_number, port, split, first[s], 0);
            from = split;
            from_number = first[s];
            port = 0;
        }
        for (VEC_EACH(uint32_t, use, &st->uses)) {
            sir_channel old = m->channels.data[*use];
            connect(x, &g, old, from, from_number, port++, m->actors.data[old.consumer], number[old.consumer],
                    old.consumer_port);
        }
    }
    for (size_t i = 0; i < m->channels.len; i++) {
        sir_channel c = m->channels.data[i];
        if (x->streams.data[x->of[i]].changes || x->gone[c.consumer] || x->gone[c.producer])
            continue;
        connect(x, &g, c, m->actors.data[c.producer], number[c.producer], c.producer_port, m->actors.data[c.consumer],
                number[c.consumer], c.consumer_port);
    }
    m->actors.len = m->channels.len = 0;
    for (VEC_EACH(sir_actor *, a, &g.actors))
        VEC_PUSH(m->arena, &m->actors, *a);
    for (VEC_EACH(sir_channel, c, &g.channels))
        VEC_PUSH(m->arena, &m->channels, *c);
}

bool pass_share(hlc_program *p)
{
    sir_module *m = p->module;
    if (m->portals.len != 0)
        return false; // when messages arrive depends on the ways that items go
    sharer x = {.a = arena_create(), .hlc = p, .m = m};
    hmap_init(&x.computed, x.a);
    x.of = ARENA_ARRAY(x.a, uint32_t, m->channels.len + 1);
    x.gone = ARENA_ARRAY(x.a, bool, m->actors.len + 1);
    (void)new_stream(&x, SIR_NONE, 0);
    for (uint32_t i = 0; i < m->actors.len; i++)
        number_actor(&x, i);
    if (x.any) {
        find_uses(&x);
        rebuild(&x);
    }
    arena_destroy(x.a);
    return x.any;
}
