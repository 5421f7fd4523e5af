// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'reorder', where a splitter on the way copies: rows that each meet all columns in a product of matrices. All
// firings that take what the first splitter gives in one round become one, which peeks at the items where they lay:
//
//     100 firings of   peek(%k) * peek(10 + %k)   behind rows and columns, each copied ten times
//     ->   for %r.1 = 0 to 10   for %r = 0 to 10   peek(10 * %r.1 + %k) * peek(100 + %r + 10 * %k)
//
// The splitter gives nothing before it has all items of a round, and then they all come through. So the firings begin
// when they did, and as many are done when data end.
#include <inttypes.h>
#include <string.h>

#include "hlc/ir/walk.h"
#include "hlc/passes/reorder_int.h"

// Items of all firings; loops that their numbers become; operations of a firing for each item that it takes. Where more is
// done, moving items costs little beside it, and firings side by side may do more.
enum { MOST_ITEMS = 1 << 18, MOST_NEST = 3, MOST_OPERATIONS = 32 };

typedef struct rounds {
    arena *a;
    sir_module *m;
    sir_filter *filter;
    uint32_t source; // the channel before the splitter
    int64_t taken;   // of it in a round
    int64_t *items;  // per channel: of it in a round; 0: not known so far, -1: no whole number
    bool *gone_actor, *gone_channel;
    int64_t firings;           // in a round
    places order;              // of the items of all firings
    sir_stmt *nest[MOST_NEST]; // loops over the firings, the innermost first
    size_t depth;
    int64_t operations;
    bool rewrites, fails;
} rounds;

// ---- A round ----

static int64_t items_of(rounds *x, uint32_t channel, int steps);

static int64_t through_join(rounds *x, const sir_actor *a, int steps)
{
    int64_t times = 0;
    for (size_t i = 0; i < a->inputs.len; i++) {
        int64_t weight = a->weights.data[i];
        if (weight == 0)
            continue;
        int64_t n = a->inputs.data[i] == SIR_NONE ? -1 : items_of(x, a->inputs.data[i], steps + 1);
        if (n <= 0 || n % weight != 0 || (times != 0 && n / weight != times))
            return -1;
        times = n / weight;
    }
    return times == 0 ? -1 : times * reorder_total(a);
}

static int64_t through_actor(rounds *x, const sir_channel *c, int steps)
{
    const sir_actor *a = x->m->actors.data[c->producer];
    if (c->initial.len != 0 || c->zeros != NULL || steps > REORDER_STEPS || pass_in_loop(x->m, a->region) ||
        a->least != 0)
        return -1;
    if (a->kind == SIR_JOIN)
        return through_join(x, a, steps);
    bool moves = a->kind == SIR_SPLIT || (a->kind == SIR_FILTER && a->filter->identity &&
                                          a->filter->handlers.len == 0 && !pass_waits(a->filter->work));
    if (!moves || a->inputs.len != 1 || a->inputs.data[0] == SIR_NONE)
        return -1;
    int64_t n = items_of(x, a->inputs.data[0], steps + 1);
    if (n <= 0 || a->kind == SIR_FILTER || a->duplicate)
        return n;
    int64_t weight = a->weights.data[c->producer_port], total = reorder_total(a);
    return n % total != 0 || weight == 0 ? -1 : n / total * weight;
}

// What a round puts on a channel; the actors and channels on the way are gone then.
static int64_t items_of(rounds *x, uint32_t channel, int steps)
{
    if (channel == x->source)
        return x->taken;
    if (x->items[channel] != 0)
        return x->items[channel];
    int64_t n = through_actor(x, &x->m->channels.data[channel], steps);
    x->gone_channel[channel] = x->gone_actor[x->m->channels.data[channel].producer] = true;
    x->items[channel] = n > MOST_ITEMS ? -1 : n;
    return x->items[channel];
}

// Whether all items of the firings come from the source's round, and some more than once.
static bool find_order(rounds *x, uint32_t from)
{
    x->order.to = ARENA_ARRAY(x->a, int64_t, (size_t)x->order.items + 1);
    for (int64_t i = 0; i < x->order.items; i++) {
        int64_t j = i;
        for (uint32_t c = from; c != x->source;)
            if ((c = reorder_step_back(x->m, c, true, &j)) == SIR_NONE)
                return false;
        if (j >= x->taken)
            return false;
        x->order.to[i] = j;
    }
    return x->order.items > x->taken;
}

static bool fits(rounds *x, uint32_t from)
{
    const sir_actor *split = x->m->actors.data[x->m->channels.data[x->source].consumer];
    int64_t pop = x->filter->work->pop.max;
    if (split->kind != SIR_SPLIT || split->duplicate)
        return false;
    x->taken = reorder_total(split);
    memset(x->items, 0, x->m->channels.len * sizeof *x->items);
    memset(x->gone_actor, 0, x->m->actors.len * sizeof(bool));
    memset(x->gone_channel, 0, x->m->channels.len * sizeof(bool));
    x->order.items = x->taken > MOST_ITEMS ? -1 : items_of(x, from, 0);
    x->firings = x->order.items / pop;
    return x->order.items > 0 && x->order.items % pop == 0 && x->firings > 1 &&
           reorder_leads_here(x->m, x->source, x->gone_actor, x->gone_channel) && find_order(x, from);
}

static bool find_source(rounds *x, uint32_t from)
{
    int64_t j = 0;
    x->source = from;
    for (int steps = 0; steps < REORDER_STEPS; steps++) {
        x->source = reorder_step_back(x->m, x->source, true, &j);
        if (x->source == SIR_NONE)
            return false;
        if (fits(x, from))
            return true;
    }
    return false;
}

// ---- The firings as a nest of loops ----

// Whether blocks of firings, `size` of them each, lie at one distance from each other up to this one, item by item.
static bool goes_on(const rounds *x, int64_t size, int64_t block)
{
    const int64_t *to = x->order.to;
    int64_t pop = x->filter->work->pop.max;
    for (int64_t k = 0; k < pop; k++) {
        int64_t by = to[block * size * pop + k] - to[k];
        if (by != block * (to[size * pop + k] - to[k]))
            return false;
        for (int64_t i = 1; i < size; i++)
            if (to[(block * size + i) * pop + k] - to[i * pop + k] != by)
                return false;
    }
    return true;
}

static bool find_nest(rounds *x)
{
    for (int64_t size = 1; size < x->firings;) {
        int64_t n = 1;
        while ((n + 1) * size <= x->firings && goes_on(x, size, n))
            n++;
        if (n < 2 || x->firings / size % n != 0 || x->depth == MOST_NEST)
            return false;
        sir_stmt *loop = sir_stmt_new(x->m, SIR_FOR, x->filter->work->loc);
        loop->u.for_.local = UINT32_MAX - (uint32_t)x->depth; // until it is known that there will be one
        loop->u.for_.lo = sir_const_int(x->m, 0, loop->loc);
        loop->u.for_.hi = sir_const_int(x->m, (int32_t)n, loop->loc);
        loop->u.for_.step = 1;
        x->nest[x->depth++] = loop;
        size *= n;
    }
    return true;
}

// ---- Bodies ----

static void visit_expr(void *context, sir_expr *e, bool written)
{
    rounds *x = context;
    place p;
    (void)written;
    x->operations += e->kind == SIR_BINARY || e->kind == SIR_UNARY || e->kind == SIR_PEEK || e->kind == SIR_INDEX;
    x->fails |= e->kind == SIR_MATH;
    if (e->kind != SIR_PEEK)
        return;
    if (!place_of(&x->order, e->u.arg[0], &p) || p.count + x->depth > PLACE_LOOPS) {
        x->fails = true;
        return;
    }
    int64_t by = x->filter->work->pop.max;
    for (size_t i = 0; i < x->depth; i++) {
        p.loop[p.count] = x->nest[i];
        p.coefficient[p.count++] = by;
        by *= places_trips(x->nest[i]);
    }
    x->fails |= !reorder_peek(&x->order, &p, e, x->rewrites);
}

static void visit_block(rounds *x, const sir_block *b)
{
    for (size_t i = 0; i < b->len && !x->fails; i++) {
        sir_stmt *s = b->data[i];
        x->fails |= s->kind == SIR_POP || s->kind == SIR_CALL || s->kind == SIR_RETURN || s->kind == SIR_LOOP ||
                    (s->kind == SIR_FOR && !places_is_counted(s));
        int64_t before = x->operations;
        if (places_is_counted(s))
            VEC_PUSH(x->a, &x->order.loops, s);
        sir_visit_exprs(s, visit_expr, x);
        sir_parts parts = sir_stmt_parts(s);
        for (uint8_t k = 0; k < parts.block_count; k++)
            visit_block(x, parts.block[k]);
        if (places_is_counted(s)) {
            int64_t trips = places_trips(s);
            x->fails |= trips > MOST_ITEMS || x->operations > INT32_MAX;
            x->operations = before + (x->operations - before) * (x->fails ? 1 : trips);
            x->order.loops.len--;
        }
    }
}

static bool visit(rounds *x, bool rewrites)
{
    const sir_block body = reorder_before_pops(&x->filter->work->body);
    x->rewrites = rewrites;
    x->operations = 0;
    visit_block(x, &body);
    return !x->fails && x->operations <= MOST_OPERATIONS * x->filter->work->pop.max;
}

static void write_nest(rounds *x)
{
    sir_function *work = x->filter->work;
    const sir_type *t = x->m->scalar[SIR_INT];
    for (size_t i = 0; i < x->depth; i++)
        x->nest[i]->u.for_.local = sir_local_new(x->m, work, "r", t, work->loc);
    (void)visit(x, true);
    sir_block inner = reorder_before_pops(&work->body), all = {0};
    for (size_t i = 0; i < x->depth; i++) {
        sir_block outer = {0};
        x->nest[i]->u.for_.body = inner;
        VEC_PUSH(x->m->arena, &outer, x->nest[i]);
        inner = outer;
    }
    sir_stmt *pops = sir_stmt_new(x->m, SIR_FOR, work->loc);
    pops->u.for_.local = sir_local_new(x->m, work, "i", t, work->loc);
    pops->u.for_.lo = sir_const_int(x->m, 0, work->loc);
    pops->u.for_.hi = sir_const_int(x->m, (int32_t)x->taken, work->loc);
    pops->u.for_.step = 1;
    VEC_PUSH(x->m->arena, &pops->u.for_.body, sir_stmt_new(x->m, SIR_POP, work->loc));
    VEC_PUSH(x->m->arena, &all, inner.data[0]);
    VEC_PUSH(x->m->arena, &all, pops);
    work->body = all;
    work->pop.min = work->pop.max = work->peek.min = work->peek.max = x->taken;
    work->push.min = work->push.max = work->push.max * x->firings;
}

// ---- The pass ----

static bool is_plain(const sir_module *m, const sir_actor *a)
{
    const sir_filter *f = a->filter;
    return a->least == 0 && !f->finite && !f->stateful && !f->uses_iter && !f->uses_random && !f->prints && !f->sends &&
           f->prework == NULL && f->functions.len == 0 && f->handlers.len == 0 &&
           (f->input->kind == SIR_FLOAT || f->input->kind == SIR_DOUBLE) && f->work->pop.max > 1 &&
           f->work->pop.max <= MOST_ITEMS && f->work->peek.max == f->work->pop.max && !f->work->push.dynamic &&
           f->work->push.max > 0 && f->work->push.max <= MOST_ITEMS && pass_rates_proved(m, f->work);
}

bool reorder_rounds(hlc_program *p, arena *a, uint32_t actor)
{
    sir_module *m = p->module;
    sir_actor *own = m->actors.data[actor];
    if (m->portals.len != 0 || own->kind != SIR_FILTER || own->inputs.len != 1 || own->inputs.data[0] == SIR_NONE ||
        m->actors.data[m->channels.data[own->inputs.data[0]].producer]->kind != SIR_JOIN || !is_plain(m, own) ||
        pass_in_loop(m, own->region))
        return false;
    rounds x = {.a = a, .m = m, .filter = own->filter, .order = {.m = m, .a = a}};
    x.items = ARENA_ARRAY(a, int64_t, m->channels.len + 1);
    x.gone_actor = ARENA_ARRAY(a, bool, m->actors.len + 1);
    x.gone_channel = ARENA_ARRAY(a, bool, m->channels.len + 1);
    if (!find_source(&x, own->inputs.data[0]) || x.filter->work->push.max > MOST_ITEMS / x.firings ||
        !reorder_is_alone(m, own->filter) || !find_nest(&x) || !visit(&x, false))
        return false;
    write_nest(&x);
    if (p->diag->remarks)
        diag_remark(p->diag, sir_range(m, p->sources, own->loc),
                    "%" PRId64 " firings of '%s' are one, and take their items from before the splitters that copy "
                    "them [reorder]",
                    x.firings, own->name);
    reorder_take_from(m, a, actor, x.source, x.gone_actor, x.gone_channel);
    return true;
}
