// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stretches of filters with state that have splitters and joiners, or several items a firing, between them.
//
//     split duplicate;                              %item = pop
//     add OnePole;      // pop 1 push 1             ..    %item_2 = $y          what OnePole does
//     add Identity;                          ->
//     join roundrobin;
//     add Difference;   // pop 2 push 1             push %item - %item_2        what Difference does
//
// One firing of all is written in a row: each item between them is a local, which a duplicating splitter gives to all its
// outputs, and of which a joiner says in which order they come. The stretch fires when all items of such a firing are there,
// and nothing comes out before. What a channel holds between firings, as that of a delay does, is fields.
//
// NOTE(windows). A filter that looks ahead, as one that makes differences or a filter of a few taps does, fires later than
// those before it. Where each actor fires once a firing of all, some first firings of all are written in a row in prework: each
// actor is in those for which its items are there, and nothing comes out before the last. What lies on the channels then is
// held, as above.
//
// A filter waits for its own state where an operation of a firing needs what the same operation gave in a firing before. One
// that keeps an item, or counts, does not: its firings can be made to go side by side by itself.
#include <inttypes.h>

#include "hlc/ir/copy.h"
#include "hlc/ir/counters.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/chain_int.h"
#include "hlc/passes/regions.h"
#include "hlc/schedule/schedule.h"

// Actors of a stretch; items that a firing takes or gives, and firings of one, at most. Fields that are followed.
enum { REGION_ACTORS = 64, REGION_ITEMS = 16, REGION_FIELDS = 64 };

// Items that a channel holds at most; nodes of a filter that only passes on. Items that a filter may look ahead for; nodes of
// all firings that are written for that.
enum { HELD_ITEMS = 8, DELAY_NODES = 4, AHEAD_ITEMS = 8, PREWORK_NODES = 2000 };

// So many times as many nodes as waiting ones the others have at most: what is done while those wait costs little, where
// firings that do not wait could go side by side.
enum { NODES_BESIDE = 2 };

typedef struct queue {
    VEC(uint32_t) locals; // that hold the items
    size_t read;
} queue;

typedef struct joiner {
    chain_graph g;
    bool windows;       // stretches in which some look ahead are made, others are no more: NOTE(windows)
    size_t *nodes;      // per actor: of its body; 0: it cannot be in a stretch
    bool *waits;        // per actor: for its own state
    pass_scalars *held; // per channel: what is on it at first
    int64_t *lead;      // per channel: so many of these are more than its consumer looks ahead for
    queue *queues;      // per channel, which is in one stretch at most
    uint32_t *fields;   // per channel: where those of what it holds begin
    uint32_t *own;      // per actor: where those of its state begin
    size_t *holds;      // per channel of the stretch at hand: items that are on it between firings
    int64_t *late;      // per actor of that: firings of the first one before its own first; NOTE(windows)
} joiner;

// ---- Which filters wait for themselves ----

// Of which fields' values of before something is made, a bit each.
typedef struct flow {
    const sir_filter *filter;
    uint64_t *locals, *fields;
    uint64_t read; // of the expression that is looked at
    bool changed;
} flow;

static void note_read(void *context, sir_expr *e, bool written)
{
    (void)written;
    flow *x = context;
    if (e->kind == SIR_FIELD && !x->filter->fields.data[e->index].constant)
        x->read |= UINT64_C(1) << e->index;
    if (e->kind == SIR_LOCAL)
        x->read |= x->locals[e->index];
}

static uint64_t read_by(flow *x, sir_expr *e)
{
    x->read = 0;
    sir_visit_tree(e, false, note_read, x);
    return x->read;
}

static void add(flow *x, uint64_t *to, uint64_t what)
{
    x->changed |= (what & ~*to) != 0;
    *to |= what;
}

static void write(flow *x, sir_expr *target, uint64_t what)
{
    for (; target->kind == SIR_INDEX || target->kind == SIR_MEMBER; target = target->u.arg[0])
        if (target->kind == SIR_INDEX)
            what |= read_by(x, target->u.arg[1]);
    if (target->kind == SIR_LOCAL)
        add(x, &x->locals[target->index], what);
    else if (target->kind == SIR_FIELD)
        add(x, &x->fields[target->index], what);
}

// decides: what says whether the statements are done.
static void follow_block(flow *x, const sir_block *b, uint64_t decides)
{
    for (VEC_EACH(sir_stmt *, s, b)) {
        sir_parts parts = sir_stmt_parts(*s);
        uint64_t what = decides;
        for (uint8_t i = 0; i < parts.expr_count; i++)
            what |= read_by(x, *parts.expr[i]);
        if (parts.target != NULL)
            write(x, *parts.target, what);
        if ((*s)->kind == SIR_DECL)
            add(x, &x->locals[(*s)->u.decl.local], what);
        if ((*s)->kind == SIR_FOR)
            add(x, &x->locals[(*s)->u.for_.local], what);
        for (uint8_t i = 0; i < parts.block_count; i++)
            follow_block(x, parts.block[i], what);
    }
}

bool chain_needs_itself(arena *a, const sir_filter *f, const sir_block *b)
{
    const size_t n = f->fields.len;
    if (n > REGION_FIELDS)
        return true;
    flow x = {.filter = f, .changed = true};
    x.locals = ARENA_ARRAY(a, uint64_t, f->work->locals.len + 1);
    x.fields = ARENA_ARRAY(a, uint64_t, n + 1);
    while (x.changed) {
        x.changed = false;
        follow_block(&x, b, 0);
    }
    for (size_t by = 0; by < n; by++)
        for (size_t i = 0; i < n; i++)
            if (x.fields[i] >> by & 1)
                x.fields[i] |= x.fields[by];
    for (size_t i = 0; i < n; i++)
        if (x.fields[i] >> i & 1)
            return true;
    return false;
}

bool chain_waits(arena *a, const sir_filter *f)
{
    sir_counters counters = {0};
    sir_beside beside = {0};
    return f->stateful && chain_needs_itself(a, f, &f->work->body) && !sir_find_counters(a, f, &counters, &beside);
}

// ---- Which stretches ----

static bool may_join(void *context, uint32_t actor)
{
    const joiner *x = context;
    const sir_actor *a = x->g.m->actors.data[actor];
    if (x->g.gone_actor[actor] || a->least != 0 || pass_in_loop(x->g.m, a->region) || pass_has_gaps(a))
        return false;
    for (VEC_EACH(uint32_t, c, &a->outputs))
        if (*c == SIR_NONE || x->g.m->channels.data[*c].zeros != NULL || x->held[*c].len > HELD_ITEMS)
            return false;
    return a->kind == SIR_FILTER ? x->nodes[actor] != 0 : (a->kind == SIR_SPLIT && a->duplicate) || a->kind == SIR_JOIN;
}

// What a stretch is made of.
typedef struct contents {
    size_t waiting, others; // nodes, of all firings
    size_t filters, splits; // filters that wait; splitters
    bool several;           // some filter takes or gives several items
} contents;

static contents contents_of(const joiner *x, const pass_region *r)
{
    contents c = {0};
    for (uint32_t i = r->first; i <= r->last; i++) {
        const sir_actor *a = x->g.m->actors.data[i];
        const size_t nodes = x->nodes[i] * (size_t)r->reps[i - r->first];
        *(x->waits[i] ? &c.waiting : &c.others) += nodes;
        c.filters += x->waits[i];
        c.splits += a->kind == SIR_SPLIT;
        c.several |= a->kind == SIR_FILTER && (a->filter->work->pop.max > 1 || a->filter->work->push.max > 1);
    }
    return c;
}

static int64_t divided_up(int64_t a, int64_t b)
{
    return a >= 0 ? (a + b - 1) / b : -(-a / b);
}

// How much later than the first actor others fire, and what channels hold then; false: that is not written.
static bool find_late(joiner *x, const pass_region *r)
{
    const sir_module *m = x->g.m;
    for (uint32_t i = r->first; i <= r->last; i++) {
        const sir_actor *a = m->actors.data[i];
        x->late[i] = i == r->first ? 0 : INT64_MIN;
        for (size_t k = 0; i != r->first && k < a->inputs.len; k++) {
            const sir_channel *c = &m->channels.data[a->inputs.data[k]];
            const int64_t taken = sched_input_rate(a, (uint32_t)k, false).pop,
                          late = x->late[c->producer] + divided_up(-x->lead[a->inputs.data[k]], taken);
            x->late[i] = late > x->late[i] ? late : x->late[i];
        }
        for (size_t k = 0; i != r->first && k < a->inputs.len; k++) {
            const sir_channel *c = &m->channels.data[a->inputs.data[k]];
            const int64_t rounds = x->late[i] - x->late[c->producer],
                          holds = (int64_t)x->held[a->inputs.data[k]].len +
                                  rounds * sched_input_rate(a, (uint32_t)k, false).pop;
            if (rounds < 0 || holds > HELD_ITEMS)
                return false;
            x->holds[a->inputs.data[k]] = (size_t)holds;
            x->lead[a->inputs.data[k]] += holds - (int64_t)x->held[a->inputs.data[k]].len;
        }
    }
    return true;
}

// Whether some filter in the stretch looks ahead for what its channel does not hold at first.
static bool looks_ahead(const joiner *x, const pass_region *r)
{
    bool ahead = false;
    for (uint32_t i = r->first; i <= r->last; i++)
        for (VEC_EACH(uint32_t, c, &x->g.m->actors.data[i]->inputs))
            ahead |= *c != r->in && x->lead[*c] < 0;
    return ahead;
}

static void look_at_channel(joiner *x, uint32_t channel)
{
    const sir_channel *c = &x->g.m->channels.data[channel];
    const sir_actor *a = x->g.m->actors.data[c->consumer];
    const bool looks = a->kind == SIR_FILTER && x->nodes[c->consumer] != 0;
    x->lead[channel] =
        (int64_t)x->held[channel].len - (looks ? a->filter->work->peek.max - a->filter->work->pop.max : 0);
}

// For channels inside: what they hold at first, and what is there beside that.
static void reset_channels(joiner *x, const pass_region *r)
{
    for (uint32_t i = r->first; i <= r->last; i++)
        for (VEC_EACH(uint32_t, c, &x->g.m->actors.data[i]->outputs))
            if (*c != r->out) {
                look_at_channel(x, *c);
                x->holds[*c] = x->held[*c].len;
            }
}

// See NOTE(windows). Then leads are those behind the first firings.
static bool begins(joiner *x, const pass_region *r)
{
    bool once = true;
    for (uint32_t i = r->first; i <= r->last; i++)
        once &= r->reps[i - r->first] == 1;
    return once && !x->g.hlc->config->fast_math && find_late(x, r) &&
           (contents_of(x, r).waiting + contents_of(x, r).others) * (size_t)(x->late[r->last] + 1) <= PREWORK_NODES;
}

// Filters in a row that go item by item, and filters that a splitter gives the same items, are others' (chain.c, abreast.c).
static bool is_worth_it(const joiner *x, const pass_region *r, bool ahead)
{
    const contents c = contents_of(x, r);
    const bool one = c.splits == 1 && x->g.m->actors.data[r->first]->kind == SIR_SPLIT &&
                     x->g.m->actors.data[r->last]->kind == SIR_JOIN;
    return c.filters >= 2 && (c.splits > 0 || c.several || ahead) && !one && c.waiting + c.others <= CHAIN_ALL_NODES &&
           c.others <= NODES_BESIDE * c.waiting;
}

static bool fits(joiner *x, pass_region *r)
{
    r->most = REGION_ITEMS;
    r->lead = x->lead;
    reset_channels(x, r);
    const bool ahead = looks_ahead(x, r);
    x->late[r->last] = 0;
    return pass_region_balances(r) && pass_region_items(r, r->in) <= REGION_ITEMS &&
           pass_region_items(r, r->out) <= REGION_ITEMS && ahead == x->windows && (!ahead || begins(x, r)) &&
           pass_region_comes_out_at_once(r) && is_worth_it(x, r, ahead);
}

static bool some_waits(const joiner *x, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i <= last; i++)
        if (x->waits[i])
            return true;
    return false;
}

// Whether a filter that does not wait makes fewer items of what a joiner gives it.
static bool combines(const joiner *x, uint32_t actor)
{
    const sir_actor *a = x->g.m->actors.data[actor];
    return x->nodes[actor] != 0 && !x->waits[actor] && a->filter->work->push.max < a->filter->work->pop.max;
}

// Where a stretch may end: at a filter that waits, at the joiner behind one, or at the filter that takes what that joins.
static bool is_end(const joiner *x, uint32_t first, const pass_region_ends *ends, size_t i)
{
    const uint32_t last = ends->data[i].last, before = i == 0 ? first : ends->data[i - 1].last + 1;
    if (some_waits(x, before, last))
        return true;
    return i > 0 && last == before && combines(x, last) && x->g.m->actors.data[last - 1]->kind == SIR_JOIN &&
           some_waits(x, i == 1 ? first : ends->data[i - 2].last + 1, last - 1);
}

// ---- The filter ----

typedef struct writer {
    joiner *x;
    const pass_region *r;
    sir_filter *filter; // the new one
    sir_function *to;   // of it
    sir_copier copier;
    uint32_t in, out; // channels of the firing that is written
    int64_t round;    // in prework: firings of the first actor before; elsewhere enough for all
} writer;

static sir_expr *item_ref(const writer *w, uint32_t channel, size_t place, sir_loc loc)
{
    const queue *q = &w->x->queues[channel];
    return sir_ref(w->x->g.m, SIR_LOCAL, q->locals.data[q->read + place], w->x->g.m->channels.data[channel].type, loc);
}

static sir_expr *replace_peek(void *context, const sir_expr *e)
{
    const writer *w = context;
    return e->kind == SIR_PEEK ? item_ref(w, w->in, (size_t)e->u.arg[0]->u.value.i, e->loc) : NULL;
}

// A new local for the next item of a channel.
static sir_stmt *declare_item(const writer *w, uint32_t channel, sir_loc loc)
{
    sir_module *m = w->x->g.m;
    sir_stmt *decl = sir_stmt_new(m, SIR_DECL, loc);
    decl->u.decl.local = sir_local_new(m, w->to, "item", m->channels.data[channel].type, loc);
    VEC_PUSH(w->x->g.a, &w->x->queues[channel].locals, decl->u.decl.local);
    return decl;
}

static bool replace_ends(void *context, const sir_stmt *s, sir_block *to)
{
    writer *w = context;
    sir_module *m = w->x->g.m;
    if (s->kind == SIR_POP) {
        if (s->u.set.target != NULL) {
            sir_stmt *set = sir_stmt_new(m, SIR_SET, s->loc);
            set->u.set.value = item_ref(w, w->in, 0, s->loc);
            set->u.set.target = sir_copy_expr(&w->copier, s->u.set.target);
            VEC_PUSH(m->arena, to, set);
        }
        w->x->queues[w->in].read++;
        return true;
    }
    if (s->kind != SIR_PUSH || w->out == w->r->out)
        return false;
    sir_expr *value = sir_copy_expr(&w->copier, s->u.value);
    sir_stmt *decl = declare_item(w, w->out, s->loc);
    decl->u.decl.init = value;
    VEC_PUSH(m->arena, to, decl);
    return true;
}

// Gives an item that is there to another channel.
static void give(writer *w, uint32_t from, uint32_t to, size_t place, sir_loc loc)
{
    sir_module *m = w->x->g.m;
    if (to != w->r->out) {
        VEC_PUSH(w->x->g.a, &w->x->queues[to].locals, w->x->queues[from].locals.data[w->x->queues[from].read + place]);
        return;
    }
    sir_stmt *push = sir_stmt_new(m, SIR_PUSH, loc);
    push->u.value = item_ref(w, from, place, loc);
    VEC_PUSH(m->arena, &w->to->body, push);
}

static void fire(writer *w, const sir_actor *a)
{
    joiner *x = w->x;
    sir_function *work = w->to;
    if (a->kind == SIR_FILTER) {
        const sir_function *own = a->filter->work;
        uint32_t *locals = ARENA_ARRAY(x->g.a, uint32_t, own->locals.len + 1);
        for (size_t i = 0; i < own->locals.len; i++) {
            const sir_local *l = &own->locals.data[i];
            locals[i] = sir_local_new(x->g.m, work, l->name, l->type, l->loc);
        }
        w->copier.locals = locals;
        w->in = a->inputs.data[0];
        w->out = a->outputs.data[0];
        sir_copy_stmts(&w->copier, &own->body, 0, own->body.len, &work->body);
        return;
    }
    for (size_t i = 0; i < a->inputs.len; i++) {
        const size_t count = a->kind == SIR_SPLIT ? 1 : a->weights.data[i];
        for (size_t n = 0; n < count; n++)
            for (VEC_EACH(uint32_t, to, &a->outputs))
                give(w, a->inputs.data[i], *to, n, a->loc);
        w->x->queues[a->inputs.data[i]].read += count;
    }
}

// The first filter of a stretch, or the last one.
static const sir_filter *filter_at(const pass_region *r, bool last)
{
    const sir_filter *found = NULL;
    for (uint32_t i = r->first; i <= r->last; i++)
        if (r->m->actors.data[i]->kind == SIR_FILTER && (found == NULL || last))
            found = r->m->actors.data[i]->filter;
    return found;
}

static sir_rate exactly(sir_rate of, int64_t items)
{
    of.min = of.max = items;
    return of;
}

// A filter that does nothing so far.
static sir_filter *empty_filter(joiner *x, const pass_region *r)
{
    sir_module *m = x->g.m;
    const sir_filter *first = filter_at(r, false), *last = filter_at(r, true);
    sir_filter *f = ARENA_NEW(m->arena, sir_filter);
    *f =
        (sir_filter){.input = m->channels.data[r->in].type, .output = m->channels.data[r->out].type, .loc = first->loc};
    f->name = pass_names_next(&x->g.filters, m->arena, arena_printf(m->arena, "%s_to_%s", first->name, last->name));
    f->source = arena_printf(m->arena, "%s to %s", first->source, last->source);
    f->work = ARENA_NEW(m->arena, sir_function);
    *f->work = (sir_function){
        .kind = SIR_WORK, .name = first->work->name, .result = first->work->result, .loc = first->work->loc};
    f->work->pop = exactly(first->work->pop, pass_region_items(r, r->in));
    f->work->peek = exactly(first->work->peek, f->work->pop.max);
    f->work->push = exactly(last->work->push, pass_region_items(r, r->out));
    return f;
}

// What the n-th item of a channel is at first.
static sir_value held_value(const writer *w, uint32_t channel, size_t n)
{
    const sir_type *type = w->x->g.m->channels.data[channel].type;
    const pass_scalars *held = &w->x->held[channel];
    sir_value value = sir_value_new(w->x->g.m->arena, type);
    if (n < held->len)
        value.data[0] = held->data[n];
    return n >= held->len || sir_value_is_zero(&value) ? sir_value_zero(type) : value;
}

// Makes fields of what a channel holds between firings.
static void add_fields(writer *w, uint32_t channel)
{
    sir_module *m = w->x->g.m;
    sir_filter own = {0};
    for (size_t i = 0; i < w->x->holds[channel]; i++)
        VEC_PUSH(m->arena, &own.fields,
                 ((sir_field){.name = intern(m->names, "held"),
                              .type = m->channels.data[channel].type,
                              .role = SIR_STATE,
                              .init = held_value(w, channel, i),
                              .loc = w->filter->loc}));
    w->x->fields[channel] = pass_add_fields(m, w->filter, &own);
}

// Declares what a channel holds when the function begins.
static void begin_channel(writer *w, uint32_t channel)
{
    sir_module *m = w->x->g.m;
    const sir_type *type = m->channels.data[channel].type;
    const bool first = w->to->kind == SIR_PREWORK;
    for (size_t i = 0; i < (first ? w->x->held[channel].len : w->x->holds[channel]); i++) {
        sir_stmt *decl = declare_item(w, channel, w->to->loc);
        decl->u.decl.init = first ? sir_const(m, type, w->x->held[channel].data[i], w->to->loc)
                                  : sir_ref(m, SIR_FIELD, w->x->fields[channel] + (uint32_t)i, type, w->to->loc);
        VEC_PUSH(m->arena, &w->to->body, decl);
    }
}

static void end_channel(writer *w, uint32_t channel)
{
    sir_module *m = w->x->g.m;
    const sir_loc loc = w->to->loc;
    for (size_t i = 0; i < w->x->holds[channel]; i++) {
        sir_stmt *set = sir_stmt_new(m, SIR_SET, loc);
        set->u.set.target =
            sir_ref(m, SIR_FIELD, w->x->fields[channel] + (uint32_t)i, m->channels.data[channel].type, loc);
        set->u.set.value = item_ref(w, channel, i, loc);
        VEC_PUSH(m->arena, &w->to->body, set);
    }
}

static void forget_channel(writer *w, uint32_t channel)
{
    w->x->queues[channel] = (queue){0};
}

// For the channels inside.
static void each_channel(writer *w, void visit(writer *w, uint32_t channel))
{
    for (uint32_t i = w->r->first; i <= w->r->last; i++)
        for (VEC_EACH(uint32_t, c, &w->x->g.m->actors.data[i]->outputs))
            if (*c != w->r->out)
                visit(w, *c);
}

// A firing of all: of each actor whose items are there by now.
static void fire_all(writer *w)
{
    const pass_region *r = w->r;
    for (uint32_t i = r->first; i <= r->last; i++) {
        const sir_actor *a = r->m->actors.data[i];
        w->copier.field = w->x->own[i];
        for (int64_t n = 0; n < r->reps[i - r->first] && (w->to->kind != SIR_PREWORK || w->round >= w->x->late[i]); n++)
            fire(w, a);
    }
}

// Writes a function of so many firings of all.
static void write_function(writer *w, sir_function *to, int64_t rounds)
{
    sir_module *m = w->x->g.m;
    w->to = to;
    forget_channel(w, w->r->in);
    each_channel(w, forget_channel);
    for (int64_t i = 0; i < to->pop.max; i++) {
        VEC_PUSH(m->arena, &to->body, declare_item(w, w->r->in, to->loc));
        sir_stmt *pop = sir_stmt_new(m, SIR_POP, to->loc);
        pop->u.set.target = item_ref(w, w->r->in, (size_t)i, to->loc);
        VEC_PUSH(m->arena, &to->body, pop);
    }
    each_channel(w, begin_channel);
    for (w->round = 0; w->round < rounds; w->round++)
        fire_all(w);
    each_channel(w, end_channel);
}

static sir_filter *make_filter(joiner *x, const pass_region *r)
{
    sir_module *m = x->g.m;
    writer w = {.x = x, .r = r, .filter = empty_filter(x, r)};
    sir_function *work = w.filter->work;
    w.copier = (sir_copier){.arena = m->arena, .context = &w, .expr = replace_peek, .stmt = replace_ends};
    each_channel(&w, add_fields);
    for (uint32_t i = r->first; i <= r->last; i++)
        if (m->actors.data[i]->kind == SIR_FILTER)
            x->own[i] = pass_add_fields(m, w.filter, m->actors.data[i]->filter);
    write_function(&w, work, 1);
    if (x->late[r->last] != 0) {
        const int64_t rounds = x->late[r->last] + 1;
        sir_function *first = ARENA_NEW(m->arena, sir_function);
        *first = (sir_function){.kind = SIR_PREWORK,
                                .name = intern(m->names, "prework"),
                                .result = work->result,
                                .loc = work->loc,
                                .push = work->push};
        first->pop = first->peek = exactly(work->pop, rounds * work->pop.max);
        write_function(&w, first, rounds);
        w.filter->prework = first;
    }
    return w.filter;
}

// ---- The graph ----

static void replace(joiner *x, const pass_region *r)
{
    sir_module *m = x->g.m;
    const contents c = contents_of(x, r);
    const sir_actor *first = m->actors.data[r->first], *last = m->actors.data[r->last];
    diag_remark(
        x->g.hlc->diag, sir_range(m, x->g.hlc->sources, first->loc),
        "'%s' to '%s' are one filter: what %zu that wait for their own state take and give is in locals [chain]",
        first->name, last->name, c.filters);
    sir_filter *f = make_filter(x, r);
    const char *name = pass_names_next(&x->g.actors, m->arena, f->name);
    pass_names_add(&x->g.filters, f->name);
    pass_names_add(&x->g.actors, name);
    VEC_PUSH(m->arena, &m->filters, f);
    pass_region_replace(m, r, f, name, x->g.gone_actor, x->g.gone_channel);
}

// The longest stretch from an actor on. It begins with a filter that waits, or at a splitter before one.
static bool try_region(void *context, uint32_t actor)
{
    joiner *x = context;
    const sir_actor *first = x->g.m->actors.data[actor];
    if (!may_join(x, actor) || first->kind == SIR_JOIN)
        return false;
    if (first->kind == SIR_FILTER && (!x->waits[actor] || pass_waits(first->filter->work)))
        return false;
    const pass_region_ends ends = pass_find_region_ends(x->g.a, x->g.m, actor, REGION_ACTORS, HELD_ITEMS, may_join, x);
    if (ends.len == 0 || !some_waits(x, actor, ends.data[0].last))
        return false;
    for (size_t i = ends.len; i-- > 0;) {
        pass_region r = {.m = x->g.m, .a = x->g.a, .first = actor, .last = ends.data[i].last, .out = ends.data[i].out};
        r.in = x->g.m->actors.data[actor]->inputs.data[0];
        if (is_end(x, actor, &ends, i) && fits(x, &r)) {
            replace(x, &r);
            return true;
        }
    }
    return false;
}

// A filter that delays may be in a stretch as one that passes on, and a channel that holds items behind it.
static void look_at_delay(joiner *x, uint32_t actor)
{
    const sir_actor *a = x->g.m->actors.data[actor];
    pass_scalars held = {0};
    if (a->kind != SIR_FILTER || a->inputs.len != 1 || a->outputs.len != 1 || a->filter->handlers.len != 0 ||
        a->filter->input->words != 1 || !pass_is_delay(x->g.a, a->filter, &held))
        return;
    x->nodes[actor] = DELAY_NODES;
    for (VEC_EACH(sir_scalar, v, &held))
        VEC_PUSH(x->g.a, &x->held[a->outputs.data[0]], *v);
}

static void look_at_all(joiner *x)
{
    const sir_module *m = x->g.m;
    for (size_t i = 0; i < m->channels.len; i++)
        for (VEC_EACH(const sir_value, v, &m->channels.data[i].initial))
            if (v->type->words == 1)
                VEC_PUSH(x->g.a, &x->held[i], v->zero ? (sir_scalar){0} : v->data[0]);
    for (uint32_t i = 0; i < m->actors.len; i++) {
        x->nodes[i] = chain_nodes(x->g.known, m->actors.data[i], REGION_ITEMS, x->windows ? AHEAD_ITEMS : 0);
        x->waits[i] = x->nodes[i] != 0 && chain_waits(x->g.a, m->actors.data[i]->filter);
        look_at_delay(x, i);
    }
    for (uint32_t i = 0; i < m->channels.len; i++)
        look_at_channel(x, i);
}

bool chain_regions(chain_known *k, bool windows)
{
    joiner x = {.windows = windows};
    chain_begin(&x.g, k);
    const sir_module *m = x.g.m;
    x.nodes = ARENA_ARRAY(k->a, size_t, m->actors.len + 1);
    x.waits = ARENA_ARRAY(k->a, bool, m->actors.len + 1);
    x.held = ARENA_ARRAY(k->a, pass_scalars, m->channels.len + 1);
    x.lead = ARENA_ARRAY(k->a, int64_t, m->channels.len + 1);
    x.queues = ARENA_ARRAY(k->a, queue, m->channels.len + 1);
    x.fields = ARENA_ARRAY(k->a, uint32_t, m->channels.len + 1);
    x.own = ARENA_ARRAY(k->a, uint32_t, m->actors.len + 1);
    x.holds = ARENA_ARRAY(k->a, size_t, m->channels.len + 1);
    x.late = ARENA_ARRAY(k->a, int64_t, m->actors.len + 1);
    look_at_all(&x);
    return chain_try_all(&x.g, try_region, &x);
}
