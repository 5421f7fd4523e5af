// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'reorder': a filter each of whose firings takes whole rounds of what splitters and joiners put into another
// order takes the items from where they lay. So a matrix that is transposed on its way to a product is not moved, and
// sums over its columns find these side by side:
//
//     peek(1024 + 32 * %j + %k) behind a transposition      ->      peek(1024 + %j + 32 * %k)
//
// The firings are the same: between the splitter and the filter nothing else is done, and no item stays there from one
// firing to the next. A place that is peeked must be affine in the loops around, before and after.
#include <inttypes.h>
#include <string.h>

#include "hlc/ir/walk.h"
#include "hlc/passes/reorder_int.h"

// Items that a firing takes.
enum { MOST_ITEMS = 1 << 16 };

typedef struct reorderer {
    arena *a;
    sir_module *m;
    sir_filter *filter;
    uint32_t source; // the channel on which the items lay
    places order;    // by place behind the joiner: the place before the splitter
    bool *gone_actor, *gone_channel;
    bool rewrites, fails;
} reorderer;

// ---- Which items ----

int64_t reorder_total(const sir_actor *a)
{
    int64_t total = 0;
    for (VEC_EACH(uint32_t, w, &a->weights))
        total += *w;
    return total;
}

uint32_t reorder_step_back(const sir_module *m, uint32_t channel, bool copies, int64_t *j)
{
    const sir_channel *c = &m->channels.data[channel];
    const sir_actor *a = m->actors.data[c->producer];
    int64_t before = 0;
    if (c->initial.len != 0)
        return SIR_NONE;
    if (a->kind == SIR_FILTER && a->filter->identity && a->filter->handlers.len == 0 && a->inputs.len == 1 &&
        !pass_waits(a->filter->work))
        return a->inputs.data[0];
    if (a->kind == SIR_SPLIT && a->duplicate && copies)
        return a->inputs.data[0];
    if (a->kind == SIR_SPLIT && !a->duplicate) {
        int64_t weight = a->weights.data[c->producer_port];
        for (uint32_t i = 0; i < c->producer_port; i++)
            before += a->weights.data[i];
        *j = *j / weight * reorder_total(a) + before + *j % weight;
        return a->inputs.data[0];
    }
    if (a->kind != SIR_JOIN)
        return SIR_NONE;
    int64_t total = reorder_total(a), within = *j % total;
    uint32_t port = 0;
    for (; within >= before + a->weights.data[port]; port++)
        before += a->weights.data[port];
    *j = *j / total * a->weights.data[port] + within - before;
    return a->inputs.data[port];
}

// Whether later rounds are as the first: items that come `by` later on a channel came `items` later on the source.
static bool repeats(const reorderer *x, uint32_t channel, int64_t by, int steps)
{
    if (channel == x->source)
        return by == x->order.items;
    const sir_channel *c = &x->m->channels.data[channel];
    const sir_actor *a = x->m->actors.data[c->producer];
    if (steps > REORDER_STEPS || pass_in_loop(x->m, a->region))
        return false;
    if (a->kind == SIR_FILTER)
        return repeats(x, a->inputs.data[0], by, steps + 1);
    int64_t total = reorder_total(a);
    if (a->kind == SIR_SPLIT) {
        int64_t weight = a->weights.data[c->producer_port];
        return by % weight == 0 && repeats(x, a->inputs.data[0], by / weight * total, steps + 1);
    }
    bool all = by % total == 0;
    for (size_t i = 0; all && i < a->inputs.len; i++)
        all = a->weights.data[i] == 0 || repeats(x, a->inputs.data[i], by / total * a->weights.data[i], steps + 1);
    return all;
}

bool reorder_leads_here(const sir_module *m, uint32_t source, const bool *gone_actor, const bool *gone_channel)
{
    for (size_t i = 0; i < m->actors.len; i++) {
        const sir_actor *a = m->actors.data[i];
        for (size_t k = 0; gone_actor[i] && k < a->inputs.len; k++)
            if (a->inputs.data[k] == SIR_NONE || (a->inputs.data[k] != source && !gone_channel[a->inputs.data[k]]))
                return false;
        for (size_t k = 0; gone_actor[i] && k < a->outputs.len; k++)
            if (a->outputs.data[k] == SIR_NONE || !gone_channel[a->outputs.data[k]])
                return false;
    }
    return true;
}

// Whether the firing's items all come from a channel, each of the first there once; what they come through goes.
static bool comes_from(reorderer *x, uint32_t from, uint32_t source)
{
    bool *taken = ARENA_ARRAY(x->a, bool, (size_t)x->order.items + 1);
    x->source = source;
    if (x->gone_actor == NULL) {
        x->gone_actor = ARENA_ARRAY(x->a, bool, x->m->actors.len + 1);
        x->gone_channel = ARENA_ARRAY(x->a, bool, x->m->channels.len + 1);
    }
    memset(x->gone_actor, 0, x->m->actors.len * sizeof(bool));
    memset(x->gone_channel, 0, x->m->channels.len * sizeof(bool));
    for (int64_t i = 0; i < x->order.items; i++) {
        int64_t j = i;
        int steps = 0;
        for (uint32_t c = from; c != source; steps++) {
            x->gone_channel[c] = true;
            x->gone_actor[x->m->channels.data[c].producer] = true;
            c = steps < REORDER_STEPS ? reorder_step_back(x->m, c, false, &j) : SIR_NONE;
            if (c == SIR_NONE)
                return false;
        }
        if (j >= x->order.items || taken[j])
            return false;
        taken[j] = true;
        x->order.to[i] = j;
    }
    return reorder_leads_here(x->m, source, x->gone_actor, x->gone_channel) && repeats(x, from, x->order.items, 0);
}

// The nearest such channel.
static bool find_source(reorderer *x, uint32_t from)
{
    int64_t j = 0;
    uint32_t c = from;
    for (int steps = 0; steps < REORDER_STEPS; steps++) {
        c = reorder_step_back(x->m, c, false, &j);
        if (c == SIR_NONE)
            return false;
        if (x->m->actors.data[x->m->channels.data[c].consumer]->kind == SIR_SPLIT && comes_from(x, from, c))
            return true;
    }
    return false;
}

// ---- Bodies ----

bool reorder_peek(places *order, const place *p, sir_expr *peek, bool rewrites)
{
    place q;
    if (!places_move(order, p, &q))
        return false;
    if (rewrites)
        peek->u.arg[0] = place_text(order, &q, peek->u.arg[0]->loc);
    return true;
}

static void visit_expr(void *context, sir_expr *e, bool written)
{
    reorderer *x = context;
    place p;
    (void)written;
    if (e->kind == SIR_PEEK)
        x->fails |= !place_of(&x->order, e->u.arg[0], &p) || !reorder_peek(&x->order, &p, e, x->rewrites);
}

static void visit_block(reorderer *x, const sir_block *b)
{
    for (size_t i = 0; i < b->len && !x->fails; i++) {
        sir_stmt *s = b->data[i];
        x->fails |= s->kind == SIR_POP || s->kind == SIR_CALL;
        sir_visit_exprs(s, visit_expr, x);
        if (places_is_counted(s))
            VEC_PUSH(x->a, &x->order.loops, s);
        sir_parts parts = sir_stmt_parts(s);
        for (uint8_t k = 0; k < parts.block_count; k++)
            visit_block(x, parts.block[k]);
        x->order.loops.len -= places_is_counted(s);
    }
}

static bool only_pops(const sir_stmt *s)
{
    if (s->kind == SIR_POP)
        return s->u.set.target == NULL;
    return s->kind == SIR_FOR && s->u.for_.body.len == 1 && only_pops(s->u.for_.body.data[0]);
}

sir_block reorder_before_pops(const sir_block *body)
{
    sir_block before = *body;
    while (before.len > 0 && only_pops(before.data[before.len - 1]))
        before.len--;
    return before;
}

static bool visit(reorderer *x, bool rewrites)
{
    const sir_block body = reorder_before_pops(&x->filter->work->body);
    x->rewrites = rewrites;
    visit_block(x, &body);
    return !x->fails && x->order.moves;
}

// Looks at the whole graph.
bool reorder_is_alone(const sir_module *m, const sir_filter *f)
{
    size_t actors = 0;
    for (VEC_EACH(sir_actor *, a, &m->actors))
        actors += (*a)->filter == f;
    return actors == 1;
}

static bool is_plain(const sir_module *m, const sir_filter *f)
{
    return !f->finite && f->prework == NULL && f->functions.len == 0 && f->handlers.len == 0 &&
           (f->input->kind == SIR_FLOAT || f->input->kind == SIR_DOUBLE) && f->work->pop.max > 1 &&
           f->work->pop.max <= MOST_ITEMS && f->work->peek.max == f->work->pop.max && pass_rates_proved(m, f->work);
}

// ---- The pass ----

void reorder_take_from(sir_module *m, arena *a, uint32_t actor, uint32_t source, bool *gone_actor, bool *gone_channel)
{
    sir_channel *c = &m->channels.data[source];
    c->consumer = actor;
    c->consumer_port = 0;
    m->actors.data[actor]->inputs.data[0] = source;
    pass_sweep(m, a, gone_actor, gone_channel);
}

static bool reorder_actor(hlc_program *p, arena *a, uint32_t actor)
{
    sir_module *m = p->module;
    sir_actor *own = m->actors.data[actor];
    if (own->kind != SIR_FILTER || own->inputs.len != 1 || own->inputs.data[0] == SIR_NONE || own->least != 0 ||
        m->actors.data[m->channels.data[own->inputs.data[0]].producer]->kind != SIR_JOIN || !is_plain(m, own->filter) ||
        pass_in_loop(m, own->region))
        return false;
    uint32_t from = own->inputs.data[0];
    reorderer x = {
        .a = a, .m = m, .filter = own->filter, .order = {.m = m, .a = a, .items = own->filter->work->pop.max}};
    x.order.to = ARENA_ARRAY(a, int64_t, (size_t)x.order.items + 1);
    if (!find_source(&x, from) || !reorder_is_alone(m, own->filter) || !visit(&x, false))
        return false;
    (void)visit(&x, true);
    if (p->diag->remarks)
        diag_remark(p->diag, sir_range(m, p->sources, own->loc),
                    "'%s' takes its items from before the splitters and joiners that reorder them [reorder]",
                    own->name);
    reorder_take_from(m, a, actor, x.source, x.gone_actor, x.gone_channel);
    return true;
}

static bool take(hlc_program *p, arena *a, void *context, uint32_t actor)
{
    (void)context;
    return reorder_actor(p, a, actor) || reorder_rounds(p, a, actor);
}

bool pass_reorder(hlc_program *p)
{
    return pass_take_actors(p, take, NULL);
}
